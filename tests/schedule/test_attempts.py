"""What an attempt changes of what is known, seen as a whole."""

from datetime import datetime
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from planet.errors import FeedError, ParseError
from planet.model import (
    Day,
    DueReason,
    Failure,
    FeedState,
    Fetched,
    Health,
    Lifetime,
    Moved,
    ParseResult,
)
from planet.schedule import record_attempt, select_due, select_unread
from tests.builders import (
    NOW,
    make_draft,
    make_feed,
    make_fetched,
    make_profile,
    make_reading,
    make_state,
)
from tests.cases import case, cases
from tests.schedule.states import (
    BOTH,
    DAY,
    HOUR,
    MINUTE,
    NOT_A_FEED,
    SECOND,
    TOO_SLOW,
    attempt,
    make_failed,
    make_known,
    make_new,
    make_read_state,
    make_same,
    waiting,
)

NEW = "https://new.example/"
TODAY = (NOW.date() - NOW.date().replace(1970, 1, 1)).days


def test_the_first_answer_is_remembered_whole() -> None:
    profile = make_profile(title="New")
    fetched = make_new(
        started=NOW,
        ended=NOW + SECOND,
        permanent_url=NEW,
        url=NEW,
        conditional=False,
        headers={"cache-control": "max-age=60"},
        bytes_received=5,
        response_time=SECOND,
    )
    reading = make_reading(make_draft(), profile=profile, posted=(NOW - HOUR,))

    state = attempt(None, fetched, reading)

    assert state == FeedState(
        key="one",
        url="https://one.example/feed",
        profile=profile,
        processed_hash="bb",
        reader="1",
        attempted_at=NOW,
        **waiting(HOUR, DueReason.FLOOR, at=NOW + SECOND),
        status=200,
        answered_url=NEW,
        validators=BOTH,
        lifetime=Lifetime(length=MINUTE, said_by=DueReason.MAX_AGE),
        succeeded_at=NOW + SECOND,
        whole_at=NOW + SECOND,
        changed_at=NOW - HOUR,
        posts=(NOW - HOUR,),
        moved=Moved(to=NEW, since=NOW + SECOND),
        health=Health(
            whole=1,
            unconditional=1,
            response_time=SECOND,
            days=(Day(number=TODAY, asked=1, received=5),),
        ),
    )
    assert not state.interrupted


