"""The table `post`: a row for each entry of each site, with what was decided about it.

Pages read from it a part at a time. Nothing is decided here.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from planet.model import Entry, Part
from planet.store.codec import exact_moment, micros, moment
from planet.store.database import select_in, transaction
from planet.store.entries import OF_FEEDS, dedupe_key_of_link, read_entries
from planet.store.faults import from_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime


_MANY = 100
"""Parts of which each is counted by itself; of more, all are."""


_LINKED = (
    "SELECT post.number, source, filed, link, feed_order FROM post "
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
_SHARE = """
SELECT number, source, posts FROM (
    SELECT number, source, filed, feed_order, count(*) OVER own AS posts, row_number() OVER (
        own ORDER BY filed DESC, feed_order DESC, number DESC
    ) AS place
    FROM post INDEXED BY post_day WHERE site = ? AND shown = 1 AND day = ?
    WINDOW own AS (PARTITION BY source, number < 0)
)
WHERE place <= ? OR number < 0 ORDER BY filed DESC, feed_order DESC, number DESC
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


class SourceRow(NamedTuple):
    """A source of a site."""

    number: int
    rules: str
    """The fingerprint of what concerns its entries."""


class SourcePart(NamedTuple):
    """What is known of the posts of a source that are of one kind."""

    source: int
    kind: int
    """As `PostRow.shown`; -1 for what is not shown because it is too old."""
    part: Part


class PostPlace(NamedTuple):
    """A post in the order of posts: the highest comes first."""

    filed: int
    feed_order: int
    number: int


class DayShare(NamedTuple):
    """A post that is within the share of its source on its day."""

    number: int
    source: int | None
    posts: int
    """How many posts its source has on the day, without picked ones."""


class PostQuery(NamedTuple):
    """Which posts of a site are wanted; those of all its sources where none is named."""

    limit: int | None = None
    """At most so many; None is all."""
    offset: int = 0
    source: int | None = None
    period: tuple[int, ...] = ()
    """A year, a month of it, and a day of that, as far as they are named."""
    shown: int = 1
    """As in `PostRow`."""
    playable: bool = False
    """Only those that can be played."""
    arrived_after: datetime | None = None


