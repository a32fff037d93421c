"""The settings as written: their types and their words. The only package that sees pydantic.

What comes out are frozen dataclasses, in which None is a setting that was not given. The
descriptions are the reference (`docs/config.md`) and an editor's hints (`config.schema.json`).
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - pydantic looks at it
from dataclasses import dataclass, field
from datetime import time, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar
from zoneinfo import ZoneInfo

from pydantic import Discriminator, Field, Tag, TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from planet import model
from planet.config import kinds, nouns
from planet.config.kinds import OneOrMore, Section
from planet.config.values import spoken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planet.config.yaml import RedirectChain


# No `from __future__ import annotations`: pydantic reads the annotations when it is run.


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme(Section):
    """How the site looks."""

    name: Annotated[
        kinds.FilePath,
        Field(
            description="`default`, `classic` or `headlines`, which come with Planet, or a folder: "
            "`./mine`."
        ),
    ] = "default"
    options: Annotated[
        Mapping[str, kinds.Scalar],
        Field(description="What the theme lets be chosen; docs/themes.md has the options."),
    ] = field(default_factory=dict)


# No `from __future__ import annotations`: pydantic reads the annotations when it is run.


def _written_as(value: object) -> str:
    return "fields" if isinstance(value, dict) else "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class InField(Section):
    """Words, phrases and regular expressions, each looked for in one part of an entry."""

    title: Annotated[OneOrMore[kinds.Sought], Field(description="Its title.")] = ()
    content: Annotated[OneOrMore[kinds.Sought], Field(description="Its text.")] = ()
    author: Annotated[OneOrMore[kinds.Sought], Field(description="The names of its authors.")] = ()
    category: Annotated[OneOrMore[kinds.Sought], Field(description="Its categories.")] = ()
    link: Annotated[OneOrMore[kinds.Sought], Field(description="Its address.")] = ()


_Patterns = OneOrMore[
    Annotated[
        Annotated[kinds.Sought, Tag("text")] | Annotated[InField, Tag("fields")],
        Discriminator(_written_as),
    ]
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters(Section):
    """Which entries are wanted."""

    include: Annotated[
        _Patterns, Field(description="When given, only entries that match one of these are wanted.")
    ] = ()
    exclude: Annotated[
        _Patterns, Field(description="Entries that match one of these are not wanted.")
    ] = ()
    categories: Annotated[
        OneOrMore[kinds.Text],
        Field(description="When given, only entries in one of these categories are wanted."),
    ] = ()
    languages: Annotated[
        OneOrMore[kinds.Language],
        Field(
            description="When given, entries known to be in another language are not wanted; "
            "`pt` lets `pt-BR` pass."
        ),
    ] = ()
    max_age: Annotated[kinds.Period | None, Field(description="Older entries are not wanted.")] = (
        None
    )
    recent: Annotated[
        kinds.Count | None, Field(description="Only the newest so many are wanted.")
    ] = None
    random: Annotated[
        kinds.Count | None,
        Field(description="Only so many, drawn by lot; the same ones until new entries come."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedFetchSettings(Section):
    """How one feed is asked for, where that differs from the planet's `fetch`."""

    min_interval: Annotated[kinds.Duration | None, kinds.MIN_INTERVAL] = None
    max_interval: Annotated[kinds.Period | None, kinds.MAX_INTERVAL] = None
    agreed: Annotated[kinds.Flag | None, kinds.AGREED] = None
    timeout: Annotated[kinds.Period | None, kinds.TIMEOUT] = None
    max_size: Annotated[kinds.Size | None, kinds.MAX_SIZE] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Auth(Section):
    """HTTP Basic authentication (RFC 7617)."""

    user: Annotated[kinds.UserName, Field(description="The user name.")]
    password: Annotated[
        kinds.Secret, Field(description="The password, best taken from the environment.")
    ] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed(Section):
    """A feed, and what holds for it alone.

    `content`, `future`, `new_feed_entries` and `fetch` are the planet's where it says nothing else.
    """

    url: Annotated[
        kinds.FeedAddress,
        Field(
            description="Its web address, or the path of a file; or the name of an account, as "
            "`acct:user@host` or `at://handle`."
        ),
    ]
    name: Annotated[
        kinds.Text | None, Field(description="What to call it; without, its own title.")
    ] = None
    id: Annotated[
        kinds.Text | None,
        Field(
            description="What it is known by in the state; without, its address. The folder of "
            "its page is made from `id`, else `name`, else the address. Set it to keep a feed's "
            "past and its page when its address or its name changes."
        ),
    ] = None
    tags: Annotated[
        OneOrMore[kinds.Text],
        Field(description="Groups it belongs to: its categories in the site's subscription list."),
    ] = ()
    link: Annotated[
        kinds.WebAddress | None, Field(description="Its home page; without, what it says itself.")
    ] = None
    author: Annotated[
        kinds.Text | None, Field(description="Who writes it, for entries that do not say.")
    ] = None
    image: Annotated[kinds.WebAddress | None, Field(description="The address of its picture.")] = (
        None
    )
    language: Annotated[
        kinds.Language | None, Field(description="Its language, for entries that do not say.")
    ] = None
    enabled: Annotated[
        kinds.Flag, Field(description="`false` asks for it no more and hides it.")
    ] = True
    priority: Annotated[
        kinds.Integer, Field(description="Higher is asked first when the time budget is short.")
    ] = 0
    content: Annotated[model.ContentMode | None, kinds.CONTENT] = None
    future: Annotated[model.Future | None, kinds.FUTURE] = None
    new_feed_entries: Annotated[kinds.CountOrAll | None, kinds.NEW_FEED_ENTRIES] = None
    picks: Annotated[
        model.Picks,
        Field(
            description="`only` shows no more of it than the episodes that are picked "
            "(`planet pick`), and keeps no others."
        ),
    ] = model.Picks.ALSO
    include: Annotated[
        OneOrMore[model.IncludeKind],
        Field(
            description="What is wanted of an account of the social web besides its own posts: "
            "`replies` to others, `boosts` of what others wrote."
        ),
    ] = ()
    filters: Filters = field(default_factory=Filters)
    fetch: FeedFetchSettings = field(default_factory=FeedFetchSettings)
    headers: Annotated[
        kinds.Headers,
        Field(description="Request headers, such as `Authorization: Bearer ${NAME}`."),
    ] = field(default_factory=dict, repr=False)
    auth: Auth | None = None


