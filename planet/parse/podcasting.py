"""What the podcast namespace says of an episode, or of its show → fields of `Episode`.

XML and JSON say it in one shape here: names of fields, and values as they are written. Whatever
leaves is bounded, and every address is one of the web. https://podcastindex.org/namespace/1.0
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from planet.model import (
    Alternative,
    AlternativeSource,
    Discussion,
    Funding,
    License,
    Payment,
    PaymentShare,
)
from planet.parse import coerce

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from xml.etree.ElementTree import Element

    from planet.parse.coerce import Object

T = TypeVar("T")

MEDIUMS = frozenset({"music", "video", "film", "audiobook", "newsletter", "blog", "course"})
"""What a show can be instead of a podcast; lists of things elsewhere have no episodes."""

_ELEMENTS = {
    # By how `elementtree` names them: in lower case.
    "podcast_medium": "medium",
    "podcast_funding": "funding",
    "podcast_license": "license",
    "podcast_value": "payments",
    "podcast_alternateenclosure": "alternatives",
    "podcast_socialinteract": "discussions",
}
_TITLED = {"podcast_funding": "title", "podcast_license": "name"}
_PARTED = {
    "podcast_value": ("shares", "podcast_valuerecipient"),
    "podcast_alternateenclosure": ("sources", "podcast_source"),
}
_ATTRIBUTES = {
    "uri": "url",
    "lang": "language",
    "contentType": "type",
    "customKey": "custom_key",
    "customValue": "custom_value",
    "accountId": "account",
    "accountUrl": "account_url",
}
_MOST = 10
"""Ways to pay, licences, and other files that are read of an episode."""
_MOST_SHARES = 50
_OF_SHOW = ("medium", "funding", "license", "payments")
_WORD = re.compile(r"[\w.+-]{1,60}", re.ASCII)
_TOKEN = re.compile(r"[!-~]{1,200}")
_AMOUNT = re.compile(r"\d{1,20}(\.\d{1,20})?", re.ASCII)


def collect_podcasting(node: Element, names: Mapping[str, str]) -> dict[str, Any]:
    """Return what elements of the namespace say in a channel or an item, by names of fields.

    `names` gives the name of an element by its tag, in lower case and with its prefix.
    """
    said: dict[str, Any] = {}
    for element in node:
        field = _ELEMENTS.get(names[element.tag])
        if field == "medium":
            said[field] = (element.text or "").strip()
        elif field == "license":
            said[field] = _fields(element, names)
        elif field:
            said.setdefault(field, []).append(_fields(element, names))
    return said


def _fields(element: Element, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the attributes, words and parts of an element, by names of fields."""
    fields: dict[str, Any] = {
        _ATTRIBUTES.get(attribute, attribute): value for attribute, value in element.items()
    }
    name = names[element.tag]
    if name in _TITLED:
        fields[_TITLED[name]] = (element.text or "").strip()
    if name in _PARTED:
        field, part = _PARTED[name]
        fields[field] = [_fields(child, names) for child in element if names[child.tag] == part]
    return fields


def read_podcasting(
    own: Object, base: str | None, *, show: Object = MappingProxyType({})
) -> dict[str, Any]:
    """Return fields of `Episode`; what an episode does not say itself, `show` says for it."""
    said = {name: show[name] for name in _OF_SHOW if name in show} | dict(own)
    medium = coerce.line(said.get("medium"))
    return {
        "medium": medium if medium in MEDIUMS else None,
        "funding": _each(said.get("funding"), lambda node: _funding(node, base)),
        "license": _license(coerce.part(said, "license"), base),
        "payments": _each(said.get("payments"), _payment),
        "alternatives": _each(said.get("alternatives"), lambda node: _alternative(node, base)),
        "discussions": _each(said.get("discussions"), lambda node: _discussion(node, base)),
    }


def _each(nodes: object, make: Callable[[Object], T | None], most: int = _MOST) -> tuple[T, ...]:
    made = (make(node) for node in coerce.dicts(nodes)[:most])
    return tuple(noun for noun in made if noun is not None)


def _funding(node: Object, base: str | None) -> Funding | None:
    url = coerce.link(node.get("url"), base)
    return Funding(url=url, title=coerce.line(node.get("title"))) if url else None


def _license(node: Object, base: str | None) -> License | None:
    name, url = coerce.line(node.get("name")), coerce.link(node.get("url"), base)
    return License(name=name, url=url) if name else None


def _payment(node: Object) -> Payment | None:
    kind, method = _match(_WORD, node.get("type")), _match(_WORD, node.get("method"))
    written = coerce.dicts(node.get("shares"))
    shares = _each(written, _share, _MOST_SHARES)
    # Without one of them, the others would get what is not theirs.
    if not (kind and method and shares) or len(shares) != len(written):
        return None
    suggested = _match(_AMOUNT, node.get("suggested"))
    return Payment(type=kind, method=method, suggested=suggested, shares=shares)


def _share(node: Object) -> PaymentShare | None:
    kind, address = _match(_WORD, node.get("type")), _match(_TOKEN, node.get("address"))
    split = coerce.number(node.get("split"))
    if not kind or not address or split is None:
        return None
    return PaymentShare(
        name=coerce.line(node.get("name")),
        type=kind,
        address=address,
        split=split,
        fee=_is_true(node.get("fee")),
        custom_key=_match(_TOKEN, node.get("custom_key")),
        custom_value=_match(_TOKEN, node.get("custom_value")),
    )


def _alternative(node: Object, base: str | None) -> Alternative | None:
    media_type = coerce.media_type(node.get("type"))
    sources = _each(node.get("sources"), lambda source: _source(source, base))
    if not media_type or not sources:
        return None
    return Alternative(
        type=media_type,
        sources=sources,
        length=coerce.positive(node.get("length")),
        bitrate=_match(_AMOUNT, node.get("bitrate")),
        height=coerce.positive(node.get("height")),
        language=coerce.language(node.get("language")),
        title=coerce.line(node.get("title")),
        rel=coerce.line(node.get("rel")),
        codecs=coerce.line(node.get("codecs")),
        default=_is_true(node.get("default")),
    )


def _source(node: Object, base: str | None) -> AlternativeSource | None:
    url = coerce.file(node.get("url"), base)
    return AlternativeSource(url=url, type=coerce.media_type(node.get("type"))) if url else None


def _discussion(node: Object, base: str | None) -> Discussion | None:
    protocol, url = _match(_WORD, node.get("protocol")), coerce.link(node.get("url"), base)
    # Who wants none says so in place of an address.
    if not protocol or (url is None and protocol != "disabled"):
        return None
    return Discussion(
        protocol=protocol,
        url=url,
        account=coerce.line(node.get("account")),
        account_url=coerce.link(node.get("account_url"), base),
        priority=coerce.positive(node.get("priority")),
    )


def _match(pattern: re.Pattern[str], value: object) -> str | None:
    """Return a value that matches as it is written; a number of JSON, too."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = f"{value}"
    return value if isinstance(value, str) and pattern.fullmatch(value) else None


def _is_true(value: object) -> bool:
    return value is True or value in ("true", "yes")
