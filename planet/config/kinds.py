"""The kinds of values of settings, each with its check and its JSON Schema.

A check takes a value and returns the meaning, or raises a `ValueError`. The words of the error
follow the name of the setting; other arguments are the steps to the mistaken part of the value.
After words with "must be" at the beginning, the message quotes the value as written in the file:
no message repeats a value with variables filled in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable  # noqa: TC003 - types of fields are looked up
from datetime import UTC, datetime, time, timedelta
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit, urlunsplit
from zoneinfo import ZoneInfo, available_timezones

import msgspec
from msgspec.structs import replace

from planet.errors import suggestion
from planet.model import Field, Pattern
from planet.model.secrets import Secret
from planet.text import account, address

if TYPE_CHECKING:
    import regex


VARIABLE: Final = r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}"
"""A variable of the environment in a text."""


class Kind(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A kind of value, with a check, and a schema for editors."""

    parse: Callable[[Any], Any]
    """Return the meaning of a value.

    Raises:
        ValueError: the value does not fit.
    """
    schema: dict[str, Any]


def only_text(value: object) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise ValueError("must be text")
    return value


def only_mapping(value: object) -> dict[str, Any]:
    """Return a mapping."""
    if not isinstance(value, dict):
        raise ValueError('must be a mapping, as in "name: value"')
    return value


def _text(check: Callable[[str], Any], comment: str = "", pattern: str = "", **schema: Any) -> Kind:
    """Make a kind of texts; `pattern` is for editors, which know no `check`."""
    own: dict[str, Any] = {"$comment": comment} if comment else {}
    if pattern:
        # `${NAME}` may stand for any text.
        own["pattern"] = f"^({pattern})$|{VARIABLE}"
    return Kind(
        parse=lambda value: check(only_text(value)), schema={"type": "string", **own, **schema}
    )


def _matching(
    pattern: str,
    words: str,
    comment: str = "",
    *,
    meaning: Callable[[re.Match[str]], Any] = lambda match: match[0],
    **schema: Any,
) -> Kind:
    """Make a kind of texts by a pattern; other texts raise these words."""

    def check(text: str) -> Any:
        if not (match := re.fullmatch(pattern, text.strip())):
            raise ValueError(words)
        return meaning(match)

    return _text(check, comment, pattern, **schema)


def _number(words: str = "", **limits: Any) -> Kind:
    """Make a kind of whole numbers; the words are for the limits, a `minimum` and a `maximum`."""
    least, most = limits.get("minimum", -inf), limits.get("maximum", inf)

    def check(text: str) -> int:
        if not re.fullmatch("-?[0-9]{1,12}", text) or not least <= int(text) <= most:
            raise ValueError(f"must be a whole number{words}")
        return int(text)

    return _text(check, type="integer", **limits)


def _secret(kind: Kind) -> Kind:
    """Return a kind with hidden values."""
    return replace(kind, parse=lambda value: Secret(kind.parse(value)))


# Texts


def one_line(text: str) -> str:
    """Return a text on one line, with blanks collapsed."""
    return check_text(" ".join(text.split()))


def check_text(text: str) -> str:
    """Return a text, unless empty, or with characters for no file and no header."""
    if not text:
        raise ValueError("must not be empty")
    # Cc breaks XML and headers; Cs is how bytes that are not UTF-8 come from the environment.
    if not text.isprintable() and {"Cc", "Cs"} & set(map(unicodedata.category, text)):
        raise ValueError("has a character in it that cannot be written")
    return text


