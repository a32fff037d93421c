"""Where permanent redirects lead, and what becomes of a feed that moves."""

from typing import Any

import pytest
from msgspec.structs import replace

from planet.errors import FeedError
from planet.model import FeedState, Fetched, GivenUp, Moved, ParseResult
from planet.schedule import match_renamed_feeds, next_poll, select_due
from tests.builders import NOW, make_draft, make_feed, make_reading, make_state
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    NOT_A_FEED,
    attempt,
    make_failed,
    make_known,
    make_new,
    make_read_state,
    make_same,
    wait_of,
)

OLD = "https://one.example/feed"
NEW = "https://new.example/feed"
NEWER = "https://newer.example/feed"


def moved(**changes: Any) -> Moved:
    """A move to the new address that was noticed yesterday, and is not adopted."""
    return replace(Moved(to=NEW, since=NOW - DAY), **changes)


ADOPTED = moved(adopted=True, times=3)


def led(to: str | None, **changes: Any) -> Fetched:
    """A 304 from where a permanent redirect led."""
    return make_same(**{"permanent_url": to, "url": to or OLD, **changes})


def after(
    before: Moved | None,
    fetched: Fetched,
    *,
    result: ParseResult | FeedError | None = None,
    url: str = OLD,
) -> FeedState:
    state = make_read_state(moved=before, url=url)
    return attempt(state, fetched, result, feed=make_feed(url=url))


def asked_at(state: FeedState, *others: str, **changes: Any) -> str:
    """The address at which the feed is asked, beside feeds at other addresses."""
    feeds = [make_feed(), *(make_feed(f"n{n}", url=url, **changes) for n, url in enumerate(others))]
    states = {"one": replace(state, due_at=NOW)}
    found = [
        [
            turn.url
            for turn in select_due(make_known(feeds, states), now=NOW + HOUR, force=force)
            if turn.feed.key == "one"
        ]
        for force in (False, True)
    ]
    assert found[0] == found[1]
    return found[0][0]


# Until it is adopted


@cases(
    "before, fetched, expected",
    case(
        "noticed, though it leads on",
        None,
        led(NEW, url="https://elsewhere.example/"),
        Moved(to=NEW, since=NOW),
    ),
    case("counted when the same", moved(), led("HTTPS://NEW.example:443/feed#x"), moved(times=2)),
    case("forgotten when not told any more", moved(times=2), led(None), None),
    case("forgotten when it leads back", moved(times=2), led(OLD), None),
    case("none that gives up TLS", moved(times=2), led("http://new.example/feed"), None),
)
def test_moves_are_counted(before: Moved | None, fetched: Fetched, expected: Moved | None) -> None:
    assert after(before, fetched).moved == expected


@cases(
    "url, to, adopted",
    case("the same", "http://one.example/feed", OLD, True),
    case("and query", "http://one.example:80/feed?a=1", f"{OLD}?a=1", True),
    case("another path", "http://one.example/feed", "https://one.example/", False),
    case("another query", "http://one.example/feed", f"{OLD}?a=1", False),
    case("host", "http://one.example/feed", "https://www.one.example/feed", False),
    case("port", "http://one.example/feed", "https://one.example:8443/feed", False),
    case("trick", "http://one.example/http:/", "https://one.example/https:/", False),
)
def test_an_address_over_tls_is_adopted_at_once_when_it_is_otherwise_the_same(
    url: str, to: str, adopted: bool
) -> None:
    state = after(None, led(to), url=url)

    assert state.moved == Moved(to=to, since=NOW, adopted=adopted)


@cases(
    "fetched, result, believed",
    case("a feed is", make_new(permanent_url=NEW, url=NEW), make_reading(), True),
    case("the same is", led(NEW), None, True),
    case("a web page is", make_new(permanent_url=NEW, url=NEW), NOT_A_FEED, False),
    case("nothing is", make_failed("http_404", permanent_url=NEW, url=NEW), None, False),
    case("nobody knows whether anything is", make_failed("timeout"), None, False),
)
def test_a_move_counts_only_if_it_leads_to_a_feed(
    fetched: Fetched, result: ParseResult | FeedError | None, believed: bool
) -> None:
    state = after(moved(), fetched, result=result)

    assert state.moved == moved(times=2 if believed else 1)


