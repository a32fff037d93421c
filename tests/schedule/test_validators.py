"""Which validators a request names, and what is learned of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from planet.model import Conditions, FeedState, Fetched
from planet.schedule import due, forced, remember
from tests.builders import NOW, make_draft, make_feed, make_reading
from tests.schedule.known import (
    BOTH,
    DAY,
    HOUR,
    TICK,
    make_failed,
    make_new,
    make_read_memory,
    make_same,
)

if TYPE_CHECKING:
    from datetime import datetime

ETAG, DATE = frozenset({"etag"}), frozenset({"last-modified"})


def again(**said: Any) -> Fetched:
    """A 200 with the body that is known already, and with the ETag that was named."""
    return make_same(**{"body_hash": "aa", "same_etag": True, **said})


def after(fetched: Fetched, before: FeedState | None = None, **said: Any) -> FeedState:
    return remember(before or make_read_memory(**said), make_feed(), fetched, None, reader="1")


def asked_with(memory: FeedState, *, now: datetime = NOW, force: bool = False) -> Conditions:
    choose = forced if force else due
    (turn,) = choose([make_feed()], {"one": memory}, {}, reader="1", now=now)
    return turn.conditions


# What is stored


@pytest.mark.parametrize(
    ("fetched", "validators"),
    [
        pytest.param(make_new(validators=ETAG), ETAG, id="those of a new body"),
        pytest.param(make_new(validators=frozenset()), frozenset(), id="none of a body without"),
        pytest.param(again(validators=DATE), DATE, id="those of the same body"),
        pytest.param(make_same(validators=BOTH), BOTH, id="those that a 304 leaves"),
        pytest.param(
            make_new(validators=BOTH, cut_off=True), ETAG, id="as before after half of it"
        ),
        pytest.param(
            make_failed("http_500", validators=frozenset()), ETAG, id="as before after an error"
        ),
    ],
)
def test_the_validators_that_are_known_are(fetched: Fetched, validators: frozenset[str]) -> None:
    reading = make_reading(make_draft()) if fetched.body else None

    memory = remember(
        make_read_memory(validators=ETAG), make_feed(), fetched, reader="1", result=reading
    )

    assert memory.validators == validators


@pytest.mark.parametrize(
    ("fetched", "whole_at"),
    [
        pytest.param(make_new(), NOW, id="new"),
        pytest.param(again(), NOW, id="the same"),
        pytest.param(make_same(), NOW - HOUR, id="not modified"),
        pytest.param(make_failed("truncated", status=200), NOW - HOUR, id="cut short"),
        pytest.param(make_new(cut_off=True), NOW - HOUR, id="cut off unnoticed"),
    ],
)
def test_a_whole_answer_is_one_that_is(fetched: Fetched, whole_at: datetime) -> None:
    assert after(fetched).whole_at == whole_at


# Servers that ignore them


@pytest.mark.parametrize(
    ("fetched", "identical"),
    [
        pytest.param(again(), 2, id="the same ETag again"),
        pytest.param(again(same_etag=False, validators=DATE), 2, id="no ETag"),
        pytest.param(again(same_etag=False, validators=frozenset()), 2, id="no validators"),
        pytest.param(again(same_etag=False), 0, id="another ETag"),
        pytest.param(make_new(same_etag=True), 0, id="another body"),
        pytest.param(make_same(), 0, id="not modified"),
        pytest.param(again(conditional=False), 1, id="what was asked for without validators"),
        pytest.param(make_failed("http_500"), 1, id="an error"),
    ],
)
def test_bodies_that_came_in_vain_are_counted_after(fetched: Fetched, identical: int) -> None:
    assert after(fetched, identical=1).identical == identical


@pytest.mark.parametrize(
    ("known", "conditions"),
    [
        pytest.param({"identical": 2}, Conditions.ALL, id="both, after two"),
        pytest.param({"identical": 3}, Conditions.DATE, id="the date alone, after three"),
        pytest.param({"identical": 4}, Conditions.ALL, id="both again, after four"),
        pytest.param({"identical": 3, "validators": ETAG}, Conditions.ALL, id="the ETag alone"),
        pytest.param({"identical": 3, "validators": DATE}, Conditions.ALL, id="its only date"),
        pytest.param(
            {"etag_broken_until": NOW + TICK}, Conditions.DATE, id="the date, while that helps"
        ),
        pytest.param(
            {"etag_broken_until": NOW + TICK, "validators": ETAG},
            Conditions.ALL,
            id="the ETag, when there is no date any more",
        ),
        pytest.param({"etag_broken_until": NOW}, Conditions.ALL, id="both, a month later"),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_a_server_that_sends_the_same_in_vain_is_asked_with(
    known: dict[str, Any], conditions: Conditions, force: bool
) -> None:
    assert asked_with(make_read_memory(**known), force=force) is conditions


@pytest.mark.parametrize(
    ("fetched", "identical", "broken_until"),
    [
        pytest.param(make_same(), 0, NOW + 30 * DAY, id="helps, it is done for a month"),
        pytest.param(again(same_etag=False), 4, None, id="does not help, both are named again"),
        pytest.param(make_new(), 0, None, id="brings news, nothing is learned"),
        pytest.param(make_failed("http_500"), 3, None, id="fails, it is done again"),
    ],
)
def test_when_leaving_out_the_etag(
    fetched: Fetched, identical: int, broken_until: datetime | None
) -> None:
    memory = after(fetched, identical=3)

    assert (memory.identical, memory.etag_broken_until) == (identical, broken_until)


LATER = NOW + 10 * DAY


@pytest.mark.parametrize(
    ("fetched", "identical", "broken_until"),
    [
        pytest.param(make_same(), 0, LATER, id="goes on helping, it is done as long as was set"),
        pytest.param(make_new(), 0, LATER, id="brings news, it is done on"),
        pytest.param(again(same_etag=False), 1, None, id="helps no more, it is not done on"),
    ],
)
def test_when_leaving_out_a_broken_etag(
    fetched: Fetched, identical: int, broken_until: datetime | None
) -> None:
    memory = after(fetched, etag_broken_until=LATER)

    assert (memory.identical, memory.etag_broken_until) == (identical, broken_until)


def test_a_304_that_was_asked_for_with_both_breaks_no_etag() -> None:
    assert after(make_same(), identical=2).etag_broken_until is None
    assert after(make_same(), identical=3, validators=ETAG).etag_broken_until is None


# One question without any, in case the server says 304 for ever


MONTHLY = tuple(NOW - number * 30 * DAY for number in range(3, -1, -1))


@pytest.mark.parametrize(
    ("known", "conditions"),
    [
        pytest.param({"whole_at": NOW - 28 * DAY}, Conditions.NONE, id="after four weeks"),
        pytest.param({"whole_at": NOW - 28 * DAY + TICK}, Conditions.ALL, id="no sooner"),
        pytest.param({"whole_at": None}, Conditions.ALL, id="not when nothing ever came"),
        pytest.param(
            {"whole_at": NOW - 28 * DAY, "validators": frozenset()},
            Conditions.ALL,
            id="not when there is nothing to leave out",
        ),
        pytest.param(
            {"whole_at": NOW - 28 * DAY, "failures": 1}, Conditions.ALL, id="not while it fails"
        ),
        pytest.param(
            {"whole_at": NOW - 60 * DAY, "audited_at": NOW - 28 * DAY},
            Conditions.NONE,
            id="four weeks after the last time",
        ),
        pytest.param(
            {"whole_at": NOW - 60 * DAY, "audited_at": NOW - 28 * DAY + TICK},
            Conditions.ALL,
            id="no sooner after the last time",
        ),
        pytest.param(
            {"whole_at": NOW - 240 * DAY, "posts": MONTHLY},
            Conditions.NONE,
            id="after eight months of a monthly",
        ),
        pytest.param(
            {"whole_at": NOW - 240 * DAY + TICK, "posts": MONTHLY},
            Conditions.ALL,
            id="no sooner of a monthly",
        ),
        pytest.param(
            {"whole_at": NOW - 28 * DAY, "posts": (NOW - DAY,)},
            Conditions.NONE,
            id="after four weeks of a feed with one post",
        ),
        pytest.param(
            {"whole_at": NOW - 28 * DAY, "posts": (NOW - HOUR, NOW)},
            Conditions.NONE,
            id="after four weeks of a busy feed",
        ),
    ],
)
def test_a_feed_is_asked_without_validators(known: dict[str, Any], conditions: Conditions) -> None:
    assert asked_with(make_read_memory(**known)) is conditions


def test_haste_leaves_out_no_validators_of_a_feed_that_can_be_read() -> None:
    memory = make_read_memory(whole_at=NOW - 90 * DAY)

    assert asked_with(memory, force=True) is Conditions.ALL


@pytest.mark.parametrize(
    ("known", "force", "conditions"),
    [
        pytest.param({"failures": 1}, True, Conditions.NONE, id="in haste"),
        pytest.param({"failures": 1}, False, Conditions.ALL, id="not when it is merely due"),
        pytest.param({}, False, Conditions.NONE, id="when it was taken up again"),
        pytest.param(
            {"failures": 1, "audited_at": NOW - DAY}, True, Conditions.NONE, id="again after a day"
        ),
        pytest.param(
            {"failures": 1, "audited_at": NOW - DAY + TICK}, True, Conditions.ALL, id="no sooner"
        ),
    ],
)
def test_a_feed_that_could_not_be_read_is_asked_without_validators(
    known: dict[str, Any], force: bool, conditions: Conditions
) -> None:
    memory = make_read_memory(unreadable="it is a page", unreadable_kind="not_a_feed", **known)

    assert asked_with(memory, force=force) is conditions


@pytest.mark.parametrize(
    ("fetched", "audited_at"),
    [
        pytest.param(again(conditional=False), NOW, id="the same whole answer"),
        pytest.param(make_new(conditional=False), NOW, id="another whole answer"),
        pytest.param(make_failed("http_500", conditional=False), NOW, id="an error"),
        pytest.param(make_failed("timeout", conditional=False), NOW, id="an answer that is late"),
        pytest.param(make_failed("dns", conditional=False), None, id="no server"),
        pytest.param(
            make_failed("retry_later", conditional=False, status=302), None, id="a redirect"
        ),
        pytest.param(make_same(), None, id="an answer to validators"),
    ],
)
def test_a_question_without_validators_counts_that_brought(
    fetched: Fetched, audited_at: datetime | None
) -> None:
    assert after(fetched).audited_at == audited_at


def test_a_question_without_validators_is_nothing_new_where_there_are_none() -> None:
    memory = after(again(conditional=False), validators=frozenset())

    assert memory.audited_at is None
