"""Header fields of an answer → moments and spans of time (RFC 9110, RFC 9111).

A mapping of headers has names in lower case; `received_at` is the time of the answer. A field
with a mistake counts as absent, unless a rule says otherwise.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


_MAX_SECONDS = 2**31
"""RFC 9111 §1.2.2: a number too large to hold counts as this."""
# RFC 9111 §5.2: a token, perhaps with a value that may be quoted.
_DIRECTIVE = re.compile(r'([!#$%&\'*+.^_`|~\w-]+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|[^,]*))?', re.ASCII)
_REVALIDATE = frozenset({"no-cache", "no-store"})


def media_type(written: str | None) -> str:
    """Return a media type in lower case without parameters (RFC 9110 §8.3.1)."""
    return (written or "").partition(";")[0].strip().lower()


def parse_http_date(written: str) -> datetime | None:
    """Parse an HTTP-date in any of three forms (RFC 9110 §5.6.7); None for anything else."""
    try:
        moment = parsedate_to_datetime(written.strip())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    # The form of asctime has no zone, and a zone of -0000 is taken for none: both mean UTC.
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        return None


def date(headers: Mapping[str, str], *, received_at: datetime) -> datetime:
    """Return the time of the answer by the server's clock, else `received_at`."""
    return parse_http_date(headers.get("date", "")) or received_at


def retry_after(headers: Mapping[str, str], *, received_at: datetime) -> timedelta | None:
    """Return how long to wait before the next request (RFC 9110 §10.2.3), None if nothing says so.

    A date counts from the answer's own `Date`, so that different clocks do no harm. Nonsense and a
    date in the past are None.
    """
    value = headers.get("retry-after", "").strip()
    wait = _seconds(value)
    if wait is None and (until := parse_http_date(value)):
        wait = until - date(headers, received_at=received_at)
    return wait if wait and wait > timedelta(0) else None


def max_age(headers: Mapping[str, str]) -> timedelta | None:
    """Return how long Cache-Control lets the answer be used, from the time of the answer.

    None without `max-age`; zero for `no-cache`, `no-store`, and a `max-age` without a number (RFC
    9111 §4.2.1). The first of two counts; `s-maxage` is for shared caches.
    """
    directives: dict[str, str] = {}
    for name, value in _DIRECTIVE.findall(headers.get("cache-control", "")):
        directives.setdefault(name.lower(), value.strip().strip('"').strip())
    if _REVALIDATE & directives.keys():
        return timedelta(0)
    value = directives.get("max-age")
    if value is None:
        return None
    return _seconds(value) or timedelta(0)


def expires(headers: Mapping[str, str], *, received_at: datetime) -> timedelta | None:
    """Return how long Expires lets the answer be used; None without one.

    Anything but a date has expired already (RFC 9111 §5.3).
    """
    if "expires" not in headers:
        return None
    until = parse_http_date(headers["expires"])
    if until is None:
        return timedelta(0)
    return max(timedelta(0), until - date(headers, received_at=received_at))


def age(headers: Mapping[str, str]) -> timedelta:
    """Return how long the answer lay in caches on the way (RFC 9111 §5.1); zero for nonsense."""
    return _seconds(headers.get("age", "").strip()) or timedelta(0)


def _seconds(value: str) -> timedelta | None:
    if not (value.isascii() and value.isdecimal()):
        return None
    # The length first: Python refuses to convert numbers of thousands of digits.
    return timedelta(seconds=_MAX_SECONDS if len(value) > 10 else min(int(value), _MAX_SECONDS))
