"""Edition → File: the pages of a site, each drawn only when it is asked for, and `machine` files.

`docs/themes.md` is the same from a theme's side. Doors besides what it offers itself:

    assets      style sheets and scripts → the names by which pages ask for them
    page_kinds  which pages there are: a row for each kind
    views       what a template sees
    present     rows of pages → these, and where pages are
    readable    what pages change in the text of a post; the pictures in it
    frame       what stands around each page
    theme       a folder → how a site looks
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from planet.model import File, fingerprint
from planet.site.pages.theme import Theme, load_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from planet.model import Contents, Edition, Pages
    from planet.site.pages.frame import Frame, PageSpec
    from planet.site.pages.renderer import Renderer


NOTHING_INSIDE: Mapping[str, Iterable[str]] = {}
"""Of a site in whose folders no other site is."""


def render(
    edition: Edition,
    *,
    theme: Theme,
    pages: Pages,
    contents: Contents,
    inside: Mapping[str, Iterable[str]] = NOTHING_INSIDE,
) -> Iterator[File]:
    """Yield the pages of an edition's site and the theme's own files, as files to be made.

    Those of sources come in the order of these.

    Nothing is drawn before a file's `make` is called, and `contents` is asked at most once in it,
    for posts that the page shows in full. Each page's fingerprint is the hash of the rows that it
    is made of, and of what all pages share. `inside` has the style sheets and scripts of sites in
    folders of this one, by these: hosts read the rules of the outer site alone.

    `make` raises `ThemeError` when a template is wrong.

    Raises:
        OSError: the file of a podcast's cover cannot be read.
    """
    # Imported here, as jinja2 below: a run whose site stays as it is does without them.
    from planet.site.machine import machine_files, write_headers
    from planet.site.pages.assets import read_scripts
    from planet.site.pages.context import SiteContext
    from planet.site.pages.frame import LISTED, Frame
    from planet.site.pages.page_kinds import KINDS

    frame = Frame.of(edition, pages, theme)
    shared = fingerprint(theme.fingerprint, frame)
    renderer = functools.cache(functools.partial(_renderer, theme))
    site = SiteContext(edition=edition, pages=pages, theme=theme, contents=contents, frame=frame)
    listed = []
    # One after the other: who makes each before asking for the next does not hold all of them.
    for name, spec in ((name, spec) for name, kind in KINDS.items() for spec in kind.query(site)):
        if pages.indexing and name in LISTED:
            listed.append(spec.path)
        yield File(
            path=spec.path,
            fingerprint=fingerprint(shared, name, *spec.fingerprint_inputs),
            make=functools.partial(_draw, name, spec, frame, renderer),
        )
    for path in theme.sheets:
        for name in (path, frame.files[path]):
            yield File(
                path=name,
                fingerprint=fingerprint(theme.fingerprint, path),
                make=functools.partial(_draw_sheet, path, renderer),
            )
    for path, body in {**theme.static, **read_scripts(pages)}.items():
        for name in dict.fromkeys((path, frame.files.get(path, path))):
            make = functools.partial(bytes, body)
            yield File(path=name, fingerprint=fingerprint(body), make=make)
    rules = write_headers(pages, {"": frame.files.values(), **inside})
    for file in machine_files(edition, pages, theme.static, rules, listed):
        # A theme that loads more than its pages may by themselves brings rules of its own.
        if file.path not in theme.static:
            yield file


def check_theme(theme: Theme) -> None:
    """Look for mistakes in a theme that can be found without drawing a page.

    Raises:
        ThemeError: of the first; the message names its file and line.
    """
    _renderer(theme).check()


def _draw(kind: str, spec: PageSpec, frame: Frame, renderer: Callable[[], Renderer]) -> bytes:
    from planet.site.pages.page_kinds import KINDS

    presenter = frame.presenter(spec.path)
    page = frame.page(kind, spec, presenter)
    return renderer().draw(kind, frame, page, KINDS[kind].present(presenter, **spec.rows))


def _draw_sheet(path: str, renderer: Callable[[], Renderer]) -> bytes:
    return renderer().draw_sheet(path)


def _renderer(theme: Theme) -> Renderer:
    # Nothing else needs jinja2, and a run in which no page changed does without it.
    from planet.site.pages.renderer import Renderer

    return Renderer(theme)