def test_a_web_page_that_is_not_modified_is_no_place_to_move_to() -> None:
    first = after(None, make_new(permanent_url=NEW, url=NEW), result=NOT_A_FEED)

    second = attempt(first, led(NEW))

    assert (first.moved, second.moved) == (None, None)


# Once it is adopted


def test_a_feed_is_asked_where_it_has_moved_once_that_is_adopted() -> None:
    assert asked_at(make_read_state()) == OLD
    assert asked_at(make_read_state(moved=moved(times=9))) == OLD
    assert asked_at(make_read_state(moved=ADOPTED)) == NEW


@cases(
    "others, said, url",
    case("any other", [NEWER], {}, NEW),
    case("that address", [NEW], {}, OLD),
    case("that address, written otherwise", ["https://NEW.example:443/feed"], {}, OLD),
    case("that address, but not enabled", [NEW], {"enabled": False}, NEW),
)
def test_a_feed_that_moved_is_asked_at_its_own_address_beside_one_at_the_new(
    others: list[str], said: dict[str, Any], url: str
) -> None:
    assert asked_at(make_read_state(moved=ADOPTED), *others, **said) == url


@cases(
    "fetched, expected",
    case("stays", make_same(url=NEW), ADOPTED),
    case("stays, though it was asked at the old address", led(NEW), ADOPTED),
    case("stays, where it would give up TLS", led("http://new.example/other"), ADOPTED),
    case("is left for where it leads", led(NEWER), Moved(to=NEWER, since=NOW)),
    case("stays when it fails", make_failed("timeout", url=NEW), ADOPTED),
    case("stays when it is forbidden", make_failed("http_403", url=NEW), ADOPTED),
    case("stays when there is no such name", make_failed("dns", url=NEW), ADOPTED),
)
def test_an_adopted_address_stays_unless_it_leads_on(fetched: Fetched, expected: Moved) -> None:
    assert after(ADOPTED, fetched).moved == expected


@cases(
    "fetched, result",
    case("nothing there any more", make_failed("http_404", url=NEW), None),
    case("been taken away", make_failed("http_410", url=NEW), None),
    case("a web page now", make_new(url=NEW), NOT_A_FEED),
    case("in a private network now", make_failed("private_address", url=NEW), None),
)
def test_a_feed_goes_back_when_the_adopted_address_has_no_feed_any_more(
    fetched: Fetched, result: FeedError | None
) -> None:
    before = make_read_state(moved=ADOPTED, answered_url=NEW)

    state = attempt(before, fetched, result)

    assert (state.moved, state.answered_url) == (None, None)
    assert (state.failures, state.error_kind, state.given_up) == (0, None, None)
    assert (state.processed_hash, state.unreadable) == ("aa", None)
    assert (state.attempted_at, state.status) == (NOW, fetched.status)
    assert wait_of(state) == (HOUR, "floor")
    assert (state.health.failed, asked_at(state)) == (1, OLD)


def test_what_its_own_address_says_after_that_is_held_against_the_feed() -> None:
    back = after(ADOPTED, make_failed("http_404", url=NEW))

    state = attempt(back, make_failed("http_410", url=OLD))

    assert state.given_up is GivenUp.GONE


@pytest.mark.parametrize("kind", ["http_404", "http_410", "dns"])
def test_an_address_is_adopted_at_once_when_the_one_that_led_there_is_gone(kind: str) -> None:
    state = after(moved(), make_failed(kind, url=OLD))

    assert state.moved == moved(adopted=True)
    assert (state.failures, state.given_up) == (0, None)
    assert wait_of(state) == (HOUR, "floor")
    assert asked_at(state) == NEW


@cases(
    "before, fetched",
    case("leads nowhere", None, make_failed("http_404")),
    case("fails otherwise", moved(), make_failed("http_500")),
    case("leads to nothing", moved(), make_failed("http_404", url=NEW, permanent_url=NEW)),
    case("leads to nothing elsewhere", moved(), make_failed("http_404", url=NEWER)),
)
def test_no_address_is_adopted_without_need(before: Moved | None, fetched: Fetched) -> None:
    state = after(before, fetched)

    assert (state.moved, state.failures) == (before, 1)


