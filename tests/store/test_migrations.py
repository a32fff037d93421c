"""A state that an older Planet wrote is brought to the tables of this one, and says the same.

`states/` has what each version before wrote; its README tells how they were made.
"""

import lzma
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from planet.errors import StateError
from planet.model import (
    DueReason,
    GivenUp,
    Picks,
)
from planet.store import Store
from planet.store.migrations import STEPS, spell_out_times
from planet.store.schema import VERSION

STATES = Path(__file__).parent / "states"
OLDER = range(min(STEPS), VERSION)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
KEYS = ("harbour-notes", "hedgerow-register", "kettle-and-crumb")


def unpack(version: int, folder: Path) -> Path:
    """Put the state that a version wrote into a folder."""
    folder.mkdir()
    path = folder / "planet.sqlite"
    path.write_bytes(lzma.decompress((STATES / f"{version}.sqlite.xz").read_bytes()))
    return path


def tables(path: Path) -> dict[str, str]:
    """What a file says of its tables, indexes and triggers, without comments and spaces."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql NOTNULL")
        return {name: squeeze(sql) for name, sql in rows}


def squeeze(sql: str) -> str:
    lines = (line.partition("--")[0] for line in sql.splitlines())
    return "".join("".join(lines).replace('"', "").split())


def test_each_version_since_the_first_step_leads_to_the_next_one() -> None:
    assert sorted(STEPS) == list(OLDER)


@pytest.mark.parametrize("version", OLDER)
def test_a_migrated_state_has_the_tables_of_a_new_one(version: int, tmp_path: Path) -> None:
    path = unpack(version, tmp_path / "old")

    for folder in (tmp_path / "old", tmp_path / "new"):
        with Store.open(folder):
            pass

    assert tables(path) == tables(tmp_path / "new/planet.sqlite")


@pytest.mark.parametrize("version", OLDER)
def test_a_migrated_state_says_all_that_it_said(version: int, folder: Path) -> None:
    unpack(version, folder)

    with Store.open(folder) as store:
        states, hosts = store.states(), store.hosts.read()
        entries = store.entries.of_feeds(KEYS)
        texts = store.texts.read([entry.number for entry in entries])
        clean = store.texts.read_clean([entry.number for entry in entries])
        digests = store.digests.all()
        episodes = store.entries.of_feeds(["night-ferry"], picks=Picks.ONLY)

    assert {*states} == {"busy", "gone", "night-ferry", *KEYS}
    assert states["gone"].given_up is GivenUp.GONE
    assert (states["busy"].due_reason, states["busy"].failures) == (DueReason.RETRY_AFTER, 1)
    assert [*hosts] == ["127.0.0.1:8732"]
    asked, rests = states["busy"].attempted_at, states["busy"].rests_until
    assert asked is not None
    assert rests is not None
    assert timedelta(hours=2) <= rests - asked < timedelta(hours=2, minutes=1)
    assert hosts["127.0.0.1:8732"].rests_until == rests
    assert states["harbour-notes"].health.response_time is not None
    assert digests[0].since < digests[0].due_at <= digests[0].made_at
    assert len(entries) == 22
    assert all(entry.first_seen < datetime(2026, 12, 1, tzinfo=UTC) for entry in entries)
    assert len(texts) == len(clean) == 9
    assert all(text.value == clean[number] for number, text in texts.items())
    assert entries[5].summary == "The last inn before winter is open."
    assert (len(digests), len(episodes)) == (1, 5)


@pytest.mark.parametrize("version", OLDER)
def test_an_older_state_that_is_only_looked_at_stays_as_it_is(version: int, folder: Path) -> None:
    path = unpack(version, folder)
    before = path.read_bytes()

    with Store.look(folder) as looked_at, Store.copy(folder) as copy:
        assert looked_at
        counts = [len(store.entries.of_feeds(KEYS)) for store in (looked_at, copy)]

    assert counts == [22, 22]
    assert path.read_bytes() == before


def test_a_step_that_fails_leaves_the_state_as_it_was(folder: Path) -> None:
    path = unpack(22, folder)
    with closing(sqlite3.connect(path)) as connection:
        # The last thing that the step makes.
        connection.execute("CREATE TABLE lost (x)")
    before = tables(path)

    with pytest.raises(StateError, match="cannot be used"), Store.open(folder):
        pass

    assert tables(path) == before
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (22,)


@pytest.mark.parametrize("stored", ["{", "7", '{"posts":[]}', '{"turnover":"x"}', '{"at":1e99}'])
def test_what_no_version_wrote_stays_for_whoever_reads_it(stored: str) -> None:
    assert spell_out_times(stored) == stored
