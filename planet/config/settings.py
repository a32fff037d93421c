"""The file as it is written, where it means something else than it says: feeds, editions, themes.

Settings that mean what they say are nouns of the rooms that use them. The descriptions are the
reference (`docs/config.md`) and an editor's hints (`config.schema.json`), which are made from them
and tested to be up to date; None is a setting that was not given.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence  # noqa: TC003 - types of settings are looked up
from datetime import time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from planet import model
from planet.config import resolved, texts
from planet.config.sections import Mistake, coerce, is_own_name
from planet.model import (
    ContentMode,
    Every,
    FetchPolicy,
    Filters,
    Future,
    Images,
    IncludeKind,
    OptionValue,
    Picks,
    Weekday,
)
from planet.model.secrets import Secret  # noqa: TC001 - types of settings are looked up
from planet.text.address import make_absolute

if TYPE_CHECKING:
    from collections.abc import Container

    from planet.errors import Place


class ThemeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the site looks."""

    name: Annotated[str, "theme"] = "default"
    """`default`, `classic` or `headlines`, which come with Planet, or a folder: `./mine`."""
    options: Annotated[Mapping[str, OptionValue], "scalar"] = {}
    """Options of the theme; docs/themes.md lists them."""


class FeedFetchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How one feed is asked for. Without a setting, that of the planet's `fetch` holds."""

    min_interval: Annotated[timedelta | None, "duration"] = None
    max_interval: Annotated[timedelta | None, "period"] = None
    agreed: bool | None = None
    timeout: Annotated[timedelta | None, "period"] = None
    max_size: Annotated[int | None, "size"] = None


class Auth(msgspec.Struct, frozen=True, kw_only=True):
    """HTTP Basic authentication (RFC 7617)."""

    user: Annotated[str, "user name"]
    """The user name."""
    password: Annotated[Secret[str], "secret"]
    """The password, best taken from the environment."""


class FeedSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A feed, and its own settings.

    Without `content`, `future`, `new_feed_entries` or `fetch`, those of the planet hold.
    """

    url: Annotated[str, "feed address"]
    """Its web address, or the path of a file; or the name of an account, as `acct:user@host` or
    `at://handle`."""
    name: str | None = None
    """The name of the feed. Without it, the title that the feed has."""
    id: str | None = None
    """What identifies the feed in the state. Without it, its address. The folder of its page is
    made from `id`, else `name`, else the address. Set it to keep the entries and the page of a feed
    when its address or its name changes."""
    tags: tuple[str, ...] = ()
    """Groups of the feed, which are also its categories in the subscription list of the site."""
    link: Annotated[str | None, "web address"] = None
    """Its home page. Without it, the one that the feed names."""
    author: str | None = None
    """The author of entries that name none."""
    image: Annotated[str | None, "path or web address"] = None
    """Its picture: a file (PNG, JPEG, GIF, WebP or ICO, up to 100 kB), which is published with the
    site, or a web address."""
    language: Annotated[str | None, "language tag"] = None
    """The language of entries that name none."""
    links: Annotated[Mapping[Annotated[str, "text"], str] | None, "profile"] = None
    """Pages elsewhere of whoever writes it, by names of your choice: web addresses, or handles on
    `mastodon`, `bluesky`, `github`, `gitlab`, `codeberg`, `linkedin`, `youtube` or `x`, or a mail
    address as `email`. Without them, the accounts that the feed names; `{}` is none."""
    extra: Mapping[Annotated[str, "text"], str] = {}
    """Names and texts for your own templates, which find them as `source.extra`."""
    enabled: Annotated[bool | str, "flag or archived"] = True
    """With `false`, the feed is not asked and not shown. With `archived`, for a site that has
    ended, it is not asked any more, and all that it said is shown for good."""
    priority: int = 0
    """Feeds with a higher number are asked first when `fetch.budget` is short."""
    content: ContentMode | None = None
    images: Images | None = None
    """What becomes of images in its entries, in place of `pages.images`."""
    future: Future | None = None
    new_feed_entries: Annotated[int | str | None, "number or all"] = None
    transform: tuple[str, ...] | None = None
    """A program for its new entries, in place of the planet's; `[]` is none."""
    picks: Picks = Picks.ALSO
    """With `only`, the site shows and keeps only episodes of it that are picked (`planet pick`)."""
    include: tuple[IncludeKind, ...] = ()
    """What is shown of an account of the social web besides its own posts: `replies` to others, and
    `boosts` of posts of others."""
    filters: Filters = Filters()
    fetch: FeedFetchSettings = FeedFetchSettings()
    headers: Annotated[Mapping[Annotated[str, "header name"], Secret[str]], "header"] = {}
    """Request headers, such as `Authorization: Bearer ${NAME}`."""
    auth: Auth | None = None


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """When an edition publishes all entries that were found since the last time."""

    every: Every = Every.DAY
    """How often."""
    at: Annotated[time, "time of day"] = time()
    """The time of day in the edition's zone."""
    days: Annotated[tuple[Weekday, ...], "day"] = ()
    """The days of the week. Without them, every day, or monday with `every: week`."""


