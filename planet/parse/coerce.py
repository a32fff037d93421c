"""Single values as feeds have them → plain text, links, numbers, people, or None.

Nothing here but `parse_json_object` raises, whatever the value is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, cast

from planet.errors import ParseError
from planet.model import Person, Text, TextKind
from planet.text import address
from planet.text.plain import language_tag, one_line, plain, shorten

Object = Mapping[str, Any]
"""An object of JSON."""

# Far above what is met, so that what is cut was not meant for readers.
MAX_LINE = 1_000
"""Characters in a title, a name, a category."""
MAX_TEXT = 1_000_000
"""Characters in a summary or a content."""
MAX_ENTRIES = 1_000
"""Entries in a feed; the first ones, which are the newest nearly everywhere."""
MAX_FILES = 50
"""Files of an entry; as many pictures, transcripts and people."""
_DAY = 24 * 3600
_MAX_SECONDS = 30 * 24 * 3600
_MAX_MINUTES = 366 * 24 * 60

_NUMBER = re.compile(r"\s*(\d{1,15})(?:\.\d*)?\s*")
_DURATION = re.compile(r"\s*(?:(?:(\d{1,3}):)?(\d{1,4}):)?(\d{1,7})(?:[.,]\d*)?\s*")
# Without the backslash, which browsers and servers do not read alike.
_VERBATIM = re.compile(r"https?://[!#-;=?-\[\]-~]+", re.IGNORECASE)
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8}\d{0,2});")
# What shows that a text which should be plain is markup after all: `Q&amp;A`, `<b>Ann</b>`.
_MARKUP = re.compile(rf"{_REFERENCE.pattern}|</[A-Za-z]")
# Blanks, comments, and tags of elements that show nothing by themselves.
_NOTHING = re.compile(
    r"(?:\s|&nbsp;|&#160;|&#xa0;|<!--.*?-->|</?(?!audio|embed|iframe|img|lite-|object|script|video)"
    r"[a-z][^<>]*>)*+",
    re.IGNORECASE | re.DOTALL,
)
# What windows-1252 has where Latin-1 has controls.
_WINDOWS = {
    ord(character): byte
    for byte in range(0x80, 0xA0)
    if (character := bytes([byte]).decode("cp1252", "ignore"))
}
_CONTROL = re.compile("[\x80-\x9f]")
_CONTROLS = {byte: character for character, byte in _WINDOWS.items()}
# The beginning of a character in UTF-8 that was taken for windows-1252: `â€™`, `Å“`.
_MANGLED = re.compile(f"[\xc2-\xf4](?:[\x80-\xbf]{{0,2}}[{''.join(map(chr, _WINDOWS))}])")


def parse_json_object(text: str) -> dict[str, Any]:
    """Parse a text that begins like a JSON object.

    Raises:
        ParseError: `unreadable`.
    """
    try:
        return cast("dict[str, Any]", json.loads(text, parse_int=_parse_int))
    except (ValueError, RecursionError) as error:
        raise ParseError("unreadable", f"the JSON is damaged ({type(error).__name__})") from error


def _parse_int(digits: str) -> int | str:
    # Python refuses to read thousands of digits, which take quadratic time.
    return int(digits) if len(digits) <= 1_000 else digits


def string(value: object) -> str | None:
    """Return a string, unless blank, without characters that cannot be encoded."""
    if not isinstance(value, str) or not value or value.isspace():
        return None
    # JSON can say half a surrogate pair.
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def text(value: object, kind: TextKind, base: str | None) -> Text | None:
    """Return a string as a text of a kind."""
    words = string(value)
    return Text(value=words[:MAX_TEXT], kind=kind, base=base) if words else None


def items(value: object) -> list[Any]:
    """Return the items of a list; anything else is one item, as in JSON-LD."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def dicts(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list, or the one object."""
    return [item for item in items(value) if isinstance(item, dict)]


def part(node: Object, name: str) -> Object:
    """Return an object in an object; an empty one if there is none."""
    value = node.get(name)
    return value if isinstance(value, dict) else {}


def line(value: object) -> str | None:
    """Return a string as plain text on one line, without markup, which has no place in a line."""
    words = string(value)
    if words is None:
        return None
    if is_markup(words):
        return plain(Text(value=words, kind=TextKind.HTML), MAX_LINE) or None
    return shorten(one_line(words), MAX_LINE) or None


def media_type(value: object) -> str | None:
    """Return a media type in lower case, with its parameters."""
    name = line(value)
    return name.lower() if name and "/" in name else None


def is_markup(words: str) -> bool:
    """Return whether a text without a declared type looks like HTML."""
    return _MARKUP.search(words) is not None


