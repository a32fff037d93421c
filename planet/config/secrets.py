"""What the config takes from the environment to ask for feeds and lists: their secrets."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import TYPE_CHECKING, Final

from planet.config.values import VARIABLE
from planet.veil import Veil

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planet.config.document import Document, Node

_PLACES: Final = ("url", "headers")
"""The settings of a feed that are for its server alone, besides `auth`."""
_SHORTEST: Final = 4
"""What is shorter can be guessed, and stands in the state for other reasons."""
_SHORTEST_USER: Final = 12
"""A user name that is shorter is no key, but a name: texts may have it."""


def veil(document: Document, environ: Mapping[str, str]) -> Veil:
    """Hides what the addresses, headers and credentials of this file take from `environ`."""
    found: dict[str, str] = {}
    for section in ("feeds", "subscriptions"):
        node = document.root.parts.get(section)
        for each in node.parts.values() if node else ():
            found |= _of_feed(each, environ)
    return Veil(secrets=tuple(sorted(found.items())))


def _of_feed(feed: Node, environ: Mapping[str, str]) -> dict[str, str]:
    auth = feed.parts.get("auth")
    said = [feed, *(feed.parts[name] for name in _PLACES if name in feed.parts)]
    named = [(name, _SHORTEST) for node in said for name in _variables(node, deep=node is not feed)]
    if auth:
        named += [(name, _SHORTEST) for name in _variables(auth.parts["password"], deep=False)]
        named += [(name, _SHORTEST_USER) for name in _variables(auth.parts["user"], deep=False)]
    secrets = {
        name: environ[name] for name, shortest in named if len(environ.get(name, "")) >= shortest
    }
    return secrets | _basic(auth)


def _basic(auth: Node | None) -> dict[str, str]:
    """User and password as they go over the wire (RFC 7617 §2)."""
    names = list(_variables(auth, deep=True)) if auth else []
    if auth is None or not names:
        return {}
    pair = f"{auth.parts['user'].value}:{auth.parts['password'].value}"
    return {f"{names[-1]}.basic": b64encode(pair.encode()).decode()}


def _variables(node: Node, *, deep: bool) -> Iterator[str]:
    """The names of the variables in a value, and in those it holds."""
    yield from re.findall(VARIABLE, node.said or "")
    for part in node.parts.values() if deep else ():
        yield from _variables(part, deep=True)
