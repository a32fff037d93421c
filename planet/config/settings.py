"""The file as it is written, where it means something else than it says: feeds, editions, themes.

Settings that mean what they say are nouns of the rooms that use them. The descriptions are the
reference (`docs/config.md`) and an editor's hints (`config.schema.json`); None is a setting that
was not given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence  # noqa: TC003 - types of settings are looked up
from dataclasses import dataclass, field
from datetime import time, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo  # noqa: TC003 - as above

from planet.config import nouns
from planet.config.nouns import AGREED, MAX_INTERVAL, MAX_SIZE, MIN_INTERVAL, TIMEOUT
from planet.config.sections import Mistake, fitted, fitted_value
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
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """How the site looks."""

    name: Annotated[
        str,
        "path",
        "`default`, `classic` or `headlines`, which come with Planet, or a folder: `./mine`.",
    ] = "default"
    options: Annotated[
        Mapping[str, OptionValue],
        "scalar",
        "What the theme lets be chosen; docs/themes.md has the options.",
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedFetchSettings:
    """How one feed is asked for, where that differs from the planet's `fetch`."""

    min_interval: Annotated[timedelta | None, "duration", MIN_INTERVAL] = None
    max_interval: Annotated[timedelta | None, "period", MAX_INTERVAL] = None
    agreed: Annotated[bool | None, AGREED] = None
    timeout: Annotated[timedelta | None, "period", TIMEOUT] = None
    max_size: Annotated[int | None, "size", MAX_SIZE] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Auth:
    """HTTP Basic authentication (RFC 7617)."""

    user: Annotated[str, "user name", "The user name."]
    password: Annotated[str, "secret", "The password, best taken from the environment."] = field(
        repr=False
    )


