"""The tables of `planet.sqlite`, and the steps that make them of those of an older Planet.

To change the tables: change them here, raise `VERSION`, and add a step. A step is SQL that makes
the next version, and is never edited once it is released. JSON in a state needs no step for a new
field that may be missing (`codec.decode`).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


VERSION: Final = 1
"""Of the tables (PRAGMA user_version); raised with each change of them."""

STEPS: Final[Mapping[int, str]] = MappingProxyType({})
"""The statements that make the next version, by the version that they begin with."""

RECORDS: Final = {
    "feed": "feeds and subscription lists by key: a FeedState; of a list, its last body",
    "host": "servers by host:port: a HostState",
    "picture": "those of others that the site shows, by address: a StoredPicture",
    "site": "output folders: a Publication; packed, what was left in the folder",
    "digest": "those that were made, by folder of their edition and name",
    "seen": "dates of entries of a lost state, by published id, until their feeds are read",
}
"""The tables with a noun as JSON for each key, and bytes that some have beside it; these stand
last, so that the nouns are read without their pages."""

_TABLES_OF_RECORDS = "".join(
    f"CREATE TABLE {name} (key TEXT PRIMARY KEY, value TEXT NOT NULL, body BLOB);  -- {words}\n"
    for name, words in RECORDS.items()
)

TABLES: Final = f"""
{_TABLES_OF_RECORDS}
CREATE TABLE planet (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    generation INTEGER NOT NULL,  -- one more with each change that a page could show
    believed   INTEGER,           -- what the last run took for the present
    name       TEXT NOT NULL      -- of this planet alone, wherever its state lies
);
INSERT INTO planet VALUES (1, 0, NULL, lower(hex(randomblob(6))));

CREATE TABLE entry (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again, not even when deleted
    feed       TEXT NOT NULL,     -- its key
    first_key  TEXT,              -- the key when the entry was first seen, where it was another
    kept       INTEGER NOT NULL,  -- 0: an episode that can be picked, as long as its feed has it
    id         TEXT NOT NULL,
    first_id   TEXT,              -- as its feed first said it, where that was another
    digest     TEXT NOT NULL,     -- empty: its text is to be read again
    waits      INTEGER NOT NULL,  -- whether it is held back, and stored without its text
    first_seen INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    dated      INTEGER NOT NULL,
    present    INTEGER NOT NULL,  -- whether its feed had it when last read
    rank       INTEGER,
    origin     TEXT,              -- JSON
    value      TEXT NOT NULL,     -- JSON: its other fields
    cleaning   TEXT,              -- the version of the cleaner; empty: the text is as it was sent
    kind       TEXT,              -- of its text; of one without a text, all from here on are NULL
    base       TEXT,              -- of the addresses in a text that is not clean yet
    links      TEXT,              -- JSON: the addresses that the text links to
    text       BLOB               -- packed; last: the others are read without its pages
);
-- Without the id, which would be kept twice: an entry is looked for among those of its feed.
CREATE INDEX entry_of ON entry (feed, kept);
CREATE INDEX entry_origin ON entry (feed, origin) WHERE origin NOTNULL AND kept;
CREATE INDEX entry_gone ON entry (dated) WHERE NOT present;
"""
