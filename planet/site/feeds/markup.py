"""Writing XML and JSON: well-formed whatever the strings hold.

Names of elements and attributes are this program's own; what a feed sent can only become text or
the value of an attribute, and both are escaped here.
"""

from __future__ import annotations

import html
import json
import re
import uuid
from functools import cache, partial
from typing import TYPE_CHECKING, NewType

from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from planet.model import Source


Xml = NewType("Xml", str)
"""One or more whole elements, or nothing."""

NOTHING = Xml("")

Attributes = dict[str, str | None]
"""An attribute whose value is None is left out."""

# XML 1.0 §2.2 forbids these C0 controls; DEL and the C1 controls below are discouraged there, and
# the W3C feed validator takes them for wrongly decoded windows-1252.
_CONTROLS = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0D})
# U+0080 to U+009F, U+FFFE and U+FFFF in UTF-8: no character's encoding lies inside another's.
# Apart, because what begins with one certain byte is looked for a hundred times faster.
_UNWANTED = re.compile(rb"\xc2[\x80-\x9f]"), re.compile(rb"\xef\xbf[\xbe\xbf]")


def text(name: str, value: str | None, attributes: Attributes | None = None) -> Xml:
    """Return an element that holds text; nothing for no text."""
    if not value:
        return NOTHING
    escaped = html.escape(value, quote=False)
    return Xml(f"<{name}{_written(attributes) if attributes else ''}>{escaped}</{name}>\n")


def empty(name: str, attributes: Attributes) -> Xml:
    """Return an element that has attributes only."""
    return Xml(f"<{name}{_written(attributes)}/>\n")


def nest(name: str, children: Iterable[Xml], attributes: Attributes | None = None) -> Xml:
    """Return an element that holds elements."""
    opening = f"<{name}{_written(attributes) if attributes else ''}>"
    return Xml(f"{opening}\n{''.join(children)}</{name}>\n")


def document(root: Xml) -> bytes:
    """Return a whole document in UTF-8, without the characters that XML 1.0 §2.2 does not allow."""
    # "ignore" drops lone surrogates, the only code points UTF-8 cannot hold.
    whole = f'<?xml version="1.0" encoding="utf-8"?>\n{root}'.encode("utf-8", "ignore")
    whole = whole.translate(None, _CONTROLS)
    for unwanted in _UNWANTED:
        whole = unwanted.sub(b"", whole)
    return whole


def write_json(value: object, *, indent: int | None = None) -> bytes:
    """Return a value as JSON."""
    # "ignore" drops lone surrogates, the only code points UTF-8 cannot hold.
    return (_encoder(indent=indent).encode(value) + "\n").encode("utf-8", "ignore")


_encoder = cache(partial(json.JSONEncoder, ensure_ascii=False))


def _written(attributes: Mapping[str, str | None]) -> str:
    return "".join(
        [
            f' {name}="{html.escape(value)}"'
            for name, value in attributes.items()
            if value is not None
        ]
    )


def own_feed(source: Source) -> str | None:
    """Return the address of its own feed, where readers can subscribe to that themselves."""
    return address.without_secrets(source.url) if source.own_format else None


def subscribe_url(source: Source, site: str | None) -> str | None:
    """Return where to subscribe to it: its own feed, else its feed on this site.

    There may be neither. A site without an address has no address of a feed.
    """
    own = own_feed(source)
    if own is None and source.has_feeds and site is not None:
        return f"{site}{source.folder}atom.xml"
    return own


def id_of(source: Source) -> str:
    """Return its id as an absolute IRI: its own, else its address, else a UUID of its key."""
    if source.id and address.is_valid_iri(source.id) and _may_be_told(source.id):
        return source.id
    return (
        address.without_secrets(source.url)
        or f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, source.key)}"
    )


def _may_be_told(iri: str) -> bool:
    if iri.lower().startswith("file:"):
        return False
    web = address.make_absolute(iri)
    return web is None or web == address.without_secrets(web)


def rfc3339(moment: datetime) -> str:
    """Write a UTC moment for Atom (RFC 4287 §3.3) and JSON Feed."""
    return moment.isoformat(timespec="seconds")[:19] + "Z"


def rfc822(moment: datetime) -> str:
    """Write a UTC moment for RSS 2.0: RFC 822 with four digits for the year, in GMT."""
    # Imported late: it brings `socket` along, and most runs write no podcast.
    from email.utils import format_datetime

    return format_datetime(moment, usegmt=True)
