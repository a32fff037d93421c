"""The words and dates of the pages, in English: all that depends on the reader's language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planet.model import DueReason, GivenUp

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
# Languages usually written from right to left, by primary subtag (CLDR, layout/orientation).
_RIGHT_TO_LEFT = frozenset(
    ["ar", "arc", "ckb", "dv", "fa", "he", "ks", "mzn", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"]
)
# Why a feed is not asked sooner, to follow a colon.
_BECAUSE: Mapping[DueReason, str] = {
    DueReason.FLOOR: "no feed is asked more often",
    DueReason.UNCONDITIONAL: "its server cannot say whether anything is new",
    DueReason.IGNORED: "its server sends everything again each time",
    DueReason.LEARNED: "its server said that it was asked too often",
    DueReason.ADAPTIVE: "that suits how often it posts",
    DueReason.PATTERN: "it usually posts then",
    DueReason.MAX_AGE: "its server says that an answer is good for so long",
    DueReason.EXPIRES: "its server says that its answer is good until then",
    DueReason.TTL: "the feed itself says so",
    DueReason.SY: "the feed itself says so",
    DueReason.SKIP: "the feed itself names hours or days to leave out",
    DueReason.BACKOFF: "it could not be read, and is asked ever more seldom until it can",
    DueReason.RETRY_AFTER: "its server said when to come back",
    DueReason.THROTTLED: "its server said that it was asked too often",
    DueReason.FORBIDDEN: "its server does not let it be read",
    DueReason.NOT_FOUND: "there is nothing at its address",
    DueReason.REJECTED: "its server does not accept the request, or sends too much",
    DueReason.HOST: "its server is left alone for now",
    DueReason.OUTAGE: "nothing at all could be reached from here",
    DueReason.GIVEN_UP: "it is not asked any more",
}
# Those that say how often it is asked; the others only say when it is next.
_STEADY = frozenset(
    {
        *(DueReason.FLOOR, DueReason.UNCONDITIONAL, DueReason.IGNORED, DueReason.LEARNED),
        *(DueReason.ADAPTIVE, DueReason.MAX_AGE, DueReason.TTL, DueReason.SY),
    }
)
_GIVEN_UP: Mapping[GivenUp, str] = {
    GivenUp.GONE: "Its publisher took it away for good",
    GivenUp.NOT_FOUND: "For weeks there was nothing at its address",
    GivenUp.FORBIDDEN: "For weeks its server did not let it be read",
    GivenUp.REJECTED: "For weeks its server did not accept the request",
    GivenUp.EXPIRED: "It says itself that nothing new will come",
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase with a name in it: `words.since("1 May 2026")` is “since 1 May 2026”."""

    text: str

    def __call__(self, name: str) -> str:
        """The phrase with this name in its place."""
        return self.text.format(name=name)


