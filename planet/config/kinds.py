"""The kinds of values of settings, each with its check and its JSON Schema.

A check takes a value and returns what it means, or raises a `ValueError` whose words follow the
name of the setting, and perhaps the step to a part of it. Words that begin with "must be" are
followed by the value as it is written: filled in, it may hold a secret, which no message repeats.
"""

from __future__ import annotations

import re
from collections.abc import Callable  # noqa: TC003 - types of fields are looked up
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import urlsplit, urlunsplit
from zoneinfo import ZoneInfo, available_timezones

import msgspec
from msgspec.structs import replace

from planet.config import texts
from planet.config.texts import DURATION, check_characters, check_secret, one_line, parse_duration
from planet.errors import suggestion
from planet.model import Field, Pattern
from planet.model.secrets import Secret
from planet.text import address, profiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    import regex

    Steps: TypeAlias = tuple[str | int, ...]


class Kind(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A kind of value, with its check and its schema for editors."""

    parse: Callable[[Any], Any]
    """Return what a value means.

    Raises:
        ValueError: it does not fit.
    """
    schema: dict[str, Any]


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
    that is no letter (`C++`), or of a script without blanks between words, needs no word boundary.
    A regular expression is searched for as it is.

    Raises:
        ValueError: it cannot be one, in words that follow the name of the setting.
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


def _parse_patterns(value: object) -> tuple[Pattern, ...]:
    """Parse patterns, some of them under the part of an entry in which they are searched."""
    patterns = []
    for steps, text in _list_patterns(value, ()):
        try:
            pattern = parse_pattern(_only_text(text))
        except ValueError as error:
            raise ValueError(str(error), *steps) from None
        names = [Field(step) for step in steps if isinstance(step, str)]
        patterns.append(replace(pattern, field=names[0] if names else None))
    return tuple(patterns)


def _list_patterns(value: object, steps: Steps) -> Iterator[tuple[Steps, object]]:
    """Yield each pattern with the steps that lead to it."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _list_patterns(item, (*steps, index))
    elif isinstance(value, dict):
        for name, item in value.items():
            if name not in _FIELDS:
                hint = suggestion(name, _FIELDS) or f"; there are {', '.join(_FIELDS)}"
                raise ValueError(f"is no part of an entry{hint}", *steps, name)
            yield from _list_patterns(item, (*steps, name))
    elif value is not None:
        yield steps, value


_FIELDS: Final = [field.value for field in Field]


# Numbers, times and truth


_SIZES = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20}
_SIZES |= {"GiB": 2**30}
_CLOCK: Final = r"([01]?[0-9]|2[0-3]):([0-5][0-9])"
_SIZE: Final = r"([0-9]{1,12}) ?(" + "|".join(_SIZES) + ")"
_FLAGS: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def parse_flag(value: object, words: str = "must be true or false") -> bool:
    """Parse `true`, `yes` and `on`, or their contraries, in any case; `words` tell of others."""
    if not isinstance(value, str) or value.lower() not in _FLAGS:
        raise ValueError(words)
    return _FLAGS[value.lower()]


def _parse_flag_or_archived(value: object) -> bool | str:
    if value == texts.ARCHIVED:
        return texts.ARCHIVED
    return parse_flag(value, f'must be true, false or "{texts.ARCHIVED}"')


def _parse_period(text: str) -> timedelta:
    if not (length := parse_duration(text)):
        raise ValueError("must be longer than zero")
    return length


def _parse_time(text: str) -> time:
    if not (match := re.fullmatch(_CLOCK, text.strip())):
        raise ValueError("must be a time of day such as 07:00")
    return time(int(match[1]), int(match[2]))


def _parse_size(text: str) -> int:
    match = re.fullmatch(_SIZE, text.strip())
    if match is None or not int(match[1]):
        raise ValueError("must be a size such as 500kB, 8MiB or 1000000")
    return int(match[1]) * _SIZES[match[2]]


def _parse_count_or_all(text: str) -> int | str:
    if text == "all" or re.fullmatch(r"\d{1,9}", text, re.ASCII):
        return text if text == "all" else int(text)
    raise ValueError('must be a whole number from 0 up, or "all"')


def _parse_scalar(text: str) -> str | int | float | bool:
    """Return what YAML makes of a bare text."""
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


# Texts

CATEGORIES: Final = (
    *("Arts", "Business", "Comedy", "Education", "Fiction", "Government", "Health & Fitness"),
    *("History", "Kids & Family", "Leisure", "Music", "News", "Religion & Spirituality", "Science"),
    *("Society & Culture", "Sports", "Technology", "True Crime", "TV & Film"),
)
"""The categories of Apple Podcasts; their subcategories are not checked."""


