"""The tables of `planet.sqlite`. A change of one is a step in `migrations`."""

from __future__ import annotations

from typing import Final

VERSION: Final = 1
"""Of the tables (PRAGMA user_version); raised with each change of them."""

TABLES: Final = """
CREATE TABLE planet (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    generation INTEGER NOT NULL,  -- one more with each change that a page could show
    believed   INTEGER,           -- what the last run took for the present
    name       TEXT NOT NULL      -- of this planet alone, wherever its state lies
);
INSERT INTO planet VALUES (1, 0, NULL, lower(hex(randomblob(6))));

CREATE TABLE feed (
    number       INTEGER PRIMARY KEY,
    key          TEXT NOT NULL UNIQUE,
    first_key    TEXT,            -- its first key, where that was another
    url          TEXT NOT NULL,
    attempted_at INTEGER,         -- these as in FeedState
    settled_at   INTEGER,
    due_at       INTEGER,
    succeeded_at INTEGER,
    answered_url TEXT,
    given_up     TEXT,
    reader       TEXT,
    picks        TEXT,
    is_well      INTEGER NOT NULL DEFAULT 1,
    state        TEXT NOT NULL DEFAULT '{}'  -- JSON: its other fields
);

CREATE TABLE entry (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again, not even when deleted
    feed       INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
    kept       INTEGER NOT NULL,  -- 0: an episode that can be picked, as long as its feed has it
    id         TEXT NOT NULL,
    first_id   TEXT,              -- as its feed first said it, where that was another
    digest     BLOB NOT NULL,
    first_seen INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    dated      INTEGER NOT NULL,
    present    INTEGER NOT NULL,  -- whether its feed had it when last read
    rank       INTEGER,
    link       TEXT,
    published  INTEGER,
    updated    INTEGER,
    origin     TEXT,              -- JSON
    value      TEXT NOT NULL DEFAULT '{}'   -- JSON: its other fields
);
-- Without the id, which would be kept twice: an entry is looked for among those of its feed.
CREATE INDEX entry_of ON entry (feed, kept);
CREATE INDEX entry_origin ON entry (feed, origin) WHERE origin NOTNULL AND kept;
CREATE INDEX entry_gone ON entry (dated) WHERE NOT present;

CREATE TABLE text (
    number   INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    cleaning TEXT NOT NULL,       -- the version of the cleaner; empty: it is as its feed sent it
    kind     TEXT NOT NULL,
    base     TEXT,                -- of the addresses in one that is not clean yet
    links    BLOB,                -- the addresses that it links to, a line each
    value    BLOB NOT NULL        -- last: the others are read without the pages of a long text
);

CREATE TABLE waiting (            -- entries that are stored without their texts
    number INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    digest BLOB NOT NULL          -- theirs; it is empty in `entry` as long as they wait
);

CREATE TABLE seen (               -- entries of a lost state, until their feeds are read again
    uid        TEXT PRIMARY KEY,  -- as published
    first_seen INTEGER NOT NULL,
    filed      INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE host (
    host  TEXT PRIMARY KEY,       -- host:port
    state TEXT NOT NULL           -- JSON: the fields of a HostState
) WITHOUT ROWID;

CREATE TABLE list (
    key  TEXT PRIMARY KEY,        -- of a subscription list on the web
    body BLOB NOT NULL            -- the last one that could be read
);

CREATE TABLE picture (            -- of others, shown so that readers of the site ask nobody else
    url          TEXT PRIMARY KEY,
    asked_at     INTEGER NOT NULL,
    answered_url TEXT,            -- after redirects
    hash         TEXT,            -- SHA-256 of the body, in hex
    kind         TEXT,            -- png, jpg, gif, webp, ico
    body         BLOB             -- none where nothing came that can be shown
);

CREATE TABLE digest (
    edition TEXT NOT NULL,        -- its folder in the output folder; empty for that folder itself
    name    TEXT NOT NULL,
    packed  BLOB NOT NULL,        -- JSON of a Digest
    PRIMARY KEY (edition, name)
);

CREATE TABLE release (
    edition TEXT PRIMARY KEY,     -- as in `digest`
    moment  INTEGER NOT NULL      -- what was found later was not in it when it was last made
) WITHOUT ROWID;

CREATE TABLE publication (
    output      TEXT PRIMARY KEY,
    config_hash TEXT NOT NULL,    -- fingerprint of config, theme and program
    listed      TEXT NOT NULL,    -- fingerprint of the feeds of subscription lists
    generation  INTEGER NOT NULL, -- of the state it was made from
    keeps_until INTEGER,
    entries     INTEGER NOT NULL
);

CREATE TABLE file (
    output      TEXT NOT NULL,
    path        TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    digest      TEXT NOT NULL,
    size        INTEGER NOT NULL,
    mtime       INTEGER NOT NULL, -- nanoseconds, as the file system has it
    PRIMARY KEY (output, path)
) WITHOUT ROWID;
"""
