"""What the podcast namespace says of an episode, or of its show → fields of `Episode`.

XML and JSON say it in one shape here: names of fields, and values as they are written. Whatever
leaves is bounded, and every address is one of the web. https://podcastindex.org/namespace/1.0
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from planet.model import (
    Discussion,
    Funding,
)
from planet.parse import coerce

if TYPE_CHECKING:
    from collections.abc import Callable

    from planet.parse.coerce import Object
    from planet.parse.tree import FeedElement

T = TypeVar("T")

MEDIUMS = frozenset({"music", "video", "film", "audiobook", "newsletter", "blog", "course"})
"""What a show can be instead of a podcast; lists of things elsewhere have no episodes."""

_ELEMENTS = {
    "podcast:medium": "medium",
    "podcast:funding": "funding",
    "podcast:socialinteract": "discussions",
}
_ATTRIBUTES = {
    "uri": "url",
    "accountId": "account",
    "accountUrl": "account_url",
}
_MOST = 10
"""Pages to pay at, and discussions, that are read of an episode."""
_OF_SHOW = ("medium", "funding")
_PROTOCOL = re.compile(r"[\w.+-]{1,60}", re.ASCII)


def collect_podcasting(node: FeedElement) -> dict[str, Any]:
    """Return what elements of the namespace say in a channel or an item, by names of fields."""
    fields: dict[str, Any] = {}
    for child in node.among(_ELEMENTS):
        field = _ELEMENTS[child.name]
        if field == "medium":
            fields[field] = child.text.strip()
        else:
            fields.setdefault(field, []).append(_fields(child))
    return fields


def _fields(node: FeedElement) -> dict[str, Any]:
    """Return the attributes and words of an element, by names of fields."""
    named = {_ATTRIBUTES.get(name, name): value for name, value in node.attributes.items()}
    # Only podcast:funding has words.
    return {**named, "title": node.text.strip()}


def read_podcasting(
    own: Object, base: str | None, *, show: Object = MappingProxyType({})
) -> dict[str, Any]:
    """Return fields of `Episode`; what an episode does not say itself, `show` says for it."""
    said = {name: show[name] for name in _OF_SHOW if name in show} | dict(own)
    medium = coerce.line(said.get("medium"))
    return {
        "medium": medium if medium in MEDIUMS else None,
        "funding": _each(said.get("funding"), lambda node: _funding(node, base)),
        "discussions": _each(said.get("discussions"), lambda node: _discussion(node, base)),
    }


def _each(nodes: object, make: Callable[[Object], T | None]) -> tuple[T, ...]:
    made = (make(node) for node in coerce.dicts(nodes)[:_MOST])
    return tuple(noun for noun in made if noun is not None)


def _funding(node: Object, base: str | None) -> Funding | None:
    url = coerce.link(node.get("url"), base)
    return Funding(url=url, title=coerce.line(node.get("title"))) if url else None


def _discussion(node: Object, base: str | None) -> Discussion | None:
    protocol, url = coerce.line(node.get("protocol")), coerce.link(node.get("url"), base)
    # Who wants none says so in place of an address.
    if (
        not protocol
        or not _PROTOCOL.fullmatch(protocol)
        or (url is None and protocol != "disabled")
    ):
        return None
    return Discussion(
        protocol=protocol,
        url=url,
        account=coerce.line(node.get("account")),
        account_url=coerce.link(node.get("account_url"), base),
        priority=coerce.positive(node.get("priority")),
    )