def _check_verbatim(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


_CATEGORIES: Final = (
    *("Arts", "Business", "Comedy", "Education", "Fiction", "Government", "Health & Fitness"),
    *("History", "Kids & Family", "Leisure", "Music", "News", "Religion & Spirituality", "Science"),
    *("Society & Culture", "Sports", "Technology", "True Crime", "TV & Film"),
)
"""The categories of Apple Podcasts; their subcategories are not checked."""


# Numbers, times and truth


_SIZES = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9}
_SIZES |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604_800}
_DURATION: Final = r"([0-9]{1,12}) ?([smhdw])"
# Longer ones would lead out of the years a date can have.
_LONGEST: Final = 36500 * _UNITS["d"]
_SWITCH: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def parse_duration(text: str) -> timedelta:
    """Parse a duration of a config, such as `90s` or `2d`.

    Raises:
        ValueError: the text is no duration, or one of more than a hundred years.
    """
    match = re.fullmatch(_DURATION, text.strip())
    if match is None:
        raise ValueError("must be a duration such as 90s, 30m, 3h, 2d or 4w")
    if (seconds := int(match[1]) * _UNITS[match[2]]) > _LONGEST:
        raise ValueError("must be at most a hundred years")
    return timedelta(seconds=seconds)


def _parse_period(text: str) -> timedelta:
    if not (length := parse_duration(text)):
        raise ValueError("must be longer than zero")
    return length


def format_duration(length: timedelta) -> str:
    """Format a duration as in a config."""
    seconds = int(length.total_seconds())
    unit = next((unit for unit in "dhm" if seconds and not seconds % _UNITS[unit]), "s")
    return f"{seconds // _UNITS[unit]}{unit}"


def _parse_switch(value: object, words: str = "must be true or false") -> bool:
    """Parse `true`, `yes` and `on`, or their contraries, in any case."""
    if not isinstance(value, str) or value.lower() not in _SWITCH:
        raise ValueError(words)
    return _SWITCH[value.lower()]


ARCHIVED: Final = "archived"
"""The value of `enabled` for a feed whose site has ended."""
_NO_SWITCH: Final = f'must be true, false or "{ARCHIVED}"'


def _parse_scalar(text: str) -> str | int | float | bool:
    """Return the number, truth value or text of a bare scalar in YAML."""
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?\d{1,18}\.\d{1,18}", text, re.ASCII):
        return float(text)
    return int(text) if re.fullmatch(r"-?\d{1,18}", text, re.ASCII) else text


def _parse_zone(text: str) -> ZoneInfo:
    try:
        # "localtime" is a file on many systems, and would make pages differ from host to host.
        if text != "localtime":
            return ZoneInfo(text)
    except (KeyError, ValueError, OSError):  # unknown; not a file name; a folder such as "Europe"
        pass
    # Abbreviations and offsets are like others that mean another time: Etc/GMT-2 is UTC+2.
    is_place = not re.search("[0-9]", text) and not text.isupper()
    hint = suggestion(text, available_timezones() - {text}) if is_place else ""
    raise ValueError(f"must be the name of a time zone such as Europe/Berlin or UTC{hint}")


_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2100, 1, 2, tzinfo=UTC)


def _parse_moment(text: str) -> datetime:
    """Parse a moment; a moment without a zone is in UTC."""
    words = "must be a date from 1970 to 2100 such as 2026-11-22T07:00:00Z"
    try:
        moment = datetime.fromisoformat(text.strip())
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ValueError(words) from None
    if not _EARLIEST <= moment < _LATEST:
        raise ValueError(words)
    return moment


# Addresses and paths


_NO_ADDRESS: Final = "must be a web address that begins with https:// or http://"


def _check_web_address(text: str, words: str = _NO_ADDRESS) -> str:
    odd = re.search(r"[\s<>]", check_text(text.strip()))
    absolute = None if odd else address.make_absolute(text)
    if absolute is None:
        raise ValueError(words)
    return absolute


# What feeds give as an address stays to the letter, see `planet.parse.coerce.file`.
_VERBATIM: Final = re.compile(r"https?://[!#-;=?-\[\]-~]+", re.IGNORECASE)


def _check_verbatim_address(text: str) -> str:
    absolute = _check_web_address(text)
    return text if _VERBATIM.fullmatch(text) else absolute


