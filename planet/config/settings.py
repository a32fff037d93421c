"""The file as it is written, where it means something else than it says: feeds, editions, themes.

Settings that mean what they say are nouns of the rooms that use them. The descriptions are the
reference (`docs/config.md`) and an editor's hints (`config.schema.json`); None is a setting that
was not given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence  # noqa: TC003 - types of settings are looked up
from dataclasses import field
from datetime import time, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo  # noqa: TC003 - as above

from planet.config import nouns
from planet.config.sections import Mistake, fitted
from planet.model import (
    ContentMode,
    DigestTimes,
    Every,
    Filters,
    Future,
    IncludeKind,
    OptionValue,
    Owner,
    Pages,
    Picks,
    Podcast,
    Weekday,
    noun,
)


@noun
class Theme:
    """How the site looks."""

    name: Annotated[str, "path"] = "default"
    """`default`, `classic` or `headlines`, which come with Planet, or a folder: `./mine`."""
    options: Annotated[Mapping[str, OptionValue], "scalar"] = field(default_factory=dict)
    """What the theme lets be chosen; docs/themes.md has the options."""


@noun
class FeedFetchSettings:
    """How one feed is asked for, where that differs from the planet's `fetch`."""

    min_interval: Annotated[timedelta | None, "duration"] = None
    max_interval: Annotated[timedelta | None, "period"] = None
    agreed: bool | None = None
    timeout: Annotated[timedelta | None, "period"] = None
    max_size: Annotated[int | None, "size"] = None


@noun
class Auth:
    """HTTP Basic authentication (RFC 7617)."""

    user: Annotated[str, "user name"]
    """The user name."""
    password: Annotated[str, "secret"] = field(repr=False)
    """The password, best taken from the environment."""


@noun
class Feed:
    """A feed, and what holds for it alone.

    `content`, `future`, `new_feed_entries` and `fetch` are the planet's where it says nothing else.
    """

    url: Annotated[str, "feed address"]
    """Its web address, or the path of a file; or the name of an account, as `acct:user@host` or
    `at://handle`."""
    name: str | None = None
    """What to call it; without, its own title."""
    id: str | None = None
    """What it is known by in the state; without, its address. The folder of its page is made from
    `id`, else `name`, else the address. Set it to keep a feed's past and its page when its address
    or its name changes."""
    tags: tuple[str, ...] = ()
    """Groups it belongs to: its categories in the site's subscription list."""
    link: Annotated[str | None, "web address"] = None
    """Its home page; without, what it says itself."""
    author: str | None = None
    """Who writes it, for entries that do not say."""
    image: Annotated[str | None, "web address"] = None
    """The address of its picture."""
    language: Annotated[str | None, "language tag"] = None
    """Its language, for entries that do not say."""
    enabled: bool = True
    """`false` asks for it no more and hides it."""
    priority: int = 0
    """Higher is asked first when the time budget is short."""
    content: ContentMode | None = None
    future: Future | None = None
    new_feed_entries: Annotated[int | str | None, "number or all"] = None
    transform: tuple[str, ...] | None = None
    """The program that its new entries go through, in place of the planet's; `[]` is none."""
    picks: Picks = Picks.ALSO
    """`only` shows no more of it than the episodes that are picked (`planet pick`), and keeps no
    others."""
    include: tuple[IncludeKind, ...] = ()
    """What is wanted of an account of the social web besides its own posts: `replies` to others,
    `boosts` of what others wrote."""
    filters: Filters = field(default_factory=Filters)
    fetch: FeedFetchSettings = field(default_factory=FeedFetchSettings)
    headers: Annotated[Mapping[Annotated[str, "header name"], str], "header"] = field(
        default_factory=dict, repr=False
    )
    """Request headers, such as `Authorization: Bearer ${NAME}`."""
    auth: Auth | None = None


@noun
class Release:
    """When an edition brings out what was found since the last time, all of it together."""

    every: Every = Every.DAY
    """How often."""
    at: Annotated[time, "time of day"] = time()
    """The time of day in the edition's zone."""
    days: Annotated[tuple[Weekday, ...], "day"] = ()
    """The days of the week; without, all of them, and with `every: week` monday."""


@noun
class Edition:
    """One of several sites. What it does not say is as the planet has it."""

    title: str | None = None
    """What it is called."""
    description: str | None = None
    """What it is about, in a sentence."""
    folder: Annotated[str | None, "path"] = None
    """Where it is in the output folder; `.` is that folder itself. Without, it is called as the
    edition."""
    link: Annotated[str | None, "site address"] = None
    """The address it is published at; without, the planet's with `folder`."""
    feeds: tuple[str, ...] = ()
    """The feeds it shows: the `name`, `id` or address of each."""
    tags: tuple[str, ...] = ()
    """It shows the feeds with one of these tags. Without both, it shows all."""
    filters: Filters | None = None
    """What is wanted, in place of the planet's `filters`."""
    language: Annotated[str | None, "language tag"] = None
    """The language of its pages."""
    timezone: Annotated[ZoneInfo | None, "time zone"] = None
    """Says when its days begin and end."""
    theme: Annotated[str | Theme | None, "theme"] = None
    """How it looks."""
    release: Release | None = None
    """It brings out what is new at these times only, all of it together. Without, whenever
    something is found."""


