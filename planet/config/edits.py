"""A YAML file with one thing changed in it, and not a letter else. Pure.

The marks of the parser say where each value stands. Three operations put other text there: an item
goes to the end of a list, an item goes out of a list, an address replaces another one. Then the
new text is read, and must have exactly the data that is meant; else the operator is told what to
write by hand. This proof is why unusual YAML needs no rule of its own here.

A new item takes the style of its list: lines with dashes, or brackets. An item in lines goes with
the comments right below it that are indented deeper than its dash; all other comments stay.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from planet.config import values, yaml
from planet.config.yaml import label, written
from planet.errors import ConfigError, Place, Problem
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from planet.config.yaml import Document, KeyPath, Node


FEEDS: Final = "feeds"
_BOM: Final = "\ufeff"
_NO_ITEMS: Final = re.compile(r"(?:\[ *\])?")


class LeftError(Exception):
    """An edit that cannot be made, in words that end a sentence."""


def proven(
    text: str, edit: Callable[[str], str], is_meant: Callable[[str], bool], left: ConfigError
) -> str:
    """What `edit` makes of a text, which it gets without a byte order mark.

    Raises:
        ConfigError: `left`: it cannot be made, or the new text is not what is meant.
    """
    bom = _BOM * text.startswith(_BOM)
    try:
        after = bom + edit(text.removeprefix(_BOM))
        if is_meant(after):
            return after
    except (LeftError, ConfigError):
        pass
    raise left


def with_items(text: str, items: Sequence[Any], name: str) -> str:
    """The text with items at the end of the list `name`, which is made if it is not there."""
    listed = _list(text, name)
    column, at = 2, len(text)
    if listed is None:
        text = f"{ended(text)}{name}:"
        at = len(text)
    elif listed.parts and text[listed.start] == "-":
        column = listed.column - 1
        at = _item_end(text, listed.parts[len(listed.parts) - 1], column)
    elif not text.lstrip().startswith("{") and _NO_ITEMS.fullmatch(text, listed.start, listed.end):
        head = text[: listed.start].rstrip(" ")
        text = head + text[listed.end :]
        at = _line_end(text, len(head))
    elif text[listed.start] == "[":
        # A date is the only value that JSON does not have.
        pieces = [json.dumps(item, ensure_ascii=False, default=str) for item in items]
        return _into_brackets(text, listed, pieces)
    else:
        raise LeftError
    lines = re.sub(r"^(?=.)", " " * column, written(items), flags=re.MULTILINE)
    return ended(text[:at]) + lines.replace("\n", _line_break(text)) + text[at:]


def without_items(text: str, gone: Collection[int], name: str) -> str:
    """The text without the items of the list `name` with these numbers, counted from 0."""
    for number in sorted(gone, reverse=True):
        listed = _list(text, name)
        if listed is None or not listed.parts:
            raise LeftError
        if text[listed.start] == "[":
            start, end = _in_brackets(text, listed, number)
            text = text[:start] + text[end:]
            continue
        column, item = listed.column - 1, listed.parts[number]
        low = listed.parts[number - 1].end - 1 if number else max(listed.start - column - 1, 0)
        start = text.rfind("\n" + " " * column + "-", low, item.start) + 1
        key = re.search(rf"^(['\"]?){name}\1[ \t]*:", text, re.MULTILINE)
        if not start or key is None:
            raise LeftError
        text = text[:start] + text[_item_end(text, item, column) :]
        if len(listed.parts) == 1:
            text = f"{text[: key.end()]} []{text[key.end() :]}"
    return text


def _list(text: str, name: str) -> Node | None:
    """The list under a name at the top of a file."""
    document, _ = yaml.read(text.encode(), file="", expand=str)
    listed = document.root.parts.get(name)
    # What is merged in may be meant for others, too.
    if "<<" in document.root.keys or (listed and not isinstance(listed.value, list | None)):
        raise LeftError
    return listed


def _item_end(text: str, item: Node, column: int) -> int:
    """Where the lines end that belong to an item with its dash in this column."""
    # The lines of a text in lines are ended already.
    end = _line_end(text, item.end - text[: item.end].endswith("\n"))
    deeper = re.compile(rf"(?:(?:[ \t\r]*\n)* {{{column + 1},}}#[^\n]*(?:\n|\Z))*")
    return deeper.match(text, end).end()  # type: ignore[union-attr] # it matches nothing, too


def _line_end(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


def _into_brackets(text: str, listed: Node, pieces: Sequence[str]) -> str:
    if not listed.parts:
        return text[: listed.start + 1] + ", ".join(pieces) + text[listed.start + 1 :]
    last = listed.parts[len(listed.parts) - 1]
    if "#" in text[last.end : listed.end]:
        raise LeftError  # the comment is about the last item, and would be about the new one
    indentation = re.search(r"(\r?\n *)?\Z", text[listed.start : last.start])
    separator = f",{(indentation and indentation[1]) or ' '}"
    return text[: last.end] + "".join(separator + piece for piece in pieces) + text[last.end :]


def _in_brackets(text: str, listed: Node, number: int) -> tuple[int, int]:
    """The stretch that goes with an item: it, and the comma before or behind it."""
    start, end = listed.parts[number].start, listed.parts[number].end
    if len(listed.parts) == 1:
        stretch = listed.start + 1, listed.end - 1
    elif number:
        stretch = listed.parts[number - 1].end, end
    else:
        stretch = start, listed.parts[1].start
    if "#" in text[stretch[0] : start] + text[end : stretch[1]]:
        raise LeftError  # a comment would go
    return stretch


def ended(text: str) -> str:
    """The text with its last line ended."""
    return text if not text or text.endswith("\n") else text + _line_break(text)


def _line_break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def with_addresses(
    text: str, document: Document, new: Mapping[KeyPath, str]
) -> tuple[str, Document]:
    """The text of a document with other addresses, all normalised, where these key paths lead to.

    Raises:
        LeftError: they cannot be put there, or something else would be changed, too.
    """
    bom, text = _BOM * text.startswith(_BOM), text.removeprefix(_BOM)
    meant = document.root.value
    # From the end, so that the places of those that wait still hold.
    for key_path in sorted(new, key=lambda key_path: document.node(key_path).start, reverse=True):
        node = document.node(key_path)
        text = text[: node.start] + _as(text[node.start], new[key_path]) + text[node.end :]
        meant = _with(meant, key_path, new[key_path])
    after, _ = yaml.read(text.encode(), file=document.file, expand=str)
    if after.root.value != meant:
        raise LeftError("; change it by hand: other settings use what stands here, too")
    return bom + text, after


def _as(first: str, new: str) -> str:
    """An address as a scalar that takes the place of one with this first character."""
    if first in "&!|>":
        raise LeftError("; change it by hand: it has an anchor, a tag, or lines of its own")
    if first in "'\"":
        # A normalised address has neither double quotes nor backslashes in it.
        return first + new.replace(first, first * 2) + first
    return f'"{new}"' if re.search(r"[][{},?]|:$", new) else new


def _with(value: Any, key_path: KeyPath, new: str) -> Any:
    """A value with another text at the end of a key path in it."""
    if not key_path:
        return new
    copy: Any = list(value) if isinstance(value, list) else dict(value)
    copy[key_path[0]] = _with(copy[key_path[0]], key_path[1:], new)
    return copy


def added(
    text: str, new: Sequence[str | Mapping[str, Any]], *, file: str, name: str = FEEDS
) -> str:
    """The text of `file` with more items at the end of the list `name`, which is made if need be.

    There is at least one. An item is an address, or the settings of a feed: text, numbers, and
    lists and dicts of these.

    Raises:
        ConfigError: the file has mistakes, or is not written in a way that can be added to.
    """
    before = _values(text, file)
    return proven(
        text,
        lambda text: with_items(text, new, name),
        lambda text: _values(text, file) == {**before, name: [*before.get(name, ()), *new]},
        _by_hand(file, name, f"; write at its end:\n{written(new)}".rstrip("\n")),
    )


def removed(text: str, gone: Collection[int], *, file: str) -> str:
    """The text of `file` without the feeds with these numbers, counted from 0.

    Raises:
        ConfigError: the file has mistakes, or is not written in a way that can be taken from.
    """
    before = _values(text, file)
    left = [item for number, item in enumerate(before[FEEDS]) if number not in gone]
    return proven(
        text,
        lambda text: without_items(text, gone, FEEDS),
        lambda text: _values(text, file) == {**before, FEEDS: left},
        _by_hand(file, FEEDS),
    )


def _values(text: str, file: str) -> dict[str, Any]:
    """What a file says, its texts as written: nothing is taken from the environment."""
    document, problems = yaml.read(text.encode(), file=file, expand=str)
    if problems:
        raise ConfigError(problems)
    settings: dict[str, Any] = document.root.value
    return settings


def _by_hand(file: str, name: str, more: str = "") -> ConfigError:
    words = f'the list "{name}" of this file can only be changed by hand{more}'
    return ConfigError([Problem(Place(file=file, line=1, column=1), words)])


def numbers(text: str, *, file: str) -> dict[Place, int]:
    """The numbers of the feeds of a file, by the place where the address of each is written."""
    document, _ = yaml.read(text.encode(), file=file, expand=str)
    key_paths = _addresses(document).items()
    return {place: int(number) for place, (section, number, *_) in key_paths if section == FEEDS}


def _addresses(document: Document) -> dict[Place, KeyPath]:
    """The way to the address of each feed and list, by the place where it is written."""
    key_paths = [
        document.key_path((section, number, "url"))
        for section in (FEEDS, "subscriptions")
        if section in document.root.parts
        for number in document.root.parts[section].parts
    ]
    return {document.place(key_path): key_path for key_path in key_paths}


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A feed, or a subscription list, that is no longer where the file says."""

    place: Place
    """Where the file says its address."""
    old: str
    new: str
    shown: str | None = None
    """How messages call the new one, where it has a secret in it."""


