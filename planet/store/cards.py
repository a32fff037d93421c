"""Entries as a catalogue has them: what places them is at hand, the rest is read when wanted.

To make a site, a little is asked of every entry there is (where it stands, whether it changed), and
all of a few. Most of what an entry costs is to make what nobody asks for.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

from planet.model import Entry, Future
from planet.store import codec
from planet.store.faults import from_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Container
    from datetime import datetime

# `more` is what `codec.more` wrote. Where a text in it happens to have such a word, the whole entry
# is read for nothing, and no more than that.
_CARDS = (
    "SELECT entry.number, feed.key, id, digest, rank, first_seen, "  # noqa: S608 - constants
    f"changed_at, dated, updated, {codec.LINK}, "
    """more NOTNULL AND instr(more, '"enclosures":') > 0, """
    """more NOTNULL AND instr(more, '"origin":') > 0, first_key, first_id, published, """
    # Here, because it is many times faster than in Python.
    "typeof(id) = 'text' AND typeof(digest) = 'blob' AND typeof(first_seen) = 'integer' "
    "AND typeof(changed_at) = 'integer' AND typeof(dated) = 'integer' "
    "AND typeof(rank) IN ('integer', 'null') AND typeof(updated) IN ('integer', 'null') "
    "AND (typeof(link) IN ('text', 'null') OR link = x'') "
    "AND typeof(first_key) IN ('text', 'null') AND typeof(first_id) IN ('text', 'null') "
    "AND typeof(published) IN ('integer', 'null') "
    # From the year 1 to 9999.
    "AND min(first_seen, changed_at, dated, coalesce(updated, 0), coalesce(published, 0)) "
    "> -62135596800000000 "
    "AND max(first_seen, changed_at, dated, coalesce(updated, 0), coalesce(published, 0)) "
    "< 253402300800000000 "
    "FROM entry JOIN feed ON feed.number = entry.feed ORDER BY dated, entry.number"
)
_MOMENTS = {"first_seen": 5, "changed_at": 6, "dated": 7, "updated": 8, "published": 14}
"""What is a moment, and its place in a row of these."""
_WHOLE = (
    f"SELECT {codec.ENTRY_COLUMNS}, {codec.EXCERPT} FROM entry "  # noqa: S608 - constants
    "JOIN feed ON feed.number = entry.feed LEFT JOIN text USING (number) WHERE entry.number = ?"
)
_NAMES = tuple(field.name for field in fields(Entry))


class Card(Entry):
    """An entry of which only a part was read; the rest comes when it is asked for."""

    __slots__ = ("_read", "_row")

    _row: tuple[Any, ...]
    _read: Callable[[int], Entry]

    # Nobody else changes an entry; here its fields are set one by one, as they become known. With
    # both of these it is Python itself that sets them, which is four times faster.
    __setattr__ = object.__setattr__
    __delattr__ = object.__delattr__

    def __getattr__(self, name: str) -> Any:
        """What was not asked for until now."""
        if name == "digest":
            object.__setattr__(self, name, self._row[3].hex())
        elif name in _MOMENTS:
            setattr(self, name, codec.moment(self._row[_MOMENTS[name]]))
        else:
            whole = self._read(self.number)
            for each in _NAMES:
                setattr(self, each, getattr(whole, each))
        return object.__getattribute__(self, name)

    @property
    def mark(self) -> str:
        """As `Entry.mark`."""
        # Its number stands for what never changes: id, feed, and the dates it is filed by.
        number, digest, changed_at = self.number, self._row[3], self._row[6]
        return f"{number} {digest.hex()} {changed_at}"

    @property
    def is_page(self) -> bool:
        """As `Entry.is_page`."""
        return self.rank is not None and self._row[14] is None and self._row[8] is None

    @property
    def is_timeless(self) -> bool:
        """As `Entry.is_timeless`."""
        return self.is_page and bool(self._row[5] == self._row[7])

    def filed(self, future: Future) -> datetime:
        """As `Entry.filed`."""
        first_seen, dated = self._row[5], self._row[7]
        believed = dated <= first_seen or future is not Future.CLAMP
        return cast("datetime", codec.moment(dated if believed else first_seen))


def cards(connection: sqlite3.Connection, feeds: Container[str]) -> list[Card]:
    """The cards of all entries of these feeds, by date.

    The connection must be open for as long as more is asked of them.
    """

    def read(number: int) -> Entry:
        return codec.entry_from(connection.execute(_WHOLE, (number,)).fetchone())

    rows = connection.execute(_CARDS)
    return [_card(row, read) for row in rows if row[1] in feeds]


@from_row
def _card(row: tuple[Any, ...], read: Callable[[int], Entry]) -> Card:
    if not row[15]:
        raise TypeError("a column has another type")
    card: Any = Card.__new__(Card)
    card._row, card._read = row, read
    card.number, card.feed, card.id = row[:3]
    card.rank, link = row[4], row[9]
    card.link = link if not link or codec.is_on_the_web(link) else None
    if row[8] is None:
        card.updated = None
    if not row[10]:
        card.enclosures = ()
    if not row[11]:
        card.origin = None
    card.first_key, card.first_id = row[12:14]
    return cast("Card", card)
