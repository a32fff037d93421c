"""The kinds of values of settings, each with its check and its JSON Schema.

The checks have the form that `texts` describes.
"""

from __future__ import annotations

import re
import warnings
from datetime import time, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar
from urllib.parse import urlsplit, urlunsplit
from zoneinfo import ZoneInfo, available_timezones

import msgspec
from msgspec.structs import replace

from planet.config import texts
from planet.config.texts import DURATION, check_characters, check_secret, one_line, parse_duration
from planet.errors import suggestion
from planet.model import Field, Pattern, Weekday
from planet.model.secrets import Secret
from planet.text import address, profiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import regex


T = TypeVar("T")

_REGEX: Final = re.compile(r"/(.*)/([A-Za-z]*)", re.DOTALL)
# Flags of other languages: somebody who writes them means a regular expression.
_FLAGS: Final = frozenset("gimsuxy")
# More letters than these are rather the end of a path: `/usr/bin`.
_MOST_FLAGS: Final = 2
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
    match = _REGEX.fullmatch(written.strip())
    if match and len(match[2]) <= _MOST_FLAGS and not set(match[2]) <= _FLAGS:
        words = text.replace("/", "\\/")
        raise ValueError(
            f'looks like a regular expression with the flags "{match[2]}", and the only one there '
            f"is, is \"i\"; if the words are meant with their slashes, write '/{words}/'"
        )
    if match is None or not set(match[2]) <= _FLAGS:
        return Pattern(written=text, regex=_compile_phrase(text))
    if not match[1]:
        raise ValueError("must not be an empty regular expression: it would match everything")
    if match[2] not in ("", "i"):
        raise ValueError(f'has the flags "{match[2]}"; the only one there is, is "i"')
    return Pattern(
        written=text, regex=compile_expression(match[1], re.IGNORECASE if match[2] else 0)
    )


def _compile_phrase(text: str) -> re.Pattern[str]:
    body = r"\s+".join(map(re.escape, text.split()))
    before = rf"(?<![{_WORD}])" if _is_bounded(text[0]) else ""
    after = rf"(?![{_WORD}])" if _is_bounded(text[-1]) else ""
    return re.compile(before + body + after, re.IGNORECASE)


def _is_bounded(edge: str) -> bool:
    """Tell whether a word boundary is needed beside this character."""
    return bool(re.match(f"[{_WORD}]", edge)) and not _UNSPACED.match(edge)


def compile_expression(text: str, flags: int) -> regex.Pattern[str]:
    """Compile a regular expression of the operator with `regex`, whose searches can time out.

    Raises:
        ValueError: it is none, in words that follow the name of the setting.
    """
    # Imported late: few configs have one.
    import regex

    try:
        with warnings.catch_warnings():
            # Warnings of what a later Python may read in another way are the operator's concern.
            warnings.simplefilter("ignore")
            # Documented as one of Python's `re`, which `regex` understands in the same way.
            re.compile(text, flags)
            return regex.compile(text, flags | regex.VERSION0)
    except re.error as error:
        at = "" if error.pos is None else f" at character {error.pos + 1} of it"
        raise ValueError(f"is not a regular expression: {error.msg}{at}") from None
    except regex.error as error:
        raise ValueError(f"is not a regular expression: {error}") from None
    except (OverflowError, RecursionError, MemoryError):
        raise ValueError("is a regular expression too large to compile") from None


