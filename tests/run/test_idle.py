"""Feeds that need not be looked at are told by their rows, as a look at them would tell."""

from datetime import time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from planet.model import DueReason, FetchPolicy, GivenUp, Picks, Timetable
from planet.parse import PARSER
from planet.run import ingest
from planet.run.open import Scope
from planet.run.poll import plan_polls
from planet.schedule import KnownFeeds
from planet.store import Store
from planet.text.policy import REVISION
from tests.builders import NOW, make_feed, make_profile, make_state
from tests.cases import case, cases

HOUR = timedelta(hours=1)
CALM = FetchPolicy(releases=(Timetable(at=time(0), zone=ZoneInfo("UTC")),))
READ = {
    "profile": make_profile(),
    "processed_hash": "aa",
    "reader": f"{PARSER}.{REVISION}",
    "attempted_at": NOW - HOUR,
    "settled_at": NOW - HOUR,
    "due_at": NOW + HOUR,
    "due_reason": DueReason.ADAPTIVE,
}


@cases(
    "changes, feed, is_idle",
    case("it is not due", {}, {}, True),
    case("it is given up", {"given_up": GivenUp.GONE, "due_at": None}, {}, True),
    case("it is due", {"due_at": NOW}, {}, False),
    case("a release may be sooner", {"due_at": NOW + 2 * HOUR}, {"policy": CALM}, False),
    case("no release is near", {"due_at": NOW + 3 * HOUR}, {"policy": CALM}, True),
    case("it was never asked", {"settled_at": None, "due_at": None}, {}, False),
    case("a run was killed that asked it", {"settled_at": NOW - 2 * HOUR}, {}, False),
    case("another parser read it", {"reader": "older"}, {}, False),
    case("only its episodes were kept", {"picks": Picks.ONLY}, {}, False),
    case("only its episodes are wanted now", {}, {"picks": Picks.ONLY}, False),
    case("it has another address now", {}, {"url": "https://new.example/feed"}, False),
)
def test_a_feed_is_looked_at_unless_there_is_nothing_to_do(
    changes: dict[str, Any], feed: dict[str, Any], is_idle: bool, tmp_path: Path
) -> None:
    one, two = make_feed("one", **feed), make_feed("two")
    with Store.open(tmp_path) as store:
        store.keep(make_state("one", **READ | changes))
        store.keep(make_state("two", **READ | {"due_at": NOW}))

        known, idle = ingest.reset_changed_readers([one, two], store.states(), store=store, now=NOW)

    assert idle == ({"one"} if is_idle else set())
    feeds = KnownFeeds([one, two], known, {}, PARSER)
    assert plan_polls(feeds, scope=Scope(), now=NOW, idle=idle) == plan_polls(
        feeds, scope=Scope(), now=NOW
    )


def test_what_rows_tell_is_what_the_states_say(tmp_path: Path) -> None:
    states = {
        "well": make_state("well", **READ, answered_url="https://well.example/"),
        "failing": make_state("failing", **READ, failures=1),
        "killed": make_state("killed", **READ | {"settled_at": None}),
        "new": make_state("new", succeeded_at=NOW),
    }
    with Store.open(tmp_path) as store:
        for state in states.values():
            store.keep(state)
        stored, looked_at = store.states(), store.states()

    assert looked_at == states
    for found in (stored, looked_at):
        for key, state in states.items():
            assert found.is_interrupted(key) == state.interrupted
            assert found.is_well(key) == state.is_well
            assert found.answered_url(key) == state.answered_url
        assert found.last_success(states) == NOW
        assert found.attempted_after(NOW - 2 * HOUR) == ["well", "failing", "killed"]
