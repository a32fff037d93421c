"""The table `entry`: the entries of all feeds, with their texts.

A row has the whole entry as JSON, and columns for queries beside. A text is clean HTML; a text
without a reader so far may be as the feed sent it, until the first page needs the clean one.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec.structs import asdict, replace

from planet.model import (
    Entry,
    EntryDates,
    Html,
    NewEntry,
    Picks,
    Text,
    TextKind,
    TransformOutcome,
    WebAddress,
)
from planet.store.database import Table, decode, encode, pack, unpack
from planet.text.html import find_links
from planet.text.plain import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from planet.model import Counts, Transformed


class EntryRow(NamedTuple):
    """The facts of a stored entry by which an entry in the feed is news or not."""

    number: int
    digest: str
    """Empty where the text is to be read again with the feed."""
    has_text: bool
    rank: int | None
    """As in `Entry`."""
    is_listed: bool
    """Whether the entry was in the last reading of the feed."""


class StoredEntry(NamedTuple):
    """An entry and the text."""

    entry: Entry
    text: Text | None


class EntryChange(NamedTuple):
    """A new entry, or the present form of a stored one."""

    draft: NewEntry
    """The entry; without the text where that is held back."""
    dates: EntryDates
    number: int = 0
    """0 for a new entry."""


class FeedChanges(NamedTuple):
    """The changes by a reading of a feed."""

    entries: Sequence[EntryChange]
    """In the order in which the new ones get their numbers."""
    listed: Collection[int]
    """The numbers of the stored entries that the feed lists."""
    counts: Counts


class TransformResult(NamedTuple):
    """The changes of an entry by a program of the operator's."""

    changes: Mapping[str, Any]
    """The fields of `NewEntry` that are others now; of its text, all or none."""
    transformed: Transformed


_EVER: Final = datetime.max.replace(tzinfo=UTC)
_OF_DRAFT: Final = sorted(set(NewEntry.__struct_fields__) & set(Entry.__struct_fields__))
_OF_TEXT: Final = {"raw", "content", "links", "cleaning"}
_LISTED: Final = "IN (SELECT value FROM json_each(?))"


