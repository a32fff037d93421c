"""Edition → File: the pages of a site, each drawn only when it is asked for, and `machine` files.

`Theme` is what a site looks like; `plan` says which pages there are, and `river`, `origins`,
`podcasts`, `digests`, `linked` and `about` what each shows; `bodies` and `context` are what
templates see, and `press` draws. `docs/themes.md` is the same from a theme's side.

Doors besides what it offers itself:

    theme  a folder → how a site looks
    plan   which pages a site has
    sheet  a page before it is drawn, and where it is
    chrome  what stands around each page
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from planet.model import File
from planet.site.pages.theme import Theme, load_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planet.model import Contents, Edition, Pages
    from planet.site.pages.chrome import Chrome
    from planet.site.pages.press import Renderer
    from planet.site.pages.sheet import PageSpec


__all__ = ["Theme", "check_theme", "load_theme", "render"]


def render(edition: Edition, *, theme: Theme, pages: Pages, contents: Contents) -> tuple[File, ...]:
    """The pages of an edition's site, with the theme's own files, as files to be made.

    Nothing is drawn before a file's `make` is called, and `contents` is asked at most once in it,
    for posts that the page shows in full. Each page's fingerprint is made from what it shows: a new
    post changes the front page, its month's, its source's, those of the tags and podcasts it is in,
    and the lists of months and of sources.

    `make` raises `ThemeError` when a template is wrong.

    Raises:
        OSError: the file of a podcast's cover cannot be read.
    """
    return tuple(_files(edition, theme=theme, pages=pages, contents=contents))


def check_theme(theme: Theme) -> None:
    """Look for mistakes in a theme that can be found without drawing a page.

    Raises:
        ThemeError: of the first; the message names its file and line.
    """
    _press(theme).check()


def _files(edition: Edition, *, theme: Theme, pages: Pages, contents: Contents) -> Iterator[File]:
    # Imported here, as jinja2 below: a run whose site stays as it is does without them.
    from planet.site.machine import machine_files
    from planet.site.pages.chrome import make_chrome
    from planet.site.pages.plan import page_specs
    from planet.site.pages.sheet import fingerprint

    frame = make_chrome(edition, pages, theme)
    framed = fingerprint(theme.fingerprint, frame)
    press = functools.cache(functools.partial(_press, theme))
    drawn = tuple(page_specs(edition, theme=theme, pages=pages, contents=contents))
    for sheet in drawn:
        yield File(
            path=sheet.path,
            fingerprint=fingerprint(
                framed, sheet.kind, sheet.path, sheet.title, sheet.feeds, sheet.facts
            ),
            make=functools.partial(_drawn, sheet, frame, press),
        )
    for path, body in theme.static.items():
        yield File(path=path, fingerprint=fingerprint(body), make=functools.partial(bytes, body))
    for file in machine_files(edition, drawn, pages):
        # A theme that loads more than its pages may by themselves brings rules of its own.
        if file.path not in theme.static:
            yield file


def _drawn(sheet: PageSpec, frame: Chrome, press: Callable[[], Renderer]) -> bytes:
    presenter = frame.presenter(sheet)
    body = sheet.body(presenter)
    return press().draw(sheet.kind, frame.common(sheet, presenter), body)


def _press(theme: Theme) -> Renderer:
    # Nothing else needs jinja2, and a run in which no page changed does without it.
    from planet.site.pages.press import Renderer

    return Renderer(theme)