@dataclass(frozen=True, slots=True)
class Counted:
    """A phrase with a number in it, and perhaps a name: `words.posts(3)` is “3 posts”."""

    one: str
    other: str

    def __call__(self, count: int, name: str = "") -> str:
        """The phrase with these in their places, in the form that the number needs."""
        return (self.one if count == 1 else self.other).format(count=count, name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Every word and date that Planet or a theme of its own writes on a page."""

    add_note: str = "Add a note"
    all_digests: str = "All digests"
    also_in: str = "Also in"
    answered: str = "Last read"
    archive: str = "Archive"
    as_of: str = "As of"
    asked: Phrase = Phrase("Asked {name}")
    atom: str = "Atom feed"
    atom_hint: str = "for every reader app"
    digest: str = "Digest feed"
    digest_hint: str = "what is new, told once a day or once a week"
    digest_of: Phrase = Phrase("Digest of {name}")
    digest_text: str = "As plain text"
    digests: str = "Digest"
    download: str = "Download"
    earlier: str = "Earlier digests"
    episodes: str = "Episodes"
    first_published: str = "First published"
    for_list: str = "For the list"
    given_up: str = "Nothing new will arrive from here"
    json: str = "JSON feed"
    json_hint: str = "the same posts in another format"
    lists: str = "Picked episodes"
    lists_hint: str = "Each of these is a podcast of its own, picked by hand."
    look: str = "Look inside"
    made_with: str = "Made with"
    missing: str = "Page not found"
    missing_hint: str = "There is nothing at this address, or no longer."
    more: Counted = Counted("{count} more from {name}", "{count} more from {name}")
    moved_to: str = "Its feed has moved to"
    newest: str = "Newest posts"
    next: str = "Next"
    no_digest: str = "There is no digest yet."
    no_episodes: str = "There are no episodes yet."
    note: str = "Note"
    nothing: str = "There are no posts yet."
    older: Phrase = Phrase("All posts of {name}")
    opml: str = "List of sources (OPML)"
    opml_hint: str = "to follow the same sources yourself, import it into your reader app"
    pages: str = "Pages"
    pick: str = "Pick"
    pick_issue: Phrase = Phrase("Pick: {name}")
    picked: str = "Picked"
    podcast: str = "Podcast feed"
    podcast_hint: str = "episodes only, for podcast apps"
    podcasts: str = "Podcast"
    posts: Counted = Counted("{count} post", "{count} posts")
    quiet: Phrase = Phrase("Quiet since {name}")
    run_by: str = "Run by"
    since: Phrase = Phrase("since {name}")
    skip: str = "Skip to content"
    sources: str = "Sources"
    subscribe: str = "Subscribe"
    tags: str = "Tags"
    to_pick: str = "Episodes to pick"
    trouble: str = "Nothing new arrives from here at present"
    unpick: Phrase = Phrase("Take out of {name}")
    updated: str = "Updated"
    website: str = "Website"
    what_is_a_feed: str = (
        "A feed is an address that an app watches for you, so that new posts come to you and you "
        "need not look here for them. Copy one of these into the app you read or listen with; "
        "no account is needed."
    )
    what_is_a_podcast: str = (
        "To hear new episodes as they come, copy this address into your podcast app, where it adds "
        "a show by its address."
    )

    @staticmethod
    def weekday(day: dt.date) -> str:
        """The name of its day of the week."""
        return _WEEKDAYS[day.weekday()]

    @staticmethod
    def date(day: dt.date) -> str:
        """As “21 November 2026”."""
        return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"

    @staticmethod
    def month(year: int, month: int) -> str:
        """As “November 2026”."""
        return f"{_MONTHS[month - 1]} {year}"

    @staticmethod
    def time(moment: dt.datetime) -> str:
        """As “14:05”, in the time zone of the moment."""
        return f"{moment.hour:02}:{moment.minute:02}"

    @staticmethod
    def every(wait: dt.timedelta, reason: DueReason) -> str | None:
        """How often a feed is asked that waits so long, as “about every 6 hours”.

        None where the reason for the wait is one of the moment.
        """
        if reason not in _STEADY:
            return None
        minutes, hours = round(wait.total_seconds() / 60), round(wait.total_seconds() / 3600)
        if minutes < 55:
            return f"about every {minutes} minutes"
        if hours < 20:
            return "about once an hour" if hours == 1 else f"about every {hours} hours"
        days = max(round(hours / 24), 1)
        named = {1: "about once a day", 7: "about once a week"}
        return named.get(days, f"about every {days} days")

    @staticmethod
    def because(reason: DueReason) -> str:
        """Why a feed is not asked sooner."""
        return _BECAUSE[reason]

    @staticmethod
    def why_given_up(reason: GivenUp) -> str:
        """Why a feed is not asked any more."""
        return _GIVEN_UP[reason]


def direction(language: str) -> str:
    """`rtl` or `ltr`: how the pages of a site in this language run."""
    return "rtl" if language.partition("-")[0].lower() in _RIGHT_TO_LEFT else "ltr"
