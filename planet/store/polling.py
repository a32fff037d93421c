"""What politeness needs ⇄ `polling.json`, beside a database that may be lost.

When feeds were asked and are due, what their servers asked for, and which were given up. A run that
asked somebody writes the file last, from the rows of the database and in their form, so that no
secret is in it; a database that is made anew begins with it.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from planet.errors import StateError
from planet.model import FeedState, HostState
from planet.store import codec
from planet.store.faults import RowError, check_types, from_row
from planet.store.migrations import spell_out_times

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path


FILE: Final = "polling.json"
_VERSION: Final = 2
"""In version 1, moments and spans are numbers (`migrations.spell_out_times`)."""
_COLUMNS: Final = "key, url, attempted_at, settled_at, due_at, succeeded_at, answered_url, given_up"
_TYPES: Final = (str, str, *[int | None] * 4, str | None, str | None, int, str)
_OF_ENTRIES: Final = (
    *("profile", "processed_hash", "changed_at", "posts", "health"),
    *("unreadable", "unreadable_kind"),
)
"""Fields of a `FeedState` that go with the entries: they are known again when a body is read."""
_WITHOUT: Final = ", ".join(f"'$.{name}'" for name in _OF_ENTRIES)
_FEEDS: Final = (
    f"SELECT {_COLUMNS}, is_well, json_remove(state, {_WITHOUT}) FROM feed "  # noqa: S608
    "WHERE json_valid(state) ORDER BY key"
)


def write(connection: sqlite3.Connection, folder: Path) -> None:
    """Write down what politeness needs of all feeds and servers in a database.

    Raises:
        StateError: the file cannot be written.
    """
    ((name,),) = connection.execute("SELECT name FROM planet")
    document = {
        "version": _VERSION,
        "name": name,
        "feeds": [tuple(row) for row in connection.execute(_FEEDS)],
        "hosts": [
            tuple(row) for row in connection.execute("SELECT host, state FROM host ORDER BY host")
        ],
    }
    path = folder / FILE
    new = path.with_suffix(".new")
    try:
        with new.open("w", encoding="utf-8") as file:
            file.write(codec.encode(document))
            file.flush()
            # It is of use after a power cut above all.
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        raise StateError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)


def restore(connection: sqlite3.Connection, folder: Path) -> None:
    """Put what the file has into a new database; nothing where there is none, or it is damaged."""
    try:
        document = json.loads((folder / FILE).read_bytes())
        stored = _check(document)
    except (OSError, ValueError, RecursionError, RowError):
        return
    columns = f"{_COLUMNS}, is_well, state"
    marks = ", ".join("?" * len(_TYPES))
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE planet SET name = ?", (stored.name,))
    connection.executemany(f"INSERT OR IGNORE INTO feed ({columns}) VALUES ({marks})", stored.feeds)  # noqa: S608
    connection.executemany("INSERT OR IGNORE INTO host VALUES (?, ?)", stored.hosts)
    connection.execute("COMMIT")


class _PollingState(NamedTuple):
    """What the file has, as rows of the tables."""

    name: str
    feeds: list[tuple[Any, ...]]
    hosts: list[tuple[Any, ...]]


@from_row
def _check(document: Any) -> _PollingState:
    """Return what a document has, each of the type it should be."""
    name = document["name"]
    if document["version"] not in (1, _VERSION) or not re.fullmatch(r"[0-9a-f]{12}", name):
        raise ValueError("another program wrote it")
    feeds = check_types(map(tuple, document["feeds"]), *_TYPES)
    hosts = check_types(map(tuple, document["hosts"]), str, str)
    if document["version"] == 1:
        feeds = [(*row[:-1], spell_out_times(row[-1])) for row in feeds]
        hosts = [(host, spell_out_times(state)) for host, state in hosts]
    for key, url, *_, state in feeds:
        codec.decode(state, FeedState, key=key, url=url)
    for host, state in hosts:
        codec.decode(state, HostState, host=host)
    return _PollingState(name, feeds, hosts)