# No `from __future__ import annotations`: pydantic reads the annotations when it is run.


@dataclass(frozen=True, slots=True, kw_only=True)
class Release(Section):
    """When an edition brings out what was found since the last time, all of it together."""

    every: Annotated[model.Every, Field(description="How often.")] = model.Every.DAY
    at: Annotated[kinds.Clock, Field(description="The time of day in the edition's zone.")] = time()
    days: Annotated[
        kinds.OneOrMore[kinds.Day],
        Field(
            description="The days of the week; without, all of them, and with `every: week` monday."
        ),
    ] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition(Section):
    """One of several sites. What it does not say is as the planet has it."""

    title: Annotated[kinds.Text | None, Field(description="What it is called.")] = None
    description: Annotated[
        kinds.Text | None, Field(description="What it is about, in a sentence.")
    ] = None
    folder: Annotated[
        kinds.FilePath | None,
        Field(
            description="Where it is in the output folder; `.` is that folder itself. Without, "
            "it is called as the edition."
        ),
    ] = None
    link: Annotated[
        kinds.SiteAddress | None,
        Field(description="The address it is published at; without, the planet's with `folder`."),
    ] = None
    feeds: Annotated[
        kinds.OneOrMore[kinds.Text],
        Field(description="The feeds it shows: the `name`, `id` or address of each."),
    ] = ()
    tags: Annotated[
        kinds.OneOrMore[kinds.Text],
        Field(description="It shows the feeds with one of these tags. Without both, it shows all."),
    ] = ()
    filters: Annotated[
        Filters | None, Field(description="What is wanted, in place of the planet's `filters`.")
    ] = None
    language: Annotated[kinds.Language | None, Field(description="The language of its pages.")] = (
        None
    )
    timezone: Annotated[
        kinds.Zone | None, Field(description="Says when its days begin and end.")
    ] = None
    theme: Annotated[kinds.OrItsName[Theme] | None, Field(description="How it looks.")] = None
    release: Annotated[
        Release | None,
        Field(
            description="It brings out what is new at these times only, all of it together. "
            "Without, whenever something is found."
        ),
    ] = None


# No `from __future__ import annotations`: pydantic reads the annotations when it is run.


_DIGEST = model.DigestTimes()


