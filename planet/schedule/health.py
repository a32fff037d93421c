"""Feed state → what is told of it: to readers, to machines, and to the operator.

Only `check_alarm` takes `now`: of everything else, the same state always gives the same record.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from planet.errors import GAVE_UP
from planet.model import Advice, FeedHealth, FeedState, Health, Hints, IssueKind
from planet.schedule.attempts import current_state
from planet.schedule.constants import FLOOR, IGNORED_AFTER, policy_floor
from planet.schedule.due import next_poll, plan_poll
from planet.text import account, address
from planet.text.address import redact

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from planet.model import Feed, HostState, Profile


TROUBLE = 3
"""Failures in a row from which on readers and operator are told: every feed fails now and then."""

QUIET = timedelta(days=90)
"""A feed without a new entry for so long is quiet."""


def trouble(state: FeedState | None) -> str | None:
    """Return the error of a feed after `TROUBLE` failures, or at once when it is given up."""
    if state is None or (state.failures < TROUBLE and not state.given_up):
        return None
    return state.error


def quiet_since(state: FeedState) -> datetime | None:
    """Return when the last entry was posted, if that was `QUIET` before the feed last answered."""
    if state.succeeded_at is None or not state.posts:
        return None
    last = state.posts[-1]
    return last if state.succeeded_at - last >= QUIET else None


def changes_pages(before: FeedState | None, after: FeedState) -> bool:
    """Tell whether a page could show a difference between two states of a feed."""
    old = before or FeedState(key="", url="")
    # They are one object where nothing was read.
    is_same = old.profile is after.profile or _visible_profile(old.profile) == _visible_profile(
        after.profile
    )
    return not is_same or _visible_state(old) != _visible_state(after)


def _visible_profile(profile: Profile | None) -> Profile | None:
    """Return the profile without what pages do not show: most feeds change that all the time."""
    return profile and replace(profile, updated=None, reader=None, hints=Hints())


def _visible_state(state: FeedState) -> tuple[object, ...]:
    words = trouble(state)
    since = state.failing_since if words else None
    return words, since, state.given_up, state.adopted_url, quiet_since(state)


_UNREACHED_KINDS = frozenset({"dns", "refused", "unreachable", "private_address"})
"""The kinds of error that are published as one. By the differences a feed could find out, with
redirects, which names and ports there are in the operator's network."""
_UNREACHED = ("unreachable", "the server cannot be reached")
"""The kind and the message that are published."""


def feed_health(feed: Feed, state: FeedState | None) -> FeedHealth:
    """Return the health of a feed for readers."""
    state = current_state(feed, state)
    if feed.is_archived:
        return FeedHealth(is_archived=True, quiet_since=quiet_since(state))
    words = trouble(state) and _public_error(feed, state)[1]
    moved_to = state.adopted_url if _tell_public(feed, feed.url) else None
    return FeedHealth(
        trouble=words,
        trouble_since=state.failing_since if words else None,
        given_up=state.given_up,
        given_up_at=state.given_up_at,
        quiet_since=quiet_since(state),
        moved_to=moved_to and address.without_secrets(moved_to),
        asked_at=_without_polls(feed, state).settled_at,
    )


