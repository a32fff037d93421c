"""A language → the words, dates and numbers of pages and feeds.

The words come from the catalogues in `languages/`, dates and numbers from CLDR. The only door to
Babel: import this module where words are needed, for most runs need none.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import unicodedata
from functools import cache, partial
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import babel
import msgspec
from babel.core import UnknownLocaleError, get_global
from babel.dates import format_date, format_skeleton, format_time
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from planet.model import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from babel.messages.catalog import Catalog, Message

    from planet.model import GivenUp


# RFC 5646 §2.1: of subtags, only a script is four letters right behind the language.
_SCRIPT = re.compile("[a-z]{2,3}-([a-z]{4})(?:-|$)", re.IGNORECASE)


def direction(language: str) -> str:
    """Return `rtl` or `ltr`: how pages in this language run (CLDR, characterOrder)."""
    # CLDR has dates for few languages in a script that is not their usual one, and all of it.
    script = _SCRIPT.match(language)
    return _find_locale(f"und-{script[1]}" if script else language).text_direction


# How letters run: kinds of Unicode Standard Annex 9, §3.2.
_LEFT_TO_RIGHT, _RIGHT_TO_LEFT = frozenset({"L"}), frozenset({"R", "AL"})
# First strong isolate, and its end (§2.4 there).
_ISOLATE, _END = "\u2068", "\u2069"


class Phrase(msgspec.Struct, frozen=True):
    """A phrase with a place for a name: `words.since("1 May 2026")` is “since 1 May 2026”."""

    text: str

    def __call__(self, name: str, **others: str) -> str:
        """Return the phrase with this name in its place, and others in theirs.

        A name in the other direction than the phrase is kept apart, and so does not carry the
        neighbours along. For a name of clean HTML the phrase is clean HTML, too.
        """
        # What is clean HTML says so by its type, and so does what is made of it.
        kind = type(name)
        names = {key: _apart(other, self.text) for key, other in others.items()}
        return kind(self.text).format(name=_apart(name, self.text), **names)


class Counted(msgspec.Struct, frozen=True):
    """A phrase with a place for a number, and perhaps a name: `words.posts(3)` is “3 posts”."""

    form: Callable[[int], str]
    """The text in the form that a number needs."""
    number: Callable[[int], str]
    """A number in writing."""

    def __call__(self, count: int, name: str = "") -> str:
        """Return the phrase with number and name, in the form for the number."""
        text = self.form(count)
        return text.format(count=self.number(count), name=_apart(name, text))


def _apart(name: str, text: str) -> str:
    """Return a name, kept apart in a text of the other direction."""
    against = _LEFT_TO_RIGHT if _kinds(text) & _RIGHT_TO_LEFT else _RIGHT_TO_LEFT
    if not name or hasattr(name, "__html__") or not _kinds(name) & against:
        return name
    return f"{_ISOLATE}{name}{_END}"


def _kinds(text: str) -> set[str]:
    return set(map(unicodedata.bidirectional, text))


VERSION = babel.__version__
"""Another version may write the same day in another way."""

_ENGLISH = "en-GB"
# English of no country is not that of the United States here, which CLDR would take: it is read
# everywhere, and only there is the month written first.
_MEANT = {"en": _ENGLISH}


class Words:
    """The words of a catalogue, and the dates and numbers of a locale.

    A word is an attribute, called as its context in the catalogues.
    """

    endings: Mapping[str, str]
    """Why a feed is not asked any more, by the name of the reason."""

    def __init__(self, locale: babel.Locale, version: str, words: Mapping[str, Any]) -> None:
        vars(self).update(words)
        self.version = version
        """Changes with every word, and with all that dates and numbers are written by."""
        self._locale = locale
        self._both = str(locale.datetime_formats["medium"]).replace("'", "")
        # Pages name the same days and minutes again and again, and a post is on several: Babel was
        # a fifth of what it costs to draw a site.
        self._long_date = cache(partial(format_date, format="long", locale=locale))
        self._short_time = cache(partial(format_time, format="short", locale=locale))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __repr__(self) -> str:
        """Return the version, which stands for all words in a fingerprint."""
        return f"Words({self.version})"

    def weekday(self, day: dt.date) -> str:
        """Return the name of the day of the week, standing alone: “Saturday”."""
        name = format_date(day, "cccc", self._locale)
        # French and others write it small, but not where it begins a heading.
        return name[:1].title() + name[1:]

    def date(self, day: dt.date) -> str:
        """Write a day as “21 November 2026”."""
        return self._long_date(dt.date(day.year, day.month, day.day))

    def month(self, year: int, month: int) -> str:
        """Write a month as “November 2026”."""
        return format_skeleton("yMMMM", dt.date(year, month, 1), locale=self._locale)

    def short_month(self, month: int) -> str:
        """Return the short name of a month, standing alone: “Nov”."""
        return str(self._locale.months["stand-alone"]["abbreviated"][month])

    def time(self, moment: dt.datetime) -> str:
        """Write a time as “14:05” or “2:05 PM”, in the time zone of the moment."""
        return self._short_time(dt.time(moment.hour, moment.minute))

    def both(self, moment: dt.datetime) -> str:
        """Write a moment as “21 November 2026, 14:05”."""
        return self._both.format(self.time(moment), self.date(moment))

    def number(self, number: float) -> str:
        """Write a number with thousands set apart."""
        return _write_number(number, self._locale)

    def size(self, length: int | None) -> str | None:
        """Write a size in decimal units, as “34 MB”; None when unknown."""
        if length is None or length <= 0:
            return None
        amount, (unit, *larger) = float(length), self.size_units.split(" ")
        while amount >= 999.5 and larger:
            amount, unit = amount / 1000, larger.pop(0)
        rounded = round(amount) if amount >= 9.95 or length < 1000 else round(amount, 1)
        return f"{self.number(rounded)} {unit}"

    def why_given_up(self, reason: GivenUp) -> str:
        """Return why a feed is not polled any more."""
        return self.endings[reason.name.lower()]


def _write_number(number: float, locale: babel.Locale) -> str:
    if isinstance(number, int) and 0 <= number < 1000:
        return str(number)
    return str(format_decimal(number, locale=locale))


def _find_locale(tag: str) -> babel.Locale:
    """Return the locale of a language tag, without an unknown region.

    An unknown language has the locale of English.
    """
    parts = _MEANT.get(tag.lower(), tag).split("-")
    for length in range(len(parts), 0, -1):
        try:
            return babel.Locale.parse("-".join(parts[:length]), sep="-")
        except (ValueError, UnknownLocaleError):
            continue
    return _find_locale(_ENGLISH)


def _lineage(locale: babel.Locale) -> Iterator[str]:
    """Yield a locale and those to borrow words from, the nearest first."""
    name = str(locale)
    parents, likely = get_global("parent_exceptions"), get_global("likely_subtags")
    while name and name != "root":
        yield name
        language, _, rest = name.rpartition("_")
        # Who reads one script need not read another (CLDR: the parent of zh_Hant is root).
        is_script = len(rest) == len("Hant")
        if is_script and not likely.get(language, name).startswith(name):
            break
        name = parents.get(name) or language


FOLDER = Path(__file__).parent / "languages"
"""A catalogue of gettext for each language, by locale."""
TEMPLATE = FOLDER / "planet.pot"
"""Every word in English; its context is its name here, or `endings.` and that of a reason."""


@cache
def speak(language: str) -> Words:
    """Return the words of a language by tag; `docs/templates.md` names each.

    Each word comes from the nearest language with the word, at last from English. Dates and numbers
    are always those of the language itself, if CLDR has them.
    """
    return load(language)


def load(language: str, *, folder: Path = FOLDER) -> Words:
    """Return the words of a language from a folder of catalogues; fuzzy ones count as missing."""
    locale = _find_locale(language)
    files = [file for name in _lineage(locale) if (file := folder / f"{name}.po").is_file()]
    translations = NullTranslations()
    for file in reversed(files):
        nearer = _translations(file)
        nearer.add_fallback(translations)
        translations = nearer
    words: dict[str, Any] = {"endings": {}}
    for message in read(TEMPLATE):
        name, english = message.context or "", message.id
        if not isinstance(english, str):
            form = partial(translations.npgettext, name, *english)
            words[name] = Counted(form, partial(_write_number, locale=locale))
            continue
        text = translations.pgettext(name, english)
        table, _, reason = name.rpartition(".")
        if table:
            words["endings"][reason] = text
        else:
            words[name] = Phrase(text) if message.python_brace_format else text
    written = [file.read_bytes() for file in (TEMPLATE, *files)]
    version = fingerprint(language, VERSION, written)
    return Words(locale, version, words)


def read(file: Path) -> list[Message]:
    """Return the messages of a catalogue, in order."""
    return [message for message in _catalog(file) if message.id]


def _catalog(file: Path) -> Catalog:
    with file.open("rb") as content:
        # Without a locale, Babel forgets the plural forms that the catalogue names.
        return read_po(content, locale=file.stem)


def _translations(file: Path) -> NullTranslations:
    """Return the translations of a catalogue."""
    compiled = io.BytesIO()
    write_mo(compiled, _catalog(file))
    compiled.seek(0)
    return GNUTranslations(compiled)