_SUBCATEGORIES: Final = {
    "Arts": "Books, Design, Fashion & Beauty, Food, Performing Arts, Visual Arts",
    "Business": "Careers, Entrepreneurship, Investing, Management, Marketing, Non-Profit",
    "Comedy": "Comedy Interviews, Improv, Stand-Up",
    "Education": "Courses, How To, Language Learning, Self-Improvement",
    "Fiction": "Comedy Fiction, Drama, Science Fiction",
    "Government": "",
    "History": "",
    "Health & Fitness": "Alternative Health, Fitness, Medicine, Mental Health, Nutrition, "
    "Sexuality",
    "Kids & Family": "Education for Kids, Parenting, Pets & Animals, Stories for Kids",
    "Leisure": "Animation & Manga, Automotive, Aviation, Crafts, Games, Hobbies, Home & Garden, "
    "Video Games",
    "Music": "Music Commentary, Music History, Music Interviews",
    "News": "Business News, Daily News, Entertainment News, News Commentary, Politics, "
    "Sports News, Tech News",
    "Religion & Spirituality": "Buddhism, Christianity, Hinduism, Islam, Judaism, Religion, "
    "Spirituality",
    "Science": "Astronomy, Chemistry, Earth Sciences, Life Sciences, Mathematics, "
    "Natural Sciences, Nature, Physics, Social Sciences",
    "Society & Culture": "Documentary, Personal Journals, Philosophy, Places & Travel, "
    "Relationships",
    "Sports": "Baseball, Basketball, Cricket, Fantasy Sports, Football, Golf, Hockey, Rugby, "
    "Running, Soccer, Swimming, Tennis, Volleyball, Wilderness, Wrestling",
    "Technology": "",
    "True Crime": "",
    "TV & Film": "After Shows, Film History, Film Interviews, Film Reviews, TV Reviews",
}
ALL: Final = frozenset(_SUBCATEGORIES) | {
    f"{category} > {name}"
    for category, names in _SUBCATEGORIES.items()
    for name in filter(None, names.split(", "))
}
"""Every category, a subcategory after its category."""


def _check_category(text: str) -> str:
    """Return a category of Apple Podcasts in the form "Arts > Books"."""
    category = " > ".join(part.strip() for part in text.split(">"))
    if category in ALL:
        return category
    raise ValueError(
        'must be a category of Apple Podcasts such as "Arts" or "Arts > Books", not {value}'
        + suggestion(category, sorted(ALL))
    )


_SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_CLOCK: Final = r"([01]?[0-9]|2[0-3]):([0-5][0-9])"
_SIZE: Final = r"([0-9]{1,12}) ?(" + "|".join(_SIZES) + ")"

_NO_LANGUAGE: Final = 'must be a language tag such as "en" or "pt-BR", not {value}'
# RFC 5646 §2.1 without the grandfathered tags, and with languages of two or three letters only.
_LANGUAGE: Final = (
    r"[A-Za-z]{2,3}(-[A-Za-z]{3}){0,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?"
    r"(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(-[0-9A-WYZa-wyz](-[A-Za-z0-9]{2,8})+)*"
    r"(-[Xx](-[A-Za-z0-9]{1,8})+)?"
)


def _match(expression: str, words: str, then: Callable[[str], Any] = str) -> Callable[[str], Any]:
    """Make a check by a regular expression; other texts raise these words."""

    def check(text: str) -> Any:
        if not re.fullmatch(expression, text):
            raise ValueError(words)
        return then(text)

    return check


def _parse_duration(value: object) -> timedelta:
    if type(value) is int:
        raise ValueError("needs a unit, as in 90s, 30m, 3h, 2d or 4w, not {value}")
    return parse_duration(value if isinstance(value, str) else "")


def _parse_period(value: object) -> timedelta:
    if not (length := _parse_duration(value)):
        raise ValueError("must be longer than zero")
    return length


