"""A language → the words, dates and numbers of pages and feeds in it.

`words` has what is written in any language, `languages/` a catalogue for each, and `locales` what
CLDR knows of dates and numbers.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import tomllib
import unicodedata
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import babel
from babel.core import UnknownLocaleError, get_global
from babel.dates import format_date, format_skeleton, format_time
from babel.numbers import format_decimal

from planet.model import DueReason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planet.model import GivenUp


# Scripts that run from right to left, and languages usually written in one of them, by primary
# subtag (CLDR, layout/orientation and likely subtags).
_SCRIPTS = frozenset(["adlm", "arab", "aran", "hebr", "mand", "nkoo", "rohg", "syrc", "thaa"])
_LANGUAGES = frozenset(
    [
        *("ar", "arc", "ckb", "dv", "fa", "he", "iw", "ji", "ks"),
        *("mzn", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"),
    ]
)


def direction(language: str) -> str:
    """`rtl` or `ltr`: how the pages of a site in this language run."""
    primary, *others = language.lower().split("-")
    # Of subtags, only scripts are four letters (RFC 5646 §2.1).
    scripts = [each for each in others if len(each) == 4 and each.isalpha()]
    runs_left = scripts[0] in _SCRIPTS if scripts else primary in _LANGUAGES
    return "rtl" if runs_left else "ltr"


@cache
def speak(language: str) -> Words:
    """What is written in a language, by its tag; `docs/themes.md` has the table.

    Where there are no words in it they are English; its dates are its own even then, if CLDR knows
    it.
    """
    # Nothing else needs babel, and a run in which nothing came does without it.

    return load(language)


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


# How letters run: kinds of Unicode Standard Annex 9, §3.2.
_LEFT_TO_RIGHT, _RIGHT_TO_LEFT = frozenset({"L"}), frozenset({"R", "AL"})
# First strong isolate, and its end (§2.4 there).
_ISOLATE, _END = "\u2068", "\u2069"


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase with a name in it: `words.since("1 May 2026")` is “since 1 May 2026”."""

    text: str

    def __call__(self, name: str, **others: str) -> str:
        """The phrase with this name in its place, and others in theirs.

        A name that runs the other way than the phrase is kept apart, so that it does not carry its
        neighbours along. A name may be HTML that is known to be clean; then the phrase is, too.
        """
        # What is clean HTML says so by its type, and so does what is made of it.
        kind = type(name)
        names = {key: _apart(said, self.text) for key, said in others.items()}
        return kind(self.text).format(name=_apart(name, self.text), **names)


@dataclass(frozen=True, slots=True)
class Counted:
    """A phrase with a number in it, and perhaps a name: `words.posts(3)` is “3 posts”."""

    forms: Mapping[str, str]
    """By plural category of CLDR; `other` is always there."""
    category: Callable[[int], str]
    """The category of a number in the language of the forms."""
    number: Callable[[int], str]
    """A number as it is written."""

    def __call__(self, count: int, name: str = "") -> str:
        """The phrase with these in their places, in the form that the number needs."""
        text = self.forms.get(self.category(count)) or self.forms["other"]
        return text.format(count=self.number(count), name=_apart(name, text))


def _apart(name: str, text: str) -> str:
    """A name as it may stand in a text that perhaps runs the other way."""
    if hasattr(name, "__html__") or not _kinds(name) & _against(text):
        return name
    return f"{_ISOLATE}{name}{_END}"


def _against(text: str) -> frozenset[str]:
    """The kinds of letters that run against those of a text."""
    return _LEFT_TO_RIGHT if _kinds(text) & _RIGHT_TO_LEFT else _RIGHT_TO_LEFT


def _kinds(text: str) -> set[str]:
    return set(map(unicodedata.bidirectional, text))


VERSION = babel.__version__
"""Another version may write the same day in another way."""

_ENGLISH = "en-GB"
# English of no country is not that of the United States here, which CLDR would take: it is read
# everywhere, and only there is the month written first.
_MEANT = {"en": _ENGLISH}
# The dates of a front page are few, but an archive has them all.
_REMEMBERED = 1 << 14


