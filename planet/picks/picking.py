"""Episodes → picks in `picks.yaml`, and out of it again. Nobody is asked, and no state is changed.

What can be picked is what the store has of podcasts: of a feed that shows picks only the episodes
that it lists now, of any other the entries with something to play.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from planet.config.edits import lock_folder, replace_file
from planet.config.picks import FILE
from planet.config.picks import parse_picks as picks_in
from planet.errors import ConfigError, UsageError
from planet.model import Entry, Facts, Future, Pick, Picks, Show, handle
from planet.picks.picks_file import add_picks, remove_picks
from planet.report import printable
from planet.text import address, media
from planet.text.languages import language_tag
from planet.text.plain import one_line
from planet.timeline.edition import sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from planet.config import Config
    from planet.model import Enclosure, Feed, Source, Text
    from planet.store import Store


E = TypeVar("E", Entry, Pick)

_HANDLE: Final = re.compile("[0-9a-f]{4,10}", re.IGNORECASE)
_MOST_NAMED: Final = 5
_NO_EPISODE: Final = (
    "is no episode, nor four digits of an ID or more; `planet episodes` lists those there are"
)


def _find(name: str, episodes: Sequence[E], otherwise: str) -> E:
    """Return the episode that is called so; `otherwise` is for the words where there is none."""
    matching: list[E] = _match(name, episodes)
    if len(matching) == 1:
        return matching[0]
    if not matching:
        raise UsageError(printable(f"{name!r} {otherwise}"))
    head = f"{name!r} may be each of {len(matching)} episodes; name one by its ID:"
    lines = [printable(head), *(f"  {_label(episode)}" for episode in matching[:_MOST_NAMED])]
    raise UsageError("\n".join(lines + ["  …"] * (len(matching) > _MOST_NAMED)))


def _match(name: str, episodes: Sequence[E]) -> list[E]:
    """Return the episodes that are called so.

    By the beginning of a handle only if no whole handle, id or address fits, and by the words of
    its title only if no handle begins so.
    """
    handles = [handle(episode.feed, episode.id) for episode in episodes]
    start = name.lower()
    # First of all: a feed could give its episode the handle of another's as its id.
    if start in handles:
        return [episode for episode, full in zip(episodes, handles, strict=True) if full == start]
    at = address.normalize(name) if "://" in name else None
    exact = [one for one in episodes if name == one.id or (at and at in _addresses(one))]
    if exact:
        return exact
    if _HANDLE.fullmatch(name) and (
        begun := [
            one for one, full in zip(episodes, handles, strict=True) if full.startswith(start)
        ]
    ):
        return begun
    words = name.casefold().split()
    if at or not words:
        return []
    return [one for one in episodes if all(word in _title(one).casefold() for word in words)]


def _addresses(episode: Entry | Pick) -> set[str]:
    links = [episode.link] if episode.link else []
    return {address.normalize(url) for url in (*links, *(file.url for file in episode.enclosures))}


def _label(episode: Entry | Pick) -> str:
    return printable(f"{handle(episode.feed, episode.id)} {_title(episode)}")


def _title(episode: Entry | Pick) -> str:
    return episode.heading if isinstance(episode, Entry) else episode.title or episode.id


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """An episode that can be picked."""

    entry: Entry
    source: Source
    enclosure: Enclosure
    """What is played."""
    when: datetime
    """The moment it is filed under."""
    is_picked: bool = False

    @property
    def handle(self) -> str:
        """What it is called on a command line and in a form."""
        return handle(self.entry.feed, self.entry.id)

    def matches(self, words: Iterable[str]) -> bool:
        """Return whether each of these words is in its title, its summary, or its show's title."""
        parts = (self.entry.heading, self.source.title, self.entry.summary or "")
        text = "\n".join(parts).casefold()
        return all(word.casefold() in text for word in words)