def _parse_time(value: object) -> time:
    match = re.fullmatch(_CLOCK, value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError('must be a time of day in quotes such as "07:00", not {value}')
    return time(int(match[1]), int(match[2]))


def _parse_weekday(value: object) -> Weekday:
    name = value.strip().casefold() if isinstance(value, str) else ""
    days = [day for day in Weekday if name in (day, day[:3])]
    if not days:
        raise ValueError("must be a day of the week such as monday or mon, not {value}")
    return days[0]


def _parse_size(value: object) -> int:
    match = re.fullmatch(_SIZE, value.strip()) if isinstance(value, str) else None
    if match:
        value = int(match[1]) * _SIZES[match[2]]
    if type(value) is not int:
        raise ValueError("must be a size such as 500kB, 8MiB or 1000000, not {value}")
    if value < 1:
        raise ValueError("must be more than zero, not {value}")
    return value


def _check_count_or_all(value: object) -> int | str:
    if value == "all":
        return "all"
    if type(value) is int and value >= 0:
        return value
    raise ValueError('must be a whole number from 0 up, or "all", not {value}')


def _check_flag_or_archived(value: object) -> bool | str:
    if value == texts.ARCHIVED or isinstance(value, bool):
        return value
    raise ValueError(f'must be true, false or "{texts.ARCHIVED}", not {{value}}')


def _check_scalar(value: object) -> str | int | float | bool:
    if not isinstance(value, str | int | float | bool):
        raise ValueError("must be text, a number, true or false")
    return value


def _check_language(tag: str) -> str:
    if re.fullmatch(_LANGUAGE, tag):
        return tag
    better = tag.replace("_", "-")
    hint = f'; did you mean "{better}"?' if re.fullmatch(_LANGUAGE, better) else ""
    raise ValueError(f"{_NO_LANGUAGE}{hint}")


def _parse_zone(value: object) -> ZoneInfo:
    names = "Europe/Berlin or UTC"
    if not isinstance(value, str):
        raise ValueError(f"must be the name of a time zone such as {names}, not {{value}}")
    try:
        # "localtime" is a file on many systems, and would make pages differ from host to host.
        if value != "localtime":
            return ZoneInfo(value)
    except (KeyError, ValueError, OSError):  # unknown; not a file name; a folder such as "Europe"
        pass
    # One abbreviation is not like another because it has the same letters; and of the zones with
    # numbers in their names, Etc/GMT-2 is the one that is ahead by two hours.
    if value.isupper() or re.fullmatch(r"(?i:UTC|GMT)? ?[+-]?[0-9].*", value):
        hint = "; a place has a name of its own, so that its summer time is known"
    else:
        hint = suggestion(value, sorted(available_timezones() - {"localtime"}))
    raise ValueError(f"must be the name of a time zone such as {names}, not {{value}}{hint}")


_NO_ADDRESS: Final = "must be a web address that begins with https:// or http://"


def _check_web_address(text: str) -> str:
    absolute = (
        None
        if re.search(r"[\s<>]", check_characters(text.strip()))
        else address.make_absolute(text)
    )
    if absolute is None:
        raise ValueError(_NO_ADDRESS)
    return absolute


_PAGE: Final = re.compile(r"index\.\w+|.+\.(?:x?html?|php|aspx?|xml|json)", re.IGNORECASE)


def _check_site_address(text: str) -> str:
    parts = urlsplit(_check_web_address(text))
    if parts.query or parts.fragment:
        raise ValueError('must be the address of a folder, without "?" and "#"')
    if _PAGE.fullmatch(parts.path.rpartition("/")[2]):
        raise ValueError("must be the address of a folder, which ends before the name of a page")
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + "/"))


def _check_origin(text: str) -> str:
    parts = urlsplit(_check_web_address(text))
    if parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("must be the address of a server, without anything behind its name")
    return f"{parts.scheme}://{parts.netloc}"


def _check_folder(text: str) -> str:
    if address.make_absolute(text) is not None:
        raise ValueError("must be a folder on this machine, and not a web address")
    return _check_path(text)


def _check_theme(text: str) -> str:
    if address.make_absolute(text) is not None:
        raise ValueError(
            "must be the name of a theme or a folder, and not a web address; "
            "put a copy of the theme beside this file, and name its folder: ./mine"
        )
    return _check_path(text)


def _check_path(text: str) -> str:
    if text.startswith("~"):
        raise ValueError('begins with "~", which only a shell understands; write "${HOME}"')
    return check_secret(text)


# What feeds give as an address stays to the letter, see `planet.parse.coerce.file`.
_VERBATIM: Final = r"https?://[!#-;=?-\[\]-~]+"


def _check_not_empty(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _check_verbatim_line(text: str) -> str:
    # Otherwise as it is: what `planet pick` wrote says exactly what was picked.
    words = " ".join(text.split()) if text.splitlines() != [text] or "\t" in text else text
    return check_characters(_check_not_empty(words))


def _check_verbatim_address(text: str) -> str:
    absolute = address.make_absolute(text)
    if absolute is None:
        raise ValueError(_NO_ADDRESS)
    return text if re.fullmatch(_VERBATIM, text, re.IGNORECASE) else absolute


_PEM: Final = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----\n.+\n-----END [A-Z ]+-----\n", re.DOTALL
)


def _check_private_key(text: str) -> str:
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


def _check_header_name(text: str) -> str:
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", text):
        raise ValueError("is not the name of a header")
    if reason := _REASONS.get(text.lower()):
        raise ValueError(f"cannot be set: {reason}")
    return text


