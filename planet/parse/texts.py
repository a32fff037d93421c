"""Text constructs as feedparser has them (a value, its type, its xml:base) → Text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from planet.model import Text, TextKind
from planet.parse import values

if TYPE_CHECKING:
    from collections.abc import Mapping

_XHTML = "application/xhtml+xml"
# What only looks like a tag: `<stdio.h>`, `<bob@mail.example>`, `<https://blog.example/>`.
_NO_TAG = re.compile(r"<(?=[a-zA-Z][\w+/-]*(?:[.@]|://))")


def text(detail: object, *bases: str | None) -> Text | None:
    """A text construct as a Text; None when it is empty, or is no text (RFC 4287 §4.1.3.1).

    Where the type is no media type ("markdown", "escaped"), a text is HTML when it looks like it.
    Its links are relative to its xml:base; where it has none, to the first of `bases` there is.
    """
    if not isinstance(detail, dict):
        return None
    value = values.string(detail.get("value"))
    media_type = str(detail.get("type") or "")
    if value is None or ("/" in media_type and not media_type.startswith(("text/", _XHTML))):
        return None
    kind = TextKind.TEXT
    if media_type == _XHTML:
        # As feedparser writes `<br/>`; HTML takes the end tag for another one.
        kind, value = TextKind.HTML, value.replace("</br>", "")
    elif media_type == "text/html" or ("/" not in media_type and values.is_markup(value)):
        kind, value = TextKind.HTML, _NO_TAG.sub("&lt;", value)
    known = [base for base in bases if base]
    # xml:base may be relative itself, to the document: the last base.
    own = values.link(detail.get("base"), known[-1]) if known else None
    return Text(
        value=value[: values.MAX_TEXT], kind=kind, base=own or (known[0] if known else None)
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
    said = [each.get("value") for each in values.dicts(entry.get("content"))]
    if "summary_detail" not in entry and entry.get("summary") in said:
        # feedparser's copy of the content.
        return None, content
    # In RSS, feedparser calls content what came after the description: itunes:summary, which has
    # the same as plain text, or media:description, which is about a picture.
    if not is_atom and content and summary and _richness(summary)[:2] > _richness(content)[:2]:
        return summary, None
    return values.telling(summary, content)


def _richness(candidate: Text) -> tuple[bool, bool, int]:
    shows = not values.shows_nothing(candidate)
    return shows, candidate.kind is TextKind.HTML, len(candidate.value)
