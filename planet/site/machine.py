"""Edition → File: the files for machines besides feeds.

`planet.json` is the site in a nutshell, `manifest.webmanifest` the same for phones, and `_headers`
has the fields for hosts to send with each file: Netlify, Cloudflare Pages and some others read this
file at the root. `docs/machines.md` has the members of each.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from planet import __version__
from planet.model import whole_file
from planet.site.feeds.channel import FORMATS, feeds_of_planet
from planet.site.feeds.markup import write_json
from planet.site.pages.nouns import href

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence
    from datetime import datetime

    from planet.model import Edition, File, Pages

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

    `static` are the paths of the theme's files, `rules` the text of `_headers`, and `listed` the
    paths of pages for search engines; there is a sitemap of these if the site's address is known.
    """
    yield whole_file("planet.json", write_json(_site_summary(edition)))
    yield whole_file("manifest.webmanifest", write_json(_manifest(edition, static), indent=1))
    robots = _ROBOTS
    if edition.link and listed:
        yield whole_file("sitemap.xml", _sitemap(edition.link, listed).encode())
        robots += f"\nSitemap: {edition.link}sitemap.xml\n"
    yield whole_file("robots.txt", robots.encode())
    yield whole_file("_headers", rules.encode())
    yield whole_file(".nojekyll", b"")


def _sitemap(link: str, paths: Iterable[str]) -> str:
    """Return the addresses of pages (sitemaps.org), without dates: those would change each run."""
    pages = "".join(
        f"<url><loc>{escape(link + path.removesuffix('index.html'))}</loc></url>\n"
        for path in paths
    )
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">\n{pages}</urlset>\n'


def _manifest(edition: Edition, static: Container[str]) -> JsonObject:
    """Return the name and icons of the site on the home screen of a phone (Web App Manifest).

    Addresses are relative to the manifest, and so right below any path.
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


def _site_summary(edition: Edition) -> JsonObject:
    """Return `planet.json`: the name, age and size of a site, and its feeds.

    Paths are relative to the site's address, `link`. Without a moment of making: the same site has
    the same bytes. The sources are in `opml.xml` and `health.json`.
    """
    return {
        "version": VERSION,
        "generator": f"Planet {__version__}",
        "title": edition.title,
        "link": href(edition.link),
        "description": edition.description,
        "language": edition.language,
        "updated": _moment(edition.updated) if edition.count else None,
        "as_of": _moment(edition.asked_at),
        "counts": {"posts": edition.count, "sources": len(edition.sources)},
        "feeds": [
            {"format": feed.format, "path": feed.path, "media_type": feed.media_type}
            for feed in feeds_of_planet(edition)
        ],
    }


def _moment(when: datetime | None) -> str | None:
    return when.isoformat(timespec="seconds") if when else None


FEED_AGE = 300
"""Seconds for which an app may keep a feed without asking again."""

_BESIDE = {
    "health.json": "application/json",
    "manifest.webmanifest": "application/manifest+json",
    "planet.json": "application/json",
}
"""What is at the root besides feeds, with its type."""

_YEAR = 365 * 24 * 3600


def write_headers(pages: Pages, assets: Iterable[str]) -> str:
    """Return the rules for a site; `assets` are the paths of files named by their content."""
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
    rules = {
        "*": {
            "Content-Security-Policy": "; ".join(policy),
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }
    }
    feeds = {format_.file: format_.media_type for format_ in FORMATS.values()}
    # The second is any folder of a source, a tag or a list.
    for folder, names in {"": feeds | _BESIDE, ":kind/:name/": feeds}.items():
        for name, media_type in names.items():
            rules[f"{folder}{name}"] = {
                "Content-Type": f"{media_type}; charset=utf-8",
                "Cache-Control": f"public, max-age={FEED_AGE}",
                # Readers that run in a browser may fetch it: there is nothing in it for some only.
                "Access-Control-Allow-Origin": "*",
            }
    rules |= {path: {"Cache-Control": f"public, max-age={_YEAR}, immutable"} for path in assets}
    return "\n".join(
        f"/{path}\n" + "".join(f"  {name}: {value}\n" for name, value in fields.items())
        for path, fields in rules.items()
    )