def shows_nothing(text: Text) -> bool:
    """Return whether a text has no words, and nothing to see or hear without words."""
    return text.kind is TextKind.HTML and _NOTHING.fullmatch(text.value) is not None


def repair_encoding(words: str) -> str:
    """Repair UTF-8 that was read as Latin-1 or windows-1252, or windows-1252 read as Latin-1."""
    if words.isascii():
        return words
    mangled = words.translate(_WINDOWS) if _MANGLED.search(words) else words
    with suppress(UnicodeError):
        return mangled.encode("latin-1").decode()
    return words.translate(_CONTROLS) if _CONTROL.search(words) else words


def lines(values: Iterable[object]) -> tuple[str, ...]:
    """Return the values as lines, each once and at most a hundred, in their order."""
    return tuple(dict.fromkeys(filter(None, map(line, values))))[:100]


def number(value: object) -> int | None:
    """Return a whole number from 0 up, from a number or from digits."""
    match = _NUMBER.fullmatch(str(value)) if isinstance(value, str | int | float) else None
    return int(match[1]) if match else None


def positive(value: object) -> int | None:
    """Return a whole number above zero: 0 in a feed means unknown."""
    return number(value) or None


def seconds(value: object) -> int | None:
    """Return the seconds of a duration: `1:02:03`, `62:03`, or a number (itunes:duration).

    A number of more than a day is taken for milliseconds.
    """
    if count := positive(value):
        length = count // 1000 if count > _DAY else count
    elif isinstance(value, str) and (match := _DURATION.fullmatch(value)):
        hours, minutes, rest = map(int, match.groups("0"))
        length = 3600 * hours + 60 * minutes + rest
    else:
        return None
    return length if 0 < length <= _MAX_SECONDS else None


def minutes(value: object) -> timedelta | None:
    """Return a number of minutes, at least one and at most a year."""
    count = positive(value)
    return None if count is None else timedelta(minutes=min(count, _MAX_MINUTES))


def language(*candidates: object) -> str | None:
    """Return the first language tag."""
    written = (value for value in candidates if isinstance(value, str))
    return next(filter(None, map(language_tag, written)), None)


def link(value: object, *bases: str | None) -> str | None:
    """Return an absolute web address, resolved against the first base with which there is one."""
    if (written := string(value)) is None:
        return None
    absolute = (address.make_absolute(written, base) for base in bases or (None,))
    return next(filter(None, absolute), None)


def links(candidates: Iterable[object], *bases: str | None) -> tuple[str, ...]:
    """Return the links among several values, each once and at most ten."""
    absolute = (link(candidate, *bases) for candidate in candidates)
    return tuple(dict.fromkeys(filter(None, absolute)))[:10]


def first_link(candidates: Iterable[object], *bases: str | None) -> str | None:
    """Return the first link among several values."""
    return next(filter(None, (link(candidate, *bases) for candidate in candidates)), None)


def file(value: object, *bases: str | None) -> str | None:
    """Return an address as `link` does, but verbatim where it is absolute.

    Addresses of files may be signed, and services count downloads by how they are written.
    """
    verbatim = value.strip() if isinstance(value, str) else ""
    absolute = link(value, *bases)
    return verbatim if absolute and _VERBATIM.fullmatch(verbatim) else absolute


_AROUND = "()<>[]{}\"',;:"
# With a dot in its host: "Brian@Stone" and "@ann@social.example" are names.
_MAIL = re.compile(r"(?:mailto:)?[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+", re.IGNORECASE)


def make_person(name: object, url: object = None, *bases: str | None) -> Person | None:
    """Return a person with a name or an address; None when only a mail address is known."""
    called, address = without_mail(line(name)), link(url, *bases)
    return Person(name=called, url=address) if called or address else None


def without_mail(name: str | None) -> str | None:
    """Remove mail addresses: `ann@a.example (Ann)` and `Ann <ann@a.example>` become `Ann`."""
    if name is None or "@" not in name:
        return name
    words = [word for word in name.split() if not _MAIL.fullmatch(word.strip(_AROUND))]
    return name if words == name.split() else " ".join(words).strip(_AROUND + " ") or None


def merge_people(persons: Iterable[Person | None]) -> tuple[Person, ...]:
    """Return each person once, at most fifty: equal names are one, with the first address."""
    once: dict[str, Person] = {}
    for one in filter(None, persons):
        key = (one.name or one.url or "").casefold()
        before = once.setdefault(key, one)
        if before.url is None:
            once[key] = Person(name=before.name, url=one.url)
    return tuple(once.values())[:MAX_FILES]
