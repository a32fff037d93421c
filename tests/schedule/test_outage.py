"""When our own connection is down, and no feed is to blame."""

from itertools import starmap
from typing import Any

from msgspec.structs import replace

from planet.model import Feed, Fetched, PolledFeed
from planet.schedule import is_outage, undo_attempt
from tests.builders import NOW, make_feed
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
    make_failed,
    make_new,
    make_read_state,
    make_same,
    wait_of,
)

KINDS = ("dns", "connect_timeout", "tls", "refused", "unreachable", "timeout", "truncated")


def tried(feeds: int, hosts: int, kinds: tuple[str, ...] = KINDS) -> list[tuple[Feed, Fetched]]:
    """Feeds spread over hosts, each with one of these failures."""
    return [
        (
            make_feed(f"f{n}", url=f"https://h{n % hosts}.example/{n}"),
            make_failed(kinds[n % len(kinds)]),
        )
        for n in range(feeds)
    ]


@cases(
    "attempts, expected",
    case("ten feeds on five hosts in all manners", tried(10, 5), True),
    case("nine feeds", tried(9, 9), False),
    case("four hosts", tried(50, 4), False),
    case("none at all", [], False),
    *(
        case(f"all but one: {words}", [*tried(20, 20), (make_feed(), other)], False)
        for words, other in {
            "not modified": make_same(),
            "a new body": make_new(),
            "an error of a server": make_failed("http_500"),
            "a redirect": make_failed("retry_later", status=302),
            "an answer that makes no sense": make_failed("broken_answer"),
        }.items()
    ),
    case(
        "all but a file",
        [*tried(10, 5), (make_feed(url="file:///feed.xml"), make_new(status=None))],
        True,
    ),
    case(
        "all but a body from disk",
        [*tried(10, 5), (make_feed(), make_new(status=None, asked=False))],
        True,
    ),
    case(
        "files alone",
        [(make_feed(str(n), url="file:///x"), make_failed("no_file")) for n in range(20)],
        False,
    ),
    case("nine feeds twice", tried(9, 9) + tried(9, 9), False),
)
def test_it_is_an_outage_when_all_of_ten_feeds_at_five_hosts_fail(
    attempts: list[tuple[Feed, Fetched]], expected: bool
) -> None:
    assert is_outage(starmap(PolledFeed, attempts)) is expected


@cases(
    "known, wait",
    case("was well", {}, HOUR),
    case(
        "was failing",
        {
            "failures": 9,
            "failing_since": NOW - DAY,
            "strikes": 2,
            "error_kind": "http_404",
            "error": "it is gone",
        },
        HOUR,
    ),
    case("was throttled", {"learned_floor": 3 * HOUR, "throttled_at": NOW - DAY}, 3 * HOUR),
)
def test_an_outage_changes_nothing_but_the_next_time(known: dict[str, Any], wait: Any) -> None:
    before = make_read_state(**known)
    fetched = make_failed("dns", started=NOW - MINUTE, ended=NOW)

    after = undo_attempt(before, make_feed(), fetched)

    assert wait_of(after) == (wait, "outage")
    assert replace(after, due_at=None) == replace(
        before, attempted_at=NOW - MINUTE, settled_at=NOW, due_at=None, due_reason=after.due_reason
    )
