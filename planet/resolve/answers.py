"""What servers answer on the way to an account's posts: JSON, and addresses in it; untrusted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from planet import address
from planet.errors import FetchError
from planet.plain import one_line, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MAX_NAME = 200
_DEEPEST = 3


def loaded(body: bytes) -> Mapping[str, Any]:
    """The JSON object that came.

    Raises:
        FetchError: something else did.
    """
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise astray("the answer is not what was asked for")
    return said


def astray(words: str) -> FetchError:
    """The error for an answer that leads nowhere."""
    return FetchError("bad_lead", words)


def next_address(value: object, url: str) -> str:
    """An address that the answer from `url` names as the next.

    Raises:
        FetchError: it is none, or gives up the TLS that `url` has.
    """
    found = link(value, url)
    if found is None:
        raise astray("the answer names no address to ask next")
    if url.startswith("https:") and not found.startswith("https:"):
        raise astray("the answer leads from https to http")
    return found


def link(value: object, base: str) -> str | None:
    """The first web address in what ActivityStreams has for one: text, a Link, a list of both."""
    return next((found for each in _hrefs(value) if (found := address.web(each, base))), None)


def known_as(value: object) -> str | None:
    """A name on one line."""
    if not isinstance(value, str):
        return None
    return shortened(one_line(value), _MAX_NAME) or None


def _hrefs(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        # A Link has href, an Image url, anything else id.
        for name in ("href", "url", "id"):
            if name in value and depth < _DEEPEST:
                yield from _hrefs(value[name], depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        for each in value:
            yield from _hrefs(each, depth + 1)
