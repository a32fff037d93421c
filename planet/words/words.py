"""Every word and date that Planet or a theme of its own writes, in one language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planet.model import DueReason

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from planet.model import GivenUp
    from planet.words.locales import Locale
    from planet.words.phrases import Counted, Phrase

# Reasons that say how often a feed is asked; the others only say when it is next.
_STEADY = frozenset(
    {
        *(DueReason.FLOOR, DueReason.UNCONDITIONAL, DueReason.IGNORED, DueReason.LEARNED),
        *(DueReason.ADAPTIVE, DueReason.MAX_AGE, DueReason.TTL, DueReason.SY),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Words:
    """The words of a catalogue, and the dates and numbers of a locale.

    A word is a field, and is in the catalogues under the same name.
    """

    locale: Locale
    version: str
    """Changes with every word, and with all that dates and numbers are written by."""
    about: str
    add_note: str
    all_digests: str
    also_in: str
    answered: Phrase
    archive: str
    as_of: str
    ask_us: Phrase
    asked: Phrase
    asking: str
    asking_how: str
    atom: str
    atom_hint: str
    comma: str
    copied: str
    copy: str
    digest: str
    digest_hint: str
    digest_of: Phrase
    digest_text: str
    digests: str
    download: str
    earlier: str
    episodes: str
    every_days: Counted
    every_hours: Counted
    every_minutes: Counted
    every_week: str
    first_published: str
    for_list: str
    found: Phrase
    given_up: str
    json: str
    json_hint: str
    linked_by: Counted
    links: str
    links_newest: str
    links_shared: str
    lists: str
    lists_hint: str
    look: str
    made_with: str
    missing: str
    missing_hint: str
    more: Counted
    moved_to: str
    newest: str
    next: Phrase
    next_because: Phrase
    no_digest: str
    no_episodes: str
    no_links: str
    note: str
    nothing: str
    older: Phrase
    opml: str
    opml_hint: str
    pages: str
    pick: str
    pick_issue: Phrase
    picked: str
    podcast: str
    podcast_hint: str
    podcasts: str
    posts: Counted
    posts_since: Counted
    published: Phrase
    quiet: Phrase
    removal: str
    removal_how: str
    run_by: str
    search: str
    search_failed: str
    search_in: Counted
    search_script: str
    show_more: str
    since: Phrase
    size_units: str
    skip: str
    source_count: Counted
    sources: str
    subscribe: str
    tags: str
    to_pick: str
    trouble: str
    unpick: Phrase
    updated: str
    website: str
    what_is_a_feed: str
    what_is_a_podcast: str
    reasons: Mapping[str, str]
    """Why a feed is not asked sooner, to follow a colon; by the name of the reason."""
    endings: Mapping[str, str]
    """Why a feed is not asked any more, by the name of the reason."""

    def __repr__(self) -> str:
        """Stands for all of them in a fingerprint."""
        return f"Words({self.version})"

    def weekday(self, day: dt.date) -> str:
        """The name of its day of the week, as it stands alone: “Saturday”."""
        return self.locale.weekday(day)

    def date(self, day: dt.date) -> str:
        """As “21 November 2026”."""
        return self.locale.date(day)

    def month(self, year: int, month: int) -> str:
        """As “November 2026”."""
        return self.locale.month(year, month)

    def time(self, moment: dt.datetime) -> str:
        """As “14:05” or “2:05 PM”, in the time zone of the moment."""
        return self.locale.time(moment)

    def both(self, moment: dt.datetime) -> str:
        """As “21 November 2026, 14:05”."""
        return self.locale.together(self.date(moment), self.time(moment))

    def size(self, length: int | None) -> str | None:
        """Bytes in decimal units, as “34 MB”; None when unknown."""
        if length is None or length <= 0:
            return None
        amount, (unit, *larger) = float(length), self.size_units.split(" ")
        while amount >= 999.5 and larger:
            amount, unit = amount / 1000, larger.pop(0)
        if amount >= 9.95 or length < 1000:
            return f"{self.locale.number(round(amount))} {unit}"
        return f"{self.locale.number(round(amount, 1))} {unit}"

    def every(self, wait: dt.timedelta, reason: DueReason) -> str | None:
        """How often a feed is asked that waits so long, as “about every 6 hours”.

        None where the reason for the wait is one of the moment.
        """
        if reason not in _STEADY:
            return None
        minutes, hours = round(wait.total_seconds() / 60), round(wait.total_seconds() / 3600)
        if minutes < 55:
            return self.every_minutes(minutes)
        if hours < 20:
            return self.every_hours(hours)
        days = max(round(hours / 24), 1)
        return self.every_week if days == 7 else self.every_days(days)

    def because(self, reason: DueReason) -> str:
        """Why a feed is not asked sooner."""
        return self.reasons[reason.name.lower()]

    def why_given_up(self, reason: GivenUp) -> str:
        """Why a feed is not asked any more."""
        return self.endings[reason.name.lower()]
