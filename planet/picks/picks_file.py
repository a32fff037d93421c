"""Picks into `picks.yaml` and out of it, in the text of the file: all else in it stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planet.config import edits, yaml
from planet.config.picks import format_pick, is_blank, parse_picks
from planet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from planet.config.yaml import KeyPath
    from planet.errors import Place
    from planet.model import Pick


_NEW: Final = """\
# The episodes that were picked: `planet pick` adds to them, `planet unpick` takes from them.
# A pick that is written by hand needs title, picked and enclosure.
"""


def add_picks(text: str, new: Sequence[Pick], *, file: str) -> str:
    """Add picks to the end of the list in the text of `file`; an empty text becomes a new file.

    Raises:
        ConfigError: the file has mistakes, or is not written in lines; it says what to write.
    """
    before = text or _NEW
    if is_blank(before.encode()):
        before += "picks:" if before.endswith("\n") else "\npicks:"
    _read(before, file)
    items = [format_pick(pick) for pick in new]
    after = edits.add_items(before, items, file=file, name="picks")
    _read(after, file)
    return after


def remove_picks(text: str, gone: Collection[Place], *, file: str) -> str:
    """Remove the picks that begin at these places from the text of `file`.

    Raises:
        ConfigError: the file has mistakes, or its picks do not have lines of their own.
    """
    numbers = [number for number, pick in enumerate(_read(text, file)) if pick.place in gone]
    return edits.remove_items(text, numbers, file=file, name="picks")


def replace_feeds(text: str, moves: Mapping[str, str], *, file: str) -> str:
    """Replace the addresses of feeds in the picks of a text, which has no mistakes.

    `moves` has the new address of each feed by its old one, both normalised.

    Raises:
        ConfigError: one cannot be changed.
    """
    if is_blank(text.encode()):
        return text
    written = yaml.read(text, file=file).data.get("picks", ())
    new: dict[KeyPath, str] = {
        ("picks", number, "feed"): moves[pick.feed]
        for number, pick in enumerate(_read(text, file))
        if pick.feed in moves and "feed" in written[number]
    }
    return edits.replace_texts(text, new, file=file)


def _read(text: str, file: str) -> tuple[Pick, ...]:
    parsed = parse_picks(text.encode(), file=file)
    if parsed.problems:
        raise ConfigError(parsed.problems)
    return parsed.picks