def describe_health(
    feed: Feed,
    state: FeedState | None,
    host: HostState | None = None,
    *,
    is_public: bool = False,
) -> dict[str, Any]:
    """Return all that is known of the health of a feed, ready for JSON.

    What is not known is None; times are ISO 8601 in UTC, lengths of time in seconds. A feed that
    is a file has nothing of polls. With `is_public` nothing tells a secret, or what there is in
    the operator's network.
    """
    state = current_state(feed, state)
    polled = _without_polls(feed, state)
    due_at, due_reason = next_poll(feed, state, host)
    tell = partial(_tell_public, feed) if is_public else redact
    url, server = tell(feed.written_url), address.host(state.asked_url or feed.url)
    moved, health = state.moved if url else None, polled.health

    def error(failed: FeedState) -> dict[str, str | None]:
        kind, words = failed.error_kind, failed.error
        if is_public:
            kind, words = _public_error(feed, failed)
        return {"error": kind, "message": words}

    last = polled.last_failure
    fields = {
        "url": url,
        "host": feed.redact(server) if url and server else None,
        "state": _describe_state(feed, state),
        "status": polled.status,
        "asked_at": polled.settled_at,
        "succeeded_at": polled.succeeded_at,
        "changed_at": state.changed_at,
        "posted_at": state.posts[-1] if state.posts else None,
        "quiet_since": quiet_since(state),
        "failures": state.failures,
        "failing_since": state.failing_since,
        **error(state),
        "last_failure": last
        and {
            "at": _to_json(last.at),
            **error(replace(polled, error_kind=last.kind, error=last.message)),
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
            "since": _to_json(moved.since),
            "times": moved.times,
            "adopted": moved.adopted,
        },
        "response_time": health.response_time,
        "identical_in_a_row": state.identical,
        "answers": {name: getattr(health, name) for name in _ANSWERS},
        "last_30_days": _summarize_month(
            sum(day.asked for day in health.days),
            sum(day.failed for day in health.days),
            sum(day.received for day in health.days),
        ),
    }
    return {name: _to_json(value) for name, value in fields.items()}


_ANSWERS = ("whole", "unchanged", "failed", "throttled")


