"""The nouns that pass between stages.

Frozen values throughout: tuples, aware datetimes in UTC, absence is `None` and never a guess.
Names follow RFC 4287 (Atom), JSON Feed 1.1 and RSS 2.0 where these have a word for the thing.

Two kinds of text never mix: `Text` is what a feed sent, untrusted; `Html` went through
`planet.content` and may be put into a page. Every plain `str` is plain text and is escaped where
it is written.
"""

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
    Memory,
    Reading,
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
)
from planet.model.subscribed import (
    Asking,
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
    "Asking",
    "ContentMode",
    "Contents",
    "Draft",
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
    "Hints",
    "Html",
    "Images",
    "Kept",
    "Memory",
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
    "Text",
    "TextKind",
    "Transcript",
    "Turn",
]
