"""What feedparser's result has under a path ↔ what the model has: does it say the same?

What is HTML is compared as a page would show it: both texts cleaned by `planet.content`. Mail
addresses are taken out of expected names, as they are out of ours. Where feedparser has nothing, it
has an empty string or None.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from planet.model import ParsedEntry, Profile, Text, TextKind
from planet.parse import values
from planet.parse.dates import moment
from planet.parse.values import without_mail
from planet.text import address
from planet.text.html import Cleaning, clean
from planet.text.plain import one_line, plain

Path = tuple[str | int, ...]

_HTML = ("text/html", "application/xhtml+xml")
_CLEANING = Cleaning()


def _shown(ours: Text | None, expected: object) -> bool:
    """Whether a page would show the same."""
    if ours is None:
        return not expected
    theirs = replace(ours, value=str(expected))
    return clean(ours, _CLEANING).split() == clean(theirs, _CLEANING).split()


def _line(ours: str | None, expected: object) -> bool:
    kinds = (TextKind.HTML, TextKind.TEXT)
    return (ours or "") in [plain(Text(value=str(expected), kind=kind)) for kind in kinds]


def _link(ours: str | None, expected: object) -> bool:
    return ours == address.web(str(expected))


def _when(ours: datetime | None, expected: Any) -> bool:
    if isinstance(expected, tuple):
        year, month, day, hour, minute, second, *_ = expected
        return ours == datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    return ours == moment(str(expected))


def _name(ours: str | None, expected: object) -> bool:
    return ours == without_mail(values.line(expected))


def _kind(ours: Text | None, expected: object) -> bool:
    return ours is not None and (ours.kind is TextKind.HTML) == (expected in _HTML)


def _base(ours: Text | None, expected: object) -> bool:
    return _link(ours.base if ours else None, expected)


def _text(entry: ParsedEntry) -> Text | None:
    return entry.summary or entry.content


def _at(found: tuple[Any, ...], place: int) -> Any:
    return found[place] if place < len(found) else None


def _origin(entry: ParsedEntry, field: str) -> Any:
    return getattr(entry.origin, field) if entry.origin else None


PROFILE: dict[Path, Callable[[Profile, Any], bool]] = {
    ("id",): lambda feed, said: (feed.id or "") == one_line(said),
    ("title",): lambda feed, said: _line(feed.title, said),
    ("subtitle",): lambda feed, said: _line(feed.description, said),
    ("summary",): lambda feed, said: _line(feed.description, said),
    ("rights",): lambda feed, said: _line(feed.rights, said),
    ("link",): lambda feed, said: _link(feed.link, said),
    ("language",): lambda feed, said: (feed.language or "") == said,
    ("author",): lambda feed, said: _name(feed.author, said),
    ("author_detail", "name"): lambda feed, said: _name(feed.author, said),
    ("authors", 0, "name"): lambda feed, said: _name(feed.author, said),
    ("updated",): lambda feed, said: _when(feed.updated, said),
    ("updated_parsed",): lambda feed, said: _when(feed.updated, said),
    ("published",): lambda feed, said: _when(feed.updated, said),
    ("published_parsed",): lambda feed, said: _when(feed.updated, said),
    ("image", "href"): lambda feed, said: _link(feed.image, said),
    ("icon",): lambda feed, said: _link(feed.image, said),
    ("logo",): lambda feed, said: _link(feed.image, said),
    ("category",): lambda feed, said: _at(feed.categories, 0) == said,
    ("tags", "len"): lambda feed, said: len(feed.categories) == said,
    ("tags", 0, "term"): lambda feed, said: _at(feed.categories, 0) == said,
    ("tags", 1, "term"): lambda feed, said: _at(feed.categories, 1) == said,
    ("ttl",): lambda feed, said: feed.hints.ttl == values.minutes(said),
    ("itunes_explicit",): lambda feed, said: feed.explicit == said,
}

ENTRY: dict[Path, Callable[[ParsedEntry, Any], bool]] = {
    ("id",): lambda entry, said: entry.id == one_line(said),
    ("title",): lambda entry, said: _shown(entry.title, said),
    ("title_detail", "type"): lambda entry, said: _kind(entry.title, said),
    ("title_detail", "base"): lambda entry, said: _base(entry.title, said),
    ("title_detail", "language"): lambda entry, said: entry.language == said,
    # Where there is one of them, feedparser has it under both names.
    ("summary",): lambda entry, said: _shown(_text(entry), said),
    ("summary_detail", "type"): lambda entry, said: _kind(_text(entry), said),
    ("summary_detail", "base"): lambda entry, said: _base(_text(entry), said),
    ("summary_detail", "language"): lambda entry, said: entry.language == said,
    ("content", 0): lambda entry, said: _shown(entry.content, said),
    ("content", 0, "type"): lambda entry, said: _kind(entry.content, said),
    ("content", 0, "base"): lambda entry, said: _base(entry.content, said),
    ("content", 0, "language"): lambda entry, said: entry.language == said,
    ("link",): lambda entry, said: _link(entry.link, said),
    ("rights",): lambda entry, said: _line(entry.rights, said),
    ("language",): lambda entry, said: entry.language == said,
    ("author",): lambda entry, said: _name(_at(entry.authors, 0) and entry.authors[0].name, said),
    ("author_detail", "name"): lambda entry, said: entry.authors[0].name == said,
    ("author_detail", "href"): lambda entry, said: _link(entry.authors[0].url, said),
    ("authors", 0, "name"): lambda entry, said: entry.authors[0].name == said,
    ("authors", 0, "href"): lambda entry, said: _link(entry.authors[0].url, said),
    ("authors", 1, "name"): lambda entry, said: entry.authors[1].name == said,
    ("authors", 1, "href"): lambda entry, said: _link(entry.authors[1].url, said),
    ("published",): lambda entry, said: _when(entry.published, said),
    ("published_parsed",): lambda entry, said: _when(entry.published, said),
    ("created",): lambda entry, said: _when(entry.published, said),
    ("created_parsed",): lambda entry, said: _when(entry.published, said),
    ("updated",): lambda entry, said: _when(entry.updated, said),
    ("updated_parsed",): lambda entry, said: _when(entry.updated, said),
    ("category",): lambda entry, said: _at(entry.categories, 0) == said,
    ("tags", "len"): lambda entry, said: len(entry.categories) == said,
    ("tags", 0, "term"): lambda entry, said: _at(entry.categories, 0) == said,
    ("tags", 1, "term"): lambda entry, said: _at(entry.categories, 1) == said,
    ("tags", 2, "term"): lambda entry, said: _at(entry.categories, 2) == said,
    ("tags", 0, "label"): lambda entry, said: _at(entry.categories, 0) == said,
    ("enclosures", "len"): lambda entry, said: len(entry.enclosures) == said,
    ("enclosures", 0, "href"): lambda entry, said: entry.enclosures[0].url == said,
    ("enclosures", 0, "type"): lambda entry, said: entry.enclosures[0].media_type == said,
    ("enclosures", 0, "length"): lambda entry, said: entry.enclosures[0].length == int(said),
    ("image", "href"): lambda entry, said: _link(entry.image, said),
    ("media_thumbnail", 0, "href"): lambda entry, said: _link(entry.image, said),
    ("comments",): lambda entry, said: _link(entry.comments, said),
    ("source", "id"): lambda entry, said: _line(_origin(entry, "id"), said),
    ("source", "title"): lambda entry, said: _line(_origin(entry, "title"), said),
    ("source", "link"): lambda entry, said: _link(_origin(entry, "link"), said),
    ("source", "href"): lambda entry, said: _link(_origin(entry, "url"), said),
    ("itunes_explicit",): lambda entry, said: (entry.episode and entry.episode.explicit) == said,
}
