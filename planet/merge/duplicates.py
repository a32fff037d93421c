"""The same entry in several feeds → one, and where else it is."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from planet import address
from planet.merge.identity import is_unique, published_id

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from planet.model import Entry, Feed, Source


def without_duplicates(
    entries: Sequence[Entry],
    feeds: Mapping[str, Feed],
    sources: Mapping[str, Source],
    alike: Container[int] | None = None,
) -> list[tuple[Entry, tuple[str, ...]]]:
    """Each entry once, with the keys of the other feeds that carry it.

    Two entries of different feeds are the same when they link to the same page, or have the same
    id and that is unique in the world. Of those, the author's own feed is shown before others.
    An id that entries at home on different sites have says nothing: one of them has taken it from
    the other, to stand in its place.

    With `alike`, only entries with one of these numbers are held against each other.
    """
    order = {key: place for place, key in enumerate(feeds)}
    shown: list[tuple[Entry, tuple[str, ...]]] = []
    if alike is not None:
        shown = [(entry, ()) for entry in entries if entry.number not in alike]
        entries = [entry for entry in entries if entry.number in alike]
    for group in _groups(entries, feeds, sources):
        if len(group) == 1:
            shown.append((group[0], ()))
            continue
        best = _nearest(group, feeds, sources, order)
        others = sorted({entry.feed for entry in group} - {best.feed}, key=order.__getitem__)
        # A feed that lists the same thing twice means it: only other feeds' copies are dropped.
        own = [best, *(entry for entry in group if entry.feed == best.feed and entry is not best)]
        shown += [(entry, tuple(others)) for entry in own]
    return shown


def copies(
    entries: Sequence[Entry], feeds: Mapping[str, Feed], sources: Mapping[str, Source]
) -> dict[int, Entry]:
    """The entries that `without_duplicates` leaves out: what is shown for each, by its number."""
    order = {key: place for place, key in enumerate(feeds)}
    found: dict[int, Entry] = {}
    for group in _groups(entries, feeds, sources):
        best = _nearest(group, feeds, sources, order)
        found |= {entry.number: best for entry in group if entry.feed != best.feed}
    return found


def _nearest(
    group: Sequence[Entry],
    feeds: Mapping[str, Feed],
    sources: Mapping[str, Source],
    order: Mapping[str, int],
) -> Entry:
    """Of entries that are the same thing, the one that is shown."""
    return min(group, key=lambda entry: _distance(entry, feeds[entry.feed], sources, order))


def _groups(
    entries: Sequence[Entry], feeds: Mapping[str, Feed], sources: Mapping[str, Source]
) -> list[list[Entry]]:
    """Entries that are the same thing, in the order in which the first of each was met."""
    entries = sorted(entries, key=lambda entry: entry.number)
    pages = _pages(entries, sources)
    homes = _homes(entries, feeds, sources)
    leader: dict[str, int] = {}
    groups: dict[int, list[Entry]] = {}
    place: dict[int, int] = {}
    for entry in entries:
        marks = list(_marks(entry, pages, homes))
        met = sorted({_root(place, leader[mark]) for mark in marks if mark in leader})
        home = met[0] if met else entry.number
        place[entry.number] = home
        groups.setdefault(home, []).append(entry)
        for other in met[1:]:  # this entry shows that two groups are one
            place[other] = home
            groups[home] += groups.pop(other)
        for mark in marks:
            leader[mark] = home
    return list(groups.values())


def _root(place: Mapping[int, int], number: int) -> int:
    while place[number] != number:
        number = place[number]
    return number


def _marks(
    entry: Entry, pages: Container[tuple[str, str]], homes: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """What two entries must share to be the same."""
    if entry.link:
        link = address.page(entry.link)
        if (entry.feed, link) not in pages:
            yield link
    if is_unique(entry.identity[1]):
        uid = published_id(*entry.identity)
        sites = homes.get(uid, {})
        is_contested = len(set(sites.values())) > 1
        yield f"{uid}\n{sites.get(entry.feed, '')}" if is_contested else address.page(uid)


def _homes(
    entries: Sequence[Entry], feeds: Mapping[str, Feed], sources: Mapping[str, Source]
) -> dict[str, dict[str, str]]:
    """For each id, the feeds whose entry of that id is at home, and on which site."""
    homes: dict[str, dict[str, str]] = {}
    for entry in entries:
        if _is_at_home(entry, feeds[entry.feed], sources[entry.feed]):
            uid = published_id(*entry.identity)
            homes.setdefault(uid, {})[entry.feed] = _site(entry.link)
    return homes


def _pages(entries: Sequence[Entry], sources: Mapping[str, Source]) -> frozenset[tuple[str, str]]:
    """Links, each with a feed in which it leads to a page of many things, not to one entry.

    They are the home page, and what several entries of the feed link to, or to parts of.
    """
    counts = Counter((entry.feed, address.page(entry.link)) for entry in entries if entry.link)
    shared = {pair for pair, count in counts.items() if count > 1}
    homes = {(key, address.page(source.link)) for key, source in sources.items() if source.link}
    return frozenset(shared | homes)


def _distance(
    entry: Entry, feed: Feed, sources: Mapping[str, Source], order: Mapping[str, int]
) -> tuple[bool, bool, int, int, int]:
    """How far a copy is from its author; the nearest is shown."""
    at_home = _is_at_home(entry, feed, sources[feed.key])
    return (not at_home, entry.origin is not None, -feed.priority, order[feed.key], entry.number)


def _is_at_home(entry: Entry, feed: Feed, source: Source) -> bool:
    """Whether it links to the site of its own feed."""
    return bool(entry.link) and _site(entry.link) in {_site(feed.url), _site(source.link)}


def _site(url: str | None) -> str:
    """The name of the server, whatever the scheme."""
    # An address names its server before the first slash that follows "https://".
    return _server(url[: url.find("/", 8) + 1] or url) if url else ""


@lru_cache(maxsize=10_000)
def _server(start: str) -> str:
    return address.host(start).rpartition(":")[0]
