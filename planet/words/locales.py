"""Dates, times and numbers as a language writes them, from CLDR. The only module that sees Babel.

Days are Gregorian and digits are 0 to 9 in every language. Nothing here asks the host for its own
language or time zone.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cache, lru_cache

import babel
from babel.core import UnknownLocaleError, get_global
from babel.dates import format_date, format_skeleton, format_time
from babel.numbers import format_decimal

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
