"""The nouns that pass between stages.

Frozen values throughout: tuples, aware datetimes in UTC, absence is `None` and never a guess.
Names follow RFC 4287 (Atom), JSON Feed 1.1 and RSS 2.0 where these have a word for the thing.

Two kinds of text never mix: `Text` is what a feed sent, untrusted; `Html` went through
`planet.content` and may be put into a page. Every plain `str` is plain text and is escaped where
it is written.
"""

from planet.model.advised import (
    Advice,
    Concern,
)
from planet.model.fetched import (
    Fetched,
    Outcome,
)
from planet.model.kept import (
    Contents,
    Draft,
    Entry,
    Html,
    Kept,
    Reading,
)
from planet.model.memory import (
    Day,
    DueReason,
    GivenUp,
    Health,
    HostMemory,
    Lifetime,
    Memory,
    Moved,
)
from planet.model.said import (
    MADE_ID,
    Enclosure,
    Episode,
    Facts,
    Hints,
    Origin,
    ParsedEntry,
    ParsedFeed,
    Person,
    Profile,
    Text,
    TextKind,
    Transcript,
)
from planet.model.shown import (
    Edition,
    File,
    Images,
    Owner,
    Pages,
    Post,
    Source,
    Standing,
)
from planet.model.subscribed import (
    Asking,
    Conditions,
    ContentMode,
    Feed,
    Field,
    Filters,
    Future,
    Pattern,
    Place,
    Turn,
)

__all__ = [
    "MADE_ID",
    "Advice",
    "Asking",
    "Concern",
    "Conditions",
    "ContentMode",
    "Contents",
    "Day",
    "Draft",
    "DueReason",
    "Edition",
    "Enclosure",
    "Entry",
    "Episode",
    "Facts",
    "Feed",
    "Fetched",
    "Field",
    "File",
    "Filters",
    "Future",
    "GivenUp",
    "Health",
    "Hints",
    "HostMemory",
    "Html",
    "Images",
    "Kept",
    "Lifetime",
    "Memory",
    "Moved",
    "Origin",
    "Outcome",
    "Owner",
    "Pages",
    "ParsedEntry",
    "ParsedFeed",
    "Pattern",
    "Person",
    "Place",
    "Post",
    "Profile",
    "Reading",
    "Source",
    "Standing",
    "Text",
    "TextKind",
    "Transcript",
    "Turn",
]
