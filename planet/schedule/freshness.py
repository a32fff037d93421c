"""What an answer says of how long it is good for (RFC 9111 §4.2)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from planet import headers
from planet.model import DueReason, Lifetime
from planet.schedule.constants import (
    LIFETIME_DEFAULT,
    LIFETIME_PLAUSIBLE,
    RETRY_AFTER_MAX,
    RETRY_AFTER_WELL_MAX,
)

if TYPE_CHECKING:
    from planet.model import Fetched

_FIELDS = frozenset({"cache-control", "expires"})


def lifetime(fetched: Fetched) -> Lifetime | None:
    """How long this answer is good for from the moment it came; None if it does not say.

    max-age goes before Expires, and the time it lay in caches is taken off. Nobody means more than
    `LIFETIME_PLAUSIBLE`.
    """
    said_by = DueReason.MAX_AGE
    length = headers.max_age(fetched.headers)
    if length is None:
        said_by = DueReason.EXPIRES
        length = headers.expires(fetched.headers, received=fetched.ended)
    if length is None:
        return None
    if length > LIFETIME_PLAUSIBLE:
        return Lifetime(length=LIFETIME_DEFAULT, said_by=said_by, implausible=True)
    left = max(timedelta(0), length - headers.age(fetched.headers))
    return Lifetime(length=left, said_by=said_by)


def renewed(before: Lifetime | None, fetched: Fetched) -> Lifetime | None:
    """The lifetime of what is stored, after an answer that was no error.

    A 304 that says nothing of it leaves it as it was, to be counted from now (RFC 9111 §3.2).
    """
    if fetched.status != 200 and not _FIELDS & fetched.headers.keys():
        return before
    return lifetime(fetched)


def retry_after(fetched: Fetched) -> timedelta | None:
    """How long the server asks to be left alone, up to what is plausible; None if it does not."""
    said = headers.retry_after(fetched.headers, received=fetched.ended)
    if said is None:
        return None
    return min(said, RETRY_AFTER_MAX if fetched.error else RETRY_AFTER_WELL_MAX)
