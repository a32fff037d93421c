"""What each site shows, and why: a row for each entry. What `timeline` decides is kept here."""

from __future__ import annotations

import json
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from planet.model import Entry, Part
from planet.store import codec
from planet.store.codec import dedupe_key_of_id, dedupe_key_of_link, from_row, micros, moment

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime


_NAMES = ("site", "source", "post", "part", "undecided")
TABLES = """
CREATE TABLE site (
    id         INTEGER PRIMARY KEY,
    folder     TEXT NOT NULL UNIQUE,  -- as `edition` in `digest`
    rules      TEXT NOT NULL,         -- fingerprint of what concerns all entries
    picks      TEXT NOT NULL,         -- the same of the picks
    decided_at INTEGER NOT NULL,
    released   INTEGER
);
CREATE TABLE source (
    id    INTEGER PRIMARY KEY,
    site  INTEGER NOT NULL,
    key   TEXT NOT NULL,              -- of a feed
    place INTEGER NOT NULL,           -- in the operator's order
    rules TEXT NOT NULL,              -- fingerprint of what concerns its entries
    UNIQUE (site, key)
);
CREATE TABLE post (
    site        INTEGER NOT NULL,
    number      INTEGER NOT NULL,     -- of the entry; -1 is the first pick, -2 the second
    source      INTEGER,
    reason      TEXT NOT NULL,
    detail      TEXT,
    by_planet   INTEGER NOT NULL,     -- whether the planet's filters decided
    too_slow    TEXT,                 -- JSON: filters that took too long, and passed it
    until       INTEGER,              -- when time alone changes the decision
    shown       INTEGER NOT NULL,     -- 1: among the others, 2: without a date; 0: it is not
    filed       INTEGER NOT NULL,
    day         INTEGER NOT NULL,     -- 20261123
    modified    INTEGER NOT NULL,
    arrived     INTEGER NOT NULL,
    playable    INTEGER NOT NULL,
    family      INTEGER,              -- one number for all that may be the same
    instead     INTEGER,              -- the post that is shown in its place
    also_in     TEXT,                 -- JSON: the keys of other feeds that have it
    uid         TEXT,                 -- the published id, where it is not that of the entry
    fingerprint INTEGER NOT NULL,     -- of what is shown of it
    PRIMARY KEY (site, number)
) WITHOUT ROWID;
CREATE INDEX post_when ON post (site, shown, filed, number);
CREATE INDEX post_day ON post (site, day) WHERE shown = 1;
CREATE INDEX post_source ON post (source, shown, filed, number);
CREATE INDEX post_until ON post (site, until) WHERE until NOTNULL;
CREATE INDEX post_family ON post (site, family) WHERE family NOTNULL;
CREATE INDEX post_playable ON post (site, filed, number) WHERE playable AND shown = 1;
CREATE TABLE part (
    site     INTEGER NOT NULL,
    source   INTEGER NOT NULL,        -- 0 in the row of a day
    kind     INTEGER NOT NULL,        -- 20261123; of a source what is `shown`, or -1: too old
    posts    INTEGER NOT NULL,
    newest   INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    playable INTEGER NOT NULL,
    mark     INTEGER NOT NULL,        -- the sum of what `fingerprint` begins with
    PRIMARY KEY (site, source, kind)
) WITHOUT ROWID;
CREATE TABLE undecided (              -- entries that came, changed or went
    site   INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (site, number)
) WITHOUT ROWID;
"""
TRIGGERS = """
CREATE TRIGGER entry_came AFTER INSERT ON entry WHEN new.kept BEGIN
    INSERT OR IGNORE INTO undecided SELECT id, new.number FROM site;
END;
CREATE TRIGGER entry_changed AFTER UPDATE ON entry
WHEN new.kept AND new.present >= old.present BEGIN
    INSERT OR IGNORE INTO undecided SELECT id, new.number FROM site;
END;
CREATE TRIGGER entry_went AFTER DELETE ON entry BEGIN
    INSERT OR IGNORE INTO undecided SELECT id, old.number FROM site;
END;
"""
_MANY = 100
"""Parts of which each is counted by itself; of more, all are."""


