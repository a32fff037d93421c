"""A file of settings as plain values, each of which knows where and how it was written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from planet.model import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

Trail = tuple[str | int, ...]
"""The keys and indexes that lead from the top of a file to a value."""

# Under these the operator keeps secrets: what stands there is never repeated in a message.
_SECRET = frozenset({"auth", "headers", "options", "signature"})
_MAX_QUOTE = 60


# A named tuple, because a large file has tens of thousands of them and a frozen dataclass takes
# several times as long to make.
class Node(NamedTuple):
    """One value of a file."""

    line: int
    column: int
    value: Any
    """Text, number, truth value, None, or a list or dict of these."""
    said: str | None = None
    """A scalar as it was written, before the environment was put in; None for the others."""
    quoted: bool = False
    parts: Mapping[str | int, Node] = {}
    """What a list or a mapping holds, by index or key."""
    keys: Mapping[str, tuple[int, int]] = {}
    """Line and column of each key of a mapping."""
    size: int = 1
    """How many values it amounts to, an alias counted each time it is used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file that was read. Its `root` is a mapping."""

    file: str
    root: Node

    def trail(self, location: Trail) -> Trail:
        """`location` without the steps that lead nowhere in this file."""
        node, steps = self.root, []
        for step in location:
            if step in node.parts:
                node = node.parts[step]
                steps.append(step)
        return tuple(steps)

    def place(self, trail: Trail) -> Place:
        """Where the value at `trail` begins."""
        node = self._node(trail)
        return Place(file=self.file, line=node.line, column=node.column)

    def key_place(self, trail: Trail) -> Place:
        """Where the key at the end of `trail` stands."""
        line, column = self._node(trail[:-1]).keys[str(trail[-1])]
        return Place(file=self.file, line=line, column=column)

    def said(self, trail: Trail) -> str | None:
        """The scalar at `trail` as written, secrets only named; None when it is not a scalar."""
        return self._node(trail).said

    def bare(self, trail: Trail) -> bool:
        """Whether the value at `trail` is a scalar written without quotes."""
        node = self._node(trail)
        return node.said is not None and not node.quoted

    def quote(self, trail: Trail) -> str | None:
        """The scalar at `trail` in quotes, for a message; None where secrets are kept."""
        said = self.said(trail)
        if said is None or _SECRET.intersection(trail):
            return None
        words = " ".join(said.split())
        return f'"{words[:_MAX_QUOTE]}…"' if len(words) > _MAX_QUOTE else f'"{words}"'

    def _node(self, trail: Trail) -> Node:
        node = self.root
        for step in trail:
            node = node.parts[step]
        return node


def label(trail: Trail) -> str:
    """What a value is called in a message: `feeds[0].filters.include[1]`."""
    name = ""
    for step in trail:
        if isinstance(step, int):
            name += f"[{step}]"
        elif not re.fullmatch(r"[\w-]+", step):
            name += f'["{step}"]'
        else:
            name += f".{step}" if name else step
    return name or "the file"
