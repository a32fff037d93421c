"""Where a list of config.yaml stands in its text, to the letter. With `yaml` the door to PyYAML.

It is what has to be known to put an item in, or to take one out, and leave all else as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

# The parser in Python counts characters as Python does, and stands in every build of PyYAML.
_LOADER: Final = yaml.SafeLoader


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of text, in characters from its beginning."""

    start: int
    end: int
    """The character after the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A setting whose value is a list: one in brackets, or lines that begin with a dash."""

    key: Span
    in_brackets: bool
    value: Span
    """A list in brackets with these; of another, from its first dash to where its last item ends.
    A list with an anchor or a tag begins with that."""
    items: tuple[Span, ...]
    """Each from its first letter to its last, without the dash and the comments after it."""


def setting(text: str, name: str) -> Setting | None:
    """The list under `name`, at the top of a file that was read before; None if there is no list.

    Raises:
        ValueError: there is something under that name, and it is not a list that stands there.
    """
    events = _Events(yaml.parse(text, Loader=_LOADER))
    while not isinstance(events.next(), yaml.MappingStartEvent):
        pass
    found: Setting | None = None
    while not isinstance(key := events.next(), yaml.MappingEndEvent):
        if key.value != name:
            events.pass_over()
            continue
        value = events.peek()
        if not isinstance(value, yaml.SequenceStartEvent):
            raise ValueError(name)
        items, end = events.items()
        found = Setting(
            key=Span(start=_start(key), end=_end(key)),
            in_brackets=bool(value.flow_style),
            value=Span(start=_start(value), end=end),
            items=items,
        )
    return found


class _Events:
    """What a parser says, gone through value by value."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = list(events)
        self._at = 0

    def peek(self) -> Any:
        """The event that comes next."""
        return self._events[self._at]

    def next(self) -> Any:
        """The next event."""
        self._at += 1
        return self._events[self._at - 1]

    def pass_over(self) -> int:
        """Pass over a value; where it ends."""
        return max(self._ends())

    def items(self) -> tuple[tuple[Span, ...], int]:
        """Pass over a list; its items, and where it ends."""
        start = self.next()
        end = _end(start)
        items: list[Span] = []
        while not isinstance(event := self.peek(), yaml.SequenceEndEvent):
            end = self.pass_over()
            items.append(Span(start=_start(event), end=end))
        self.next()
        return tuple(items), _end(event) if start.flow_style else end

    def _ends(self) -> Iterator[int]:
        """Where everything in a value ends that has letters of its own."""
        in_brackets: list[bool] = []
        while True:
            event = self.next()
            if isinstance(event, yaml.CollectionStartEvent):
                in_brackets.append(bool(event.flow_style))
            # Without brackets it ends, for the parser, behind the comments that come after it.
            elif not isinstance(event, yaml.CollectionEndEvent) or in_brackets.pop():
                yield _end(event)
            if not in_brackets:
                return


def _start(event: Any) -> int:
    index: int = event.start_mark.index
    return index


def _end(event: Any) -> int:
    index: int = event.end_mark.index
    return index
