"""What an attempt changes of the state of a feed, and the operator by his word."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from planet.errors import FeedError
from planet.model import (
    Conditions,
    DueReason,
    Failure,
    Feed,
    FeedState,
    Fetched,
    GivenUp,
    Health,
    Moved,
    ParseResult,
    Resolved,
)
from planet.schedule import match_renamed_feeds, next_poll, revive, select_due, undo_attempt
from tests.builders import NOW, make_draft, make_feed, make_profile, make_reading, make_state
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
    NOT_A_FEED,
    TICK,
    attempt,
    is_waiting,
    make_failed,
    make_known,
    make_new,
    make_read_state,
    make_same,
    waiting,
)

OLD = "https://one.example/feed"
NEW = "https://new.example/feed"


def failure(kind: str, words: str) -> dict[str, Any]:
    """What is known of a feed after its first failure."""
    counts = {"failures": 1, "failing_since": NOW, "strikes": 1, "struck_since": NOW}
    last = Failure(at=NOW, error=kind, message=words)
    return {**counts, "error_kind": kind, "error": words, "last_failure": last}


# What an attempt changes of what is known, seen as a whole


@cases(
    "fetched, result, changes",
    case(
        "not modified, after a redirect",
        make_same(url=NEW),
        None,
        {"status": 304, "succeeded_at": NOW, "answered_url": NEW},
    ),
    case(
        "the same bytes again",
        make_same(body_hash="aa", same_etag=True),
        None,
        {"status": 200, "succeeded_at": NOW, "whole_at": NOW, "identical": 1},
    ),
    case(
        "a new entry",
        make_new(),
        make_reading(make_draft(), posted=(NOW - MINUTE,)),
        {
            "succeeded_at": NOW,
            "whole_at": NOW,
            "processed_hash": "bb",
            "changed_at": NOW,
            "posts": (NOW - MINUTE,),
        },
    ),
    case(
        "a body that cannot be read, of which the old profile stays",
        make_new(validators=frozenset()),
        NOT_A_FEED,
        {
            "whole_at": NOW,
            "validators": frozenset(),
            "processed_hash": "bb",
            "unreadable": "this is a web page",
            "unreadable_kind": "not_a_feed",
            **failure("not_a_feed", "this is a web page"),
            **waiting(DAY, DueReason.BACKOFF),
        },
    ),
    case(
        "an error, after a redirect",
        make_failed("http_404", url=NEW, validators=frozenset()),
        None,
        {
            "status": 404,
            **failure("http_404", "it is http_404"),
            **waiting(HOUR, DueReason.BACKOFF),
        },
    ),
)
def test_an_answer_changes_what_is_known_and_nothing_else(
    fetched: Fetched, result: ParseResult | FeedError | None, changes: dict[str, Any]
) -> None:
    before = make_read_state()

    after = attempt(before, fetched, result)

    times: dict[str, Any] = {"attempted_at": NOW, **waiting(HOUR, DueReason.FLOOR)}
    assert replace(after, allowed_at=None, health=Health()) == replace(
        before, **{**times, **changes}
    )


def test_what_an_older_parser_read_is_read_again_and_asked_for_no_sooner() -> None:
    before = make_read_state(reader="0", due_at=NOW + MINUTE)
    profile = make_profile(title="Better")
    recalled = make_new(status=None, conditional=False, asked=False, body_hash="aa")

    after = attempt(before, recalled, make_reading(profile=profile))

    # It was the disk that answered, not the server.
    assert after == replace(before, reader="1", profile=profile)


def test_what_another_parser_cannot_read_fails_with_the_next_request_alone() -> None:
    before = make_read_state(reader="0", due_at=NOW + MINUTE)
    recalled = make_new(status=None, conditional=False, asked=False, body_hash="aa")

    after = attempt(before, recalled, FeedError("unreadable", "it is no feed"))

    assert (after.failures, after.due_at, after.unreadable) == (0, before.due_at, "it is no feed")
    assert attempt(after, make_same()).failures == 1


# Which validators a request names, and what is learned of them


def again(**changes: Any) -> Fetched:
    """A 200 with the body that is known already, and with the ETag that was named."""
    return make_same(**{"body_hash": "aa", "same_etag": True, **changes})


@cases(
    "fetched, identical",
    case("no ETag", again(same_etag=False, validators=frozenset({"last-modified"})), 2),
    case("another ETag", again(same_etag=False), 0),
    case("what was asked for without validators", again(conditional=False), 0),
    case("an error", make_failed("http_500"), 1),
)
def test_bodies_that_came_in_vain_are_counted(fetched: Fetched, identical: int) -> None:
    assert attempt(make_read_state(identical=1), fetched).identical == identical


MONTH = 28 * DAY


@cases(
    "known, conditions",
    case("not while it fails", {"whole_at": NOW - MONTH, "failures": 1}, Conditions.ALL),
    case(
        "not before four weeks have passed since the last time",
        {"whole_at": NOW - 60 * DAY, "audited_at": NOW - MONTH + TICK},
        Conditions.ALL,
    ),
    case(
        "after four weeks of a busy feed",
        {"whole_at": NOW - MONTH, "posts": (NOW - HOUR, NOW)},
        Conditions.NONE,
    ),
)
def test_a_feed_is_asked_without_validators(known: dict[str, Any], conditions: Conditions) -> None:
    known_feeds = make_known([make_feed()], {"one": make_read_state(**known)})

    assert [turn.conditions for turn in select_due(known_feeds, now=NOW)] == [conditions]


# What a failure costs; the scenarios of conformance have the rest


def fail(kind: str, *, asked: int, over: timedelta = 0 * DAY) -> list[FeedState]:
    """A feed that has failed so often, at even distances over so long a time, the last time now."""
    states = [make_read_state()]
    for number in range(asked):
        when = NOW - over + over * number / max(asked - 1, 1)
        states.append(attempt(states[-1], make_failed(kind, when=when)))
    return states[1:]


REFUSED = [4, 8, 16, 32, 64, 128, 168, 168]
REJECTED = [24, 48, 96, 168, 168, 168, 168, 168]


@cases(
    "kinds, reason, waits",
    case("passes", ("http_204", "truncated", "unheard_of"), "backoff", [1, 2, 4, 8, 16, 24, 24]),
    case("is a refusal", ("http_402", "http_407", "bot_challenge"), "forbidden", REFUSED),
    case("is our request", ("http_400", "http_499", "too_large"), "rejected", REJECTED),
)
def test_waits_double_after_a_trouble_that(
    kinds: tuple[str, ...], reason: str, waits: list[float]
) -> None:
    for kind in kinds:
        states = fail(kind, asked=len(waits))

        found = zip(states, waits, strict=True)
        assert all(is_waiting(state, wait * HOUR, reason) for state, wait in found)


@cases(
    "kind, asked, over, given_up",
    case("eight 404s in a fortnight", "http_404", 8, 14 * DAY, GivenUp.NOT_FOUND),
    case("404s within a fortnight", "http_404", 99, 14 * DAY - TICK, None),
    case("four 403s", "http_403", 4, 40 * DAY, None),
    case("a name that is not found", "dns", 99, 400 * DAY, None),
    case("answers that are too large", "too_large", 99, 400 * DAY, None),
    case("servers that rest", "host_cooldown", 99, 400 * DAY, None),
)
def test_a_feed_is_given_up_after_so_many_failures_in_so_long(
    kind: str, asked: int, over: timedelta, given_up: GivenUp | None
) -> None:
    state = fail(kind, asked=asked, over=over)[-1]

    assert state.given_up == given_up
    assert state.given_up_at == (NOW if given_up else None)
    assert (state.due_at is None) == (given_up is not None)


@cases(
    "kind, reason",
    case("redirect to a server that rests", "host_cooldown", "host_cooldown"),
    case("run that ended before its answer", "out_of_time", "floor"),
)
def test_no_feed_is_blamed_where_nobody_failed(kind: str, reason: str) -> None:
    known = failure("http_404", "it is gone")

    state = attempt(make_read_state(**known), make_failed(kind, status=200))

    assert is_waiting(state, HOUR, reason)
    assert {name: getattr(state, name) for name in known} == known
    assert (state.health.failed, state.status) == (0, 200)


def test_an_outage_changes_nothing_but_the_next_time() -> None:
    known = {"learned_floor": 3 * HOUR, "throttled_at": NOW - DAY}
    before = make_read_state(**known, **failure("http_404", "it is gone"))

    after = undo_attempt(before, make_feed(), make_failed("dns", started=NOW - MINUTE))

    assert is_waiting(after, 3 * HOUR, "outage")
    assert replace(after, due_at=None) == replace(
        before, attempted_at=NOW - MINUTE, settled_at=NOW, due_at=None, due_reason=after.due_reason
    )


# Where permanent redirects lead


def moved(**changes: Any) -> Moved:
    """A move to the new address that was noticed yesterday, and is not adopted."""
    return replace(Moved(to=NEW, since=NOW - DAY), **changes)


@cases(
    "before, to, expected",
    case("counted when the same", moved(), "HTTPS://NEW.example:443/feed#x", moved(times=2)),
    case("forgotten when not told any more", moved(times=2), None, None),
    case("none that gives up TLS", moved(times=2), "http://new.example/feed", None),
)
def test_moves_are_counted(before: Moved | None, to: str | None, expected: Moved | None) -> None:
    after = attempt(make_read_state(moved=before), make_same(permanent_url=to))

    assert after.moved == expected


@cases(
    "url, to, adopted",
    case("the same", "http://one.example/feed", OLD, True),
    case("and query", "http://one.example:80/feed?a=1", f"{OLD}?a=1", True),
    case("another path", "http://one.example/feed", "https://one.example/", False),
    case("trick", "http://one.example/http:/", "https://one.example/https:/", False),
)
def test_an_address_over_tls_is_adopted_at_once_when_it_is_otherwise_the_same(
    url: str, to: str, adopted: bool
) -> None:
    state = make_read_state(url=url)

    after = attempt(state, make_same(permanent_url=to), feed=make_feed(url=url))

    assert after.moved == Moved(to=to, since=NOW, adopted=adopted)


@cases(
    "feeds, states, expected",
    case("a noticed move", [NEW], {"old": moved()}, {"old": NEW}),
    case("an address written otherwise", [NEW], {"old": moved(to=f"{NEW}#x")}, {"old": NEW}),
    case("no move", [NEW], {"old": None}, {}),
    case("a feed that is still there", [NEW, OLD], {OLD: moved()}, {}),
    case("one of two", [NEW], {"old": moved(), "older": moved()}, {"older": NEW}),
)
def test_a_feed_takes_its_past_to_its_new_address_after_a_move(
    feeds: list[str], states: dict[str, Moved | None], expected: dict[str, str]
) -> None:
    known = {key: make_state(key, moved=move) for key, move in states.items()}

    found = match_renamed_feeds([make_feed(url, url=url) for url in feeds], known)

    assert {key: feed.url for key, feed in found.items()} == expected


# By the operator's word


def test_a_feed_that_is_taken_up_again_is_due_at_once_as_if_it_had_not_failed() -> None:
    well = make_read_state(due_at=None, due_reason=None, identical=3, learned_floor=DAY)
    trouble = replace(well, **failure("http_404", "it is gone"))
    before = replace(
        trouble, given_up=GivenUp.NOT_FOUND, given_up_at=NOW, due_reason=DueReason.GIVEN_UP
    )

    state = revive(before)

    assert state == replace(well, last_failure=before.last_failure)
    assert next_poll(make_feed(), state, {}) == (None, None)
    assert attempt(state, make_failed("http_404")).given_up is None


@pytest.mark.parametrize(
    "fetched", [make_same(), make_failed("http_500"), make_failed("retry_later")]
)
def test_a_feed_is_asked_in_the_public_internet_alone_once_it_was_there(fetched: Fetched) -> None:
    state = attempt(make_read_state(), replace(fetched, is_public=True))
    later = attempt(state, make_failed("private_address"))
    turns = select_due(make_known([make_feed()], {"one": later}), now=NOW + 9 * DAY)

    assert [turn.was_public for turn in turns] == [True]


LEARNED = {
    "moved": make_read_state(was_public=True, moved=moved(adopted=True)),
    "named": make_read_state(was_public=True, resolved=Resolved(url=NEW), resolved_at=NOW),
}


@pytest.mark.parametrize("state", LEARNED.values(), ids=LEARNED)
def test_an_address_that_was_learned_stays_public_whatever_the_operator_says(
    state: FeedState,
) -> None:
    (turn,) = select_due(make_known([make_feed()], {"one": revive(state)}), now=NOW + DAY)

    assert turn.was_public


@cases(
    "feed, before",
    case("says that it may be asked again", make_feed(), revive(make_read_state(was_public=True))),
    case("gives it another address", make_feed(url=NEW), make_read_state(was_public=True)),
)
def test_a_feed_may_be_in_a_private_network_when_the_operator(
    feed: Feed, before: FeedState
) -> None:
    (turn,) = select_due(make_known([feed], {"one": before}), now=NOW + DAY)

    assert not turn.was_public
