"""What hosts such as Netlify and Cloudflare Pages are to send with each file → _headers.

A host that applies two rules to a file joins what both say of a field with a comma. So the rule for
all files and those for feeds name no field in common.
"""

from __future__ import annotations

from planet.render.feedlinks import FORMATS

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
    return "\n".join(
        [
            _rule("*", {**_everywhere(script, search), "X-Content-Type-Options": "nosniff"}),
            *(
                _rule(f"{folder}{name}", _of_feed(media_type))
                for folder, beside in _BESIDE.items()
                for name, media_type in {**dict(FORMATS.values()), **beside}.items()
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
