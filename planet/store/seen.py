"""The table `seen`: when entries were seen first, as the published site tells after a loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.model import EntryDates
from planet.store.codec import exact_moment, micros
from planet.store.database import Table, select_in
from planet.store.faults import from_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from planet.model import PublishedEntry


class SeenTable(Table):
    """The dates of entries by their published ids, until their feeds are read again."""

    def put(self, published: Iterable[PublishedEntry]) -> None:
        """Store what the site says of its entries."""
        self._write(
            "INSERT OR IGNORE INTO seen VALUES (?, ?, ?)",
            [(entry.uid, micros(entry.first_seen), micros(entry.filed)) for entry in published],
        )

    def find(self, uids: Sequence[str]) -> dict[str, EntryDates]:
        """Return the dates of those of these entries that were seen before the state was lost."""
        kind, sql = tuple[str, int, int], "SELECT uid, first_seen, filed FROM seen WHERE uid"
        rows = select_in(self._connection, kind, sql, uids)
        return {uid: _dates(first_seen, filed) for uid, first_seen, filed in rows}

    def exist(self) -> bool:
        """Return whether any are waiting for their feed."""
        return self._connection.execute("SELECT 1 FROM seen LIMIT 1").fetchone() is not None

    def forget(self, before: datetime) -> None:
        """Forget entries from before this; within the caller's transaction."""
        self._connection.execute("DELETE FROM seen WHERE filed < ?", (micros(before),))


@from_row
def _dates(first_seen: int, filed: int) -> EntryDates:
    seen_at = exact_moment(first_seen)
    return EntryDates(first_seen=seen_at, changed_at=seen_at, dated=exact_moment(filed))
