"""Writing XML: well-formed whatever the strings hold.

Names of elements and attributes are this program's own; what a feed sent can only become text or
the value of an attribute, and both are escaped here.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, NewType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Xml = NewType("Xml", str)
"""One or more whole elements, or nothing."""

NOTHING = Xml("")

Attributes = dict[str, str | None]
"""An attribute whose value is None is left out."""

# XML 1.0 §2.2 forbids these C0 controls; DEL and the C1 controls below are discouraged there, and
# the W3C feed validator takes them for wrongly decoded windows-1252.
_CONTROLS = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0D})
# U+0080 to U+009F, U+FFFE and U+FFFF in UTF-8: no character's encoding lies inside another's.
_UNWANTED = re.compile(rb"\xc2[\x80-\x9f]|\xef\xbf[\xbe\xbf]")


def text(name: str, value: str | None, attributes: Attributes | None = None) -> Xml:
    """An element that holds text; nothing when there is none to hold."""
    if not value:
        return NOTHING
    escaped = html.escape(value, quote=False)
    return Xml(f"<{name}{_written(attributes) if attributes else ''}>{escaped}</{name}>\n")


def empty(name: str, attributes: Attributes) -> Xml:
    """An element that holds nothing but attributes."""
    return Xml(f"<{name}{_written(attributes)}/>\n")


def nest(name: str, children: Iterable[Xml], attributes: Attributes | None = None) -> Xml:
    """An element that holds elements."""
    opening = f"<{name}{_written(attributes) if attributes else ''}>"
    return Xml(f"{opening}\n{''.join(children)}</{name}>\n")


def document(root: Xml) -> bytes:
    """A whole document in UTF-8, without the characters that XML 1.0 §2.2 does not allow."""
    # "ignore" drops lone surrogates, the only code points UTF-8 cannot hold.
    whole = f'<?xml version="1.0" encoding="utf-8"?>\n{root}'.encode("utf-8", "ignore")
    return _UNWANTED.sub(b"", whole.translate(None, _CONTROLS))


def _written(attributes: Mapping[str, str | None]) -> str:
    return "".join(
        [
            f' {name}="{html.escape(value)}"'
            for name, value in attributes.items()
            if value is not None
        ]
    )
