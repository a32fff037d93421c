"""The table `post`: a row for each entry of each site, with what was decided about it.

Pages read from it a part at a time. Nothing is decided here.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from planet.model import Entry, Part
from planet.store import codec
from planet.store.codec import dedupe_key_of_link, from_row, micros, moment
from planet.store.database import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime


_MANY = 100
"""Parts of which each is counted by itself; of more, all are."""


_LINKED = (
    f"SELECT post.number, source, filed, {codec.LINK}, feed_order FROM post "  # noqa: S608 - constants
    "JOIN entry USING (number) WHERE shown = 1 AND link NOTNULL AND site = ? AND post.number"
)
_LATEST = """
SELECT number FROM source CROSS JOIN post ON post.site = source.site AND number IN (
    SELECT number FROM post AS own INDEXED BY post_source
    WHERE own.source = source.id AND own.shown = (
        SELECT min(shown) FROM post AS rest INDEXED BY post_source
        WHERE rest.source = source.id AND rest.shown > 0
    )
    ORDER BY own.filed DESC, own.number DESC LIMIT :limit
)
WHERE source.site = :site ORDER BY source.place, filed DESC, number DESC
"""
_COUNTS = "count(*), max(filed), max(modified), max(playable), sum(fingerprint >> 20)"
_OF_SOURCES = (
    "INSERT INTO part SELECT site, source, CASE shown WHEN 0 THEN -1 ELSE shown END AS kind, "  # noqa: S608
    f"{_COUNTS} FROM post {{}} WHERE (shown OR reason = 'max_age') AND source NOTNULL AND site = ?"
)
_OF_DAYS = (
    f"INSERT INTO part SELECT site, 0, day, {_COUNTS} FROM post "  # noqa: S608
    "INDEXED BY post_day WHERE shown = 1 AND site = ?"
)


class PostRow(NamedTuple):
    """What was decided about an entry, or a pick."""

    number: int
    source: int | None
    reason: str
    detail: str | None
    by_planet: bool
    too_slow: str | None
    until: datetime | None
    shown: int
    filed: datetime
    day: date
    modified: datetime
    arrived: datetime
    playable: bool
    family: int | None = None
    instead: int | None = None
    also_in: str | None = None
    uid: str | None = None
    fingerprint: int = 0
    feed_order: int = 0
    """Decides between posts of one moment; the highest comes first."""


class LinkedRow(NamedTuple):
    """A post and what it links to."""

    number: int
    source: int | None
    when: datetime
    link: str
    feed_order: int


class Shown(NamedTuple):
    """What of a row is shown with its entry."""

    filed: datetime
    day: date
    fingerprint: str
    also_in: Sequence[str]
    """The keys of other feeds."""
    uid: str | None


class Assembly(NamedTuple):
    """By what the posts of a site were assembled the last time."""

    rules: str
    assembled_at: datetime
    released: datetime | None


class DedupeRow(NamedTuple):
    """By what an entry may be the same as others."""

    number: int
    feed: str
    """The key of its feed."""
    id: int
    link: int | None


_DEDUPE = (
    "SELECT dedupe.number, key, id, link FROM dedupe JOIN feed ON feed.number = dedupe.feed WHERE"
)
_COLUMNS = ", ".join(f"post.{name}" for name in PostRow._fields)


class PostTable:
    """The posts of one site, which is named by its folder."""

    def __init__(self, connection: sqlite3.Connection, folder: str) -> None:
        self._connection = connection
        self._folder = folder
        row = connection.execute("SELECT id FROM site WHERE folder = ?", (folder,)).fetchone()
        self.id: int = row[0] if row else 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Store all that is written inside, or none of it."""
        with transaction(self._connection):
            yield

    # By what it was assembled

    def assembly(self) -> Assembly | None:
        """Return by what the posts were assembled; None when they never were."""
        row = self._connection.execute(
            "SELECT rules, assembled_at, released FROM site WHERE id = ?", (self.id,)
        ).fetchone()
        return row and Assembly(row[0], cast("datetime", moment(row[1])), moment(row[2]))

    def forget(self) -> None:
        """Drop the site with all its posts."""
        for name in ("source", "post", "part"):
            self._connection.execute(f"DELETE FROM {name} WHERE site = ?", (self.id,))  # noqa: S608
        self._connection.execute("DELETE FROM site WHERE id = ?", (self.id,))

    def record(self, assembly: Assembly) -> None:
        """Store by what the posts are assembled, from the entries as they are now."""
        self._connection.execute(
            "INSERT INTO site (folder, rules, assembled_at, released, generation) "
            "SELECT ?, ?, ?, ?, generation FROM planet WHERE true "
            "ON CONFLICT (folder) DO UPDATE SET rules = excluded.rules, "
            "assembled_at = excluded.assembled_at, released = excluded.released, "
            "generation = excluded.generation",
            (self._folder, assembly.rules, *map(micros, assembly[1:])),
        )
        (self.id,) = self._connection.execute(
            "SELECT id FROM site WHERE folder = ?", (self._folder,)
        ).fetchone()
        self._connection.execute(
            "DELETE FROM removed WHERE generation <= (SELECT min(generation) FROM site)"
        )

    def sources(self) -> dict[str, tuple[int, str]]:
        """Return the number of each source and the fingerprint of its rules, by key, in order."""
        rows = self._connection.execute(
            "SELECT key, id, rules FROM source WHERE site = ? ORDER BY place", (self.id,)
        )
        return {key: (number, rules) for key, number, rules in rows}

    def put_sources(self, rules: Mapping[str, str]) -> None:
        """Store the sources that there are, in this order; others stay until they are dropped."""
        self._connection.executemany(
            "INSERT INTO source (site, key, rules, place) VALUES (?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET rules = excluded.rules, place = excluded.place",
            [(self.id, *item, place) for place, item in enumerate(rules.items())],
        )

    def drop_sources(self, numbers: Iterable[int]) -> None:
        """Drop sources without posts."""
        rows = [(number,) for number in numbers]
        self._connection.executemany("DELETE FROM source WHERE id = ?", rows)

    # Which entries are to be assembled again; all are numbers of entries

    def changed(self) -> set[int]:
        """Return the entries that came, changed or went since the posts were assembled."""
        since = "> (SELECT generation FROM site WHERE id = ?)"
        return self._numbers(
            f"SELECT number FROM entry WHERE generation {since} AND kept "  # noqa: S608 - constants
            f"UNION SELECT number FROM removed WHERE generation {since}",
            self.id,
            self.id,
        )

    def expired(self, now: datetime) -> set[int]:
        """Return the entries about which time alone has decided otherwise."""
        at = micros(now)
        return self._numbers("SELECT number FROM post WHERE site = ? AND until <= ?", self.id, at)

    def with_reason(self, reason: str) -> set[int]:
        """Return the entries that are not shown for this reason."""
        return self._numbers(
            "SELECT number FROM post WHERE site = ? AND shown = 0 AND reason = ?", self.id, reason
        )

    def replaced_by_picks(self) -> set[int]:
        """Return the entries in whose place a pick is shown."""
        return self._numbers("SELECT number FROM post WHERE site = ? AND instead < 0", self.id)

    def picks(self) -> set[int]:
        """Return the numbers of the picks."""
        return self._numbers("SELECT number FROM post WHERE site = ? AND number < 0", self.id)

    def of_sources(self, numbers: Iterable[int]) -> set[int]:
        """Return what has a row under one of these sources."""
        sql = "SELECT number FROM post WHERE source = ?"
        return {entry for number in numbers for entry in self._numbers(sql, number)}

    def of_feeds(self, keys: Iterable[str]) -> set[int]:
        """Return all entries of feeds, with a row or without."""
        sql = f"SELECT entry.number {codec.OF_FEEDS} WHERE kept AND key = ?"
        return {entry for key in keys for entry in self._numbers(sql, key)}

    def dedupe_rows(self, numbers: Iterable[int]) -> list[DedupeRow]:
        """Return by what these entries may be the same as others; without those that are gone."""
        return list(map(DedupeRow._make, self._in(f"{_DEDUPE} dedupe.number", numbers)))

    def with_keys(self, keys: Iterable[int]) -> list[DedupeRow]:
        """Return the entries whose id or link has one of these dedupe keys."""
        keys = list(keys)
        rows = (
            row for name in ("id", "link") for row in self._in(f"{_DEDUPE} dedupe.{name}", keys)
        )
        return list(map(DedupeRow._make, rows))

    def with_identity(self, feed: str, entry_id: str) -> set[int]:
        """Return the entry of a feed that has this id now."""
        return self._numbers(
            f"SELECT entry.number {codec.OF_FEEDS} WHERE key = ? AND kept AND id = ?",
            feed,
            entry_id,
        )

    def family_members(self, numbers: Iterable[int]) -> set[int]:
        """Return the entries that shared a dedupe key with these when they were assembled."""
        families = {
            family
            for (family,) in self._in(
                "SELECT family FROM post WHERE family NOTNULL AND site = ? AND number",
                numbers,
                self.id,
            )
        }
        sql = "SELECT number FROM post WHERE family NOTNULL AND site = ? AND family"
        return {number for (number,) in self._in(sql, families, self.id)}

    def entries(self, numbers: Iterable[int]) -> list[Entry]:
        """Return the entries with these numbers."""
        rows = self._in(f"{codec.ENTRIES} WHERE entry.number", numbers)
        return [codec.entry_from(row) for row in rows]

    # The rows

    def rows(self, numbers: Iterable[int] | None = None) -> Iterator[PostRow]:
        """Return the rows of these entries, or all."""
        sql = f"SELECT {_COLUMNS} FROM post WHERE site = ?"  # noqa: S608 - constants
        if numbers is None:
            rows = self._connection.execute(sql, (self.id,)).fetchall()
        else:
            rows = list(self._in(f"{sql} AND number", numbers, self.id))
        return map(_row, rows)

    def put(self, rows: Iterable[PostRow]) -> None:
        """Store rows, in place of those of the same entries."""
        marks = ", ".join("?" * (len(PostRow._fields) + 1))
        self._connection.executemany(
            f"INSERT OR REPLACE INTO post (site, {', '.join(PostRow._fields)}) VALUES ({marks})",  # noqa: S608
            ((self.id, *_stored(row)) for row in rows),
        )

    def drop(self, numbers: Iterable[int]) -> None:
        """Drop rows."""
        rows = [(self.id, number) for number in numbers]
        self._connection.executemany("DELETE FROM post WHERE site = ? AND number = ?", rows)

    def recount(self, sources: Collection[int], days: Collection[date]) -> None:
        """Count the posts of these sources, and of these days, again."""
        if len(sources) > _MANY:
            self._count(_OF_SOURCES.format(""), "source > 0", "", [()])
        else:
            counted = _OF_SOURCES.format("INDEXED BY post_source")
            self._count(counted, "source = ?", "AND source = ?", [(source,) for source in sources])
        if len(days) > _MANY:
            self._count(_OF_DAYS, "source = 0", "", [()])
        else:
            of_days = [(_number(day),) for day in days]
            self._count(_OF_DAYS, "source = 0 AND kind = ?", "AND day = ?", of_days)

    def _count(self, counted: str, old: str, which: str, parts: Iterable[tuple[int, ...]]) -> None:
        for part in parts:
            values = (self.id, *part)
            self._connection.execute(f"DELETE FROM part WHERE site = ? AND {old}", values)  # noqa: S608
            self._connection.execute(f"{counted} {which} GROUP BY 2, 3", values)

    def days(self) -> dict[date, Part]:
        """What is known of each day, the newest first."""
        return {_day(day): part for _, day, part in self._parts("source = 0")}

    def parts(self) -> Iterator[tuple[int, int, Part]]:
        """What is known of each source: its number, the kind of its part, and that."""
        return self._parts("source > 0")

    def _parts(self, which: str) -> Iterator[tuple[int, int, Part]]:
        rows = self._connection.execute(
            "SELECT source, kind, posts, newest, modified, playable, mark FROM part "  # noqa: S608
            f"WHERE site = ? AND {which} ORDER BY kind DESC",
            (self.id,),
        ).fetchall()
        for source, kind, posts, newest, modified, playable, mark in rows:
            dates = moment(newest), moment(modified)
            yield source, kind, Part._make((posts, *dates, bool(playable), f"{posts} {mark}"))

    def next_change(self, now: datetime) -> datetime | None:
        """When time alone will change a decision."""
        (until,) = self._connection.execute(
            "SELECT min(until) FROM post WHERE site = ? AND until > ?", (self.id, micros(now))
        ).fetchone()
        return moment(until)

    # What is shown

    def numbers_shown(self, source: str | None = None) -> list[int]:
        """Return the numbers of all posts that are shown, or of those of a source, newest first.

        Those without a date come last.
        """
        of_source = "AND source = (SELECT id FROM source WHERE site = post.site AND key = ?)"
        rows = self._connection.execute(
            "SELECT number FROM post WHERE site = ? AND shown > 0 "  # noqa: S608 - constants
            f"{of_source if source else ''} "
            "ORDER BY shown, filed DESC, feed_order DESC, number DESC",
            (self.id, source) if source else (self.id,),
        )
        return [number for (number,) in rows]

    def count_shown(self, feed: str) -> int:
        """Count the entries of a feed that are shown themselves."""
        ((count,),) = self._connection.execute(
            "SELECT count(*) FROM entry JOIN post USING (number) WHERE site = ? AND shown > 0 "
            "AND feed = (SELECT number FROM feed WHERE key = ?)",
            (self.id, feed),
        )
        return int(count)

    def newest(
        self,
        limit: int | None = None,
        *,
        period: tuple[int, ...] = (),
        source: int | None = None,
        shown: int = 1,
        playable: bool = False,
        arrived_after: datetime | None = None,
        offset: int = 0,
    ) -> list[tuple[int, int, int]]:
        """Return moment, `feed_order` and number of the newest posts, the newest first."""
        # Nothing that is not in the indexes: of a hundred sources' newest, a tag shows one in each.
        # Which index serves best, the planner cannot know without statistics.
        index, where, values = "post_when", ["site = ?"], [self.id]
        if source is not None:
            index, where, values = "post_source", ["source = ?"], [source]
        elif period:
            year, month, day = (*period, 0, 0)[:3]
            index, where = "post_day", ["site = ?", "day BETWEEN ? AND ?"]
            first = year * 10_000 + month * 100 + day
            values += [first, first + (0 if day else 99 if month else 9999)]
        elif playable:
            index = "post_playable"
        where += [f"shown = {shown:d}", *(["playable"] if playable else [])]
        if arrived_after is not None:
            where.append("arrived > ?")
            values.append(micros(arrived_after) or 0)
        return self._connection.execute(
            f"SELECT filed, feed_order, number FROM post INDEXED BY {index} "  # noqa: S608 - constants
            f"WHERE {' AND '.join(where)} "
            "ORDER BY filed DESC, feed_order DESC, number DESC LIMIT ? OFFSET ?",
            (*values, -1 if limit is None else limit, offset),
        ).fetchall()

    def shown(self, numbers: Iterable[int]) -> dict[int, Shown]:
        """What is shown of these posts, by number."""
        sql = (
            "SELECT number, filed, day, fingerprint, also_in, uid FROM post "
            "WHERE site = ? AND number"
        )
        return {number: _shown(row) for number, *row in self._in(sql, numbers, self.id)}

    def latest(self, limit: int) -> list[int]:
        """The newest posts of each source, at most so many.

        Those without a date are among them where a source has no others.
        """
        # A source at a time, and by the index: a window over all posts would read the archive.
        rows = self._connection.execute(_LATEST, {"site": self.id, "limit": limit}).fetchall()
        return [number for (number,) in rows]

    def recent(self, since: datetime, limit: int) -> list[tuple[int, int | None, datetime]]:
        """Number, source and moment of the newest posts, without pages of before (`is_page`)."""
        rows = self._connection.execute(
            "SELECT post.number, source, filed FROM post LEFT JOIN entry USING (number) "
            "WHERE site = ? AND shown = 1 AND filed >= ? AND "
            "(entry.number IS NULL OR rank IS NULL OR published NOTNULL OR updated NOTNULL) "
            "ORDER BY filed DESC, feed_order DESC, post.number DESC LIMIT ?",
            (self.id, micros(since), limit),
        ).fetchall()
        return [(number, source, cast("datetime", moment(filed))) for number, source, filed in rows]

    def linked(self, addresses: Iterable[str]) -> list[LinkedRow]:
        """Return the posts that may link to these addresses."""
        keys = {dedupe_key_of_link(address) for address in addresses}
        sql = "SELECT number FROM dedupe WHERE"
        numbers = {n for key in ("id", "link") for (n,) in self._in(f"{sql} {key}", keys)}
        rows = self._in(_LINKED, numbers, self.id)
        return [
            LinkedRow(number, source, cast("datetime", moment(filed)), link, feed_order)
            for number, source, filed, link, feed_order in rows
        ]

    def _numbers(self, sql: str, *values: Any) -> set[int]:
        return {number for (number,) in self._connection.execute(sql, values).fetchall()}

    def _in(self, sql: str, values: Iterable[Any], *first: Any) -> Iterator[tuple[Any, ...]]:
        return codec.select_in(self._connection, sql, values, *first)


@from_row
def _row(stored: tuple[Any, ...]) -> PostRow:
    until, shown, filed, day, modified, arrived, playable = stored[6:13]
    return PostRow._make(
        (
            *(*stored[:4], bool(stored[4]), stored[5]),
            *(moment(until), shown, moment(filed), _day(day)),
            *(moment(modified), moment(arrived), bool(playable), *stored[13:]),
        )
    )


@from_row
def _shown(stored: Sequence[Any]) -> Shown:
    filed, day, fingerprint, also_in, uid = stored
    others = json.loads(also_in) if also_in else ()
    when = cast("datetime", moment(filed))
    return Shown(when, _day(day), str(fingerprint), others, uid)


def _stored(row: PostRow) -> tuple[object, ...]:
    return (
        *(row.number, row.source, row.reason, row.detail, row.by_planet, row.too_slow),
        micros(row.until),
        *(row.shown, micros(row.filed), _number(row.day)),
        *(micros(row.modified), micros(row.arrived), *row[12:]),
    )


def _number(day: date) -> int:
    """A day as it is in a row: 20261123."""
    return day.year * 10_000 + day.month * 100 + day.day


def _day(number: int) -> date:
    year, rest = divmod(number, 10_000)
    return date(year, *divmod(rest, 100))
