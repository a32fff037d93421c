"""config.yaml with other feeds in it, and not a letter else changed. Pure.

What is added comes to the end of its list, in the style the list has: in lines with dashes, or in
brackets. What goes takes its own lines with it and no others: comments stay, unless they are
indented deeper than its dash. Every edit is proven: the text is read again, and must say what it
said before but for that. An edit that cannot be made so is left to the operator, with what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from planet.config import yaml
from planet.config.listtext import LeftError, with_items, without_item
from planet.config.yamlwriter import written
from planet.errors import ConfigError, Problem
from planet.model import Place

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from planet.config.document import Document

FEEDS: Final = "feeds"


def added(
    text: str, new: Sequence[str | Mapping[str, Any]], *, file: str, name: str = FEEDS
) -> str:
    """The text of `file` with more items at the end of the list `name`, which is made if need be.

    There is at least one. An item is an address, or the settings of a feed: text, numbers, and
    lists and dicts of these.

    Raises:
        ConfigError: the file has mistakes, or is not written in a way that can be added to.
    """
    before = _read(text, file)
    meant = {**before.root.value, name: [*before.root.value.get(name, ()), *new]}
    try:
        after = with_items(text, new, name)
    except LeftError:
        raise _by_hand(file, name, new) from None
    if not _says(after, meant, file):
        raise _by_hand(file, name, new)
    return after


def removed(text: str, gone: Collection[int], *, file: str) -> str:
    """The text of `file` without the feeds with these numbers, counted from 0.

    Raises:
        ConfigError: the file has mistakes, or is not written in a way that can be taken from.
    """
    before = _read(text, file)
    left = [each for at, each in enumerate(before.root.value[FEEDS]) if at not in gone]
    after = text
    try:
        for number in sorted(gone, reverse=True):
            after = without_item(after, number, FEEDS)
    except LeftError:
        raise _by_hand(file, FEEDS) from None
    if not _says(after, {**before.root.value, FEEDS: left}, file):
        raise _by_hand(file, FEEDS)
    return after


def numbers(text: str, *, file: str) -> dict[Place, int]:
    """The numbers of the feeds of a file, by the place where the address of each is written.

    Raises:
        ConfigError: the file has mistakes.
    """
    document = _read(text, file)
    listed = document.root.parts[FEEDS].parts if FEEDS in document.root.parts else {}
    return {
        document.place(document.trail((FEEDS, number, "url"))): number
        for number in map(int, listed)
    }


def _read(text: str, file: str) -> Document:
    """The file with its texts as written: nothing is taken from the environment."""
    document, problems = yaml.read(text.encode(), file=file, expand=str)
    if problems:
        raise ConfigError(problems)
    return document


def _says(text: str, meant: Mapping[str, Any], file: str) -> bool:
    try:
        said: bool = _read(text, file).root.value == meant
    except ConfigError:
        return False
    return said


def _by_hand(file: str, name: str, new: Sequence[str | Mapping[str, Any]] = ()) -> ConfigError:
    words = f'the list "{name}" of this file can only be changed by hand'
    if new:
        words += "; write at its end:\n" + written(new).rstrip("\n")
    return ConfigError([Problem(Place(file=file, line=1, column=1), words)])
