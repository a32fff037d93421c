"""Which feeds are asked, or read again from disk, by what is stored of them."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from planet.model import DueReason, GivenUp, Picks
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
READ = {
    "profile": make_profile(),
    "processed_hash": "aa",
    "reader": f"{PARSER}.{REVISION}",
    "attempted_at": NOW - HOUR,
    "settled_at": NOW - HOUR,
    "answered_url": "https://one.example/feed",
    "due_at": NOW + HOUR,
    "due_reason": DueReason.ADAPTIVE,
}


@cases(
    "changes, feed, planned",
    case("it is not due", {}, {}, ""),
    case("it is given up", {"given_up": GivenUp.GONE, "due_at": None}, {}, ""),
    case("it is due", {"due_at": NOW}, {}, "asked"),
    case(
        "it was never asked",
        {"attempted_at": None, "settled_at": None, "due_at": None},
        {},
        "asked",
    ),
    case(
        "a run was killed that asked it",
        {"attempted_at": NOW - HOUR / 2, "settled_at": NOW - 2 * HOUR},
        {},
        "on disk",
    ),
    case("another parser read it", {"reader": "older"}, {}, "on disk"),
    case("only its episodes were kept", {"picks": Picks.ONLY}, {}, "on disk"),
    case("only its episodes are wanted now", {}, {"picks": Picks.ONLY}, "on disk"),
    case("it has another address now", {}, {"url": "https://new.example/feed"}, "asked"),
)
def test_what_is_to_be_done_about_a_feed(
    changes: dict[str, Any], feed: dict[str, Any], planned: str, tmp_path: Path
) -> None:
    one = make_feed("one", **feed)
    with Store.open(tmp_path) as store:
        store.keep(make_state("one", **READ | changes))

        known = ingest.reset_changed_readers([one], store.states(), store=store)

    plan = plan_polls(KnownFeeds([one], known, {}, PARSER), scope=Scope(), now=NOW)
    assert "asked" * len(plan.requests) + "on disk" * len(plan.on_disk) == planned
