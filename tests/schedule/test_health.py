"""What is counted of a feed, and what readers are told of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from planet.model import Day, FeedState, Fetched, GivenUp, Health, Hints, Moved, ParseResult
from planet.schedule import TROUBLE, remember, shows, trouble
from tests.builders import NOW, make_draft, make_feed, make_memory, make_profile, make_reading
from tests.schedule.known import (
    DAY,
    HOUR,
    NOT_A_FEED,
    SECOND,
    make_failed,
    make_new,
    make_read_memory,
    make_same,
)

if TYPE_CHECKING:
    from datetime import timedelta

    from planet.errors import FeedError

TODAY = 20777
"""The day of `NOW`, from 1970-01-01."""


def after(fetched: Fetched, result: ParseResult | FeedError | None = None, **health: Any) -> Health:
    before = make_read_memory(health=Health(**health))
    return remember(before, make_feed(), fetched, result, reader="1").health


# What is counted


@pytest.mark.parametrize(
    ("fetched", "result", "counts"),
    [
        pytest.param(make_same(), None, {"unchanged": 1}, id="not modified"),
        pytest.param(make_same(body_hash="aa"), None, {"whole": 1}, id="the same body again"),
        pytest.param(make_new(), make_reading(make_draft()), {"whole": 1}, id="news"),
        pytest.param(make_new(), make_reading(), {"whole": 1, "noise": 1}, id="noise"),
        pytest.param(make_new(), NOT_A_FEED, {"whole": 1, "failed": 1}, id="a web page"),
        pytest.param(
            make_new(conditional=False),
            make_reading(make_draft()),
            {"whole": 1, "unconditional": 1},
            id="what was asked for without validators",
        ),
        pytest.param(make_failed("http_500"), None, {"failed": 1}, id="an error"),
        pytest.param(make_failed("http_429"), None, {"failed": 1, "throttled": 1}, id="a 429"),
        pytest.param(
            make_failed("truncated", status=200), None, {"failed": 1}, id="a body cut short"
        ),
        pytest.param(
            make_failed("unexpected_304", status=304, conditional=False),
            None,
            {"failed": 1, "unconditional": 1},
            id="an answer to no question",
        ),
        pytest.param(
            make_failed("refused", conditional=False), None, {"failed": 1}, id="no answer"
        ),
        pytest.param(
            make_failed("host_cooldown", conditional=False, status=301), None, {}, id="a redirect"
        ),
    ],
)
def test_an_attempt_is_counted_that_brings(
    fetched: Fetched, result: ParseResult | FeedError | None, counts: dict[str, Any]
) -> None:
    health = after(fetched, result)

    assert replace(health, days=()) == Health(**counts)
    assert health.days == (Day(number=TODAY, asked=1, failed=counts.get("failed", 0)),)


def test_what_was_counted_before_is_added_to() -> None:
    before = Health(whole=5, unchanged=5, failed=5, unconditional=5, noise=5, throttled=5)
    memory = make_read_memory(health=before)

    after = remember(
        memory, make_feed(), make_new(conditional=False), make_reading(), reader="1"
    ).health

    assert replace(after, days=()) == replace(before, whole=6, unconditional=6, noise=6)


def test_a_web_page_that_is_not_modified_is_a_failure_too() -> None:
    before = make_read_memory(unreadable=str(NOT_A_FEED), unreadable_kind=NOT_A_FEED.kind)

    memory = remember(before, make_feed(), make_same(), None, reader="1")

    assert replace(memory.health, days=()) == Health(unchanged=1, failed=1)


@pytest.mark.parametrize(
    ("fetched", "url"),
    [
        pytest.param(make_new(status=None), "file:///feed.xml", id="a file"),
        pytest.param(
            make_new(status=None, asked=False), "https://one.example/feed", id="a body from disk"
        ),
    ],
)
def test_nothing_is_counted_of(fetched: Fetched, url: str) -> None:
    before = make_read_memory(url=url, health=Health(whole=1))

    memory = remember(before, make_feed(url=url), fetched, make_reading(), reader="1")

    assert memory.health == Health(whole=1)


@pytest.mark.parametrize(
    ("fetched", "before", "average"),
    [
        pytest.param(make_same(response_time=2 * SECOND), None, 2, id="the first"),
        pytest.param(make_same(response_time=2 * SECOND), 4, 3.5, id="a quarter of the new one"),
        pytest.param(make_same(response_time=None), 4, 4, id="the same without a new one"),
        pytest.param(
            make_failed("http_500", response_time=2 * SECOND), 4, 4, id="the same after an error"
        ),
        pytest.param(make_same(), None, None, id="none at all"),
    ],
)
def test_the_average_response_time_is(
    fetched: Fetched, before: float | None, average: float | None
) -> None:
    def seconds(number: float | None) -> timedelta | None:
        return None if number is None else number * SECOND

    assert after(fetched, response_time=seconds(before)).response_time == seconds(average)


@pytest.mark.parametrize(
    ("before", "fetched", "days"),
    [
        pytest.param(
            (Day(number=TODAY, asked=2, failed=1, received=10),),
            make_same(bytes_received=5),
            (Day(number=TODAY, asked=3, failed=1, received=15),),
            id="added to",
        ),
        pytest.param(
            (Day(number=TODAY, asked=2, failed=1, received=10),),
            make_failed("timeout", bytes_received=5),
            (Day(number=TODAY, asked=3, failed=2, received=15),),
            id="added to, failures too",
        ),
        pytest.param(
            (Day(number=TODAY - 1, asked=2),),
            make_same(),
            (Day(number=TODAY - 1, asked=2), Day(number=TODAY, asked=1)),
            id="begun after others",
        ),
        pytest.param(
            (Day(number=TODAY - 30, asked=2), Day(number=TODAY - 29, asked=3)),
            make_same(),
            (Day(number=TODAY - 29, asked=3), Day(number=TODAY, asked=1)),
            id="forgotten after thirty",
        ),
        pytest.param(
            (Day(number=TODAY - 2, asked=2), Day(number=TODAY + 1, asked=3)),
            make_same(),
            (Day(number=TODAY - 2, asked=2), Day(number=TODAY, asked=1)),
            id="forgotten that a clock which ran ahead made",
        ),
        pytest.param(
            (),
            make_same(when=NOW + 12 * HOUR),
            (Day(number=TODAY + 1, asked=1),),
            id="begun at midnight UTC",
        ),
    ],
)
def test_days_are(before: tuple[Day, ...], fetched: Fetched, days: tuple[Day, ...]) -> None:
    assert after(fetched, days=before).days == days


def test_an_attempt_that_ends_on_another_day_counts_for_that_day() -> None:
    fetched = make_same(started=NOW, ended=NOW + DAY)

    assert after(fetched).days == (Day(number=TODAY + 1, asked=1),)


# What readers are told


@pytest.mark.parametrize(
    ("memory", "words"),
    [
        pytest.param(None, None, id="nothing is known"),
        pytest.param(make_memory(), None, id="it is well"),
        pytest.param(make_memory(failures=TROUBLE - 1, error="404"), None, id="it hiccups"),
        pytest.param(make_memory(failures=TROUBLE, error="404"), "404", id="it fails"),
        pytest.param(
            make_memory(failures=1, error="410", given_up=GivenUp.GONE), "410", id="it is gone"
        ),
        pytest.param(make_memory(given_up=GivenUp.EXPIRED), None, id="it came to its end"),
    ],
)
def test_readers_are_told_what_is_wrong_when(memory: FeedState | None, words: str | None) -> None:
    assert trouble(memory) == words


FAILING = make_read_memory(failures=3, failing_since=NOW, error="404", error_kind="http_404")


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        pytest.param(None, make_read_memory(), True, id="its first profile"),
        pytest.param(None, make_memory(failures=1, error="404"), False, id="its first failure"),
        pytest.param(
            make_memory(failures=2, failing_since=NOW, error="404"),
            make_memory(failures=3, failing_since=NOW, error="404"),
            True,
            id="the third failure of a feed that never worked",
        ),
        pytest.param(
            make_read_memory(),
            make_read_memory(profile=make_profile(title="New")),
            True,
            id="a new title",
        ),
        pytest.param(make_read_memory(), FAILING, True, id="the third failure"),
        pytest.param(FAILING, make_read_memory(), True, id="the end of its trouble"),
        pytest.param(FAILING, replace(FAILING, error="410"), True, id="other trouble"),
        pytest.param(FAILING, replace(FAILING, failures=4), False, id="the fourth failure"),
        pytest.param(
            make_read_memory(),
            make_read_memory(failures=1, failing_since=NOW, error="410", given_up=GivenUp.GONE),
            True,
            id="that it is gone",
        ),
        pytest.param(
            make_read_memory(), make_read_memory(given_up=GivenUp.EXPIRED), True, id="its end"
        ),
        pytest.param(
            make_read_memory(),
            make_read_memory(moved=Moved(to="https://new.example/", since=NOW, adopted=True)),
            True,
            id="that it has moved",
        ),
        pytest.param(
            make_read_memory(posts=(NOW - 90 * DAY,), succeeded_at=NOW - HOUR),
            make_read_memory(posts=(NOW - 90 * DAY,), succeeded_at=NOW),
            True,
            id="that it has been quiet for long",
        ),
        pytest.param(
            make_read_memory(posts=(NOW - 95 * DAY,), succeeded_at=NOW - HOUR),
            make_read_memory(posts=(NOW - 95 * DAY,), succeeded_at=NOW),
            False,
            id="that it is still quiet",
        ),
        pytest.param(
            make_read_memory(),
            make_read_memory(failures=2, failing_since=NOW, error="404"),
            False,
            id="a hiccup",
        ),
        pytest.param(
            make_read_memory(),
            make_read_memory(
                attempted_at=NOW,
                settled_at=NOW,
                due_at=NOW + HOUR,
                status=304,
                succeeded_at=NOW,
                processed_hash="bb",
                moved=Moved(to="https://new.example/", since=NOW),
                health=Health(whole=1),
            ),
            False,
            id="an attempt that brought nothing",
        ),
        pytest.param(
            make_read_memory(),
            make_read_memory(profile=make_profile(updated=NOW)),
            False,
            id="a new build date",
        ),
        pytest.param(
            make_read_memory(),
            make_read_memory(profile=make_profile(hints=Hints(ttl=HOUR))),
            False,
            id="a new hint on how often to ask",
        ),
    ],
)
def test_a_page_can_show_of_a_feed(before: FeedState | None, after: FeedState, shown: bool) -> None:
    assert shows(before, after) is shown