def summarize_health(records: Collection[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the totals of many records of `describe_health`, ready for JSON."""
    # All times are in the same zone and form, so that text has the order of time.
    successes = [record["succeeded_at"] for record in records if record["succeeded_at"]]
    asked = [record for record in records if record["state"] != "archived"]
    months = [record["last_30_days"] for record in records]
    return {
        "as_of": max(filter(None, (record["asked_at"] for record in records)), default=None),
        "feeds": len(records),
        "failing": sum(record["failures"] > 0 for record in asked),
        "given_up": sum(record["given_up"] is not None for record in asked),
        "oldest_success": min(successes, default=None),
        "newest_success": max(successes, default=None),
        "last_30_days": _summarize_month(
            *(sum(month[name] for month in months) for name in ("asked", "failed", "bytes"))
        ),
    }


def _summarize_month(asked: int, failed: int, received: int) -> dict[str, Any]:
    """Return the totals of the requests of 30 days, ready for JSON."""
    rate = round((asked - failed) / asked, 3) if asked else None
    return {"asked": asked, "failed": failed, "success_rate": rate, "bytes": received}


def _without_polls(feed: Feed, state: FeedState) -> FeedState:
    """Return the state of a feed, of a file without how its polls went."""
    if not feed.is_file:
        return state
    # A file is read in every run, so that these would change with each.
    return replace(
        state, status=None, settled_at=None, succeeded_at=None, last_failure=None, health=Health()
    )


def _tell_public(feed: Feed, url: str) -> str | None:
    """Return an address that has to do with a feed as anybody may know it; None for no address."""
    return None if feed.is_hidden else address.without_secrets(url)


def _public_error(feed: Feed, state: FeedState) -> tuple[str | None, str | None]:
    """Return the error of a feed, in words that tell nothing of the machine or its network."""
    if state.error_kind in _UNREACHED_KINDS:
        return _UNREACHED
    # Its words name the feed of a page, which may be in the network here.
    if state.error_kind == "not_a_feed":
        return state.error_kind, "there is no feed at its address"
    if feed.is_file and state.error and state.error != state.unreadable:
        return state.error_kind, "the file cannot be read"
    return state.error_kind, state.error


def _describe_state(feed: Feed, state: FeedState) -> str:
    if not feed.enabled:
        return "disabled"
    if feed.is_archived:
        return "archived"
    if state.attempted_at is None:
        return "never asked"
    if state.given_up:
        return "given up"
    if state.interrupted:
        return "interrupted"
    if state.failures:
        return "failing"
    return "ok" if state.succeeded_at else "never read"


def _to_json(value: Any) -> Any:
    """Return a value for JSON: a moment in ISO 8601 as it is, a length of time in seconds."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return round(value.total_seconds(), 3) if isinstance(value, timedelta) else value


# What the operator should do


_FINDINGS: Final[Mapping[IssueKind, tuple[str, ...]]] = {
    IssueKind.GONE: ("given_up gone",),
    IssueKind.GIVEN_UP: ("given_up not_found", "given_up forbidden", "given_up rejected"),
    IssueKind.ENDED: ("given_up expired",),
    IssueKind.PASSWORD: ("http_401", "http_407", "unsigned"),
    IssueKind.FORBIDDEN: ("http_402", "http_403", "http_451"),
    IssueKind.NOT_FOUND: ("http_404",),
    IssueKind.NEVER_WORKED: ("never_found",),
    IssueKind.THROTTLED: ("http_429",),
    IssueKind.REJECTED: ("rejected",),
    IssueKind.CHALLENGE: ("bot_challenge",),
    IssueKind.CERTIFICATE: ("tls",),
    IssueKind.HOST_NAME: ("dns",),
    IssueKind.REDIRECT: ("bad_redirect", "redirect_loop", "private_address"),
    IssueKind.FILE: ("no_file",),
    IssueKind.PAGE: ("not_a_feed",),
    IssueKind.TOO_LARGE: ("too_large",),
    IssueKind.UNREADABLE: ("unreadable", "bad_list", "empty", "bad_coding", *GAVE_UP),
    IssueKind.DOWN: ("down", "http_408", "http_425"),
    IssueKind.MOVED: ("moved", "renamed"),
    IssueKind.VALIDATORS: ("ignored",),
}
"""What is found of feeds that calls for each kind of advice: kinds of errors, and other things."""
_CONCERNS: Final = {found: concern for concern, each in _FINDINGS.items() for found in each}

_AGAIN = "`planet retry {slug}` has it asked again."
_ADVICE: Final[Mapping[str, str]] = {
    IssueKind.GONE: "Its publisher took it away, so it is not asked any more: remove it from the "
    "config, or say `enabled: archived`, which keeps what it said for good. If it is back, "
    + _AGAIN,
    IssueKind.GIVEN_UP: "Its server has refused us since {since}, so it is not asked any more: ask "
    f"its publisher to let Planet in. After that, {_AGAIN}",
    "given_up not_found": "There has been nothing at its address since {since}, so it is not asked "
    f"any more: correct the address or remove the feed. {_AGAIN}",
    IssueKind.ENDED: "It says that it will never change again, so it is not asked any more; what "
    f"it said stays. If that is not so, {_AGAIN}",
    IssueKind.PASSWORD: "Give it an `auth` in the config with a user name and a password that its "
    "server takes.",
    "unsigned": "Its server wants to know who asks: Planet needs a key to sign with whose public "
    "half it finds (`fetch.signature`).",
    IssueKind.FORBIDDEN: "Ask its publisher to let Planet read it, which is named so in the "
    "User-Agent.",
    IssueKind.NOT_FOUND: "There has been nothing at its address since {since}: see what address "
    "its site has for it now.",
    IssueKind.NEVER_WORKED: "There never was anything at its address: look for a typing error in "
    "it.",
    IssueKind.THROTTLED: "Its server says that we come too often, so it is asked less often from "
    "now on. If that is not enough, give it a longer `min_interval`, or ask its publisher how "
    "often is right.",
    IssueKind.REJECTED: "Its server finds something wrong with our request: ask its publisher what "
    "it is.",
    IssueKind.CHALLENGE: "Something in front of its server lets only browsers pass: ask its "
    "publisher to make an exception for the address of the feed, or for the User-Agent Planet.",
    IssueKind.CERTIFICATE: "Open its address in a browser. If that warns of the certificate as "
    "well, tell its publisher; nothing is fetched past a certificate that does not hold.",
    IssueKind.HOST_NAME: "Look for a typing error in its host name. If there is none, its domain "
    "may have lapsed.",
    IssueKind.REDIRECT: "Open its address in a browser. If it ends at a feed, put that address "
    "into the config.",
    "private_address": "From the public Internet, or from what was there, nobody is led into a "
    "private network. If it is meant to be there, put that address into the config; if it has "
    "always had that address, `planet retry {slug}` has it asked there.",
    IssueKind.FILE: "See whether the file is there and may be read.",
    IssueKind.PAGE: "Open its address in a browser: the page there may lead to the feed it has "
    "now.",
    IssueKind.TOO_LARGE: "Ask its publisher to list fewer entries, or give it a larger "
    "`fetch.max_size`.",
    IssueKind.UNREADABLE: "Tell its publisher: what is there now is of use to no reader.",
    IssueKind.DOWN: "It is asked less and less often, and there is nothing to do but wait. If it "
    "stays so, see whether its site is still there.",
    IssueKind.MOVED: "It has moved to {to} for good: put that address into the config (`planet "
    "status --fix` does that).",
    "renamed": "The account says that it is {to} from now on: put the name it has there into the "
    "config.",
    IssueKind.VALIDATORS: "Its server sends the same again and again, although it is asked for "
    "what has changed: tell its publisher that If-None-Match and If-Modified-Since have no effect.",
}
"""By what was found, where it has advice of its own, or else by the kind of advice; with places for
slug, since and to."""


def advise(feed: Feed, state: FeedState | None) -> Advice | None:
    """Return what the operator should do about a feed; None while there is nothing to do.

    Failures count from the third in a row, and at once when the feed is gone or never worked.
    """
    if state is None or not feed.is_asked:
        return None
    state = current_state(feed, state)
    found = _find_issue(state)
    if found is None:
        return None
    concern = _CONCERNS[found]
    moved_to = state.moved.to if state.moved else state.resolved and state.resolved.moved_to
    words = _ADVICE.get(found, _ADVICE[concern]).format(
        slug=feed.slug,
        since=f"{state.failing_since:%Y-%m-%d}" if state.failing_since else "",
        to=redact(feed.redact(moved_to or "")),
    )
    return Advice(concern=concern, words=words)


def check_alarm(
    feeds: Iterable[Feed], states: Mapping[str, FeedState], *, now: datetime
) -> str | None:
    """Return a warning when no feed at all has come for too long; None otherwise.

    Too long is twice the shortest time between two requests for a feed, and two hours at least.
    """
    polled = [
        (feed, state)
        for feed in feeds
        if feed.is_asked and not feed.is_file and (state := states.get(feed.key)) is not None
        if state.given_up is None and state.settled_at is not None
    ]
    # Feeds that are well may be asked seldom.
    waits = [
        due_at - state.settled_at
        for feed, state in polled
        if not state.failures and state.settled_at
        if (due_at := plan_poll(feed, state).at)
    ] or [policy_floor(feed.policy) for feed, _ in polled]
    good = [state.succeeded_at for _, state in polled if state.succeeded_at]
    since = [state.failing_since for _, state in polled if state.failing_since]
    last = max(good) if good else min(since, default=None)
    if last is None or now - last <= 2 * max(min(waits), FLOOR):
        return None
    return f"no feed at all has come since {last:%Y-%m-%d %H:%M} UTC"


def _find_issue(state: FeedState) -> str | None:
    """Return what of `_FINDINGS` holds for a feed; None while there is nothing to do."""
    if state.given_up:
        return f"given_up {state.given_up}"
    kind, never_worked = state.error_kind, state.succeeded_at is None
    is_told_often = kind == "http_429" and state.health.throttled >= TROUBLE
    if kind and state.failures and (state.failures >= TROUBLE or never_worked or is_told_often):
        if kind == "http_404" and never_worked:
            return "never_found"
        if kind == "http_401" and account.is_name(state.url):
            return "unsigned"
        return kind if kind in _CONCERNS else "rejected" if kind.startswith("http_4") else "down"
    return _find_oddity(state)


def _find_oddity(state: FeedState) -> str | None:
    """Return what is odd about a feed that works."""
    if state.adopted_url:
        return "moved"
    if state.resolved and state.resolved.moved_to:
        return "renamed"
    at, until = state.settled_at, state.etag_broken_until
    if state.identical >= IGNORED_AFTER or (at and until and at < until):
        return "ignored"
    return None
