"""What we know ⇄ disk: feeds, entries and their texts, and what was published.

One SQLite file, `planet.sqlite` in the state folder, held by one run at a time (`lock`).
Nothing is decided here: what becomes of a reading is decided by `run.changes`, and what is shown by
`timeline`.
"""

from __future__ import annotations

from planet.store.entries import EntryRow
from planet.store.locks import put_pause, read_pause
from planet.store.publications import LOST, Publication, Publications, PublishedFile
from planet.store.readings import AddedEntry, EditDates, EditedEntry, FeedChanges
from planet.store.store import Store
from planet.store.texts import StoredText, TextTable
from planet.store.transforms import StoredEntry, TransformResult