_PAGE: Final = re.compile(r"index\.\w+|.+\.(?:x?html?|php|aspx?|xml|json)", re.IGNORECASE)


def _check_site_address(text: str) -> str:
    parts = urlsplit(_check_web_address(text))
    if parts.query or parts.fragment or _PAGE.fullmatch(parts.path.rpartition("/")[2]):
        raise ValueError('must be the address of a folder, without the name of a page, "?" or "#"')
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + "/"))


def _check_path(text: str) -> str:
    if address.make_absolute(text) is not None:
        raise ValueError("must be a name or a folder on this machine")
    if text.startswith("~"):
        raise ValueError('begins with "~", which only a shell understands; write "${HOME}"')
    return check_text(text)


def _parse_picture(text: str) -> str | Path:
    """Return a web address, or a path."""
    return address.make_absolute(text) or Path(_check_path(text))


# At least two characters: `C:\feeds` is a path.
SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")
_FILE: Final = re.compile("file:(//(localhost)?)?/(?!/)", re.IGNORECASE)
_HOST: Final = re.compile(
    r"//|[\w-]+(\.[\w-]+)*\.(?!(atom|json|opml|rdf|rss|txt|xml)$)[^\W\d_]{2,}(:[0-9]+)?(/|$)"
)
"""The beginning of a web address without a scheme, such as `example.org/feed`."""


def check_address(written: str) -> str:
    """Check the address or path of a feed, or the name of an account, and remove blanks around.

    Raises:
        ValueError: the text is none of these.
    """
    text = check_text(written.strip())
    if account.looks_like_name(text):
        if account.parse_name(text) is None:
            words = "write acct:user@host, or at:// and a handle or did:"
            raise ValueError(f"is not the name of an account; {words}")
    elif re.match("<?https?:", text, re.IGNORECASE):
        if re.search(r"[\s<>]", text) or address.make_absolute(text) is None:
            raise ValueError('is not a web address; write it bare, without blanks, "<" and ">"')
        if "@" in urlsplit(text).netloc:
            raise ValueError('must not hold a password; write "auth: {user: …, password: …}"')
    elif _HOST.match(text) or (SCHEME.match(text) and not _FILE.match(text)):
        words = 'must begin with https:// or http://, or be a path, as in "./feed.xml"'
        raise ValueError(words)
    return text


def without_feed_scheme(written: str) -> str:
    """Return the web address in `feed:https://…` and `feed://…`; any other text stays.

    Browsers handed an address with `feed:` to a feed reader.
    """
    rest = re.sub("^feed:(//)?", "", written.strip(), flags=re.IGNORECASE)
    if rest == written.strip():
        return written
    return rest if rest.lower().startswith(("http:", "https:")) else f"https://{rest}"


# Without what would have to be escaped in an address (RFC 6068).
_MAIL: Final = re.compile(r"""(?:mailto:)?([^@\s<>?&%"#/\\]{1,64}@[^@\s<>?&%"#/\\]{1,255})""")


def _check_page(text: str) -> str:
    """Return the address of a page, or for mail."""
    mail = _MAIL.fullmatch(text.strip())
    return f"mailto:{mail[1]}" if mail else _check_web_address(text, f"{_NO_ADDRESS}, or for mail")


# Headers


_OF_PLANET: Final = re.compile(
    "accept-encoding|a-im|cache-control|connection|content-length|cookie|host|if-(none-)?match"
    "|if-(un)?modified-since|if-range|keep-alive|pragma|proxy-(authenticate|authorization|connection)"
    "|range|te|trailer|transfer-encoding|upgrade|user-agent",
    re.IGNORECASE,
)
"""Headers of the connection, of the cache, or of the asking program: no feed has its own."""