class EntryTable(Table):
    """The entries of all feeds."""

    def _read(self, where: str, *values: Any) -> list[Entry]:
        sql = f"SELECT number, value FROM entry WHERE {where}"
        rows = self._select(tuple[int, str], sql, *values)
        return [replace(decode(value, Entry), number=number) for number, value in rows]

    def of_feeds(self, keys: Iterable[str], *, picks: Picks = Picks.ALSO) -> list[Entry]:
        """Return all entries of these feeds, the first met first.

        With `Picks.ONLY` they are the episodes of feeds that show picks only.
        """
        where = f"kept = ? AND feed {_LISTED}"
        entries = self._read(where, picks is Picks.ALSO, encode([*keys]))
        return sorted(entries, key=lambda entry: entry.number)

    def by_number(self, numbers: Iterable[int]) -> list[Entry]:
        """Return the entries with these numbers."""
        return self._read(f"number {_LISTED}", encode([*numbers]))

    def rows(self, key: str, *, picks: Picks = Picks.ALSO) -> dict[str, EntryRow]:
        """Return the facts about the entries of a feed, by id; `picks` is as in `of_feeds`."""
        rows = self._select(
            tuple[str, int, str, int, int | None, int],
            "SELECT id, number, digest, text NOTNULL, rank, present FROM entry "
            "WHERE feed = ? AND kept = ?",
            key,
            picks is Picks.ALSO,
        )
        return {
            entry_id: EntryRow(number, digest, bool(has_text), rank, bool(is_listed))
            for entry_id, number, digest, has_text, rank, is_listed in rows
        }

    def with_texts(self, numbers: Sequence[int]) -> dict[int, StoredEntry]:
        """Return entries with their texts, by number."""
        texts = TextTable(self._connection).read(numbers)
        entries = self.by_number(numbers)
        return {entry.number: StoredEntry(entry, texts.get(entry.number)) for entry in entries}

    def unlisted(self, *, before: datetime = _EVER) -> frozenset[int]:
        """Return the numbers of entries gone from their feeds, of all or of those dated `before`.

        `Store.retire` forgets the latter.
        """
        sql = "SELECT number FROM entry WHERE NOT present AND dated < ?"
        rows = self._select(tuple[int], sql, before.timestamp())
        return frozenset(number for (number,) in rows)

    def find_untransformed(self) -> dict[str, list[int]]:
        """Return the numbers of entries still to be sent to a program, by feed."""
        numbers: dict[str, list[int]] = {}
        rows = self._select(
            tuple[str, int],
            "SELECT feed, number FROM entry "
            "WHERE kept AND json_extract(value, '$.transformed.outcome') IN (?, ?) ORDER BY number",
            TransformOutcome.WAITING,
            TransformOutcome.FAILED,
        )
        for key, number in rows:
            numbers.setdefault(key, []).append(number)
        return numbers

    def exist(self) -> bool:
        """Return whether there is any entry, of whichever feed."""
        return bool(self._select(tuple[int], "SELECT 1 FROM entry LIMIT 1"))

    def write(self, feed: str, changes: FeedChanges, *, is_kept: bool) -> None:
        """Store changes of the entries of a feed.

        Unless entries are kept (of a feed that shows picks only, none is), the ones gone from the
        document are deleted.
        """
        numbers = [change.number for change in changes.entries if change.number]
        with self._transaction():
            self._list(feed, changes.listed, is_kept=is_kept)
            stored = {entry.number: entry for entry in self.by_number(numbers)}
            for draft, dates, number in changes.entries:
                fields = {name: getattr(draft, name) for name in _OF_DRAFT} | asdict(dates)
                if before := stored.get(number):
                    first_id = before.first_id or before.id
                    fields["first_id"] = None if first_id == draft.id else first_id
                    entry = replace(before, **fields | {"rank": before.rank})
                else:
                    entry = Entry(feed=feed, **fields)
                texts = _text_columns({name: getattr(draft, name) for name in _OF_TEXT})
                self._put(entry, kept=is_kept, digest=draft.digest, **texts)

    def _list(self, feed: str, numbers: Collection[int], *, is_kept: bool) -> None:
        values = feed, is_kept, encode(sorted(numbers))
        if not is_kept:
            where = f"feed = ? AND kept = ? AND NOT number {_LISTED}"
            if self._execute(f"DELETE FROM entry WHERE {where}", *values):
                self._bump_generation()
            return
        where = f"feed = ? AND kept = ? AND present <> (number {_LISTED})"
        self._execute(f"UPDATE entry SET present = NOT present WHERE {where}", *values)

    def _put(self, entry: Entry, **columns: Any) -> None:
        """Store an entry, a new one in a new row, with these columns beside; other columns stay."""
        columns |= {
            "number": entry.number or None,
            "feed": entry.feed,
            "id": entry.id,
            "rank": entry.rank,
            "dated": entry.dated.timestamp(),
            "value": encode(entry),
        }
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        updates = ", ".join(f"{name} = excluded.{name}" for name in columns)
        self._connection.execute(
            f"INSERT INTO entry ({names}) VALUES ({marks}) "
            f"ON CONFLICT (number) DO UPDATE SET {updates}",
            (*columns.values(),),
        )

    def put_transformed(self, results: Mapping[int, TransformResult]) -> None:
        """Store the results of a program, by the numbers of entries, as no edits of their feeds.

        The results take the place of the feed's words.
        """
        with self._transaction():
            for entry in self.by_number(results):
                changes, transformed = results[entry.number]
                fields = {name: changes[name] for name in changes.keys() - _OF_TEXT}
                if fields.get("published"):
                    fields["dated"] = fields["published"]
                texts = _text_columns(changes) if "raw" in changes else {}
                self._put(replace(entry, **fields, transformed=transformed), **texts)
            self._bump_generation()

    def keep_listed(self, keys: Sequence[str]) -> None:
        """Let all entries of these feeds count as listed, so none is too old to be kept."""
        where = f"WHERE kept AND NOT present AND feed {_LISTED}"
        self._execute(f"UPDATE entry SET present = 1 {where}", encode(keys))

    def unlist(self, *, except_of: Collection[str]) -> None:
        """Let the entries of all feeds but these count as no longer listed."""
        others = "SELECT feed FROM entry EXCEPT SELECT value FROM json_each(?)"
        sql = f"UPDATE entry SET present = 0 WHERE kept AND present AND feed IN ({others})"
        self._execute(sql, encode([*except_of]))

    def drop_episodes(self, *, except_of: Iterable[str]) -> None:
        """Forget the episodes of feeds, except of these, which show picks only."""
        sql = f"DELETE FROM entry WHERE NOT kept AND NOT feed {_LISTED}"
        self._execute(sql, encode([*except_of]))

    def drop_unlisted(self, before: datetime) -> int:
        """Forget older entries gone from their feeds; count them."""
        sql = "DELETE FROM entry WHERE dated < ? AND NOT present"
        return self._execute(sql, before.timestamp())

    def drop_unlisted_texts(self, before: datetime) -> int:
        """Forget the texts of older entries gone from their feeds; count them.

        These entries count as edited then: their texts come back with their feeds.
        """
        where = "dated < ? AND NOT present AND text NOTNULL"
        entries = self._read(where, before.timestamp())
        with self._transaction():
            for entry in entries:
                self._put(replace(entry, digest=""), digest="", **_text_columns({}))
        return len(entries)

    def drop_feeds(self, keys: Iterable[str]) -> None:
        """Forget all entries of these feeds."""
        self._execute(f"DELETE FROM entry WHERE feed {_LISTED}", encode([*keys]))

    def rename_feed(self, old_key: str, key: str) -> None:
        """Let the entries of a feed be those of another key; published ids stay as they are."""
        with self._transaction():
            for entry in self._read("feed = ?", old_key):
                self._put(replace(entry, feed=key, first_key=entry.first_key or old_key))