def _check_category(text: str) -> str:
    """Return a category of Apple Podcasts in the form "Arts > Books"."""
    first, *below = (" ".join(part.split()) for part in text.split(">"))
    if first not in CATEGORIES or len(below) > 1 or not all(below):
        hint = suggestion(first, CATEGORIES) or f"; there are {', '.join(CATEGORIES)}"
        raise ValueError(f'must be a category of Apple Podcasts such as "Arts > Books"{hint}')
    return " > ".join((first, *below))


_LANGUAGE: Final = r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*"


def _check_language(tag: str) -> str:
    if re.fullmatch(_LANGUAGE, tag):
        return tag
    better = tag.replace("_", "-")
    hint = f'; did you mean "{better}"?' if re.fullmatch(_LANGUAGE, better) else ""
    raise ValueError(f'must be a language tag such as "en" or "pt-BR"{hint}')


def _match(expression: str, words: str, then: Callable[[str], Any] = str) -> Callable[[str], Any]:
    """Make a check by a regular expression; other texts raise these words."""

    def check(text: str) -> Any:
        if not re.fullmatch(expression, text):
            raise ValueError(words)
        return then(text)

    return check


NO_ADDRESS: Final = "must be a web address that begins with https:// or http://"


def _check_web_address(text: str) -> str:
    odd = re.search(r"[\s<>]", check_characters(text.strip()))
    absolute = None if odd else address.make_absolute(text)
    if absolute is None:
        raise ValueError(NO_ADDRESS)
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


def _check_folder(text: str) -> str:
    if address.make_absolute(text) is not None:
        raise ValueError("must be a name or a folder on this machine")
    return _check_path(text)


def _check_path(text: str) -> str:
    if text.startswith("~"):
        raise ValueError('begins with "~", which only a shell understands; write "${HOME}"')
    return check_secret(text)


def _parse_private_key(text: str) -> str:
    key = text.replace("\\n", "\n").strip()
    if not key.startswith("-----BEGIN") or not key.endswith(" PRIVATE KEY-----"):
        raise ValueError("must be a private key in PEM, which begins with -----BEGIN")
    return f"{key}\n"


_OF_PLANET: Final = re.compile(
    "accept-encoding|a-im|cache-control|connection|content-length|cookie|host|if-(none-)?match"
    "|if-(un)?modified-since|if-range|keep-alive|pragma|proxy-(authenticate|authorization|connection)"
    "|range|te|trailer|transfer-encoding|upgrade|user-agent",
    re.IGNORECASE,
)
"""Headers that belong to the connection, the cache, or whoever asks, and to no single feed."""


def _check_headers(value: object) -> dict[str, Secret[str]]:
    headers: dict[str, Secret[str]] = {}
    for name, text in only_mapping(value).items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
            raise ValueError("is not the name of a header", name)
        if _OF_PLANET.fullmatch(name):
            raise ValueError("cannot be set: Planet sends this header as it needs it", name)
        # A secret that was read from a file brings its line end along; one inside is an injection.
        if not isinstance(text, str) or not re.fullmatch(r"[\t\x20-\x7e\xa0-\xff]*", text.strip()):
            raise ValueError("has a line break or a character in it that no header can carry", name)
        headers[name] = Secret(text.strip())
    return headers


def _check_profiles(value: object) -> dict[str, str]:
    """Return the addresses of pages by the names that they have in `links`."""
    pages: dict[str, str] = {}
    for name, written in only_mapping(value).items():
        one_line(name)
        url = profiles.profile_url(name, check_characters(_only_text(written)))
        if url is None:
            services = ", ".join(profiles.SERVICES)
            raise ValueError(f"{NO_ADDRESS}; or a name on one of {services}", name)
        pages[name] = url
    return pages


def _check_not_empty(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2100, 1, 2, tzinfo=UTC)


def _parse_moment(text: str) -> datetime:
    """Parse a moment; without a zone it is in UTC."""
    try:
        moment = datetime.fromisoformat(text.strip())
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ValueError("must be a date such as 2026-11-22T07:00:00Z") from None
    if not _EARLIEST <= moment < _LATEST:
        raise ValueError("must be a date between 1970 and 2100")
    return moment


# All of them


def _only_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("must be text")
    return value


def only_mapping(value: object) -> dict[str, Any]:
    """Return a mapping."""
    if not isinstance(value, dict):
        raise ValueError('must be a mapping, as in "name: value"')
    return value


def text_kind(check: Callable[[str], Any], comment: str = "", pattern: str = "") -> Kind:
    """Make a kind that is written as one text; `pattern` is for editors, which know no `check`."""
    schema: dict[str, Any] = {"type": "string"}
    if comment:
        schema["$comment"] = comment
    if pattern:
        # `${NAME}` may stand for any text.
        schema["pattern"] = f"^({pattern})$|{texts.VARIABLE}"
    return Kind(parse=lambda value: check(_only_text(value)), schema=schema)