class RecentPost(NamedTuple):
    """A post, its source and its moment."""

    number: int
    source: int | None
    filed: datetime


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
        self.id: int = row["id"] if row else 0

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
        if row is None:
            return None
        return Assembly(row["rules"], exact_moment(row["assembled_at"]), moment(row["released"]))

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
            (
                self._folder,
                assembly.rules,
                micros(assembly.assembled_at),
                micros(assembly.released),
            ),
        )
        (self.id,) = self._connection.execute(
            "SELECT id FROM site WHERE folder = ?", (self._folder,)
        ).fetchone()
        self._connection.execute(
            "DELETE FROM removed WHERE generation <= (SELECT min(generation) FROM site)"
        )

    def sources(self) -> dict[str, SourceRow]:
        """Return the sources by key, in the operator's order."""
        rows = self._connection.execute(
            "SELECT key, id, rules FROM source WHERE site = ? ORDER BY place", (self.id,)
        )
        return {row["key"]: SourceRow(row["id"], row["rules"]) for row in rows}

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

    def find_changed(self) -> set[int]:
        """Return the entries that came, changed or went since the posts were assembled."""
        since = "> (SELECT generation FROM site WHERE id = ?)"
        return self._numbers(
            f"SELECT number FROM entry WHERE generation {since} AND kept "  # noqa: S608 - constants
            f"UNION SELECT number FROM removed WHERE generation {since}",
            self.id,
            self.id,
        )

    def find_expired(self, now: datetime) -> set[int]:
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
        sql = f"SELECT entry.number {OF_FEEDS} WHERE kept AND key = ?"
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
            f"SELECT entry.number {OF_FEEDS} WHERE key = ? AND kept AND id = ?",
            feed,
            entry_id,
        )

    def family_members(self, numbers: Iterable[int]) -> set[int]:
        """Return the entries that shared a dedupe key with these when they were assembled."""
        families = {
            row["family"]
            for row in self._in(
                "SELECT family FROM post WHERE family NOTNULL AND site = ? AND number",
                numbers,
                self.id,
            )
        }
        sql = "SELECT number FROM post WHERE family NOTNULL AND site = ? AND family"
        return {row["number"] for row in self._in(sql, families, self.id)}

    def entries(self, numbers: Iterable[int]) -> list[Entry]:
        """Return the entries with these numbers."""
        return read_entries(self._connection, "entry.number", numbers)

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
            ((self.id, *_columns(row).values()) for row in rows),
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
        """Return what is known of each day, the newest first."""
        return {_day(row.kind): row.part for row in self._parts("source = 0")}

    def parts(self) -> Iterator[SourcePart]:
        """Return what is known of each source and kind of its posts."""
        return self._parts("source > 0")

    def _parts(self, which: str) -> Iterator[SourcePart]:
        rows = self._connection.execute(
            f"SELECT * FROM part WHERE site = ? AND {which} ORDER BY kind DESC",  # noqa: S608
            (self.id,),
        ).fetchall()
        for row in rows:
            part = Part(
                posts=row["posts"],
                newest=exact_moment(row["newest"]),
                modified=exact_moment(row["modified"]),
                playable=bool(row["playable"]),
                mark=f"{row['posts']} {row['mark']}",
            )
            yield SourcePart(row["source"], row["kind"], part)

    def next_change(self, now: datetime) -> datetime | None:
        """Return when time alone will change a decision."""
        row = self._connection.execute(
            "SELECT min(until) AS until FROM post WHERE site = ? AND until > ?",
            (self.id, micros(now)),
        ).fetchone()
        return moment(row["until"])

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
        return [row["number"] for row in rows]

    def count_shown(self, feed: str) -> int:
        """Count the entries of a feed that are shown themselves."""
        ((count,),) = self._connection.execute(
            "SELECT count(*) FROM entry JOIN post USING (number) WHERE site = ? AND shown > 0 "
            "AND feed = (SELECT number FROM feed WHERE key = ?)",
            (self.id, feed),
        )
        return int(count)

    def newest(self, query: PostQuery) -> list[PostPlace]:
        """Return the newest posts that a query wants, the newest first."""
        # Nothing that is not in the indexes: of a hundred sources' newest, a tag shows one in each.
        # Which index serves best, the planner cannot know without statistics.
        index, where, values = "post_when", ["site = ?"], [self.id]
        if query.source is not None:
            index, where, values = "post_source", ["source = ?"], [query.source]
        elif query.period:
            year, month, day = (*query.period, 0, 0)[:3]
            index, where = "post_day", ["site = ?", "day BETWEEN ? AND ?"]
            first = year * 10_000 + month * 100 + day
            values += [first, first + (0 if day else 99 if month else 9999)]
        elif query.playable:
            index = "post_playable"
        where += [f"shown = {query.shown:d}", *(["playable"] if query.playable else [])]
        if query.arrived_after is not None:
            where.append("arrived > ?")
            values.append(micros(query.arrived_after) or 0)
        rows = self._connection.execute(
            f"SELECT filed, feed_order, number FROM post INDEXED BY {index} "  # noqa: S608 - constants
            f"WHERE {' AND '.join(where)} "
            "ORDER BY filed DESC, feed_order DESC, number DESC LIMIT ? OFFSET ?",
            (*values, -1 if query.limit is None else query.limit, query.offset),
        )
        return [PostPlace._make(row) for row in rows]

    def share(self, day: date, per_source: int) -> list[DayShare]:
        """Return the newest posts of each source on a day, and all picked ones, newest first."""
        rows = self._connection.execute(_SHARE, (self.id, _number(day), per_source))
        return [DayShare._make(row) for row in rows]

    def shown(self, numbers: Iterable[int]) -> dict[int, Shown]:
        """Return what is shown of these posts, by number."""
        sql = (
            "SELECT number, filed, day, fingerprint, also_in, uid FROM post "
            "WHERE site = ? AND number"
        )
        return {row["number"]: _shown(row) for row in self._in(sql, numbers, self.id)}

    def latest(self, limit: int) -> list[int]:
        """Return the newest posts of each source, at most so many.

        Those without a date are among them where a source has no others.
        """
        # A source at a time, and by the index: a window over all posts would read the archive.
        rows = self._connection.execute(_LATEST, {"site": self.id, "limit": limit}).fetchall()
        return [row["number"] for row in rows]

    def recent(self, since: datetime, limit: int) -> list[RecentPost]:
        """Return the newest posts, without pages of before (`is_page`)."""
        rows = self._connection.execute(
            "SELECT post.number, source, filed FROM post LEFT JOIN entry USING (number) "
            "WHERE site = ? AND shown = 1 AND filed >= ? AND "
            "(entry.number IS NULL OR rank IS NULL OR published NOTNULL OR updated NOTNULL) "
            "ORDER BY filed DESC, feed_order DESC, post.number DESC LIMIT ?",
            (self.id, micros(since), limit),
        ).fetchall()
        return [
            RecentPost(row["number"], row["source"], exact_moment(row["filed"])) for row in rows
        ]

    def linking_to(self, addresses: Iterable[str]) -> list[LinkedRow]:
        """Return the posts that may link to these addresses."""
        keys = {dedupe_key_of_link(address) for address in addresses}
        sql = "SELECT number FROM dedupe WHERE"
        numbers = {
            row["number"] for key in ("id", "link") for row in self._in(f"{sql} {key}", keys)
        }
        rows = self._in(_LINKED, numbers, self.id)
        return [
            LinkedRow(
                number=row["number"],
                source=row["source"],
                when=exact_moment(row["filed"]),
                link=row["link"],
                feed_order=row["feed_order"],
            )
            for row in rows
        ]

    def _numbers(self, sql: str, *values: Any) -> set[int]:
        return {row["number"] for row in self._connection.execute(sql, values).fetchall()}

    def _in(self, sql: str, values: Iterable[Any], *first: Any) -> Iterator[sqlite3.Row]:
        return select_in(self._connection, sql, values, *first)


@from_row
def _row(row: sqlite3.Row) -> PostRow:
    return PostRow(
        **{
            **row,
            "by_planet": bool(row["by_planet"]),
            "until": moment(row["until"]),
            "filed": exact_moment(row["filed"]),
            "day": _day(row["day"]),
            "modified": exact_moment(row["modified"]),
            "arrived": exact_moment(row["arrived"]),
            "playable": bool(row["playable"]),
        }
    )


@from_row
def _shown(row: sqlite3.Row) -> Shown:
    return Shown(
        filed=exact_moment(row["filed"]),
        day=_day(row["day"]),
        fingerprint=str(row["fingerprint"]),
        also_in=json.loads(row["also_in"]) if row["also_in"] else (),
        uid=row["uid"],
    )


def _columns(row: PostRow) -> dict[str, object]:
    """Return the columns of a row, in the order of its fields."""
    return {
        **row._asdict(),
        "until": micros(row.until),
        "filed": micros(row.filed),
        "day": _number(row.day),
        "modified": micros(row.modified),
        "arrived": micros(row.arrived),
    }


def _number(day: date) -> int:
    """Return a day as it is in a row: 20261123."""
    return day.year * 10_000 + day.month * 100 + day.day


def _day(number: int) -> date:
    year, rest = divmod(number, 10_000)
    return date(year, *divmod(rest, 100))
