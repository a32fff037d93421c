"""Edition → File: the pages of a site, each drawn only when asked for, and `machine` files.

`docs/templates.md` is the same from a theme's side. Doors besides the names below:

    listing     which pages there are: a line for each kind
    nouns       the values of templates
    labels      text → shorter text, and the signs of a source
    readable    the text of a post, made ready for a page
    theme       folders → how a site looks
    check       a theme → its first mistake
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from planet.model import File, FileKind, fingerprint, whole_file
from planet.site.pages.theme import Theme, load_theme, read_scripts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planet.model import Contents, Edition, Pages
    from planet.site.pages.drawing import Drawer
    from planet.site.pages.nouns import PageSpec, ShownSite

__all__ = ["Theme", "load_theme", "render"]


def render(edition: Edition, *, theme: Theme, pages: Pages, contents: Contents) -> Iterator[File]:
    """Yield the pages of an edition's site and the theme's own files, as files to be made.

    Pages of sources come in the order of the sources.

    Nothing is drawn before a file's `make` is called, and `make` asks `contents` at most once, for
    posts shown in full. The fingerprint of a page is the hash of the posts' fingerprints, of other
    values, and of the facts of the site.

    `make` raises `ThemeError` when a template is wrong.

    Raises:
        OSError: the file of a podcast's cover cannot be read.
    """
    # Imported here, as jinja2 below: a run whose site stays as it is does without them.
    from planet.site.machine import machine_files, write_headers
    from planet.site.pages.listing import describe_site, list_pages

    site = describe_site(edition, pages, theme)
    shared = fingerprint(theme.fingerprint, site)
    drawer = functools.cache(functools.partial(_make_drawer, theme, site))
    listed = []
    # One after the other: who makes each before asking for the next does not hold all of them.
    for spec in list_pages(edition, pages, theme, site):
        if spec.page.indexing:
            listed.append(spec.page.path)
        yield File(
            path=spec.page.path,
            kind=FileKind.PAGE,
            fingerprint=spec.fingerprint(shared),
            make=functools.partial(_draw, spec, contents, drawer),
        )
    for path in theme.sheets:
        make = functools.partial(_draw_sheet, path, drawer)
        made_from = fingerprint(theme.fingerprint, path)
        for name in (path, site.files[path]):
            yield File(path=name, kind=FileKind.ASSET, fingerprint=made_from, make=make)
    for path, body in {**theme.static, **read_scripts(pages)}.items():
        for name in dict.fromkeys((path, site.files.get(path, path))):
            yield whole_file(name, body, FileKind.ASSET)
    rules = write_headers(pages, site.files.values())
    for file in machine_files(edition, theme.static, rules, listed):
        # A theme that loads more than its pages may by themselves brings rules of its own.
        if file.path not in theme.static:
            yield file


def _draw(spec: PageSpec, contents: Contents, drawer: Callable[[], Drawer]) -> bytes:
    return drawer().draw(spec, contents)


def _draw_sheet(path: str, drawer: Callable[[], Drawer]) -> bytes:
    return drawer().draw_sheet(path)


def _make_drawer(theme: Theme, site: ShownSite) -> Drawer:
    # Nothing else needs jinja2, and a run in which no page changed does without it.
    from planet.site.pages.drawing import Drawer

    return Drawer(theme, site)
