"""What we know ⇄ disk: feeds, entries and their texts, and what was published.

One SQLite file, `planet.sqlite` in the state folder, held by one run at a time (`lock`), or shared
by the users of a cache that is no planet's. What is shown is decided elsewhere. How an entry is
dated, and which one waits for its text, depends on what is stored: pure functions in `readings`
decide it, within the transaction that reads and writes.
"""

from __future__ import annotations

from planet.store.dedupe import dedupe_key_of_id
from planet.store.feeds import FeedStates
from planet.store.locks import LockFolder, lock_preparing
from planet.store.posts import (
    Assembly,
    DayShare,
    DedupeRow,
    LinkedRow,
    PostPlace,
    PostQuery,
    PostRow,
    PostTable,
)
from planet.store.publications import Publication, Publications, PublishedFile
from planet.store.restored import KnownEntry
from planet.store.store import Store
from planet.store.texts import TextTable
