"""The door to nh3 (ammonia, in Rust): HTML → well-formed HTML."""

from __future__ import annotations

import re
from functools import cache

from nh3 import Cleaner

from planet.text import policy


def parsed(html: str) -> str:
    """What the policy lets through of HTML, well-formed. Raises whatever nh3 raises."""
    if not _KNOWN.issuperset(map(str.lower, _NAME.findall(html))):
        html = _TAG.sub(_renamed, html)
    html = _cleaner().clean(html)
    # Its content is no HTML, and not escaped.
    return _FRAME.sub(r"\1</iframe>", html) if "<iframe" in html else html


_FRAME = re.compile(r"(<iframe[^>]*>).*?</iframe>", re.DOTALL)
_NAME = re.compile(r"</?([a-z][^\s/>]*)", re.IGNORECASE)
# Matches whatever comes after its beginning, so that nothing is read twice.
_TAG = re.compile(
    r"<(svg|math)\b.*?(?:</\1\b|\Z)|(</?)([a-z][^\s/>]*)((?:[^>\"']|\"[^\"]*\"|'[^']*')*)",
    re.IGNORECASE | re.DOTALL,
)
# Those that are none of the policy's and mean something to a parser of HTML (§13.2.6).
_KNOWN = frozenset(policy.attributes()) | policy.DROPPED
_KNOWN |= {
    *("area", "base", "basefont", "bgsound", "big", "body", "dialog", "fieldset", "font", "form"),
    *("frame", "head", "hgroup", "html", "image", "input", "keygen", "link", "listing", "marquee"),
    *("meta", "nobr", "object", "param", "plaintext", "rb", "rtc", "search", "track", "xmp"),
}


def _renamed(match: re.Match[str]) -> str:
    """Another unknown name for an unknown one.

    Outside of SVG and MathML, nh3 drops whatever has a name of theirs with all that is in it: a
    `<vector>` or `<path>` that somebody writes about would take the rest of the text with it.
    """
    if match[1] or match[3].lower() in _KNOWN:
        return match[0]
    return f"{match[2]}x-{match[3]}{match[4]}"


@cache
def _cleaner() -> Cleaner:
    # Unlike bleach's, it has no state and may be shared.
    attributes = policy.attributes()
    return Cleaner(
        tags=set(attributes),
        attributes={name: set(names) for name, names in attributes.items()},
        clean_content_tags=set(policy.DROPPED),
        url_schemes=set(policy.SCHEMES),
        link_rel=None,
    )
