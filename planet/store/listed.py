"""What the documents of feeds list → rows of `episodes.sqlite`, and back."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planet.model import Kept, Text, TextKind
from planet.store import codec

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    from planet.model import Draft, Entry, Reading

VERSION = 1
"""Of the tables (PRAGMA user_version)."""

TABLES = f"""
CREATE TABLE feed (
    number INTEGER PRIMARY KEY,
    key    TEXT NOT NULL UNIQUE,
    hash   TEXT               -- of the body that its episodes were read from
);

CREATE TABLE entry (          -- as in planet.sqlite
    number     INTEGER PRIMARY KEY,
    feed       INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
    id         TEXT NOT NULL,
    digest     BLOB NOT NULL,
    first_seen INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    dated      INTEGER NOT NULL,
    link       TEXT,
    title      TEXT,
    summary    TEXT,
    published  INTEGER,
    updated    INTEGER,
    more       TEXT,
    kind       TEXT,          -- of the show notes, which follow packed
    base       TEXT,
    raw        BLOB,
    UNIQUE (feed, id)
);

PRAGMA user_version = {VERSION};
"""
_COLUMNS = re.sub("rank|first_key|first_id", "NULL", codec.ENTRY_COLUMNS)

_FIRST_NUMBER = -1_000_000
"""Numbers of entries from here downward are for episodes."""


def newest(db: sqlite3.Connection, *, key: str, limit: int | None) -> tuple[Entry, ...]:
    """The newest episodes of a feed, newest first; without a limit, all."""
    # A date in the future, by mistake or to stay on top, counts from when it was first seen.
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM entry "  # noqa: S608 - a constant
        "JOIN feed ON feed.number = entry.feed WHERE key = ? "
        "ORDER BY min(dated, first_seen) DESC, entry.number DESC LIMIT ?",
        (key, -1 if limit is None else limit),
    ).fetchall()
    found = map(codec.entry_from, rows)
    return tuple(replace(entry, number=_FIRST_NUMBER - entry.number) for entry in found)


def notes(db: sqlite3.Connection, *, number: int) -> Text | None:
    """The show notes of the episode with this number."""
    statement = "SELECT kind, base, raw FROM entry WHERE number = ? AND raw NOTNULL"
    row = db.execute(statement, (_FIRST_NUMBER - number,)).fetchone()
    return Text(kind=TextKind(row[0]), base=row[1], value=codec.unpack(row[2])) if row else None


def keep(
    db: sqlite3.Connection, key: str, reading: Reading, body_hash: str | None, now: datetime
) -> Kept:
    """Bring a feed to what a reading found, within the caller's transaction."""
    db.execute("INSERT OR IGNORE INTO feed (key) VALUES (?)", (key,))
    (feed,) = db.execute("SELECT number FROM feed WHERE key = ?", (key,)).fetchone()
    known = dict(db.execute("SELECT id, number FROM entry WHERE feed = ?", (feed,)).fetchall())
    gone = [(known[each],) for each in known.keys() - set(reading.ids)]
    db.executemany("DELETE FROM entry WHERE number = ?", gone)
    # The last of the document first, so that a higher number is the newer one.
    drafts = {draft.id: draft for draft in reversed(reading.drafts)}
    for draft in drafts.values():
        said = _said(draft)
        if draft.id in known:
            db.execute(_UPDATE, (*said, codec.micros(now), known[draft.id]))
        else:
            seen = codec.micros(now)
            dated = codec.micros(draft.published or draft.updated or now)
            db.execute(_INSERT, (*said, seen, feed, draft.id, seen, dated))
    # When the file began anew after `digests`, those that were known are to be read again.
    whole = set(reading.ids) <= known.keys() | drafts.keys()
    db.execute("UPDATE feed SET hash = ? WHERE number = ?", (body_hash if whole else None, feed))
    edited = len(drafts.keys() & known.keys())
    return Kept(added=len(drafts) - edited, edited=edited)


_SAID = "digest, link, title, summary, published, updated, more, kind, base, raw, changed_at"
_INSERT = (
    f"INSERT INTO entry ({_SAID}, feed, id, first_seen, dated) "  # noqa: S608 - a constant
    f"VALUES ({', '.join('?' * (len(_SAID.split()) + 4))})"
)
_UPDATE = f"UPDATE entry SET ({_SAID}) = ({', '.join('?' * len(_SAID.split()))}) WHERE number = ?"  # noqa: S608


def _said(draft: Draft) -> tuple[Any, ...]:
    raw = draft.raw
    return (
        bytes.fromhex(draft.digest),
        draft.link,
        draft.title,
        draft.summary,
        codec.micros(draft.published),
        codec.micros(draft.updated),
        codec.more(draft),
        raw.kind if raw else None,
        raw.base if raw else None,
        codec.pack(raw.value) if raw else None,
    )
