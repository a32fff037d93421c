"""Episodes → picks in `picks.yaml`, and out of it again. Nobody is asked, and no state is changed.

What can be picked is what the store has of podcasts: of a feed that shows picks only the episodes
that it lists now, of any other the entries with something to play.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Final, TypeVar

from planet.config.files import alone_with, write_whole
from planet.config.picks import FILE, added, followed, removed
from planet.config.picks import picks as picks_in
from planet.config.values import list_name
from planet.errors import ConfigError, UsageError
from planet.model import OWN_LIST, Entry, Facts, Future, Pick, Picks, Show, handle
from planet.report import printable
from planet.text import address, media
from planet.text.plain import one_line
from planet.timeline.edition import sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from planet.config import Config
    from planet.model import Enclosure, Feed, Source, Text
    from planet.store import Store


E = TypeVar("E", Entry, Pick)

_HANDLE: Final = re.compile("[0-9a-f]{4,10}", re.IGNORECASE)
_MOST_NAMED: Final = 5


def the_one(name: str, entries: Sequence[Entry], there: Sequence[Pick]) -> Entry:
    """The episode of that name.

    Raises:
        UsageError: there is none, or there are several.
    """
    found = _matching(name, entries)
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(_several(name, found))
    if twins := _matching(name, there):
        raise UsageError(picked_already(twins[0]))
    words = f"there is no episode {name!r}; `planet episodes` lists those there are"
    if _looks_short(name):
        words = f"{name!r} is too short; four digits of an episode's ID are the least"
    raise UsageError(printable(words))


def named(name: str, picks: Sequence[Pick]) -> list[Pick]:
    """The picks of an episode, on whichever lists.

    Raises:
        UsageError: there is none of that name, or of several episodes.
    """
    found = _matching(name, picks)
    if not found:
        raise UsageError(printable(f"{name!r} is not picked; {FILE} has all that are"))
    if len({(pick.feed, pick.id) for pick in found}) > 1:
        raise UsageError(_several(name, found))
    return found


def on_one_list(found: Sequence[Pick]) -> Pick:
    """The pick that is meant among those of an episode.

    Raises:
        UsageError: it is on several lists, and not on the planet's own.
    """
    own = [pick for pick in found if pick.list == OWN_LIST]
    if own or len(found) == 1:
        return (*own, *found)[0]
    names = " or ".join(f"--list {pick.list}" for pick in found)
    raise UsageError(f"{_called(found[0])} is on several lists; say which: {names}")


def _matching(name: str, episodes: Sequence[E]) -> list[E]:
    """The episodes that are called so; by the beginning of a handle only if nothing else fits."""
    # First of all: a feed could give its episode the handle of another's as its id.
    if whole := [each for each in episodes if name.lower() == handle(each.feed, each.id)]:
        return whole
    at = address.same(name) if "://" in name else None
    exact = [each for each in episodes if name == each.id or (at and at in _addresses(each))]
    if exact or not _HANDLE.fullmatch(name):
        return exact
    start = name.lower()
    return [each for each in episodes if handle(each.feed, each.id).startswith(start)]


def _addresses(episode: Entry | Pick) -> set[str]:
    links = [episode.link] if episode.link else []
    return {address.same(url) for url in (*links, *(file.url for file in episode.enclosures))}


def _looks_short(name: str) -> bool:
    return re.fullmatch("[0-9a-f]{1,3}", name, re.IGNORECASE) is not None


def _several(name: str, found: Sequence[Entry] | Sequence[Pick]) -> str:
    known = {(each.feed, each.id): each for each in found}
    lines = [f"  {_called(each)}" for each in list(known.values())[:_MOST_NAMED]]
    more = ["  …"] if len(known) > _MOST_NAMED else []
    head = f"{name!r} may be each of {len(known)} episodes; name one by its ID:"
    return "\n".join([printable(head), *lines, *more])


def _called(episode: Entry | Pick) -> str:
    title = episode.heading if isinstance(episode, Entry) else episode.title or episode.id
    return printable(f"{handle(episode.feed, episode.id)} {title}")


def picked_already(pick: Pick) -> str:
    """What to say of an episode that is on the list."""
    where = f" ({pick.place})" if pick.place else ""
    return f"{_called(pick)} is picked already{where}; nothing was changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An episode that can be picked."""

    entry: Entry
    source: Source
    enclosure: Enclosure
    """What is played."""
    when: datetime
    """The moment it is filed under."""
    lists: tuple[str, ...] = ()
    """The lists it is picked for; `OWN_LIST` is the planet's own."""

    @property
    def handle(self) -> str:
        """What it is called on a command line and in a form."""
        return handle(self.entry.feed, self.entry.id)

    def matches(self, words: Iterable[str]) -> bool:
        """Whether each of these words is in its title, its summary, or the title of its show."""
        parts = (self.entry.heading, self.source.title, self.entry.summary or "")
        text = "\n".join(parts).casefold()
        return all(word.casefold() in text for word in words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """What there is to pick from."""

    config: Config
    feeds: Sequence[Feed]
    """Those of the config, and of its subscription lists."""
    store: Store

    def offers(self, keys: frozenset[str] | None = None) -> list[Offer]:
        """All that can be picked of these feeds, newest first; None is all feeds."""
        feeds = [feed for feed in self.feeds if feed.enabled and (keys is None or feed.key in keys)]
        shows = sources(feeds, self.store.memories(), {})
        only = {feed.key for feed in feeds if feed.picks is Picks.ONLY}
        futures = {feed.key: feed.future for feed in feeds}
        # Those first that a document lists first: among equal dates, that is the order.
        entries = [
            *reversed(self.store.entries(shows.keys() - only)),
            *reversed(self.store.entries(only, picks=Picks.ONLY)),
        ]
        lists: dict[tuple[str, str], tuple[str, ...]] = {}
        for pick in self.config.picks:
            lists[pick.feed, pick.id] = (*lists.get((pick.feed, pick.id), ()), pick.list)
        offers = [
            Offer(
                entry=entry,
                source=shows[entry.feed],
                enclosure=enclosure,
                when=entry.filed(Future.CLAMP if entry.feed in only else futures[entry.feed]),
                lists=lists.get((entry.feed, entry.id), ()),
            )
            for entry in entries
            if (enclosure := media.playable(entry))
        ]
        return sorted(offers, key=lambda offer: offer.when, reverse=True)

    def notes(self, entry: Entry) -> Text | None:
        """The show notes of an episode, as its feed sent them."""
        return self.store.raw_texts([entry.number]).get(entry.number)


_FACTS = tuple(field.name for field in fields(Facts))


def pick(
    shelf: Offers, names: Sequence[str], *, to: str = OWN_LIST, note: str | None, now: datetime
) -> tuple[Pick, ...]:
    """Write episodes into `picks.yaml`: all that are named, or none.

    A name is a handle or the beginning of one, or the id, the link, or the address of a file of an
    episode. `to` is the list they are picked for.

    Raises:
        UsageError: one cannot be picked, in words that say what to do.
        ConfigError: the file cannot be edited.
        OutputError: the file cannot be written.
    """
    _check_list(to)
    offers = {(offer.entry.feed, offer.entry.id): offer for offer in shelf.offers()}
    entries = [offer.entry for offer in offers.values()]
    said = (one_line(note) or None) if note else None
    moment = now.replace(microsecond=0)
    with _written(shelf.config) as file:
        there = [pick for pick in file.picks if pick.list == to]
        wanted: dict[tuple[str, str], Offer] = {}
        for name in names:
            entry = the_one(name, entries, there)
            wanted[entry.feed, entry.id] = offers[entry.feed, entry.id]
        for twin in there:
            if (twin.feed, twin.id) in wanted:
                raise UsageError(picked_already(twin))
        picks = tuple(_pick(offer, shelf, to, said, moment) for offer in wanted.values())
        file.write(added(file.text, picks, file=file.name))
    return picks


def unpick(config: Config, names: Sequence[str], *, to: str | None = None) -> tuple[Pick, ...]:
    """Take episodes out of `picks.yaml`: all that are named, or none; names are as for `pick`.

    `to` is the list to take them from. None is the planet's own, or where an episode is not on
    that, the only list it is on.

    Raises:
        UsageError: one is not there, in words that say what to do.
        ConfigError: the file cannot be edited.
        OutputError: the file cannot be written.
    """
    if to is not None:
        _check_list(to)
    with _written(config) as file:
        picks = [pick for pick in file.picks if to is None or pick.list == to]
        gone = [on_one_list(named(name, picks)) for name in names]
        places = {pick.place for pick in gone if pick.place is not None}
        file.write(removed(file.text, places, file=file.name))
    return tuple(dict.fromkeys(gone))


def follow(config: Config, moves: Mapping[str, str]) -> None:
    """Let picks stay with feeds that have a new address: `moves` has it by the old one.

    Raises:
        ConfigError: the file cannot be edited; it says what to do.
        OutputError: the file cannot be written.
    """
    with _written(config) as file:
        if any(pick.feed in moves for pick in file.picks):
            file.write(followed(file.text, moves, file=file.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """`picks.yaml` as it stands."""

    path: Path
    text: str
    picks: tuple[Pick, ...]

    @property
    def name(self) -> str:
        return str(self.path)

    def write(self, text: str) -> None:
        write_whole(self.path, text.encode())


@contextmanager
def _written(config: Config) -> Iterator[_File]:
    """The file, which nobody else adds to or takes from meanwhile.

    It is read again: since the config was, others may have changed it.
    """
    path = config.path.with_name(FILE)
    with alone_with(path):
        data = path.read_bytes() if path.exists() else b""
        found, wrong = picks_in(data, file=str(path))
        if wrong:
            raise ConfigError(wrong)
        yield _File(path=path, text=data.decode(), picks=found)


def _check_list(name: str) -> None:
    try:
        if name != OWN_LIST:
            list_name(name)
    except ValueError as error:
        words = str(error).replace("{said}", repr(name))
        raise UsageError(printable(f"the name of a list {words}")) from None


def _pick(offer: Offer, shelf: Offers, to: str, note: str | None, moment: datetime) -> Pick:
    entry, source = offer.entry, offer.source
    text = shelf.notes(entry)
    facts = {name: getattr(entry, name) for name in _FACTS}
    return Pick(
        feed=entry.feed,
        id=entry.id,
        picked_at=moment,
        list=to,
        note=note,
        title=one_line(entry.heading) or "?",
        summary=entry.summary,
        # The folder of a feed that is a file is nobody's business, nor are secrets in an address.
        text=text and replace(text, base=address.public(text.base or "")),
        show=Show(
            title=source.title,
            url=address.public(source.url),
            link=source.link,
            author=source.author,
            image=source.image,
            language=source.language,
            explicit=source.explicit,
        ),
        **facts,
    )
