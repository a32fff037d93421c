"""Edition → File: what machines read of a site besides its feeds.

`planet.json` is the site in a nutshell, `links.json` whom each source links to, `sitemap.xml` what
search engines want to know, and `_headers` what some hosts send with each file.
`docs/machines.md` has the members of each.
"""

from __future__ import annotations

from datetime import UTC
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from planet import __version__
from planet.model import File, Neighbours
from planet.site.feeds import FORMATS
from planet.site.feeds.markup import write_json
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

    from planet.model import Edition, LinkGraph, Neighbour, Pages, Source
    from planet.site.pages.frame import SiteFeed
    from planet.site.pages.kinds import PageSpec

    JsonObject = dict[str, Any]


FEED_AGE = 300
"""Seconds for which an app may keep a feed without asking again."""

_JSON = "application/json"
_BESIDE = {
    "": {"digest.txt": "text/plain", "health.json": _JSON, "planet.json": _JSON},
    ":kind/:name/": {"links.json": _JSON},
}
"""Folders with feeds, as rules write them, and what is in them besides, with its type. The second
stands for those of sources, tags, lists and months."""

VERSION = 1
"""Of the form of the documents; another one when a member is gone or means something else."""

MOST = 50_000
"""How many addresses a sitemap may list."""

# The pages that change whenever anything does.
_OF_ALL = ("", "archive/", "sources/", "links/", "about/")

# Pages that are not to be indexed say so themselves, and a crawler that may not read a page cannot
# read that: to forbid crawling here would leave their addresses in search results.
_ROBOTS = "User-agent: *\nDisallow:\n"
_HERE = Path(__file__).parent


def machine_files(edition: Edition, specs: Sequence[PageSpec], pages: Pages) -> Iterator[File]:
    """These files for a site with these pages."""
    document = planet_document(edition, specs)
    yield _file("planet.json", document, partial(write_json, document, indent=1))
    for source in edition.sources:
        links = _links_document(edition.links, source)
        path = f"source/{source.slug}/links.json"
        yield _file(path, links, partial(write_json, links, indent=1))
    robots = _ROBOTS
    if pages.indexing and edition.link:
        robots += f"\nSitemap: {edition.link}sitemap.xml\n"
        listed = _listed(edition, edition.link, specs)
        yield _file("sitemap.xml", listed, partial(_sitemap, listed))
    yield _text("robots.txt", robots)
    yield _text("_headers", _headers(script=pages.script, search=pages.search))
    yield _text(".nojekyll", "")
    if pages.script:
        yield _text("planet.js", (_HERE / "planet.js").read_text(encoding="utf-8"))
    if pages.search:
        yield _text("search/search.js", (_HERE / "search.js").read_text(encoding="utf-8"))


def _text(path: str, text: str) -> File:
    return _file(path, text, text.encode)


def _file(path: str, facts: object, make: Callable[[], bytes]) -> File:
    return File(path=path, fingerprint=fingerprint(path, facts), make=make)


