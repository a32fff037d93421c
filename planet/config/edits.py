"""config.yaml with other feeds in it, and not a letter else changed. Pure.

What is added comes to the end of its list, in the style the list has: in lines with dashes, or in
brackets. What goes takes its own lines with it and no others: comments stay, unless they are
indented deeper than its dash. Every edit is proven: the text is read again, and must say what it
said before but for that. An edit that cannot be made so is left to the operator, with what to do.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from planet.config import values, yaml
from planet.config.yaml import label, setting, written
from planet.errors import ConfigError, Problem
from planet.model import Place
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Mapping, Sequence

    from planet.config.yaml import Document, RedirectChain, Setting


_INDENTATION: Final = 2
_DASH: Final = re.compile(r"^( *)-(?=\s)", re.MULTILINE)
_REST_OF_LINE: Final = re.compile(r"[^\r\n]*+")
_LIST_LINE: Final = re.compile(r"( *+)([^\r\n]*+)(?:\r\n?|\n|\Z)")
_COMMA: Final = re.compile(r"(?:\s++|#[^\r\n]*+)*+,")
_COLON: Final = re.compile(r"\s*:")


class LeftError(Exception):
    """The list is not written in a way that can be changed."""


def with_items(text: str, new: Sequence[str | Mapping[str, Any]], name: str) -> str:
    """The text with items at the end of the list `name`, which is made if it is not there.

    Raises:
        LeftError: that cannot be done.
    """
    listed = _found(text, name)
    if listed is None:
        if _is_json(text):
            raise LeftError
        return f"{_ended(text)}{name}:{_break(text)}{_lines(new, text, _INDENTATION)}"
    start, end = listed.value.start, listed.value.end
    if not listed.in_brackets:
        column = _dash(text, listed, len(listed.items) - 1)[1]
        at = _after(text, listed.items[-1].end, column, of_list=True)
    elif re.fullmatch(r"\[ *\]", text[start:end]) and not _is_json(text):
        head = text[:start].rstrip(" ")
        column = _INDENTATION
        at = _line_end(text, end) - (end - len(head))
        text = head + text[end:]
    else:
        return _in_brackets(text, listed, [json.dumps(each, ensure_ascii=False) for each in new])
    head = _ended(text[:at])
    return head + _lines(new, text, column) + text[at:]


def _found(text: str, name: str) -> Setting | None:
    try:
        return setting(text, name)
    except ValueError:
        raise LeftError from None


def _lines(new: Sequence[Any], text: str, column: int) -> str:
    """Items in lines that begin with a dash, which stands in a column of its own."""
    lines = re.sub(r"^(?=.)", " " * column, written(new), flags=re.MULTILINE)
    return lines.replace("\n", _break(text))


def _ended(text: str) -> str:
    """The text with its last line ended."""
    if not text or text.endswith(("\n", "\r")):
        return text
    return text + _break(text)


def _break(text: str) -> str:
    """How the lines of the text end."""
    return "\r\n" if "\r\n" in text else "\n"


def _is_json(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n").startswith("{")


def _in_brackets(text: str, listed: Setting, pieces: Sequence[str]) -> str:
    if not listed.items:
        at = listed.value.start + 1
        if text[at - 1] != "[":
            raise LeftError
        return text[:at] + ", ".join(pieces) + text[at:]
    last = listed.items[-1]
    comma = _COMMA.match(text, last.end)
    after = comma.end() if comma else last.end
    end = _line_end(text, after, with_break=False)
    indentation = text[text.rfind("\n", 0, last.start) + 1 : last.start]
    in_lines = not indentation.strip(" ") and "\n" in text[: last.start]
    between = f",{_break(text)}{indentation}" if in_lines else ", "
    block = between.join(pieces) + ("," if comma else "")
    if in_lines and re.fullmatch(r"\s*(?:#.*)?", text[after:end]):
        # What is said of the last item, on its line, stays there.
        head = text[:after] + ("" if comma else ",") + text[after:end]
        return head + between[1:] + block + text[end:]
    return text[:after] + (between[1:] if comma else between) + block + text[after:]


def without_item(text: str, number: int, name: str) -> str:
    """The text without one item of the list `name`, by its number from 0.

    Raises:
        LeftError: that cannot be done.
    """
    listed = _found(text, name)
    if listed is None:
        raise LeftError
    if listed.in_brackets:
        return _out_of_brackets(text, listed, number)
    dash, column = _dash(text, listed, number)
    end = _after(text, listed.items[number].end, column, of_list=False)
    text = text[:dash] + text[end:]
    if len(listed.items) == 1 and (colon := _COLON.match(text, listed.key.end)):
        text = f"{text[: colon.end()]} []{text[colon.end() :]}"
    return text


def _out_of_brackets(text: str, listed: Setting, number: int) -> str:
    start, end = listed.items[number].start, listed.items[number].end
    if comma := _COMMA.match(text, end):
        between = text[end : comma.end() - 1].lstrip(" ")
        head, rest = text[:start], text[comma.end() :]
        if number and rest.lstrip(" ").startswith("]"):
            head = head.rstrip(" ")
        else:
            rest = rest.lstrip(" ")
        text, start = head + between + rest, len(head)
    elif number and (comma := _COMMA.match(text, listed.items[number - 1].end)):
        between = text[comma.end() : start].rstrip(" ")
        if not text[end : _line_end(text, end)].strip():
            between = re.sub(r"\r?\n\Z", "", between)
        return text[: comma.end() - 1] + between + text[end:]
    else:
        text = text[:start] + text[end:]
    first, last = text.rfind("\n", 0, start) + 1, _line_end(text, start)
    # No line is left where nothing stands any more.
    return text if text[first:last].strip() else text[:first] + text[last:]


def _dash(text: str, listed: Setting, number: int) -> tuple[int, int]:
    """Where the line with the dash of an item begins, and in which column the dash is."""
    low = listed.items[number - 1].end if number else listed.key.end
    found = [*_DASH.finditer(text, low, listed.items[number].start)]
    if len(found) != 1:
        raise LeftError
    return found[0].start(), len(found[0][1])


def _after(text: str, end: int, column: int, *, of_list: bool) -> int:
    """Where the lines end that belong to an item, or to the list that it is the last one of.

    To an item belong the comments below it that are indented deeper than its dash; to the list
    also those that stand right below it and are indented like it.
    """
    own = at = end if text[:end].endswith(("\n", "\r")) else _line_end(text, end)
    is_close = True
    while at < len(text):
        found = _LIST_LINE.match(text, at)
        assert found is not None, "every line has an end"
        is_close = is_close and bool(found[2])
        if found[2] and not found[2].startswith("#"):
            break
        at = found.end()
        depth = len(found[1])
        if found[2] and (depth > column or (of_list and is_close and depth == column > 0)):
            own = at
    return own


def _line_end(text: str, at: int, *, with_break: bool = True) -> int:
    pattern = _LIST_LINE if with_break else _REST_OF_LINE
    found = pattern.match(text, at)
    assert found is not None, "every line has an end"
    return found.end()


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
    document = _read_file(text, file)
    made: list[Move] = []
    problems: list[Problem] = []
    # From the end, so that the places of those that wait still hold.
    for move in sorted(moves, key=lambda move: (move.place.line, move.place.column), reverse=True):
        trail = _trail(document, move.place)
        try:
            text, document = _moved(text, document, trail, move)
        except _LeftError as left:
            words = f"{label(trail)} has moved to {move.told or address.redacted(move.new)}{left}"
            problems.append(Problem(move.place, words))
        else:
            made.append(move)
    return Edited(text=text, moves=tuple(made[::-1]), problems=tuple(problems[::-1]))


class _LeftError(Exception):
    """An edit that is not made, in words that end a sentence."""


def _moved(text: str, document: Document, trail: RedirectChain, move: Move) -> tuple[str, Document]:
    said = document.said(trail) or ""
    if "${" in said:
        raise _LeftError('; change it by hand: it takes a part from the environment ("${…}")')
    if edition := _naming(document, {move.old, said.strip()}):
        raise _LeftError(f"; change it by hand, also in editions.{edition}, which names it so")
    try:
        new = address.same(values.checked(move.new))
    except ValueError as error:
        raise _LeftError(f", which {error}") from None
    changed, meant = rewritten(text, move.place, said, new)
    after = _read_file(changed, document.file)
    if after.root.value != _with(document.root.value, trail, meant):
        raise _LeftError("; change it by hand: other settings use what stands here, too")
    return changed, after


def _naming(document: Document, called: Container[str]) -> str | None:
    """The first edition that names a feed by one of its addresses."""
    for name, said in (document.root.value.get("editions") or {}).items():
        feeds = (said or {}).get("feeds") or ()
        if any(each in called for each in ([feeds] if isinstance(feeds, str) else feeds)):
            return str(name)
    return None


def _read_file(text: str, file: str) -> Document:
    """The file with its texts as written: nothing is taken from the environment."""
    document, _ = yaml.read(text.encode(), file=file, expand=str)
    return document


def _trail(document: Document, place: Place) -> RedirectChain:
    """The way to the address that is written at a place."""
    return next(
        trail
        for section in ("feeds", "subscriptions")
        for index in (document.root.parts[section].parts if section in document.root.parts else ())
        if document.place(trail := document.trail((section, index, "url"))) == place
    )


def _with(value: Any, trail: RedirectChain, new: str) -> Any:
    """A value with another text at the end of a trail in it."""
    if not trail:
        return new
    copy: Any = list(value) if isinstance(value, list) else dict(value)
    copy[trail[0]] = _with(copy[trail[0]], trail[1:], new)
    return copy


# YAML 1.1 §5.4 has more line ends than most.
_LINE: Final = re.compile("[^\r\n\x85\u2028\u2029]*+(?:\r\n|[\r\n\x85\u2028\u2029])")
# Anchor and tag, which go before the value itself.
_PROPERTIES: Final = re.compile(r"(?:[&!]\S*+|\s++|#[^\r\n]*+)*+")
_ALIAS: Final = re.compile(r"\*[\w-]+", re.ASCII)
_QUOTED: Final = {
    "'": re.compile(r"'(?:[^']|'')*+'"),
    '"': re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL),
}
# What may follow inside brackets; outside of them no value and no line begins so.
_IN_BRACKETS: Final = re.compile(r"(?:\s++|#[^\r\n]*+)*+[],}]")


def rewritten(text: str, place: Place, said: str, new: str) -> tuple[str, str]:
    """The text with `new` where the scalar stands that says `said`, and what it then says.

    `new` is a normalised address. The caller has to prove that nothing else is changed.
    """
    start = _end(_PROPERTIES, text, _index(text, place))
    meant = new
    if quoted := _QUOTED.get(quote := text[start]):
        end = _end(quoted, text, start)
        # A normalised address has neither double quotes nor backslashes in it.
        written = quote + new.replace(quote, quote * 2) + quote
    elif text[start] in "|>":
        # The address has lines to itself, after the one that says how to read them.
        start = text.index(said.strip(), _end(_LINE, text, start))
        end = start + len(said.strip())
        written, meant = new, said.replace(said.strip(), new)
    else:
        end = _end(_ALIAS, text, start) if text[start] == "*" else start + len(said)
        special = r"[][{},?]|:$" if _IN_BRACKETS.match(text, end) else ":$"
        written = f'"{new}"' if re.search(special, new) else new
    return text[:start] + written + text[end:], meant


def _index(text: str, place: Place) -> int:
    """How many characters stand before a place."""
    at = len(text) - len(text.removeprefix("\ufeff"))
    for _ in range(place.line - 1):
        at = _end(_LINE, text, at)
    return at + place.column - 1


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    assert found is not None, "PyYAML has read the same there"
    return found.end()
