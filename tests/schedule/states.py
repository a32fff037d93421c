"""Builders for what is known of feeds, and for what asking them brings."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from planet.errors import FeedError, FetchError, ParseError
from planet.model import DueReason, Feed, FeedState, Fetched, HostState, ParseResult
from planet.schedule import KnownFeeds, record_attempt
from planet.schedule.waits import stable_fraction
from tests.builders import NOW, make_feed, make_fetched, make_profile, make_state

SECOND, MINUTE, HOUR, DAY = (
    timedelta(**{unit: 1}) for unit in ("seconds", "minutes", "hours", "days")
)
TICK = timedelta.resolution
BOTH = frozenset({"etag", "last-modified"})

NOT_A_FEED = ParseError("not_a_feed", "this is a web page")


def make_read_state(**changes: Any) -> FeedState:
    """What is known of a feed that was asked an hour ago, had news then, and is well."""
    state = make_state(
        profile=make_profile(),
        processed_hash="aa",
        reader="1",
        attempted_at=NOW - HOUR,
        settled_at=NOW - HOUR,
        due_at=NOW,
        due_reason=DueReason.FLOOR,
        status=200,
        answered_url="https://one.example/feed",
        validators=BOTH,
        succeeded_at=NOW - HOUR,
        whole_at=NOW - HOUR,
        changed_at=NOW - HOUR,
    )
    return replace(state, **changes)


def make_same(**changes: Any) -> Fetched:
    """A 304 to a request with validators; with `body_hash`, a 200 with a known body instead."""
    status = 200 if "body_hash" in changes else 304
    fetched = make_fetched(status=status, conditional=True, validators=BOTH)
    when = changes.pop("when", NOW)
    return replace(fetched, **{"started": when, "ended": when, **changes})


def make_new(**changes: Any) -> Fetched:
    """A 200 with a body that was not read yet, to a request with validators."""
    return replace(make_same(body_hash="bb"), body=b"<feed/>", **changes)


def make_failed(kind: str, **changes: Any) -> Fetched:
    """An answer, or none, that is an error of this kind."""
    status = int(kind.removeprefix("http_")) if kind.startswith("http_") else None
    error = FetchError(kind, f"it is {kind}")
    return replace(
        make_same(when=changes.pop("when", NOW)), **{"status": status, **changes}, error=error
    )


def attempt(
    before: FeedState | None,
    fetched: Fetched,
    result: ParseResult | FeedError | None = None,
    *,
    feed: Feed | None = None,
    reader: str = "1",
) -> FeedState:
    """Return what is known of a feed after an attempt; its body is read by the parser "1"."""
    return record_attempt(before, feed or make_feed(), fetched, result, reader=reader)


def waiting(wait: timedelta, reason: str, *, at: datetime = NOW) -> dict[str, Any]:
    """What is set after an attempt that ended then: this wait, and what chance adds to it."""
    most = min(max(wait - HOUR, 0 * HOUR) * 0.1, 30 * MINUTE)
    if reason in {"backoff", "throttled", "forbidden", "not_found", "rejected"}:
        most = wait * 0.25
    due_at = at + wait + most * stable_fraction("one", at)
    return {"settled_at": at, "due_at": due_at, "due_reason": reason}


def is_waiting(state: FeedState, wait: timedelta, reason: str) -> bool:
    """Whether a feed waits for so long since its last attempt, and for this reason."""
    assert state.settled_at is not None
    expected = waiting(wait, reason, at=state.settled_at)
    return {name: getattr(state, name) for name in expected} == expected


def make_known(
    feeds: Sequence[Feed],
    states: Mapping[str, FeedState],
    hosts: Mapping[str, HostState] | None = None,
) -> KnownFeeds:
    """Return the feeds of a planet with what is known of them, for the parser "1"."""
    return KnownFeeds(feeds, states, hosts or {}, reader=lambda _: "1")