def edited(
    text: str, moves: Iterable[Move], *, file: str
) -> tuple[str, tuple[Move, ...], tuple[Problem, ...]]:
    """The text of `file`, a config without mistakes, with the new addresses in it.

    With it come the moves that are in it now, and what is left to do by hand, both in the order of
    the file.

    Raises:
        ConfigError: it is not YAML.
    """
    document, _ = yaml.read(text.encode(), file=file, expand=str)
    key_paths = _addresses(document)
    made: list[Move] = []
    problems: list[Problem] = []
    for move in sorted(moves, key=lambda move: (move.place.line, move.place.column)):
        key_path = key_paths[move.place]
        try:
            new = _address(document, key_path, move)
            text, document = with_addresses(text, document, {key_path: new})
        except LeftError as left:
            words = (
                f"{label(key_path)} has moved to {move.shown or address.redacted(move.new)}{left}"
            )
            problems.append(Problem(move.place, words))
        else:
            made.append(move)
    return text, tuple(made), tuple(problems)


def _address(document: Document, key_path: KeyPath, move: Move) -> str:
    """The new address as the file may have it."""
    old = document.text(key_path) or ""
    if "${" in old:
        raise LeftError('; change it by hand: it takes a part from the environment ("${…}")')
    for edition, settings in (document.root.value.get("editions") or {}).items():
        feeds = (settings or {}).get("feeds") or ()
        if {move.old, old.strip()}.intersection([feeds] if isinstance(feeds, str) else feeds):
            raise LeftError(f"; change it by hand, also in editions.{edition}, which names it so")
    try:
        return address.same(values.checked(move.new))
    except ValueError as error:
        raise LeftError(f", which {error}") from None
