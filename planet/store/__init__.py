"""The state ⇄ disk: feeds, entries and their texts, and the published files.

The state is one SQLite file, `planet.sqlite` in the state folder, held by one run at a time
(`lock`). Nothing is decided here: `run.ingest` decides about readings, `timeline` about posts.
"""

from __future__ import annotations

from planet.store.entries import (
    EntryChange,
    EntryRow,
    FeedChanges,
    StoredEntry,
    TransformResult,
)
from planet.store.records import LOST, Publication, PublishedFile
from planet.store.store import Store
