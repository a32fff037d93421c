"""What an operator calls an episode → the episode."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

from planet import address
from planet.config.picks import FILE
from planet.errors import UsageError
from planet.model import OWN_LIST, Entry, Pick, handle
from planet.report import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

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
