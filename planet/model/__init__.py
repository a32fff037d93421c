"""The nouns that pass between stages.

Frozen values throughout: tuples, aware datetimes in UTC, absence is `None` and never a guess.
Names follow RFC 4287 (Atom), JSON Feed 1.1 and RSS 2.0 where these have a word for the thing.

Two kinds of text never mix: `Text` is from a feed, untrusted; `Html` went through `planet.text` and
may be put into a page. Every plain `str` is plain text and is escaped where it is written.

Other doors:

    secrets   secrets ⇄ their names
    decoding  types → decoders of JSON, for threads as well
"""

from __future__ import annotations

from planet.model.entry import (
    Contents,
    Counts,
    Entry,
    EntryDates,
    Html,
    NewEntry,
    ParseResult,
    Transformed,
    TransformOutcome,
    with_short_addresses,
)
from planet.model.feed import (
    CAN_WAIT,
    Advice,
    Conditions,
    ContentMode,
    Feed,
    FetchLimits,
    FetchPolicy,
    Field,
    Filters,
    Future,
    Images,
    OptionValue,
    Pattern,
    Picks,
    PollRequest,
)
from planet.model.fetched import (
    WHOLE,
    Fetched,
    IncludeKind,
    Lead,
    PolledFeed,
    PollResult,
    Resolved,
    Step,
)
from planet.model.parsed import (
    EPISODE_KINDS,
    MADE_ID,
    PAGE,
    Enclosure,
    Episode,
    Facts,
    Funding,
    Hints,
    Origin,
    ParsedEntry,
    ParsedFeed,
    Person,
    Profile,
    ProfileLink,
    Text,
    TextKind,
    Timestamp,
    Transcript,
    WebAddress,
)
from planet.model.shown import (
    SEARCHED,
    TROUBLE,
    Edition,
    FairShare,
    FeedHealth,
    File,
    FileKind,
    Linked,
    LinkGraph,
    Owner,
    Pages,
    Pick,
    Picking,
    Podcast,
    Post,
    Show,
    Source,
    Tag,
    Timeline,
    fingerprint,
    handle,
    whole_file,
)
from planet.model.state import (
    Day,
    DueReason,
    Failure,
    FeedState,
    GivenUp,
    Health,
    HostState,
    Moved,
)
from planet.model.timetable import (
    Digest,
    DigestItem,
    DigestSection,
    DigestTimes,
    Every,
    Timetable,
)
