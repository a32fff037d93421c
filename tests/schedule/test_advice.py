"""What the operator is told to do about a feed, and when."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from planet.model import Concern, GivenUp, Health, Lifetime, Moved
from planet.model.memory import DueReason
from planet.schedule.advice import advice, alarm
from tests.builders import NOW, make_feed, make_memory

if TYPE_CHECKING:
    from planet.model import Feed, Memory

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
ADOPTED = Moved(to="https://new.example/feed?key=secret", since=NOW, adopted=True)


def failing(kind: str, **said: Any) -> Memory:
    """A feed that worked once and has failed three times in a row since."""
    worked = {"succeeded_at": NOW - DAY, "failures": 3, "failing_since": NOW}
    return make_memory(**{**worked, "error_kind": kind, "error": "it fails", **said})


def concern(memory: Memory | None, feed: Feed | None = None) -> Concern | None:
    found = advice(feed or make_feed(), memory)
    return found.concern if found else None


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("http_401", Concern.PASSWORD),
        ("http_402", Concern.FORBIDDEN),
        ("http_403", Concern.FORBIDDEN),
        ("http_404", Concern.NOT_FOUND),
        ("http_407", Concern.PASSWORD),
        ("http_408", Concern.DOWN),
        ("http_414", Concern.REJECTED),
        ("http_425", Concern.DOWN),
        ("http_429", Concern.THROTTLED),
        ("http_451", Concern.FORBIDDEN),
        ("http_500", Concern.DOWN),
        ("bot_challenge", Concern.CHALLENGE),
        ("unexpected_304", Concern.DOWN),
        ("timeout", Concern.DOWN),
        ("connect_timeout", Concern.DOWN),
        ("refused", Concern.DOWN),
        ("unreachable", Concern.DOWN),
        ("truncated", Concern.DOWN),
        ("broken_answer", Concern.DOWN),
        ("dns", Concern.HOST_NAME),
        ("tls", Concern.CERTIFICATE),
        ("bad_redirect", Concern.REDIRECT),
        ("redirect_loop", Concern.REDIRECT),
        ("private_address", Concern.REDIRECT),
        ("no_file", Concern.FILE),
        ("not_a_feed", Concern.PAGE),
        ("bad_list", Concern.UNREADABLE),
        ("too_large", Concern.TOO_LARGE),
        ("empty", Concern.UNREADABLE),
        ("unreadable", Concern.UNREADABLE),
        ("too_slow", Concern.UNREADABLE),
        ("too_greedy", Concern.UNREADABLE),
        ("bad_coding", Concern.UNREADABLE),
    ],
)
def test_what_to_do_follows_from_how_a_feed_fails(kind: str, expected: Concern) -> None:
    assert concern(failing(kind)) is expected


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        pytest.param(failing("timeout", failures=2), None, id="not at its second failure"),
        pytest.param(failing("timeout"), Concern.DOWN, id="at its third failure"),
        pytest.param(
            failing("timeout", failures=1, succeeded_at=None),
            Concern.DOWN,
            id="at its first when it never worked",
        ),
        pytest.param(
            failing("http_404", failures=1, succeeded_at=None),
            Concern.NEVER_WORKED,
            id="at once when there never was anything at its address",
        ),
        pytest.param(
            failing("http_410", failures=1, given_up=GivenUp.GONE),
            Concern.GONE,
            id="at once when it is gone",
        ),
        pytest.param(
            failing("http_429", failures=1, health=Health(throttled=2)),
            None,
            id="not when its server has said only twice that we come too often",
        ),
        pytest.param(
            failing("http_429", failures=1, health=Health(throttled=3)),
            Concern.THROTTLED,
            id="when its server says again and again that we come too often",
        ),
        pytest.param(make_memory(succeeded_at=NOW), None, id="not while it is well"),
        pytest.param(None, None, id="not when it was never asked"),
    ],
)
def test_advice_on_a_feed_is_given(memory: Memory | None, expected: Concern | None) -> None:
    assert concern(memory) is expected


@pytest.mark.parametrize(
    ("given_up", "expected"),
    [
        pytest.param(GivenUp.GONE, Concern.GONE, id="gone"),
        pytest.param(GivenUp.NOT_FOUND, Concern.GIVEN_UP, id="not found"),
        pytest.param(GivenUp.FORBIDDEN, Concern.GIVEN_UP, id="forbidden"),
        pytest.param(GivenUp.REJECTED, Concern.GIVEN_UP, id="rejected"),
        pytest.param(GivenUp.EXPIRED, Concern.ENDED, id="ended"),
    ],
)
def test_of_a_feed_that_was_given_up_is_told_how_to_have_it_asked_again(
    given_up: GivenUp, expected: Concern
) -> None:
    memory = make_memory(given_up=given_up, failures=9, failing_since=NOW - 14 * DAY)

    found = advice(make_feed(slug="the-one"), memory)

    assert found is not None
    assert found.concern is expected
    assert "`planet retry the-one`" in found.words


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param({"moved": ADOPTED}, Concern.MOVED, id="has moved for good"),
        pytest.param(
            {"moved": Moved(to="https://new.example/", since=NOW)}, None, id="may be moving"
        ),
        pytest.param(
            {"lifetime": Lifetime(length=DAY, said_by=DueReason.MAX_AGE, implausible=True)},
            Concern.LIFETIME,
            id="is said to be good for a year",
        ),
        pytest.param({"identical": 2}, None, id="was twice the same"),
        pytest.param({"identical": 3}, Concern.VALIDATORS, id="is the same again and again"),
        pytest.param(
            {"settled_at": NOW, "etag_broken_until": NOW + DAY},
            Concern.VALIDATORS,
            id="has an ETag that never matches",
        ),
        pytest.param(
            {"settled_at": NOW, "etag_broken_until": NOW},
            None,
            id="had one until now",
        ),
    ],
)
def test_advice_on_a_feed_that_is_well_but(said: dict[str, Any], expected: Concern | None) -> None:
    assert concern(make_memory(succeeded_at=NOW, **said)) is expected


def test_trouble_goes_before_what_can_wait() -> None:
    assert concern(failing("tls", moved=ADOPTED, identical=3)) is Concern.CERTIFICATE


def test_advice_names_the_day_and_keeps_secrets() -> None:
    found = [
        advice(make_feed(), memory) for memory in (failing("http_404"), make_memory(moved=ADOPTED))
    ]

    assert [each.words for each in found if each] == [
        "There has been nothing at its address since 2026-11-20: see what address its site has "
        "for it now.",
        "It has moved to https://new.example/feed?key=… for good: put that address into the config "
        "(`planet check --fix` does it).",
    ]


@pytest.mark.parametrize(
    "feed",
    [
        pytest.param(make_feed(enabled=False), id="is switched off"),
        pytest.param(make_feed(url="https://elsewhere.example/feed"), id="has another address now"),
    ],
)
def test_there_is_nothing_to_do_about_a_feed_that(feed: Feed) -> None:
    assert advice(feed, failing("tls")) is None


def test_there_is_nothing_to_do_when_the_new_address_is_in_the_config() -> None:
    feed = make_feed(url=ADOPTED.to)

    assert advice(feed, make_memory(moved=ADOPTED, succeeded_at=NOW)) is None


# The planet as a whole


def asked(at: timedelta, wait: timedelta, **said: Any) -> Memory:
    """A feed that was last asked, and answered, so long ago, and is asked again after a wait."""
    moment = NOW - at
    return make_memory(
        **{"settled_at": moment, "succeeded_at": moment, "due_at": moment + wait, **said}
    )


def down(since: timedelta) -> Memory:
    """A feed that answered so long ago, and fails since then."""
    return asked(HOUR, HOUR, succeeded_at=NOW - since, failures=2, failing_since=NOW - since)


SINCE = "no feed at all has come since 2026-11-20 09:00 UTC"


@pytest.mark.parametrize(
    ("memories", "expected"),
    [
        pytest.param([], None, id="none was asked"),
        pytest.param([asked(HOUR, HOUR)], None, id="one came"),
        pytest.param([asked(HOUR, HOUR), down(DAY)], None, id="one of two came"),
        pytest.param([asked(3 * HOUR, HOUR)], SINCE, id="one is long overdue"),
        pytest.param([asked(3 * HOUR, 2 * HOUR)], None, id="one is overdue, but not for long"),
        pytest.param([asked(3 * HOUR, timedelta(0))], SINCE, id="one is asked in every run"),
        pytest.param([asked(HOUR, timedelta(0))], None, id="one has just been asked"),
        pytest.param([asked(20 * HOUR, DAY), down(DAY)], None, id="one is asked daily"),
        pytest.param([down(3 * HOUR), down(DAY)], SINCE, id="all fail"),
        pytest.param([down(HOUR)], None, id="all fail, but not for long"),
        pytest.param(
            [asked(HOUR, HOUR, succeeded_at=None, failures=3, failing_since=NOW - 3 * HOUR)],
            SINCE,
            id="none ever came",
        ),
        pytest.param([asked(DAY, HOUR, given_up=GivenUp.GONE)], None, id="all were given up"),
    ],
)
def test_it_is_time_for_an_alarm_when(memories: list[Memory], expected: str | None) -> None:
    feeds = [make_feed(str(number)) for number in range(len(memories))]
    known = {str(number): memory for number, memory in enumerate(memories)}

    assert alarm(feeds, known, now=NOW) == expected


def test_files_say_nothing_about_the_web() -> None:
    feeds = [make_feed(url="file:///one.xml"), make_feed("two", enabled=False)]

    assert alarm(feeds, {"one": down(DAY), "two": down(DAY)}, now=NOW) is None
