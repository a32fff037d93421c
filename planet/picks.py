"""Episodes → picks in `picks.yaml`, and back; no request is sent, no state changes.

Episodes come from the store: of a feed with `picks: only` the episodes in the newest answer, of any
other feed the entries with something to play. Other lines of `picks.yaml` stay unchanged.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
from msgspec.structs import replace

from planet.config import edits, yaml
from planet.config.edits import lock_folder, read_text, replace_file
from planet.config.feeds import list_feeds
from planet.config.picks import FILE, format_pick, is_blank, parse_picks
from planet.errors import ConfigError, UsageError
from planet.model import Entry, Facts, Future, Pick, Picks, Show, handle
from planet.report import printable
from planet.store import Store
from planet.text import address, media
from planet.text.plain import language_tag, one_line
from planet.timeline.edition import sources

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.config.yaml import KeyPath
    from planet.errors import Place
    from planet.model import Enclosure, Feed, Source


E = TypeVar("E", Entry, Pick)


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """An episode to pick."""

    entry: Entry
    source: Source
    enclosure: Enclosure
    """The file to play."""
    when: datetime
    """The moment to sort by."""
    is_picked: bool = False

    @property
    def handle(self) -> str:
        """Return the ID on a command line and in a form."""
        return handle(self.entry.feed, self.entry.id)

    def matches(self, words: Iterable[str]) -> bool:
        """Return whether title, summary or show's title have each of these words."""
        parts = (self.entry.heading, self.source.title, self.entry.summary or "")
        text = "\n".join(parts).casefold()
        return all(word.casefold() in text for word in words)


class Offers(msgspec.Struct, frozen=True, kw_only=True):
    """The feeds and the store to pick from."""

    config: Config
    feeds: Sequence[Feed]
    """The feeds of the config and of subscription lists."""
    store: Store

    def offers(self, keys: frozenset[str] | None = None) -> list[Offer]:
        """Return all episodes of these feeds, newest first; None is all feeds."""
        feeds = [feed for feed in self.feeds if feed.enabled and (keys is None or feed.key in keys)]
        shows = sources(feeds, self.store.states(), {})
        only = {feed.key for feed in feeds if feed.picks is Picks.ONLY}
        futures = {feed.key: feed.future for feed in feeds} | dict.fromkeys(only, Future.CLAMP)
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
                when=entry.filing_moment(futures[entry.feed]),
                is_picked=(entry.feed, entry.id) in picked,
            )
            for entry in entries
            if (enclosure := media.find_playable(entry))
        ]
        return sorted(offers, key=lambda offer: offer.when, reverse=True)


@contextmanager
def open_offers(config: Config) -> Iterator[Offers]:
    """Open the state to look for episodes, also during a run.

    Raises:
        UsageError: there was no run yet.
        StateError: the state cannot be read.
    """
    with Store.look(config.state, config.redactor) as store:
        if not store.states():
            raise UsageError("nothing is known of any feed yet; `planet build` reads them")
        feeds = list_feeds(config, store.feeds.body)
        yield Offers(config=config, feeds=feeds, store=store)


def pick(
    config: Config, names: Sequence[str], *, note: str | None, now: datetime
) -> tuple[Pick, ...]:
    """Write episodes into `picks.yaml`: all of these names, or none.

    A name is a handle or the beginning of one, the id, the link, the address of a file, or words of
    the title of an episode.

    Raises:
        UsageError: one cannot be picked; with advice.
        StateError: the state cannot be read.
        ConfigError: the file cannot be edited.
        OutputError: the file cannot be written.
    """
    path = config.path.with_name(FILE)
    with open_offers(config) as on_offer, lock_folder(path):
        offers = {(offer.entry.feed, offer.entry.id): offer for offer in on_offer.offers()}
        entries = [offer.entry for offer in offers.values()]
        # Read again: others may have changed the file after the config was read.
        text = read_text(path)
        otherwise = (
            "is no episode, nor four digits of an ID or more; `planet episodes` lists those "
            "there are"
        )
        chosen = [_find(name, entries, otherwise) for name in names]
        wanted = dict.fromkeys((entry.feed, entry.id) for entry in chosen)
        for twin in _read_picks(text, str(path)):
            if (twin.feed, twin.id) in wanted:
                raise UsageError(f"{_label(twin)} is picked already ({twin.place})")
        new = tuple(_make_pick(offers[key], on_offer.store, note, now) for key in wanted)
        replace_file(path, add_picks(text, new, file=str(path)).encode())
    return new


def unpick(config: Config, names: Sequence[str]) -> tuple[Pick, ...]:
    """Remove episodes from `picks.yaml`: all of these names, as for `pick`, or none.

    Raises:
        UsageError: one is not picked; with advice.
        ConfigError: the file cannot be edited.
        OutputError: the file cannot be written.
    """
    path = config.path.with_name(FILE)
    with lock_folder(path):
        text = read_text(path)
        picks, otherwise = _read_picks(text, str(path)), f"is not picked; {FILE} has all that are"
        gone = [_find(name, picks, otherwise) for name in names]
        places = {pick.place for pick in gone if pick.place is not None}
        replace_file(path, remove_picks(text, places, file=str(path)).encode())
    return tuple(dict.fromkeys(gone))