def test_what_a_429_taught_holds_at_the_other_address_too() -> None:
    before = make_read_state(moved=moved(), learned_floor=4 * HOUR, throttled_at=NOW)

    state = attempt(before, make_failed("http_404"))

    assert wait_of(state) == (4 * HOUR, "floor")


# When the operator changes the config


@cases(
    "before",
    case("adopted", make_read_state(moved=ADOPTED)),
    case("noticed", make_read_state(moved=moved())),
    case("noticed, and followed by the state", make_read_state(moved=moved(), url=NEW)),
    case("adopted, and well", make_read_state(moved=ADOPTED, failures=0)),
)
def test_a_feed_that_moves_in_the_config_too_is_not_another_one(before: FeedState) -> None:
    feed = make_feed(url=NEW)
    waiting = replace(before, due_at=NOW + HOUR)

    turns = select_due(make_known([feed], {"one": waiting}), now=NOW)
    state = attempt(waiting, make_same(url=NEW), feed=feed)

    assert turns == []
    assert next_poll(feed, waiting, None) == (NOW + HOUR, "floor")
    assert (state.url, state.moved, state.succeeded_at) == (NEW, None, NOW)
    assert state.validators == before.validators


@cases(
    "trouble",
    case("failed", {"failures": 3, "error_kind": "http_403", "error": "no"}),
    case("was given up", {"given_up": GivenUp.FORBIDDEN, "due_at": None}),
)
def test_a_feed_that_leaves_trouble_behind_in_the_config_is_due_at_once(
    trouble: dict[str, Any],
) -> None:
    feed = make_feed(url=NEW)
    before = make_read_state(**{"moved": moved(), "due_at": NOW + DAY, **trouble})

    (turn,) = select_due(make_known([feed], {"one": before}), now=NOW)
    state = attempt(before, make_failed("timeout"), feed=feed)

    assert turn.url == NEW
    assert (state.failures, state.given_up, state.moved) == (1, None, None)


def make_moved(key: str, to: str, **changes: Any) -> FeedState:
    return make_state(key, moved=moved(to=to, **changes))


@cases(
    "feeds, states, expected",
    case("a noticed move", [NEW], [make_moved("old", NEW)], [("old", NEW)]),
    case("an adopted move", [NEW], [make_moved("old", NEW, adopted=True)], [("old", NEW)]),
    case(
        "a move to the same address, written otherwise",
        [NEW],
        [make_moved("old", "https://NEW.example:443/feed")],
        [("old", NEW)],
    ),
    case("no move", [NEW], [make_state("old")], []),
    case("a move elsewhere", [NEW], [make_moved("old", NEWER)], []),
    case("a feed that is still there", [NEW, OLD], [make_moved(OLD, NEW)], []),
    case("a feed that is known already", [NEW], [make_moved("old", NEW), make_state(NEW)], []),
    case(
        "two moves",
        [NEW, NEWER],
        [make_moved("old", NEW), make_moved("older", NEWER)],
        [("old", NEW), ("older", NEWER)],
    ),
    case("one of two", [NEW], [make_moved("old", NEW), make_moved("older", NEW)], [("older", NEW)]),
)
def test_a_feed_takes_its_past_to_its_new_address_after_a_move(
    feeds: list[str], states: list[FeedState], expected: list[tuple[str, str]]
) -> None:
    wanted = [make_feed(url, url=url) for url in feeds]

    found = match_renamed_feeds(wanted, {state.key: state for state in states})

    assert [(key, feed.url) for key, feed in found.items()] == expected


def test_a_past_is_taken_along_once() -> None:
    feeds = [make_feed("a", url=NEW), make_feed("b", url=NEW)]

    assert match_renamed_feeds(feeds, {"old": make_moved("old", NEW)}) == {"old": feeds[0]}


def test_a_first_answer_may_come_from_where_a_feed_has_moved() -> None:
    state = attempt(None, make_new(permanent_url=NEW, url=NEW), make_reading(make_draft()))

    assert (state.moved, state.answered_url) == (Moved(to=NEW, since=NOW), NEW)
