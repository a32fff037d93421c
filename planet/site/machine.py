"""Edition → File: what machines read of a site besides its feeds.

`planet.json` is the site in a nutshell, `manifest.webmanifest` what a phone wants to know of it,
and `_headers` what hosts send with each file: Netlify, Cloudflare Pages and some others read it at
the root of what they publish, and there alone: the rules of a site hold for those in its folders.
`docs/machines.md` has the members of each.
"""

from __future__ import annotations

from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

from planet import __version__
from planet.model import File, fingerprint
from planet.report import json_pieces
from planet.site.feeds import FORMATS
from planet.site.feeds.markup import write_json
from planet.site.pages import site_feeds
from planet.site.pages.nouns import href
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.model import Edition, Pages, Source
    from planet.site.pages.site_feeds import SiteFeed

    JsonObject = dict[str, Any]


VERSION = 1
"""Of the form of the documents; another one when a member is gone or means something else."""

_ICONS: Sequence[JsonObject] = (
    {"src": "icon.svg", "type": "image/svg+xml", "sizes": "any"},
    # Without corners of its own: phones cut icons into their own shapes.
    {"src": "icon.png", "type": "image/png", "sizes": "512x512", "purpose": "any maskable"},
)

# Pages that are not to be indexed say so themselves, and a crawler that may not read a page cannot
# read that: to forbid crawling here would leave their addresses in search results.
_ROBOTS = "User-agent: *\nDisallow:\n"


def machine_files(
    edition: Edition,
    static: Container[str],
    rules: str,
    listed: Sequence[str] = (),
) -> Iterator[File]:
    """Yield the files for machines.

    `static` are the paths of the theme's files, `rules` is what hosts are told, and `listed` are
    the paths of the pages that search engines may list; there is a sitemap of these if the site's
    address is known.
    """
    pieces = (*json_pieces(_site_summary(edition)), "\n")
    yield _file("planet.json", pieces, lambda: "".join(pieces).encode("utf-8", "ignore"))
    manifest = _manifest(edition, static)
    yield _file("manifest.webmanifest", manifest, partial(write_json, manifest, indent=1))
    if edition.link and listed:
        yield _text("sitemap.xml", _sitemap(edition.link, listed))
        yield _text("robots.txt", f"{_ROBOTS}\nSitemap: {edition.link}sitemap.xml\n")
    else:
        yield _text("robots.txt", _ROBOTS)
    yield _text("_headers", rules)
    yield _text(".nojekyll", "")


def _sitemap(link: str, paths: Iterable[str]) -> str:
    """Return the addresses of pages (sitemaps.org), without dates: those would change each run."""
    pages = "".join(
        f"<url><loc>{escape(link + path.removesuffix('index.html'))}</loc></url>\n"
        for path in paths
    )
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">\n{pages}</urlset>\n'


def _text(path: str, text: str) -> File:
    return _file(path, text, text.encode)


def _file(path: str, facts: object, make: Callable[[], bytes]) -> File:
    return File(path=path, fingerprint=fingerprint(path, facts), make=make)


def _manifest(edition: Edition, static: Container[str]) -> JsonObject:
    """Return the name and icons of the site on the home screen of a phone (Web App Manifest).

    Addresses are relative to the manifest, so that it is right below any path.
    """
    from planet.site.words import direction

    return {
        "name": edition.title,
        "description": edition.description or edition.title,
        "lang": edition.language,
        "dir": direction(edition.language),
        "start_url": "./",
        # With a way back: most links lead away.
        "display": "minimal-ui",
        "icons": [icon for icon in _ICONS if icon["src"] in static],
    }


