"""What is said of a feed that shows nothing new."""

from datetime import timedelta
from typing import Any

from planet.explain.sentences import explain_feed
from planet.model import DueReason, GivenUp, HostState
from planet.store import Store
from tests.builders import NOW, make_draft
from tests.cases import case, cases
from tests.timeline.conftest import Planet

HOUR = timedelta(hours=1)
DUE = "It is due: the next `planet build` asks it."
LATER = "It is asked again at 2026-11-20 13:00 (least time between requests)"
SOON = {"due_at": NOW + HOUR, "due_reason": DueReason.FLOOR}
FAILED: dict[str, Any] = {"failures": 1, "error_kind": "http_503", "error": "the server said 503"}
GONE = {"given_up": GivenUp.GONE, "given_up_at": NOW}


@cases(
    "feed, known, words",
    case("ok", "", {}, ("read at 2026-11-20 12:00, and all was well. 1 entry is shown.", DUE)),
    case("ok, and not due", "", SOON, ("all was well", LATER)),
    case("disabled", "enabled: false", {}, ("by `enabled` (config.yaml:4:8).",)),
    case("archived", "enabled: archived", GONE, ("kept for good. 1 entry is shown.",)),
    case("never asked", "", None, ("This feed was never asked.", DUE)),
    case("never asked, as a file", "url: file:///feeds/one.xml", None, ("never", "every run")),
    case("interrupted", "", {"settled_at": NOW - HOUR}, ("at 2026-11-20 12:00 was cut", LATER)),
    case("never read", "", {"succeeded_at": None}, ("at 2026-11-20 12:00, and never read", DUE)),
    case(
        "failing",
        "",
        FAILED,
        ("failed 1 time since it was last read (2026-11-20 12:00): the server said 503.", DUE),
    ),
    case(
        "failing, from the first",
        "",
        {**FAILED, "failures": 2, "succeeded_at": None},
        ("failed 2 times since it was last read (never)", DUE, "less and less often"),
    ),
    case("given up", "", GONE, ("not asked any more: gone.", "`planet retry one`")),
)
def test_the_answer_says_how_a_feed_is_and_when_it_is_next(
    request: Any, planet: Planet, feed: str, known: dict[str, Any] | None, words: tuple[str, ...]
) -> None:
    url = "" if feed.startswith("url") else "url: https://one.example/feed"
    lines = "\n  ".join(filter(None, (url, feed)))
    planet.write(f"title: P\nfeeds:\n- id: one\n  {lines}\n")
    if known is not None:
        planet.lists("one", make_draft("a"), **known)
    else:
        planet.lists("other")

    with planet.outcomes() as outcomes:
        answer = explain_feed(outcomes.feeds["one"], outcomes, planet.terms())

    assert answer.reason == request.node.callspec.id.partition(",")[0]
    found = [part in said for part, said in zip(words, answer.words, strict=True)]
    assert found == [True for _ in words], answer.words


def test_a_server_that_rests_is_told_before_anything_else(planet: Planet) -> None:
    planet.configure({"id": "one"})
    planet.lists("one", make_draft("a"))
    with Store.open(planet.state) as store:
        store.hosts.put(HostState(host="one.example:443", rests_until=NOW + HOUR))
    with planet.outcomes() as outcomes:
        answer = explain_feed(outcomes.feeds["one"], outcomes, planet.terms())

    assert answer.words[1] == "Its server is to be left alone until 2026-11-20 13:00."
