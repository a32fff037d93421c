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
WELL = "This feed was last read at 2026-11-20 12:00, and all was well. 1 entry is shown."
DUE = "It is due: the next `planet build` asks it."
FAILED: dict[str, Any] = {"failures": 1, "error_kind": "http_503", "error": "the server said 503"}


@cases(
    "feed, known, reason, words",
    case("well, and due", {}, {}, "ok", (WELL, DUE)),
    case(
        "well, and not due",
        {},
        {"due_at": NOW + HOUR, "due_reason": DueReason.FLOOR},
        "ok",
        (
            WELL,
            "It is asked again at 2026-11-20 13:00 (least time between requests); what it has "
            "listed since comes then.",
        ),
    ),
    case(
        "disabled",
        {"enabled": False},
        {},
        "disabled",
        ("This feed is switched off in the config, by `enabled` (config.yaml:4:8).",),
    ),
    case(
        "archived",
        {"enabled": "archived"},
        {"given_up": GivenUp.GONE, "given_up_at": NOW},
        "archived",
        (
            "This feed is archived: it is not asked any more, and what it said is kept for good. "
            "1 entry is shown.",
        ),
    ),
    case("never asked", {}, None, "never asked", ("This feed was never asked.", DUE)),
    case(
        "a file",
        {"url": "file:///feeds/one.xml"},
        None,
        "never asked",
        ("This feed was never asked.", "It is a file, which every run reads."),
    ),
    case(
        "interrupted",
        {},
        {"settled_at": NOW - HOUR},
        "interrupted",
        (
            "A run that asked this feed at 2026-11-20 12:00 was cut short. 1 entry is shown.",
            "It is asked again at 2026-11-20 13:00 (least time between requests); what it has "
            "listed since comes then.",
        ),
    ),
    case(
        "given up before it was ever read, and to be asked again",
        {},
        {"succeeded_at": None},
        "never read",
        ("This feed was last asked at 2026-11-20 12:00, and never read. 1 entry is shown.", DUE),
    ),
    case(
        "failing",
        {},
        FAILED,
        "failing",
        (
            "This feed has failed 1 time since it was last read (2026-11-20 12:00): the server "
            "said 503. 1 entry is shown.",
            DUE,
        ),
    ),
    case(
        "failing from the first",
        {},
        {**FAILED, "failures": 2, "succeeded_at": None},
        "failing",
        (
            "This feed has failed 2 times since it was last read (never): the server said 503. 1 "
            "entry is shown.",
            DUE,
            "It is asked less and less often, and there is nothing to do but wait. If it "
            "stays so, see whether its site is still there.",
        ),
    ),
    case(
        "given up",
        {},
        {"given_up": GivenUp.GONE, "given_up_at": NOW},
        "given up",
        (
            "This feed is not asked any more: gone. 1 entry is shown.",
            "Its publisher took it away, so it is not asked any more: remove it from the "
            "config, or say `enabled: archived`, which keeps what it said for good. If it is back, "
            "`planet retry one` has it asked again.",
        ),
    ),
)
def test_the_answer_says_how_a_feed_is_and_when_it_is_next(
    planet: Planet,
    feed: dict[str, Any],
    known: dict[str, Any] | None,
    reason: str,
    words: tuple[str, ...],
) -> None:
    url = feed.pop("url", "https://one.example/feed")
    off = f"  enabled: {feed['enabled']}\n".lower() if feed else ""
    planet.write(f"title: P\nfeeds:\n- id: one\n  url: {url}\n{off}")
    if known is not None:
        planet.lists("one", make_draft("a"), **known)
    else:
        planet.lists("other")
    with planet.outcomes() as outcomes:
        answer = explain_feed(outcomes.feeds["one"], outcomes, planet.terms())

    assert (answer.reason, answer.words) == (reason, words)


def test_a_server_that_rests_is_told_before_anything_else(planet: Planet) -> None:
    planet.configure({"id": "one"})
    planet.lists("one", make_draft("a"))
    with Store.open(planet.state) as store:
        store.hosts.put(HostState(host="one.example:443", rests_until=NOW + HOUR))
    with planet.outcomes() as outcomes:
        answer = explain_feed(outcomes.feeds["one"], outcomes, planet.terms())

    assert answer.words == (WELL, "Its server is to be left alone until 2026-11-20 13:00.")
