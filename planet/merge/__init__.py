"""Entries → Edition: filed by date, each thing once, in an order that is always the same. Pure."""

from planet.merge.duplicates import copies
from planet.merge.edition import merge
from planet.merge.sources import sources

__all__ = ["copies", "merge", "sources"]
