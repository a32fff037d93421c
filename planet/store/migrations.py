"""An older `planet.sqlite` → one with the tables of this Planet, a step for each change of them.

Each step makes the next version of one. Steps are never edited once they are released, and use
nothing of the package: what they call would be that of a later version. What a state holds as JSON
needs no step for a new field that may be missing (`codec.decode`).

To change the tables: change `schema.py`, raise its `VERSION`, add a step here, and a state that the
version before wrote to `tests/store/states/`.
"""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from planet.store.faults import from_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping


def migrate(connection: sqlite3.Connection, *, version: int) -> None:
    """Bring the tables of a state to this version, in one transaction: wholly, or not at all.

    A state that has it already stays as it is; so does one that no step leads on from, which is
    a newer one, or was written before there were steps.
    """
    if not can_migrate(connection, version=version):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been here while this one waited.
        for older in range(version_of(connection), version):
            from_row(STEPS[older])(connection)
        connection.execute(f"PRAGMA user_version = {version}")
    except BaseException:
        connection.rollback()
        raise
    connection.execute("COMMIT")


def can_migrate(connection: sqlite3.Connection, *, version: int) -> bool:
    """Return whether the tables are older than this version, and there are steps to it."""
    return min(STEPS) <= version_of(connection) < version


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the tables, as `PRAGMA user_version` has it."""
    ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    return int(version)


def _checksum(*values: Any) -> int:
    crc = 0
    for value in values:
        is_bytes = isinstance(value, bytes)
        data = value if is_bytes else f"{value!r},".encode(errors="surrogatepass")
        crc = zlib.crc32(data, crc)
    return crc


def _add_checksums(connection: sqlite3.Connection) -> None:
    """Give entries and texts a checksum of what they say, sites a place for what they showed."""
    connection.create_function("checksum_23", -1, _checksum)
    connection.execute("ALTER TABLE entry ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
    connection.execute("ALTER TABLE text ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
    # It would have every entry decided about anew, though none says anything else.
    connection.execute("DROP TRIGGER entry_changed")
    connection.execute(
        "UPDATE entry SET checksum = checksum_23("
        "id, first_id, link, title, summary, published, updated, more, origin)"
    )
    connection.execute("UPDATE text SET checksum = checksum_23(number, kind, base, raw)")
    connection.execute(
        "CREATE TABLE lost (\n"
        "    edition TEXT PRIMARY KEY,\n"
        "    posts   INTEGER NOT NULL\n"
        ") WITHOUT ROWID"
    )


def _mark_changed_entries(connection: sqlite3.Connection) -> None:
    """Give entries the generation they were last written in, in place of triggers."""
    for name in ("entry_came", "entry_changed", "entry_went"):
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")
    connection.execute("ALTER TABLE entry ADD COLUMN generation INTEGER NOT NULL DEFAULT 0")
    connection.execute("CREATE INDEX entry_generation ON entry (generation)")
    connection.execute(
        "CREATE TABLE removed (number INTEGER PRIMARY KEY, generation INTEGER NOT NULL)"
    )


def _forget_items(connection: sqlite3.Connection) -> None:
    """Drop the hashes of the items of feeds: reading these costs less than comparing them."""
    connection.execute("ALTER TABLE feed DROP COLUMN items")


def _assemble_anew(connection: sqlite3.Connection) -> None:
    """Make the tables of what sites show in their present shape: it is assembled anew."""
    for name in ("undecided", "site", "source", "post", "part"):
        connection.execute(f"DROP TABLE IF EXISTS {name}")
    for statement in _POSTS_26.split(";"):
        connection.execute(statement)


_POSTS_26 = """
CREATE TABLE site (
    id           INTEGER PRIMARY KEY,
    folder       TEXT NOT NULL UNIQUE,
    rules        TEXT NOT NULL,
    generation   INTEGER NOT NULL,
    assembled_at INTEGER NOT NULL,
    released     INTEGER
);
CREATE TABLE source (
    id    INTEGER PRIMARY KEY,
    site  INTEGER NOT NULL,
    key   TEXT NOT NULL,
    place INTEGER NOT NULL,
    rules TEXT NOT NULL,
    UNIQUE (site, key)
);
CREATE TABLE post (
    site        INTEGER NOT NULL,
    number      INTEGER NOT NULL,
    source      INTEGER,
    reason      TEXT NOT NULL,
    detail      TEXT,
    by_planet   INTEGER NOT NULL,
    too_slow    TEXT,
    until       INTEGER,
    shown       INTEGER NOT NULL,
    filed       INTEGER NOT NULL,
    day         INTEGER NOT NULL,
    modified    INTEGER NOT NULL,
    arrived     INTEGER NOT NULL,
    playable    INTEGER NOT NULL,
    family      INTEGER,
    instead     INTEGER,
    also_in     TEXT,
    uid         TEXT,
    fingerprint INTEGER NOT NULL,
    feed_order  INTEGER NOT NULL,
    PRIMARY KEY (site, number)
) WITHOUT ROWID;
CREATE INDEX post_when ON post (site, shown, filed, feed_order, number);
CREATE INDEX post_day ON post (site, day) WHERE shown = 1;
CREATE INDEX post_source ON post (source, shown, filed, feed_order, number);
CREATE INDEX post_until ON post (site, until) WHERE until NOTNULL;
CREATE INDEX post_family ON post (site, family) WHERE family NOTNULL;
CREATE INDEX post_playable ON post (site, filed, feed_order, number) WHERE playable AND shown = 1;
CREATE TABLE part (
    site     INTEGER NOT NULL,
    source   INTEGER NOT NULL,
    kind     INTEGER NOT NULL,
    posts    INTEGER NOT NULL,
    newest   INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    playable INTEGER NOT NULL,
    mark     INTEGER NOT NULL,
    PRIMARY KEY (site, source, kind)
) WITHOUT ROWID;
"""


def _keep_texts_once(connection: sqlite3.Connection) -> None:
    """Keep of each text what was cleaned, and the summary of its entry beside the title.

    Until now a text stood there as its feed had sent it, and what was made of it was packed against
    that. It stays as it was sent where no images would be left, or nobody has cleaned it.
    """

    def unpack(packed: bytes, raw: bytes) -> str:
        windows = [raw]
        if packed.startswith(b"\0"):
            count = -(-len(raw) // 16384)
            places = [len(raw) * part // count for part in range(count)]
            windows = [raw[max(0, place - 8192) : place + 24576] for place in places]
        text, rest = b"", packed.removeprefix(b"\0")
        for window in windows:
            unpacker = zlib.decompressobj(zdict=window or b" ")
            text += unpacker.decompress(rest) + unpacker.flush()
            rest = unpacker.unused_data
        return text.decode()

    connection.create_function("checksum_27", -1, _checksum)
    connection.create_function("unzip_27", 1, lambda packed: zlib.decompress(packed).decode())
    connection.execute("ALTER TABLE entry RENAME COLUMN summary TO summary_26")
    connection.execute("ALTER TABLE entry ADD COLUMN summary TEXT")
    connection.execute("UPDATE entry SET summary = unzip_27(summary_26) WHERE summary_26 NOTNULL")
    connection.execute("ALTER TABLE entry DROP COLUMN summary_26")
    connection.execute("ALTER TABLE text RENAME TO text_26")
    connection.execute(_TEXT_27)
    for (number,) in connection.execute("SELECT number FROM text_26").fetchall():
        ((kind, base, links, cleaning, excerpt, clean, packed),) = connection.execute(
            "SELECT kind, CASE WHEN base = x'' THEN "
            "(SELECT CASE WHEN link = x'' THEN id ELSE link END FROM entry "
            "WHERE entry.number = text_26.number) ELSE base END, "
            "links, cleaning, excerpt, clean, raw FROM text_26 WHERE number = ?",
            (number,),
        )
        raw = zlib.decompress(packed)
        if excerpt is not None:
            summary = unpack(excerpt, raw)
            connection.execute("UPDATE entry SET summary = ? WHERE number = ?", (summary, number))
        is_clean = clean is not None and (cleaning or "").endswith("-lazy")
        if is_clean:
            kind, base, packed = "html", None, zlib.compress(unpack(clean, raw).encode())
        values = number, cleaning.removesuffix("-lazy") if is_clean else "", kind, base, packed
        connection.execute(
            "INSERT INTO text (number, cleaning, kind, base, value, checksum, links) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*values, _checksum(*values), links),
        )
    connection.execute("DROP TABLE text_26")
    connection.execute(
        "UPDATE entry SET checksum = checksum_27("
        "id, first_id, link, title, summary, published, updated, more, origin)"
    )


_TEXT_27 = """
CREATE TABLE text (
    number   INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    cleaning TEXT NOT NULL,
    kind     TEXT NOT NULL,
    base     TEXT,
    checksum INTEGER NOT NULL,
    links    BLOB,
    value    BLOB NOT NULL
)
"""


def _keep_fields_in_one_value(connection: sqlite3.Connection) -> None:
    """Keep the fields of an entry that no query asks for as one JSON value; links as they are."""
    connection.create_function("checksum_28", -1, _checksum)
    connection.execute("ALTER TABLE entry ADD COLUMN value TEXT NOT NULL DEFAULT '{}'")
    connection.execute(
        # The members of its second value that are null are left out.
        "UPDATE entry SET link = CASE WHEN link = x'' THEN id ELSE link END, value = "
        "json_patch(coalesce(more, '{}'), json_object('title', title, 'summary', summary))"
    )
    for name in ("title", "summary", "more"):
        connection.execute(f"ALTER TABLE entry DROP COLUMN {name}")
    connection.execute(
        "UPDATE entry SET checksum = checksum_28("
        "id, first_id, link, published, updated, origin, value)"
    )


def _write_times_in_words(connection: sqlite3.Connection) -> None:
    """Moments and spans in JSON become those of RFC 3339 and ISO 8601; they were numbers."""
    connection.create_function("spell_out_29", 1, spell_out_times)
    connection.create_function("spell_out_packed_29", 1, _spell_out_packed)
    connection.execute("UPDATE feed SET state = spell_out_29(state)")
    connection.execute("UPDATE host SET state = spell_out_29(state)")
    connection.execute("UPDATE digest SET packed = spell_out_packed_29(packed)")
    connection.execute(
        "UPDATE transform SET original = spell_out_packed_29(original) WHERE original NOTNULL"
    )


def _add_pictures(connection: sqlite3.Connection) -> None:
    """Give pictures of others a place."""
    connection.execute(
        "CREATE TABLE picture (\n"
        "    url          TEXT PRIMARY KEY,\n"
        "    asked_at     INTEGER NOT NULL,\n"
        "    answered_url TEXT,\n"
        "    hash         TEXT,\n"
        "    kind         TEXT,\n"
        "    body         BLOB\n"
        ")"
    )


def _name_feeds_of_pictures(connection: sqlite3.Connection) -> None:
    """Let pictures say which feed has an entry that shows them."""
    connection.execute("ALTER TABLE picture ADD COLUMN feed TEXT")


_MOMENTS_28: Final = (
    *("at", "attempted_at", "audited_at", "changed_at", "due_at", "etag_broken_until"),
    *("failing_since", "given_up_at", "leapt_at", "made_at", "overloaded_at", "overloaded_until"),
    *("published", "resolved_at", "rests_until", "settled_at", "since", "struck_since"),
    *("succeeded_at", "throttled_at", "updated", "whole_at"),
)
_SPANS_28: Final = ("clock_ahead", "learned_floor", "response_time", "sy", "ttl", "turnover")
_SERIES_28: Final = ("posts", "started")
"""The first moment, and from each the seconds to the next."""


def spell_out_times(stored: str) -> str:
    """Return the JSON of version 28 in the form of version 29; what is no such JSON stays."""
    try:
        value = json.loads(stored)
        return json.dumps(_spell_out(value), ensure_ascii=False, separators=(",", ":"))
    except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError):
        return stored  # damaged: whoever reads it says so


def _spell_out_packed(packed: bytes) -> bytes:
    try:
        return zlib.compress(spell_out_times(zlib.decompress(packed).decode()).encode())
    except (zlib.error, TypeError, ValueError):
        return packed


def _spell_out(fields: dict[str, Any]) -> dict[str, Any]:
    changed = dict(fields)
    for name, value in fields.items():
        if isinstance(value, dict):
            changed[name] = _spell_out(value)
        elif name in _SERIES_28:
            seconds = accumulate(value[1:], initial=0)
            changed[name] = [_rfc3339(value[0] + round(later * 1_000_000)) for later in seconds]
        elif name in _MOMENTS_28:
            changed[name] = _rfc3339(value)
        elif name in _SPANS_28 or (name == "length" and "said_by" in fields):
            changed[name] = f"{'-' if value < 0 else ''}PT{abs(value):.6f}S"
    return changed


def _rfc3339(micros: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    return moment.isoformat().replace("+00:00", "Z")


STEPS: Final[Mapping[int, Callable[[sqlite3.Connection], None]]] = {
    22: _add_checksums,
    23: _mark_changed_entries,
    24: _forget_items,
    25: _assemble_anew,
    26: _keep_texts_once,
    27: _keep_fields_in_one_value,
    28: _write_times_in_words,
    29: _add_pictures,
    30: _name_feeds_of_pictures,
}
"""What makes the next version, by the version it begins with."""
