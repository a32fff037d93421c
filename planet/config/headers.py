"""Request headers an operator may add to a feed, and why not the others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_CONNECTION: Final = "it belongs to the connection, not to the feed (RFC 9110 §7.6.1)"
_CONDITION: Final = "Planet sends what the last answer said"
_WHOLE: Final = "Planet asks for whole feeds"
_REASONS: Final = {
    "accept-encoding": "what is sent must stay what Planet can unpack, and the same each time",
    "a-im": _WHOLE,
    "cache-control": "Planet asks as a cache does",
    "connection": _CONNECTION,
    "content-length": "a request for a feed has no body",
    "cookie": "feeds are asked for without cookies",
    "host": "it follows from the address",
    "if-match": _CONDITION,
    "if-modified-since": _CONDITION,
    "if-none-match": _CONDITION,
    "if-range": _CONDITION,
    "if-unmodified-since": _CONDITION,
    "keep-alive": _CONNECTION,
    "pragma": "Planet asks as a cache does",
    "proxy-authenticate": _CONNECTION,
    "proxy-authorization": _CONNECTION,
    "proxy-connection": _CONNECTION,
    "range": _WHOLE,
    "te": _CONNECTION,
    "trailer": _CONNECTION,
    "transfer-encoding": _CONNECTION,
    "upgrade": _CONNECTION,
    "user-agent": 'publishers must know who asks; "fetch.contact" adds a page about you to it',
}


def name(text: str) -> str:
    """The name of a header that may be sent.

    Raises:
        ValueError: it is not a token (RFC 9110 §5.6.2), or Planet's own business.
    """
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", text):
        raise ValueError("is not the name of a header")
    if reason := _REASONS.get(text.lower()):
        raise ValueError(f"cannot be set: {reason}")
    return text


def value(text: str) -> str:
    """The value of a header, without the blanks around it (RFC 9110 §5.5)."""
    stripped = text.strip()
    # A secret that was read from a file brings its line end along; one inside is an injection.
    if not re.fullmatch(r"[\t\x20-\x7e\xa0-\xff]*", stripped):
        raise ValueError("has a line break or a character in it that no header can carry")
    return stripped


def distinct(headers: Mapping[str, str]) -> Mapping[str, str]:
    """The headers, when no name comes twice in another case."""
    names = [each.lower() for each in headers]
    if twice := [each for each in headers if names.count(each.lower()) > 1]:
        raise ValueError(f"has one header under two names: {', '.join(twice)}")
    return headers
