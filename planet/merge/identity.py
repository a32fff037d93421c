"""The id of an entry in the feeds that come out."""

from __future__ import annotations

import re
import uuid

from planet import iri
from planet.model import MADE_ID

_UUID = re.compile(r"(?:urn:uuid:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_SPACE = uuid.UUID("8a5c3f0e-6f4d-5d6c-9a5e-0d2f4b7c1e93")


def is_unique(said: str) -> bool:
    """Whether an id is unique in the world: a UUID, or an absolute IRI (RFC 4287 §4.2.6).

    One that the parser made is unique in its feed only.
    """
    if said.startswith(MADE_ID):
        return False
    return _UUID.fullmatch(said) is not None or iri.is_absolute(said)


def published_id(feed: str, said: str) -> str:
    """The id to publish: the original where it is unique in the world, else one made from it.

    The same in every format, for ever; the one that is made depends on the feed's key and its id.
    """
    if not is_unique(said):
        return own_id(feed, said)
    if _UUID.fullmatch(said):
        return f"urn:uuid:{said.lower().removeprefix('urn:uuid:')}"
    return said


def own_id(feed: str, said: str) -> str:
    """An id made from an entry's own and the key of its feed, which nobody else can claim."""
    return uuid.uuid5(_SPACE, f"{feed}\n{said}").urn
