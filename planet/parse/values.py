"""Single values as feeds have them → ours, or None: foreign data is anything until it is looked at.

Nothing here raises, whatever it is given.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from html import unescape
from typing import TYPE_CHECKING, Any

from planet import address
from planet.model import Text, TextKind
from planet.plain import one_line, plain, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

# Far above what is met, so that what is cut was not meant for readers.
MAX_LINE = 1_000
"""Characters in a title, a name, a category."""
MAX_TEXT = 1_000_000
"""Characters in a summary or a content."""
MAX_ENTRIES = 1_000
"""Entries in a feed; the first ones, which are the newest nearly everywhere."""
_DAY = 24 * 3600
_MAX_SECONDS = 30 * 24 * 3600
_MAX_MINUTES = 366 * 24 * 60

_NUMBER = re.compile(r"\s*(\d{1,15})(?:\.\d*)?\s*")
_DURATION = re.compile(r"\s*(?:(?:(\d{1,3}):)?(\d{1,4}):)?(\d{1,7})(?:[.,]\d*)?\s*")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,5}")
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
# The beginning of a character in UTF-8 that was taken for windows-1252: `â€™`, `Å“`.
_MANGLED = re.compile(f"[\xc2-\xf4](?:[\x80-\xbf]{{0,2}}[{''.join(map(chr, _WINDOWS))}])")


def too_many(entries: int) -> str:
    """The note for a feed with more entries than are read."""
    return f"only the first {MAX_ENTRIES} of {entries} entries are read"


def string(value: object) -> str | None:
    """The value itself when it is a string with something in it, and can be encoded."""
    if not isinstance(value, str) or not value or value.isspace():
        return None
    # JSON can say half a surrogate pair.
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def dicts(value: object) -> list[dict[str, Any]]:
    """The dicts of a list; none when it is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def line(value: object) -> str | None:
    """A plain string on one line, freed of the markup that feeds put where none belongs."""
    said = string(value)
    if said is None:
        return None
    if is_markup(said):
        return plain(Text(value=said, kind=TextKind.HTML), MAX_LINE) or None
    return shortened(one_line(said), MAX_LINE) or None


def decoded(text: Text | None) -> Text | None:
    """Plain text with the character references decoded, once, that have no business in it."""
    if text is None or "&" not in text.value:
        return text
    value = _REFERENCE.sub(lambda reference: unescape(reference[0]), text.value)
    return replace(text, value=value)


def is_markup(words: str) -> bool:
    """Whether a text that does not say what it is looks like HTML."""
    return _MARKUP.search(words) is not None


def shows_nothing(text: Text) -> bool:
    """Whether a text has no words, and nothing that is seen or heard without words."""
    return text.kind is TextKind.HTML and _NOTHING.fullmatch(text.value) is not None


def telling(summary: Text | None, content: Text | None) -> tuple[Text | None, Text | None]:
    """The two texts of an entry, without one that shows nothing where the other does."""
    if summary and content and shows_nothing(summary) != shows_nothing(content):
        return (None, content) if shows_nothing(summary) else (summary, None)
    return summary, content


def unmangled(words: str) -> str:
    """The words as they were before their UTF-8 was taken for windows-1252 and encoded again."""
    if words.isascii() or not _MANGLED.search(words):
        return words
    try:
        return words.translate(_WINDOWS).encode("latin-1").decode()
    except UnicodeError:
        return words


def lines(values: Iterable[object]) -> tuple[str, ...]:
    """Different plain strings, at most a hundred, in their order."""
    found = dict.fromkeys(each for value in values if (each := line(value)))
    return tuple(found)[:100]


def claim(value: object) -> bool | None:
    """Yes, no, or neither."""
    return value if isinstance(value, bool) else None


def number(value: object) -> int | None:
    """A whole number that is not negative, from a number or from digits."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        value = f"{value:.0f}" if abs(value) < 10**15 else ""
    found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    return int(found[1]) if found else None


def positive(value: object) -> int | None:
    """A whole number above zero: where a feed says 0, it does not know."""
    return number(value) or None


def seconds(value: object) -> int | None:
    """A duration above zero: `1:02:03`, `62:03`, or seconds (itunes:duration).

    A number of seconds of more than a day is one of milliseconds.
    """
    if (count := positive(value)) is not None:
        return _within(count // 1000 if count > _DAY else count, _MAX_SECONDS)
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    hours, minutes, rest = (int(group or 0) for group in found.groups())
    return _within(3600 * hours + 60 * minutes + rest, _MAX_SECONDS)


def minutes(value: object) -> timedelta | None:
    """A time span of at least one minute and at most a year."""
    count = positive(value)
    return None if count is None else timedelta(minutes=min(count, _MAX_MINUTES))


def language(value: object) -> str | None:
    """A language tag (BCP 47), with hyphens where feeds have underscores."""
    said = string(value)
    tag = "" if said is None else said.strip().replace("_", "-")
    return tag if _LANGUAGE.fullmatch(tag) else None


def link(value: object, *bases: str | None) -> str | None:
    """An absolute http or https address, resolved against the first base that makes it one."""
    said = string(value)
    if said is None:
        return None
    return next((found for base in bases or (None,) if (found := address.web(said, base))), None)


def first_link(candidates: Iterable[object], *bases: str | None) -> str | None:
    """The first of several values that makes a link."""
    return next((found for each in candidates if (found := link(each, *bases))), None)


def file(value: object, *bases: str | None) -> str | None:
    """Like `link`, but what is an address already stays verbatim.

    Addresses of enclosures may be signed, and are counted by what they look like.
    """
    absolute = link(value, *bases)
    if absolute is None or not isinstance(value, str):
        return None
    verbatim = value.strip()
    return verbatim if _VERBATIM.fullmatch(verbatim) else absolute


def _within(value: int | None, limit: int) -> int | None:
    return value if value and value <= limit else None