@dataclass(frozen=True, slots=True, kw_only=True)
class Podcast(Section):
    """What a podcast feed says of itself."""

    title: Annotated[
        kinds.Text | None,
        Field(description="What it is called; without, as the planet is, or the list."),
    ] = None
    description: Annotated[
        kinds.Text | None, Field(description="What it is about; without, as the planet says.")
    ] = None
    cover: Annotated[
        kinds.CoverFile | None,
        Field(
            description="Its image, square and 1400 to 3000 pixels wide: a file (JPEG or PNG), "
            "which is published with the site, or a web address. Without, the theme's."
        ),
    ] = None
    category: Annotated[
        kinds.Category,
        Field(
            description="One of the categories of Apple Podcasts, a subcategory after its "
            "category: `Arts > Books`."
        ),
    ] = model.Podcast().category


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest(Section):
    """A digest of what came since the one before, as a feed, a page, and a text to mail."""

    every: Annotated[model.Every, Field(description="How often.")] = _DIGEST.every
    at: Annotated[
        kinds.Clock,
        Field(description="The time of day in the planet's zone; the next run makes it."),
    ] = _DIGEST.at
    weekday: Annotated[
        model.Weekday, Field(description="With `every: week`, the day of the week.")
    ] = _DIGEST.weekday


# No `from __future__ import annotations`: pydantic reads the annotations when it is run.