class EditionSettings(resolved.SiteBasics, frozen=True, kw_only=True):
    """One of several sites. Without a setting, that of the planet holds."""

    folder: Annotated[str | None, "path"] = None
    """Its folder in the output folder; `.` is the output folder itself. Without it, the name of the
    edition."""
    theme: Annotated[str | ThemeSettings | None, "theme"] = None
    """How it looks."""
    release: Release | None = None
    """The times at which it publishes new entries. Without it, each run publishes them."""


class PlanetSettings(resolved.Basics, frozen=True, kw_only=True):
    """A planet: its site, and the feeds it reads."""

    theme: Annotated[str | ThemeSettings, "theme"] = ThemeSettings()
    """How the site looks: the name of a theme, or its name with options."""
    output: Annotated[str, "path"] = "public"
    """The folder the site is written to."""
    state: Annotated[str, "path"] = "state"
    """The folder in which Planet keeps its state between runs."""
    editions: Mapping[Annotated[str, "list name"], EditionSettings] = {}
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
    transform: tuple[str, ...] = ()
    """A program that new entries go through, and its arguments: its path starts at the folder of
    this file; docs/transform.md tells more."""
    feeds: Annotated[Sequence[str | FeedSettings], "feed address"] = ()
    """The feeds: addresses, or mappings."""
    subscriptions: Annotated[Sequence[str], "feed address"] = ()
    """OPML files and web addresses of OPML lists, whose feeds are read as well."""


class CheckedSettings(NamedTuple):
    """The settings of a file without its feeds."""

    planet: PlanetSettings
    subscriptions: Mapping[int, str]
    """Its lists, by index."""


def check(written: Mapping[str, Any], mistakes: list[Mistake]) -> CheckedSettings:
    """Check the settings of a file without its feeds.

    What does not fit is added to `mistakes`, and has its default.
    """
    # A list of which all items are commented out has no value.
    empty = [name for name in ("feeds", "subscriptions") if written.get(name) is None]
    rest = {name: value for name, value in written.items() if name not in empty}
    subscribed = rest.pop("subscriptions") if isinstance(rest.get("subscriptions"), list) else ()
    planet = coerce(PlanetSettings, rest, (), mistakes) or coerce(
        PlanetSettings, {**rest, "title": "?"}, (), []
    )
    assert planet is not None, "nothing but a title is needed"
    subscriptions: dict[int, str] = {}
    for index, item in enumerate(subscribed):
        location = ("subscriptions", index)
        if address := coerce(Annotated[str, "feed address"], item, location, mistakes):
            subscriptions[index] = address
    return CheckedSettings(planet, subscriptions)


def check_feed(item: Any, index: int, mistakes: list[Mistake]) -> FeedSettings | None:
    """Check a feed as it is written; return None without a usable address."""
    if not isinstance(item, str | dict):
        words = 'must be an address, or a mapping with a "url", not {value}'
        mistakes.append(Mistake(("feeds", index), "value", words))
        return None
    mapping = {"url": item} if isinstance(item, str) else item
    if len(mapping) == 1:
        ((name, value),) = mapping.items()
        if (
            isinstance(value, str)
            and texts.SCHEME.match(value)
            and is_own_name(name, FeedSettings, needed="url")
        ):
            words = (
                'is no setting; what to call a feed stands after "name:", its address after "url:"'
            )
            mistakes.append(Mistake(("feeds", index, name), "name", words))
            return None
    feed: FeedSettings | None = coerce(FeedSettings, mapping, ("feeds", index), mistakes)
    return feed


