"""Edition → File: what machines read of a site besides its feeds.

`planetjson` is the site in a nutshell, `linksjson` whom each source links to, `sitemap` what search
engines want to know, and `headers` what some hosts send with each file. `docs/machines.md` has the
members of each.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from planet.model import File
from planet.render.fingerprint import fingerprint
from planet.render.machine import headers, linksjson, planetjson, sitemap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from planet.model import Edition, Pages
    from planet.render.sheet import Sheet

__all__ = ["machine_files"]

_SCRIPT = Path(__file__).with_name("planet.js")
_SEARCHING = Path(__file__).with_name("search.js")

# Pages that are not to be indexed say so themselves, and a crawler that may not read a page cannot
# read that: to forbid crawling here would leave their addresses in search results.
_ROBOTS = "User-agent: *\nDisallow:\n"


def machine_files(edition: Edition, sheets: Sequence[Sheet], pages: Pages) -> Iterator[File]:
    """These files for a site with these pages."""
    said = planetjson.document(edition, sheets)
    yield _file("planet.json", said, partial(planetjson.write, said))
    for source in edition.sources:
        told = linksjson.document(edition.links, source)
        yield _file(f"source/{source.slug}/links.json", told, partial(linksjson.write, told))
    robots = _ROBOTS
    if pages.indexing and edition.link:
        robots += f"\nSitemap: {edition.link}{sitemap.PATH}\n"
        for path, listed in sitemap.maps(edition, edition.link, sheets).items():
            yield _file(path, listed, partial(sitemap.write, listed))
    yield _text("robots.txt", robots)
    yield _text("_headers", headers.text(script=pages.script, search=pages.search))
    yield _text(".nojekyll", "")
    if pages.script:
        yield _text("planet.js", _SCRIPT.read_text(encoding="utf-8"))
    if pages.search:
        yield _text("search/search.js", _SEARCHING.read_text(encoding="utf-8"))


def _text(path: str, text: str) -> File:
    return _file(path, text, text.encode)


def _file(path: str, said: object, make: Callable[[], bytes]) -> File:
    return File(path=path, fingerprint=fingerprint(path, said), make=make)
