"""What the operator is told to do about a feed, and when."""

from datetime import timedelta
from typing import Any

import pytest

from planet.model import Feed, FeedState, GivenUp, Health, IssueKind, Moved
from planet.schedule.health import advise, check_alarm
from tests.builders import NOW, make_feed, make_state
from tests.cases import case, cases

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
ADOPTED = Moved(to="https://new.example/feed?key=secret", since=NOW, adopted=True)


def failing(kind: str, **changes: Any) -> FeedState:
    """A feed that worked once and has failed three times in a row since."""
    worked = {"succeeded_at": NOW - DAY, "failures": 3, "failing_since": NOW}
    return make_state(**{**worked, "error_kind": kind, "error": "it fails", **changes})


def concern(state: FeedState | None, feed: Feed | None = None) -> IssueKind | None:
    found = advise(feed or make_feed(), state)
    return found.concern if found else None


ISSUES = {
    IssueKind.PASSWORD: ("http_401", "http_407"),
    IssueKind.FORBIDDEN: ("http_402", "http_403", "http_451"),
    IssueKind.NOT_FOUND: ("http_404",),
    IssueKind.REJECTED: ("http_414",),
    IssueKind.THROTTLED: ("http_429",),
    IssueKind.DOWN: ("http_408", "http_425", "http_500", "timeout", "unreachable", "broken_answer"),
    IssueKind.CHALLENGE: ("bot_challenge",),
    IssueKind.HOST_NAME: ("dns",),
    IssueKind.CERTIFICATE: ("tls",),
    IssueKind.REDIRECT: ("bad_redirect", "redirect_loop", "private_address"),
    IssueKind.FILE: ("no_file",),
    IssueKind.PAGE: ("not_a_feed",),
    IssueKind.TOO_LARGE: ("too_large",),
    IssueKind.UNREADABLE: ("bad_list", "empty", "unreadable", "too_greedy", "bad_coding"),
}


@pytest.mark.parametrize(
    ("kind", "expected"), [(kind, issue) for issue, kinds in ISSUES.items() for kind in kinds]
)
def test_what_to_do_follows_from_how_a_feed_fails(kind: str, expected: IssueKind) -> None:
    assert concern(failing(kind)) is expected


@cases(
    "state, expected",
    case("not at its second failure", failing("timeout", failures=2), None),
    case(
        "at its first when it never worked",
        failing("timeout", failures=1, succeeded_at=None),
        IssueKind.DOWN,
    ),
    case(
        "at once when there never was anything at its address",
        failing("http_404", failures=1, succeeded_at=None),
        IssueKind.NEVER_WORKED,
    ),
    case(
        "at once when it is gone",
        failing("http_410", failures=1, given_up=GivenUp.GONE),
        IssueKind.GONE,
    ),
    case(
        "not when its server has said only twice that we come too often",
        failing("http_429", failures=1, health=Health(throttled=2)),
        None,
    ),
    case(
        "when its server says again and again that we come too often",
        failing("http_429", failures=1, health=Health(throttled=3)),
        IssueKind.THROTTLED,
    ),
    case("not while it is well", make_state(succeeded_at=NOW), None),
)
def test_advice_on_a_feed_has_a_time(state: FeedState | None, expected: IssueKind | None) -> None:
    assert concern(state) is expected


@cases(
    "given_up, expected",
    case("gone", GivenUp.GONE, IssueKind.GONE),
    case("not found", GivenUp.NOT_FOUND, IssueKind.GIVEN_UP),
    case("forbidden", GivenUp.FORBIDDEN, IssueKind.GIVEN_UP),
    case("rejected", GivenUp.REJECTED, IssueKind.GIVEN_UP),
    case("ended", GivenUp.EXPIRED, IssueKind.ENDED),
)
def test_of_a_feed_that_was_given_up_is_told_how_to_have_it_asked_again(
    given_up: GivenUp, expected: IssueKind
) -> None:
    state = make_state(given_up=given_up, failures=9, failing_since=NOW - 14 * DAY)

    found = advise(make_feed(slug="the-one"), state)

    assert found is not None
    assert found.concern is expected
    assert "`planet retry the-one`" in found.words


@cases(
    "said, expected",
    case("has moved for good", {"moved": ADOPTED}, IssueKind.MOVED),
    case("may be moving", {"moved": Moved(to="https://new.example/", since=NOW)}, None),
    case("is the same again and again", {"identical": 3}, IssueKind.VALIDATORS),
    case(
        "has an ETag that never matches",
        {"settled_at": NOW, "etag_broken_until": NOW + DAY},
        IssueKind.VALIDATORS,
    ),
)
def test_advice_on_a_feed_that_is_well_is_given_for_what_can_wait(
    said: dict[str, Any], expected: IssueKind | None
) -> None:
    assert concern(make_state(succeeded_at=NOW, **said)) is expected


def test_advice_names_the_day_and_keeps_secrets() -> None:
    found = [
        advise(make_feed(), state) for state in (failing("http_404"), make_state(moved=ADOPTED))
    ]

    assert [each.words for each in found if each] == [
        "There has been nothing at its address since 2026-11-20: see what address its site has "
        "for it now.",
        "It has moved to https://new.example/feed?key=… for good: put that address into the config "
        "(`planet status --fix` does that).",
    ]


@cases(
    "feed",
    case("is switched off", make_feed(enabled=False)),
    case("is archived", make_feed(is_archived=True)),
    case("has another address now", make_feed(url="https://elsewhere.example/feed")),
)
def test_there_is_nothing_to_do_about_a_feed_that_is_off_or_moved_by_hand(feed: Feed) -> None:
    assert advise(feed, failing("tls")) is None


# The planet as a whole


def asked(at: timedelta, wait: timedelta, **changes: Any) -> FeedState:
    """A feed that was last asked, and answered, so long ago, and is asked again after a wait."""
    moment = NOW - at
    return make_state(
        **{"settled_at": moment, "succeeded_at": moment, "due_at": moment + wait, **changes}
    )


def down(since: timedelta) -> FeedState:
    """A feed that answered so long ago, and fails since then."""
    return asked(HOUR, HOUR, succeeded_at=NOW - since, failures=2, failing_since=NOW - since)


SINCE = "no feed at all has come since 2026-11-20 09:00 UTC"


@cases(
    "states, expected",
    case("one of two came", [asked(HOUR, HOUR), down(DAY)], None),
    case("one is long overdue", [asked(3 * HOUR, HOUR)], SINCE),
    case("one is asked in every run", [asked(3 * HOUR, timedelta(0))], SINCE),
    case("one is asked daily", [asked(20 * HOUR, DAY), down(DAY)], None),
    case("all fail", [down(3 * HOUR), down(DAY)], SINCE),
    case(
        "none ever came",
        [asked(HOUR, HOUR, succeeded_at=None, failures=3, failing_since=NOW - 3 * HOUR)],
        SINCE,
    ),
    case("all were given up", [asked(DAY, HOUR, given_up=GivenUp.GONE)], None),
)
def test_an_alarm_tells_that_nothing_comes(states: list[FeedState], expected: str | None) -> None:
    feeds = [make_feed(str(number)) for number in range(len(states))]
    known = {str(number): state for number, state in enumerate(states)}

    assert check_alarm(feeds, known, now=NOW) == expected


def test_files_say_nothing_about_the_web() -> None:
    feeds = [make_feed(url="file:///one.xml"), make_feed("two", enabled=False)]

    assert check_alarm(feeds, {"one": down(DAY), "two": down(DAY)}, now=NOW) is None
