"""What may be published of a source, and where: nothing secret leaves here."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING

from planet import address

if TYPE_CHECKING:
    from planet.model import Source

# RFC 3987 §2.2, as far as a scheme and characters that may never stand in an IRI.
_IRI = re.compile(r"[a-z][a-z0-9+.-]*:[^\x00-\x20\x7f-\xa0<>\"{}|\\^`]+", re.IGNORECASE)


def folder(source: Source) -> str:
    """The folder of a source on the site, ending in a slash."""
    return f"source/{source.slug}/"


def subscribe_url(source: Source, site: str | None) -> str | None:
    """Where to subscribe to it: its own address, else that of its feed on this site."""
    own = address.public(source.url)
    if own is None and site is not None:
        return f"{site}{folder(source)}atom.xml"
    return own


def id_of(source: Source) -> str:
    """Its id as an absolute IRI: its own, else its address, else a UUID made from its key."""
    if source.id and _IRI.fullmatch(source.id) and _may_be_told(source.id):
        return source.id
    return address.public(source.url) or f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, source.key)}"


def _may_be_told(iri: str) -> bool:
    if iri.lower().startswith("file:"):
        return False
    web = address.web(iri)
    return web is None or web == address.public(web)
