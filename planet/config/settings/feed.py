"""What the file says of one feed, as written: None is a setting that was not given."""

# No `from __future__ import annotations`: pydantic reads the annotations when it is run.

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Discriminator, Field, Tag

from planet import model
from planet.config.settings import kinds
from planet.config.settings.kinds import OneOrMore, Section


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
class FeedFetch(Section):
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
        OneOrMore[model.Aside],
        Field(
            description="What is wanted of an account of the social web besides its own posts: "
            "`replies` to others, `boosts` of what others wrote."
        ),
    ] = ()
    filters: Filters = field(default_factory=Filters)
    fetch: FeedFetch = field(default_factory=FeedFetch)
    headers: Annotated[
        kinds.Headers,
        Field(description="Request headers, such as `Authorization: Bearer ${NAME}`."),
    ] = field(default_factory=dict, repr=False)
    auth: Auth | None = None
