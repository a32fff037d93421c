"""What single values of the config mean: durations, sizes, languages, zones, the environment.

Each function takes a value and returns what it means, or raises a `ValueError` whose words follow
the name of the setting. In these words ", not {said}" stands for the value as it was written: a
value itself may hold a secret from the environment, so no message repeats it.
"""

from __future__ import annotations

import hashlib
import os.path
import re
import unicodedata
from datetime import time, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit, urlunsplit
from zoneinfo import ZoneInfo, available_timezones

from planet.model import Weekday
from planet.text import account, address

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping


_MAX_LENGTH: Final = 60
# Letters Unicode does not take apart, in their usual Latin spelling.
_SPELLED: Final = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file: no file may have these names.
RESERVED: Final = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")


def slug(names: Iterable[str | None], *, key: str, taken: Container[str]) -> str:
    """The first of `names` that gives one, in the characters a-z, 0-9 and "-", at most 60 long.

    When it is taken, some digits of a hash of `key` follow it: they depend on nothing else, so
    that a feed keeps its folder when others come and go.
    """
    digest = hashlib.sha256(key.encode()).hexdigest()
    stem = next((found for name in names if name and (found := _plain(name))), "feed")
    if RESERVED.fullmatch(stem):
        stem += "-feed"
    name, digits = stem, 0
    while name in taken:
        digits += 6
        name = f"{stem[: _MAX_LENGTH - digits - 1].rstrip('-')}-{digest[:digits]}"
    return name


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.casefold().translate(_SPELLED))
    ascii_only = letters.encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:_MAX_LENGTH].rstrip("-")


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
    name: zone
    for zone, names in {
        "America/Anchorage": "AKDT AKST",
        "America/Chicago": "CDT CST",
        "America/Denver": "MDT MST",
        "America/Halifax": "ADT AST",
        "America/Los_Angeles": "PDT PST",
        "America/Sao_Paulo": "BRT",
        "Africa/Johannesburg": "SAST",
        "Asia/Hong_Kong": "HKT",
        "Asia/Jakarta": "WIB",
        "Asia/Kolkata": "IST",
        "Asia/Seoul": "KST",
        "Asia/Singapore": "SGT",
        "Asia/Tokyo": "JST",
        "Australia/Adelaide": "ACDT ACST",
        "Australia/Perth": "AWST",
        "Australia/Sydney": "AEDT AEST",
        "Europe/Berlin": "CEST",
        "Europe/Helsinki": "EEST",
        "Europe/Lisbon": "WEST",
        "Europe/London": "BST",
        "Europe/Moscow": "MSK",
        "Pacific/Auckland": "NZDT NZST",
    }.items()
    for name in names.split()
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


# At least two characters: `C:\feeds` is a path.
SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(.*)", re.DOTALL)
_FEED_SCHEME: Final = re.compile(r"feed:(?://)?(.+)", re.IGNORECASE | re.DOTALL)
_HOST: Final = re.compile(r"[\w-]+(\.[\w-]+)*\.([^\W\d_]{2,})(:[0-9]+)?")
_SUFFIXES: Final = frozenset({"atom", "json", "opml", "rdf", "rss", "txt", "xml"})


def checked(written: str) -> str:
    """The address or path of a feed, or the name of who writes it, without the blanks around it.

    Raises:
        ValueError: it is neither, in words that follow the name of the setting.
    """
    text = secret(written.strip())
    if re.search(r"[<>]", text):
        raise ValueError("has an angle bracket in it; write the bare address")
    if account.looks_like_name(text):
        _check_name(text)
        return text
    match = SCHEME.fullmatch(text)
    scheme = match[1].lower() if match else ""
    if scheme in ("http", "https"):
        _check_web(text)
    elif scheme == "feed":
        raise ValueError('begins with "feed:"; write https:// instead')
    elif scheme == "file":
        parts = urlsplit(text)
        if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
            raise ValueError('must be file:/// and a full path, or a path without "file:"')
    elif _forgot_scheme(text, match):
        raise ValueError('looks like a web address without https://; begin a path with "./"')
    elif match:
        raise ValueError("must begin with https:// or http://, or be the path of a file")
    return text


