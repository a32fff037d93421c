"""Feeds that lead to one address for good: one of them is asked for all."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from planet.model import (
    DueReason,
    Feed,
    FeedState,
    Fetched,
    FetchPolicy,
    Filters,
    IssueKind,
    Moved,
    Picks,
)
from planet.model.secrets import Secret
from planet.schedule import find_merges, select_due, set_merged_into
from planet.schedule.health import advise, describe_health
from tests.builders import NOW, make_feed, make_reading
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    attempt,
    make_failed,
    make_known,
    make_new,
    make_read_state,
    make_same,
)

OLD, NEW, NEWER = (f"https://{name}.example/feed" for name in ("old", "new", "newer"))


def feeds(*urls: str, **changes: Any) -> list[Feed]:
    """Feeds with these addresses, of which the last has the changes."""
    made = [make_feed(url, url=url) for url in urls]
    return [*made[:-1], replace(made[-1], **changes)]


def moved(url: str, to: str, *, adopted: bool = False, **changes: Any) -> FeedState:
    move = Moved(to=to, since=NOW - DAY, adopted=adopted)
    return make_read_state(key=url, url=url, moved=move, **changes)


def merges(feeds: list[Feed], *states: FeedState) -> Mapping[str, str]:
    by_key = {state.key: state for state in states}
    return find_merges(feeds, by_key, place_of=lambda feed: None)


@cases(
    "states, expected",
    case("as soon as one leads to the other", [moved(OLD, NEW)], {OLD: NEW}),
    case("when that is adopted", [moved(OLD, NEW, adopted=True)], {OLD: NEW}),
    case("when both led elsewhere once", [moved(OLD, NEWER), moved(NEW, NEWER)], {}),
    case(
        "when both are asked elsewhere, the first of them",
        [moved(OLD, NEWER, adopted=True), moved(NEW, NEWER, adopted=True)],
        {NEW: OLD},
    ),
    case(
        "when the one to which it leads has moved itself",
        [moved(OLD, NEW), moved(NEW, NEWER, adopted=True)],
        {OLD: NEW},
    ),
    case("not while they lead to each other", [moved(OLD, NEW), moved(NEW, OLD)], {}),
    case("not while nothing leads anywhere", [], {}),
    case("not one that was given up", [moved(OLD, NEW, given_up="gone")], {}),
    case(
        "not into one that is gone",
        [moved(OLD, NEW), make_read_state(key=NEW, url=NEW, failures=1, error_kind="http_404")],
        {},
    ),
    case(
        "also into one that is down for a while",
        [moved(OLD, NEW), make_read_state(key=NEW, url=NEW, failures=9, error_kind="http_500")],
        {OLD: NEW},
    ),
)
def test_feeds_that_lead_to_one_are_merged(
    states: list[FeedState], expected: dict[str, str]
) -> None:
    assert merges(feeds(OLD, NEW), *states) == expected


def test_of_three_the_one_with_the_address_is_asked() -> None:
    states = [moved(OLD, NEWER), moved(NEW, OLD)]

    assert merges(feeds(OLD, NEW, NEWER), *states) == {OLD: NEWER, NEW: NEWER}


@cases(
    "changes, expected",
    case("it is called otherwise", {"name": "Other", "priority": 3}, {OLD: NEW}),
    case("it has more tags", {"tags": ("python",)}, {OLD: NEW}),
    case("it is not enabled", {"enabled": False}, {}),
    case("it is archived", {"is_archived": True}, {}),
    case("it has a password", {"policy": FetchPolicy(auth=("me", Secret("secret")))}, {}),
    case("only picks of it are wanted", {"picks": Picks.ONLY}, {}),
    case("not all of it is wanted", {"filters": Filters(recent=3)}, {}),
)
def test_a_feed_is_merged_into_another_unless_what_is_wanted_of_it_differs(
    changes: dict[str, Any], expected: dict[str, str]
) -> None:
    assert merges(feeds(OLD, NEW, **changes), moved(OLD, NEW)) == expected


def test_a_feed_keeps_the_tags_and_the_editions_that_only_it_has() -> None:
    old, new = feeds(OLD, NEW)
    states = {OLD: moved(OLD, NEW)}

    tagged = find_merges([replace(old, tags=("a",)), new], states, place_of=lambda feed: None)
    elsewhere = find_merges([old, new], states, place_of=lambda feed: feed.key)

    assert (tagged, elsewhere) == ({}, {})


def merged(**changes: Any) -> FeedState:
    return set_merged_into(moved(OLD, NEW, **changes), NEW)


def test_a_merged_feed_is_not_asked_nor_failing_and_its_line_is_to_go() -> None:
    feed = feeds(OLD)[0]
    state = merged(failures=4, error_kind="http_500", error="it fails", failing_since=NOW - DAY)

    found = advise(feed, state)

    assert (state.failures, state.due_reason) == (0, DueReason.MERGED)
    assert state.due_at == NOW - HOUR + 28 * DAY
    assert select_due(make_known([feed], {OLD: state}), now=NOW + 20 * DAY) == []
    assert (describe_health(feed, state)["state"], state.is_well) == ("merged", False)
    assert found is not None
    assert found.concern is IssueKind.MERGED
    assert f"the same as {NEW}" in found.words
    assert "remove this one" in found.words


def test_it_is_asked_at_its_own_address_after_four_weeks() -> None:
    state = set_merged_into(moved(OLD, NEWER, adopted=True), NEW)

    (request,) = select_due(make_known(feeds(OLD), {OLD: state}), now=NOW + 28 * DAY)

    assert request.url == OLD


LATER = NOW + 28 * DAY


@cases(
    "fetched, still",
    case("leads there still", make_same(when=LATER, permanent_url=NEW, url=NEW), NEW),
    case("has posts of its own", make_new(started=LATER, ended=LATER, url=OLD), None),
    case("leads there for a while", make_same(when=LATER, url=NEW), None),
    case("leads elsewhere", make_same(when=LATER, permanent_url=NEWER, url=NEWER), NEWER),
    case("is gone", make_failed("http_410", when=LATER, url=OLD), NEW),
    case("has no name any more", make_failed("dns", when=LATER, url=OLD), NEW),
)
@pytest.mark.parametrize("adopted", [False, True], ids=["seen once", "adopted"])
def test_a_merged_feed_may_part_again(fetched: Fetched, still: str | None, adopted: bool) -> None:
    before = set_merged_into(moved(OLD, NEW, adopted=adopted), NEW)
    result = make_reading() if fetched.body else None

    state = attempt(before, fetched, result, feed=feeds(OLD)[0])

    assert (state.moved and state.moved.to) == still
    assert (state.failures, state.given_up) == (0, None)
    assert state.due_reason is DueReason.MERGED


def test_what_is_no_longer_merged_is_asked_again() -> None:
    state = set_merged_into(merged(), None)

    assert (state.merged_into, state.due_reason, state.due_at) == (None, DueReason.FLOOR, NOW)