@dataclass(frozen=True, slots=True)
class Locale:
    """How a language writes dates and numbers."""

    _known: babel.Locale

    @property
    def lineage(self) -> tuple[str, ...]:
        """The tags of the languages that this one may borrow words from, itself first."""
        found, name = [], str(self._known)
        parents = get_global("parent_exceptions")
        while name and name != "root":
            found.append(name.replace("_", "-"))
            name = parents.get(name) or name.rpartition("_")[0]
        return tuple(found)

    def plural(self, count: int) -> str:
        """The CLDR plural category of a number: `one`, `few`, `other` and so on."""
        return self._known.plural_form(count)

    def weekday(self, day: dt.date) -> str:
        """The name of its day of the week, as it stands alone: “Saturday”."""
        return _headed(_written("cccc", self._known, day.toordinal()))

    def date(self, day: dt.date) -> str:
        """As “21 November 2026”."""
        return _written("long", self._known, day.toordinal())

    def month(self, year: int, month: int) -> str:
        """As “November 2026”."""
        return _month(self._known, year, month)

    def time(self, moment: dt.datetime) -> str:
        """As “14:05” or “2:05 PM”, in the time zone of the moment."""
        return _time(self._known, moment.hour, moment.minute)

    def together(self, date: str, time: str) -> str:
        """A date and a time as one: “21 November 2026, 14:05”."""
        pattern = str(self._known.datetime_formats["medium"]).replace("'", "")
        return pattern.format(time, date)

    def number(self, number: float) -> str:
        """A number, with its thousands set apart."""
        if isinstance(number, int) and 0 <= number < 1000:
            return str(number)
        return format_decimal(number, locale=self._known)


@cache
def locale(tag: str) -> Locale:
    """What is known of a language; where its region is not known, of the language without it.

    Dates of a language that is not known at all are English.
    """
    parts = _MEANT.get(tag.lower(), tag).split("-")
    for length in range(len(parts), 0, -1):
        try:
            return Locale(babel.Locale.parse("-".join(parts[:length]), sep="-"))
        except (ValueError, UnknownLocaleError):
            continue
    return locale(_ENGLISH)


@lru_cache(_REMEMBERED)
def _written(pattern: str, known: babel.Locale, ordinal: int) -> str:
    return format_date(dt.date.fromordinal(ordinal), pattern, known)


@lru_cache(_REMEMBERED)
def _month(known: babel.Locale, year: int, month: int) -> str:
    return format_skeleton("yMMMM", dt.date(year, month, 1), locale=known)


@lru_cache(_REMEMBERED)
def _time(known: babel.Locale, hour: int, minute: int) -> str:
    return format_time(dt.time(hour, minute), "short", locale=known)


def _headed(text: str) -> str:
    # French and others write the names of days small, but not where they begin a heading.
    return text[:1].title() + text[1:]


FOLDER = Path(__file__).parent / "languages"
"""A file for each language, called by its tag."""
ENGLISH = "en"
"""Has every word."""
TABLES = ("reasons", "endings")
"""What has words of its own below it."""


def load(language: str) -> Words:
    """The words of a language, or of the nearest that has any; of none, English.

    Each word that is missing comes from the next nearest. Dates and numbers are always those of
    the language itself, if they are known.
    """
    own = locale(language)
    tags = [tag for tag in own.lineage if _file(tag).is_file()]
    said: dict[str, Any] = {}
    for tag in (ENGLISH, *reversed(tags)):
        catalogue = read(tag)
        tables = {name: said.get(name, {}) | catalogue.get(name, {}) for name in TABLES}
        said |= catalogue | tables
    counting = locale(tags[0] if tags else ENGLISH)
    made: dict[str, Any] = {
        word.name: _made(said[word.name], str(word.type), counting, own)
        for word in fields(Words)
        if word.name in said
    }
    version = hashlib.sha256(repr((language, VERSION, said)).encode()).hexdigest()
    return Words(locale=own, version=version, **made)


def read(tag: str) -> dict[str, Any]:
    """A catalogue as it is written: texts, and tables of texts."""
    return tomllib.loads(_file(tag).read_text(encoding="utf-8"))


def _file(tag: str) -> Path:
    return FOLDER / f"{tag}.toml"


def _made(said: Any, kind: str, counting: Locale, writing: Locale) -> object:
    if kind == "Phrase":
        return Phrase(said)
    return Counted(said, counting.plural, writing.number) if kind == "Counted" else said
