"""What we know ⇄ disk: feeds, entries and their texts, and what was published.

One SQLite file, `planet.sqlite` in the state folder, with one writer at a time (`lock`). Nothing
here decides anything: what is kept was decided before, what is shown is decided later.
"""

from __future__ import annotations

from planet.store.publications import Publication, Publications, PublishedFile
from planet.store.states import FeedStates
from planet.store.store import Store
from planet.store.timeline import Row, Rows

__all__ = ["FeedStates", "Publication", "Publications", "PublishedFile", "Row", "Rows", "Store"]
