"""What the operator should do about a feed, once it matters."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from planet.model import Advice, FeedState, GivenUp, Hints, IssueKind
from planet.schedule.attempts import state_of
from planet.schedule.constants import FLOOR, IGNORED_AFTER, floor
from planet.schedule.due import planned
from planet.text import account
from planet.text.address import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from planet.model import Feed, Profile


TROUBLE = 3
"""Failures in a row after which readers and operator are told: every feed has hiccups."""

QUIET = timedelta(days=90)
"""A feed without a new entry for so long is quiet."""


def trouble(state: FeedState | None) -> str | None:
    """What is wrong with a feed, once it matters; None while it is well or only hiccuping.

    It matters at once when the feed is given up.
    """
    if state is None or (state.failures < TROUBLE and not state.given_up):
        return None
    return state.error


def quiet_since(state: FeedState) -> datetime | None:
    """When its last entry was posted, if that was long ago when it last answered."""
    if state.succeeded_at is None or not state.posts:
        return None
    last = state.posts[-1]
    return last if state.succeeded_at - last >= QUIET else None


def shows(before: FeedState | None, after: FeedState) -> bool:
    """Whether a page could show a difference between the two."""
    old = before or FeedState(key="", url="")
    # It is the very same where nothing was read.
    is_same = old.profile is after.profile or _lasting(old.profile) == _lasting(after.profile)
    return not is_same or _shown(old) != _shown(after)


def _lasting(profile: Profile | None) -> Profile | None:
    """What pages have of it: most feeds change the rest with each request."""
    return profile and replace(profile, updated=None, hints=Hints())


def _shown(state: FeedState) -> tuple[object, ...]:
    words = trouble(state)
    since = state.failing_since if words else None
    return words, since, state.given_up, state.adopted_url, quiet_since(state)


_GIVEN_UP: Final = {
    GivenUp.GONE: (
        IssueKind.GONE,
        "Its publisher took it away, so it is not asked any more: remove it from the config. "
        "If it is back, `planet retry {slug}` has it asked again.",
    ),
    GivenUp.NOT_FOUND: (
        IssueKind.GIVEN_UP,
        "There has been nothing at its address since {since}, so it is not asked any more: "
        "correct the address or remove the feed. `planet retry {slug}` has it asked again.",
    ),
    GivenUp.FORBIDDEN: (
        IssueKind.GIVEN_UP,
        "Its server has not let us have it since {since}, so it is not asked any more: ask its "
        "publisher to let Planet in. After that, `planet retry {slug}` has it asked again.",
    ),
    GivenUp.REJECTED: (
        IssueKind.GIVEN_UP,
        "Its server has refused every request since {since}, so it is not asked any more: ask its "
        "publisher what is wrong with them. `planet retry {slug}` has it asked again.",
    ),
    GivenUp.EXPIRED: (
        IssueKind.ENDED,
        "It says that it will never change again, so it is not asked any more; what it said stays. "
        "If that is not so, `planet retry {slug}` has it asked again.",
    ),
}

_NEVER_FOUND: Final = (
    IssueKind.NEVER_WORKED,
    "There never was anything at its address: look for a typing error in it.",
)

_PASSWORD: Final = (
    IssueKind.PASSWORD,
    "Give it an `auth` in the config with a user name and a password that its server takes.",
)
_UNKNOWN: Final = (
    IssueKind.PASSWORD,
    "Its server wants to know who asks: Planet needs a key to sign with whose public half it finds "
    "(`fetch.signature`).",
)
_FORBIDDEN: Final = (
    IssueKind.FORBIDDEN,
    "Ask its publisher to let Planet read it, which is named so in the User-Agent.",
)
_REDIRECT: Final = (
    IssueKind.REDIRECT,
    "Open its address in a browser. If it ends at a feed, put that address into the config.",
)
_PAGE: Final = (
    IssueKind.PAGE,
    "Open its address in a browser: the page there may lead to the feed it has now.",
)
_UNREADABLE: Final = (
    IssueKind.UNREADABLE,
    "Tell its publisher: what is there now is of use to no reader.",
)
_REJECTED: Final = (
    IssueKind.REJECTED,
    "Its server finds something wrong with our request: ask its publisher what it is.",
)
_DOWN: Final = (
    IssueKind.DOWN,
    "It is asked less and less often, and there is nothing to do but wait. If it stays so, see "
    "whether its site is still there.",
)

_FAILING: Final = {
    "http_401": _PASSWORD,
    "http_402": _FORBIDDEN,
    "http_403": _FORBIDDEN,
    "http_404": (
        IssueKind.NOT_FOUND,
        "There has been nothing at its address since {since}: see what address its site has for "
        "it now.",
    ),
    "http_407": _PASSWORD,
    "http_408": _DOWN,
    "http_425": _DOWN,
    "http_429": (
        IssueKind.THROTTLED,
        "Its server says that we come too often, so it is asked less often from now on. If that is "
        "not enough, give it a longer `min_interval`, or ask its publisher how often is right.",
    ),
    "http_451": _FORBIDDEN,
    "bot_challenge": (
        IssueKind.CHALLENGE,
        "Something in front of its server lets only browsers pass: ask its publisher to make an "
        "exception for the address of the feed, or for the User-Agent Planet.",
    ),
    "tls": (
        IssueKind.CERTIFICATE,
        "Open its address in a browser. If that warns of the certificate as well, tell its "
        "publisher; nothing is fetched past a certificate that does not hold.",
    ),
    "dns": (
        IssueKind.HOST_NAME,
        "Look for a typing error in its host name. If there is none, its domain may have lapsed.",
    ),
    "bad_redirect": _REDIRECT,
    "redirect_loop": _REDIRECT,
    "private_address": _REDIRECT,
    "no_file": (IssueKind.FILE, "See whether the file is there and may be read."),
    "not_a_feed": _PAGE,
    "bad_list": (
        IssueKind.UNREADABLE,
        "Open its address in a browser: what is there should be an OPML list.",
    ),
    "too_large": (
        IssueKind.TOO_LARGE,
        "Ask its publisher to list fewer entries, or give it a larger `fetch.max_size`.",
    ),
    "empty": _UNREADABLE,
    "unreadable": _UNREADABLE,
    "too_slow": _UNREADABLE,
    "too_greedy": _UNREADABLE,
    "bad_coding": _UNREADABLE,
}
"""By the kind of the error; what is not here is `_REJECTED` or `_DOWN`."""

_MOVED: Final = (
    "It has moved to {to} for good: put that address into the config (`planet status --patch` "
    "prints the change)."
)
_MOVED_NAME: Final = (
    "The account says that it is {to} from now on: put the name it has there into the config."
)
_LIFETIME: Final = (
    "Its server says that an answer is good for longer than a week, which nobody means: tell its "
    "publisher to look at Cache-Control and Expires."
)
_VALIDATORS: Final = (
    "Its server sends the same again and again, although it is asked for what has changed: tell "
    "its publisher that If-None-Match and If-Modified-Since have no effect."
)


def advice(feed: Feed, state: FeedState | None) -> Advice | None:
    """What to do about a feed; None while it is well, only hiccuping, or not to be asked at all.

    Of trouble it speaks from the third failure in a row, and at once when the feed is gone or
    never worked.
    """
    if state is None or not feed.enabled:
        return None
    state = state_of(feed, state)
    issue = _GIVEN_UP[state.given_up] if state.given_up else _failing(state) or _odd(state)
    if issue is None:
        return None
    kind, template = issue
    words = template.format(
        slug=feed.slug,
        since=f"{state.failing_since:%Y-%m-%d}" if state.failing_since else "",
        to=redacted(feed.redact(_moved_to(state))),
    )
    return Advice(concern=kind, words=words)


def alarm(feeds: Iterable[Feed], states: Mapping[str, FeedState], *, now: datetime) -> str | None:
    """What to say when no feed at all has come for longer than it may take; None if one has.

    That is twice the shortest time between two requests for a feed, and two hours at least.
    """
    asked = [
        (feed, state)
        for feed in feeds
        if feed.enabled and not feed.is_file and (state := states.get(feed.key)) is not None
        if state.given_up is None and state.settled_at is not None
    ]
    # A feed that is well may be asked seldom, and then it is no wonder that nothing has come.
    waits = [
        due_at - state.settled_at
        for feed, state in asked
        if not state.failures and state.settled_at
        if (due_at := planned(feed, state)[0])
    ] or [floor(feed.policy) for feed, _ in asked]
    good = [state.succeeded_at for _, state in asked if state.succeeded_at]
    since = [state.failing_since for _, state in asked if state.failing_since]
    last = max(good) if good else min(since, default=None)
    if last is None or now - last <= 2 * max(min(waits), FLOOR):
        return None
    return f"no feed at all has come since {last:%Y-%m-%d %H:%M} UTC"


def _moved_to(state: FeedState) -> str:
    if state.moved:
        return state.moved.to
    return (state.resolved and state.resolved.moved_to) or ""


def _failing(state: FeedState) -> tuple[IssueKind, str] | None:
    kind = state.error_kind
    if not state.failures or kind is None:
        return None
    never_worked = state.succeeded_at is None
    told_often = kind == "http_429" and state.health.throttled >= TROUBLE
    if state.failures < TROUBLE and not never_worked and not told_often:
        return None
    if kind == "http_404" and never_worked:
        return _NEVER_FOUND
    if kind == "http_401" and account.is_name(state.url):
        return _UNKNOWN
    other = _REJECTED if re.fullmatch(r"http_4\d\d", kind) else _DOWN
    return _FAILING.get(kind, other)


def _odd(state: FeedState) -> tuple[IssueKind, str] | None:
    """What is not as it should be with a feed that is well."""
    if state.adopted_url:
        return IssueKind.MOVED, _MOVED
    if state.resolved and state.resolved.moved_to:
        return IssueKind.MOVED, _MOVED_NAME
    if state.lifetime and state.lifetime.implausible:
        return IssueKind.LIFETIME, _LIFETIME
    at = state.settled_at
    etag_is_broken = at and state.etag_broken_until and at < state.etag_broken_until
    if etag_is_broken or state.identical >= IGNORED_AFTER:
        return IssueKind.VALIDATORS, _VALIDATORS
    return None
