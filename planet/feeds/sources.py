"""What may be published of a source, and where: nothing secret leaves here."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit, urlunsplit

from planet import address

if TYPE_CHECKING:
    from planet.model import Source

# Names of query parameters that let in whoever has the address: `token`, `api_key`, `rss-auth`, …
_SECRET = re.compile(
    r"(?:^|[^a-z])(?:access|auth|jwt|(?:api)?key|pass|passw(?:or)?d|pwd|secret|session|sid|sig"
    r"|signature|token)(?:$|[^a-z])",
    re.IGNORECASE,
)
# RFC 3987 §2.2, as far as a scheme and characters that may never stand in an IRI.
_IRI = re.compile(r"[a-z][a-z0-9+.-]*:[^\x00-\x20\x7f-\xa0<>\"{}|\\^`]+", re.IGNORECASE)


def folder(source: Source) -> str:
    """The folder of a source on the site, ending in a slash."""
    return f"source/{source.slug}/"


def feed_url(source: Source) -> str | None:
    """The address at which anyone may subscribe to the source itself.

    User and password are left out. None for a feed that is a file, and for an address which a
    query parameter makes private.
    """
    web = address.web(source.url)
    if web is None:
        return None
    parts = urlsplit(web)
    if _is_private(parts):
        return None
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def subscribe_url(source: Source, site: str | None) -> str | None:
    """Where to subscribe to it: its own address, else that of its feed on this site."""
    own = feed_url(source)
    if own is None and site is not None:
        return f"{site}{folder(source)}atom.xml"
    return own


def id_of(source: Source) -> str:
    """Its id as an absolute IRI: its own, else its address, else a UUID made from its key."""
    if source.id and _IRI.fullmatch(source.id) and _may_be_told(source.id):
        return source.id
    return feed_url(source) or f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, source.key)}"


def _may_be_told(iri: str) -> bool:
    if iri.lower().startswith("file:"):
        return False
    web = address.web(iri)
    if web is None:
        return True
    parts = urlsplit(web)
    return "@" not in parts.netloc and not _is_private(parts)


def _is_private(parts: SplitResult) -> bool:
    names = (parameter.partition("=")[0] for parameter in re.split("[&;]", parts.query))
    return any(_SECRET.search(name) for name in names)
