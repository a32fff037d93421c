"""What the published site said of entries, until their feeds have been read again."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from planet.model import Trace
from planet.store import codec
from planet.store.faults import from_row, typed
from planet.store.schema import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from datetime import datetime

_OTHERS = ""


class Seeds:
    """Traces of entries, by the feed they will come back with."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(
        self, traces: Sequence[Trace], keys: Mapping[str, str], *, others_before: datetime
    ) -> None:
        """Store what is known of entries, newest first; `keys` has each feed's key by its slug.

        Numbers are set aside for them, so that they will stand in this order again. What these
        feeds have besides is no newer than `others_before`.
        """
        early = codec.micros(others_before)
        rows: list[tuple[str | int | None, ...]] = [
            (key, _OTHERS, None, early, early, early) for key in keys.values()
        ]
        for number, trace in enumerate(reversed(traces), 1):
            moments = map(codec.micros, (trace.first_seen, trace.filed, trace.modified))
            rows.append((keys[trace.slug], trace.uid, number, *moments))
        with transaction(self._connection):
            self._connection.execute("DELETE FROM seed")
            self._connection.executemany("INSERT INTO seed VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._connection.execute("DELETE FROM sqlite_sequence WHERE name = 'entry'")
            self._connection.execute(
                "INSERT INTO sqlite_sequence VALUES ('entry', ?)", (len(traces),)
            )

    @from_row
    def of(self, key: str) -> tuple[dict[str, tuple[int, Trace]], datetime | None]:
        """What is known of the entries of a feed, by id, each with its number.

        With it comes what its others are no newer than; None when nothing is known of the feed.
        """
        rows = self._connection.execute(
            "SELECT uid, number, first_seen, filed, modified FROM seed WHERE feed = ?", (key,)
        )
        known: dict[str, tuple[int, Trace]] = {}
        others_before: datetime | None = None
        for uid, number, *counts in typed(rows, str, int | None, int, int, int):
            first_seen, filed, modified = (cast("datetime", codec.moment(each)) for each in counts)
            if uid == _OTHERS:
                others_before = filed
                continue
            trace = Trace(slug="", uid=uid, first_seen=first_seen, filed=filed, modified=modified)
            known[uid] = number, trace
        return known, others_before

    @property
    def are_there(self) -> bool:
        """Whether any are waiting for their feed."""
        return self._connection.execute("SELECT 1 FROM seed LIMIT 1").fetchone() is not None

    def drop(self, key: str) -> None:
        """The entries of a feed have come back; within the caller's transaction."""
        self._connection.execute("DELETE FROM seed WHERE feed = ?", (key,))
