"""Untrusted HTML → clean HTML.

What feeds sent is written as it is where all parsers read that alike; else what bleach or nh3, each
behind a door of its own, make of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from planet.text.mending import mended
from planet.text.policy import CONTROLS
from planet.text.writer import write

if TYPE_CHECKING:
    from planet.model import Html, Images


MAX_DEPTH = 128
"""Elements in elements, and tags that do not end."""
MAX_ATTRIBUTES = 1_000
"""Of one element."""
MAX_REPEATED = 50_000
"""Formatting elements that never end, which a parser opens anew in each element that follows,
times the elements there are."""

_MAX_ROUNDS = 4

# What stands between attributes, and between them and their values, so many times and once more.
_CROWDED_TAG = re.compile(
    rf"<[a-zA-Z](?:(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s/=<>])*+[\s/=]++){{{MAX_ATTRIBUTES + 1}}}"
)
_TAG = re.compile(r"<(/?[a-z][^\s/>]*)")
_FORMATTING = {
    *("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt"),
    "u",
}
# Elements that end without an end tag.
_SELF_ENDING = {
    *("area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source"),
    *("track", "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot"),
    *("colgroup", "option", "rp", "rt"),
}


def sanitized(
    html: str, *, base: str | None, limit: int, sanitizer: str, images: Images
) -> Html | None:
    """The HTML cleaned, by `nh3` or `bleach`, until cleaning it again changes nothing.

    None where that has no end, or where it would take more than `limit` characters or the other
    limits of this module allow. Raises whatever the library does.
    """
    if written := write(html, base=base, images=images, only_stable=True):
        return written.html
    html = mended(html)
    if len(html) > limit or not is_bounded(html):
        return None
    for _ in range(_MAX_ROUNDS):
        parsed = CONTROLS.sub("", _parsed(html, sanitizer))
        written = write(parsed, base=base, images=images)
        if written is None:
            return None
        if written.is_stable or (written.is_whole and written.html == html):
            return written.html
        html = written.html
    return None


def _parsed(html: str, sanitizer: str) -> str:
    # Imported when first needed: most texts need neither.
    if sanitizer == "nh3":
        from planet.text import nh3

        return nh3.parsed(html)
    from planet.text import bleach

    return bleach.parsed(html)


def is_bounded(html: str) -> bool:
    """Whether the HTML is within the limits of this module; takes linear time itself."""
    tags = html.count("<")
    if tags - html.count(">") > MAX_DEPTH:
        return False
    # What has fewer tags than that cannot be deeper, and so needs no look.
    if tags > MAX_DEPTH and not _is_shallow(html):
        return False
    return _CROWDED_TAG.search(html) is None


def _is_shallow(html: str) -> bool:
    tags = _TAG.findall(html.lower())
    depth = deepest = unended = 0
    for tag in tags:
        name = tag.removeprefix("/")
        if name in _SELF_ENDING:
            continue
        if name != tag:
            depth -= depth > 0
            unended -= name in _FORMATTING
        else:
            depth += 1
            deepest = max(deepest, depth)
            unended += name in _FORMATTING
    return deepest <= MAX_DEPTH and unended * len(tags) <= MAX_REPEATED
