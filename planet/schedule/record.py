"""What is known of a feed → how it stands, for readers and for machines. Pure.

There is no clock in it: the same state gives the same record, whenever it is looked at.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from planet.model import FeedHealth, Health
from planet.schedule.advice import quiet_since, trouble
from planet.schedule.attempts import state_of
from planet.schedule.due import next_poll
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planet.model import Feed, FeedState, HostState


_UNREACHED_KINDS = frozenset({"dns", "refused", "unreachable", "private_address"})
"""The kinds of error that are one for the public. By the differences, who runs a feed and redirects
could see which names and ports there are where we are."""
_UNREACHED = ("unreachable", "the server cannot be reached")
"""Its kind and words."""


def feed_health(feed: Feed, state: FeedState | None, host: HostState | None = None) -> FeedHealth:
    """How it goes with a feed, as far as readers are told; `host` is the server it is asked at."""
    state = state_of(feed, state)
    asked = _asked(feed, state)
    words = trouble(state) and _public(feed, state)
    due_at, due_reason = next_poll(feed, state, host)
    moved_to = state.adopted_url if not feed.is_hidden and address.public(feed.url) else None
    return FeedHealth(
        trouble=words,
        trouble_since=state.failing_since if words else None,
        given_up=state.given_up,
        given_up_at=state.given_up_at,
        quiet_since=quiet_since(state),
        moved_to=moved_to and address.public(moved_to),
        asked_at=asked.settled_at,
        answered_at=asked.succeeded_at,
        due_at=due_at,
        due_reason=due_reason,
        wait=due_at - asked.settled_at if due_at and asked.settled_at else None,
    )


def record(
    feed: Feed,
    state: FeedState | None,
    host: HostState | None = None,
    *,
    tell: Callable[[str], str | None] = address.redacted,
    is_public: bool = False,
) -> dict[str, Any]:
    """Everything about how it goes with a feed, ready for JSON.

    What is not known is None; times are ISO 8601 in UTC, lengths of time in seconds. `tell` says
    how an address may be told: None, or without its secrets. Nobody is asked for a feed that is a
    file, so nothing is said of how asking goes. With `is_public` nothing is said either of what
    there is in the network where we are.
    """
    state = state_of(feed, state)
    asked = _asked(feed, state)
    due_at, due_reason = next_poll(feed, state, host)
    url = tell(feed.written_url)
    server = address.host(state.asked_url or feed.url)
    last, moved, health = asked.last_failure, state.moved if url else None, asked.health
    error = partial(_error, feed, tells_address=url is not None, is_public=is_public)
    fields = {
        "url": url,
        "host": feed.redact(server) if url and server else None,
        "state": _state(feed, state),
        "status": asked.status,
        "asked_at": asked.settled_at,
        "succeeded_at": asked.succeeded_at,
        "changed_at": state.changed_at,
        "posted_at": state.posts[-1] if state.posts else None,
        "quiet_since": quiet_since(state),
        "failures": state.failures,
        "failing_since": state.failing_since,
        **error(state),
        "last_failure": last
        and {
            "at": _plain(last.at),
            **error(replace(asked, error_kind=last.kind, error=last.message)),
        },
        "given_up": state.given_up,
        "given_up_at": state.given_up_at,
        "due_at": due_at,
        "due_reason": due_reason,
        "rests_until": state.rests_until,
        "learned_floor": state.learned_floor,
        "moved": moved
        and {
            "to": tell(feed.redact(moved.to)),
            "since": _plain(moved.since),
            "times": moved.times,
            "adopted": moved.adopted,
        },
        "response_time": health.response_time,
        "identical_in_a_row": state.identical,
        "answers": {name: getattr(health, name) for name in _ANSWERS},
        "last_30_days": _sum(
            sum(day.asked for day in health.days),
            sum(day.failed for day in health.days),
            sum(day.received for day in health.days),
        ),
    }
    return {name: _plain(value) for name, value in fields.items()}


_ANSWERS = ("whole", "unchanged", "failed", "throttled", "unconditional", "noise")


class Overview:
    """What the records of the feeds that are asked come to, by themselves and by host.

    It keeps none of them: a planet may have a hundred thousand.
    """

    def __init__(self) -> None:
        self._counts = Counter(feeds=0, failing=0, given_up=0)
        self._month = Counter(asked=0, failed=0, received=0)
        self._asked_at: str | None = None
        self._succeeded: tuple[str, str] | None = None
        self._hosts: dict[str, dict[str, int]] = {}

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record."""
        month = record["last_30_days"]
        self._counts["feeds"] += 1
        self._counts["failing"] += record["failures"] > 0
        self._counts["given_up"] += record["given_up"] is not None
        self._month["asked"] += month["asked"]
        self._month["failed"] += month["failed"]
        self._month["received"] += month["bytes"]
        # All in the same zone and form, so that text has the order of time.
        if at := record["asked_at"]:
            self._asked_at = max(at, self._asked_at or at)
        if at := record["succeeded_at"]:
            oldest, newest = self._succeeded or (at, at)
            self._succeeded = min(at, oldest), max(at, newest)
        if record["host"]:
            host = self._hosts.setdefault(record["host"], {"feeds": 0, "asked": 0, "bytes": 0})
            host["feeds"] += 1
            host["asked"] += month["asked"]
            host["bytes"] += month["bytes"]

    def as_json(self) -> dict[str, Any]:
        """What those that were counted come to, ready for JSON."""
        oldest, newest = self._succeeded or (None, None)
        return {
            "as_of": self._asked_at,
            **self._counts,
            "oldest_success": oldest,
            "newest_success": newest,
            "last_30_days": _sum(**self._month),
            "hosts": dict(sorted(self._hosts.items())),
        }


def _sum(asked: int, failed: int, received: int) -> dict[str, Any]:
    """What asking came to in 30 days."""
    rate = round((asked - failed) / asked, 3) if asked else None
    return {"asked": asked, "failed": failed, "success_rate": rate, "bytes": received}


def _asked(feed: Feed, state: FeedState) -> FeedState:
    """What is known of a feed, without what only asking can tell if nobody is asked for it."""
    if not feed.is_file:
        return state
    # It is read in every run, so that these would change with each.
    return replace(
        state, status=None, settled_at=None, succeeded_at=None, last_failure=None, health=Health()
    )


def _error(
    feed: Feed, state: FeedState, *, tells_address: bool, is_public: bool
) -> dict[str, str | None]:
    """What is wrong with a feed; `tells_address` says whether its address is told as well."""
    return {
        "error": _UNREACHED[0] if is_public and _is_unreached(state) else state.error_kind,
        "message": state.error if tells_address and not is_public else _public(feed, state),
    }


def _is_unreached(state: FeedState) -> bool:
    return state.error_kind in _UNREACHED_KINDS


def _public(feed: Feed, state: FeedState) -> str | None:
    """What is wrong with a feed, in words that tell nothing of the machine or its network."""
    if _is_unreached(state):
        return _UNREACHED[1]
    if feed.is_file and state.error and state.error != state.unreadable:
        return "the file cannot be read"
    return state.error


def _state(feed: Feed, state: FeedState) -> str:
    if not feed.enabled:
        return "disabled"
    if state.attempted_at is None:
        return "never asked"
    if state.given_up:
        return "given up"
    if state.interrupted:
        return "interrupted"
    return "failing" if state.failures else "ok"


def _plain(value: Any) -> Any:
    """A value as JSON has it: a moment in UTC, a length of time in seconds."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return round(value.total_seconds(), 3) if isinstance(value, timedelta) else value
