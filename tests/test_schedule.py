"""Whose turn it is, what an attempt changes, and when each feed is next."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from planet.errors import FeedError, FetchError, ParseError
from planet.model import Asking, Feed, Fetched, Hints, Memory, Reading, Turn
from planet.schedule import TROUBLE, due, forced, remember, shows, trouble, unread
from tests.builders import (
    NOW,
    make_draft,
    make_feed,
    make_fetched,
    make_memory,
    make_profile,
    make_reading,
)

SECOND, MINUTE, HOUR, DAY = (
    timedelta(**{unit: 1}) for unit in ("seconds", "minutes", "hours", "days")
)
TICK = timedelta.resolution

NOT_FOUND = FetchError("http_404", "the server answers 404")
NOT_A_FEED = ParseError("not_a_feed", "this is a web page")


def make_read_memory(**said: Any) -> Memory:
    """What is known of a feed that was asked an hour ago, read by this parser, and is well."""
    memory = make_memory(
        profile=make_profile(),
        processed_hash="aa",
        reader="1",
        attempted_at=NOW - HOUR,
        settled_at=NOW - HOUR,
        due_at=NOW,
        due_reason="floor",
        status=200,
        answered_url="https://one.example/feed",
        succeeded_at=NOW - HOUR,
        changed_at=NOW - HOUR,
    )
    return replace(memory, **said)


def make_new(**said: Any) -> Fetched:
    """An answer with a body that was not read yet."""
    return make_fetched(**{"body": b"<feed/>", "body_hash": "bb", **said})


def turn_keys(turns: list[Turn]) -> list[str]:
    return [turn.feed.key for turn in turns]


def is_due(feed: Feed, memory: Memory | None, *, now: datetime = NOW) -> bool:
    memories = {feed.key: memory} if memory else {}
    return bool(due([feed], memories, reader="1", now=now))


# Whose turn it is


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        pytest.param(None, True, id="was never asked"),
        pytest.param(make_memory(), True, id="has no due time"),
        pytest.param(make_read_memory(due_at=NOW - TICK), True, id="is overdue"),
        pytest.param(make_read_memory(due_at=NOW), True, id="is due this moment"),
        pytest.param(make_read_memory(due_at=NOW + TICK), False, id="is not due yet"),
        pytest.param(
            make_memory(attempted_at=NOW - HOUR + TICK),
            False,
            id="was asked less than an hour ago by a run that was killed",
        ),
        pytest.param(
            make_memory(attempted_at=NOW - HOUR),
            True,
            id="was asked an hour ago by a run that was killed",
        ),
        pytest.param(
            make_read_memory(attempted_at=NOW - MINUTE, due_at=NOW - HOUR),
            False,
            id="was due before a run that was killed asked",
        ),
    ],
)
def test_a_feed_is_due_when_it(memory: Memory | None, expected: bool) -> None:
    assert is_due(make_feed(), memory) is expected


def test_a_feed_that_is_a_file_is_always_due() -> None:
    feed = make_feed(url="file:///feed.xml")

    assert is_due(feed, make_read_memory(due_at=NOW + DAY, attempted_at=NOW))


def test_a_feed_that_is_not_enabled_has_no_turn() -> None:
    feeds = [make_feed(enabled=False), make_feed("two")]

    assert turn_keys(due(feeds, {}, reader="1", now=NOW)) == ["two"]
    assert turn_keys(forced(feeds, {}, reader="1")) == ["two"]
    assert turn_keys(unread(feeds, {}, reader="1")) == ["two"]


def test_a_killed_run_holds_the_feeds_own_interval() -> None:
    feed = make_feed(asking=Asking(min_interval=3 * HOUR))
    memory = make_memory(attempted_at=NOW)

    assert [is_due(feed, memory, now=NOW + hours * HOUR) for hours in (1, 2, 3)] == [
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    "memory",
    [
        pytest.param(make_memory(attempted_at=NOW + 400 * DAY), id="in a run that was killed"),
        pytest.param(
            make_read_memory(
                attempted_at=NOW + 400 * DAY,
                settled_at=NOW + 400 * DAY,
                due_at=NOW + 400 * DAY + HOUR,
            ),
            id="in a run that ended well",
        ),
    ],
)
def test_a_clock_that_ran_ahead_does_not_silence_a_feed(memory: Memory) -> None:
    times = [NOW + number * 12 * HOUR for number in range(4)]

    assert any(is_due(make_feed(), memory, now=now) for now in times)


def test_clocks_that_differ_a_little_do_not_make_a_feed_due() -> None:
    ahead = NOW + 2 * SECOND
    killed = make_memory(attempted_at=ahead)
    ended = make_read_memory(attempted_at=ahead, settled_at=ahead, due_at=ahead + HOUR)

    assert [is_due(make_feed(), memory) for memory in (killed, ended)] == [False, False]


def test_important_feeds_go_first_and_then_those_due_longest() -> None:
    feeds = [
        make_feed("late"),
        make_feed("later"),
        make_feed("new"),
        make_feed("newer"),
        make_feed("important", priority=1),
        make_feed("least", priority=-1),
    ]
    memories = {
        key: make_memory(key, due_at=NOW - hours * HOUR)
        for key, hours in {"late": 1, "later": 2, "important": 0, "least": 9}.items()
    }

    expected = ["important", "new", "newer", "later", "late", "least"]
    assert turn_keys(due(feeds, memories, reader="1", now=NOW)) == expected
    assert turn_keys(forced(feeds, memories, reader="1")) == expected


def test_forced_asks_feeds_that_are_not_due() -> None:
    memories = {"one": make_read_memory(due_at=NOW + DAY)}

    turns = forced([make_feed()], memories, reader="1")

    assert turns == [
        Turn(feed=make_feed(), known_hash="aa", answered_url="https://one.example/feed")
    ]


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        pytest.param(None, {"reread": True}, id="a feed that was never asked"),
        pytest.param(
            make_read_memory(answered_url="https://new.example/"),
            {"known_hash": "aa", "answered_url": "https://new.example/"},
            id="a feed that was read",
        ),
        pytest.param(
            make_read_memory(reader="0"),
            {"reread": True, "answered_url": "https://one.example/feed"},
            id="a feed that an older parser read",
        ),
        pytest.param(
            make_read_memory(attempted_at=NOW),
            {"known_hash": "aa", "reread": True, "answered_url": "https://one.example/feed"},
            id="a feed whose last run was killed",
        ),
        pytest.param(
            make_read_memory(unreadable=str(NOT_A_FEED), unreadable_kind=NOT_A_FEED.kind),
            {"known_hash": "aa", "answered_url": "https://one.example/feed"},
            id="a feed that this parser cannot read",
        ),
    ],
)
def test_a_turn_says_what_is_known_of(memory: Memory | None, expected: dict[str, Any]) -> None:
    feed = make_feed()
    memories = {"one": memory} if memory else {}

    (turn,) = forced([feed], memories, reader="1")

    assert turn == Turn(feed=feed, **expected)
    assert unread([feed], memories, reader="1") == ([turn] if turn.reread else [])


# What an attempt changes


def test_the_first_answer_is_remembered_whole() -> None:
    profile = make_profile(title="New")
    fetched = make_new(
        started=NOW, ended=NOW + SECOND, status=200, permanent_url="https://new.example/"
    )

    memory = remember(
        None, make_feed(), fetched, make_reading(make_draft(), profile=profile), reader="1"
    )

    assert memory == Memory(
        key="one",
        url="https://one.example/feed",
        profile=profile,
        processed_hash="bb",
        reader="1",
        attempted_at=NOW,
        settled_at=NOW + SECOND,
        due_at=NOW + SECOND + HOUR,
        due_reason="floor",
        status=200,
        answered_url="https://one.example/feed",
        succeeded_at=NOW + SECOND,
        changed_at=NOW + SECOND,
        moved_to="https://new.example/",
    )
    assert not memory.interrupted


@pytest.mark.parametrize(
    ("fetched", "result", "changes"),
    [
        pytest.param(
            make_fetched(status=304),
            None,
            {"status": 304, "succeeded_at": NOW},
            id="not modified",
        ),
        pytest.param(
            make_fetched(status=304, url="https://new.example/"),
            None,
            {"status": 304, "succeeded_at": NOW, "answered_url": "https://new.example/"},
            id="not modified, after a redirect",
        ),
        pytest.param(
            make_fetched(status=200, body_hash="aa", url="https://new.example/"),
            None,
            {"status": 200, "succeeded_at": NOW, "answered_url": "https://new.example/"},
            id="the same bytes again, after a redirect",
        ),
        pytest.param(
            make_fetched(status=200, body_hash="aa"),
            None,
            {"status": 200, "succeeded_at": NOW},
            id="the same bytes again",
        ),
        pytest.param(
            make_new(url="https://new.example/"),
            make_reading(profile=make_profile(title="New")),
            {
                "status": 200,
                "succeeded_at": NOW,
                "processed_hash": "bb",
                "answered_url": "https://new.example/",
                "profile": make_profile(title="New"),
            },
            id="other bytes with the same entries, after a redirect",
        ),
        pytest.param(
            make_new(),
            make_reading(make_draft()),
            {"status": 200, "succeeded_at": NOW, "processed_hash": "bb", "changed_at": NOW},
            id="a new entry",
        ),
        pytest.param(
            make_new(),
            NOT_A_FEED,
            {
                "status": 200,
                "processed_hash": "bb",
                "unreadable": str(NOT_A_FEED),
                "unreadable_kind": NOT_A_FEED.kind,
                "failures": 1,
                "failing_since": NOW,
                "error_kind": "not_a_feed",
                "error": "this is a web page",
                "due_reason": "backoff",
            },
            id="a body that cannot be read, of which the old profile stays",
        ),
        pytest.param(
            make_fetched(status=404, error=NOT_FOUND, url="https://new.example/"),
            None,
            {
                "status": 404,
                "failures": 1,
                "failing_since": NOW,
                "error_kind": "http_404",
                "error": "the server answers 404",
                "due_reason": "backoff",
            },
            id="an error, after a redirect",
        ),
    ],
)
def test_an_answer_changes_of_what_is_known(
    fetched: Fetched, result: Reading | FeedError | None, changes: dict[str, Any]
) -> None:
    before = make_read_memory(status=200)

    after = remember(before, make_feed(), fetched, result, reader="1")

    times: dict[str, Any] = {"attempted_at": NOW, "settled_at": NOW, "due_at": NOW + HOUR}
    assert after == replace(before, **times, **changes)


def test_a_success_ends_a_row_of_failures() -> None:
    before = make_read_memory(
        failures=7, failing_since=NOW - DAY, error_kind="timeout", error="it takes too long"
    )

    after = remember(before, make_feed(), make_fetched(), None, reader="1")

    assert after == make_read_memory(
        status=304, attempted_at=NOW, settled_at=NOW, due_at=NOW + HOUR, succeeded_at=NOW
    )


def test_a_failure_that_goes_on_began_when_it_began() -> None:
    before = make_read_memory(failures=1, failing_since=NOW - DAY, error_kind="x", error="x")

    after = remember(before, make_feed(), make_fetched(error=NOT_FOUND), None, reader="1")

    assert (after.failures, after.failing_since) == (2, NOW - DAY)
    assert (after.error_kind, after.error) == ("http_404", "the server answers 404")


def test_a_body_that_cannot_be_read_goes_on_failing_while_it_is_not_modified() -> None:
    first = remember(make_read_memory(), make_feed(), make_new(), NOT_A_FEED, reader="1")

    second = remember(first, make_feed(), make_fetched(when=NOW + DAY), None, reader="1")

    assert (second.failures, second.failing_since) == (2, NOW)
    assert (second.error_kind, second.error) == ("not_a_feed", "this is a web page")


def test_a_body_that_cannot_be_read_is_what_is_wrong_once_the_server_is_back() -> None:
    known = make_read_memory()
    answers: list[tuple[Fetched, FeedError | None]] = [
        (make_new(), NOT_A_FEED),
        (make_fetched(status=404, error=NOT_FOUND), None),
        (make_fetched(status=304), None),
    ]

    for fetched, result in answers:
        known = remember(known, make_feed(), fetched, result, reader="1")

    assert known.failures == 3
    assert known.error_kind != NOT_FOUND.kind


def test_an_address_that_was_changed_in_the_config_is_the_one_that_is_known() -> None:
    feed = make_feed(url="https://new.example/feed")

    after = remember(make_read_memory(), feed, make_fetched(), None, reader="1")

    assert after.url == "https://new.example/feed"


@pytest.mark.parametrize(
    ("fetched", "result", "moved_to"),
    [
        pytest.param(
            make_new(permanent_url="https://new.example/"),
            make_reading(),
            "https://new.example/",
            id="believed when a feed is there",
        ),
        pytest.param(
            make_fetched(permanent_url="https://new.example/"),
            None,
            "https://new.example/",
            id="believed when it is not modified there",
        ),
        pytest.param(make_fetched(), None, None, id="forgotten when it is not told any more"),
        pytest.param(
            make_fetched(permanent_url="https://new.example/", error=NOT_FOUND),
            None,
            "https://old.example/",
            id="not believed when nothing is there",
        ),
        pytest.param(
            make_new(permanent_url="https://new.example/"),
            NOT_A_FEED,
            "https://old.example/",
            id="not believed when no feed is there",
        ),
    ],
)
def test_a_permanent_redirect_is(
    fetched: Fetched, result: Reading | FeedError | None, moved_to: str | None
) -> None:
    before = make_read_memory(moved_to="https://old.example/")

    after = remember(before, make_feed(), fetched, result, reader="1")

    assert after.moved_to == moved_to


def test_a_permanent_redirect_to_what_cannot_be_read_is_not_believed_later_either() -> None:
    moved = {"permanent_url": "https://new.example/", "url": "https://new.example/"}
    first = remember(make_read_memory(), make_feed(), make_new(**moved), NOT_A_FEED, reader="1")

    second = remember(first, make_feed(), make_fetched(**moved), None, reader="1")

    assert (first.moved_to, second.moved_to) == (None, None)


# A body from disk, of which nobody was asked


def test_what_an_older_parser_read_is_read_again_and_asked_for_no_sooner() -> None:
    before = make_read_memory(reader="0", due_at=NOW + MINUTE)
    recalled = make_new(status=None, asked=False, body_hash="aa")
    profile = make_profile(title="Better")

    after = remember(before, make_feed(), recalled, make_reading(profile=profile), reader="1")

    # It was the disk that answered, not the server.
    assert replace(after, succeeded_at=before.succeeded_at) == replace(
        before, reader="1", profile=profile
    )


def test_what_only_a_newer_parser_can_read_makes_the_feed_well() -> None:
    before = make_read_memory(
        reader="0",
        unreadable="x",
        unreadable_kind="x",
        failures=4,
        failing_since=NOW - DAY,
        error_kind="x",
        error="x",
    )
    recalled = make_new(status=None, asked=False, body_hash="aa")

    after = remember(before, make_feed(), recalled, make_reading(), reader="1")

    assert (after.unreadable, after.failures, after.failing_since) == (None, 0, None)
    assert (after.error_kind, after.error) == (None, None)


def test_a_body_from_disk_does_not_make_a_server_well() -> None:
    before = make_read_memory(
        reader="0", failures=4, failing_since=NOW - DAY, error_kind="http_404", error="404"
    )
    recalled = make_new(status=None, asked=False, body_hash="aa")

    after = remember(before, make_feed(), recalled, make_reading(), reader="1")

    assert after == replace(before, reader="1")


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(make_memory(attempted_at=NOW - MINUTE), id="for the first time"),
        pytest.param(
            make_read_memory(
                attempted_at=NOW - MINUTE,
                settled_at=NOW - 2 * HOUR,
                due_at=NOW - HOUR,
                due_reason="floor",
            ),
            id="once more",
        ),
    ],
)
def test_a_feed_that_a_killed_run_asked_is_not_asked_twice_in_an_hour(before: Memory) -> None:
    feed = make_feed()
    assert unread([feed], {"one": before}, reader="1")
    recalled = make_new(status=None, asked=False)

    after = remember(before, feed, recalled, make_reading(), reader="1")

    asked_next = [NOW + n * MINUTE for n in range(120) if is_due(feed, after, now=NOW + n * MINUTE)]
    assert not after.interrupted
    assert asked_next[0] == NOW + 59 * MINUTE


# When each is next


def due_after(before: Memory | None, asking: Asking, fetched: Fetched) -> tuple[Any, Any]:
    after = remember(before, make_feed(asking=asking), fetched, None, reader="1")
    return after.due_at, after.due_reason


@pytest.mark.parametrize(
    ("asking", "wait"),
    [
        pytest.param(Asking(), HOUR, id="an hour by default"),
        pytest.param(Asking(min_interval=6 * HOUR), 6 * HOUR, id="its own interval"),
        pytest.param(
            Asking(min_interval=MINUTE, agreed=True), MINUTE, id="what its publisher agreed to"
        ),
        pytest.param(Asking(min_interval=MINUTE), HOUR, id="no less than an hour unless agreed"),
    ],
)
def test_a_feed_that_is_well_waits_from_the_end_of_a_request(
    asking: Asking, wait: timedelta
) -> None:
    fetched = make_fetched(started=NOW - MINUTE, ended=NOW)

    assert due_after(make_read_memory(), asking, fetched) == (NOW + wait, "floor")


@pytest.mark.parametrize(
    ("asking", "hours"),
    [
        pytest.param(Asking(), [1, 2, 4, 8, 16, 24, 24], id="doubled up to a day"),
        pytest.param(
            Asking(min_interval=3 * HOUR, max_interval=DAY * 3),
            [3, 6, 12, 24, 48, 72, 72],
            id="doubled from its own interval up to its own limit",
        ),
        pytest.param(
            Asking(min_interval=48 * HOUR, max_interval=48 * HOUR),
            [48, 48, 48],
            id="never less than its interval",
        ),
        pytest.param(
            Asking(min_interval=MINUTE, max_interval=HOUR / 2, agreed=True),
            [1, 1, 1],
            id="never less than an hour, whatever was agreed",
        ),
    ],
)
def test_a_feed_that_fails_waits(asking: Asking, hours: list[int]) -> None:
    feed = make_feed(asking=asking)
    memory: Memory | None = None
    waits = []

    for _ in hours:
        memory = remember(memory, feed, make_fetched(error=NOT_FOUND), None, reader="1")
        assert memory.due_at is not None
        waits.append((memory.due_at - NOW, memory.due_reason))

    assert waits == [(number * HOUR, "backoff") for number in hours]


def test_a_feed_that_has_failed_for_ever_has_a_due_time() -> None:
    long_ago = make_read_memory(failures=10**6)
    asking = Asking(min_interval=DAY * 365, max_interval=DAY * 36500)

    due_at, reason = due_after(long_ago, asking, make_fetched(error=NOT_FOUND))

    assert (due_at - NOW, reason) == (DAY * 36500, "backoff")


# What readers are told


@pytest.mark.parametrize(
    ("memory", "words"),
    [
        pytest.param(None, None, id="nothing is known"),
        pytest.param(make_memory(), None, id="it is well"),
        pytest.param(make_memory(failures=TROUBLE - 1, error="404"), None, id="it hiccups"),
        pytest.param(make_memory(failures=TROUBLE, error="404"), "404", id="it fails"),
    ],
)
def test_readers_are_told_what_is_wrong_when(memory: Memory | None, words: str | None) -> None:
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
                moved_to="https://new.example/",
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
def test_a_page_can_show_of_a_feed(before: Memory | None, after: Memory, shown: bool) -> None:
    assert shows(before, after) is shown


@pytest.mark.parametrize("kind", ["too_slow", "too_greedy"])
def test_a_body_that_a_worker_gave_up_is_tried_again_when_its_feed_is_due(kind: str) -> None:
    given_up = remember(
        make_read_memory(), make_feed(), make_new(), ParseError(kind, "too much"), reader="1"
    )
    memories = {"one": given_up}

    (turn,) = due([make_feed()], memories, reader="1", now=NOW + 2 * HOUR)

    assert (turn.known_hash, turn.reread) == (None, True)
    assert unread([make_feed()], memories, reader="1") == []
