"""Text constructs as feedparser has them (a value, its type, its xml:base) → Text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planet.model import Text, TextKind
from planet.parse import values

if TYPE_CHECKING:
    from collections.abc import Mapping

_HTML = frozenset({"text/html", "application/xhtml+xml"})


def text(detail: object, *bases: str | None) -> Text | None:
    """A text construct as a Text; None when it is empty, or is no text (RFC 4287 §4.1.3.1).

    Its links are relative to its xml:base; where it has none, to the first of `bases` there is.
    """
    if not isinstance(detail, dict):
        return None
    value = values.string(detail.get("value"))
    media_type = str(detail.get("type") or "text/plain")
    if value is None or not (media_type in _HTML or media_type.startswith("text/")):
        return None
    known = [base for base in bases if base]
    # xml:base may be relative itself, to the document: the last base.
    own = values.link(detail.get("base"), known[-1]) if known else None
    return Text(
        value=value[: values.MAX_TEXT],
        kind=TextKind.HTML if media_type in _HTML else TextKind.TEXT,
        base=own or (known[0] if known else None),
    )


def named(
    said: Mapping[str, Any], name: str, *bases: str | None, kind: TextKind = TextKind.TEXT
) -> Text | None:
    """The text that a feed or an entry has under a name; of that kind where it is not said."""
    value, detail = said.get(name), said.get(f"{name}_detail")
    # The detail may be that of a deeper element, such as the media:title of a picture.
    if not isinstance(detail, dict) or detail.get("value") != value:
        media_type = "text/html" if kind is TextKind.HTML else "text/plain"
        detail = {"value": value, "type": media_type}
    return text(detail, *bases)


def summary_and_content(
    entry: Mapping[str, Any], *bases: str | None, is_atom: bool
) -> tuple[Text | None, Text | None]:
    """What an entry has of either; a text that stands alone stays what it was called."""
    contents = [each for said in values.dicts(entry.get("content")) if (each := text(said, *bases))]
    # Several: content:encoded and xhtml:body, or what is named below.
    content = max(contents, key=_richness, default=None)
    summary = named(entry, "summary", *bases, kind=TextKind.HTML)
    if summary and "summary_detail" not in entry and content and summary.value == content.value:
        # feedparser's copy of the content.
        return None, content
    # In RSS, feedparser calls content what came after the description: itunes:summary, which has
    # the same as plain text, or media:description, which is about a picture.
    if not is_atom and content and summary and _richness(summary)[0] > _richness(content)[0]:
        return summary, None
    return summary, content


def _richness(candidate: Text) -> tuple[bool, int]:
    return candidate.kind is TextKind.HTML, len(candidate.value)
