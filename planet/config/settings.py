"""The file as it is written, where it means something else than it says: feeds, editions, themes.

Settings that mean what they say are nouns of the rooms that use them. The descriptions are the
reference (`docs/config.md`) and an editor's hints (`config.schema.json`), which are made from them
and tested to be up to date; None is a setting that was not given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence  # noqa: TC003 - types of settings are looked up
from datetime import time, timedelta
from typing import Annotated, ClassVar, TypeVar

import msgspec
from msgspec.structs import fields, replace

from planet.config import resolved
from planet.model import (
    ContentMode,
    Every,
    Filters,
    Future,
    Images,
    IncludeKind,
    OptionValue,
    Picks,
)
from planet.model.secrets import Secret  # noqa: TC001 - types of settings are looked up

T = TypeVar("T", bound=msgspec.Struct)


class ThemeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the site looks."""

    short: ClassVar = "name"
    name: Annotated[str, "path"] = "default"
    """One that comes with Planet, such as `classic`, or a folder: `./mine`."""
    options: Mapping[str, Annotated[OptionValue, "scalar"]] = {}
    """Options of the theme; docs/themes.md lists them."""


class FeedFetchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How one feed is asked for. Without a setting, that of the planet's `fetch` holds."""

    min_interval: Annotated[timedelta | None, "duration"] = None
    max_interval: Annotated[timedelta | None, "period"] = None
    agreed: bool | None = None


class Auth(msgspec.Struct, frozen=True, kw_only=True):
    """HTTP Basic authentication (RFC 7617)."""

    user: Annotated[str, "user name"]
    """The user name."""
    password: Annotated[Secret[str], "secret"]
    """The password, best taken from the environment."""


class TagSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What all feeds with a tag share; a feed's own settings go before, then its first tag's."""

    content: ContentMode | None = None
    images: Images | None = None
    """What becomes of images in its entries, in place of `pages.images`."""
    language: Annotated[str | None, "language tag"] = None
    """The language of entries that name none."""
    new_feed_entries: Annotated[int | str | None, "number or all"] = None
    transform: tuple[Annotated[str, "verbatim"], ...] | None = None
    """A program for new entries, in place of the planet's; `[]` is none."""
    filters: Filters = Filters()
    fetch: FeedFetchSettings = FeedFetchSettings()


class FeedSettings(TagSettings, frozen=True, kw_only=True):
    """A feed, and its own settings.

    Without `content`, `new_feed_entries` or `fetch`, those of the planet hold.
    """

    short: ClassVar = "url"
    url: Annotated[str, "feed address"]
    """Its web address, or the path of a file; or the name of an account, as `acct:user@host` or
    `at://handle`."""
    name: str | None = None
    """The name of the feed. Without it, the title that the feed has."""
    id: str | None = None
    """What identifies the feed in the state, and names the folder of its page. Without it, its
    address. Set it to keep entries and page when the address or the name changes."""
    tags: tuple[str, ...] = ()
    """Groups of the feed, which are also its categories in the subscription list of the site."""
    link: Annotated[str | None, "web address"] = None
    """Its home page. Without it, the one that the feed names."""
    author: str | None = None
    """The author of entries that name none."""
    image: Annotated[str | None, "path or web address"] = None
    """Its picture: a file (PNG, JPEG, GIF, WebP or ICO, up to 100 kB), which is published with the
    site, or a web address."""
    links: Annotated[Mapping[str, str] | None, "profiles"] = None
    """Pages elsewhere of whoever writes it, by names of your choice: web addresses, or handles on
    `mastodon`, `bluesky`, `github`, `gitlab`, `codeberg`, `linkedin`, `youtube` or `x`, or a mail
    address as `email`."""
    extra: Mapping[str, str] = {}
    """Names and texts for your own templates, which find them as `source.extra`."""
    enabled: Annotated[bool | str, "flag or archived"] = True
    """With `false`, the feed is not asked and not shown. With `archived`, it is not asked any
    more, and all that it said is shown for good."""
    priority: int = 0
    """Feeds with a higher number are asked first when `fetch.budget` is short."""
    picks: Picks = Picks.ALSO
    """With `only`, the site shows and keeps only episodes of it that are picked (`planet pick`)."""
    include: tuple[IncludeKind, ...] = ()
    """What is shown of an account of the social web besides its own posts: `replies` to others, and
    `boosts` of posts of others."""
    headers: Annotated[Mapping[str, Secret[str]], "headers"] = {}
    """Request headers, such as `Authorization: Bearer ${NAME}`."""
    auth: Auth | None = None


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """When an edition publishes all entries that were found since the last time."""

    every: Every = Every.DAY
    """Every `day`, or once a week on a day of it."""
    at: Annotated[time, "time of day"] = time()
    """The time of day in the edition's zone."""


class EditionSettings(resolved.SiteBasics, frozen=True, kw_only=True):
    """One of several sites. Without a setting, that of the planet holds."""

    folder: Annotated[str | None, "path"] = None
    """Its folder in the output folder; `.` is the output folder itself. Without it, the name of the
    edition."""
    theme: ThemeSettings | None = None
    """How it looks."""
    release: Release | None = None
    """The times at which it publishes new entries. Without it, each run publishes them."""


class PlanetSettings(resolved.Basics, frozen=True, kw_only=True):
    """A planet: its site, and the feeds it reads."""

    theme: ThemeSettings = ThemeSettings()
    """How the site looks: the name of a theme, or its name with options."""
    output: Annotated[str, "path"] = "public"
    """The folder the site is written to."""
    state: Annotated[str, "path"] = "state"
    """The folder in which Planet keeps its state between runs."""
    editions: Mapping[Annotated[str, "edition name"], EditionSettings] = {}
    """Several sites from one state, by name, in place of the planet's own; docs/filters.md tells
    more."""
    content: ContentMode = ContentMode.FULL
    """How much of each entry is published."""
    future: Future = Future.CLAMP
    """What becomes of an entry dated in the future: `clamp` files it under the moment it was first
    seen, `drop` hides it until its date, `keep` believes the date."""
    new_feed_entries: Annotated[int | str, "number or all"] = 10
    """How many entries of a feed are shown of those found the first time, so that a new feed does
    not flood the page."""
    transform: tuple[Annotated[str, "verbatim"], ...] = ()
    """A program that new entries go through, and its arguments: its path starts at the folder of
    this file; docs/transform.md tells more."""
    tags: Mapping[str, TagSettings] = {}
    """What the feeds with a tag share, written once: `tags: {science: {filters: {recent: 5}}}`."""
    feeds: Sequence[FeedSettings | None] = ()
    """The feeds: addresses, or mappings."""
    subscriptions: Sequence[Annotated[str | None, "feed address"]] = ()
    """OPML files and web addresses of OPML lists, whose feeds are read as well."""


POLICY = ("min_interval", "max_interval", "agreed")
"""Settings of `fetch` that a feed has as well."""


def lay_over(upper: T, lower: TagSettings | T) -> T:
    """Return a section whose settings that were not given are those of a lower one."""
    own = {}
    for field in fields(lower):
        mine, other = getattr(upper, field.name), getattr(lower, field.name)
        if isinstance(mine, msgspec.Struct) and mine != other:
            own[field.name] = lay_over(mine, other)
        elif mine == field.default:
            own[field.name] = other
    return replace(upper, **own)
