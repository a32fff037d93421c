"""The settings of a planet, as the file has them and as the rest of the program uses them.

A section of the file is a Struct, and the fields are the settings. From the docstrings the
reference (`docs/config.md`) and the hints of editors (`config.schema.json`) are made;
`planet.config.sections` reads the annotations. None is a setting without a value.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping, Sequence  # noqa: TC003 - types of settings are looked up
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace

from planet.errors import Place, Problem  # noqa: TC001 - types of settings are looked up
from planet.model import (
    ContentMode,
    DigestTimes,
    Feed,
    FetchLimits,
    FetchPolicy,
    Filters,
    Future,
    Images,
    IncludeKind,
    OptionValue,
    Owner,
    Pages,
    Pick,
    Picks,
    Podcast,
    Timetable,
)
from planet.model.secrets import NO_REDACTOR, Redactor, Secret

if TYPE_CHECKING:
    from collections.abc import Iterable

UTC = ZoneInfo("UTC")

Backend = Literal["sqlite", "filesystem", "memory", "redis"]
"""Where requests-cache can keep answers, by its own names."""

Sanitizer = Literal["nh3", "bleach"]
"""The library that cleans HTML."""


class SigningKey(msgspec.Struct, frozen=True, kw_only=True):
    """How requests are signed for servers of the social web that want to know who asks."""

    key_id: Annotated[str, "web address"]
    """The address of the public key (docs/advanced.md)."""
    key: Annotated[Secret[str], "private key"]
    """The private key (RSA, PEM), best taken from the environment."""


class Fetch(FetchLimits, frozen=True, kw_only=True):
    """How feeds are asked for.

    A feed may have `min_interval`, `max_interval` and `agreed` of its own.
    """

    workers: Annotated[int, "workers"] = 20
    """How many hosts are asked at the same time."""
    host_gap: Annotated[timedelta, "duration"] = timedelta(seconds=1)
    """The least time between two requests to one host."""
    budget: Annotated[timedelta, "period"] = timedelta(minutes=10)
    """How long a run may ask feeds; those with a higher `priority` go first."""
    contact: Annotated[str | None, "web address"] = None
    """A web page about you, named in the User-Agent; else `about/` of your site."""
    signature: SigningKey | None = None


class WorkerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Machines that read feeds in place of this one."""

    dask: str | None = None
    """The address of a Dask scheduler, such as `tcp://scheduler:8786` (docs/advanced.md)."""


class Cache(msgspec.Struct, frozen=True, kw_only=True):
    """Where the bodies and validators of feeds are kept between runs."""

    backend: Backend = "sqlite"
    """`sqlite` and `filesystem` are in `state`, `memory` lasts one run, `redis` is a server
    (docs/advanced.md)."""
    options: Mapping[str, Annotated[Secret[OptionValue], "secret scalar"]] = {}
    """The options, such as `host`, `port` and `password` for redis."""


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """How long entries are kept that are no longer in their feed."""

    entries: Annotated[timedelta, "period"] = timedelta(days=730)
    """The entries, by their dates."""
    content: Annotated[timedelta, "period"] = timedelta(days=90)
    """Their text; title and link stay with the entry."""


class ThemeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the site looks."""

    short: ClassVar = "name"
    name: Annotated[str | Path, "path"] = "default"
    """One that comes with Planet, such as `classic`, or a folder: `./mine`."""
    options: Mapping[str, Annotated[OptionValue, "scalar"]] = {}
    """Options of the theme; docs/themes.md lists them."""
    place: Annotated[Place | None, "no setting"] = None
    """Where it is named."""


class FeedFetchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How one feed is asked for. Without a setting, that of the planet's `fetch` holds."""

    min_interval: Annotated[timedelta | None, "duration"] = None
    max_interval: Annotated[timedelta | None, "period"] = None
    agreed: bool | None = None


POLICY = FeedFetchSettings.__struct_fields__
"""Settings of `fetch` that a feed has as well."""


class TagSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What all feeds with a tag share; a feed's own settings go before, then its first tag's."""

    content: ContentMode | None = None
    images: Images | None = None
    """The fate of images in entries, in place of `pages.images`."""
    language: Annotated[str | None, "language tag"] = None
    """The language of entries that name none."""
    new_feed_entries: Annotated[int | str | None, "number or all"] = None
    transform: tuple[Annotated[str, "verbatim"], ...] | None = None
    """A program for new entries, in place of the planet's; `[]` is none."""
    filters: Filters = Filters()
    fetch: FeedFetchSettings = FeedFetchSettings()


