"""Episodes → picks in `picks.yaml`, and out of it again. Nobody is asked, and no state is changed.

What can be picked is what the state has of podcasts: of a feed that shows picks only the episodes
that it lists now, of any other the entries in the store with something to play.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from planet import address
from planet.config.pickfile import added, removed
from planet.config.pickmoves import followed
from planet.config.picks import FILE
from planet.config.picks import picks as picks_in
from planet.config.values import list_name
from planet.errors import ConfigError, UsageError
from planet.files import alone_with, write_whole
from planet.model import OWN_LIST, Facts, Pick, Show
from planet.picking.naming import named, on_one_list, picked_already, the_one
from planet.picking.offers import Offer, Shelf
from planet.plain import one_line
from planet.report import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from planet.config import Config

__all__ = ["Offer", "Shelf", "follow", "pick", "unpick"]

_FACTS = tuple(field.name for field in fields(Facts))


def pick(
    shelf: Shelf, names: Sequence[str], *, to: str = OWN_LIST, note: str | None, now: datetime
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


def _pick(offer: Offer, shelf: Shelf, to: str, note: str | None, moment: datetime) -> Pick:
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
