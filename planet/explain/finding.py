"""An address, an ID or words → the entries that are meant, or the feeds they may be of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from planet import account, address
from planet.model import handle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planet.explain.nouns import Known, Verdict
    from planet.model import Entry, Feed

_HANDLE: Final = re.compile("[0-9a-f]{4,10}", re.IGNORECASE)


def entries(name: str, known: Known) -> list[Verdict]:
    """The entries that are called so: by id, address, ID, or the words of their title.

    An address is compared as servers must, and if nothing has it, as people do.
    """
    for is_meant in (_is_at, _has_handle, _is_near, _has_words):
        if found := [verdict for verdict in known.verdicts if is_meant(verdict.entry, name)]:
            return found
    return []


def feeds(name: str, known: Known) -> list[Feed]:
    """The feeds whose address, name or home page it is, else those of the same site."""
    if known_as := account.name(name):
        return [feed for feed in known.feeds.values() if feed.url == known_as]
    site = _site(name)
    if not site:
        return []
    wanted = _loosely(name)
    exact = [feed for feed in known.feeds.values() if wanted in map(_loosely, _homes(feed, known))]
    return exact or [
        feed for feed in known.feeds.values() if site in map(_site, _homes(feed, known))
    ]


def _addresses(entry: Entry) -> set[str]:
    links = (entry.link, *(file.url for file in entry.enclosures))
    return {address.same(url) for url in links if url}


def _is_at(entry: Entry, name: str) -> bool:
    return name == entry.id or address.same(name) in _addresses(entry)


def _is_near(entry: Entry, name: str) -> bool:
    return _loosely(name) in map(_loosely, _addresses(entry))


def _has_handle(entry: Entry, name: str) -> bool:
    return bool(_HANDLE.fullmatch(name)) and handle(entry.feed, entry.id).startswith(name.lower())


def _has_words(entry: Entry, name: str) -> bool:
    """Whether each of the words is in the title; an address has none."""
    title = entry.heading.casefold()
    return "://" not in name and all(word in title for word in name.casefold().split())


def _homes(feed: Feed, known: Known) -> Sequence[str]:
    memory = known.memories.get(feed.key)
    profile = memory.profile if memory else None
    said = (feed.url, feed.link, memory and memory.asked_url, profile and profile.link)
    return [url for url in said if url]


def _site(url: str) -> str:
    return address.host(url).rpartition(":")[0].removeprefix("www.")


def _loosely(url: str) -> str:
    """An address without what people take for the same: the page it leads to, without `www.`."""
    return address.page(url).removeprefix("www.")
