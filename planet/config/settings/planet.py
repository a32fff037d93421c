"""What the file says of the planet as a whole, as written: None is a setting that was not given."""

# No `from __future__ import annotations`: pydantic reads the annotations when it is run.

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from planet import model
from planet.config import nouns
from planet.config.settings import kinds
from planet.config.settings.edition import Edition
from planet.config.settings.feed import Feed, Filters
from planet.config.settings.kinds import Section
from planet.config.settings.podcast import Digest, Podcast
from planet.config.settings.theme import Theme

_ASKING, _PAGES, _DEFAULTS = model.Asking(), model.Pages(), nouns.Defaults()
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
            "docs/editions.md tells more."
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