_ASKING, _PAGES, _DEFAULTS = model.FetchPolicy(), model.Pages(), nouns.Defaults()
_FETCH, _RETENTION, _CACHE = nouns.Fetch(), nouns.Retention(), nouns.Cache()


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner(Section):
    """Who runs the planet; shown on the site and in its feeds."""

    name: Annotated[kinds.Text | None, Field(description="A person or a group.")] = None
    email: Annotated[kinds.Email | None, Field(description="A mail address; it is shown.")] = None
    url: Annotated[kinds.WebAddress | None, Field(description="A home page.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature(Section):
    """How requests are signed for the servers of the social web that want to know who asks."""

    key_id: Annotated[
        kinds.WebAddress,
        Field(description="The address at which they find the public key (`planet actor`)."),
    ]
    key: Annotated[
        kinds.PrivateKey,
        Field(description="The private key (RSA, PEM), best taken from the environment."),
    ] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch(Section):
    """How feeds are asked for. The first six hold for all feeds together."""

    workers: Annotated[
        kinds.Count,
        Field(
            le=200,
            description="How many hosts are asked at the same time. A request that takes longer "
            "than a second makes room for another, up to three times as many in all.",
        ),
    ] = _FETCH.workers
    host_gap: Annotated[
        kinds.Duration, Field(description="The least time between two requests to one host.")
    ] = _FETCH.host_gap
    budget: Annotated[
        kinds.Period | None,
        Field(
            description="How long a run may go on asking; what is left or under way then waits "
            "for another run, and feeds with a higher `priority` go first."
        ),
    ] = None
    contact: Annotated[
        kinds.WebAddress | None,
        Field(
            description="A web page about you or your planet, named in the User-Agent; without "
            "it, that is the page `about/` of your site."
        ),
    ] = None
    appview: Annotated[
        kinds.Origin,
        Field(description="The service that is asked for the posts of `at://` names."),
    ] = _FETCH.appview
    signature: Signature | None = None
    min_interval: Annotated[kinds.Duration, kinds.MIN_INTERVAL] = _ASKING.min_interval
    max_interval: Annotated[kinds.Period, kinds.MAX_INTERVAL] = _ASKING.max_interval
    agreed: Annotated[kinds.Flag, kinds.AGREED] = _ASKING.agreed
    timeout: Annotated[kinds.Period, kinds.TIMEOUT] = _ASKING.timeout
    max_size: Annotated[kinds.Size, kinds.MAX_SIZE] = _ASKING.max_size


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache(Section):
    """Where the bodies and validators of feeds are kept between runs."""

    backend: Annotated[
        nouns.Backend,
        Field(
            description="`sqlite` and `filesystem` keep them in the folder `state`, `memory` for "
            "one run only; the others need a Python package of their own."
        ),
    ] = _CACHE.backend
    options: Annotated[
        Mapping[str, kinds.Scalar],
        Field(
            description="Handed to the back end of requests-cache, such as `host`, `port` and "
            "`password` for redis."
        ),
    ] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages(Section):
    """What the pages and feeds of the site hold."""

    front: Annotated[kinds.Count, Field(description="Posts on the front page.")] = _PAGES.front
    feed: Annotated[kinds.Count, Field(description="Entries in the planet's own feeds.")] = (
        _PAGES.feed
    )
    source: Annotated[
        kinds.Count, Field(description="Posts on a source's page, and entries in its feeds.")
    ] = _PAGES.source
    images: Annotated[
        model.Images,
        Field(
            description="`lazy` loads images of entries when they come into view, `linked` puts a "
            "link in their place, `none` their alternative text."
        ),
    ] = _PAGES.images
    indexing: Annotated[
        kinds.Flag, Field(description="Whether search engines may list the site.")
    ] = _PAGES.indexing
    script: Annotated[
        kinds.Flag,
        Field(
            description="Whether pages have a small script: times as “2 hours ago”, `j` and `k` to "
            "go from post to post, a button to copy a feed's address. Nothing depends on it."
        ),
    ] = _PAGES.script
    search: Annotated[
        kinds.Flag,
        Field(
            description="Whether there is a page on which posts are searched; its index is made by "
            "Pagefind, which comes with `pip install 'planet-digest[search]'`."
        ),
    ] = _PAGES.search


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention(Section):
    """How long entries are kept that are no longer in their feed."""

    entries: Annotated[kinds.Period, Field(description="The entries.")] = _RETENTION.entries
    content: Annotated[
        kinds.Period, Field(description="Their text; title and link stay with the entry.")
    ] = _RETENTION.content


@dataclass(frozen=True, slots=True, kw_only=True)
class Planet(Section):
    """A planet: its site, and the feeds it reads."""

    title: Annotated[kinds.Text, Field(description="What the planet is called.")]
    link: Annotated[
        kinds.SiteAddress | None, Field(description="The address the site is published at.")
    ] = None
    description: Annotated[
        kinds.Text | None, Field(description="What it is about, in a sentence.")
    ] = None
    owner: Owner = field(default_factory=Owner)
    language: Annotated[
        kinds.Language,
        Field(
            description="The language of its pages: of words in ar, de, en, es, fr, ja and pt, "
            "of dates in many more."
        ),
    ] = "en"
    timezone: Annotated[kinds.Zone, Field(description="Says when its days begin and end.")] = (
        nouns.UTC
    )
    theme: Annotated[
        kinds.OrItsName[Theme],
        Field(description="How the site looks: the name of a theme, or its name with options."),
    ] = field(default_factory=Theme)
    output: Annotated[kinds.FilePath, Field(description="The folder the site is written to.")] = (
        "public"
    )
    state: Annotated[
        kinds.FilePath, Field(description="The folder of what Planet remembers between runs.")
    ] = "state"
    fetch: Fetch = field(default_factory=Fetch)
    cache: Cache = field(default_factory=Cache)
    pages: Pages = field(default_factory=Pages)
    podcast: Podcast = field(default_factory=Podcast)
    lists: Annotated[
        Mapping[kinds.ListName, Podcast],
        Field(
            description="Lists of picked episodes, by name, each with a page and a podcast feed "
            "of its own in `lists/<name>/`."
        ),
    ] = field(default_factory=dict)
    digest: Digest | None = None
    hub: Annotated[
        kinds.WebAddress | None,
        Field(description="A WebSub hub: the feeds name it, and `planet ping` tells it of news."),
    ] = None
    editions: Annotated[
        Mapping[kinds.ListName, Edition],
        Field(
            description="Several sites from one state, by name, in place of the planet's own; "
            "docs/filters.md tells more."
        ),
    ] = field(default_factory=dict)
    repository: Annotated[
        kinds.WebAddress | None,
        Field(
            description="The planet's repository on GitHub, such as "
            "`https://github.com/you/planet`: the page of a source with `picks: only` then links "
            "each episode to a form with which those who may write there pick it."
        ),
    ] = None
    filters: Filters = field(default_factory=Filters)
    retention: Retention = field(default_factory=Retention)
    sanitizer: Annotated[
        nouns.Sanitizer,
        Field(
            description="What cleans the HTML of entries: `auto` is `nh3` where it is installed "
            "(`pip install planet-digest[nh3]`), else `bleach`, which is slower and gets no more "
            "fixes."
        ),
    ] = "auto"
    content: Annotated[model.ContentMode, kinds.CONTENT] = _DEFAULTS.content
    future: Annotated[model.Future, kinds.FUTURE] = _DEFAULTS.future
    new_feed_entries: Annotated[kinds.CountOrAll, kinds.NEW_FEED_ENTRIES] = 10
    feeds: Annotated[
        tuple[kinds.FeedAddress | Feed, ...],
        Field(description="The feeds: addresses, or mappings."),
    ] = ()
    subscriptions: Annotated[
        tuple[kinds.FeedAddress, ...],
        Field(
            description="OPML files and web addresses of OPML lists, whose feeds are read as well."
        ),
    ] = ()


T = TypeVar("T")
_PLANET = TypeAdapter(Planet)
_FEED = TypeAdapter(Feed)
_ADDRESS: TypeAdapter[str] = TypeAdapter(kinds.FeedAddress)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A value that does not fit its setting."""

    location: RedirectChain
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
    location: RedirectChain,
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
