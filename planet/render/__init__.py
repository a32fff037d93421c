"""Edition → File: the pages of a site, each drawn only when it is asked for.

`Theme` is what a site looks like; `plan` says which pages there are, and `river`, `origins`,
`podcasts` and `digests` what each shows; `bodies` and `context` are what templates see, and `press`
draws. `docs/themes.md` is the same from a theme's side.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from planet.model import File
from planet.render.chrome import chrome
from planet.render.fingerprint import fingerprint
from planet.render.plan import sheets
from planet.render.theme import Theme, load_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planet.model import Contents, Edition, Pages
    from planet.render.chrome import Chrome
    from planet.render.press import Press
    from planet.render.sheet import Sheet

__all__ = ["Theme", "check_theme", "load_theme", "render"]

# Pages that are not to be indexed say so themselves, and a crawler that may not read a page cannot
# read that: to forbid crawling here would leave their addresses in search results.
_ROBOTS = b"User-agent: *\nDisallow:\n"


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
    frame = chrome(edition, pages)
    framed = fingerprint(theme.fingerprint, frame)
    press = functools.cache(functools.partial(_press, theme))
    for sheet in sheets(edition, pages, contents, cover=theme.cover):
        yield File(
            path=sheet.path,
            fingerprint=fingerprint(
                framed, sheet.kind, sheet.path, sheet.title, sheet.feeds, sheet.facts
            ),
            make=functools.partial(_drawn, sheet, frame, press),
        )
    for path, body in {**theme.static, "robots.txt": _ROBOTS, ".nojekyll": b""}.items():
        yield File(path=path, fingerprint=fingerprint(body), make=functools.partial(bytes, body))


def _drawn(sheet: Sheet, frame: Chrome, press: Callable[[], Press]) -> bytes:
    presenter = frame.presenter(sheet)
    body = sheet.body(presenter)
    return press().draw(sheet.kind, frame.common(sheet, presenter), body)


def _press(theme: Theme) -> Press:
    # Nothing else needs jinja2, and a run in which no page changed does without it.
    from planet.render.press import Press

    return Press(theme)