def _check_header(text: str) -> str:
    stripped = text.strip()
    # A secret that was read from a file brings its line end along; one inside is an injection.
    if not re.fullmatch(r"[\t\x20-\x7e\xa0-\xff]*", stripped):
        raise ValueError("has a line break or a character in it that no header can carry")
    return stripped


def _check_profile(name: str, written: object) -> str:
    """Return the address of a page, by the name that it has in `links`."""
    if not isinstance(written, str):
        raise ValueError(TEXT)
    if url := profiles.profile_url(name, check_characters(written)):
        return url
    if service := profiles.find_service(name):
        what = "mail address" if service.label == "E-mail" else f"handle of {service.label}"
        raise ValueError(
            f'must be a {what} such as "{service.example}", or a web address, not {{value}}'
        )
    known = ", ".join(profiles.SERVICES)
    raise ValueError(
        f"{_NO_ADDRESS}, not {{value}}; handles are known of {known}, and of no other service"
    )


def _check_distinct(headers: Mapping[str, str]) -> Mapping[str, str]:
    names = [name.lower() for name in headers]
    if twice := [name for name in headers if names.count(name.lower()) > 1]:
        raise ValueError(f"has one header under two names: {', '.join(twice)}")
    return headers


class Kind(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A kind of value, with its check and its schema for editors."""

    check: Callable[[Any], Any]
    """Return what a value means.

    Raises:
        ValueError: it does not fit, in words as in `texts`.
    """
    schema: dict[str, Any]
    named: Callable[[str, Any], Any] | None = None
    """Does what `check` does for a value of a mapping, by its name there."""
    whole: Callable[[Any], Any] | None = None
    """Converts a list or a mapping of such values."""
    section: type | None = None
    """The section that may be written in place of a text."""


class InField(msgspec.Struct, frozen=True, kw_only=True):
    """Words, phrases and regular expressions, each looked for in one part of an entry."""

    title: Annotated[tuple[Pattern, ...], "word"] = ()
    """Its title."""
    content: Annotated[tuple[Pattern, ...], "word"] = ()
    """Its text."""
    author: Annotated[tuple[Pattern, ...], "word"] = ()
    """The names of its authors."""
    category: Annotated[tuple[Pattern, ...], "word"] = ()
    """Its categories."""
    link: Annotated[tuple[Pattern, ...], "word"] = ()
    """Its address."""
    source: Annotated[tuple[Pattern, ...], "word"] = ()
    """The title of the feed it comes from, also where another planet's feed carries that."""


def _collect_patterns(written: Iterable[Pattern | InField]) -> tuple[Pattern, ...]:
    """Return all patterns, each with the field of an entry in which it is searched."""
    patterns: list[Pattern] = []
    for item in written:
        if isinstance(item, Pattern):
            patterns.append(item)
            continue
        for field in Field:
            patterns += (replace(pattern, field=field) for pattern in getattr(item, field.value))
    return tuple(patterns)


TEXT: Final = "must be text"
MAPPING: Final = 'must be a mapping, as in "name: value", not {value}'


def text_kind(
    check: Callable[[str], Any],
    comment: str = "",
    pattern: str = "",
    *,
    otherwise: str = TEXT,
    **more: Any,
) -> Kind:
    """Make a kind that is written as text; `pattern` is for editors, which know no `check`."""

    def check_text(value: object) -> Any:
        if not isinstance(value, str):
            raise ValueError(otherwise)
        return check(value)

    return Kind(check=check_text, schema=_text_schema(comment, pattern), **more)


def _text_schema(comment: str, pattern: str) -> dict[str, Any]:
    schema = {"type": "string"}
    if comment:
        schema["$comment"] = comment
    if pattern:
        # `${NAME}` may stand for any text.
        schema["pattern"] = f"^({pattern})$|{texts.VARIABLE}"
    return schema


def _number_kind(least: int | None = None, most: int | None = None) -> Kind:
    def check(value: object) -> int:
        if type(value) is not int:
            raise ValueError("must be a whole number, not {value}")
        if least is not None and value < least:
            raise ValueError(f"must be {least} or more, not {{value}}")
        if most is not None and value > most:
            raise ValueError(f"must be {most} or less, not {{value}}")
        return value

    limits = {"minimum": least, "maximum": most}
    schema = {name: limit for name, limit in limits.items() if limit is not None}
    return Kind(check=check, schema={"type": "integer", **schema})


def _check_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false, not {value}")
    return value


def _hide(check: Callable[[Any], T]) -> Callable[[Any], Secret[T]]:
    return lambda value: Secret(check(value))


_OF_SCALARS: Final = {"type": ["string", "number", "boolean"]}
_OF_TIME: Final = _text_schema("duration", DURATION)
_DAYS: Final = [name for day in Weekday for name in (day.value, day[:3])]
_NO_THEME: Final = 'must be the name of a theme, or "name" and "options" of one, not {value}'
_NOT_EVEN_TEXT: Final = f"{_NO_ADDRESS}, not {{value}}"
_NUMBER_OR_ALL: Final = [{"type": "integer", "minimum": 0}, {"const": "all"}]
_FLAG_OR_ARCHIVED: Final = [{"type": "boolean"}, {"const": texts.ARCHIVED}]
_NUMBER_OR_SIZE: Final = [{"type": "integer", "minimum": 1}, _text_schema("size", _SIZE)]

KINDS: Final = {
    "text": text_kind(one_line),
    "secret": text_kind(_hide(check_secret)),
    "user name": text_kind(_match("[^:]*", "must not have a colon in it", check_secret)),
    "private key": text_kind(_hide(_check_private_key), "private key"),
    "mail address": text_kind(
        _match(r"[^@\s<>]+@[^@\s<>]+", "must be a mail address", check_characters), "mail address"
    ),
    "path": text_kind(_check_folder, "path"),
    "theme": text_kind(_check_theme, "path", otherwise=_NO_THEME),
    "path or web address": text_kind(_check_path, "path or web address"),
    "scheduler": text_kind(
        _match(
            r"(tcp|tls|inproc)://\S+",
            "must be the address of a scheduler, such as tcp://scheduler:8786",
        )
    ),
    "feed address": text_kind(texts.check_address, "feed address"),
    "web address": text_kind(_check_web_address, "web address", otherwise=_NOT_EVEN_TEXT),
    "verbatim": text_kind(_check_not_empty),
    "verbatim line": text_kind(_check_verbatim_line),
    "verbatim address": text_kind(_check_verbatim_address),
    # As feeds have them, which is looser than what the config takes.
    "verbatim language": text_kind(_match("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", _NO_LANGUAGE)),
    "site address": text_kind(_check_site_address, "web address", otherwise=_NOT_EVEN_TEXT),
    "origin": text_kind(_check_origin, "web address", otherwise=_NOT_EVEN_TEXT),
    "language tag": text_kind(_check_language, "language tag", _LANGUAGE),
    "podcast category": text_kind(_check_category, "podcast category"),
    "word": text_kind(parse_pattern, "pattern"),
    "pattern": text_kind(parse_pattern, "pattern", section=InField, whole=_collect_patterns),
    "header name": text_kind(_check_header_name),
    "profile": text_kind(
        str, "web address, or what somebody is called there", named=_check_profile
    ),
    "header": text_kind(_hide(_check_header), whole=_check_distinct),
    "flag": Kind(check=_check_flag, schema={"type": "boolean"}),
    "flag or archived": Kind(check=_check_flag_or_archived, schema={"anyOf": _FLAG_OR_ARCHIVED}),
    "whole number": _number_kind(),
    "count from zero": _number_kind(0),
    "count": _number_kind(1),
    "workers": _number_kind(1, 200),
    "number or all": Kind(check=_check_count_or_all, schema={"anyOf": _NUMBER_OR_ALL}),
    "size": Kind(check=_parse_size, schema={"anyOf": _NUMBER_OR_SIZE}),
    "scalar": Kind(check=_check_scalar, schema=_OF_SCALARS),
    "secret scalar": Kind(check=_hide(_check_scalar), schema=_OF_SCALARS),
    "duration": Kind(check=_parse_duration, schema=_OF_TIME),
    "period": Kind(check=_parse_period, schema=_OF_TIME),
    "time of day": Kind(check=_parse_time, schema=_text_schema("time of day", _CLOCK)),
    "time zone": Kind(check=_parse_zone, schema=_text_schema("time zone", r"[\w/+-]+")),
    "day": Kind(check=_parse_weekday, schema={"type": "string", "enum": _DAYS}),
    "list name": text_kind(texts.check_list_name, "name", texts.LIST_NAME),
}
"""By the names that settings use."""
