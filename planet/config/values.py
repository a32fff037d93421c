"""What single values of the config mean: durations, sizes, languages, zones, the environment.

Each function takes a value and returns what it means, or raises a `ValueError` whose words follow
the name of the setting. In these words ", not {said}" stands for the value as it was written: a
value itself may hold a secret from the environment, so no message repeats it.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import time, timedelta
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit, urlunsplit
from zoneinfo import ZoneInfo, available_timezones

from planet import address
from planet.config.slug import RESERVED
from planet.model import Weekday

if TYPE_CHECKING:
    from collections.abc import Mapping

_UNITS: Final = {
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
# Longer ones would lead out of the years a date can have.
_LONGEST: Final = timedelta(days=36500)
_LONGEST_NAME: Final = 60
_SIZES: Final = {
    "B": 1,
    "kB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "KiB": 1024,
    "MiB": 1024**2,
    "GiB": 1024**3,
}
CLOCK: Final = r"([01]?[0-9]|2[0-3]):([0-5][0-9])"
LIST_NAME: Final = r"[a-z0-9]+(-[a-z0-9]+)*"
DURATION: Final = r"([0-9]{1,12}) ?([smhdw])"
SIZE: Final = r"([0-9]{1,12}) ?(" + "|".join(_SIZES) + ")"
VARIABLE: Final = r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}"
# RFC 5646 §2.1 without the grandfathered tags, and with languages of two or three letters only.
LANGUAGE: Final = (
    r"[A-Za-z]{2,3}(-[A-Za-z]{3}){0,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?"
    r"(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(-[0-9A-WYZa-wyz](-[A-Za-z0-9]{2,8})+)*"
    r"(-[Xx](-[A-Za-z0-9]{1,8})+)?"
)


def expanded(text: str, environ: Mapping[str, str]) -> str:
    """`text` with each `${NAME}` replaced from `environ`.

    A variable that is empty counts as not set: that is how CI hands on a secret nobody entered.
    """

    def replaced(match: re.Match[str]) -> str:
        value = environ.get(match[1])
        if not value:
            raise ValueError(f"needs the environment variable {match[1]}, which is not set")
        return value

    if "${" in re.sub(VARIABLE, "", text):
        raise ValueError('has a "${" that no name and "}" follow')
    return re.sub(VARIABLE, replaced, text)


def line(text: str) -> str:
    """Text on one line, with blanks collapsed."""
    words = " ".join(text.split())
    if not words:
        raise ValueError("must not be empty")
    return _writable(words)


def secret(text: str) -> str:
    """Text that is passed on as it is."""
    if not text:
        raise ValueError("must not be empty")
    return _writable(text)


def email(text: str) -> str:
    """A mail address, as far as can be told without sending to it."""
    if not re.fullmatch(r"[^@\s<>]+@[^@\s<>]+", text):
        raise ValueError("must be a mail address")
    return _writable(text)


def user_name(text: str) -> str:
    """A user name for HTTP Basic authentication (RFC 7617 §2)."""
    if ":" in text:
        raise ValueError("must not have a colon in it")
    return secret(text)


def _writable(text: str) -> str:
    """Text without characters that break what it is written to."""
    # Cc breaks XML and headers; Cs is how bytes that are not UTF-8 come from the environment.
    if not text.isprintable() and {"Cc", "Cs"} & set(map(unicodedata.category, text)):
        raise ValueError("has a character in it that cannot be written")
    return text


def duration(value: object) -> timedelta:
    """A duration of one number and one unit; it may be zero."""
    if isinstance(value, int) and not isinstance(value, bool):
        raise ValueError("needs a unit, as in 90s, 30m, 3h, 2d or 4w, not {said}")
    match = re.fullmatch(DURATION, value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError("must be a duration such as 90s, 30m, 3h, 2d or 4w, not {said}")
    if int(match[1]) > _LONGEST / _UNITS[match[2]]:
        raise ValueError("must be at most a hundred years, not {said}")
    return int(match[1]) * _UNITS[match[2]]


def period(value: object) -> timedelta:
    """A duration longer than zero."""
    if not (length := duration(value)):
        raise ValueError("must be longer than zero")
    return length


def spoken(length: timedelta) -> str:
    """A duration as the config writes it."""
    for unit in ("d", "h", "m"):
        if length and not length % _UNITS[unit]:
            return f"{length // _UNITS[unit]}{unit}"
    return f"{length // _UNITS['s']}s"


def clock(value: object) -> time:
    """A time of day, in hours and minutes."""
    match = re.fullmatch(CLOCK, value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError('must be a time of day in quotes such as "07:00", not {said}')
    return time(int(match[1]), int(match[2]))


def weekday(value: object) -> Weekday:
    """A day of the week, by its English name or the first three letters of it."""
    said = value.strip().casefold() if isinstance(value, str) else ""
    found = [day for day in Weekday if said in (day, day[:3])]
    if not found:
        raise ValueError("must be a day of the week such as monday or mon, not {said}")
    return found[0]


def list_name(text: str) -> str:
    """The name of a list of picks, which is the name of its folder, too."""
    if len(text) > _LONGEST_NAME or not re.fullmatch(LIST_NAME, text):
        raise ValueError(
            'must be made of a-z, 0-9 and "-", at most 60 characters, such as "road-trips", '
            "not {said}"
        )
    if RESERVED.fullmatch(text):
        raise ValueError("must be a name that a folder can have on Windows, too, not {said}")
    return text


def size(value: object) -> int:
    """A number of bytes above zero, from a plain number or one with a unit."""
    match = re.fullmatch(SIZE, value.strip()) if isinstance(value, str) else None
    if match:
        value = int(match[1]) * _SIZES[match[2]]
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("must be a size such as 500kB, 8MiB or 1000000, not {said}")
    if value < 1:
        raise ValueError("must be more than zero, not {said}")
    return value


def count_or_all(value: object) -> int | str:
    """A whole number from zero up, or the word `all`."""
    if value == "all":
        return "all"
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise ValueError('must be a whole number from 0 up, or "all", not {said}')


def scalar(value: object) -> str | int | float | bool:
    """Anything that is neither a list nor a mapping."""
    if not isinstance(value, str | int | float | bool):
        raise ValueError("must be text, a number, true or false")
    return value


def language(tag: str) -> str:
    """A language tag (BCP 47)."""
    if re.fullmatch(LANGUAGE, tag):
        return tag
    better = tag.replace("_", "-")
    hint = f'; did you mean "{better}"?' if re.fullmatch(LANGUAGE, better) else ""
    raise ValueError(f'must be a language tag such as "en" or "pt-BR", not {{said}}{hint}')


def zone(value: object) -> ZoneInfo:
    """A time zone of the IANA database."""
    names = "Europe/Berlin or UTC"
    if not isinstance(value, str):
        raise ValueError(f"must be the name of a time zone such as {names}, not {{said}}")
    try:
        # "localtime" is a file on many systems, and would make pages differ from host to host.
        if value != "localtime":
            return ZoneInfo(value)
    except (KeyError, ValueError, OSError):  # unknown; not a file name; a folder such as "Europe"
        pass
    if re.fullmatch(r"(?i:UTC|GMT)? ?[+-]?[0-9].*", value):
        # Of the zones with numbers in their names, Etc/GMT-2 is the one that is ahead by two hours.
        hint = "; a place has a name of its own, so that its summer time is known"
    elif place := _ABBREVIATIONS.get(value.upper()):
        hint = f'; did you mean "{place}"?'
    else:
        zones = sorted(available_timezones() - {"localtime"})
        # One abbreviation is not like another because it has the same letters.
        near = [] if value.isupper() else get_close_matches(value, zones, n=1)
        hint = f'; did you mean "{near[0]}"?' if near else ""
    raise ValueError(f"must be the name of a time zone such as {names}, not {{said}}{hint}")


_ABBREVIATIONS: Final = {
    "ACDT": "Australia/Adelaide",
    "ACST": "Australia/Adelaide",
    "AEDT": "Australia/Sydney",
    "AEST": "Australia/Sydney",
    "AKDT": "America/Anchorage",
    "AKST": "America/Anchorage",
    "AST": "America/Halifax",
    "ADT": "America/Halifax",
    "AWST": "Australia/Perth",
    "BRT": "America/Sao_Paulo",
    "BST": "Europe/London",
    "CDT": "America/Chicago",
    "CEST": "Europe/Berlin",
    "CST": "America/Chicago",
    "EDT": "America/New_York",
    "EEST": "Europe/Helsinki",
    "HKT": "Asia/Hong_Kong",
    "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
    "KST": "Asia/Seoul",
    "MDT": "America/Denver",
    "MSK": "Europe/Moscow",
    "NZDT": "Pacific/Auckland",
    "NZST": "Pacific/Auckland",
    "PDT": "America/Los_Angeles",
    "PST": "America/Los_Angeles",
    "SAST": "Africa/Johannesburg",
    "SGT": "Asia/Singapore",
    "WEST": "Europe/Lisbon",
    "WIB": "Asia/Jakarta",
}
"""What clocks show in zones that have no name of this kind, and where it is meant most often."""


def web_address(text: str) -> str:
    """An absolute http or https address."""
    absolute = None if re.search(r"[\s<>]", _writable(text.strip())) else address.web(text)
    if absolute is None:
        raise ValueError("must be a web address that begins with https:// or http://")
    return absolute


def site_address(text: str) -> str:
    """The web address of a folder, ending in a slash."""
    parts = urlsplit(web_address(text))
    if parts.query or parts.fragment:
        raise ValueError('must be the address of a folder, without "?" and "#"')
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + "/"))


def origin(text: str) -> str:
    """The web address of a whole server, without a slash at its end."""
    parts = urlsplit(web_address(text))
    if parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("must be the address of a server, without anything behind its name")
    return f"{parts.scheme}://{parts.netloc}"


def path(text: str) -> str:
    """The path of a file or folder."""
    if text.startswith("~"):
        raise ValueError('begins with "~", which only a shell understands; write "${HOME}"')
    return secret(text)
