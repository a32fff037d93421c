"""The tables of `planet.sqlite`. A change of one is a step in `migrations`."""

from __future__ import annotations

from typing import Final

VERSION: Final = 31
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
    checksum   INTEGER NOT NULL DEFAULT 0,  -- of what it says
    generation INTEGER NOT NULL DEFAULT 0,  -- of the planet, when it was last written
    value      TEXT NOT NULL DEFAULT '{}'   -- JSON: its other fields
);
-- Without the id, which would be kept twice: an entry is looked for among those of its feed.
CREATE INDEX entry_of ON entry (feed, kept);
CREATE INDEX entry_origin ON entry (feed, origin) WHERE origin NOTNULL AND kept;
CREATE INDEX entry_gone ON entry (dated) WHERE NOT present;
CREATE INDEX entry_generation ON entry (generation);

CREATE TABLE removed (            -- entries that are gone, until each site is made without them
    number     INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL   -- of the planet, when they went
);

CREATE TABLE text (
    number   INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    cleaning TEXT NOT NULL,       -- the version of the cleaner; empty: it is as its feed sent it
    kind     TEXT NOT NULL,
    base     TEXT,                -- of the addresses in one that is not clean yet
    checksum INTEGER NOT NULL,    -- of all of these but `links`
    links    BLOB,                -- the addresses that it links to, a line each
    value    BLOB NOT NULL        -- last: the others are read without the pages of a long text
);

CREATE TABLE waiting (            -- entries that are stored without their texts
    number INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    digest BLOB NOT NULL          -- theirs; it is empty in `entry` as long as they wait
);

CREATE TABLE transform (          -- entries that a program is to see, or saw
    number   INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    waits    INTEGER NOT NULL,
    dated    INTEGER,             -- these as its feed says it, where the program changed it
    original BLOB                 -- JSON of a NewEntry
);

CREATE TABLE restored (
    feed       TEXT NOT NULL,     -- its key
    uid        TEXT NOT NULL,     -- as published; empty in the row that holds for all others
    number     INTEGER,
    first_seen INTEGER NOT NULL,
    filed      INTEGER NOT NULL,
    modified   INTEGER NOT NULL,
    PRIMARY KEY (feed, uid)
) WITHOUT ROWID;

CREATE TABLE lost (
    edition TEXT PRIMARY KEY,     -- as in `digest`
    posts   INTEGER NOT NULL      -- what its site showed when the state was lost
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
    body         BLOB,            -- none where nothing came that can be shown
    feed         TEXT             -- the key of that with an entry that shows it; none for a face
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

CREATE TABLE pinged (
    output TEXT NOT NULL,
    hub    TEXT NOT NULL,
    path   TEXT NOT NULL,
    digest TEXT NOT NULL,         -- of the file, as in `file`, when the hub was told of it
    PRIMARY KEY (output, hub, path)
) WITHOUT ROWID;

CREATE TABLE dedupe (
    number INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    feed   INTEGER NOT NULL,
    link   INTEGER,               -- equal for links that are the same; where it is not `id`
    id     INTEGER NOT NULL       -- equal for ids that are published as one
);
CREATE INDEX dedupe_link ON dedupe (link, feed) WHERE link NOTNULL;
CREATE INDEX dedupe_id ON dedupe (id, feed);

CREATE TABLE site (
    id           INTEGER PRIMARY KEY,
    folder       TEXT NOT NULL UNIQUE,  -- as `edition` in `digest`
    rules        TEXT NOT NULL,         -- fingerprint of what concerns all entries
    generation   INTEGER NOT NULL,      -- of the state that its posts were assembled from
    assembled_at INTEGER NOT NULL,
    released     INTEGER
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
    family      INTEGER,              -- the lowest number of those that share a dedupe key
    instead     INTEGER,              -- the post that is shown in its place
    also_in     TEXT,                 -- JSON: the keys of other feeds that have it
    uid         TEXT,                 -- the published id, where it is not that of the entry
    fingerprint INTEGER NOT NULL,     -- of what is shown of it
    feed_order  INTEGER NOT NULL,     -- decides between posts of one moment
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
    source   INTEGER NOT NULL,        -- 0 in the row of a day
    kind     INTEGER NOT NULL,        -- 20261123; of a source what is `shown`, or -1: too old
    posts    INTEGER NOT NULL,
    newest   INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    playable INTEGER NOT NULL,
    mark     INTEGER NOT NULL,        -- the sum of what `fingerprint` begins with
    PRIMARY KEY (site, source, kind)
) WITHOUT ROWID;
"""
