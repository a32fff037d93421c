"""The file as it is written, where it means something else than it says: feeds, editions, themes.

Settings that mean what they say are nouns of the rooms that use them. The descriptions are the
reference (`docs/config.md`) and an editor's hints (`config.schema.json`), which are made from them
and tested to be up to date; None is a setting that was not given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence  # noqa: TC003 - types of settings are looked up
from datetime import time
from typing import Annotated, ClassVar, TypeVar

import msgspec
from msgspec.structs import fields, replace

from planet.config import resolved
from planet.model import (
    Every,
    IncludeKind,
    Picks,
)
from planet.model.secrets import Secret  # noqa: TC001 - types of settings are looked up

T = TypeVar("T", bound=msgspec.Struct)


class Auth(msgspec.Struct, frozen=True, kw_only=True):
    """HTTP Basic authentication (RFC 7617)."""

    user: Annotated[str, "user name"]
    """The user name."""
    password: Annotated[Secret[str], "secret"]
    """The password, best taken from the environment."""


class FeedSettings(resolved.TagSettings, frozen=True, kw_only=True):
    """A feed, and its own settings.

    Without `content`, `new_feed_entries` or `fetch`, those of the planet hold.
    """

    short: ClassVar = "url"
    url: Annotated[str, "feed address"]
    """The web address, the path of a file, or an account, as `acct:user@host` or `at://handle`."""
    name: str | None = None
    """The name; else the title that the feed has."""
    id: str | None = None
    """What identifies the feed in the state and names its folder; else its address. Set it to keep
    entries and page when address or name change."""
    tags: tuple[str, ...] = ()
    """The groups, which are also its categories in `opml.xml`."""
    link: Annotated[str | None, "web address"] = None
    """The home page; else the one that the feed names."""
    author: str | None = None
    """The author of entries that name none."""
    image: Annotated[str | None, "path or web address"] = None
    """The picture (PNG, JPEG, GIF, WebP or ICO, up to 100 kB; docs/themes.md)."""
    links: Annotated[Mapping[str, str] | None, "profiles"] = None
    """Pages elsewhere of whoever writes it (docs/sources.md)."""
    extra: Mapping[str, str] = {}
    """Names and texts for your own templates, as `source.extra`."""
    enabled: Annotated[bool | str, "flag or archived"] = True
    """With `false`, it is neither asked nor shown; with `archived`, shown and not asked any
    more."""
    priority: int = 0
    """Feeds with a higher number are asked first when `fetch.budget` is short."""
    picks: Picks = Picks.ALSO
    """With `only`, the site shows only its episodes that are picked (docs/castsampler.md)."""
    include: tuple[IncludeKind, ...] = ()
    """Posts of an account of the social web to show besides its own."""
    headers: Annotated[Mapping[str, Secret[str]], "headers"] = {}
    """Request headers, such as `Authorization: Bearer ${NAME}`."""
    auth: Auth | None = None


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """When an edition publishes all entries that were found since the last time."""

    every: Every = Every.DAY
    """Every `day`, or once a week."""
    at: Annotated[time, "time of day"] = time()
    """The time of day in the edition's zone."""


class EditionSettings(resolved.SiteBasics, frozen=True, kw_only=True):
    """One of several sites. Without a setting, that of the planet holds."""

    folder: Annotated[str | None, "path"] = None
    """A folder in the output folder, which itself is `.`; else the name."""
    release: Release | None = None
    """The times at which new entries are published; else each run does."""


class PlanetSettings(resolved.Basics, frozen=True, kw_only=True):
    """A planet: its site, and the feeds it reads."""

    output: Annotated[str, "path"] = "public"
    """The folder the site is written to."""
    state: Annotated[str, "path"] = "state"
    """The folder in which Planet keeps its state between runs."""
    editions: Mapping[Annotated[str, "edition name"], EditionSettings] = {}
    """Several sites in place of the planet's own (docs/filters.md)."""
    feeds: Sequence[FeedSettings | None] = ()
    """The feeds: addresses, or mappings."""
    subscriptions: Sequence[Annotated[str | None, "feed address"]] = ()
    """OPML files and web addresses of OPML lists, whose feeds are read as well."""


POLICY = ("min_interval", "max_interval", "agreed")
"""Settings of `fetch` that a feed has as well."""


def lay_over(upper: T, lower: resolved.TagSettings | T) -> T:
    """Return a section whose settings that were not given are those of a lower one."""
    own = {}
    for field in fields(lower):
        mine, other = getattr(upper, field.name), getattr(lower, field.name)
        if isinstance(mine, msgspec.Struct) and mine != other:
            own[field.name] = lay_over(mine, other)
        elif mine == field.default:
            own[field.name] = other
    return replace(upper, **own)
