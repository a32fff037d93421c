"""Where permanent redirects lead, and what becomes of a feed that moves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from planet.model import FeedState, Fetched, GivenUp, Moved, ParseResult
from planet.schedule import due, forced, next_poll, remember, renamed
from tests.builders import NOW, make_draft, make_feed, make_memory, make_reading
from tests.schedule.known import (
    DAY,
    HOUR,
    NOT_A_FEED,
    make_failed,
    make_new,
    make_read_memory,
    make_same,
    wait_of,
)

if TYPE_CHECKING:
    from planet.errors import FeedError

OLD = "https://one.example/feed"
NEW = "https://new.example/feed"
NEWER = "https://newer.example/feed"


def moved(**said: Any) -> Moved:
    """A move to the new address that was noticed yesterday, and is not adopted."""
    return replace(Moved(to=NEW, since=NOW - DAY), **said)


ADOPTED = moved(adopted=True, times=3)


def led(to: str | None, **said: Any) -> Fetched:
    """A 304 from where a permanent redirect led."""
    return make_same(**{"permanent_url": to, "url": to or OLD, **said})


def after(
    before: Moved | None,
    fetched: Fetched,
    *,
    result: ParseResult | FeedError | None = None,
    url: str = OLD,
) -> FeedState:
    memory = make_read_memory(moved=before, url=url)
    return remember(memory, make_feed(url=url), fetched, result, reader="1")


def asked_at(memory: FeedState, *others: str, **said: Any) -> str:
    """The address at which the feed is asked, beside feeds at other addresses."""
    feeds = [make_feed(), *(make_feed(f"n{n}", url=url, **said) for n, url in enumerate(others))]
    memories = {"one": replace(memory, due_at=NOW)}
    found = [
        [
            turn.url
            for turn in choose(feeds, memories, {}, reader="1", now=NOW + HOUR)
            if turn.feed.key == "one"
        ]
        for choose in (due, forced)
    ]
    assert found[0] == found[1]
    return found[0][0]


# Until it is adopted


@pytest.mark.parametrize(
    ("before", "fetched", "expected"),
    [
        pytest.param(
            None,
            led(NEW, url="https://elsewhere.example/"),
            Moved(to=NEW, since=NOW),
            id="noticed, though it leads on",
        ),
        pytest.param(
            moved(),
            led("HTTPS://NEW.example:443/feed#x"),
            moved(times=2),
            id="counted when the same",
        ),
        pytest.param(moved(times=2), led(None), None, id="forgotten when not told any more"),
        pytest.param(moved(times=2), led(OLD), None, id="forgotten when it leads back"),
        pytest.param(
            moved(times=2), led("http://new.example/feed"), None, id="none that gives up TLS"
        ),
    ],
)
def test_a_move_is(before: Moved | None, fetched: Fetched, expected: Moved | None) -> None:
    assert after(before, fetched).moved == expected


@pytest.mark.parametrize(
    ("url", "to", "adopted"),
    [
        pytest.param("http://one.example/feed", OLD, True, id="the same"),
        pytest.param("http://one.example:80/feed?a=1", f"{OLD}?a=1", True, id="and query"),
        pytest.param("http://one.example/feed", "https://one.example/", False, id="another path"),
        pytest.param("http://one.example/feed", f"{OLD}?a=1", False, id="another query"),
        pytest.param("http://one.example/feed", "https://www.one.example/feed", False, id="host"),
        pytest.param("http://one.example/feed", "https://one.example:8443/feed", False, id="port"),
        pytest.param("http://one.example/http:/", "https://one.example/https:/", False, id="trick"),
    ],
)
def test_an_address_over_tls_is_adopted_at_once_when_it_is_otherwise(
    url: str, to: str, adopted: bool
) -> None:
    memory = after(None, led(to), url=url)

    assert memory.moved == Moved(to=to, since=NOW, adopted=adopted)


@pytest.mark.parametrize(
    ("fetched", "result", "believed"),
    [
        pytest.param(make_new(permanent_url=NEW, url=NEW), make_reading(), True, id="a feed is"),
        pytest.param(led(NEW), None, True, id="the same is"),
        pytest.param(make_new(permanent_url=NEW, url=NEW), NOT_A_FEED, False, id="a web page is"),
        pytest.param(
            make_failed("http_404", permanent_url=NEW, url=NEW), None, False, id="nothing is"
        ),
        pytest.param(make_failed("timeout"), None, False, id="nobody knows whether anything is"),
    ],
)
def test_a_move_counts_only_if_where_it_leads(
    fetched: Fetched, result: ParseResult | FeedError | None, believed: bool
) -> None:
    memory = after(moved(), fetched, result=result)

    assert memory.moved == moved(times=2 if believed else 1)


def test_a_web_page_that_is_not_modified_is_no_place_to_move_to() -> None:
    first = after(None, make_new(permanent_url=NEW, url=NEW), result=NOT_A_FEED)

    second = remember(first, make_feed(), led(NEW), None, reader="1")

    assert (first.moved, second.moved) == (None, None)


# Once it is adopted


def test_a_feed_is_asked_where_it_has_moved_once_that_is_adopted() -> None:
    assert asked_at(make_read_memory()) == OLD
    assert asked_at(make_read_memory(moved=moved(times=9))) == OLD
    assert asked_at(make_read_memory(moved=ADOPTED)) == NEW


@pytest.mark.parametrize(
    ("others", "said", "url"),
    [
        pytest.param([NEWER], {}, NEW, id="any other"),
        pytest.param([NEW], {}, OLD, id="that address"),
        pytest.param(
            ["https://NEW.example:443/feed"], {}, OLD, id="that address, written otherwise"
        ),
        pytest.param([NEW], {"enabled": False}, NEW, id="that address, but not enabled"),
    ],
)
def test_a_feed_that_moved_is_asked_at_its_address_beside_one_at(
    others: list[str], said: dict[str, Any], url: str
) -> None:
    assert asked_at(make_read_memory(moved=ADOPTED), *others, **said) == url


@pytest.mark.parametrize(
    ("fetched", "expected"),
    [
        pytest.param(make_same(url=NEW), ADOPTED, id="stays"),
        pytest.param(led(NEW), ADOPTED, id="stays, though it was asked at the old address"),
        pytest.param(
            led("http://new.example/other"), ADOPTED, id="stays, where it would give up TLS"
        ),
        pytest.param(led(NEWER), Moved(to=NEWER, since=NOW), id="is left for where it leads"),
        pytest.param(make_failed("timeout", url=NEW), ADOPTED, id="stays when it fails"),
        pytest.param(make_failed("http_403", url=NEW), ADOPTED, id="stays when it is forbidden"),
        pytest.param(make_failed("dns", url=NEW), ADOPTED, id="stays when there is no such name"),
    ],
)
def test_an_adopted_address(fetched: Fetched, expected: Moved) -> None:
    assert after(ADOPTED, fetched).moved == expected


@pytest.mark.parametrize(
    ("fetched", "result"),
    [
        pytest.param(make_failed("http_404", url=NEW), None, id="nothing there any more"),
        pytest.param(make_failed("http_410", url=NEW), None, id="been taken away"),
        pytest.param(make_new(url=NEW), NOT_A_FEED, id="a web page now"),
        pytest.param(make_failed("private_address", url=NEW), None, id="in a private network now"),
    ],
)
def test_a_feed_goes_back_when_the_adopted_address_has(
    fetched: Fetched, result: FeedError | None
) -> None:
    before = make_read_memory(moved=ADOPTED, answered_url=NEW)

    memory = remember(before, make_feed(), fetched, result, reader="1")

    assert (memory.moved, memory.answered_url) == (None, None)
    assert (memory.failures, memory.error_kind, memory.given_up) == (0, None, None)
    assert (memory.processed_hash, memory.unreadable) == ("aa", None)
    assert (memory.attempted_at, memory.status) == (NOW, fetched.status)
    assert wait_of(memory) == (HOUR, "floor")
    assert (memory.health.failed, asked_at(memory)) == (1, OLD)


def test_what_its_own_address_says_after_that_is_held_against_the_feed() -> None:
    back = after(ADOPTED, make_failed("http_404", url=NEW))

    memory = remember(back, make_feed(), make_failed("http_410", url=OLD), None, reader="1")

    assert memory.given_up is GivenUp.GONE


@pytest.mark.parametrize("kind", ["http_404", "http_410", "dns"])
def test_an_address_is_adopted_at_once_when_the_one_that_led_there_is_gone(kind: str) -> None:
    memory = after(moved(), make_failed(kind, url=OLD))

    assert memory.moved == moved(adopted=True)
    assert (memory.failures, memory.given_up) == (0, None)
    assert wait_of(memory) == (HOUR, "floor")
    assert asked_at(memory) == NEW


@pytest.mark.parametrize(
    ("before", "fetched"),
    [
        pytest.param(None, make_failed("http_404"), id="leads nowhere"),
        pytest.param(moved(), make_failed("http_500"), id="fails otherwise"),
        pytest.param(
            moved(), make_failed("http_404", url=NEW, permanent_url=NEW), id="leads to nothing"
        ),
        pytest.param(moved(), make_failed("http_404", url=NEWER), id="leads to nothing elsewhere"),
    ],
)
def test_no_address_is_adopted_while_the_other_one(before: Moved | None, fetched: Fetched) -> None:
    memory = after(before, fetched)

    assert (memory.moved, memory.failures) == (before, 1)


def test_what_a_429_taught_holds_at_the_other_address_too() -> None:
    before = make_read_memory(moved=moved(), learned_floor=4 * HOUR, throttled_at=NOW)

    memory = remember(before, make_feed(), make_failed("http_404"), None, reader="1")

    assert wait_of(memory) == (4 * HOUR, "floor")


# When the operator changes the config


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(make_read_memory(moved=ADOPTED), id="adopted"),
        pytest.param(make_read_memory(moved=moved()), id="noticed"),
        pytest.param(
            make_read_memory(moved=moved(), url=NEW), id="noticed, and followed by the state"
        ),
        pytest.param(make_read_memory(moved=ADOPTED, failures=0), id="adopted, and well"),
    ],
)
def test_a_feed_that_moves_in_the_config_too_is_not_another_one(before: FeedState) -> None:
    feed = make_feed(url=NEW)
    waiting = replace(before, due_at=NOW + HOUR)

    turns = due([feed], {"one": waiting}, {}, reader="1", now=NOW)
    memory = remember(waiting, feed, make_same(url=NEW), None, reader="1")

    assert turns == []
    assert next_poll(feed, waiting, None) == (NOW + HOUR, "floor")
    assert (memory.url, memory.moved, memory.succeeded_at) == (NEW, None, NOW)
    assert memory.validators == before.validators


@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param({"failures": 3, "error_kind": "http_403", "error": "no"}, id="failed"),
        pytest.param({"given_up": GivenUp.FORBIDDEN, "due_at": None}, id="was given up"),
    ],
)
def test_a_feed_that_leaves_trouble_behind_in_the_config_is_due_at_once(
    trouble: dict[str, Any],
) -> None:
    feed = make_feed(url=NEW)
    before = make_read_memory(**{"moved": moved(), "due_at": NOW + DAY, **trouble})

    (turn,) = due([feed], {"one": before}, {}, reader="1", now=NOW)
    memory = remember(before, feed, make_failed("timeout"), None, reader="1")

    assert turn.url == NEW
    assert (memory.failures, memory.given_up, memory.moved) == (1, None, None)


def make_moved(key: str, to: str, **said: Any) -> FeedState:
    return make_memory(key, moved=moved(to=to, **said))


@pytest.mark.parametrize(
    ("feeds", "memories", "expected"),
    [
        pytest.param([NEW], [make_moved("old", NEW)], [("old", NEW)], id="a noticed move"),
        pytest.param(
            [NEW], [make_moved("old", NEW, adopted=True)], [("old", NEW)], id="an adopted move"
        ),
        pytest.param(
            [NEW],
            [make_moved("old", "https://NEW.example:443/feed")],
            [("old", NEW)],
            id="a move to the same address, written otherwise",
        ),
        pytest.param([NEW], [make_memory("old")], [], id="no move"),
        pytest.param([NEW], [make_moved("old", NEWER)], [], id="a move elsewhere"),
        pytest.param([NEW, OLD], [make_moved(OLD, NEW)], [], id="a feed that is still there"),
        pytest.param(
            [NEW], [make_moved("old", NEW), make_memory(NEW)], [], id="a feed that is known already"
        ),
        pytest.param(
            [NEW, NEWER],
            [make_moved("old", NEW), make_moved("older", NEWER)],
            [("old", NEW), ("older", NEWER)],
            id="two moves",
        ),
        pytest.param(
            [NEW],
            [make_moved("old", NEW), make_moved("older", NEW)],
            [("older", NEW)],
            id="one of two",
        ),
    ],
)
def test_a_feed_takes_its_past_to_its_new_address_after(
    feeds: list[str], memories: list[FeedState], expected: list[tuple[str, str]]
) -> None:
    wanted = [make_feed(url, url=url) for url in feeds]

    found = renamed(wanted, {memory.key: memory for memory in memories})

    assert [(key, feed.url) for key, feed in found] == expected


def test_a_past_is_taken_along_once() -> None:
    feeds = [make_feed("a", url=NEW), make_feed("b", url=NEW)]

    assert renamed(feeds, {"old": make_moved("old", NEW)}) == [("old", feeds[0])]


def test_a_first_answer_may_come_from_where_a_feed_has_moved() -> None:
    memory = remember(
        None,
        make_feed(),
        make_new(permanent_url=NEW, url=NEW),
        make_reading(make_draft()),
        reader="1",
    )

    assert (memory.moved, memory.answered_url) == (Moved(to=NEW, since=NOW), NEW)
