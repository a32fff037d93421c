"""Edition → File: what machines read of a site besides its feeds.

`planetjson` is the site in a nutshell, `linksjson` whom each source links to, `sitemap` what search
engines want to know, and `headers` what some hosts send with each file. `docs/machines.md` has the
members of each.
"""

from __future__ import annotations

import json
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from xml.sax.saxutils import escape

from planet import __version__
from planet.model import File, Neighbours
from planet.site.feeds import FORMATS
from planet.site.pages import frame
from planet.site.pages.places import (
    fingerprint,
    href,
    list_folder,
    page_address,
    source_folder,
    tag_folder,
)
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.model import Edition, LinkGraph, Neighbour, Pages, Source, Tag
    from planet.site.pages.frame import SiteFeed
    from planet.site.pages.kinds import PageSpec

    Listed: TypeAlias = tuple[str, Sequence[tuple[str, str | None]]]
    """What is listed, `url` or `sitemap`: the address of each, and when it last changed."""


FEED_AGE = 300
"""Seconds for which an app may keep a feed without asking again."""

_JSON = "application/json"
_BESIDE = {
    "": {"digest.txt": "text/plain", "health.json": _JSON, "planet.json": _JSON},
    ":kind/:name/": {"links.json": _JSON},
}
"""Folders with feeds, as rules write them, and what is in them besides, with its type. The second
stands for those of sources, tags, lists and months."""


def text(*, script: bool, search: bool) -> str:
    """The rules; for a site whose pages have the small script, and for one that can be searched."""
    files = {each.file: each.media_type for each in FORMATS.values()}
    return "\n".join(
        [
            _rule("*", {**_everywhere(script, search), "X-Content-Type-Options": "nosniff"}),
            *(
                _rule(f"{folder}{name}", _of_feed(media_type))
                for folder, beside in _BESIDE.items()
                for name, media_type in {**files, **beside}.items()
            ),
        ]
    )


