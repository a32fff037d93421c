"""Feed state → the health of the feed: for the pages, for machines, and for the operator.

Only `check_alarm` takes `now`: of everything else, the same state always gives the same record.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import asdict, replace

from planet.model import TROUBLE, Advice, Day, Failure, FeedHealth, Hints, IssueKind
from planet.schedule.due import next_poll, plan_poll
from planet.schedule.record import current_state, reset, revive
from planet.schedule.waits import FLOOR, IGNORED_AFTER, policy_floor
from planet.text import account, address
from planet.text.address import redact

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from planet.model import Feed, FeedState, HostState, Profile


_NO_HOSTS: Final[Mapping[str, HostState]] = {}

QUIET = timedelta(days=90)
"""A feed without a new entry for so long is quiet."""


def feed_health(
    feed: Feed,
    state: FeedState | None,
    hosts: Mapping[str, HostState] = _NO_HOSTS,
    *,
    is_public: bool = False,
) -> FeedHealth:
    """Return the health of a feed; `hosts` has the states of servers.

    With `is_public` the record has no secret, and nothing of the operator's network. An archived
    feed has no trouble. A file has nothing of polls, which would change with every run.
    """
    state = current_state(feed, state)
    posted_at, word = state.posts[-1] if state.posts else None, _describe_state(feed, state)
    is_quiet = posted_at and state.succeeded_at and state.succeeded_at - posted_at >= QUIET
    if feed.is_archived:
        state = replace(revive(state), moved=None)
    if feed.is_file:
        state = reset(state, "status", "settled_at", "succeeded_at", "last_failure", "health")

    def tell(url: str) -> str | None:
        if not is_public:
            return redact(url)
        return None if feed.is_hidden else address.without_secrets(url)

    def error(kind: str | None, words: str | None) -> dict[str, Any]:
        if is_public and kind is not None:
            kind, words = _hide_network(feed, state, kind, words)
        return {"error": kind, "message": words}

    url, server = tell(feed.written_url), address.host(state.asked_url or feed.url)
    to = tell(feed.redact(state.moved.to)) if state.moved and url else None
    due_at, due_reason = next_poll(feed, state, hosts)
    last = state.last_failure
    return FeedHealth(
        url=url,
        host=feed.redact(server) if url and server else None,
        state=word,
        asked_at=state.settled_at,
        posted_at=posted_at,
        quiet_since=posted_at if is_quiet else None,
        due_at=due_at,
        due_reason=due_reason,
        last_failure=Failure(at=last.at, **error(last.error, last.message)) if last else None,
        moved=replace(state.moved, to=to) if state.moved and to else None,
        identical_in_a_row=state.identical,
        requests=state.health,
        **error(state.error_kind, state.error),
        **{name: getattr(state, name) for name in _SAME},
    )


_SAME = (
    *("status", "succeeded_at", "changed_at", "failures", "failing_since", "given_up"),
    *("given_up_at", "rests_until", "learned_floor"),
)
"""Fields of a state that are told as they are."""


def _describe_state(feed: Feed, state: FeedState) -> str:
    if not feed.is_asked:
        return "archived" if feed.enabled else "disabled"
    if state.attempted_at is None:
        return "never asked"
    if state.given_up:
        return "given up"
    if state.interrupted:
        return "interrupted"
    if state.failures:
        return "failing"
    return "ok" if state.succeeded_at else "never read"


def _hide_network(
    feed: Feed, state: FeedState, kind: str, words: str | None
) -> tuple[str, str | None]:
    """Return an error of a feed without facts about the machine here and the network."""
    # By the differences a feed could find out, with redirects, which names and ports there are.
    if kind in {"dns", "unreachable", "private_address"}:
        return "unreachable", "the server cannot be reached"
    # Its words name the feed of a page, which may be in the network here.
    if kind == "not_a_feed":
        return kind, "there is no feed at its address"
    if feed.is_file and words != state.unreadable:
        return kind, "the file cannot be read"
    return kind, words


def health_json(record: FeedHealth) -> dict[str, Any]:
    """Return the health of a feed ready for JSON."""
    fields, requests = asdict(record), record.requests
    del fields["requests"]
    answers = ("whole", "unchanged", "failed", "throttled")
    return _make_record(
        **fields,
        response_time=requests.response_time,
        answers={name: getattr(requests, name) for name in answers},
        last_30_days=_summarize_month(requests.days),
    )


def summarize_health(records: Collection[FeedHealth]) -> dict[str, Any]:
    """Return the totals of the health of many feeds, ready for JSON."""
    successes = [record.succeeded_at for record in records if record.succeeded_at]
    return _make_record(
        as_of=max((record.asked_at for record in records if record.asked_at), default=None),
        feeds=len(records),
        failing=sum(record.failures > 0 for record in records),
        given_up=sum(record.given_up is not None for record in records),
        oldest_success=min(successes, default=None),
        newest_success=max(successes, default=None),
        last_30_days=_summarize_month(day for one in records for day in one.requests.days),
    )


def _summarize_month(days: Iterable[Day]) -> dict[str, Any]:
    """Return the totals of the requests of 30 days."""
    _, asked, failed, received = map(sum, zip(Day(0), *days, strict=True))
    rate = round((asked - failed) / asked, 3) if asked else None
    return {"asked": asked, "failed": failed, "success_rate": rate, "bytes": received}


def _make_record(**fields: Any) -> dict[str, Any]:
    """Return a record ready for JSON: times in ISO 8601 and UTC, lengths of time in seconds."""
    return {name: _to_json(value) for name, value in fields.items()}


def _to_json(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return _make_record(**asdict(value))
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return round(value.total_seconds(), 3) if isinstance(value, timedelta) else value


def changes_pages(feed: Feed, before: FeedState | None, after: FeedState) -> bool:
    """Tell whether a page could show a difference between two states of a feed."""
    old, new = before.profile if before else None, after.profile
    if old is not new and _visible_profile(old) != _visible_profile(new):
        return True
    return feed_health(feed, before).page_part != feed_health(feed, after).page_part


def _visible_profile(profile: Profile | None) -> Profile | None:
    """Return the profile without facts hidden on pages, which most feeds change all the time."""
    return profile and replace(profile, updated=None, reader=None, hints=Hints())


# What the operator should do


_CONCERNS: Final = {kind: issue for issue in IssueKind for kind in issue.kinds}

_AGAIN = "`planet retry {slug}` has it asked again."
_ADVICE: Final[Mapping[str, str]] = {
    IssueKind.GONE: "Its publisher took it away, so it is not asked any more: remove it from the "
    f"config, or keep what it said with `enabled: archived`. If it is back, {_AGAIN}",
    IssueKind.GIVEN_UP: "Its server has refused us since {since}, so it is not asked any more: ask "
    f"its publisher to let Planet in. After that, {_AGAIN}",
    "given_up not_found": "There has been nothing at its address since {since}, so it is not asked "
    f"any more: correct the address or remove the feed. {_AGAIN}",
    IssueKind.ENDED: "It says that it will never change again, so it is not asked any more; what "
    f"it said stays. If that is not so, {_AGAIN}",
    IssueKind.PASSWORD: "Give it an `auth` in the config with a user name and a password that its "
    "server takes.",
    "unsigned": "Its server wants to know who asks: give Planet a key to sign with, whose public "
    "half the server finds (`fetch.signature`).",
    IssueKind.FORBIDDEN: "Ask its publisher to let the User-Agent Planet read it.",
    IssueKind.NOT_FOUND: "There has been nothing at its address since {since}: see what address "
    "its site has for it now.",
    IssueKind.NEVER_WORKED: "There never was anything at its address: look for a typing error.",
    IssueKind.THROTTLED: "Its server says that we come too often, so it is asked less often from "
    "now on. If that is not enough, give it a longer `min_interval`.",
    IssueKind.REJECTED: "Its server finds something wrong with our request: ask its publisher.",
    IssueKind.CHALLENGE: "Something in front of its server lets only browsers pass: ask its "
    "publisher to make an exception for this address, or for the User-Agent Planet.",
    IssueKind.CERTIFICATE: "Open its address in a browser. If that warns of the certificate as "
    "well, tell its publisher; nothing is fetched past a certificate that does not hold.",
    IssueKind.HOST_NAME: "Look for a typing error in its host name. If there is none, its domain "
    "may have lapsed.",
    IssueKind.REDIRECT: "Open its address in a browser. If it ends at a feed, put that address "
    "into the config.",
    "private_address": "It is in the public Internet, or was, and leads into a private network, "
    "where Planet does not follow. If it is meant to be there, put that address into the config; "
    "if it has always had that address, `planet retry {slug}` has it asked there.",
    IssueKind.FILE: "See whether the file is there and may be read.",
    IssueKind.PAGE: "Open its address in a browser: the page may lead to the feed it has now.",
    IssueKind.TOO_LARGE: "Ask its publisher to list fewer entries, or raise `fetch.max_size`.",
    IssueKind.UNREADABLE: "Tell its publisher: what is there now is of use to no reader.",
    IssueKind.DOWN: "It is asked less and less often, and there is nothing to do but wait. If it "
    "stays so, see whether its site is still there.",
    IssueKind.MOVED: "It has moved to {to} for good: put that address into the config (`planet "
    "status --fix` does that).",
    "renamed": "The account is called {to} from now on: put that name into the config.",
    IssueKind.VALIDATORS: "Its server sends the same again and again, although it is asked for "
    "what has changed: tell its publisher that If-None-Match and If-Modified-Since have no effect.",
}
"""By the finding where that has words of its own, else by the kind of trouble; with places for
slug, since and to."""


def advise(feed: Feed, state: FeedState | None) -> Advice | None:
    """Return advice for the operator about a feed; None while there is nothing to do.

    Failures count from the third in a row, and at once when the feed is gone or never worked.
    """
    if state is None or not feed.is_asked:
        return None
    state = current_state(feed, state)
    finding = _find_trouble(state) or _find_oddity(state)
    if finding is None:
        return None
    concern = _CONCERNS[finding]
    moved_to = state.moved.to if state.moved else state.resolved and state.resolved.moved_to
    words = _ADVICE.get(finding, _ADVICE[concern]).format(
        slug=feed.slug,
        since=f"{state.failing_since:%Y-%m-%d}" if state.failing_since else "",
        to=redact(feed.redact(moved_to or "")),
    )
    return Advice(concern=concern, words=words)


def _find_trouble(state: FeedState) -> str | None:
    """Return the finding about a failing feed; None while the failure is too new to matter."""
    kind, never_worked = state.error_kind, state.succeeded_at is None
    if state.given_up:
        return f"given_up {state.given_up}"
    is_told_often = kind == "http_429" and state.health.throttled >= TROUBLE
    if not kind or not (state.failures >= TROUBLE or never_worked or is_told_often):
        return None
    if kind == "http_404" and never_worked:
        return "never_found"
    if kind == "http_401" and account.is_name(state.url):
        return "unsigned"
    return kind if kind in _CONCERNS else "rejected" if kind.startswith("http_4") else "down"


def _find_oddity(state: FeedState) -> str | None:
    """Return the finding about a working feed; None where nothing is odd."""
    if state.adopted_url:
        return "moved"
    if state.resolved and state.resolved.moved_to:
        return "renamed"
    at, until = state.settled_at, state.etag_broken_until
    is_broken = at is not None and until is not None and at < until
    return "ignored" if is_broken or state.identical >= IGNORED_AFTER else None


def check_alarm(
    feeds: Iterable[Feed], states: Mapping[str, FeedState], *, now: datetime
) -> str | None:
    """Return a warning when no feed at all has come for too long; None otherwise.

    Too long is twice the shortest time between two requests for a feed, and two hours at least.
    """
    polled = [
        (feed, state, state.settled_at)
        for feed in feeds
        if feed.is_asked and not feed.is_file and (state := states.get(feed.key)) is not None
        if state.given_up is None and state.settled_at is not None
    ]
    # Feeds that are well may be asked seldom.
    waits = [
        due_at - settled_at
        for feed, state, settled_at in polled
        if not state.failures and (due_at := plan_poll(feed, state).at)
    ] or [policy_floor(feed.policy) for feed, _, _ in polled]
    good = [state.succeeded_at for _, state, _ in polled if state.succeeded_at]
    since = [state.failing_since for _, state, _ in polled if state.failing_since]
    last = max(good) if good else min(since, default=None)
    if last is None or now - last <= 2 * max(min(waits), FLOOR):
        return None
    return f"no feed at all has come since {last:%Y-%m-%d %H:%M} UTC"
