"""Words of an operator → the entries and the feeds that are meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from planet.model import Entry, Feed, handle
from planet.text import account, address

if TYPE_CHECKING:
    from collections.abc import Callable

    from planet.explain.outcomes import Explanation, Outcomes


_HANDLE: Final = re.compile("[0-9a-f]{4,10}", re.IGNORECASE)


def find_entries(name: str, outcomes: Outcomes) -> list[Explanation]:
    """Explain the entries that are called so: by id, address, ID, or the words of their title.

    An address is compared as servers must, and if nothing has it, as people do. Newest first.
    """
    for is_meant in _ways(name):
        if explanations := outcomes.explain(is_meant):
            return explanations
    return []


def _ways(name: str) -> list[Callable[[Entry], bool]]:
    """Return what tells whether an entry is called so, the surest first."""
    wanted, loosely = address.normalize(name), _loosely(name)
    words = name.casefold().split()

    def has_id(entry: Entry) -> bool:
        return name == entry.id

    def is_at(entry: Entry) -> bool:
        return has_id(entry) or wanted in map(address.normalize, _addresses(entry))

    def has_handle(entry: Entry) -> bool:
        return handle(entry.feed, entry.id).startswith(name.lower())

    def is_near(entry: Entry) -> bool:
        return loosely in map(_loosely, _addresses(entry))

    def has_words(entry: Entry) -> bool:
        title = entry.heading.casefold()
        return all(word in title for word in words)

    if "://" in name:
        return [is_at, is_near]
    if len(words) > 1:  # no address has blanks in it
        return [has_id, has_words]
    return [is_at, *([has_handle] if _HANDLE.fullmatch(name) else []), is_near, has_words]


def find_feeds(name: str, outcomes: Outcomes) -> list[Feed]:
    """Return the feeds whose address, name or home page it is, else those of the same site."""
    if url := account.parse_name(name):
        return [feed for feed in outcomes.feeds.values() if feed.url == url]
    site = _site(name)
    if not site:
        return []
    wanted = _loosely(name)
    homes = {key: _homes(feed, outcomes) for key, feed in outcomes.feeds.items()}
    exact = [key for key, urls in homes.items() if wanted in map(_loosely, urls)]
    of_site = exact or [key for key, urls in homes.items() if site in map(_site, urls)]
    return [outcomes.feeds[key] for key in of_site]


def _addresses(entry: Entry) -> list[str]:
    links = (entry.link, *(file.url for file in entry.enclosures))
    return [url for url in links if url]


def _homes(feed: Feed, outcomes: Outcomes) -> list[str]:
    state = outcomes.states.get(feed.key)
    profile = state.profile if state else None
    urls = (feed.url, feed.link, state and state.asked_url, profile and profile.link)
    return [url for url in urls if url]


def _site(url: str) -> str:
    return address.host(url).rpartition(":")[0].removeprefix("www.")


def _loosely(url: str) -> str:
    """Return an address without what people take for the same: `www.`, the scheme, tracking."""
    return address.page_key(url).removeprefix("www.")
