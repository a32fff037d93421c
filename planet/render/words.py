"""The words and dates of the pages, in English: all that depends on the reader's language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import datetime as dt

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
# Languages usually written from right to left, by primary subtag (CLDR, layout/orientation).
_RIGHT_TO_LEFT = frozenset(
    ["ar", "arc", "ckb", "dv", "fa", "he", "ks", "mzn", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"]
)


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

    also_in: str = "Also in"
    archive: str = "Archive"
    atom: str = "Atom feed"
    atom_hint: str = "for every reader app"
    download: str = "Download"
    json: str = "JSON feed"
    json_hint: str = "the same posts in another format"
    made_with: str = "Made with"
    missing: str = "Page not found"
    missing_hint: str = "There is nothing at this address, or no longer."
    more: Counted = Counted("{count} more from {name}", "{count} more from {name}")
    newest: str = "Newest posts"
    nothing: str = "There are no posts yet."
    older: Phrase = Phrase("All posts of {name}")
    opml: str = "List of sources (OPML)"
    opml_hint: str = "to follow the same sources yourself, import it into your reader app"
    pages: str = "Pages"
    podcast: str = "Podcast feed"
    podcast_hint: str = "episodes only, for podcast apps"
    posts: Counted = Counted("{count} post", "{count} posts")
    run_by: str = "Run by"
    since: Phrase = Phrase("since {name}")
    skip: str = "Skip to content"
    sources: str = "Sources"
    subscribe: str = "Subscribe"
    trouble: str = "Nothing new arrives from here at present"
    updated: str = "Updated"
    website: str = "Website"
    what_is_a_feed: str = (
        "A feed is an address that an app watches for you, so that new posts come to you and you "
        "need not look here for them. Copy one of these into the app you read or listen with; "
        "no account is needed."
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


def direction(language: str) -> str:
    """`rtl` or `ltr`: how the pages of a site in this language run."""
    return "rtl" if language.partition("-")[0].lower() in _RIGHT_TO_LEFT else "ltr"