def _site_summary(edition: Edition) -> Iterator[tuple[str, object]]:
    """Yield the members of `planet.json`: what a site is, and where its pages and feeds are.

    Addresses are relative to the site's own, which is `link`. Without the moment it was made: it
    is the same for as long as the site is.
    """
    languages = {edition.language, *(source.language for source in edition.sources)}
    owner = edition.owner

    def place(folder: str, feeds: Iterable[SiteFeed]) -> JsonObject:
        return {"page": folder, "feeds": _feeds(feeds)}

    def entry(source: Source) -> JsonObject:
        return {
            "slug": source.slug,
            "title": source.title,
            "home": href(source.link),
            # What has a secret in it is nobody's business.
            "feed": address.without_secrets(source.url),
            "links": {
                link.name: url
                for link in source.links
                # No mail addresses: it would be a list of them.
                if (url := href(link.url))
            },
            "image": source.face,
            "language": source.language,
            "tags": [tag.slug for tag in edition.tags if tag.name in source.tags],
            "posts": source.count,
            "newest": _moment(source.newest),
            **place(source.folder, site_feeds.of_source(edition, source)),
        }

    yield "version", VERSION
    yield "generator", f"Planet {__version__}"
    yield "title", edition.title
    yield "link", href(edition.link)
    yield "description", edition.description
    yield "owner", {"name": owner.name, "url": href(owner.url)}
    yield "language", edition.language
    yield "languages", sorted(filter(None, languages))
    yield "timezone", str(edition.timezone)
    yield "updated", _moment(edition.updated) if edition.count else None
    yield "as_of", _moment(edition.asked_at)
    yield "counts", {"posts": edition.count, "sources": len(edition.sources)}
    yield "feeds", _feeds((*site_feeds.of_planet(edition), site_feeds.opml_of(edition)))
    yield "sources", map(entry, edition.sources)
    tags = ((tag, place(tag.folder, site_feeds.of_tag(edition, tag))) for tag in edition.tags)
    yield "tags", ({"name": tag.name, "slug": tag.slug, **at} for tag, at in tags)
    yield (
        "lists",
        (
            {
                "name": listed.name,
                "title": listed.title,
                **place(listed.folder, site_feeds.of_list(listed)),
            }
            for listed in edition.lists
        ),
    )
    yield (
        "digests",
        (
            {"name": digest.name, "posts": digest.count, "page": f"digest/{digest.name}/"}
            for digest in edition.digests or ()
        ),
    )


def _feeds(feeds: Iterable[SiteFeed]) -> list[JsonObject]:
    return [
        {"format": feed.format, "path": feed.path, "media_type": feed.media_type} for feed in feeds
    ]


def _moment(when: datetime | None) -> str | None:
    return when.isoformat(timespec="seconds") if when else None


FEED_AGE = 300
"""Seconds for which an app may keep a feed without asking again."""

_JSON = "application/json"
_BESIDE = {
    "": {
        "health.json": _JSON,
        "manifest.webmanifest": "application/manifest+json",
        "planet.json": _JSON,
    },
    ":kind/:name/": {},
}
"""Folders with feeds, as rules write them, and what is in them besides, with its type. The second
stands for those of sources, tags and lists."""

_YEAR = 365 * 24 * 3600
_FOR_EVER = {"Cache-Control": f"public, max-age={_YEAR}, immutable"}


def write_headers(pages: Pages, assets: Mapping[str, Iterable[str]]) -> str:
    """Return the rules for a site and for those in its folders.

    `assets` has the files that stay the same for ever, by the folder of their site.
    """
    # Pages say the same themselves, but for the last: no page can forbid to be framed. What the
    # page with the search needs, its worker needs too, which can say nothing for itself; the other
    # pages do not let it in.
    scripts = ["script-src 'self'"] if pages.script else []
    if pages.search:
        scripts = ["script-src 'self' 'wasm-unsafe-eval'", "connect-src 'self'"]
    policy = [
        "default-src 'none'",
        *scripts,
        "style-src 'self'",
        "font-src 'self'",
        "img-src 'self' https: http: data:",
        "media-src https: http:",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
    everywhere = {
        "Content-Security-Policy": "; ".join(policy),
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    feeds = {format_.file: format_.media_type for format_ in FORMATS.values()}
    rules = {"*": everywhere}
    for site, files in assets.items():
        # Some hosts read a hundred rules: those of all sites as deep are the same.
        within = "".join(f":site{place}/" for place in range(len(site.split("/")) if site else 0))
        for folder, beside in _BESIDE.items():
            for name, media_type in {**feeds, **beside}.items():
                rules[f"{within}{folder}{name}"] = _of_feed(media_type)
        rules |= {f"{within}{path}": _FOR_EVER for path in files}
    return "\n".join(
        f"/{path}\n" + "".join(f"  {name}: {value}\n" for name, value in fields.items())
        for path, fields in rules.items()
    )


def _of_feed(media_type: str) -> dict[str, str]:
    return {
        "Content-Type": f"{media_type}; charset=utf-8",
        "Cache-Control": f"public, max-age={FEED_AGE}",
        # Readers that run in a browser may fetch it: there is nothing in it for some only.
        "Access-Control-Allow-Origin": "*",
    }
