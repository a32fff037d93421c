"""An address → what the feed there says, through a cache of its own; no config is needed.

As polite as a run: a feed is asked with validators, no more than once an hour, less often when it
or its server wants that, and not at all while its server is to be left alone. In between, what it
said last comes from the cache.
"""

from planet.peeking.cache import cache_folder, opened_cache
from planet.peeking.looking import peek
from planet.peeking.nouns import FetchedFeed, Peek

__all__ = ["FetchedFeed", "Peek", "cache_folder", "opened_cache", "peek"]
