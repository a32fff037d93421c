"""What hosts send with each file of a site: the rules of `_headers`.

Netlify, Cloudflare Pages and some others read that file at the root of what they publish, and there
alone: the rules of a site hold for the sites in its folders, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.site.feeds import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planet.model import Pages


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
    return "\n".join(_rule(path, fields) for path, fields in rules.items())


def _of_feed(media_type: str) -> dict[str, str]:
    return {
        "Content-Type": f"{media_type}; charset=utf-8",
        "Cache-Control": f"public, max-age={FEED_AGE}",
        # Readers that run in a browser may fetch it: there is nothing in it for some only.
        "Access-Control-Allow-Origin": "*",
    }


def _rule(path: str, fields: dict[str, str]) -> str:
    return f"/{path}\n" + "".join(f"  {name}: {value}\n" for name, value in fields.items())