@cases(
    "fetched, result, changes",
    case("not modified", make_same(), None, {"status": 304, "succeeded_at": NOW}),
    case(
        "not modified, after a redirect",
        make_same(url=NEW),
        None,
        {"status": 304, "succeeded_at": NOW, "answered_url": NEW},
    ),
    case(
        "the same bytes again, after a redirect",
        make_same(body_hash="aa", url=NEW),
        None,
        {"status": 200, "succeeded_at": NOW, "whole_at": NOW, "answered_url": NEW},
    ),
    case(
        "the same bytes again",
        make_same(body_hash="aa", same_etag=True),
        None,
        {"status": 200, "succeeded_at": NOW, "whole_at": NOW, "identical": 1},
    ),
    case(
        "other bytes with the same entries, after a redirect",
        make_new(url=NEW),
        make_reading(profile=make_profile(title="New")),
        {
            "succeeded_at": NOW,
            "whole_at": NOW,
            "processed_hash": "bb",
            "answered_url": NEW,
            "profile": make_profile(title="New"),
        },
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
            "failures": 1,
            "failing_since": NOW,
            "strikes": 1,
            "struck_since": NOW,
            "error_kind": "not_a_feed",
            "error": "this is a web page",
            "last_failure": Failure(at=NOW, kind="not_a_feed", message="this is a web page"),
            **waiting(DAY, DueReason.BACKOFF),
        },
    ),
    case(
        "an error, after a redirect",
        make_failed("http_404", url=NEW, validators=frozenset()),
        None,
        {
            "status": 404,
            "failures": 1,
            "failing_since": NOW,
            "strikes": 1,
            "struck_since": NOW,
            "error_kind": "http_404",
            "error": "it is http_404",
            "last_failure": Failure(at=NOW, kind="http_404", message="it is http_404"),
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
    assert replace(after, health=Health()) == replace(before, **{**times, **changes})


def test_a_list_of_subscriptions_is_remembered_though_it_is_no_feed() -> None:
    state = attempt(None, make_new(), reader="opml 1")

    assert (state.processed_hash, state.reader, state.profile) == ("bb", "opml 1", None)
    assert (state.succeeded_at, state.failures) == (NOW, 0)
    assert state.due_at == waiting(6 * HOUR, DueReason.ADAPTIVE)["due_at"]


def test_of_a_file_only_what_is_in_it_is_remembered() -> None:
    feed = make_feed(url="file:///feed.xml")
    fetched = make_new(status=None, url=feed.url, conditional=False, validators=frozenset())

    state = attempt(None, fetched, make_reading(make_draft()), feed=feed)

    assert state == FeedState(
        key="one",
        url=feed.url,
        profile=make_profile(),
        processed_hash="bb",
        reader="1",
        attempted_at=NOW,
        settled_at=NOW,
        answered_url=feed.url,
        succeeded_at=NOW,
    )


# A body from disk, of which nobody was asked


def make_recalled(**changes: Any) -> Fetched:
    return replace(make_new(status=None, conditional=False, asked=False), **changes)


def test_what_an_older_parser_read_is_read_again_and_asked_for_no_sooner() -> None:
    before = make_read_state(reader="0", due_at=NOW + MINUTE)
    profile = make_profile(title="Better")

    after = attempt(before, make_recalled(body_hash="aa"), make_reading(profile=profile))

    # It was the disk that answered, not the server.
    assert after == replace(before, reader="1", profile=profile)


WEB_PAGE: dict[str, Any] = {
    "reader": "0",
    "unreadable": "x",
    "unreadable_kind": "not_a_feed",
    "failures": 4,
    "failing_since": NOW - DAY,
    "error_kind": "not_a_feed",
    "error": "x",
}


def test_what_only_a_newer_parser_can_read_makes_the_feed_well() -> None:
    before = make_read_state(**WEB_PAGE)

    after = attempt(before, make_recalled(body_hash="aa"), make_reading())

    assert (after.unreadable, after.failures, after.failing_since) == (None, 0, None)
    assert (after.error_kind, after.error, after.due_at) == (None, None, before.due_at)


def test_what_a_newer_parser_cannot_read_is_a_failure() -> None:
    before = make_read_state(reader="0")

    after = attempt(before, make_recalled(body_hash="aa"), NOT_A_FEED)

    assert (after.unreadable_kind, after.failures, after.error_kind) == (
        "not_a_feed",
        1,
        "not_a_feed",
    )
    assert after.due_at == before.due_at


@cases(
    "trouble",
    case("had been read", {}),
    case("had not been read", {"unreadable": "x", "unreadable_kind": "not_a_feed"}),
)
def test_a_body_from_disk_does_not_make_a_server_well(trouble: dict[str, str]) -> None:
    before = make_read_state(
        reader="0",
        failures=4,
        failing_since=NOW - DAY,
        error_kind="http_404",
        error="404",
        **trouble,
    )

    after = attempt(before, make_recalled(body_hash="aa"), make_reading())

    assert after == replace(before, reader="1", unreadable=None, unreadable_kind=None)


@pytest.mark.parametrize(
    "result",
    [make_reading(), ParseError("unreadable", "damaged")],
    ids=["that can be read", "that cannot"],
)
def test_a_body_from_disk_revives_no_feed(result: ParseResult | FeedError) -> None:
    before = attempt(make_read_state(), make_failed("http_410"), reader="0")

    after = attempt(before, make_recalled(body_hash="aa"), result)

    assert (after.given_up, after.given_up_at) == (before.given_up, before.given_up_at)
    assert select_due(make_known([make_feed()], {"one": after}), now=NOW + 99 * DAY) == []


@cases(
    "before",
    case("for the first time", make_state(attempted_at=NOW - MINUTE)),
    case(
        "once more",
        make_read_state(attempted_at=NOW - MINUTE, settled_at=NOW - 2 * HOUR, due_at=NOW - HOUR),
    ),
)
@cases(
    "result",
    case("and can be read", make_reading(make_draft(), posted=(NOW - HOUR,))),
    case("and cannot be read", NOT_A_FEED),
)
def test_a_feed_that_a_killed_run_asked_is_not_asked_twice_in_an_hour(
    before: FeedState, result: ParseResult | FeedError
) -> None:
    feed = make_feed()
    assert select_unread(make_known([feed], {"one": before}))

    after = attempt(before, make_recalled(), result, feed=feed)

    def is_due(now: datetime) -> bool:
        return bool(select_due(make_known([feed], {"one": after}), now=now))

    assert (after.interrupted, after.settled_at) == (False, NOW - MINUTE)
    assert (after.whole_at, after.validators) == (NOW - MINUTE, BOTH)
    assert not is_due(NOW + 59 * MINUTE - SECOND)
    assert is_due(NOW + 59 * MINUTE + HOUR / 4)


def test_a_killed_run_that_had_brought_all_without_validators_is_not_repeated_for_a_day() -> None:
    before = make_state(attempted_at=NOW - MINUTE)
    recalled = make_recalled(validators=frozenset())

    after = attempt(before, recalled, make_reading())

    assert after.due_at == waiting(DAY, DueReason.UNCONDITIONAL, at=NOW - MINUTE)["due_at"]


# A body that there was no time to read


@cases(
    "before",
    case("that is new", None),
    case("that was well", make_read_state()),
    case(
        "whose server was down",
        make_read_state(failures=3, failing_since=NOW - DAY, error_kind="http_503", error="down"),
    ),
    case("that was a web page", make_read_state(**WEB_PAGE | {"reader": "1"})),
)
@cases(
    "result",
    case("and can be read", make_reading(make_draft(), posted=(NOW - HOUR,))),
    case("and cannot be read", NOT_A_FEED),
)
def test_a_body_that_is_read_late_leaves_its_feed_as_if_it_had_been_read_at_once(
    before: FeedState | None, result: ParseResult | FeedError
) -> None:
    feed = make_feed()
    at_once = attempt(before, make_new(), result, feed=feed)

    put_off = attempt(before, make_new(), TOO_SLOW, feed=feed)
    again = attempt(put_off, make_recalled(), TOO_SLOW, feed=feed)
    read = attempt(again, make_recalled(), result, feed=feed)

    for state in (put_off, again):
        assert (state.failures, state.error, state.health.failed) == (0, None, 0)
        assert (state.reader, state.validators) == (None, BOTH)
    if result is NOT_A_FEED:
        assert (read.error_kind, read.error) == (at_once.error_kind, at_once.error)
    else:
        assert read == replace(at_once, health=read.health)


def test_a_feed_that_fails_before_its_body_was_read_goes_on_failing() -> None:
    put_off = attempt(make_read_state(), make_new(), TOO_SLOW)
    failing = attempt(put_off, make_failed("http_503"))

    read = attempt(failing, make_recalled(), make_reading())

    assert (read.reader, read.failures, read.error_kind) == ("1", 1, "http_503")
    assert read.due_at == failing.due_at


def test_an_address_is_not_taken_for_the_new_one_before_its_body_was_read() -> None:
    moved = make_new(permanent_url=NEW)

    put_off = attempt(make_read_state(), moved, TOO_SLOW)

    assert put_off.moved is None


def test_a_body_of_a_killed_run_that_there_was_no_time_to_read_is_held_against_nobody() -> None:
    before = make_state(attempted_at=NOW - MINUTE)

    after = attempt(before, make_recalled(), TOO_SLOW)

    assert (after.interrupted, after.failures, after.reader) == (False, 0, None)
    assert select_unread(make_known([make_feed()], {"one": after}))


def test_a_feed_that_posts_twelve_times_a_day_is_asked_nearly_every_hour_and_never_sooner() -> None:
    """By runs each 72 minutes, as `planet init` writes them; they begin late and take minutes."""
    chance, feed = Random(9), make_feed()
    state: FeedState | None = None
    asked: list[datetime] = []
    posts = [NOW + 2 * number * HOUR for number in range(-20, 12 * 14)]

    for number in range(20 * 14):
        now = NOW + number * 72 * MINUTE + chance.random() * 5 * MINUTE
        if not select_due(make_known([feed], {} if state is None else {"one": state}), now=now):
            continue
        begun = now + chance.random() * 3 * MINUTE
        asked.append(begun)
        fetched = make_fetched(
            started=begun,
            ended=begun + chance.random() * 20 * SECOND,
            conditional=state is not None,
            validators=frozenset({"etag"}),
            body=b"",
            body_hash=begun.isoformat(),
        )
        new = [post for post in posts if post <= begun and (state is None or post > asked[-2])]
        reading = make_reading(*(make_draft(str(post)) for post in new), posted=tuple(new))
        state = record_attempt(state, feed, fetched, reading, reader="1")

    assert min(after - before for before, after in pairwise(asked)) >= HOUR
    assert len(asked) >= 19 * 14