POLICY: Final = ("min_interval", "max_interval", "agreed", "timeout", "max_size")
"""Settings of `fetch` that a feed has as well."""


# What a feed means


FLOOR: Final = timedelta(hours=1)
"""The least time between two polls ("Best practices for feed readers")."""
_AS_WRITTEN: Final = ("name", "link", "author", "language", "priority", "picks")
_NO_OWN: Final = FeedFetchSettings()
_NO_FILTERS: Final = Filters()


def resolve_feed(
    written: FeedSettings,
    *,
    address: str,
    place: Place,
    folder: Path,
    defaults: resolved.Defaults,
    taken: Container[str],
) -> model.Feed:
    """Return the feed with every default filled in.

    `address` is its address as it is written, where secrets are only named: key and slug are made
    from that. Paths start at `folder`; `taken` are the slugs that it cannot have.
    """
    url = texts.resolve_address(written.url, folder)
    key = written.id or _identity(address, url)
    entries, picture = written.new_feed_entries, written.image
    image = picture and make_absolute(picture)
    return model.Feed(
        **{name: getattr(written, name) for name in _AS_WRITTEN},
        links=None if written.links is None else _profile_links(written.links),
        extra=tuple(written.extra.items()),
        filters=_NO_FILTERS if written.filters == _NO_FILTERS else written.filters,
        enabled=written.enabled is not False,
        is_archived=written.enabled == texts.ARCHIVED,
        image=image,
        face=folder / picture if picture and not image else None,
        key=key,
        url=url,
        is_hidden="${" in address,
        slug=texts.make_slug(
            (written.id, written.name, _short_address(address)), key=key, taken=taken
        ),
        tags=tuple(dict.fromkeys(written.tags)),
        content=written.content or defaults.content,
        images=written.images or defaults.images,
        future=written.future or defaults.future,
        new_feed_entries=defaults.new_feed_entries if entries is None else parse_count(entries),
        transform=defaults.transform if written.transform is None else written.transform,
        include=frozenset(written.include),
        policy=_resolve_policy(defaults.policy, written),
        place=place,
    )


def _profile_links(by_name: Mapping[str, str]) -> tuple[model.ProfileLink, ...]:
    return tuple(model.ProfileLink(name=name, url=url) for name, url in by_name.items())


def parse_count(written: int | str) -> int | None:
    """Return a number of entries; None for "all"."""
    return written if isinstance(written, int) else None


def _identity(address: str, url: str) -> str:
    """Return the key of a feed without an `id`.

    It is the normalised address; but a relative path as it is written, so that the folder can
    move, and the text as it is written when it has a secret from the environment.
    """
    text = address.strip()
    if "${" in text:
        return text
    if url.startswith("file:") and not text.startswith("/") and not texts.SCHEME.match(text):
        return posixpath.normpath(text)
    return url


_SERVER: Final = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:)?//([^/?#][^?#]*)", re.IGNORECASE)


def _short_address(address: str) -> str:
    """Return a short name for an address: its host, or the name of the file."""
    match = _SERVER.match(address)
    return match[1] if match else Path(urlsplit(address).path).stem


def _resolve_policy(base: FetchPolicy, feed: FeedSettings) -> FetchPolicy:
    """Return the policy of a feed; an interval of its own goes before the planet's other one.

    An operator who knows the feed may have whole answers more often than once a day, but not more
    often than once an hour.
    """
    own = feed.fetch
    if own == _NO_OWN and not feed.headers and not feed.auth:
        return base  # Most feeds share it: a list may be long.
    low = base.min_interval if own.min_interval is None else own.min_interval
    high = own.max_interval or max(low, base.max_interval)
    if own.max_interval and own.min_interval is None:
        low = min(low, high)
    return replace(
        base,
        min_interval=low,
        max_interval=high,
        agreed=base.agreed if own.agreed is None else own.agreed,
        whole_interval=base.whole_interval if own.min_interval is None else max(low, FLOOR),
        timeout=own.timeout or base.timeout,
        max_size=own.max_size or base.max_size,
        headers=tuple(feed.headers.items()),
        auth=(feed.auth.user, feed.auth.password) if feed.auth else None,
    )
