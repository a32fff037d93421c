"""The table `text`: the text of each entry, once, compressed.

It is clean HTML. Where nobody has shown it yet, it may still be as its feed sent it: then it is
cleaned before it is shown for the first time, and the clean text takes its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from planet.model import Html, Text, TextKind
from planet.store import codec
from planet.store.database import Table, select, select_in
from planet.text.plain import plain

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from planet.model import NewEntry


AS_SENT: Final = ""
"""The cleaning of a text that nobody has cleaned."""


class StoredText(NamedTuple):
    """A text as it is kept; one that is not clean yet is untrusted."""

    text: Text
    cleaning: str
    """The version of the cleaner that made it; `AS_SENT` if none did."""


class TextTable(Table):
    """The texts of entries, by the numbers of these; entries without one are left out."""

    def read_stored(self, numbers: Sequence[int]) -> dict[int, StoredText]:
        """Return the texts with what made them."""
        rows = select_in(
            self._connection,
            tuple[int, str, TextKind, str | None, bytes],
            "SELECT number, cleaning, kind, base, value FROM text WHERE number",
            numbers,
        )
        return {
            number: StoredText(Text(value=codec.unpack(value), kind=kind, base=base), cleaning)
            for number, cleaning, kind, base, value in rows
        }

    def read(self, numbers: Sequence[int]) -> dict[int, Text]:
        """Return the texts alone."""
        return {number: stored.text for number, stored in self.read_stored(numbers).items()}

    def read_plain(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the texts as plain text."""
        return {number: plain(text) for number, text in self.read(numbers).items()}

    def entries_cleaned_otherwise(self, key: str, *, cleaning: str) -> set[str]:
        """Return the ids of the entries of a feed whose texts are clean by another cleaner."""
        rows = select(
            self._connection,
            tuple[str],
            "SELECT id FROM text JOIN entry USING (number) "
            "JOIN feed ON feed.number = entry.feed "
            "WHERE key = ? AND kept AND cleaning NOT IN (?, ?)",
            (key, AS_SENT, cleaning),
        )
        return {entry_id for (entry_id,) in rows}

    def put_clean(self, cleaned: Mapping[int, Html], *, cleaning: str) -> None:
        """Store clean texts in place of those that they were made from."""
        kind = TextKind.HTML.value
        rows = [(cleaning, kind, codec.pack(html), number) for number, html in cleaned.items()]
        sql = "UPDATE text SET cleaning = ?, kind = ?, base = NULL, value = ? WHERE number = ?"
        self._write(sql, rows)

    def feeds(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the keys of the feeds that the texts are of."""
        sql = (
            "SELECT entry.number, feed.key FROM entry JOIN feed ON feed.number = entry.feed "
            "WHERE entry.number"
        )
        return dict(select_in(self._connection, tuple[int, str], sql, numbers))

    def links(self, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """Return what the texts link to; those of which it is not known are left out."""
        sql = "SELECT number, links FROM text WHERE links NOTNULL AND number"
        rows = select_in(self._connection, tuple[int, bytes], sql, numbers)
        return {
            number: tuple(filter(codec.is_web_address, codec.unpack(links).split()))
            for number, links in rows
        }

    def put_links(self, links: Mapping[int, Sequence[str]]) -> None:
        """Store what texts link to."""
        rows = [(_pack_links(urls), number) for number, urls in links.items()]
        self._write("UPDATE text SET links = ? WHERE number = ?", rows)


def clean_text(html: Html) -> Text:
    """Return a clean text as a text that can be cleaned again."""
    return Text(value=html, kind=TextKind.HTML)


def drop_texts(connection: sqlite3.Connection, before: datetime) -> bool:
    """Forget the texts of entries from before this that their feeds no longer list.

    These entries count as edited then, so that their texts come back with their feeds. Return
    whether there are any. Within the caller's transaction.
    """
    rows = connection.execute(
        "DELETE FROM text WHERE number IN "
        "(SELECT number FROM entry WHERE dated < ? AND NOT present) RETURNING number",
        (codec.micros(before),),
    ).fetchall()
    connection.executemany("UPDATE entry SET digest = '' WHERE number = ?", rows)
    return bool(rows)


def put_text(connection: sqlite3.Connection, number: int, draft: NewEntry) -> None:
    """Store the text of an entry, clean if it is there so; within the caller's transaction."""
    if draft.content is not None:
        text, cleaning = clean_text(draft.content), draft.cleaning or AS_SENT
    elif draft.raw is not None:
        text, cleaning = draft.raw, AS_SENT
    else:
        connection.execute("DELETE FROM text WHERE number = ?", (number,))
        return
    links = None if draft.links is None else _pack_links(draft.links)
    connection.execute(
        "INSERT OR REPLACE INTO text VALUES (?, ?, ?, ?, ?, ?)",
        (number, cleaning, text.kind.value, text.base, links, codec.pack(text.value)),
    )


def _pack_links(urls: Sequence[str]) -> bytes:
    return codec.pack("\n".join(urls))
