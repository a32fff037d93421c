"""picks.yaml with other addresses of the feeds that its picks are of, all else as it was. Pure.

A pick knows its feed by its address, where the config gives the feed no `id`. When that address
changes in the config, it has to change here, or the pick would be one of a feed that is gone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from planet.config import yaml
from planet.config.edit import rewritten
from planet.config.picks import picks
from planet.errors import ConfigError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

_BY_HAND: Final = "the feed of this pick has moved; write its new address here by hand"


def followed(text: str, moves: Mapping[str, str], *, file: str) -> str:
    """The text of `file`, which has no mistakes, with the new addresses of the feeds of its picks.

    `moves` has the new address of each feed by its old one, both normalised.

    Raises:
        ConfigError: one cannot be changed where it stands; it says what to do.
    """
    document, _ = yaml.read(text.encode(), file=file, expand=str)
    before, _ = picks(text.encode(), file=file)
    places = {
        index: document.place(("picks", index, "feed"))
        for index, pick in enumerate(before)
        if pick.feed in moves and "feed" in document.root.value["picks"][index]
    }
    changed = text
    # From the end, so that the places of those that wait still hold.
    for index, place in reversed(places.items()):
        said = document.said(("picks", index, "feed")) or ""
        changed, _ = rewritten(changed, place, said, moves[before[index].feed])
    after, wrong = picks(changed.encode(), file=file)
    meant = [
        replace(pick, feed=moves[pick.feed]) if index in places else pick
        for index, pick in enumerate(before)
    ]
    if wrong or [replace(pick, place=None) for pick in after] != [
        replace(pick, place=None) for pick in meant
    ]:
        raise ConfigError([Problem(place, _BY_HAND) for place in places.values()])
    return changed