_LINKED = (
    f"SELECT post.number, source, filed, {codec.LINK} FROM post "  # noqa: S608 - constants
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


class Row(NamedTuple):
    """What was decided about an entry, or of a pick."""

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


class Shown(NamedTuple):
    """What of a row is shown with its entry."""

    filed: datetime
    day: date
    fingerprint: str
    also_in: Sequence[str]
    """The keys of other feeds."""
    uid: str | None


class Counted(NamedTuple):
    """What filters that count look at, of a row."""

    number: int
    filed: datetime
    reason: str
    by_planet: bool


class Site(NamedTuple):
    """What was decided by when it was decided last."""

    id: int
    rules: str
    picks: str
    decided_at: datetime
    released: datetime | None


_COLUMNS = ", ".join(f"post.{name}" for name in Row._fields)


_TOGETHER = 5_000
"""Entries whose relatives are looked for at once."""


class Rows:
    """The rows of one site, which is named by its folder."""

    def __init__(self, connection: sqlite3.Connection, folder: str) -> None:
        self._connection = connection
        self._folder = folder
        self.id = 0
        if connection.execute("PRAGMA query_only").fetchone()[0]:
            _borrow(connection)
        if site := self.site():
            self.id = site.id

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written inside, or none of it."""
        self._connection.execute("BEGIN")
        try:
            yield
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.execute("COMMIT")

    # By what it was decided

    def site(self) -> Site | None:
        """What was decided by when it was decided last; None when it never was."""
        row = self._connection.execute(
            "SELECT id, rules, picks, decided_at, released FROM site WHERE folder = ?",
            (self._folder,),
        ).fetchone()
        return row and Site(*row[:3], *map(moment, row[3:]))

    def forget(self) -> None:
        """Drop all that was decided."""
        for name in ("source", "post", "part", "undecided"):
            self._connection.execute(f"DELETE FROM {name} WHERE site = ?", (self.id,))  # noqa: S608
        self._connection.execute("DELETE FROM site WHERE id = ?", (self.id,))

    def decided(self, rules: str, picks: str, at: datetime, released: datetime | None) -> None:
        """Write down by what all is decided now."""
        row = rules, picks, micros(at), micros(released), self._folder
        self._connection.execute(
            "INSERT INTO site (rules, picks, decided_at, released, folder) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (folder) DO UPDATE SET rules = excluded.rules, picks = excluded.picks, "
            "decided_at = excluded.decided_at, released = excluded.released",
            row,
        )
        (self.id,) = self._connection.execute(
            "SELECT id FROM site WHERE folder = ?", (self._folder,)
        ).fetchone()
        self._connection.execute("DELETE FROM undecided WHERE site = ?", (self.id,))

    def sources(self) -> dict[str, tuple[int, str]]:
        """The number of each source and the fingerprint of its rules, by key, in order."""
        rows = self._connection.execute(
            "SELECT key, id, rules FROM source WHERE site = ? ORDER BY place", (self.id,)
        )
        return {key: (number, rules) for key, number, rules in rows}

    def keep_sources(self, rules: Mapping[str, str]) -> None:
        """Store the sources that there are; others are forgotten, when their posts are."""
        self._connection.executemany(
            "INSERT INTO source (site, key, rules, place) VALUES (?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET rules = excluded.rules, place = excluded.place",
            [(self.id, *item, place) for place, item in enumerate(rules.items())],
        )

    def forget_sources(self, numbers: Iterable[int]) -> None:
        """Drop sources without posts."""
        rows = [(number,) for number in numbers]
        self._connection.executemany("DELETE FROM source WHERE id = ?", rows)

    # What is to be decided

    def undecided(self) -> set[int]:
        """The numbers of the entries that came, changed or went since."""
        return self._numbers("SELECT number FROM undecided WHERE site = ?", self.id)

    def expired(self, now: datetime) -> set[int]:
        """The numbers of the entries about which time alone has decided otherwise."""
        at = micros(now)
        return self._numbers("SELECT number FROM post WHERE site = ? AND until <= ?", self.id, at)

    def because(self, reason: str) -> set[int]:
        """The numbers of the entries that are not shown for this reason."""
        return self._numbers(
            "SELECT number FROM post WHERE site = ? AND shown = 0 AND reason = ?", self.id, reason
        )

    def picks(self) -> set[int]:
        """The numbers of what was picked."""
        return self._numbers("SELECT number FROM post WHERE site = ? AND number < 0", self.id)

    def of_sources(self, numbers: Iterable[int]) -> set[int]:
        """The numbers of what was decided of sources."""
        sql = "SELECT number FROM post WHERE source = ?"
        return {entry for number in numbers for entry in self._numbers(sql, number)}

    def of_feeds(self, keys: Iterable[str]) -> set[int]:
        """The numbers of all entries of feeds."""
        sql = f"SELECT entry.number {codec.OF_FEEDS} WHERE kept AND key = ?"
        return {entry for key in keys for entry in self._numbers(sql, key)}

    def feeds_of(self, numbers: Iterable[int]) -> dict[str, list[int]]:
        """The entries by the keys of their feeds; those that are gone are left out."""
        by_feed: dict[str, list[int]] = {}
        for number, key in self._in(
            f"SELECT entry.number, feed.key {codec.OF_FEEDS} WHERE entry.number", numbers
        ):
            by_feed.setdefault(key, []).append(number)
        return by_feed

    def relatives(self, numbers: Collection[int]) -> set[int]:
        """The entries that were taken for such as may be the same as one of these."""
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

    def families(self, numbers: Iterable[int], ids: Mapping[int, str]) -> dict[int, int]:
        """All entries that may be the same as one of these, each with one number of its family.

        `ids` are those of picks, by number. A link counts only where two feeds have it. Who is the
        only one of a family is left out.
        """
        families, keys = _Families(), set[int]()
        picks: dict[int, list[int]] = {}
        for number, pick_id in ids.items():
            picks.setdefault(dedupe_key_of_id(pick_id), []).append(number)
        frontier, met = set(numbers), set[int]()
        while frontier:
            # A first run asks about all entries, and each has sets below.
            batch = {frontier.pop() for _ in range(min(len(frontier), _TOGETHER))}
            met |= batch
            new = {dedupe_key_of_id(ids[number]) for number in batch if number in ids}
            for row in self._in("SELECT link, id FROM dedupe WHERE number", batch):
                new.update(key for key in row if key is not None)
            new -= keys
            keys |= new
            alike = {key: set(picks.get(key, ())) for key in new}
            feeds: dict[int, set[int]] = {key: set() for key in new}
            by_id = set[int]()
            # The id of one may be the link of another.
            for kind in ("id", "link"):
                sql = f"SELECT {kind}, number, feed FROM dedupe WHERE {kind}"  # noqa: S608 - constants
                for key, number, feed in self._in(sql, new):
                    alike[key].add(number)
                    feeds[key].add(feed)
                if kind == "id":
                    by_id = {key for key, same in alike.items() if len(same) > 1}
            for key, same in alike.items():
                if key in by_id or (len(same) > 1 and len(feeds[key]) > 1):
                    frontier |= families.join(same) - met
        return families.all()

    def entries(self, numbers: Iterable[int], *, whole: bool = False) -> list[Entry]:
        """Entries; the summary of one that has a text is read only when they are to be `whole`."""
        sql = codec.WHOLE_ENTRIES if whole else codec.ENTRIES
        return [codec.entry_from(row) for row in self._in(f"{sql} WHERE entry.number", numbers)]

    # What was decided

    def rows(self, numbers: Iterable[int] | None = None) -> Iterator[Row]:
        """The rows of these entries, or all."""
        sql = f"SELECT {_COLUMNS} FROM post WHERE site = ?"  # noqa: S608 - constants
        if numbers is None:
            rows = self._connection.execute(sql, (self.id,)).fetchall()
        else:
            rows = list(self._in(f"{sql} AND number", numbers, self.id))
        return map(_row, rows)

    def counted(self) -> Iterator[Counted]:
        """What filters that count look at, of the rows of all entries."""
        rows = self._connection.execute(
            "SELECT number, filed, reason, by_planet FROM post WHERE site = ? AND number > 0",
            (self.id,),
        ).fetchall()
        for number, filed, reason, by_planet in rows:
            yield Counted(number, cast("datetime", moment(filed)), reason, bool(by_planet))

    def put(self, rows: Iterable[Row]) -> None:
        """Store rows, each in the place of one that was there."""
        marks = ", ".join("?" * (len(Row._fields) + 1))
        self._connection.executemany(
            f"INSERT OR REPLACE INTO post (site, {', '.join(Row._fields)}) VALUES ({marks})",  # noqa: S608
            ((self.id, *_stored(row)) for row in rows),
        )

    def drop(self, numbers: Iterable[int]) -> None:
        """Drop rows."""
        rows = [(self.id, number) for number in numbers]
        self._connection.executemany("DELETE FROM post WHERE site = ? AND number = ?", rows)

    def count(self, sources: Collection[int], days: Collection[date]) -> None:
        """Count anew what there is of these sources, and of these days."""
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
    ) -> list[tuple[int, int]]:
        """When the newest posts are filed, and their numbers."""
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
            f"SELECT filed, number FROM post INDEXED BY {index} WHERE {' AND '.join(where)} "  # noqa: S608 - constants
            "ORDER BY filed DESC, number DESC LIMIT ? OFFSET ?",
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
            "ORDER BY filed DESC, post.number DESC LIMIT ?",
            (self.id, micros(since), limit),
        ).fetchall()
        return [(number, source, cast("datetime", moment(filed))) for number, source, filed in rows]

    def linked(self, addresses: Iterable[str]) -> list[tuple[int, int | None, datetime, str]]:
        """Number, source, moment and link of posts that may link to these."""
        keys = {dedupe_key_of_link(address) for address in addresses}
        sql = "SELECT number FROM dedupe WHERE"
        numbers = {n for key in ("id", "link") for (n,) in self._in(f"{sql} {key}", keys)}
        rows = self._in(_LINKED, numbers, self.id)
        return [
            (number, source, cast("datetime", moment(filed)), link)
            for number, source, filed, link in rows
        ]

    def _numbers(self, sql: str, *values: Any) -> set[int]:
        return {number for (number,) in self._connection.execute(sql, values).fetchall()}

    def _in(self, sql: str, values: Iterable[Any], *first: Any) -> Iterator[tuple[Any, ...]]:
        return codec.select_in(self._connection, sql, values, *first)


@from_row
def _row(stored: tuple[Any, ...]) -> Row:
    until, shown, filed, day, modified, arrived, playable = stored[6:13]
    return Row._make(
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


def _stored(row: Row) -> tuple[object, ...]:
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


class _Families:
    """Sets of numbers that are joined."""

    def __init__(self) -> None:
        self._above: dict[int, int] = {}

    def join(self, numbers: Collection[int]) -> set[int]:
        """Make one family of them."""
        heads = {self._head(number) for number in numbers}
        first = min(heads)
        for head in heads:
            self._above[head] = first
        return set(numbers)

    def all(self) -> dict[int, int]:
        """Each with one number of its family."""
        return {number: self._head(number) for number in list(self._above)}

    def _head(self, number: int) -> int:
        path = [number]
        while (above := self._above.setdefault(path[-1], path[-1])) != path[-1]:
            path.append(above)
        for number in path:
            self._above[number] = path[-1]
        return path[-1]


def _borrow(connection: sqlite3.Connection) -> None:
    """Let what is decided be written beside a file that is only looked at."""
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA query_only = OFF")
    connection.executescript(
        TABLES.replace("CREATE TABLE ", "CREATE TABLE temp.").replace(
            "CREATE INDEX ", "CREATE INDEX temp."
        )
    )
    for name in _NAMES:
        connection.execute(f"INSERT INTO temp.{name} SELECT * FROM main.{name}")  # noqa: S608
