"""config.yaml with other addresses of some of its feeds, and not a letter else changed. Pure.

An address is written as the one before it was: in the same quotes, or in none where it needs none.
Every edit is proven: the text is read again, and must say what it said before but for that one
address. One that cannot be made so is left to the operator, with what to do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from planet import address
from planet.config import addresses, yaml
from planet.config.document import label
from planet.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from planet.config.document import Document, Trail
    from planet.model import Place


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
    document = _read(text, file)
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


def _moved(text: str, document: Document, trail: Trail, move: Move) -> tuple[str, Document]:
    said = document.said(trail) or ""
    if "${" in said:
        raise _LeftError('; change it by hand: it takes a part from the environment ("${…}")')
    if edition := _naming(document, {move.old, said.strip()}):
        raise _LeftError(f"; change it by hand, also in editions.{edition}, which names it so")
    try:
        new = address.same(addresses.checked(move.new))
    except ValueError as error:
        raise _LeftError(f", which {error}") from None
    changed, meant = rewritten(text, move.place, said, new)
    after = _read(changed, document.file)
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


def _read(text: str, file: str) -> Document:
    """The file with its texts as written: nothing is taken from the environment."""
    document, _ = yaml.read(text.encode(), file=file, expand=str)
    return document


def _trail(document: Document, place: Place) -> Trail:
    """The way to the address that is written at a place."""
    return next(
        trail
        for section in ("feeds", "subscriptions")
        for index in (document.root.parts[section].parts if section in document.root.parts else ())
        if document.place(trail := document.trail((section, index, "url"))) == place
    )


def _with(value: Any, trail: Trail, new: str) -> Any:
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
