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

TABLES: Final = """
CREATE TABLE planet (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    generation INTEGER NOT NULL,  -- one more with each change that a page could show
    believed   INTEGER,           -- what the last run took for the present
    name       TEXT NOT NULL      -- of this planet alone, wherever its state lies
);
INSERT INTO planet VALUES (1, 0, NULL, lower(hex(randomblob(6))));

CREATE TABLE feed (                -- subscription lists on the web among them
    number       INTEGER PRIMARY KEY,
    key          TEXT NOT NULL UNIQUE,
    first_key    TEXT,            -- its first key, where that was another
    attempted_at INTEGER,         -- as in FeedState, whose JSON may have an older one
    state        TEXT NOT NULL,   -- JSON of a FeedState
    body         BLOB             -- of a list: the last one that could be read
);

CREATE TABLE entry (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again, not even when deleted
    feed       INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
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
    value      TEXT NOT NULL      -- JSON: its other fields
);
-- Without the id, which would be kept twice: an entry is looked for among those of its feed.
CREATE INDEX entry_of ON entry (feed, kept);
CREATE INDEX entry_origin ON entry (feed, origin) WHERE origin NOTNULL AND kept;
CREATE INDEX entry_gone ON entry (dated) WHERE NOT present;
CREATE INDEX entry_waits ON entry (feed) WHERE waits;

CREATE TABLE text (
    number   INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    cleaning TEXT NOT NULL,       -- the version of the cleaner; empty: it is as its feed sent it
    kind     TEXT NOT NULL,
    base     TEXT,                -- of the addresses in one that is not clean yet
    links    BLOB,                -- the addresses that it links to, a line each
    value    BLOB NOT NULL        -- last: the others are read without the pages of a long text
);

CREATE TABLE seen (               -- entries of a lost state, until their feeds are read again
    uid        TEXT PRIMARY KEY,  -- as published
    first_seen INTEGER NOT NULL,
    filed      INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE host (
    host  TEXT PRIMARY KEY,       -- host:port
    state TEXT NOT NULL           -- JSON of a HostState
) WITHOUT ROWID;

CREATE TABLE picture (            -- of others, shown so that readers of the site ask nobody else
    url   TEXT PRIMARY KEY,
    state TEXT NOT NULL,          -- JSON of a StoredPicture
    body  BLOB                    -- none where nothing came that can be shown
);

CREATE TABLE digest (
    edition TEXT NOT NULL,        -- its folder in the output folder; empty for that folder itself
    name    TEXT NOT NULL,
    packed  BLOB NOT NULL,        -- JSON of a Digest
    PRIMARY KEY (edition, name)
);

CREATE TABLE site (
    output      TEXT PRIMARY KEY, -- its folder, as `name_output` calls it
    edition     TEXT NOT NULL,    -- as in `digest`
    released    INTEGER,          -- what was found later was not in it when it was last made
    publication TEXT NOT NULL,    -- JSON of a Publication
    files       BLOB NOT NULL     -- packed JSON: what was left in the folder, by path
);
"""
