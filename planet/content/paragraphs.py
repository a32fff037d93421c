"""Words → paragraphs: the HTML of a text without markup, or of one whose markup cannot be kept."""

from __future__ import annotations

import re
from html import escape

from planet.content.writer import CONTROLS
from planet.model import Html, Text, TextKind
from planet.plain import JOINING, decoded

_BLANK_LINES = re.compile(r"\n\s*\n")
# Both match whatever comes after their beginning, so that nothing is read twice.
_HIDDEN = re.compile(
    r"<(script|style|template)\b.*?(?:</\1\b[^<>]*>?|\Z)|<!--.*?(?:-->|\Z)", re.I | re.S
)
_TAG = re.compile(r"<(?=[a-zA-Z/!?])/?([a-zA-Z0-9]*)[^<>]*>?")


def paragraphs(value: str, kind: TextKind) -> Html:
    """Text without tags as paragraphs: blank lines part them, in plain text lines stay lines."""
    words = value if kind is TextKind.TEXT else decoded(value)
    words = CONTROLS.sub("", words).replace("\r\n", "\n").replace("\r", "\n").strip()
    parts = [escape(each.strip(), quote=False) for each in _BLANK_LINES.split(words)]
    if kind is TextKind.TEXT:
        parts = [each.replace("\n", "<br>\n") for each in parts]
    return Html("\n".join(f"<p>{each}</p>" for each in parts if each))


def escaped(text: Text, limit: int) -> Html:
    """The words in the first `limit` characters of a text whose cleaning was given up.

    They come as paragraphs. Never raises, and takes time that grows with `limit` alone: no parser
    is asked. Tags are cut out as far as they can be told, and what is left is escaped.
    """
    value = text.value[:limit]
    if text.kind is TextKind.HTML:
        value = _TAG.sub(_gap, _HIDDEN.sub("", value))
    return paragraphs(value, text.kind)


def _gap(tag: re.Match[str]) -> str:
    return "" if tag[1].lower() in JOINING else "\n\n"