def _check_header_name(name: str) -> str:
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
        raise ValueError("is not the name of a header")
    if _OF_PLANET.fullmatch(name):
        raise ValueError("cannot be set: Planet sends this header as it needs it")
    return name


# Patterns


# What continues a word. Vowel signs and accents are marks, and `\w` knows letters and digits only.
_WORD: Final = (
    r"\w\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    r"\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u0dff"
)
# Scripts that put no blanks between words, and Hangul, where particles follow a noun directly.
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0eff\u0f00-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    r"\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


def parse_pattern(written: str) -> Pattern:
    r"""Parse the pattern of a filter: `word`, `some phrase`, `/regex/` or `/regex/i`.

    A word or phrase is found in any case, and only as whole words: "art" is not in "party". An end
    without a letter (`C++`), or in a script without blanks between words, needs no word boundary.
    A regular expression is searched for as written.

    Raises:
        ValueError: the text is no pattern.
    """
    text = one_line(written)
    match = re.fullmatch(r"/(.*)/([A-Za-z]{0,2})", written.strip(), re.DOTALL)
    if match is None:
        return Pattern(written=text, regex=_compile_phrase(text))
    if not match[1] or match[2] not in ("", "i"):
        raise ValueError("must be /regex/ or /regex/i; a phrase cannot begin and end like that")
    return Pattern(written=text, regex=_compile_expression(match[1], ignore_case=bool(match[2])))


def _compile_phrase(text: str) -> re.Pattern[str]:
    body = r"\s+".join(map(re.escape, text.split()))
    before = rf"(?<![{_WORD}])" if _is_bounded(text[0]) else ""
    after = rf"(?![{_WORD}])" if _is_bounded(text[-1]) else ""
    return re.compile(before + body + after, re.IGNORECASE)


def _is_bounded(edge: str) -> bool:
    """Tell whether a word boundary is needed beside this character."""
    return bool(re.match(f"[{_WORD}]", edge)) and not _UNSPACED.match(edge)


def _compile_expression(text: str, *, ignore_case: bool) -> regex.Pattern[str]:
    """Compile a regular expression of the operator with `regex`, whose searches can time out."""
    # Imported late: few configs have one.
    import regex

    try:
        return regex.compile(text, regex.IGNORECASE if ignore_case else 0)
    except (regex.error, OverflowError, RecursionError, MemoryError) as error:
        raise ValueError(f"is not a regular expression: {error}") from None


_FIELDS: Final = [field.value for field in Field]


def _parse_patterns(value: Any, *steps: str | int) -> tuple[Pattern, ...]:
    """Parse patterns, some of them under the part of an entry in which they are searched."""
    if isinstance(value, str):
        try:
            pattern = parse_pattern(value)
        except ValueError as error:
            raise ValueError(str(error), *steps) from None
        names = [Field(step) for step in steps if isinstance(step, str)]
        return (replace(pattern, field=names[0] if names else None),)
    parts: Any = value.items() if isinstance(value, dict) else enumerate(value or ())
    patterns: list[Pattern] = []
    for step, item in parts:
        if isinstance(value, dict) and step not in _FIELDS:
            hint = suggestion(step, _FIELDS) or f"; there are {', '.join(_FIELDS)}"
            raise ValueError(f"is no part of an entry{hint}", *steps, step)
        patterns += _parse_patterns(item, *steps, step)
    return tuple(patterns)


# All of them


_PATTERNS: Final = "pattern, or patterns by the part of an entry, or a list of such"
_SCALAR: Final = ["string", "number", "boolean"]