def _number_kind(least: int | None = None, most: int | None = None) -> Kind:
    def check(text: str) -> int:
        if not re.fullmatch(r"-?\d{1,12}", text, re.ASCII):
            raise ValueError("must be a whole number")
        if least is not None and int(text) < least:
            raise ValueError(f"must be {least} or more")
        if most is not None and int(text) > most:
            raise ValueError(f"must be {most} or less")
        return int(text)

    limits = {"minimum": least, "maximum": most}
    schema = {name: limit for name, limit in limits.items() if limit is not None}
    return Kind(parse=lambda value: check(_only_text(value)), schema={"type": "integer", **schema})


def _either(kind: Kind, *schemas: dict[str, Any]) -> Kind:
    """Return a kind with another schema: a value fits one of several."""
    return replace(kind, schema={"anyOf": [*schemas]})


def _secret(kind: Kind) -> Kind:
    """Return a kind of which the values are hidden."""
    return replace(kind, parse=lambda value: Secret(kind.parse(value)))


_NAMED_TEXTS: Final = {"type": "object", "additionalProperties": {"type": "string"}}
_PATTERNS: Final = "pattern, or patterns by the part of an entry, or a list of such"
_EDITION_NAME: Final = r"[a-z0-9]+(-[a-z0-9]+)*"
_INTEGER: Final = {"type": "integer", "minimum": 0}
_SIZE_KIND: Final = text_kind(_parse_size, "size", _SIZE)

KINDS: Final = {
    # Editors read a bare number or truth value as such, and it is a text here.
    "text": replace(
        text_kind(one_line), schema={"type": ["string", "number", "boolean"], "$comment": "text"}
    ),
    "secret": _secret(text_kind(check_secret)),
    "user name": text_kind(_match("[^:]*", "must not have a colon in it", check_secret)),
    "private key": _secret(text_kind(_parse_private_key, "private key")),
    "mail address": text_kind(
        _match(r"[^@\s<>]+@[^@\s<>]+", "must be a mail address", check_characters), "mail address"
    ),
    "path": text_kind(_check_folder, "path"),
    "path or web address": text_kind(_check_path, "path or web address"),
    "feed address": text_kind(texts.check_address, "feed address"),
    "web address": text_kind(_check_web_address, "web address"),
    "verbatim": text_kind(_check_not_empty),
    "verbatim address": text_kind(_check_verbatim_address),
    "site address": text_kind(_check_site_address, "web address"),
    "language tag": text_kind(_check_language, "language tag", _LANGUAGE),
    "podcast category": text_kind(_check_category, "podcast category"),
    "pattern": Kind(
        parse=_parse_patterns,
        schema={"$comment": _PATTERNS, "type": ["string", "number", "object", "array"]},
    ),
    "profiles": Kind(
        parse=_check_profiles,
        schema={"$comment": "names with addresses, or with names there", **_NAMED_TEXTS},
    ),
    "headers": Kind(parse=_check_headers, schema={"$comment": "names with texts", **_NAMED_TEXTS}),
    "flag or archived": Kind(
        parse=_parse_flag_or_archived,
        schema={"anyOf": [{"type": "boolean"}, {"const": texts.ARCHIVED}]},
    ),
    "whole number": _number_kind(),
    "count": _number_kind(1),
    "workers": _number_kind(1, 200),
    "number or all": _either(text_kind(_parse_count_or_all), _INTEGER, {"const": "all"}),
    "size": _either(_SIZE_KIND, {"type": "integer", "minimum": 1}, _SIZE_KIND.schema),
    "scalar": _either(
        text_kind(_parse_scalar), *({"type": name} for name in ("string", "number", "boolean"))
    ),
    "moment": text_kind(_parse_moment),
    "episode type": text_kind(_match("full|trailer|bonus", "must be one of full, trailer, bonus")),
    "duration": text_kind(parse_duration, "duration", DURATION),
    "period": text_kind(_parse_period, "duration", DURATION),
    "time of day": text_kind(_parse_time, "time of day", _CLOCK),
    "time zone": text_kind(_parse_zone, "time zone", r"[\w/+-]+"),
    "edition name": text_kind(
        _match(
            f"(?=.{{1,60}}$){_EDITION_NAME}",
            'must be made of a-z, 0-9 and "-", at most 60 characters, such as "road-trips"',
        ),
        "name",
        _EDITION_NAME,
    ),
}
"""By the names that settings use."""
KINDS["secret scalar"] = _secret(KINDS["scalar"])
