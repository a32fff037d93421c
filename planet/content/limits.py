"""Whether HTML can be cleaned in a time that grows with its length alone.

Parsers of HTML take quadratic time over deep nesting, over many attributes of one element, and
over tags that never end. Pages that people wrote have none of these.
"""

from __future__ import annotations

import re

MAX_LENGTH = 200_000
"""Characters."""
MAX_DEPTH = 128
"""Elements in elements, and tags that do not end."""
MAX_ATTRIBUTES = 1_000
"""Of one element."""
MAX_REPEATED = 50_000
"""Formatting elements that never end, which a parser opens anew in each element that follows,
times the elements there are."""

_TAG = re.compile(r"<(/?[a-z][^\s/>]*)")
_LONG_TAG = re.compile(r"<[a-zA-Z][^<>]{1000,}")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_BETWEEN = re.compile(r"[\s/=]+")
_FORMATTING = frozenset(
    {
        *("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong"),
        *("tt", "u"),
    }
)
# Elements that end without an end tag.
_SELF_ENDING = frozenset(
    f"{end}{name}"
    for end in ("", "/")
    for name in (
        *("area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source"),
        *("track", "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot"),
        *("colgroup", "option", "rp", "rt"),
    )
)


def is_bounded(html: str) -> bool:
    """Whether the HTML is within the limits of this module; takes linear time itself."""
    if len(html) > MAX_LENGTH:
        return False
    tags = html.count("<")
    if tags - html.count(">") > MAX_DEPTH:
        return False
    # What has fewer tags than that cannot be deeper, and so needs no look.
    if tags > MAX_DEPTH and not _is_shallow(html):
        return False
    return all(_attributes(tag) <= MAX_ATTRIBUTES for tag in _LONG_TAG.findall(html))


def _is_shallow(html: str) -> bool:
    tags = _TAG.findall(html.lower())
    depth = deepest = unended = 0
    for tag in tags:
        if tag in _SELF_ENDING:
            continue
        if tag[0] == "/":
            depth -= depth > 0
            unended -= tag[1:] in _FORMATTING
        else:
            depth += 1
            deepest = max(deepest, depth)
            unended += tag in _FORMATTING
    return deepest <= MAX_DEPTH and unended * len(tags) <= MAX_REPEATED


def _attributes(tag: str) -> int:
    return len(_BETWEEN.findall(_QUOTED.sub("", tag)))
