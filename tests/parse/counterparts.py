"""What feedparser's result has under a path ↔ what the model has: does it say the same?

What is HTML is compared as a page would show it: both texts cleaned by `planet.content`. Mail
addresses are taken out of expected names, as they are out of ours. Where feedparser has nothing, it
has an empty string or None.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from msgspec.structs import replace

from planet.model import Text, TextKind
from planet.parse import coerce
from planet.parse.coerce import without_mail
from planet.parse.dates import parse_date
from planet.text import address
from planet.text.html import Cleaning, clean
from planet.text.plain import one_line, plain

Path = tuple[str | int, ...]

_HTML = ("text/html", "application/xhtml+xml")
_CLEANING = Cleaning()

Agrees = Callable[[Any, Any], bool]
"""Takes what we have and what is expected."""


def _same(ours: object, expected: object) -> bool:
    return ours == expected or (ours is None and expected == "")


def _shown(ours: Text | None, expected: object) -> bool:
    """Whether a page would show the same."""
    if ours is None:
        return not expected
    theirs = replace(ours, value=str(expected))
    return clean(ours, _CLEANING).split() == clean(theirs, _CLEANING).split()


def _line(ours: str | None, expected: object) -> bool:
    kinds = (TextKind.HTML, TextKind.TEXT)
    return (ours or "") in [plain(Text(value=str(expected), kind=kind)) for kind in kinds]


def _id(ours: str | None, expected: str) -> bool:
    return (ours or "") == one_line(expected)


def _link(ours: str | None, expected: object) -> bool:
    return ours == address.make_absolute(str(expected))


def _when(ours: datetime | None, expected: Any) -> bool:
    if isinstance(expected, tuple):
        year, month, day, hour, minute, second, *_ = expected
        return ours == datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    return ours == parse_date(str(expected))


def _name(ours: str | None, expected: object) -> bool:
    return ours == without_mail(coerce.line(expected))


def _kind(ours: TextKind | None, expected: object) -> bool:
    return ours is not None and (ours is TextKind.HTML) == (expected in _HTML)


def _minutes(ours: timedelta | None, expected: object) -> bool:
    return ours == coerce.minutes(expected)


def _count(ours: tuple[object, ...], expected: int) -> bool:
    return len(ours) == expected


def _number(ours: int | None, expected: str) -> bool:
    return ours == int(expected)


_PROFILE: list[tuple[str, Agrees, str]] = [
    ("id", _id, "id"),
    ("title", _line, "title"),
    ("description", _line, "subtitle summary"),
    ("rights", _line, "rights"),
    ("link", _link, "link"),
    ("language", _same, "language"),
    ("author", _name, "author author_detail.name authors.0.name"),
    ("updated", _when, "updated updated_parsed published published_parsed"),
    ("image", _link, "image.href icon logo"),
    ("categories", _count, "tags.len"),
    ("categories.0", _same, "category tags.0.term"),
    ("categories.1", _same, "tags.1.term"),
    ("hints.ttl", _minutes, "ttl"),
    ("explicit", _same, "itunes_explicit"),
]
_ENTRY: list[tuple[str, Agrees, str]] = [
    ("id", _id, "id"),
    ("title", _shown, "title"),
    ("title.kind", _kind, "title_detail.type"),
    ("title.base", _link, "title_detail.base"),
    # Where there is one of them, feedparser has it under both names.
    ("summary|content", _shown, "summary"),
    ("summary|content.kind", _kind, "summary_detail.type"),
    ("summary|content.base", _link, "summary_detail.base"),
    ("content", _shown, "content.0"),
    ("content.kind", _kind, "content.0.type"),
    ("content.base", _link, "content.0.base"),
    (
        "language",
        _same,
        "language title_detail.language summary_detail.language content.0.language",
    ),
    ("link", _link, "link"),
    ("rights", _line, "rights"),
    ("authors.0.name", _name, "author"),
    ("authors.0.name", _same, "author_detail.name authors.0.name"),
    ("authors.0.url", _link, "author_detail.href authors.0.href"),
    ("authors.1.name", _same, "authors.1.name"),
    ("authors.1.url", _link, "authors.1.href"),
    ("published", _when, "published published_parsed created created_parsed"),
    ("updated", _when, "updated updated_parsed"),
    ("categories", _count, "tags.len"),
    ("categories.0", _same, "category tags.0.term tags.0.label"),
    ("categories.1", _same, "tags.1.term"),
    ("categories.2", _same, "tags.2.term"),
    ("enclosures", _count, "enclosures.len"),
    ("enclosures.0.url", _same, "enclosures.0.href"),
    ("enclosures.0.media_type", _same, "enclosures.0.type"),
    ("enclosures.0.length", _number, "enclosures.0.length"),
    ("image", _link, "image.href media_thumbnail.0.href"),
    ("comments", _link, "comments"),
    ("origin.id", _line, "source.id"),
    ("origin.title", _line, "source.title"),
    ("origin.link", _link, "source.link"),
    ("origin.url", _link, "source.href"),
    ("episode.explicit", _same, "itunes_explicit"),
]


def _at(noun: Any, path: str) -> Any:
    """What a noun has at a path of its own names; None where that ends."""
    for name in path.split("."):
        if name.isdigit():
            noun = noun[int(name)] if int(name) < len(noun) else None
        else:
            parts = (getattr(noun, part, None) for part in name.split("|"))
            noun = next((part for part in parts if part is not None), None)
    return noun


def _holds(ours: str, agrees: Agrees, noun: Any, expected: Any) -> bool:
    return agrees(_at(noun, ours), expected)


def _table(rows: list[tuple[str, Agrees, str]]) -> dict[Path, Agrees]:
    return {
        tuple(int(name) if name.isdigit() else name for name in theirs.split(".")): partial(
            _holds, ours, agrees
        )
        for ours, agrees, paths in rows
        for theirs in paths.split()
    }


PROFILE, ENTRY = _table(_PROFILE), _table(_ENTRY)
"""By feedparser's path, whether a profile or an entry agrees with what is expected there."""
