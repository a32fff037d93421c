"""The same entry in several feeds → one, and the other feeds; ids; moved feeds."""

from __future__ import annotations

import re
import uuid
from collections import Counter, defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from planet.model import MADE_ID
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.model import Entry, Feed, NewEntry, Source


_UUID = re.compile(r"(?:urn:uuid:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_SPACE = uuid.UUID("8a5c3f0e-6f4d-5d6c-9a5e-0d2f4b7c1e93")


def is_unique(text: str) -> bool:
    """Return whether an id is unique in the world: a UUID, or an absolute IRI (RFC 4287 §4.2.6).

    An id made by the parser is unique in the feed only.
    """
    if text.startswith(MADE_ID):
        return False
    return _UUID.fullmatch(text) is not None or address.is_valid_iri(text)


def published_id(feed: str, text: str) -> str:
    """Return the id to publish: the original if unique in the world, else a made one.

    The id is the same in every format, for ever; a made one depends on key of the feed and id.
    """
    if not is_unique(text):
        return own_id(feed, text)
    if _UUID.fullmatch(text):
        return f"urn:uuid:{text.lower().removeprefix('urn:uuid:')}"
    return text


def own_id(feed: str, text: str) -> str:
    """Return an id made from key of the feed and id of the entry, for no other feed to claim."""
    return uuid.uuid5(_SPACE, f"{feed}\n{text}").urn


def match_renamed_entries(entries: Iterable[Entry], drafts: Sequence[NewEntry]) -> dict[str, Entry]:
    """Return the stored entries behind drafts with new ids, by the new id.

    A site moved or numbered anew keeps titles and links, but for the host. Links and titles of
    several entries say nothing, nor does the home page.
    """
    stored = [(entry, key) for entry in entries if (key := _dedupe_key(entry))]
    came = [(draft, key) for draft in drafts if (key := _dedupe_key(draft))]
    uses = Counter(key for _, key in stored), Counter(key for _, key in came)
    looked = max((entry.first_seen for entry, _ in stored), default=None)
    # Where all claim one moment it is that at which the document was made.
    is_dated = len(drafts) == 1 or len({draft.published for draft in drafts}) > 1
    once = {key: entry for entry, key in stored if uses[0][key] == 1}
    return {
        draft.id: entry
        for draft, key in came
        if uses[1][key] == 1
        and (entry := once.get(key))
        and _may_be(draft, entry, looked if is_dated else None)
    }


def is_same_feed(entries: Sequence[Entry], drafts: Sequence[NewEntry]) -> bool:
    """Return whether a feed with a new address is the feed of these entries.

    The feed must have half of the newest entries, of as many as there are drafts: a few posts in
    common are not enough.
    """
    newest = sorted(entries, key=lambda entry: (entry.dated, entry.number))[-len(drafts) :]
    ids = {draft.id: draft for draft in drafts}
    there = {entry.number for entry in newest if _is_told_by_id(entry, ids.get(entry.id))}
    unknown = [draft for draft in drafts if draft.id not in {entry.id for entry in entries}]
    there |= {entry.number for entry in match_renamed_entries(newest, unknown).values()}
    return bool(newest) and 2 * len(there) >= len(newest)


def _is_told_by_id(entry: Entry, draft: NewEntry | None) -> bool:
    """Return whether a draft with the id of an entry must be the entry; "7" is too common."""
    if draft is None:
        return False
    return is_unique(entry.id) or bool(entry.title and entry.title == draft.title)


def _dedupe_key(entry: Entry | NewEntry) -> tuple[str, str] | None:
    """Return the path of an entry on the site, and the title."""
    path = address.page_key(entry.link).partition("/")[2] if entry.link else ""
    return (path, (entry.title or "").casefold()) if path else None


def _may_be(draft: NewEntry, entry: Entry, looked: datetime | None) -> bool:
    """Return whether the dates allow a match: a feed may post under one title and link each day.

    A draft dated before its feed was last `looked` at was there then.
    """
    if draft.published is None:
        return bool(draft.title)
    if draft.published == entry.published:
        return True
    return bool(draft.title) and (looked is None or draft.published <= looked)


class DuplicateGroup(NamedTuple):
    """Copies of one entry."""

    shown: tuple[Entry, ...]
    """The one nearest to its author, and others of the same feed: who lists a thing twice means
    it."""
    also_in: tuple[str, ...]
    """The keys of the other feeds with the entry."""
    copies: tuple[Entry, ...]
    """Theirs, which are not shown."""


def group_duplicates(
    entries: Sequence[Entry],
    feeds: Mapping[str, Feed],
    sources: Mapping[str, Source],
    uids: Mapping[int, str],
) -> list[DuplicateGroup]:
    """Return groups of copies; `uids` are the published ids of entries, by number.

    Two entries of different feeds are copies when they link to the same page, or have the same id,
    unique in the world. The author's own feed is shown before others. An id of entries at home on
    different sites says nothing: one site has taken the id from the other, to hide an entry.
    """
    order = {key: place for place, key in enumerate(feeds)}
    keys = {entry.feed for entry in entries}
    sites = {key: {_site(feeds[key].url), _site(sources[key].link)} for key in keys}

    def distance(entry: Entry) -> tuple[bool, bool, int, int, int]:
        """Return a key for sorting: the copy nearest to the author comes first, and is shown."""
        feed = feeds[entry.feed]
        is_away = not entry.link or _site(entry.link) not in sites[entry.feed]
        return is_away, entry.origin is not None, -feed.priority, order[feed.key], entry.number

    ordered = sorted(entries, key=lambda entry: entry.number)
    first = {entry.number: entry.number for entry in ordered}

    def find_first(number: int) -> int:
        """Return the lowest number of all copies, maybe by way of others."""
        while first[number] != number:
            first[number] = first[first[number]]  # so that no chain gets long
            number = first[number]
        return number

    for alike in _list_alike(ordered, sources, sites, uids):
        firsts = {find_first(number) for number in alike}
        first.update(dict.fromkeys(firsts, min(firsts)))
    groups: dict[int, list[Entry]] = defaultdict(list)
    for entry in ordered:
        groups[find_first(entry.number)].append(entry)
    things: list[DuplicateGroup] = []
    for group in groups.values():
        best = min(group, key=distance) if len(group) > 1 else group[0]
        own = [entry for entry in group if entry.feed == best.feed and entry is not best]
        copies = tuple(entry for entry in group if entry.feed != best.feed)
        others = sorted({entry.feed for entry in copies}, key=order.__getitem__)
        things.append(DuplicateGroup((best, *own), tuple(others), copies))
    return things


def _list_alike(
    entries: Sequence[Entry],
    sources: Mapping[str, Source],
    sites: Mapping[str, Container[str]],
    uids: Mapping[int, str],
) -> Iterable[list[int]]:
    """Return the numbers of entries with a common link or id; `sites` are by feed."""
    pages = [address.page_key(entry.link) if entry.link else "" for entry in entries]
    # A page to which several entries of a feed link, or to parts of it, is one of many things; so
    # is the home page.
    uses = Counter(zip((entry.feed for entry in entries), pages, strict=True))
    homes = {(key, address.page_key(link)) for key in sites if (link := sources[key].link)}
    own_sites: dict[str, dict[str, str]] = defaultdict(dict)
    for entry in entries:
        if (site := _site(entry.link)) and site in sites[entry.feed]:
            own_sites[uids[entry.number]][entry.feed] = site
    sharing: dict[str, list[int]] = defaultdict(list)
    for entry, page in zip(entries, pages, strict=True):
        place, uid = (entry.feed, page), uids[entry.number]
        if page and uses[place] == 1 and place not in homes:
            sharing[page].append(entry.number)
        if is_unique(entry.identity[1]):
            at_home = own_sites.get(uid, {})
            is_contested = len(set(at_home.values())) > 1
            mark = (
                f"{uid}\n{at_home.get(entry.feed, '')}" if is_contested else address.page_key(uid)
            )
            sharing[mark].append(entry.number)
    return sharing.values()


def _site(url: str | None) -> str:
    """Return the name of the server, whatever the scheme."""
    # An address names its server before the first slash that follows "https://".
    return _name_of(url[: url.find("/", 8) + 1] or url) if url else ""


@lru_cache(maxsize=4096)
def _name_of(server: str) -> str:
    return address.host(server).rpartition(":")[0]
