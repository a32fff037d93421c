"""What feedparser's own tests expect of a file → claims on what `planet.parse` makes of it.

An expectation is a Python expression over feedparser's result. It is read, never evaluated: of each
`and` the parts, of each part the path and the value it is compared with. A path that leads to
something the model has becomes a claim; the others (contributors, generators, places, the library's
own bookkeeping) are nobody's business here.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from planet.model import ParsedFeed
from planet.parse.sniff import decode_body
from tests.parse.counterparts import ENTRY, PROFILE, Path

# feedparser's other names for the same (its keymap).
_SAME = {
    "channel": "feed",
    "copyright": "rights",
    "date": "updated",
    "description": "summary",
    "guid": "id",
    "items": "entries",
    "issued": "published",
    "modified": "updated",
    "tagline": "subtitle",
    "url": "href",
}
_NONE = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A file of the corpus and what was read of it."""

    body: bytes
    content_type: str | None
    feed: ParsedFeed


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One thing that must be there."""

    path: Path
    expected: Any
    holds: Callable[[Case, Any], bool]
    """Whether what was read agrees with the expected value."""


def claims(expression: str) -> tuple[list[Claim], int]:
    """The claims of an expectation, and how many of its parts are about nothing of ours."""
    ours, others = [], 0
    for path, expected in _parts(ast.parse(expression.strip(), mode="eval").body):
        path = _usual(path)
        holds = _counterpart(path, expected)
        if holds is None:
            others += 1
        else:
            ours.append(Claim(path=path, expected=expected, holds=holds))
    return ours, others


def _parts(node: ast.expr) -> Iterator[tuple[Path, Any]]:
    """Path and value of each comparison; an empty path where it is something else."""
    match node:
        case ast.BoolOp(op=ast.And(), values=parts):
            for part in parts:
                yield from _parts(part)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield _path(operand) or (), False
        case ast.Compare(left=left, ops=operators, comparators=[*middle, last]) if all(
            isinstance(operator, ast.Eq | ast.Is) for operator in operators
        ):
            expected = _value(last)
            for node in (left, *middle):
                yield (_path(node) or (), expected) if expected is not _NONE else ((), None)
        case ast.Constant():
            pass  # "1": to have survived is all
        case _:
            yield _path(node) or (), True


def _value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return _NONE


def _path(node: ast.expr) -> Path | None:
    match node:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=of, attr=name) if (path := _path(of)) is not None:
            return (*path, name)
        case ast.Subscript(value=of, slice=ast.Constant(value=str() | int() as key)) if (
            path := _path(of)
        ) is not None:
            return (*path, key)
        case ast.Call(func=ast.Name(id="len" | "ord" as name), args=[of]) if (
            path := _path(of)
        ) is not None:
            return (*path, name)
    return None


def _usual(path: Path) -> Path:
    """A path in the names that `_counterpart` knows."""
    usual = [_SAME.get(name, name) if isinstance(name, str) else name for name in path]
    if usual[-1:] == ["value"]:
        usual = [*usual[:-2], str(usual[-2]).removesuffix("_detail")] if len(usual) > 1 else usual
    return tuple(usual)


def _counterpart(path: Path, expected: Any) -> Callable[[Case, Any], bool] | None:
    match path:
        case ("bozo",) if expected is False:
            return lambda case, _: not any("well-formed" in note for note in case.feed.notes)
        case ("encoding",):
            return _is_decoded_as
        case ("version",):
            return lambda case, expected: case.feed.profile.format == expected
        case ("entries", "len"):
            return lambda case, expected: len(case.feed.entries) == expected
        case ("feed", *rest):
            return _of(lambda feed: feed.profile, PROFILE, tuple(rest))
        case ("entries", int(place), *rest):
            return _of(lambda feed: feed.entries[place], ENTRY, tuple(rest))
    return None


def _of(
    noun: Callable[[ParsedFeed], Any], table: dict[Path, Callable[[Any, Any], bool]], path: Path
) -> Callable[[Case, Any], bool] | None:
    agrees = table.get(path)
    if agrees is None:
        return None
    return lambda case, expected: agrees(noun(case.feed), expected)


def _is_decoded_as(case: Case, encoding: str) -> bool:
    try:
        expected = case.body.decode(encoding)
    except UnicodeDecodeError:
        return False
    text, _ = decode_body(case.body, case.content_type)
    return text.removeprefix("\ufeff") == expected.removeprefix("\ufeff")
