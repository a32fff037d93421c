"""A YAML file with something else in it, and not a letter else changed. Pure.

The marks of the parser tell where each value stands: an edit puts other text there. Every edit is
proven: the file is read again, and must say what it said before but for that. An edit that cannot
be made so is left to the operator, with what to do.

What is added to a list comes to its end, in the style the list has: in lines with dashes, or in
brackets. What goes takes its own lines with it and no others: comments stay, unless they are
indented deeper than its dash.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from planet.config import values, yaml
from planet.config.yaml import label, written
from planet.errors import ConfigError, Problem
from planet.model import Place
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from planet.config.yaml import Document, Node, RedirectChain


FEEDS: Final = "feeds"
_BOM: Final = "\ufeff"
_INDENTATION: Final = 2
_LINE: Final = re.compile(r"[^\r\n]*+(?:\r\n?|\n|\Z)")
_COMMENT: Final = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?=[\r\n])")
_DASH: Final = re.compile(r"^( *)-(?=\s)", re.MULTILINE)
_COMMA: Final = re.compile(r"(?:\s++|#[^\r\n]*+)*+,")
# Anchor and tag, which go before the value itself.
_PROPERTIES: Final = re.compile(r"(?:[&!]\S*+|\s++|#[^\r\n]*+)*+")
# What may follow inside brackets; outside of them no value and no line begins so.
_IN_BRACKETS: Final = re.compile(r"(?:\s++|#[^\r\n]*+)*+[],}]")


class LeftError(Exception):
    """An edit that cannot be made, in words that end a sentence."""


def proven(
    text: str, edit: Callable[[str], str], says: Callable[[str], bool], left: ConfigError
) -> str:
    """What `edit` makes of a text, which it gets without a byte order mark.

    Raises:
        ConfigError: `left`: it cannot be made, or does not say what is meant.
    """
    bom = _BOM * text.startswith(_BOM)
    try:
        after = bom + edit(text.removeprefix(_BOM))
        if says(after):
            return after
    except (LeftError, ConfigError):
        pass
    raise left


def with_items(
    text: str, new: Sequence[str | Mapping[str, Any]], name: str, *, alone: bool = False
) -> str:
    """The text with items at the end of the list `name`, which is made if it is not there.

    A list that is `alone` in its file has lines only, and ends where the file ends.

    Raises:
        LeftError: that cannot be done.
    """
    listed = _found(text, name)
    column = _INDENTATION
    if listed is None:
        text = f"{ended(text)}{name}:"
        at = len(text)
    elif not text.lstrip().startswith("{") and re.fullmatch(
        r"(?:\[ *\])?", text[listed.start : listed.end]
    ):
        head = text[: listed.start].rstrip(" ")
        text = head + text[listed.end :]
        at = _line_end(text, len(head))
    elif text[listed.start] != "[":
        last = len(listed.parts) - 1
        column = _dash(text, listed, last)[1]
        at = _own_end(text, listed.parts[last].end, column, of_list=True)
    elif not alone:
        return _into_brackets(text, listed, [json.dumps(item, ensure_ascii=False) for item in new])
    else:
        raise LeftError
    lines = re.sub(r"^(?=.)", " " * column, written(new), flags=re.MULTILINE)
    head, rest = (text, "") if alone else (text[:at], text[at:])
    return ended(head) + lines.replace("\n", _break(text)) + rest


def without_items(text: str, gone: Collection[int], name: str, *, alone: bool = False) -> str:
    """The text without the items of the list `name` with these numbers, counted from 0.

    A list that is `alone` in its file has lines only, and may end up with nothing in its place.

    Raises:
        LeftError: that cannot be done.
    """
    for number in sorted(gone, reverse=True):
        listed = _found(text, name)
        if listed is None or (alone and text[listed.start] == "["):
            raise LeftError
        if text[listed.start] == "[":
            text = _out_of_brackets(text, listed, number)
            continue
        start, column = _dash(text, listed, number)
        end = _own_end(text, listed.parts[number].end, column)
        text = text[:start] + text[end:]
        if len(listed.parts) == 1 and not alone:
            keys = re.finditer(rf"^(['\"]?){name}\1\s*:", text[: listed.start], re.MULTILINE)
            colon = max((key.end() for key in keys), default=0)
            text = f"{text[:colon]} []{text[colon:]}"
    return text


def _found(text: str, name: str) -> Node | None:
    """The list under a name at the top of a file."""
    document, _ = yaml.read(text.encode(), file="", expand=str)
    listed = document.root.parts.get(name)
    # What is merged in may be meant for others, too.
    if "<<" in document.root.keys or (listed and not isinstance(listed.value, list | None)):
        raise LeftError
    return listed


def _dash(text: str, listed: Node, number: int) -> tuple[int, int]:
    """Where the line with the dash of an item begins, and in which column the dash is."""
    if not listed.parts:
        raise LeftError
    low = listed.parts[number - 1].end if number else text.rfind("\n", 0, listed.start) + 1
    dashes = [*_DASH.finditer(text, low, listed.parts[number].start)]
    if len(dashes) != 1:
        raise LeftError
    return dashes[0].start(), len(dashes[0][1])


def _own_end(text: str, end: int, column: int, *, of_list: bool = False) -> int:
    """Where the lines end that belong to an item, or to the list that it is the last one of.

    To an item belong the comments below it that are indented deeper than its dash; to the list
    also those that stand right below it and are indented like it.
    """
    own = at = end if text[:end].endswith("\n") else _line_end(text, end)
    is_close = of_list and column > 0
    for line in text[at:].splitlines(keepends=True):
        words = line.strip()
        if words and not words.startswith("#"):
            break
        at += len(line)
        is_close = is_close and bool(words)
        depth = len(line) - len(line.lstrip(" "))
        if words and (depth > column or (is_close and depth == column)):
            own = at
    return own


def _into_brackets(text: str, listed: Node, pieces: Sequence[str]) -> str:
    if not listed.parts:
        return text[: listed.start + 1] + ", ".join(pieces) + text[listed.start + 1 :]
    last = listed.parts[len(listed.parts) - 1]
    indentation = text[text.rfind("\n", 0, last.start) + 1 : last.start]
    in_lines = not indentation.strip(" ") and "\n" in text[: last.start]
    separator = f"{_break(text)}{indentation}" if in_lines else " "
    comma = _COMMA.match(text, last.end)
    at = after = comma.end() if comma else last.end
    if in_lines and (comment := _COMMENT.match(text, after)):
        # What is said of the last item, on its line, stays there.
        at = comment.end()
    head = text[:after] + ("" if comma else ",") + text[after:at]
    return head + separator + f",{separator}".join(pieces) + ("," if comma else "") + text[at:]


def _out_of_brackets(text: str, listed: Node, number: int) -> str:
    item = listed.parts[number]
    head, rest = text[: item.start], text[item.end :]
    if comma := _COMMA.match(text, item.end):
        comments, rest = text[item.end : comma.end() - 1].lstrip(" "), text[comma.end() :]
        if number and rest.lstrip(" ").startswith("]"):
            head = head.rstrip(" ")
        else:
            rest = rest.lstrip(" ")
        rest = comments + rest
    elif number and (comma := _COMMA.match(text, listed.parts[number - 1].end)):
        head = text[: comma.end() - 1] + text[comma.end() : item.start].rstrip(" ")
    text = head + rest
    start, end = text.rfind("\n", 0, len(head)) + 1, _line_end(text, len(head))
    # No line is left where nothing stands any more.
    return text if text[start:end].strip() else text[:start] + text[end:]


def ended(text: str) -> str:
    """The text with its last line ended."""
    return text if not text or text.endswith(("\n", "\r")) else text + _break(text)


def _break(text: str) -> str:
    """How the lines of the text end."""
    return "\r\n" if "\r\n" in text else "\n"


def _line_end(text: str, at: int) -> int:
    line = _LINE.match(text, at)
    assert line is not None, "every line has an end"
    return line.end()


def with_addresses(
    text: str, document: Document, new: Mapping[RedirectChain, str]
) -> tuple[str, Document]:
    """The text of a document with other addresses, all normalised, where these trails lead to.

    Raises:
        LeftError: something else would be changed, too.
    """
    bom, text = _BOM * text.startswith(_BOM), text.removeprefix(_BOM)
    meant = document.root.value
    # From the end, so that the places of those that wait still hold.
    for trail in sorted(new, key=lambda trail: document.node(trail).start, reverse=True):
        node = document.node(trail)
        text, put = _put(text, node, new[trail])
        meant = _with(meant, trail, put)
    after, _ = yaml.read(text.encode(), file=document.file, expand=str)
    if after.root.value != meant:
        raise LeftError("; change it by hand: other settings use what stands here, too")
    return bom + text, after


def _put(text: str, node: Node, new: str) -> tuple[str, str]:
    """The text with another address in place of a scalar, and what that then says."""
    properties = _PROPERTIES.match(text, node.start)
    start = properties.end() if properties else node.start
    old, says = text[start : node.end], new
    if old[0] in "'\"":
        # A normalised address has neither double quotes nor backslashes in it.
        put = old[0] + new.replace(old[0], old[0] * 2) + old[0]
    elif old[0] in "|>":
        # The address has lines to itself, after the one that says how to read them.
        said = node.said or ""
        at = old.index(said.strip(), _line_end(old, 0))
        put = old[:at] + new + old[at + len(said.strip()) :]
        says = said.replace(said.strip(), new)
    else:
        special = r"[][{},?]|:$" if _IN_BRACKETS.match(text, node.end) else ":$"
        put = f'"{new}"' if re.search(special, new) else new
    return text[:start] + put + text[node.end :], says


def _with(value: Any, trail: RedirectChain, new: str) -> Any:
    """A value with another text at the end of a trail in it."""
    if not trail:
        return new
    copy: Any = list(value) if isinstance(value, list) else dict(value)
    copy[trail[0]] = _with(copy[trail[0]], trail[1:], new)
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
    trails = _addresses(document).items()
    return {place: int(number) for place, (section, number, *_) in trails if section == FEEDS}


def _addresses(document: Document) -> dict[Place, RedirectChain]:
    """The way to the address of each feed and list, by the place where it is written."""
    trails = [
        document.trail((section, number, "url"))
        for section in (FEEDS, "subscriptions")
        if section in document.root.parts
        for number in document.root.parts[section].parts
    ]
    return {document.place(trail): trail for trail in trails}


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A feed, or a subscription list, that is no longer where the file says."""

    place: Place
    """Where the file says its address."""
    old: str
    new: str
    told: str | None = None
    """How messages call the new one, where it has a secret in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A file in which addresses were changed."""

    text: str
    moves: tuple[Move, ...]
    """Those that are in it now, in the order of the file."""
    problems: tuple[Problem, ...]
    """What is left to do by hand, in the order of the file."""