def _headers(*, script: bool, search: bool) -> str:
    """The rules for hosts; the pages may have the small script, or one to search with."""
    # Pages say the same themselves, but for the last: no page can forbid to be framed. What the
    # page with the search needs, its worker needs too, which can say nothing for itself; the other
    # pages do not let it in.
    scripts = ["script-src 'self'"] if script else []
    if search:
        scripts = ["script-src 'self' 'wasm-unsafe-eval'", "connect-src 'self'"]
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
    everywhere = {
        "Content-Security-Policy": "; ".join(policy),
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    feeds = {each.file: each.media_type for each in FORMATS.values()}
    rules = [
        _rule(f"{folder}{name}", _of_feed(media_type))
        for folder, beside in _BESIDE.items()
        for name, media_type in {**feeds, **beside}.items()
    ]
    return "\n".join([_rule("*", everywhere), *rules])


def _of_feed(media_type: str) -> dict[str, str]:
    return {
        "Content-Type": f"{media_type}; charset=utf-8",
        "Cache-Control": f"public, max-age={FEED_AGE}",
        # Readers that run in a browser may fetch it: there is nothing in it for some only.
        "Access-Control-Allow-Origin": "*",
    }


def _rule(path: str, fields: dict[str, str]) -> str:
    return f"/{path}\n" + "".join(f"  {name}: {value}\n" for name, value in fields.items())


def planet_document(edition: Edition, specs: Sequence[PageSpec]) -> JsonObject:
    """What a site is, and where its pages and feeds are, ready for JSON.

    Addresses are relative to the site's own, which is `link`. Without the moment it was made: it
    is the same for as long as the site is.
    """
    feeds_of = {spec.path: spec.feeds for spec in specs}
    languages = {edition.language, *(source.language for source in edition.sources)}
    owner = edition.owner

    def place(folder: str, path: str) -> JsonObject:
        return {"page": folder, "feeds": _feeds(feeds_of[f"{path}/index.html"])}

    def entry(source: Source) -> JsonObject:
        folder = source_folder(source)
        return {
            "slug": source.slug,
            "title": source.title,
            "home": href(source.link),
            # What has a secret in it is nobody's business.
            "feed": address.public(source.url),
            "language": source.language,
            "tags": [tag.slug for tag in edition.tags if tag.name in source.tags],
            "posts": source.count,
            "newest": _moment(source.newest),
            **place(folder, f"source/{source.slug}"),
            "links": f"{folder}links.json",
        }

    return {
        "version": VERSION,
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
        "sources": [entry(source) for source in edition.sources],
        "tags": [
            {"name": tag.name, "slug": tag.slug, **place(tag_folder(tag), f"tag/{tag.slug}")}
            for tag in edition.tags
        ],
        "lists": [
            {
                "name": listed.name,
                "title": listed.podcast.title or listed.name,
                **place(list_folder(listed), f"lists/{listed.name}"),
            }
            for listed in edition.lists
        ],
        "digests": [
            {"name": digest.name, "posts": digest.count, "page": f"digest/{digest.name}/"}
            for digest in edition.digests or ()
        ],
    }


def _feeds(feeds: Iterable[SiteFeed]) -> list[JsonObject]:
    return [
        {"format": feed.format, "path": feed.path, "media_type": feed.media_type} for feed in feeds
    ]


def _moment(when: datetime | None) -> str | None:
    return when.isoformat(timespec="seconds") if when else None


def _links_document(graph: LinkGraph, source: Source) -> JsonObject:
    """The neighbours of a source, ready for JSON."""
    neighbours = graph.neighbours.get(source.key, Neighbours())
    return {
        "version": VERSION,
        "slug": source.slug,
        "title": source.title,
        "links_to": _neighbours(neighbours.links_to),
        "linked_by": _neighbours(neighbours.linked_by),
    }


def _neighbours(neighbours: Iterable[Neighbour]) -> list[JsonObject]:
    return [
        {"name": neighbour.name, "slug": neighbour.slug, "posts": neighbour.posts}
        for neighbour in neighbours
    ]


def _listed(
    edition: Edition, link: str, specs: Sequence[PageSpec]
) -> list[tuple[str, datetime | None]]:
    """The addresses of all pages, each with when it last changed, where that is known."""
    changed = _changed(edition)
    pages = [spec.path for spec in specs if spec.path != frame.EVERYWHERE]
    return [(page_address(link, path), changed.get(path)) for path in pages[:MOST]]


def _sitemap(listed: Iterable[tuple[str, datetime | None]]) -> bytes:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">')
    for place, when in listed:
        changed = f"<lastmod>{_moment(when.astimezone(UTC))}</lastmod>" if when else ""
        lines.append(f"<url><loc>{escape(place)}</loc>{changed}</url>")
    return "\n".join([*lines, "</urlset>\n"]).encode()


def _changed(edition: Edition) -> Mapping[str, datetime]:
    """When those pages last changed that show posts, by path."""
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
    changed = {f"{folder}index.html": edition.updated for folder in _OF_ALL}
    for path, modified in touched:
        changed[path] = max(modified, changed.get(path, modified))
    for digest in edition.digests or ():
        changed[f"digest/{digest.name}/index.html"] = digest.made_at
    if edition.digests:
        changed["digest/index.html"] = edition.digests[0].made_at
    return changed
