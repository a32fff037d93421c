"""The settings as written: their types and their words. The only package that sees pydantic.

What comes out are frozen dataclasses, in which None is a setting that was not given. The
descriptions are the reference (`docs/config.md`) and an editor's hints (`config.schema.json`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from planet.config.settings import kinds
from planet.config.settings.edition import Edition, Release
from planet.config.settings.feed import Auth, Feed, FeedFetch, Filters, InField
from planet.config.settings.planet import Fetch, Planet, Signature
from planet.config.settings.podcast import Digest, Podcast
from planet.config.settings.theme import Theme
from planet.config.values import spoken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.config.document import Trail

__all__ = [
    "Auth",
    "Checked",
    "Digest",
    "Edition",
    "Feed",
    "FeedFetch",
    "Fetch",
    "Filters",
    "InField",
    "Mistake",
    "Planet",
    "Podcast",
    "Release",
    "Signature",
    "Theme",
    "check",
    "json_schema",
]

T = TypeVar("T")
_PLANET = TypeAdapter(Planet)
_FEED = TypeAdapter(Feed)
_ADDRESS: TypeAdapter[str] = TypeAdapter(kinds.FeedAddress)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A value that does not fit its setting."""

    location: Trail
    """Where it is; some steps may not be in the file, such as a setting that is missing."""
    kind: str
    """pydantic's name for the mistake: https://docs.pydantic.dev/latest/errors/."""
    context: Mapping[str, Any]
    """What belongs to the kind, such as the least value (`ge`) or a reason (`error`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Settings of the right types. What is wrong in the file has its default here."""

    planet: Planet
    """Without the items of its lists."""
    feeds: Mapping[int, Feed]
    """By their index in the file; a feed without a usable address is not among them."""
    subscriptions: Mapping[int, str]
    mistakes: tuple[Mistake, ...]


def check(written: Mapping[str, Any]) -> Checked:
    """The settings in a file, and all that do not fit."""
    mistakes: list[Mistake] = []
    planet_only = dict(written)
    items = {
        name: planet_only.pop(name)
        for name in ("feeds", "subscriptions")
        if isinstance(written.get(name), list)
    }
    planet = _checked(_PLANET, planet_only, (), mistakes, stand_in={"title": "?"})
    assert planet is not None, "nothing but a title is needed"
    feeds = {}
    for index, item in enumerate(items.get("feeds", ())):
        location = ("feeds", index)
        if not isinstance(item, str | dict):
            mistakes.append(Mistake(location=location, kind="feed_type", context={}))
            continue
        mapping = {"url": item} if isinstance(item, str) else item
        if feed := _checked(_FEED, mapping, location, mistakes):
            feeds[index] = feed
    lists = {}
    for index, item in enumerate(items.get("subscriptions", ())):
        if address := _checked(_ADDRESS, item, ("subscriptions", index), mistakes):
            lists[index] = address
    return Checked(planet=planet, feeds=feeds, subscriptions=lists, mistakes=tuple(mistakes))


def json_schema() -> dict[str, Any]:
    """What pydantic says of the file, in JSON Schema 2020-12."""
    return _PLANET.json_schema(schema_generator=_SchemaGenerator)


class _SchemaGenerator(GenerateJsonSchema):
    """Writes default values as the file would."""

    def encode_default(self, dft: Any) -> Any:
        """The default as it is put into the schema."""
        if isinstance(dft, timedelta):
            return spoken(dft)
        if isinstance(dft, time):
            return f"{dft:%H:%M}"
        return str(dft) if isinstance(dft, ZoneInfo) else super().encode_default(dft)


def _checked(
    adapter: TypeAdapter[T],
    value: Any,
    location: Trail,
    mistakes: list[Mistake],
    *,
    stand_in: Mapping[str, str] = MappingProxyType({}),
) -> T | None:
    """The settings without those that do not fit; these are added to `mistakes`."""
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
    mistakes += [
        Mistake(location=(*location, *each["loc"]), kind=each["type"], context=each.get("ctx", {}))
        for each in found
    ]
    # The rest may still be at odds with itself or with another feed, and that is to be told, too.
    # A section that lacks something cannot stay without it, and is left out as a whole.
    is_section = isinstance(value, dict) and all(each["loc"] for each in found)
    for depth in (None, 1) if is_section else ():
        rest = value
        for each in found:
            rest = _without(rest, each["loc"][:depth])
        try:
            return adapter.validate_python({**stand_in, **rest})
        except ValidationError:
            continue
    return None


def _without(section: Mapping[str, Any], location: Sequence[str | int]) -> dict[str, Any]:
    """A copy of the section without the setting that is at `location`, or has it as a part."""
    name, *deeper = location
    rest = {key: each for key, each in section.items() if key != name}
    inner = section.get(str(name))
    if isinstance(inner, dict) and deeper and deeper[0] in inner:
        rest[str(name)] = _without(inner, deeper)
    return rest
