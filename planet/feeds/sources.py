"""What may be published of a source, and where: nothing secret leaves here."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from planet import address, iri

if TYPE_CHECKING:
    from planet.model import Source


def folder(source: Source) -> str:
    """The folder of a source on the site, ending in a slash."""
    return f"source/{source.slug}/"


def subscribe_url(source: Source, site: str | None) -> str | None:
    """Where to subscribe to it: its own address, else that of its feed on this site.

    The show of a picked episode may have neither.
    """
    own = address.public(source.url)
    if own is None and site is not None and source.slug:
        return f"{site}{folder(source)}atom.xml"
    return own


def id_of(source: Source) -> str:
    """Its id as an absolute IRI: its own, else its address, else a UUID made from its key."""
    if source.id and iri.is_absolute(source.id) and _may_be_told(source.id):
        return source.id
    return address.public(source.url) or f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, source.key)}"


def _may_be_told(iri: str) -> bool:
    if iri.lower().startswith("file:"):
        return False
    web = address.web(iri)
    return web is None or web == address.public(web)
