"""What politeness needs outlives a database that is lost."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from planet.model import DueReason, FeedState, GivenUp, HostState
from planet.model.secrets import Redactor, Secret
from planet.store import Store
from tests.builders import NOW, make_draft, make_profile, make_reading, make_state
from tests.cases import case, cases
from tests.stored import keep_reading

HOUR = timedelta(hours=1)
POLITE: dict[str, Any] = {
    "attempted_at": NOW,
    "settled_at": NOW + HOUR / 60,
    "due_at": NOW + 3 * HOUR,
    "due_reason": DueReason.RETRY_AFTER,
    "rests_until": NOW + 2 * HOUR,
    "succeeded_at": NOW - HOUR,
    "answered_url": "https://one.example/moved",
    "validators": frozenset({"etag"}),
    "was_public": True,
    "learned_floor": 4 * HOUR,
    "throttled_at": NOW,
    "failures": 2,
    "failing_since": NOW - HOUR,
    "strikes": 1,
    "struck_since": NOW - HOUR,
    "error_kind": "http_429",
    "error": "come less often",
}
A_HOST = HostState(host="one.example:443", rests_until=NOW + 2 * HOUR, throttles=3)


def lose(folder: Path) -> None:
    (folder / "planet.sqlite").unlink()


def poll(folder: Path, *states: FeedState) -> None:
    with Store.open(folder) as store:
        for state in states:
            keep_reading(
                store, state, make_reading(make_draft("a"), profile=make_profile()), now=NOW
            )
        store.hosts.put(A_HOST)


def test_what_politeness_needs_is_there_when_the_database_is_lost(folder: Path) -> None:
    of_entries: dict[str, Any] = {"processed_hash": "1", "reader": "7", "posts": (NOW,)}
    one = make_state("one", **POLITE)
    two = make_state("two", given_up=GivenUp.GONE, given_up_at=NOW, attempted_at=NOW)
    poll(folder, make_state("one", **POLITE, **of_entries), two)
    with Store.open(folder) as store:
        name = store.name
    lose(folder)

    with Store.open(folder) as store:
        assert store.states() == {"one": one, "two": two}
        assert store.hosts.read() == {A_HOST.host: A_HOST}
        assert (store.name, store.entries.exist()) == (name, False)


def test_a_run_that_asks_nobody_writes_no_file(folder: Path) -> None:
    with Store.open(folder) as store:
        store.believe(NOW)

    assert sorted(path.name for path in folder.iterdir()) == ["lock", "planet.sqlite"]


def test_no_secret_is_in_it(folder: Path) -> None:
    redactor = Redactor(secrets=(("TOKEN", Secret("s3cret-s3cret")),))
    with Store.open(folder, redactor) as store:
        url = "https://one.example/?key=s3cret-s3cret"
        store.keep(make_state(url=url, error="no s3cret-s3cret", answered_url=url))
        store.hosts.put(HostState(host="s3cret-s3cret.example:443"))

    assert "s3cret" not in (folder / "polling.json").read_text(encoding="utf-8")
    lose(folder)
    with Store.open(folder, redactor) as store:
        assert store.states()["one"].answered_url == url
        assert [*store.hosts.read()] == ["s3cret-s3cret.example:443"]


@cases(
    "change",
    case("cut short", lambda document: "{"),
    case("empty", lambda document: ""),
    case("deep", lambda document: "[" * 100_000),
    case("a list", lambda document: "[]"),
    case("of another form", lambda document: {**document, "version": 3}),
    case("with another name", lambda document: {**document, "name": "../x"}),
    case("without feeds", lambda document: {**document, "feeds": None}),
    case("a feed that is a number", lambda document: {**document, "feeds": [7]}),
    case("a feed of other types", lambda document: {**document, "feeds": [["one", 7] * 5]}),
    case(
        "a feed whose state is wrong",
        lambda document: {**document, "feeds": [[*document["feeds"][0][:-1], '{"failures":"x"}']]},
    ),
    case("a server without state", lambda document: {**document, "hosts": [["one", "{"]]}),
)
def test_a_damaged_file_is_none(change: Any, folder: Path) -> None:
    poll(folder, make_state("one", **POLITE))
    lose(folder)
    path = folder / "polling.json"
    changed = change(json.loads(path.read_text(encoding="utf-8")))
    path.write_text(changed if isinstance(changed, str) else json.dumps(changed), encoding="utf-8")

    with Store.open(folder) as store:
        assert store.states() == {}
        assert store.hosts.read() == {}