def _make_pick(offer: Offer, store: Store, note: str | None, now: datetime) -> Pick:
    entry, source = offer.entry, offer.source
    # The show notes, which are untrusted if no site has shown them yet.
    text = store.texts.read([entry.number]).get(entry.number)
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
        note=one_line(note or "") or None,
        title=one_line(entry.heading) or "?",
        summary=entry.summary,
        text=replace(text, base=address.without_secrets(text.base or ""))
        if text and text.value.strip()
        else None,
        show=Show(**show),
        **facts,
    )


# Names of episodes

_HANDLE: Final = re.compile("[0-9a-f]{4,10}", re.IGNORECASE)
_MOST_NAMED: Final = 5


def _find(name: str, episodes: Sequence[E], otherwise: str) -> E:
    """Return the episode with this name; `otherwise` is for the words where there is none."""
    matching: list[E] = _match(name, episodes)
    if len(matching) == 1:
        return matching[0]
    if not matching:
        raise UsageError(printable(f"{name!r} {otherwise}"))
    head = f"{name!r} may be each of {len(matching)} episodes; name one by its ID:"
    lines = [printable(head), *(f"  {_label(episode)}" for episode in matching[:_MOST_NAMED])]
    raise UsageError("\n".join(lines + ["  …"] * (len(matching) > _MOST_NAMED)))


def _match(name: str, episodes: Sequence[E]) -> list[E]:
    """Return the episodes with this name, by the surest way with a result."""
    start, words = name.lower(), name.casefold().split()
    at = address.normalize(name) if "://" in name else None

    def is_called(one: E) -> bool:
        # First of all: a feed could give its episode the handle of another's as its id.
        return handle(one.feed, one.id) == start

    def is_at(one: E) -> bool:
        urls = (one.link or "", *(file.url for file in one.enclosures))
        return name == one.id or (at is not None and at in map(address.normalize, urls))

    def begins_so(one: E) -> bool:
        return bool(_HANDLE.fullmatch(name)) and handle(one.feed, one.id).startswith(start)

    def has_words(one: E) -> bool:
        title = _title(one).casefold()
        return at is None and bool(words) and all(word in title for word in words)

    for is_meant in (is_called, is_at, begins_so, has_words):
        if matching := [one for one in episodes if is_meant(one)]:
            return matching
    return []


def _label(episode: Entry | Pick) -> str:
    return printable(f"{handle(episode.feed, episode.id)} {_title(episode)}")


def _title(episode: Entry | Pick) -> str:
    return episode.heading if isinstance(episode, Entry) else episode.title or episode.id


# The text of the file

_NEW: Final = """\
# The episodes that were picked: `planet pick` adds to them, `planet unpick` takes from them.
# A pick that is written by hand needs title, picked and enclosure.
"""


def add_picks(text: str, new: Sequence[Pick], *, file: str) -> str:
    """Add picks to the end of the list in the text of `file`; an empty text becomes a new file.

    Raises:
        ConfigError: the file has mistakes, or is not written in lines; with the text to write.
    """
    before = text or _NEW
    if is_blank(before.encode()):
        before += "picks:" if before.endswith("\n") else "\npicks:"
    _read_picks(before, file)
    items = [format_pick(pick) for pick in new]
    after = edits.add_items(before, items, file=file, name="picks")
    _read_picks(after, file)
    return after


def remove_picks(text: str, gone: Collection[Place], *, file: str) -> str:
    """Remove the picks at these places from the text of `file`.

    Raises:
        ConfigError: the file has mistakes, or its picks do not have lines of their own.
    """
    picks = _read_picks(text, file)
    numbers = [number for number, pick in enumerate(picks) if pick.place in gone]
    return edits.remove_items(text, numbers, file=file, name="picks")


def replace_feeds(text: str, moves: Mapping[str, str], *, file: str) -> str:
    """Replace the addresses of feeds in the picks of a text, which has no mistakes.

    `moves` has the new address of each feed by the old one, both normalised.

    Raises:
        ConfigError: one cannot be changed.
    """
    if is_blank(text.encode()):
        return text
    written = yaml.read(text, file=file).data.get("picks", ())
    new: dict[KeyPath, str] = {
        ("picks", number, "feed"): moves[pick.feed]
        for number, pick in enumerate(_read_picks(text, file))
        if pick.feed in moves and "feed" in written[number]
    }
    return edits.replace_texts(text, new, file=file)


def _read_picks(text: str, file: str) -> tuple[Pick, ...]:
    parsed = parse_picks(text.encode(), file=file)
    if parsed.problems:
        raise ConfigError(parsed.problems)
    return parsed.picks