@noun
class Planet:
    """A planet: its site, and the feeds it reads."""

    title: str
    """What the planet is called."""
    link: Annotated[str | None, "site address"] = None
    """The address the site is published at."""
    description: str | None = None
    """What it is about, in a sentence."""
    owner: Owner = field(default_factory=Owner)
    language: Annotated[str, "language tag"] = "en"
    """The language of its pages: of words in ar, de, en, es, fr, ja and pt, of dates in many
    more."""
    timezone: Annotated[ZoneInfo, "time zone"] = nouns.UTC
    """Says when its days begin and end."""
    theme: Annotated[str | Theme, "theme"] = field(default_factory=Theme)
    """How the site looks: the name of a theme, or its name with options."""
    output: Annotated[str, "path"] = "public"
    """The folder the site is written to."""
    state: Annotated[str, "path"] = "state"
    """The folder of what Planet remembers between runs."""
    fetch: nouns.Fetch = field(default_factory=nouns.Fetch)
    workers: nouns.Workers = field(default_factory=nouns.Workers)
    cache: nouns.Cache = field(default_factory=nouns.Cache)
    pages: Pages = field(default_factory=Pages)
    podcast: Podcast = field(default_factory=Podcast)
    lists: Mapping[Annotated[str, "list name"], Podcast] = field(default_factory=dict)
    """Lists of picked episodes, by name, each with a page and a podcast feed of its own in
    `lists/<name>/`."""
    digest: DigestTimes | None = None
    hub: Annotated[str | None, "web address"] = None
    """A WebSub hub: the feeds name it, and `planet ping` tells it of news."""
    editions: Mapping[Annotated[str, "list name"], Edition] = field(default_factory=dict)
    """Several sites from one state, by name, in place of the planet's own; docs/filters.md tells
    more."""
    repository: Annotated[str | None, "web address"] = None
    """The planet's repository on GitHub, such as `https://github.com/you/planet`: the page of a
    source with `picks: only` then links each episode to a form with which those who may write there
    pick it."""
    filters: Filters = field(default_factory=Filters)
    retention: nouns.Retention = field(default_factory=nouns.Retention)
    sanitizer: nouns.Sanitizer = "auto"
    """What cleans the HTML of entries: `auto` is `nh3` where it is installed (`pip install
    planet-digest[nh3]`), else `bleach`, which is slower and gets no more fixes."""
    content: ContentMode = ContentMode.FULL
    """How much of each entry is published."""
    future: Future = Future.CLAMP
    """What becomes of an entry dated in the future: `clamp` files it under the moment it was first
    seen, `drop` hides it until its date, `keep` believes the date."""
    new_feed_entries: Annotated[int | str, "number or all"] = 10
    """How many entries of a feed are shown of those found the first time, so that a new feed does
    not flood the page."""
    transform: tuple[str, ...] = ()
    """A program that new entries go through, and its arguments: its path starts at the folder of
    this file; docs/transform.md tells more."""
    feeds: Annotated[Sequence[str | Feed], "feed address"] = ()
    """The feeds: addresses, or mappings."""
    subscriptions: Annotated[Sequence[str], "feed address"] = ()
    """OPML files and web addresses of OPML lists, whose feeds are read as well."""


@noun
class Checked:
    """Settings of the right types, but for feeds. What is wrong in the file has its default."""

    planet: Planet
    """Without the items of its lists."""
    subscriptions: Mapping[int, str]
    """By their index in the file."""


def check(written: Mapping[str, Any], mistakes: list[Mistake]) -> Checked:
    """The settings in a file without its feeds; all that do not fit are added to `mistakes`."""
    rest = dict(written)
    subscribed = rest.pop("subscriptions") if isinstance(rest.get("subscriptions"), list) else ()
    planet = fitted(Planet, rest, (), mistakes) or fitted(Planet, {**rest, "title": "?"}, (), [])
    assert planet is not None, "nothing but a title is needed"
    subscriptions: dict[int, str] = {}
    for index, item in enumerate(subscribed):
        location = ("subscriptions", index)
        if address := fitted(Annotated[str, "feed address"], item, location, mistakes):
            subscriptions[index] = address
    return Checked(planet=planet, subscriptions=subscriptions)


def check_feed(item: Any, index: int, mistakes: list[Mistake]) -> Feed | None:
    """A feed as written; None without a usable address."""
    if not isinstance(item, str | dict):
        words = 'must be an address, or a mapping with a "url", not {value}'
        mistakes.append(Mistake(("feeds", index), "value", words))
        return None
    mapping = {"url": item} if isinstance(item, str) else item
    feed: Feed | None = fitted(Feed, mapping, ("feeds", index), mistakes)
    return feed
