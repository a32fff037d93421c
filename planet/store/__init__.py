"""What we know ⇄ disk: feeds, entries and their texts, and what was published.

One SQLite file, `planet.sqlite` in the state folder, held by one run at a time (`lock`), or shared
by the users of a cache that is no planet's. Nothing here decides anything: what is kept was decided
before, what is shown is decided later.
"""

from __future__ import annotations

from planet.store.codec import dedupe_key_of_id, from_plain, micros, moment, plain
from planet.store.database import LockFolder, alone
from planet.store.posts import Assembly, DedupeRow, LinkedRow, PostRow, PostTable
from planet.store.publications import Publication, Publications, PublishedFile
from planet.store.states import FeedStates
from planet.store.store import Store
from planet.store.texts import TextTable
