"""Feed state → the health of the feed: for the pages, for machines, and for the operator.

Only `check_alarm` takes `now`: of everything else, the same state always gives the same record.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import asdict, replace

from planet.model import TROUBLE, Advice, Day, DueReason, Failure, FeedHealth, Hints
from planet.schedule.due import next_poll, plan_poll
from planet.schedule.record import current_state, reset, revive
from planet.schedule.waits import FLOOR, IGNORED_AFTER, find_ladder
from planet.text import account, address
from planet.text.address import redact

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from planet.model import Feed, FeedState, HostState


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
    quiet_since = _quiet_since(state)
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
        quiet_since=quiet_since,
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
        # A run asks just now, or was killed while it asked.
        return "unfinished"
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
    fields, answers = asdict(record), asdict(record.requests)
    del fields["requests"]
    days = answers.pop("days")
    fields |= {"response_time": answers.pop("response_time"), "answers": answers}
    return _make_record(**fields, last_30_days=_summarize_month(days))


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


def changes_pages(before: FeedState | None, after: FeedState) -> bool:
    """Tell whether a page could show a difference between two states of a feed."""
    return before is None or _visible_facts(before) != _visible_facts(after)


def _visible_facts(state: FeedState) -> tuple[object, ...]:
    """Return the facts for pages, as in `FeedHealth.page_part`; others change all the time."""
    is_in_trouble = state.failures >= TROUBLE or state.given_up
    trouble = (state.error, state.failing_since) if is_in_trouble else None
    profile = state.profile and replace(state.profile, updated=None, reader=None, hints=Hints())
    given_up = state.given_up, state.given_up_at
    return profile, trouble, given_up, state.adopted_url, _quiet_since(state)


def _quiet_since(state: FeedState) -> datetime | None:
    """Return when the last entry was posted, if that was long before the last answer."""
    posted_at, read_at = state.posts[-1] if state.posts else None, state.succeeded_at
    return posted_at if posted_at and read_at and read_at - posted_at >= QUIET else None


# What the operator should do


_AGAIN = "`planet retry {slug}` has it asked again."
_ADVICE: Final[Mapping[str, str]] = {
    # The feed is given up.
    "gone": "Its publisher took it away: remove it from the config, or keep what it said with "
    f"`enabled: archived`. If it is back, {_AGAIN}",
    "not_found": f"There is nothing at its address: correct the address or remove it. {_AGAIN}",
    "forbidden": f"Its server has refused us for weeks: ask its publisher to let us in. {_AGAIN}",
    "rejected": f"Its server has refused us for weeks: ask its publisher for the reason. {_AGAIN}",
    "expired": f"It says that it will never change; what it said stays. If not, {_AGAIN}",
    # It fails.
    "never_worked": "There never was anything at its address: look for a typing error.",
    "http_401": "Give it an `auth` in the config with a name and a password that its server takes.",
    "unsigned": "Its server wants signed requests: give Planet a key (`fetch.signature`).",
    "http_403": "Ask its publisher to let the User-Agent Planet read it.",
    "http_404": "There is nothing at its address any more: see what its site names now.",
    "http_429": "It is asked less often from now on; it may need a longer `min_interval`.",
    "http_4xx": "Its server finds something wrong with our request: ask its publisher.",
    "bot_challenge": "Something in front of its server lets only browsers pass: ask its publisher "
    "to make an exception for this address, or for the User-Agent Planet.",
    "tls": "Open its address in a browser; if that warns of the certificate, tell its publisher.",
    "dns": "Look for a typing error in its host name; else its domain may have lapsed.",
    "bad_redirect": "Open its address in a browser; if it ends at a feed, configure that address.",
    "private_address": "It leads from the public Internet into a private network. If it is meant "
    f"to be there, put that address into the config; if it had that address before, {_AGAIN}",
    "no_file": "See whether the file is there and may be read.",
    "not_a_feed": "Open its address in a browser: the page may lead to the feed it has now.",
    "too_large": "Ask its publisher to list fewer entries, or raise `fetch.max_size`.",
    "unreadable": "Tell its publisher: what is there now is of use to no reader.",
    "down": "It is asked less and less often. If it stays so, see whether its site is still there.",
    # It works, and something is odd.
    "moved": "It has moved to {to} for good: let `planet status --fix` write that to the config.",
    "renamed": "The account is called {to} from now on: put that name into the config.",
    "ignored": "Its server sends the same again and again: tell its publisher that If-None-Match "
    "and If-Modified-Since have no effect.",
}
"""By the concern, with places for slug and to."""


def advise(feed: Feed, state: FeedState | None) -> Advice | None:
    """Return advice for the operator about a feed; None while there is nothing to do.

    Failures count from the third in a row, and at once when the feed is gone or never worked.
    """
    if state is None or not feed.is_asked:
        return None
    state = current_state(feed, state)
    concern = _find_trouble(state) or _find_oddity(state)
    if concern is None:
        return None
    moved_to = state.moved.to if state.moved else state.resolved and state.resolved.moved_to
    words = _ADVICE[concern].format(slug=feed.slug, to=redact(feed.redact(moved_to or "")))
    return Advice(concern=concern, words=words)


def _find_trouble(state: FeedState) -> str | None:
    """Return the trouble of a failing feed; None while the failure is too new to matter."""
    kind, never_worked = state.error_kind, state.succeeded_at is None
    if state.given_up:
        return state.given_up
    is_told_often = kind == "http_429" and state.health.throttled >= TROUBLE
    if not kind or not (state.failures >= TROUBLE or never_worked or is_told_often):
        return None
    if kind == "http_404" and never_worked:
        return "never_worked"
    if kind == "http_401" and account.is_name(state.url):
        return "unsigned"
    if kind in _ADVICE:
        return kind
    if kind == state.unreadable_kind:
        return "unreadable"
    ladder = find_ladder(kind)
    refusals = {DueReason.FORBIDDEN: "http_403", DueReason.REJECTED: "http_4xx"}
    return refusals.get(ladder.reason, "down") if ladder else "down"


def _find_oddity(state: FeedState) -> str | None:
    """Return the oddity of a working feed; None where nothing is odd."""
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
    answered, waits = [], []
    for feed in feeds:
        state = states.get(feed.key)
        if state is None or state.given_up or feed.is_file or not feed.is_asked:
            continue
        answered += [state.succeeded_at] if state.succeeded_at else []
        due_at = plan_poll(feed, state).at
        # A feed that is well may be asked seldom.
        if due_at and state.settled_at and not state.failures:
            waits.append(due_at - state.settled_at)
    last = max(answered, default=now)
    if now - last <= 2 * max(min(waits, default=FLOOR), FLOOR):
        return None
    return f"no feed at all has come since {last:%Y-%m-%d %H:%M} UTC"
