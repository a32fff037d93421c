"""Dates as feeds write them → aware UTC datetimes.

Strict forms first (ISO 8601, Unix time), then whatever has a clock, a zone, and a date in numbers
or with the name of a month: RFC 822 with many deviations, and dates written for people. Ambiguous
dates are read the American way with slashes and hyphens, else the European way; where the year may
be the day, there is no date. Neither the host's time zone nor today's date plays a part.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta

# Three or four letters without accents: English first, then what German, French, Spanish, Italian,
# Portuguese, Dutch and Swedish write otherwise.
_MONTHS = (
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "ene fev mrt avr mai jui lug aou set okt nov dez",
    "gen feb maa abr maj giu juil ago sep out nov dic",
)
MONTHS = {name: month for row in _MONTHS for month, name in enumerate(row.split(), start=1)}
# RFC 822 §5.1 and what else feeds use; a name that is not here is taken for UTC.
_ZONES = """
    hst-10 akst-9 akdt-8 pst-8 pt-8 pdt-7 mst-7 mt-7 mdt-6 cst-6 ct-6 cdt-5 est-5 et-5 edt-4 at-4
    bst+1 cet+1 met+1 mez+1 cest+2 mest+2 mesz+2 eet+2 eest+3 msk+3 jst+9 kst+9 aest+10 nzst+12
"""
ZONES = {name: int(hours) for name, hours in re.findall(r"([a-z]+)([-+]\d+)", _ZONES)}

# What is not set counts as zero somewhere, and zones shift it. Feeds do have posts from before,
# but fewer than unset dates.
_EARLIEST = datetime(1970, 1, 3, tzinfo=UTC)
_LATEST = datetime(2100, 1, 1, tzinfo=UTC)
_MAX_LENGTH = 100
# No zone is further from UTC (Line Islands): what is, is a mistake.
_FURTHEST = timedelta(hours=14)

# As nearly all of RSS does.
_RFC_822 = re.compile(
    r"[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) (?:GMT|([+-]\d{4}))", re.ASCII
)
_CLOCK = re.compile(
    r"(?<![\d:+-])(?P<hour>\d\d?):(?P<minute>\d\d?)"
    r"(?::(?P<second>\d\d?))?(?:[.,]\d+)?\s*(?P<half>[ap]\.?m\b\.?)?"
)
# Chinese and Japanese, which have it before the clock.
_HALVES = {"上午": "am", "午前": "am", "下午": "pm", "午後": "pm"}
_OFFSET = re.compile(r"(?<!\d)([-+])(\d\d?):?(\d\d)?(?![-/.\d])")
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})\s?[-/.年]\s?(\d\d?)\s?(?:[-/.月]\s?(\d\d?))?(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(\d\d?)([-/. ])(\d\d?)\2(\d{4}|\d\d)(?!\d)")
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"(?<!\d)(?:\d{1,2}|\d{4})(?!\d)")


def parse_date(*candidates: object) -> datetime | None:
    """Return the first candidate that is a date, in UTC; None when none is.

    A date without a time is midnight; a time without a plausible zone is UTC. Dates before 3
    January 1970, which mostly stand for "not set", and after 2099 are no dates.
    """
    for written in candidates:
        text = written.strip() if isinstance(written, str) else ""
        if text and len(text) <= _MAX_LENGTH:
            try:
                when = _parse_strictly(text) or _parse_loosely(text)
            except (ValueError, OverflowError):
                continue
            if when is not None and _EARLIEST <= when <= _LATEST:
                return when
    return None


def _parse_strictly(text: str) -> datetime | None:
    if match := _RFC_822.fullmatch(text):
        day, month, year, clock, zone = match.groups("")
        text = f"{year}-{MONTHS.get(month.lower(), 0):02}-{day}T{clock}{zone}"
    if text.isdecimal() and len(text) in (10, 13):
        return datetime.fromtimestamp(int(text[:10]), UTC)
    if len(text) == 4:
        return datetime(int(text), 1, 1, tzinfo=UTC)
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    return when.replace(tzinfo=UTC) - _believe(when.utcoffset() or timedelta())


def _believe(ahead: timedelta) -> timedelta:
    return ahead if abs(ahead) <= _FURTHEST else timedelta()


def _parse_loosely(text: str) -> datetime | None:
    parts = unicodedata.normalize("NFKD", text.casefold())
    words = "".join(character for character in parts if not unicodedata.combining(character))
    clock = _CLOCK.search(words)
    if clock is None:
        return _find_day(words)
    before, after = words[: clock.start()], words[clock.end() :]
    # Added, not set: 24:00 and a leap second are valid there, but no datetime.
    hour, minute, second = (int(clock[part] or 0) for part in ("hour", "minute", "second"))
    if half := clock["half"] or _HALVES.get(before.rstrip()[-2:]):
        hour = hour % 12 + 12 * half.startswith("p")
    if offset := _OFFSET.search(after):
        after = after[: offset.start()] + after[offset.end() :]
        ahead = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        ahead = -ahead if offset[1] == "-" else ahead
    else:
        named = (ZONES[word] for word in _WORD.findall(after) if word in ZONES)
        ahead = timedelta(hours=next(named, 0))
    day = _find_day(f"{before} {after}")
    if day is None or hour > 24:
        return None
    return day + timedelta(hours=hour, minutes=minute, seconds=second) - _believe(ahead)


def _find_day(words: str) -> datetime | None:
    """Find the day in words without a clock; return its midnight."""
    names = [MONTHS.get(word[:4]) or MONTHS.get(word[:3]) for word in _WORD.findall(words)]
    if ordered := _YEAR_FIRST.search(words):
        year, month, day = ordered.groups("1")
    elif months := list(filter(None, names)):
        numbers = _NUMBER.findall(words)
        years = [number for number in numbers if len(number) == 4]
        others = [number for number in numbers if len(number) < 4]
        if not years and len(others) < 2:
            return None
        # The last one: "mar., 01 déc. 2020" is a Tuesday.
        month = str(months[-1])
        year, day = (years[0], [*others, "1"][0]) if years else (others[1], others[0])
    elif ordered := _YEAR_LAST.search(words):
        first, between, second, year = ordered.groups()
        # 18/01/30 may be in 2018 or in 2030; the month stands in the middle either way.
        if between in "/-" and int(first) > 12 and int(year) <= 31:
            return None
        day_first = between in ". " or int(first) > 12
        day, month = (first, second) if day_first else (second, first)
    else:
        return None
    # RFC 2822 §4.3, but with the turn where feeds can have none on the wrong side. One digit is the
    # year that programs begin with.
    century = (2000 if int(year) < 70 else 1900) if len(year) == 2 else 0
    return datetime(int(year) + century, int(month), int(day), tzinfo=UTC)