class Auth(msgspec.Struct, frozen=True, kw_only=True):
    """HTTP Basic authentication (RFC 7617)."""

    user: Annotated[str, "user name"]
    """The user name."""
    password: Annotated[Secret[str], "secret"]
    """The password, best taken from the environment."""


class FeedSettings(TagSettings, frozen=True, kw_only=True):
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
    image: Annotated[str | Path | None, "picture"] = None
    """The picture (PNG, JPEG, GIF, WebP or ICO, up to 100 kB; docs/themes.md)."""
    links: Mapping[str, Annotated[str, "page"]] = {}
    """Pages elsewhere of whoever writes it (docs/sources.md)."""
    extra: Mapping[str, str] = {}
    """Names and texts for your own templates, as `source.extra`."""
    enabled: Annotated[bool | str, "switch or archived"] = True
    """With `false`, it is neither asked nor shown; with `archived`, shown and not asked any
    more."""
    priority: int = 0
    """Feeds with a higher number are asked first when `fetch.budget` is short."""
    picks: Picks = Picks.ALSO
    """With `only`, the site shows only its episodes that are picked (docs/castsampler.md)."""
    include: tuple[IncludeKind, ...] = ()
    """Posts of an account of the social web to show besides its own."""
    public: bool = False
    """Asked in the public Internet alone: somebody else chose the address, as in a form."""
    headers: Mapping[Annotated[str, "header name"], Annotated[Secret[str], "header text"]] = {}
    """Request headers, such as `Authorization: Bearer ${NAME}`."""
    auth: Auth | None = None


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """One of several sites. Without a setting, that of the planet holds."""

    title: str | None = None
    """The title."""
    description: str | None = None
    """A description, in a sentence."""
    link: Annotated[str | None, "site address"] = None
    """The address; else that of the planet with `folder`."""
    feeds: tuple[str, ...] = ()
    """The feeds to show: the `name`, `id` or address of each."""
    tags: tuple[str, ...] = ()
    """Tags of feeds to show; without both, all feeds are shown."""
    filters: Filters | None = None
    """The filters, in place of those of the planet."""
    language: Annotated[str | None, "language tag"] = None
    """The language of pages."""
    timezone: Annotated[ZoneInfo | None, "time zone"] = None
    """The time zone by which days begin and end."""
    theme: ThemeSettings | None = None
    """The look."""
    folder: Annotated[str, "path"] = ""
    """A folder in the output folder, which itself is `.`; else the name."""
    release: Timetable | None = None
    """The times at which new entries are published; else each run does."""
    name: Annotated[str, "no setting"] = ""
    """Empty for the planet itself."""

    def shows(self, feed: Feed) -> bool:
        """Tell whether the site shows a feed."""
        called = {feed.key, feed.url, feed.slug, feed.name}
        is_named = not called.isdisjoint(self.feeds) or not set(feed.tags).isdisjoint(self.tags)
        return is_named or not (self.feeds or self.tags)


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """A planet: its site, and the feeds it reads."""

    title: str
    """The title of the planet."""
    link: Annotated[str | None, "site address"] = None
    """The address the site is published at."""
    description: str | None = None
    """A description, in a sentence."""
    owner: Owner = Owner()
    language: Annotated[str, "language tag"] = "en"
    """The language of pages (docs/languages.md)."""
    timezone: Annotated[ZoneInfo, "time zone"] = UTC
    """The time zone by which days begin and end."""
    theme: ThemeSettings = ThemeSettings()
    """How the site looks: the name of a theme, or its name with options."""
    fetch: Fetch = Fetch()
    workers: WorkerSettings = WorkerSettings()
    cache: Cache = Cache()
    pages: Pages = Pages()
    podcast: Podcast = Podcast()
    digest: DigestTimes | None = None
    hub: Annotated[str | None, "web address"] = None
    """A WebSub hub, which the feeds name."""
    repository: Annotated[str | None, "web address"] = None
    """The repository on GitHub, such as `https://github.com/you/planet`, to whose forms pages then
    link (docs/github-actions.md)."""
    content: ContentMode = ContentMode.FULL
    """How much of each entry is published."""
    future: Future = Future.CLAMP
    """An entry dated in the future is filed under the moment it was first seen (`clamp`), hidden
    until its date (`drop`), or believed (`keep`)."""
    new_feed_entries: Annotated[int | str, "number or all"] = 10
    """How many entries of a feed are shown of those found the first time."""
    transform: tuple[Annotated[str, "verbatim"], ...] = ()
    """A program that new entries go through, and its arguments (docs/transform.md)."""
    tags: Mapping[str, TagSettings] = {}
    """What the feeds with a tag share: `tags: {science: {filters: {recent: 5}}}`."""
    filters: Filters = Filters()
    retention: Retention = Retention()
    sanitizer: Sanitizer = "nh3"
    """The library that cleans HTML; `bleach` is slower and gets no more fixes."""
    output: Annotated[Path, "folder"] = Path("public")
    """The folder the site is written to."""
    state: Annotated[Path, "folder"] = Path("state")
    """The folder in which Planet keeps its state between runs."""
    editions: Mapping[Annotated[str, "edition name"], Site] = {}
    """Several sites in place of the planet's own (docs/filters.md)."""
    written_feeds: Annotated[Sequence[FeedSettings | None], "named feeds"] = ()
    """The feeds: addresses, or mappings."""
    written_lists: Annotated[
        Sequence[Annotated[str | None, "feed address"]], "named subscriptions"
    ] = ()
    """OPML files and web addresses of OPML lists, whose feeds are read as well."""

    path: Annotated[Path, "no setting"] = Path()
    """The file."""
    policy: Annotated[FetchPolicy, "no setting"] = FetchPolicy()
    """The way to ask a feed without settings of its own."""
    redactor: Annotated[Redactor, "no setting"] = NO_REDACTOR
    """Hides the secrets that feeds and lists are asked with."""
    picks: Annotated[tuple[Pick, ...], "no setting"] = ()
    """Those of `picks.yaml`, beside the config; in the order of the file."""
    feeds: Annotated[tuple[Feed, ...], "no setting"] = ()
    """In the order of the file, those of subscribed files last; disabled ones are among them."""
    subscriptions: Annotated[tuple[Feed, ...], "no setting"] = ()
    """Subscription lists on the web, to be asked for like feeds."""
    site: Annotated[Site, "no setting"] = Site()
    """Which site this is the config of."""
    files: Annotated[tuple[Path, ...], "no setting"] = ()
    """The files read; some need not be there."""
    warnings: Annotated[tuple[Problem, ...], "no setting"] = ()
    """Warnings of `planet check` about the file and its lists, which can be used."""

    @property
    def sites(self) -> tuple[Config, ...]:
        """Return the config of each site: the planet itself, or each edition."""
        return tuple(map(self._of, self.editions.values())) or (self,)

    @property
    def contact(self) -> str | None:
        """Return a page about who runs the planet: `fetch.contact`, else the page `about/`."""
        about = (f"{site.link}about/" for site in self.sites if site.link)
        return self.fetch.contact or next(about, None)

    def _of(self, site: Site) -> Config:
        own = {name: value for name in _OF_A_SITE if (value := getattr(site, name)) is not None}
        feeds = tuple(filter(site.shows, self.feeds))
        return replace(
            self,
            **own,
            # Its picks are selected once all feeds are known, also those of lists on the web.
            output=self.output / site.folder,
            feeds=feeds,
            editions={},
            site=site,
        )


_OF_A_SITE = "title", "link", "description", "language", "timezone", "filters", "theme"


def lies_in(inner: Path, outer: Path) -> bool:
    """Tell whether a folder is in another one, or the same."""
    # Not resolve(): whether a config is right must not depend on symbolic links.
    full = Path(os.path.normpath(inner.absolute()))
    return full.is_relative_to(os.path.normpath(outer.absolute()))


def set_releases(config: Config, feeds: Iterable[Feed]) -> tuple[Feed, ...]:
    """Set the releases of each feed without an edition that shows entries at once."""
    sites = config.editions.values()
    if all(site.release is None for site in sites):
        return tuple(feeds)
    marked = []
    for feed in feeds:
        times = dict.fromkeys(site.release for site in sites if site.shows(feed))
        # A feed that one edition shows at once is asked as usual.
        releases = () if None in times else tuple(filter(None, times))
        marked.append(replace(feed, policy=replace(feed.policy, releases=releases)))
    return tuple(marked)
