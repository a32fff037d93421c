"""Words and tables → Markdown for the page of a run, of a bounded size.

What feeds and servers say is hostile: it may show as words and as nothing else, neither as
Markdown nor as HTML, nor as a link, an image or a mention of somebody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planet.plain import shortened
from planet.report.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT: Final = 64_000
"""Bytes of a page at the most; GitHub shows none that is longer than 1 MiB."""

# As references they are words wherever they stand, in HTML as well, which a backslash is not.
_REFERENCES: Final = str.maketrans({each: f"&#{ord(each)};" for each in "&<>\"'`*_[]()#|~!\\$:^{}"})
# GitHub looks for people and issues in the page that was made, and for addresses without a scheme.
_NAMING: Final = re.compile(r"[@#](?=\w)|www(?=\.)", re.IGNORECASE)
_LONGEST: Final = 300
_RESERVE: Final = 300
"""Bytes for what a table ends with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells in Markdown, below what they are about."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    folded: bool = False
    """Whether only the title shows until it is opened."""


def words(said: str) -> str:
    """What anybody said, on one line, to stand in a sentence or in a cell."""
    line = shortened(printable(said), _LONGEST)
    # Between a sign and a name stands what has no width.
    return _NAMING.sub("\\g<0>\u200b", line).translate(_REFERENCES)


def code(address: str) -> str:
    """An address, to be copied as it is; it leads nowhere."""
    line = shortened(printable(address), _LONGEST)
    # Neither can stand in an address, and one would end it here, the other the cell.
    return f"`{line.replace('`', '%60').replace('|', '%7C')}`"


def link(said: str, address: str | None) -> str:
    """What anybody said, leading to an address of ours, which is quoted, if there is one."""
    return f"[{words(said)}]({address})" if address else words(said)


def page(head: Sequence[str], tables: Sequence[Table]) -> str:
    """Paragraphs, then the tables that have rows, of which the last are cut if need be."""
    parts = [f"{paragraph}\n" for paragraph in head]
    wanted = [table for table in tables if table.rows]
    room = LIMIT - sum(map(_size, parts)) - _RESERVE * len(wanted)
    for table in wanted:
        text, size = _table(table, room)
        parts.append(text)
        room -= size
    return "\n".join(parts)


def _table(table: Table, room: int) -> tuple[str, int]:
    """A table with as many rows as there is room for, and how much of it they took."""
    lines = [_row(table.columns), _row(["---"] * len(table.columns))]
    size = sum(map(_size, lines))
    shown = 0
    for row in map(_row, table.rows):
        if size + _size(row) > room:
            break
        lines.append(row)
        size += _size(row)
        shown += 1
    text = "".join(lines) if shown else ""
    if left := len(table.rows) - shown:
        text += f"\n{left:,} more, for which there is no room here.\n"
    title = f"{table.title} ({len(table.rows):,})"
    if table.folded:
        return f"<details><summary>{title}</summary>\n\n{text}\n</details>\n", size
    return f"#### {title}\n\n{text}", size


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _size(text: str) -> int:
    return len(text.encode())