AS_SENT: Final = ""
"""The cleaning of a text that nobody has cleaned."""
_OF_NUMBERS: Final = f"FROM entry WHERE number {_LISTED}"


class StoredText(NamedTuple):
    """A stored text; without a cleaning, an untrusted one."""

    text: Text
    cleaning: str
    """The version of the cleaner that made it; `AS_SENT` if none did."""


class TextTable(Table):
    """The texts of entries, by the numbers of these; entries without one are left out."""

    def read_stored(self, numbers: Sequence[int]) -> dict[int, StoredText]:
        """Return the texts, each with the version of the cleaner."""
        sql = f"SELECT number, cleaning, text {_OF_NUMBERS} AND text NOTNULL"
        rows = self._select(tuple[int, str, bytes], sql, encode(numbers))
        return {
            number: StoredText(unpack(packed, Text), cleaning) for number, cleaning, packed in rows
        }

    def read(self, numbers: Sequence[int]) -> dict[int, Text]:
        """Return the texts alone."""
        return {number: stored.text for number, stored in self.read_stored(numbers).items()}

    def read_plain(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the texts as plain text."""
        return {number: plain(text) for number, text in self.read(numbers).items()}

    def put_clean(self, cleaned: Mapping[int, Html], *, cleaning: str) -> None:
        """Store clean texts, and what they link to, in place of what they were made from."""
        sql = "UPDATE entry SET cleaning = ?, links = ?, text = ? WHERE number = ?"
        with self._transaction():
            for number, html in cleaned.items():
                links, packed = encode(find_links(html)), pack(clean_text(html))
                self._execute(sql, cleaning, links, packed, number)

    def feeds(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the keys of the feeds of the texts."""
        sql = f"SELECT number, feed {_OF_NUMBERS}"
        return dict(self._select(tuple[int, str], sql, encode(numbers)))

    def links(self, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """Return the links of texts, if known."""
        sql = f"SELECT number, links {_OF_NUMBERS} AND links NOTNULL"
        rows = self._select(tuple[int, str], sql, encode(numbers))
        return {number: decode(links, tuple[WebAddress, ...]) for number, links in rows}


def clean_text(html: Html) -> Text:
    """Return clean HTML as a text, which can be cleaned again."""
    return Text(value=html, kind=TextKind.HTML)


def _text_columns(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a text from fields of a `NewEntry`: the clean text, if known."""
    html, raw, links = (fields.get(name) for name in ("content", "raw", "links"))
    text = raw if html is None else clean_text(html)
    if text is None:
        return dict.fromkeys(("cleaning", "links", "text"))
    return {
        "cleaning": (html is not None and fields.get("cleaning")) or AS_SENT,
        "links": None if links is None else encode(links),
        "text": pack(text),
    }
