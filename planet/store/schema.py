"""The tables of `planet.sqlite`, as numbered steps of SQL.

To change the tables, add a step. A released step is never edited, and calls no code, because the
code would be of a later version. A new field with a default in the JSON of a row needs no step.
"""

from __future__ import annotations

from typing import Final

STEPS: Final = (
    """
CREATE TABLE planet (
    generation INTEGER NOT NULL,  -- one more with each change that a page could show
    believed   TEXT,              -- JSON: the moment that the last run took for the present
    name       TEXT NOT NULL      -- of this planet alone, wherever its state lies
);
INSERT INTO planet VALUES (0, NULL, lower(hex(randomblob(6))));

-- JSON of a noun for each key; a body stands last, so that nouns are read without its pages.
-- Feeds, subscription lists and faces, by key: FeedState; of a list or a face, the last body.
CREATE TABLE feed (key TEXT PRIMARY KEY, value TEXT NOT NULL, body BLOB);
-- Servers, by host:port: HostState.
CREATE TABLE host (key TEXT PRIMARY KEY, value TEXT NOT NULL);
-- Output folders: Publication; packed, the files that were left there.
CREATE TABLE site (key TEXT PRIMARY KEY, value TEXT NOT NULL, body BLOB);
-- Digests that went out, by the folder of their edition and their name: Digest.
CREATE TABLE digest (key TEXT PRIMARY KEY, value TEXT NOT NULL);
-- Dates of entries of a lost state, by published id, until their feeds are read: EntryDates.
CREATE TABLE seen (key TEXT PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE entry (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again, not even when deleted
    feed     TEXT NOT NULL,      -- its key
    kept     INTEGER DEFAULT 1,  -- 0: an episode that can be picked while its feed has it
    id       TEXT NOT NULL,
    digest   TEXT DEFAULT '',    -- of what the feed says; empty: the text is to be read again
    rank     INTEGER,
    dated    REAL NOT NULL,      -- seconds since 1970
    present  INTEGER DEFAULT 1,  -- whether the feed had it when last read
    value    TEXT NOT NULL,      -- JSON: Entry, whole; the columns above repeat parts of it
    cleaning TEXT,               -- the version of the cleaner; empty: the text is as it was sent
    links    TEXT,               -- JSON: the addresses that the text links to
    text     BLOB                -- JSON of a Text, packed; last: others are read without its pages
);
-- Without the id, which would be kept twice: an entry is looked for among those of its feed.
CREATE INDEX entry_of ON entry (feed, kept);
CREATE INDEX entry_gone ON entry (dated) WHERE NOT present;
""",
    """
-- Expires is told as max-age is, and skipped hours are no reason of their own.
UPDATE feed SET value = json_set(value, '$.due_reason', 'max_age')
    WHERE value ->> '$.due_reason' IN ('expires', 'skip');
""",
)
"""Each makes the next version of the tables (PRAGMA user_version), from version 0: no tables."""
