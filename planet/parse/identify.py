"""Posts → a feed whose entries have ids of their own, so that each stays the same in every run."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec.structs import replace

from planet.model import MADE_ID, ParsedEntry, ParsedFeed, Profile, Text
from planet.parse.coerce import MAX_ENTRIES
from planet.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


T = TypeVar("T")
_MAX_LENGTH = 1_000
_NEVER = datetime.min.replace(tzinfo=UTC)


def make_feed(
    profile: Profile, posts: Sequence[T], entry: Callable[[T], ParsedEntry | None], *notes: str
) -> ParsedFeed:
    """Make a feed of the first `MAX_ENTRIES` posts, but those for which `entry` is None."""
    unique = make_ids_unique(filter(None, map(entry, posts[:MAX_ENTRIES])))
    if len(posts) > MAX_ENTRIES:
        notes = (f"only the first {MAX_ENTRIES} of {len(posts)} entries are read", *notes)
    return ParsedFeed(profile=profile, entries=unique.entries, notes=(*unique.notes, *notes))


class UniqueEntries(NamedTuple):
    """Entries with different ids, and notes on what was odd."""

    entries: tuple[ParsedEntry, ...]
    notes: tuple[str, ...]


def make_ids_unique(entries: Iterable[ParsedEntry]) -> UniqueEntries:
    """Give entries different ids.

    An entry without an id gets its link for an id, else a hash of its words; one that says nothing
    at all is left out. Of entries that share id, link and title (without a title: text) only the
    first is kept. Others that share an id all get a hash of link and title added to it: also the
    first, because which one is first changes with every new entry.
    """
    named = [_set_id(entry) for entry in _make_missing_ids(list(filter(_says_something, entries)))]
    distinct: dict[object, ParsedEntry] = {}
    for entry in named:
        distinct.setdefault((entry.id, *_distinction(entry)), entry)
    uses = Counter(entry.id for entry in distinct.values())
    taken = set(uses)
    unique = [
        entry if uses[entry.id] == 1 else _add_hash(entry, taken) for entry in distinct.values()
    ]
    notes = []
    if repeated := len(named) - len(distinct):
        notes.append(f"entries that are there twice: {repeated}")
    if shared := sum(count for count in uses.values() if count > 1):
        notes.append(f"entries that share their id with another: {shared}")
    return UniqueEntries(tuple(unique), tuple(notes))


def _says_something(entry: ParsedEntry) -> bool:
    texts = (entry.title, entry.summary, entry.content)
    return bool(entry.id or entry.link or entry.enclosures) or any(texts)


def _make_missing_ids(entries: list[ParsedEntry]) -> Iterator[ParsedEntry]:
    """Yield the entries, with a hash of their words as the id of those without id and link.

    Of entries with the same words, the oldest has just that hash, and the others have their date
    added: so none looks new when another one comes, or when the oldest has left the feed.
    """
    texts = [None if one_line(entry.id) or entry.link else _words(entry) for entry in entries]
    if texts.count(None) == len(texts):
        yield from entries
        return
    dates = [entry.published or _NEVER for entry in entries]
    oldest: dict[object, datetime] = {}
    for words, date in zip(texts, dates, strict=True):
        oldest[words] = min(date, oldest.get(words, date))
    for entry, words, date in zip(entries, texts, dates, strict=True):
        if words is None:
            yield entry
        else:
            added = f"-{_hash(date)}" if date > oldest[words] else ""
            yield replace(entry, id=f"{MADE_ID}{_hash(words)}{added}")


def _words(entry: ParsedEntry) -> tuple[str | None, ...]:
    """Return the words of an entry, without dates and bases, which change while it stays."""
    words = tuple(map(_value, (entry.title, entry.content, entry.summary)))
    return words if any(words) else tuple(file.url for file in entry.enclosures)


def _set_id(entry: ParsedEntry) -> ParsedEntry:
    own = one_line(entry.id) or entry.link or ""
    if len(own) > _MAX_LENGTH:
        own = f"{MADE_ID}{_hash(own)}"
    return entry if own == entry.id else replace(entry, id=own)


def _add_hash(entry: ParsedEntry, taken: set[str]) -> ParsedEntry:
    """Return the entry with a hash added to its id; add the new id to `taken`."""
    added = _hash(_distinction(entry))
    # Another entry can have just this for an id of its own: a feed can compute it.
    while (made := f"{entry.id}#{added}") in taken:
        added = _hash((added, *_distinction(entry)))
    taken.add(made)
    return replace(entry, id=made)


def _distinction(entry: ParsedEntry) -> tuple[str | None, str | None]:
    """Return what makes an entry differ from another with the same id."""
    return entry.link, _value(entry.title or entry.summary or entry.content)


def _value(text: Text | None) -> str | None:
    return text.value if text else None


def _hash(value: object) -> str:
    return blake2b(repr(value).encode(), digest_size=8).hexdigest()
