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
from planet.model.digested import (
    Digest,
    DigestItem,
    DigestSection,
    DigestTimes,
    Every,
    Weekday,
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
from planet.model.linked import (
    Linked,
    LinkGraph,
    Neighbour,
    Neighbours,
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
from planet.model.picked import (
    OWN_LIST,
    Pick,
    PickList,
    Podcast,
    Show,
    handle,
)
from planet.model.resolved import (
    Aside,
    Lead,
    Resolved,
    Signature,
    Step,
)
from planet.model.said import (
    MADE_ID,
    PAGE,
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
from planet.model.seeded import Seed, Trace
from planet.model.shown import (
    SEARCHED,
    Edition,
    File,
    Images,
    Owner,
    Pages,
    Picking,
    Post,
    Source,
    Standing,
    Tag,
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
    Picks,
    Place,
    Turn,
)
from planet.model.themed import OptionValue, ThemeOption
from planet.model.timetable import Timetable

__all__ = [
    "MADE_ID",
    "OWN_LIST",
    "PAGE",
    "SEARCHED",
    "Advice",
    "Aside",
    "Asking",
    "Concern",
    "Conditions",
    "ContentMode",
    "Contents",
    "Day",
    "Digest",
    "DigestItem",
    "DigestSection",
    "DigestTimes",
    "Draft",
    "DueReason",
    "Edition",
    "Enclosure",
    "Entry",
    "Episode",
    "Every",
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
    "Lead",
    "Lifetime",
    "LinkGraph",
    "Linked",
    "Memory",
    "Moved",
    "Neighbour",
    "Neighbours",
    "OptionValue",
    "Origin",
    "Outcome",
    "Owner",
    "Pages",
    "ParsedEntry",
    "ParsedFeed",
    "Pattern",
    "Person",
    "Pick",
    "PickList",
    "Picking",
    "Picks",
    "Place",
    "Podcast",
    "Post",
    "Profile",
    "Reading",
    "Resolved",
    "Seed",
    "Show",
    "Signature",
    "Source",
    "Standing",
    "Step",
    "Tag",
    "Text",
    "TextKind",
    "ThemeOption",
    "Timetable",
    "Trace",
    "Transcript",
    "Turn",
    "Weekday",
    "handle",
]
