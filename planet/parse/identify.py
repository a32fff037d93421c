"""Posts → a feed whose entries have ids of their own, so that each stays the same in every run."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from planet.model import MADE_ID, ParsedEntry, ParsedFeed, Profile, Text
from planet.parse.coerce import MAX_ENTRIES
from planet.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


T = TypeVar("T")
_MAX_LENGTH = 1_000


def make_feed(
    profile: Profile, posts: Sequence[T], entry: Callable[[T], ParsedEntry | None], *notes: str
) -> ParsedFeed:
    """Make a feed of the first `MAX_ENTRIES` posts, but those for which `entry` is None.

    An entry without an id gets its link for an id, else a hash of its words; one that says nothing
    at all is left out. Of entries that share id, link and title (without a title: text) only the
    first is kept. Others that share an id all get a hash of link and title added to it: also the
    first, because which one is first changes with every new entry.
    """
    entries = [one for one in map(entry, posts[:MAX_ENTRIES]) if one and _says_something(one)]
    distinct: dict[tuple[str, str | None, str | None], ParsedEntry] = {}
    for one in entries:
        title = _value(one.title or one.summary or one.content)
        distinct.setdefault((_find_id(one), one.link, title), one)
    uses = Counter(own for own, _, _ in distinct)
    unique: dict[str, ParsedEntry] = {}
    for (own, *distinction), one in distinct.items():
        made = own if uses[own] == 1 else f"{own}#{_hash(tuple(distinction))}"
        unique.setdefault(made, one if made == one.id else replace(one, id=made))
    if shared := sum(count for count in uses.values() if count > 1):
        notes = (f"entries that share their id with another: {shared}", *notes)
    if repeated := len(entries) - len(distinct):
        notes = (f"entries that are there twice: {repeated}", *notes)
    if len(posts) > MAX_ENTRIES:
        notes = (*notes, f"only the first {MAX_ENTRIES} of {len(posts)} entries are read")
    return ParsedFeed(profile=profile, entries=tuple(unique.values()), notes=notes)


def _says_something(entry: ParsedEntry) -> bool:
    texts = (entry.title, entry.summary, entry.content)
    return bool(entry.id or entry.link or entry.enclosures) or any(texts)


def _find_id(entry: ParsedEntry) -> str:
    """Return the id of an entry, its link, or a hash: of a long one, else of its words.

    These are without dates and bases, which change while it stays.
    """
    own = one_line(entry.id) or entry.link or ""
    if own:
        return own if len(own) <= _MAX_LENGTH else f"{MADE_ID}{_hash(own)}"
    words = tuple(map(_value, (entry.title, entry.content, entry.summary)))
    files = tuple(file.url for file in entry.enclosures)
    return f"{MADE_ID}{_hash(words if any(words) else files)}"


def _value(text: Text | None) -> str | None:
    return text.value if text else None


def _hash(value: object) -> str:
    return blake2b(repr(value).encode(), digest_size=8).hexdigest()
