"""Where permanent redirects lead, and what becomes of a feed that moves."""

from typing import Any

from msgspec.structs import replace

from planet.errors import FeedError
from planet.model import FeedState, Fetched, Moved, ParseResult
from planet.schedule import match_renamed_feeds
from tests.builders import NOW, make_feed, make_state
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    attempt,
    make_read_state,
    make_same,
)

OLD = "https://one.example/feed"
NEW = "https://new.example/feed"
NEWER = "https://newer.example/feed"


def moved(**changes: Any) -> Moved:
    """A move to the new address that was noticed yesterday, and is not adopted."""
    return replace(Moved(to=NEW, since=NOW - DAY), **changes)


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


# Until it is adopted


@cases(
    "before, fetched, expected",
    case("counted when the same", moved(), led("HTTPS://NEW.example:443/feed#x"), moved(times=2)),
    case("forgotten when not told any more", moved(times=2), led(None), None),
    case("none that gives up TLS", moved(times=2), led("http://new.example/feed"), None),
)
def test_moves_are_counted(before: Moved | None, fetched: Fetched, expected: Moved | None) -> None:
    assert after(before, fetched).moved == expected


@cases(
    "url, to, adopted",
    case("the same", "http://one.example/feed", OLD, True),
    case("and query", "http://one.example:80/feed?a=1", f"{OLD}?a=1", True),
    case("another path", "http://one.example/feed", "https://one.example/", False),
    case("host", "http://one.example/feed", "https://www.one.example/feed", False),
    case("trick", "http://one.example/http:/", "https://one.example/https:/", False),
)
def test_an_address_over_tls_is_adopted_at_once_when_it_is_otherwise_the_same(
    url: str, to: str, adopted: bool
) -> None:
    state = after(None, led(to), url=url)

    assert state.moved == Moved(to=to, since=NOW, adopted=adopted)


# When the operator changes the config


def make_moved(key: str, to: str, **changes: Any) -> FeedState:
    return make_state(key, moved=moved(to=to, **changes))


@cases(
    "feeds, states, expected",
    case("a noticed move", [NEW], [make_moved("old", NEW)], [("old", NEW)]),
    case(
        "a move to the same address, written otherwise",
        [NEW],
        [make_moved("old", "https://NEW.example:443/feed")],
        [("old", NEW)],
    ),
    case("no move", [NEW], [make_state("old")], []),
    case("a feed that is still there", [NEW, OLD], [make_moved(OLD, NEW)], []),
    case("one of two", [NEW], [make_moved("old", NEW), make_moved("older", NEW)], [("older", NEW)]),
)
def test_a_feed_takes_its_past_to_its_new_address_after_a_move(
    feeds: list[str], states: list[FeedState], expected: list[tuple[str, str]]
) -> None:
    wanted = [make_feed(url, url=url) for url in feeds]

    found = match_renamed_feeds(wanted, {state.key: state for state in states})

    assert [(key, feed.url) for key, feed in found.items()] == expected