def located(written: str, folder: Path) -> str:
    """The absolute, normalised address of what `checked` let pass; paths start at `folder`."""
    if known_as := account.name(written):
        return known_as
    if written.lower().startswith(("http:", "https:")):
        return address.same(written)
    path = unquote(urlsplit(written).path) if written.lower().startswith("file:") else written
    return Path(os.path.normpath(folder.absolute() / path)).as_uri()


def without_feed_scheme(written: str) -> str:
    """The web address that `feed:https://…` and `feed://…` mean; any other text as it is.

    `feed:` was put before addresses so that browsers hand them to a feed reader.
    """
    found = _FEED_SCHEME.fullmatch(written.strip())
    if found is None:
        return written
    return found[1] if found[1].lower().startswith(("http:", "https:")) else f"https://{found[1]}"


def _check_name(text: str) -> None:
    if account.name(text) is None:
        raise ValueError(
            "is not the name of an account; write acct:user@host, or at:// and a handle or did:"
        )


def _check_web(text: str) -> None:
    if re.search(r"\s", text):
        raise ValueError("has a blank in it; is that one web address?")
    if address.web(text) is None:
        raise ValueError("is not a web address")
    if "@" in urlsplit(text).netloc:
        raise ValueError('must not hold a password; write "auth: {user: …, password: …}"')


def _forgot_scheme(text: str, match: re.Match[str] | None) -> bool:
    """Whether `example.org/feed`, `//example.org` or `localhost:8000/feed` is meant as a host."""
    if text.startswith("//") or (match and re.match(r"[0-9]", match[2])):
        return True
    first, slash, _ = text.partition("/")
    host = _HOST.fullmatch(first)
    return host is not None and (bool(slash) or host[2].lower() not in _SUFFIXES)


_PEM: Final = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----\n.+\n-----END [A-Z ]+-----\n", re.DOTALL
)


def private_key(text: str) -> str:
    """A private key in PEM; one that is kept on one line has its line ends back.

    Raises:
        ValueError: it is none, in words that follow the name of the setting.
    """
    key = text.replace("\\n", "\n").strip() + "\n"
    if not _PEM.fullmatch(key):
        raise ValueError("must be a private key in PEM, which begins with -----BEGIN")
    return key


_REASONS: Final = {
    name: reason
    for reason, names in {
        "Planet asks as a cache does": "cache-control pragma",
        "Planet asks for whole feeds": "a-im range",
        "Planet sends what the last answer said": "if-match if-modified-since if-none-match "
        "if-range if-unmodified-since",
        "a request for a feed has no body": "content-length",
        "feeds are asked for without cookies": "cookie",
        "it belongs to the connection, not to the feed (RFC 9110 §7.6.1)": "connection keep-alive "
        "proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
        "upgrade",
        "it follows from the address": "host",
        'publishers must know who asks; "fetch.contact" adds a page about you to it': "user-agent",
        "what is sent must stay what Planet can unpack, and the same each time": "accept-encoding",
    }.items()
    for name in names.split()
}


def name(text: str) -> str:
    """The name of a header that may be sent.

    Raises:
        ValueError: it is not a token (RFC 9110 §5.6.2), or Planet's own business.
    """
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", text):
        raise ValueError("is not the name of a header")
    if reason := _REASONS.get(text.lower()):
        raise ValueError(f"cannot be set: {reason}")
    return text


def value(text: str) -> str:
    """The value of a header, without the blanks around it (RFC 9110 §5.5)."""
    stripped = text.strip()
    # A secret that was read from a file brings its line end along; one inside is an injection.
    if not re.fullmatch(r"[\t\x20-\x7e\xa0-\xff]*", stripped):
        raise ValueError("has a line break or a character in it that no header can carry")
    return stripped


def distinct(headers: Mapping[str, str]) -> Mapping[str, str]:
    """The headers, when no name comes twice in another case."""
    names = [each.lower() for each in headers]
    if twice := [each for each in headers if names.count(each.lower()) > 1]:
        raise ValueError(f"has one header under two names: {', '.join(twice)}")
    return headers