def _everywhere(script: bool, search: bool) -> dict[str, str]:
    # Pages say the same themselves, but for the last: no page can forbid to be framed. What the
    # page with the search needs, its worker needs too, which can say nothing for itself; the other
    # pages do not let it in.
    if search:
        scripts = ["script-src 'self' 'wasm-unsafe-eval'", "connect-src 'self'"]
    else:
        scripts = ["script-src 'self'"] if script else []
    policy = [
        "default-src 'none'",
        *scripts,
        "style-src 'self'",
        "font-src 'self'",
        "img-src 'self' https: http: data:",
        "media-src https: http:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
    return {"Content-Security-Policy": "; ".join(policy), "Referrer-Policy": "no-referrer"}


def _of_feed(media_type: str) -> dict[str, str]:
    return {
        "Content-Type": f"{media_type}; charset=utf-8",
        "Cache-Control": f"public, max-age={FEED_AGE}",
        # Readers that run in a browser may fetch it: there is nothing in it for some only.
        "Access-Control-Allow-Origin": "*",
    }


def _rule(path: str, fields: dict[str, str]) -> str:
    return f"/{path}\n" + "".join(f"  {name}: {said}\n" for name, said in fields.items())


PLANET_JSON_VERSION = 1
"""Of the form of the document; another one when a member is gone or means something else."""

_PlanetObject = dict[str, Any]


def planet_document(edition: Edition, sheets: Sequence[PageSpec]) -> _PlanetObject:
    """What a site is, and where its pages and feeds are, ready for JSON.

    Addresses are relative to the site's own, which is `link`. Without the moment it was made: it
    is the same for as long as the site is.
    """
    feeds = {sheet.path: sheet.feeds for sheet in sheets}
    languages = {edition.language, *(source.language for source in edition.sources)}
    owner = edition.owner
    return {
        "version": PLANET_JSON_VERSION,
        "generator": f"Planet {__version__}",
        "title": edition.title,
        "link": href(edition.link),
        "description": edition.description,
        "owner": {"name": owner.name, "url": href(owner.url)},
        "language": edition.language,
        "languages": sorted(filter(None, languages)),
        "timezone": str(edition.timezone),
        "updated": _moment(edition.updated) if edition.count else None,
        "counts": {"posts": edition.count, "sources": len(edition.sources)},
        "feeds": _feeds([*frame.of_planet(edition), frame.opml_of(edition)]),
        "sources": [_source(source, edition.tags, feeds) for source in edition.sources],
        "tags": [
            {
                "name": tag.name,
                "slug": tag.slug,
                **_place(tag_folder(tag), f"tag/{tag.slug}", feeds),
            }
            for tag in edition.tags
        ],
        "lists": [
            {
                "name": listed.name,
                "title": listed.podcast.title or listed.name,
                **_place(list_folder(listed), f"lists/{listed.name}", feeds),
            }
            for listed in edition.lists
        ],
        "digests": [
            {"name": digest.name, "posts": digest.count, "page": f"digest/{digest.name}/"}
            for digest in edition.digests or ()
        ],
    }


def write_planet_json(said: _PlanetObject) -> bytes:
    """The document as JSON."""
    # "ignore" drops lone surrogates, the only code points UTF-8 cannot hold.
    return (json.dumps(said, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "ignore")


def _source(
    source: Source, tags: Iterable[Tag], feeds: Mapping[str, tuple[SiteFeed, ...]]
) -> _PlanetObject:
    folder = source_folder(source)
    return {
        "slug": source.slug,
        "title": source.title,
        "home": href(source.link),
        # What has a secret in it is nobody's business.
        "feed": address.public(source.url),
        "language": source.language,
        "tags": [tag.slug for tag in tags if tag.name in source.tags],
        "posts": source.count,
        "newest": _moment(source.newest),
        **_place(folder, f"source/{source.slug}", feeds),
        "links": f"{folder}links.json",
    }


def _place(folder: str, path: str, feeds: Mapping[str, tuple[SiteFeed, ...]]) -> _PlanetObject:
    return {"page": folder, "feeds": _feeds(feeds[f"{path}/index.html"])}


def _feeds(feeds: Iterable[SiteFeed]) -> list[_PlanetObject]:
    return [
        {"format": feed.format, "path": feed.path, "media_type": feed.media_type} for feed in feeds
    ]


def _moment(when: datetime | None) -> str | None:
    return when.isoformat(timespec="seconds") if when else None


LINKS_JSON_VERSION = 1
"""As in `planetjson`."""

_LinksObject = dict[str, Any]


def links_document(graph: LinkGraph, source: Source) -> _LinksObject:
    """The neighbours of a source, ready for JSON."""
    neighbours = graph.neighbours.get(source.key, Neighbours())
    return {
        "version": LINKS_JSON_VERSION,
        "slug": source.slug,
        "title": source.title,
        "links_to": _neighbours(neighbours.links_to),
        "linked_by": _neighbours(neighbours.linked_by),
    }


def _neighbours(neighbours: Iterable[Neighbour]) -> list[_LinksObject]:
    return [{"name": each.name, "slug": each.slug, "posts": each.posts} for each in neighbours]


PATH = "sitemap.xml"
MOST = 50_000
"""How many addresses a file may list."""

# The pages that change whenever anything does.
_OF_ALL = ("", "archive/", "sources/", "links/", "about/")


def maps(edition: Edition, link: str, sheets: Sequence[PageSpec]) -> Mapping[str, Listed]:
    """What the files list, by path: all pages, or where there are too many, files of pages."""
    changed = _changed(edition)
    found = [
        (
            page_address(link, sheet.path),
            _as_w3c_date(changed.get(sheet.path)),
        )
        for sheet in sheets
        if sheet.path != frame.EVERYWHERE
    ]
    if len(found) <= MOST:
        return {PATH: ("url", found)}
    parts = {
        f"sitemap-{number}.xml": ("url", found[start : start + MOST])
        for number, start in enumerate(range(0, len(found), MOST), 1)
    }
    return {PATH: ("sitemap", [(link + path, None) for path in parts]), **parts}


def write_sitemap(listed: Listed) -> bytes:
    """The file as XML."""
    kind, found = listed
    root = "urlset" if kind == "url" else "sitemapindex"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
        *(
            f"<{kind}><loc>{escape(place)}</loc>"
            f"{f'<lastmod>{when}</lastmod>' if when else ''}</{kind}>"
            for place, when in found
        ),
        f"</{root}>",
    ]
    return ("\n".join(lines) + "\n").encode()


def _changed(edition: Edition) -> dict[str, datetime]:
    """When those pages last changed that show posts of one kind, by path."""
    tags = {tag.name: f"tag/{tag.slug}/index.html" for tag in edition.tags}
    touched: list[tuple[str, datetime]] = []
    for (year, month), part in edition.timeline.months.items():
        touched.append((f"{year:04}/index.html", part.modified))
        touched.append((f"{year:04}/{month:02}/index.html", part.modified))
    for source in edition.sources:
        if own := edition.timeline.sources.get(source.key):
            of_tags = (tags[name] for name in source.tags if name in tags)
            paths = (f"source/{source.slug}/index.html", *of_tags)
            touched += [(path, own.modified) for path in paths]
    for listed in edition.lists:
        path = f"lists/{listed.name}/index.html"
        touched += [(path, post.modified) for post in listed.posts]
    found = {f"{folder}index.html": edition.updated for folder in _OF_ALL}
    for path, modified in touched:
        found[path] = max(modified, found.get(path, modified))
    for digest in edition.digests or ():
        found[f"digest/{digest.name}/index.html"] = digest.made_at
    if edition.digests:
        found["digest/index.html"] = edition.digests[0].made_at
    return found


def _as_w3c_date(when: datetime | None) -> str | None:
    return when.astimezone(UTC).isoformat(timespec="seconds") if when else None


_SCRIPT = Path(__file__).with_name("planet.js")
_SEARCHING = Path(__file__).with_name("search.js")

# Pages that are not to be indexed say so themselves, and a crawler that may not read a page cannot
# read that: to forbid crawling here would leave their addresses in search results.
_ROBOTS = "User-agent: *\nDisallow:\n"


def machine_files(edition: Edition, sheets: Sequence[PageSpec], pages: Pages) -> Iterator[File]:
    """These files for a site with these pages."""
    said = planet_document(edition, sheets)
    yield _file("planet.json", said, partial(write_planet_json, said))
    for source in edition.sources:
        told = links_document(edition.links, source)
        yield _file(f"source/{source.slug}/links.json", told, partial(write_planet_json, told))
    robots = _ROBOTS
    if pages.indexing and edition.link:
        robots += f"\nSitemap: {edition.link}{PATH}\n"
        for path, listed in maps(edition, edition.link, sheets).items():
            yield _file(path, listed, partial(write_sitemap, listed))
    yield _text("robots.txt", robots)
    yield _text("_headers", text(script=pages.script, search=pages.search))
    yield _text(".nojekyll", "")
    if pages.script:
        yield _text("planet.js", _SCRIPT.read_text(encoding="utf-8"))
    if pages.search:
        yield _text("search/search.js", _SEARCHING.read_text(encoding="utf-8"))


def _text(path: str, text: str) -> File:
    return _file(path, text, text.encode)


def _file(path: str, said: object, make: Callable[[], bytes]) -> File:
    return File(path=path, fingerprint=fingerprint(path, said), make=make)
