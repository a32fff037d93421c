"""Damage of a file is told: no byte that was not written gets onto a page."""

import multiprocessing
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from planet.errors import StateError
from planet.model import Html, Text, TextKind
from planet.store import Store
from tests.builders import NOW, make_draft, make_feed, make_reading, make_state
from tests.stored import keep_reading

RAW = "<p>Words that are <em>kept</em> as they came.</p>"
CLEAN = Html("<p>Words that are <em>kept</em> as they came.</p>")


def keep_one(folder: Path) -> None:
    draft = make_draft(
        "https://one.example/a",
        link="https://one.example/b",
        title="A title",
        summary="Words that are kept as they came.",
        raw=Text(value=RAW, kind=TextKind.HTML, base="https://one.example/c"),
        content=CLEAN,
        links=("https://one.example/d",),
        cleaning="1",
        categories=("sea",),
    )
    with Store.open(folder) as store:
        keep_reading(store, make_state(), make_reading(draft))


def read_all(folder: Path) -> list[object]:
    """Whatever of a state can be on a page, or be made into what is."""
    with Store.look(folder) as store:
        assert store
        (entry,) = store.entries.numbered([1])
        return [
            [getattr(entry, name) for name in ("id", "link", "title", "summary", "categories")],
            store.entries.of_feeds(["one"])[0].title,
            store.texts.read_clean([1]),
            store.texts.links([1]),
        ]


def cells(path: Path) -> list[tuple[str, str, object]]:
    """The values of the rows of the entry and its text: table, column, value."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [
            (table, column, value)
            for table in ("entry", "text")
            for row in connection.execute(f"SELECT * FROM {table}")
            for column, value in dict(row).items()
        ]


def test_a_damaged_byte_of_a_row_of_text_is_told_or_changes_nothing(folder: Path) -> None:
    keep_one(folder)
    path, before = folder / "planet.sqlite", read_all(folder)
    whole = path.read_bytes()
    silent, told = [], 0

    for table, column, value in cells(path):
        data = value.encode() if isinstance(value, str) else value
        if not isinstance(data, bytes) or column == "digest":
            continue
        for place in range(len(data)):
            harmed = bytearray(data)
            harmed[place] ^= 1
            kind = "TEXT" if isinstance(value, str) else "BLOB"
            with closing(sqlite3.connect(path, isolation_level=None)) as connection:
                connection.execute("DROP TRIGGER IF EXISTS entry_changed")
                connection.execute(
                    f"UPDATE {table} SET {column} = CAST(? AS {kind})", (bytes(harmed),)
                )
            try:
                if read_all(folder) != before:
                    silent.append((table, column, place))
            except StateError:
                told += 1
            path.write_bytes(whole)

    assert silent == []
    assert told > 150


def test_a_text_whose_end_is_missing_is_told(folder: Path) -> None:
    keep_one(folder)
    with closing(sqlite3.connect(folder / "planet.sqlite", isolation_level=None)) as connection:
        connection.execute("UPDATE text SET value = substr(value, 1, length(value) - 6)")

    with pytest.raises(StateError, match="a row in it is damaged"):
        read_all(folder)


def test_a_text_in_the_row_of_another_entry_is_told(folder: Path) -> None:
    keep_one(folder)
    with Store.open(folder) as store:
        drafts = make_draft("a"), make_draft("b", raw="Other words")
        keep_reading(store, make_state(), make_reading(*drafts))
    with closing(sqlite3.connect(folder / "planet.sqlite", isolation_level=None)) as connection:
        connection.execute("UPDATE text SET number = number + 1 WHERE number = 2")

    with pytest.raises(StateError, match="a row in it is damaged"), Store.open(folder) as store:
        store.texts.read([1, 2, 3])


def keep_until_killed(folder: Path) -> None:
    with Store.open(folder) as store:
        store.attempt([make_feed()], NOW)
        os.kill(os.getpid(), signal.SIGKILL)


def damage_an_index(path: Path) -> None:
    """Swap two entries of an index, which no statement of a run would notice."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        ((page,),) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_feed_1'"
        )
        ((size,),) = connection.execute("PRAGMA page_size")
    data = bytearray(path.read_bytes())
    start = (page - 1) * size
    # The pointer of its first cell leads out of the page.
    data[start + 8 : start + 10] = b"\xff\xff"
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("ended_well", [True, False])
def test_the_pages_are_looked_at_when_the_run_before_was_killed(
    ended_well: bool, folder: Path
) -> None:
    with Store.open(folder) as store:
        store.keep(make_state())
    path = folder / "planet.sqlite"
    damage_an_index(path)
    if not ended_well:
        # As a process leaves it that does not close it.
        path.with_name("planet.sqlite-wal").touch()

    def open_and_close() -> str:
        try:
            with Store.open(folder):
                return "used"
        except StateError as error:
            return str(error)

    told = open_and_close()

    if ended_well:
        assert told == "used"
    else:
        words = f"{path} cannot be used: database disk image is malformed\nPut a backup of it in"
        assert told.startswith(words)


def test_a_killed_run_leaves_what_tells_the_next_one(folder: Path) -> None:
    killed = multiprocessing.get_context("spawn").Process(target=keep_until_killed, args=[folder])

    killed.start()
    killed.join()

    assert (folder / "planet.sqlite-wal").exists()
    with Store.open(folder) as store:
        assert store.states()["one"].attempted_at == NOW
    assert not (folder / "planet.sqlite-wal").exists()