class Offers(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to pick from."""

    config: Config
    feeds: Sequence[Feed]
    """Those of the config, and of its subscription lists."""
    store: Store

    def offers(self, keys: frozenset[str] | None = None) -> list[Offer]:
        """Return all that can be picked of these feeds, newest first; None is all feeds."""
        feeds = [feed for feed in self.feeds if feed.enabled and (keys is None or feed.key in keys)]
        shows = sources(feeds, self.store.states(), {})
        only = {feed.key for feed in feeds if feed.picks is Picks.ONLY}
        futures = {feed.key: feed.future for feed in feeds}
        # Those first that a document lists first: among equal dates, that is the order.
        entries = [
            *reversed(self.store.entries.of_feeds(shows.keys() - only)),
            *reversed(self.store.entries.of_feeds(only, picks=Picks.ONLY)),
        ]
        picked = {(pick.feed, pick.id) for pick in self.config.picks}
        offers = [
            Offer(
                entry=entry,
                source=shows[entry.feed],
                enclosure=enclosure,
                when=entry.filing_moment(
                    Future.CLAMP if entry.feed in only else futures[entry.feed]
                ),
                is_picked=(entry.feed, entry.id) in picked,
            )
            for entry in entries
            if (enclosure := media.find_playable(entry))
        ]
        return sorted(offers, key=lambda offer: offer.when, reverse=True)

    def notes(self, entry: Entry) -> Text | None:
        """Return the show notes of an episode, which are untrusted if nobody has shown them yet."""
        return self.store.texts.read([entry.number]).get(entry.number)


def pick(
    on_offer: Offers, names: Sequence[str], *, note: str | None, now: datetime
) -> tuple[Pick, ...]:
    """Write episodes into `picks.yaml`: all that are named, or none.

    A name is a handle or the beginning of one, the id, the link, or the address of a file of an
    episode, or words of its title.

    Raises:
        UsageError: one cannot be picked, in words that say what to do.
        ConfigError: the file cannot be edited.
        OutputError: the file cannot be written.
    """
    offers = {(offer.entry.feed, offer.entry.id): offer for offer in on_offer.offers()}
    entries = [offer.entry for offer in offers.values()]
    note = (one_line(note) or None) if note else None
    with _open_picks(on_offer.config) as (path, text, picks):
        chosen = [_find(name, entries, _NO_EPISODE) for name in names]
        wanted = dict.fromkeys((entry.feed, entry.id) for entry in chosen)
        for twin in picks:
            if (twin.feed, twin.id) in wanted:
                raise UsageError(f"{_label(twin)} is picked already ({twin.place})")
        new = tuple(_pick(offers[key], on_offer, note, now) for key in wanted)
        replace_file(path, add_picks(text, new, file=str(path)).encode())
    return new


def unpick(config: Config, names: Sequence[str]) -> tuple[Pick, ...]:
    """Take episodes out of `picks.yaml`: all that are named, or none; names are as for `pick`.

    Raises:
        UsageError: one is not there, in words that say what to do.
        ConfigError: the file cannot be edited.
        OutputError: the file cannot be written.
    """
    with _open_picks(config) as (path, text, picks):
        gone = [_find(name, picks, f"is not picked; {FILE} has all that are") for name in names]
        places = {pick.place for pick in gone if pick.place is not None}
        replace_file(path, remove_picks(text, places, file=str(path)).encode())
    return tuple(dict.fromkeys(gone))


class _OpenedPicks(NamedTuple):
    """`picks.yaml` as it is now, and what it says."""

    path: Path
    text: str
    picks: tuple[Pick, ...]


@contextmanager
def _open_picks(config: Config) -> Iterator[_OpenedPicks]:
    """Open `picks.yaml`, and keep others from changing it meanwhile.

    It is read again: since the config was, others may have changed it.
    """
    path = config.path.with_name(FILE)
    with lock_folder(path):
        data = path.read_bytes() if path.exists() else b""
        parsed = picks_in(data, file=str(path))
        if parsed.problems:
            raise ConfigError(parsed.problems)
        yield _OpenedPicks(path, data.decode(), parsed.picks)


def _pick(offer: Offer, on_offer: Offers, note: str | None, now: datetime) -> Pick:
    entry, source = offer.entry, offer.source
    text = on_offer.notes(entry)
    show = {name: getattr(source, name) for name in Show.__struct_fields__}
    # The folder of a feed that is a file is nobody's business, nor are secrets in an address.
    show |= {
        "url": address.without_secrets(source.url),
        "language": language_tag(source.language),
    }
    facts = {name: getattr(entry, name) for name in Facts.__struct_fields__}
    facts["language"] = language_tag(entry.language)
    return Pick(
        feed=entry.feed,
        id=entry.id,
        picked_at=now.replace(microsecond=0),
        note=note,
        title=one_line(entry.heading) or "?",
        summary=entry.summary,
        text=replace(text, base=address.without_secrets(text.base or ""))
        if text and text.value.strip()
        else None,
        show=Show(**show),
        **facts,
    )
