"""Words → paragraphs: the HTML of a text without markup, or of one whose markup cannot be kept."""

from __future__ import annotations

import re
from html import escape
from itertools import pairwise

from planet.content.attributes import start_tag
from planet.content.writer import CONTROLS
from planet.model import Html, Text, TextKind
from planet.plain import JOINING, by_addresses, decoded

_WIDEST = 100
"""Characters of a line that somebody filled."""
_BLANK_LINES = re.compile(r"\n\s*\n")
# Both match whatever comes after their beginning, so that nothing is read twice.
_HIDDEN = re.compile(
    r"<(script|style|template)\b.*?(?:</\1\b[^<>]*>?|\Z)|<!--.*?(?:-->|\Z)", re.I | re.S
)
_TAG = re.compile(r"<(?=[a-zA-Z/!?])/?([a-zA-Z0-9]*)[^<>]*>?")


def paragraphs(words: str, *, lines: bool = True) -> Html:
    """Plain text as paragraphs: blank lines part them, and addresses in them are links.

    With `lines`, lines stay lines.
    """
    words = CONTROLS.sub("", words).replace("\r\n", "\n").replace("\r", "\n").strip()
    end = "<br>\n" if lines else "\n"
    parts = [_linked(each.strip()).replace("\n", end) for each in _BLANK_LINES.split(words)]
    return Html("\n".join(f"<p>{each}</p>" for each in parts if each))


def is_filled(words: str) -> bool:
    """Whether the lines of a text say nothing, being broken or indented by an editor.

    All of them end where the next word would not have fitted (of two lines, that may be chance), or
    all but the first are indented.
    """
    lines = words.strip().splitlines()
    width = max(map(len, lines), default=0)
    pairs = [(one, other) for one, other in pairwise(lines) if one.strip() and other.strip()]
    if pairs and all(other[0].isspace() for _, other in pairs):
        return True
    fits = (len(one) + 1 + len(other.split(maxsplit=1)[0]) <= width for one, other in pairs)
    return width <= _WIDEST and len(pairs) > 1 and not any(fits)


def _linked(words: str) -> str:
    """The words escaped, with a link for each address."""
    pieces = []
    for before, address in by_addresses(words):
        tag = start_tag("a", {"href": address}, None) if address else None
        link = escape(address, quote=False)
        pieces += [escape(before, quote=False), f"{tag}{link}</a>" if tag else link]
    return "".join(pieces)


def escaped(text: Text, limit: int) -> Html:
    """The words in the first `limit` characters of a text whose cleaning was given up.

    They come as paragraphs. Never raises, and takes time that grows with `limit` alone: no parser
    is asked. Tags are cut out as far as they can be told, and what is left is escaped.
    """
    value = text.value[:limit]
    if text.kind is TextKind.HTML:
        value = _TAG.sub(_gap, _HIDDEN.sub("", value))
        return paragraphs(decoded(value), lines=False)
    return paragraphs(value)


def _gap(tag: re.Match[str]) -> str:
    return "" if tag[1].lower() in JOINING else "\n\n"