CONTENT = "How much of each entry is published."
FUTURE = (
    "What becomes of an entry dated in the future: `clamp` files it under the moment it was first "
    "seen, `drop` hides it until its date, `keep` believes the date."
)
NEW_FEED_ENTRIES = (
    "How many entries of a feed are shown of those found the first time, so that a new feed does "
    "not flood the page."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed, and what holds for it alone.

    `content`, `future`, `new_feed_entries` and `fetch` are the planet's where it says nothing else.
    """

    url: Annotated[
        str,
        "feed address",
        "Its web address, or the path of a file; or the name of an account, as `acct:user@host` or "
        "`at://handle`.",
    ]
    name: Annotated[str | None, "What to call it; without, its own title."] = None
    id: Annotated[
        str | None,
        "What it is known by in the state; without, its address. The folder of its page is made "
        "from `id`, else `name`, else the address. Set it to keep a feed's past and its page when "
        "its address or its name changes.",
    ] = None
    tags: Annotated[
        tuple[str, ...],
        "Groups it belongs to: its categories in the site's subscription list.",
    ] = ()
    link: Annotated[str | None, "web address", "Its home page; without, what it says itself."] = (
        None
    )
    author: Annotated[str | None, "Who writes it, for entries that do not say."] = None
    image: Annotated[str | None, "web address", "The address of its picture."] = None
    language: Annotated[
        str | None, "language tag", "Its language, for entries that do not say."
    ] = None
    enabled: Annotated[bool, "`false` asks for it no more and hides it."] = True
    priority: Annotated[int, "Higher is asked first when the time budget is short."] = 0
    content: Annotated[ContentMode | None, CONTENT] = None
    future: Annotated[Future | None, FUTURE] = None
    new_feed_entries: Annotated[int | str | None, "number or all", NEW_FEED_ENTRIES] = None
    picks: Annotated[
        Picks,
        "`only` shows no more of it than the episodes that are picked (`planet pick`), and keeps "
        "no others.",
    ] = Picks.ALSO
    include: Annotated[
        tuple[IncludeKind, ...],
        "What is wanted of an account of the social web besides its own posts: `replies` to "
        "others, `boosts` of what others wrote.",
    ] = ()
    filters: Filters = field(default_factory=Filters)
    fetch: FeedFetchSettings = field(default_factory=FeedFetchSettings)
    headers: Annotated[
        Mapping[Annotated[str, "header name"], str],
        "header",
        "Request headers, such as `Authorization: Bearer ${NAME}`.",
    ] = field(default_factory=dict, repr=False)
    auth: Auth | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """When an edition brings out what was found since the last time, all of it together."""

    every: Annotated[Every, "How often."] = Every.DAY
    at: Annotated[time, "time of day", "The time of day in the edition's zone."] = time()
    days: Annotated[
        tuple[Weekday, ...],
        "day",
        "The days of the week; without, all of them, and with `every: week` monday.",
    ] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One of several sites. What it does not say is as the planet has it."""

    title: Annotated[str | None, "What it is called."] = None
    description: Annotated[str | None, "What it is about, in a sentence."] = None
    folder: Annotated[
        str | None,
        "path",
        "Where it is in the output folder; `.` is that folder itself. Without, it is called as the "
        "edition.",
    ] = None
    link: Annotated[
        str | None,
        "site address",
        "The address it is published at; without, the planet's with `folder`.",
    ] = None
    feeds: Annotated[
        tuple[str, ...], "The feeds it shows: the `name`, `id` or address of each."
    ] = ()
    tags: Annotated[
        tuple[str, ...], "It shows the feeds with one of these tags. Without both, it shows all."
    ] = ()
    filters: Annotated[Filters | None, "What is wanted, in place of the planet's `filters`."] = None
    language: Annotated[str | None, "language tag", "The language of its pages."] = None
    timezone: Annotated[ZoneInfo | None, "time zone", "Says when its days begin and end."] = None
    theme: Annotated[str | Theme | None, "theme", "How it looks."] = None
    release: Annotated[
        Release | None,
        "It brings out what is new at these times only, all of it together. Without, whenever "
        "something is found.",
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Planet:
    """A planet: its site, and the feeds it reads."""

    title: Annotated[str, "What the planet is called."]
    link: Annotated[str | None, "site address", "The address the site is published at."] = None
    description: Annotated[str | None, "What it is about, in a sentence."] = None
    owner: Owner = field(default_factory=Owner)
    language: Annotated[
        str,
        "language tag",
        "The language of its pages: of words in ar, de, en, es, fr, ja and pt, of dates in many "
        "more.",
    ] = "en"
    timezone: Annotated[ZoneInfo, "time zone", "Says when its days begin and end."] = nouns.UTC
    theme: Annotated[
        str | Theme,
        "theme",
        "How the site looks: the name of a theme, or its name with options.",
    ] = field(default_factory=Theme)
    output: Annotated[str, "path", "The folder the site is written to."] = "public"
    state: Annotated[str, "path", "The folder of what Planet remembers between runs."] = "state"
    fetch: nouns.Fetch = field(default_factory=nouns.Fetch)
    cache: nouns.Cache = field(default_factory=nouns.Cache)
    pages: Pages = field(default_factory=Pages)
    podcast: Podcast = field(default_factory=Podcast)
    lists: Annotated[
        Mapping[Annotated[str, "list name"], Podcast],
        "Lists of picked episodes, by name, each with a page and a podcast feed of its own in "
        "`lists/<name>/`.",
    ] = field(default_factory=dict)
    digest: DigestTimes | None = None
    hub: Annotated[
        str | None,
        "web address",
        "A WebSub hub: the feeds name it, and `planet ping` tells it of news.",
    ] = None
    editions: Annotated[
        Mapping[Annotated[str, "list name"], Edition],
        "Several sites from one state, by name, in place of the planet's own; docs/filters.md "
        "tells more.",
    ] = field(default_factory=dict)
    repository: Annotated[
        str | None,
        "web address",
        "The planet's repository on GitHub, such as `https://github.com/you/planet`: the page of a "
        "source with `picks: only` then links each episode to a form with which those who may "
        "write there pick it.",
    ] = None
    filters: Filters = field(default_factory=Filters)
    retention: nouns.Retention = field(default_factory=nouns.Retention)
    sanitizer: Annotated[
        nouns.Sanitizer,
        "What cleans the HTML of entries: `auto` is `nh3` where it is installed (`pip install "
        "planet-digest[nh3]`), else `bleach`, which is slower and gets no more fixes.",
    ] = "auto"
    content: Annotated[ContentMode, CONTENT] = ContentMode.FULL
    future: Annotated[Future, FUTURE] = Future.CLAMP
    new_feed_entries: Annotated[int | str, "number or all", NEW_FEED_ENTRIES] = 10
    feeds: Annotated[
        Sequence[str | Feed], "feed address", "The feeds: addresses, or mappings."
    ] = ()
    subscriptions: Annotated[
        Sequence[str],
        "feed address",
        "OPML files and web addresses of OPML lists, whose feeds are read as well.",
    ] = ()


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
    rest = dict(written)
    lists = {name: rest.pop(name) for name in _LISTS if isinstance(written.get(name), list)}
    planet = fitted(Planet, rest, (), mistakes) or fitted(Planet, {**rest, "title": "?"}, (), [])
    assert planet is not None, "nothing but a title is needed"
    feeds: dict[int, Feed] = {}
    for index, item in enumerate(lists.get("feeds", ())):
        if not isinstance(item, str | dict):
            words = 'must be an address, or a mapping with a "url", not {said}'
            mistakes.append(Mistake(("feeds", index), "value", words))
            continue
        mapping = {"url": item} if isinstance(item, str) else item
        if feed := fitted(Feed, mapping, ("feeds", index), mistakes):
            feeds[index] = feed
    subscriptions: dict[int, str] = {}
    for index, item in enumerate(lists.get("subscriptions", ())):
        location = ("subscriptions", index)
        if address := fitted_value(_ADDRESS, item, location, mistakes):
            subscriptions[index] = address
    return Checked(
        planet=planet, feeds=feeds, subscriptions=subscriptions, mistakes=tuple(mistakes)
    )


_LISTS = ("feeds", "subscriptions")
_ADDRESS = Annotated[str, "feed address"]
