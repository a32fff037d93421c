"""What can be picked: exactly what documents list now, and nothing that outlives the file."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from planet.errors import StateError
from planet.model import Counts, Enclosure, Episode, Person, Text, TextKind
from planet.store import Episodes, Store
from tests.builders import NOW, make_draft, make_reading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from planet.model import NewEntry

HOUR = timedelta(hours=1)


@pytest.fixture
def episodes(tmp_path: Path) -> Iterator[Episodes]:
    with Episodes.open(tmp_path) as episodes:
        yield episodes


def keep(
    episodes: Episodes, *drafts: NewEntry, feed: str = "one", now: datetime = NOW, **said: Any
) -> Counts:
    """Keep a reading of these drafts; `ids` says what else the document lists."""
    return episodes.keep(feed, make_reading(*drafts, **said), body_hash=f"{now}", now=now)


def ids(episodes: Episodes, feed: str = "one", limit: int | None = None) -> list[str]:
    return [entry.id for entry in episodes.newest([feed], limit)[feed]]


def test_an_episode_comes_back_as_it_was(episodes: Episodes) -> None:
    raw = Text(value="<p>Ä</p>", kind=TextKind.HTML, base="https://one.example/")
    draft = make_draft(
        "a",
        title="Ä",
        summary="about",
        link="https://one.example/a",
        published=NOW - HOUR,
        updated=NOW,
        enclosures=(Enclosure(url="https://one.example/a.mp3", length=1, duration=2),),
        episode=Episode(number=3, explicit=False, persons=(Person(name="Ann"),)),
        raw=raw,
    )

    keep(episodes, draft)

    (entry,) = episodes.newest(["one"])["one"]
    assert (entry.feed, entry.id, entry.digest, entry.rank) == ("one", "a", draft.digest, None)
    assert (entry.first_seen, entry.changed_at, entry.dated) == (NOW, NOW, NOW - HOUR)
    for name in ("title", "summary", "link", "published", "updated", "enclosures", "episode"):
        assert getattr(entry, name) == getattr(draft, name)
    assert entry.number <= -1_000_000
    assert episodes.notes(entry.number) == raw


def test_a_feed_has_exactly_the_episodes_that_its_document_lists(episodes: Episodes) -> None:
    first = keep(episodes, make_draft("b"), make_draft("a"))
    edited = make_draft("b", title="B")
    second = keep(episodes, make_draft("c"), edited, ids=("c", "b"), now=NOW + HOUR)

    b = next(entry for entry in episodes.newest(["one"])["one"] if entry.id == "b")
    assert (first, second) == (Counts(added=2), Counts(added=1, edited=1))
    assert ids(episodes) == ["c", "b"]
    assert (b.title, b.first_seen, b.changed_at) == ("B", NOW, NOW + HOUR)
    assert episodes.digests("one") == {"c": make_draft("c").digest, "b": edited.digest}
    assert episodes.hashes() == {"one": f"{NOW + HOUR}"}


def test_the_newest_come_first_and_no_date_in_the_future_counts(episodes: Episodes) -> None:
    keep(
        episodes,
        make_draft("undated"),
        make_draft("undated, too"),
        make_draft("old", published=NOW - 2 * HOUR),
    )
    keep(
        episodes,
        make_draft("future", published=NOW + 1000 * HOUR),
        ids=("future", "undated", "undated, too", "old"),
        now=NOW + HOUR,
    )

    assert ids(episodes) == ["future", "undated", "undated, too", "old"]
    assert ids(episodes, limit=2) == ["future", "undated"]


def test_feeds_know_nothing_of_each_other(episodes: Episodes) -> None:
    keep(episodes, make_draft("a"))
    keep(episodes, make_draft("a"), make_draft("b"), feed="two")

    keep(episodes, ids=(), now=NOW + HOUR)

    assert (ids(episodes), ids(episodes, "two"), ids(episodes, "three")) == ([], ["a", "b"], [])
    assert len({entry.number for entry in episodes.newest(["two"])["two"]}) == 2


def test_feeds_that_are_no_more_are_forgotten_with_their_episodes(
    episodes: Episodes, tmp_path: Path
) -> None:
    keep(episodes, make_draft("a"))
    keep(episodes, make_draft("b"), feed="two")

    episodes.keep_only(["two", "three"])

    assert episodes.hashes() == {"two": f"{NOW}"}
    assert (ids(episodes), ids(episodes, "two")) == ([], ["b"])


def test_a_feed_may_get_another_key(episodes: Episodes) -> None:
    keep(episodes, make_draft("a"))
    keep(episodes, make_draft("b"), feed="two")

    episodes.rename("one", "two")
    episodes.rename("nobody", "three")

    assert episodes.hashes() == {"two": f"{NOW}"}
    assert (ids(episodes), ids(episodes, "two")) == ([], ["a"])


def test_a_reading_that_took_lost_episodes_for_known_is_not_whole(episodes: Episodes) -> None:
    keep(episodes, make_draft("new"), ids=("new", "lost"))

    assert (ids(episodes), episodes.hashes()) == (["new"], {"one": None})


def test_a_file_that_turns_out_to_be_damaged_begins_anew(tmp_path: Path) -> None:
    with Episodes.open(tmp_path) as episodes:
        keep(episodes, make_draft("a", link="https://one.example/", image="https://x.example/"))
        with sqlite3.connect(tmp_path / "episodes.sqlite") as other:
            other.execute("UPDATE entry SET more = 'no JSON'")
        other.close()

        assert ids(episodes) == []
        keep(episodes, make_draft("b"))

    with Episodes.open(tmp_path) as episodes:
        assert ids(episodes) == ["b"]


def test_looking_makes_no_file_and_mends_none(tmp_path: Path) -> None:
    file = tmp_path / "episodes.sqlite"
    with Episodes.look(tmp_path) as episodes:
        assert episodes.hashes() == {}
    made = file.exists()
    file.write_bytes(b"nonsense" * 500)

    with Episodes.look(tmp_path) as episodes:
        assert ids(episodes) == []

    assert (made, file.read_bytes()) == (False, b"nonsense" * 500)


def test_looking_sees_what_a_run_has_stored_and_changes_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path), Episodes.open(tmp_path) as episodes:
        keep(episodes, make_draft("a"))

        with Episodes.look(tmp_path) as looked_at:
            assert ids(looked_at) == ["a"]

    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "episodes.sqlite",
        "lock",
        "planet.sqlite",
    ]


def test_a_folder_in_the_place_of_the_file_is_the_operators_to_mend(tmp_path: Path) -> None:
    (tmp_path / "episodes.sqlite").mkdir()

    with (
        pytest.raises(StateError, match=r"episodes\.sqlite cannot be used"),
        Episodes.open(tmp_path),
    ):
        pass