def edited(text: str, moves: Iterable[Move], *, file: str) -> Edited:
    """The text of `file`, a config without mistakes, with the new addresses in it.

    Raises:
        ConfigError: it is not YAML.
    """
    document, _ = yaml.read(text.encode(), file=file, expand=str)
    trails = _addresses(document)
    made: list[Move] = []
    problems: list[Problem] = []
    for move in sorted(moves, key=lambda move: (move.place.line, move.place.column)):
        trail = trails[move.place]
        try:
            new = _address(document, trail, move)
            text, document = with_addresses(text, document, {trail: new})
        except LeftError as left:
            words = f"{label(trail)} has moved to {move.told or address.redacted(move.new)}{left}"
            problems.append(Problem(move.place, words))
        else:
            made.append(move)
    return Edited(text=text, moves=tuple(made), problems=tuple(problems))


def _address(document: Document, trail: RedirectChain, move: Move) -> str:
    """The new address as the file may have it.

    Raises:
        LeftError: it may not; it tells what to do.
    """
    said = document.said(trail) or ""
    if "${" in said:
        raise LeftError('; change it by hand: it takes a part from the environment ("${…}")')
    for edition, settings in (document.root.value.get("editions") or {}).items():
        feeds = (settings or {}).get("feeds") or ()
        if {move.old, said.strip()}.intersection([feeds] if isinstance(feeds, str) else feeds):
            raise LeftError(f"; change it by hand, also in editions.{edition}, which names it so")
    try:
        return address.same(values.checked(move.new))
    except ValueError as error:
        raise LeftError(f", which {error}") from None