KINDS: Final = {
    # Editors read a bare number or truth value as such, and it is a text here.
    "text": _text(one_line, "text", type=_SCALAR),
    "verbatim": _text(_check_verbatim),
    "secret": _secret(_text(check_text)),
    "user name": _matching("[^:]+", "must not be empty, or have a colon in it"),
    "private key": _secret(
        _matching(
            r"-----BEGIN[^$]* PRIVATE KEY-----",
            "must be a private key in PEM, which begins with -----BEGIN",
            "private key",
            meaning=lambda match: match[0].replace("\\n", "\n") + "\n",
        )
    ),
    "mail address": _matching(r"[^@\s<>]+@[^@\s<>]+", "must be a mail address", "mail address"),
    "path": _text(_check_path, "path"),
    "folder": _text(lambda text: Path(_check_path(text)), "path"),
    "picture": _text(_parse_picture, "path or web address"),
    "feed address": _text(check_address, "feed address"),
    "web address": _text(_check_web_address, "web address"),
    "page": _text(_check_page, "web or mail address"),
    "verbatim address": _text(_check_verbatim_address),
    "site address": _text(_check_site_address, "web address"),
    "language tag": _matching(
        "[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*",
        'must be a language tag such as "en" or "pt-BR"',
        "language tag",
        meaning=lambda match: match[0].replace("_", "-"),
    ),
    "podcast category": _matching(
        rf"({'|'.join(_CATEGORIES)})(\s*>\s*[^\s>][^>]*)?",
        'must be a category of Apple Podcasts such as "Arts > Books"; there are '
        + ", ".join(_CATEGORIES),
        "podcast category",
        meaning=lambda match: re.sub(r"\s*>\s*", " > ", match[0]),
    ),
    "pattern": Kind(
        parse=_parse_patterns,
        schema={"$comment": _PATTERNS, "type": ["string", "number", "object", "array"]},
    ),
    "header name": _text(_check_header_name),
    # A secret that was read from a file brings its line end along; one inside is an injection.
    "header text": _secret(
        _matching(
            r"[\t\x20-\x7e\xa0-\xff]*",
            "has a line break or a character in it that no header can carry",
        )
    ),
    "switch": Kind(parse=_parse_switch, schema={"type": "boolean"}),
    "switch or archived": Kind(
        parse=lambda value: value if value == ARCHIVED else _parse_switch(value, _NO_SWITCH),
        schema={"enum": [True, False, ARCHIVED], "$comment": f"switch or `{ARCHIVED}`"},
    ),
    "whole number": _number(),
    "count": _number(" from 1 up", minimum=1),
    "workers": _number(" from 1 to 200", minimum=1, maximum=200),
    "number or all": _matching(
        "all|[0-9]{1,9}",
        'must be a whole number from 0 up, or "all"',
        "number or `all`",
        meaning=lambda match: match[0] if match[0] == "all" else int(match[0]),
        type=["integer", "string"],
        minimum=0,
    ),
    "size": _matching(
        rf"(0*[1-9][0-9]{{0,11}}) ?({'|'.join(_SIZES)})",
        "must be a size such as 500kB, 8MiB or 1000000",
        "size",
        meaning=lambda match: int(match[1]) * _SIZES[match[2]],
        type=["integer", "string"],
        minimum=1,
    ),
    "scalar": _text(_parse_scalar, "text, number or switch", type=_SCALAR),
    "moment": _text(_parse_moment),
    "episode type": _matching("full|trailer|bonus", "must be one of full, trailer, bonus"),
    "duration": _text(parse_duration, "duration", _DURATION),
    "period": _text(_parse_period, "duration", _DURATION),
    "time of day": _matching(
        "([01]?[0-9]|2[0-3]):([0-5][0-9])",
        "must be a time of day such as 07:00",
        "time of day",
        meaning=lambda match: time(int(match[1]), int(match[2])),
    ),
    "time zone": _text(_parse_zone, "time zone", r"[\w/+-]+"),
    "edition name": _matching(
        "(?=.{1,60}$)[a-z0-9]+(-[a-z0-9]+)*",
        'must be made of a-z, 0-9 and "-", at most 60 characters, such as "road-trips"',
        "name",
    ),
}
"""By the names that settings use."""
KINDS["secret scalar"] = _secret(KINDS["scalar"])
