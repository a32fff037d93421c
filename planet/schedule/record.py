"""What is known of a feed → how it stands, for readers and for machines. Pure.

There is no clock in it: the same memory gives the same record, whenever it is looked at.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from planet.model import FeedHealth, Health
from planet.schedule.advice import quiet_since, trouble
from planet.schedule.attempts import known_of
from planet.schedule.due import next_poll
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from planet.model import Feed, FeedState, HostState


_UNREACHED_KINDS = frozenset({"dns", "refused", "unreachable", "private_address"})
"""The kinds of error that are one for the public. By the differences, who runs a feed and redirects
could see which names and ports there are where we are."""
_UNREACHED = ("unreachable", "the server cannot be reached")
"""Its kind and words."""


def standing(feed: Feed, memory: FeedState | None, host: HostState | None = None) -> FeedHealth:
    """How it goes with a feed, as far as readers are told; `host` is the server it is asked at."""
    known = known_of(feed, memory)
    asked = _asked(feed, known)
    words = trouble(known) and _public(feed, known)
    due_at, due_reason = next_poll(feed, known, host)
    moved_to = known.adopted_url if not feed.is_hidden and address.public(feed.url) else None
    return FeedHealth(
        trouble=words,
        trouble_since=known.failing_since if words else None,
        given_up=known.given_up,
        given_up_at=known.given_up_at,
        quiet_since=quiet_since(known),
        moved_to=moved_to and address.public(moved_to),
        asked_at=asked.settled_at,
        answered_at=asked.succeeded_at,
        due_at=due_at,
        due_reason=due_reason,
        wait=due_at - asked.settled_at if due_at and asked.settled_at else None,
    )


def record(
    feed: Feed,
    memory: FeedState | None,
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
    known = known_of(feed, memory)
    asked = _asked(feed, known)
    due_at, due_reason = next_poll(feed, known, host)
    url = tell(feed.written_url)
    server = address.host(known.asked_url or feed.url)
    return {
        "url": url,
        "host": feed.told(server) if url and server else None,
        "state": _state(feed, known),
        "status": asked.status,
        "asked_at": _told(asked.settled_at),
        "succeeded_at": _told(asked.succeeded_at),
        "changed_at": _told(known.changed_at),
        "posted_at": _told(known.posts[-1] if known.posts else None),
        "quiet_since": _told(quiet_since(known)),
        "failures": known.failures,
        "failing_since": _told(known.failing_since),
        **_error(feed, known, told=url is not None, is_public=is_public),
        "last_failure": _last_failure(feed, asked, told=url is not None, is_public=is_public),
        "given_up": known.given_up,
        "given_up_at": _told(known.given_up_at),
        "due_at": _told(due_at),
        "due_reason": due_reason,
        "rests_until": _told(known.rests_until),
        "learned_floor": _told(known.learned_floor),
        "moved": _moved(feed, known, tell) if url else None,
        "response_time": _told(asked.health.response_time),
        "identical_in_a_row": known.identical,
        "answers": _answers(asked.health),
        "last_30_days": _last_days(asked.health),
    }


def overview(records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What the records of the feeds that are asked come to, by themselves and by host."""
    told = list(records)
    # All in the same zone and form, so that text has the order of time.
    asked_at = [each["asked_at"] for each in told if each["asked_at"]]
    succeeded = [each["succeeded_at"] for each in told if each["succeeded_at"]]
    hosts: dict[str, dict[str, int]] = {}
    for each in told:
        if each["host"]:
            host = hosts.setdefault(each["host"], {"feeds": 0, "asked": 0, "bytes": 0})
            host["feeds"] += 1
            host["asked"] += each["last_30_days"]["asked"]
            host["bytes"] += each["last_30_days"]["bytes"]
    asked = sum(each["last_30_days"]["asked"] for each in told)
    failed = sum(each["last_30_days"]["failed"] for each in told)
    return {
        "as_of": max(asked_at, default=None),
        "feeds": len(told),
        "failing": sum(each["failures"] > 0 for each in told),
        "given_up": sum(each["given_up"] is not None for each in told),
        "oldest_success": min(succeeded, default=None),
        "newest_success": max(succeeded, default=None),
        "last_30_days": {
            "asked": asked,
            "failed": failed,
            "success_rate": _rate(asked, failed),
            "bytes": sum(each["last_30_days"]["bytes"] for each in told),
        },
        "hosts": dict(sorted(hosts.items())),
    }


def _asked(feed: Feed, memory: FeedState) -> FeedState:
    """What is known of a feed, without what only asking can tell if nobody is asked for it."""
    if not feed.is_file:
        return memory
    # It is read in every run, so that these would change with each.
    return replace(
        memory,
        status=None,
        settled_at=None,
        succeeded_at=None,
        last_failure=None,
        health=Health(),
    )


def _error(feed: Feed, memory: FeedState, *, told: bool, is_public: bool) -> dict[str, str | None]:
    """What is wrong with a feed; `told` says whether its address is told as well."""
    return {
        "error": _UNREACHED[0] if is_public and _is_unreached(memory) else memory.error_kind,
        "message": memory.error if told and not is_public else _public(feed, memory),
    }


def _last_failure(
    feed: Feed, memory: FeedState, *, told: bool, is_public: bool
) -> dict[str, Any] | None:
    """When an attempt last failed and what was wrong then, also of a feed that is well again."""
    last = memory.last_failure
    if last is None:
        return None
    then = replace(memory, error_kind=last.kind, error=last.message)
    return {"at": _told(last.at), **_error(feed, then, told=told, is_public=is_public)}


def _is_unreached(memory: FeedState) -> bool:
    return memory.error_kind in _UNREACHED_KINDS


def _public(feed: Feed, memory: FeedState) -> str | None:
    """What is wrong with a feed, in words that tell nothing of the machine or its network."""
    if _is_unreached(memory):
        return _UNREACHED[1]
    if feed.is_file and memory.error and memory.error != memory.unreadable:
        return "the file cannot be read"
    return memory.error


def _state(feed: Feed, memory: FeedState) -> str:
    if not feed.enabled:
        return "disabled"
    if memory.attempted_at is None:
        return "never asked"
    if memory.given_up:
        return "given up"
    if memory.interrupted:
        return "interrupted"
    return "failing" if memory.failures else "ok"


def _moved(
    feed: Feed, memory: FeedState, tell: Callable[[str], str | None]
) -> dict[str, Any] | None:
    """Where permanent redirects lead, adopted or not."""
    moved = memory.moved
    if moved is None:
        return None
    return {
        "to": tell(feed.told(moved.to)),
        "since": _told(moved.since),
        "times": moved.times,
        "adopted": moved.adopted,
    }


def _answers(health: Health) -> dict[str, int]:
    """What attempts brought, since the first."""
    return {
        "whole": health.whole,
        "unchanged": health.unchanged,
        "failed": health.failed,
        "throttled": health.throttled,
        "unconditional": health.unconditional,
        "noise": health.noise,
    }


def _last_days(health: Health) -> dict[str, Any]:
    """What asking came to in the 30 days before the last attempt."""
    asked = sum(day.asked for day in health.days)
    failed = sum(day.failed for day in health.days)
    return {
        "asked": asked,
        "failed": failed,
        "success_rate": _rate(asked, failed),
        "bytes": sum(day.received for day in health.days),
    }


def _rate(asked: int, failed: int) -> float | None:
    return round((asked - failed) / asked, 3) if asked else None


def _told(value: datetime | timedelta | None) -> str | float | None:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return None if value is None else round(value.total_seconds(), 3)
