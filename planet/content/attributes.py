"""Attributes as a feed has them → the start tag that the policy makes of an element."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from html import escape

from planet import address
from planet.content import policy
from planet.content.policy import Value
from planet.plain import one_line

Attributes = Mapping[str, str | None]
"""Names in lower case, values with their character references decoded."""

# RFC 6068, without what would have to be escaped.
_MAIL = re.compile(r"mailto:[!#-;=?-~]+", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d{1,4}")
_WORD = re.compile(r"[\w:+./ -]{1,64}", re.ASCII)


def start_tag(name: str, attributes: Attributes, base: str | None) -> str | None:
    """The start tag of an element with the attributes it may have; None when it may not be."""
    allowed = policy.ELEMENTS.get(name)
    if allowed is None:
        return None
    needed, written = policy.NEEDED.get(name), ""
    if attributes:
        values = {
            attribute: value
            for attribute, kind in (*allowed.items(), *policy.EVERYWHERE.items())
            if (said := attributes.get(attribute)) is not None
            and (value := checked(kind, said, base)) is not None
        }
        needed = None if needed in values else needed
        written = "".join(map(_written, values, values.values()))
    return None if needed else f"<{name}{written}{policy.ADDED.get(name, '')}>"


def checked(kind: Value, said: str, base: str | None) -> str | None:
    """The value an attribute of that kind gets; None when it cannot have what was said."""
    match kind:
        case Value.LINK if _MAIL.fullmatch(mail := said.strip()):
            return mail
        case Value.LINK | Value.FILE:
            return address.web(said, base)
        case Value.IMAGE:
            return _raster(said) or address.web(said, base)
        case Value.TEXT:
            return one_line(said)
        case Value.NUMBER:
            return said if _NUMBER.fullmatch(said := said.strip()) else None
        case Value.WORD:
            return said if _WORD.fullmatch(said := said.strip()) else None
    # A flag is there or not, whatever its value.
    return ""


def is_clean(html: str) -> bool:
    """Whether a text has only such tags as `start_tag` writes: what is kept may have been changed.

    In one pass over the text, much faster than to clean it again.
    """
    return _clean().fullmatch(html) is not None


@cache
def _clean() -> re.Pattern[str]:
    values = {
        Value.LINK: "(?:https?://|mailto:)",
        Value.FILE: "https?://",
        Value.IMAGE: "(?:https?://|data:image/(?:png|gif|jpeg|webp|avif);base64,)",
    }
    names: dict[tuple[str, str], list[str]] = {}
    for name, own in policy.ELEMENTS.items():
        said = "|".join(
            f'{attribute}="{values.get(kind, "")}'
            for attribute, kind in (*own.items(), *policy.EVERYWHERE.items())
        )
        names.setdefault((said, policy.ADDED.get(name, "")), []).append(name)
    tags = [f"/(?:{'|'.join(policy.ELEMENTS)})"]
    for (said, added), alike in names.items():
        tags.append(rf"(?:{'|'.join(alike)})(?: (?:{said})[^\"<>]*\")*+{re.escape(added)}")
    return re.compile(f"(?:[^<]++|<(?:{'|'.join(tags)})>)*+")


def _raster(said: str) -> str | None:
    small = len(said) <= policy.MAX_DATA_IMAGE
    return said if small and policy.DATA_IMAGE.fullmatch(said) else None


def _written(attribute: str, value: str) -> str:
    return f' {attribute}="{escape(value)}"'
