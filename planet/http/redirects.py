"""From the address in the config to that of the posts: what comes next where one names the other.

Most feeds are where their address says. The names of people (`planet.text.account`) lead to their
posts by a few requests, as redirects would; what those come to is learned once, and remembered with
the feed, so that later the posts are asked for at once. Pure.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlencode, urlsplit, urlunsplit

from planet.errors import FetchError
from planet.http.exchange import MAX_REDIRECTS, MAX_STEP, REDIRECT_WAIT
from planet.model import IncludeKind, Lead, PendingRedirect, Resolved, Step
from planet.text import account, address
from planet.text.headers import retry_after
from planet.text.plain import one_line, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from planet.http.session import KeptResponse
    from planet.model import Feed, PollRequest


_PERMANENT = frozenset({301, 308})
_MAX_STEPS = 5
"""Answers that each name the next address: an account may have another name first, then come its
actor, its outbox and a page of that."""


class RedirectChain:
    """The addresses one visit is sent to, one after the other.

    `followed` is the redirect of an earlier visit that leads to the first of them.
    """

    def __init__(self, url: str, followed: PendingRedirect | None = None) -> None:
        self.url = url
        """Where to ask next; where it was asked last once the end is reached."""
        self.permanent_url = followed.permanent_url if followed else None
        """Where the permanent redirects at the beginning lead, if there are any; after a step,
        those at the beginning of that."""
        self._been = [url]
        self._redirects = 0
        self._steps = 0
        self._only_permanent = followed is None or followed.permanent_url == url
        self.pending: PendingRedirect | None = None
        """What is left for another visit: a redirect that asks us to wait for too long."""

    def follow(self, status: int, headers: Mapping[str, str], *, received: datetime) -> timedelta:
        """Take the step that a redirect asks for; how long it asks us to wait before.

        Header names are in lower case.

        Raises:
            FetchError: it leads nowhere, in a circle or too far, or we are to wait for too long;
                `url` is as before.
        """
        location = address.make_absolute(_utf8(headers.get("location", "")), self.url)
        if location is None:
            raise FetchError("bad_redirect", "the server redirects to no proper address")
        target = without_user(address.normalize(location))[0]
        if target in self._been:
            raise FetchError("redirect_loop", "the server redirects in a circle")
        if self._redirects == MAX_REDIRECTS:
            raise FetchError(
                "redirect_loop", f"the server redirects more than {MAX_REDIRECTS} times"
            )
        self._only_permanent = self._only_permanent and status in _PERMANENT
        if self._only_permanent:
            self.permanent_url = target
        wait = retry_after(headers, received=received) or timedelta(0)
        if wait.total_seconds() > REDIRECT_WAIT:
            self.pending = PendingRedirect(to=target, permanent_url=self.permanent_url)
            raise FetchError("retry_later", "the server redirects, and asks us to come back later")
        self._redirects += 1
        self._been.append(target)
        self.url = target
        return wait

    def step(self, url: str) -> None:
        """Go on to an address that an answer names as the next.

        Raises:
            FetchError: that leads in a circle or too far; `url` is as before.
        """
        target = without_user(address.normalize(url))[0]
        if target in self._been:
            raise FetchError("lead_loop", "the server sends us in a circle")
        if self._steps == _MAX_STEPS:
            raise FetchError("lead_loop", f"the server names more than {_MAX_STEPS} steps")
        self._steps += 1
        self._only_permanent, self.permanent_url = True, None
        self._been.append(target)
        self.url = target


def without_user(url: str) -> tuple[str, tuple[str, str] | None]:
    """The address without user and password, and these, decoded (RFC 3986 §3.2.1)."""
    if "@" not in url:
        return url, None
    parts = urlsplit(url)
    user, at, netloc = parts.netloc.rpartition("@")
    if not at:
        return url, None
    name, _, password = user.partition(":")
    return urlunsplit(parts._replace(netloc=netloc)), (unquote(name), unquote(password))


def _utf8(header: str) -> str:
    """A header's text: http.client reads Latin-1, but addresses in headers are often UTF-8."""
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return header


_STEPS = {
    Step.ACCOUNT: "WebFinger of",
    Step.ACTOR: "actor at",
    Step.OUTBOX: "outbox at",
    Step.HANDLE: "handle asked for at",
}
_WITHOUT_POSTS = (Step.ACCOUNT, Step.ACTOR, Step.HANDLE)


class Route:
    """The way of one visit; `lead` is the step under way, None at a feed's own address."""

    def __init__(self, poll: PollRequest, resolver: Resolver) -> None:
        self._feed = poll.feed
        self._resolver = resolver
        self._is_known = poll.resolved is not None
        start = resolver.begin(poll.feed, None)
        self.home = without_user(start.url if start else poll.feed.url)[0]
        """Where the operator sends us: what is configured of headers and passwords is for there."""
        self.lead = resolver.begin(poll.feed, poll.resolved) if poll.resolved else start
        self.url = without_user(self.lead.url if self.lead else poll.url)[0]
        """What is to be asked first."""
        self.learned: Resolved | None = None

    @property
    def accept(self) -> str | None:
        """What is asked for (Accept); None for the posts at a feed's own address."""
        return self.lead.accept if self.lead else None

    @property
    def is_resolving(self) -> bool:
        """Whether a name is followed, so that redirects do not tell where the feed has moved."""
        return self.lead is not None or self.learned is not None

    @property
    def is_step(self) -> bool:
        """Whether the answer does not have the posts yet, but leads there."""
        return self.lead is not None and not self.lead.step.is_last

    @property
    def max_size(self) -> int:
        """Bytes of the next answer on the wire."""
        wanted = self._feed.policy.max_size
        has_no_posts = self.lead is not None and self.lead.step in _WITHOUT_POSTS
        return min(wanted, MAX_STEP) if has_no_posts else wanted

    @property
    def may_be_signed(self) -> bool:
        """Whether a server may want to know who asks."""
        return self.lead is not None and self.lead.step.may_be_signed

    def goes_on(
        self,
        url: str,
        answer: KeptResponse,
        headers: Mapping[str, str],
        *,
        permanent_url: str | None,
    ) -> str | None:
        """Where the next step is asked for; None when the posts themselves have come.

        `url` is the address that answered, `permanent_url` where permanent redirects led to it.

        Raises:
            FetchError: the answer leads nowhere.
        """
        if self.lead is None and not _may_be_activity(headers):
            return None
        lasting_url = _lasting(self.lead.url if self.lead else self.url, permanent_url)
        if self.lead is not None and self.lead.step.is_last:
            if not self._is_known and self.lead.about is not None:
                self.learned = replace(self.lead.about, url=lasting_url)
            return None
        next_step = self._resolver.follow(self._feed, self.lead, url, answer.content)
        if isinstance(next_step, Lead):
            self.lead = next_step
            return next_step.url
        self.learned = replace(next_step, url=lasting_url) if next_step else None
        return None

    def explained(self, error: FetchError, url: str) -> FetchError:
        """The error in words that name the step it stopped."""
        words = str(error)
        if self.may_be_signed and error.kind == "http_401":
            words = "the server wants to know who asks: see fetch.signature (HTTP 401)"
        if self.lead and self.lead.step in _STEPS:
            host = address.host(url).removesuffix(":443")
            words = f"{_STEPS[self.lead.step]} {host}: {words}"
        return FetchError(error.kind, words)


def _lasting(url: str, permanent_url: str | None) -> str:
    """Where an address is to be asked from now on: nothing is adopted that gives TLS up."""
    gives_up = url.startswith("https:") and not (permanent_url or "").startswith("https:")
    lasting = url if permanent_url is None or gives_up else permanent_url
    return without_user(address.normalize(lasting))[0]


def _may_be_activity(headers: Mapping[str, str]) -> bool:
    media_type = headers.get("content-type", "").strip().lower()
    return media_type.startswith(("application/activity+json", "application/ld+json"))


# Names


_MAX_NAME = 200
_DEEPEST = 3
# ActivityPub §3.2: a client MUST ask for the second; what is met is asked for by the first.
_ACTIVITY = (
    "application/activity+json, "
    'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'
)
_JRD = "application/jrd+json, application/json;q=0.9"
_ITEMS = ("orderedItems", "items")
_POSTS = 50
"""Posts in an answer: what is met in a day many times over; 100 is the most one may ask for."""
_DID = re.compile(r"did:[a-z]+:[A-Za-z0-9._:%-]{1,500}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolver:
    """Knows the ways of WebFinger, ActivityPub and AT Protocol."""

    appview: str
    """The service that answers for AT Protocol: an origin, without a slash at its end."""

    def begin(self, feed: Feed, resolved: Resolved | None) -> Lead | None:
        """What to ask for first; the posts themselves where it is `resolved` already.

        None for a feed that is asked for at its own address.
        """
        handle = account.on_bluesky(feed.url)
        if handle is not None:
            did = resolved.did if resolved else handle if handle.startswith("did:") else None
            return self._posts(did, feed, resolved) if did else self._owner(handle)
        if resolved is not None:
            return Lead(step=Step.PAGE, url=resolved.url, accept=_ACTIVITY, about=resolved)
        return _webfinger(feed.url) if account.is_name(feed.url) else None

    def follow(
        self, feed: Feed, lead: Lead | None, url: str, body: bytes
    ) -> Lead | Resolved | None:
        """What the answer to a step leads to; `url` is the address that gave it.

        Without a lead it is the answer of an ordinary feed in ActivityStreams, which may be an
        actor or an outbox. What is Resolved has its posts in this very body; None has no steps
        before it.

        Raises:
            FetchError: it leads nowhere; in words that follow the name of the step.
        """
        try:
            document = json.loads(body)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict):
            if lead is None:
                return None
            raise _astray("the answer is not what was asked for")
        if lead is None:
            if "outbox" in document:
                return _outbox(document, url)
            return _page(document, url, Resolved(url=url)) if "first" in document else None
        if lead.step is Step.ACCOUNT:
            return _actor(document, url)
        if lead.step is Step.ACTOR:
            return _outbox(document, url)
        if lead.step is Step.OUTBOX:
            return _page(document, url, lead.about or Resolved(url=url))
        did = document.get("did")
        if not isinstance(did, str) or not _DID.fullmatch(did):
            raise _astray("the answer does not say whose handle that is")
        return self._posts(did, feed, None)

    def _owner(self, handle: str) -> Lead:
        """The question whose handle that is."""
        query = urlencode({"handle": handle})
        url = f"{self.appview}/xrpc/com.atproto.identity.resolveHandle?{query}"
        return Lead(step=Step.HANDLE, url=url, accept="application/json")

    def _posts(self, did: str, feed: Feed, resolved: Resolved | None) -> Lead:
        """The question what somebody posted; answers to oneself are among the posts in any case."""
        with_replies = IncludeKind.REPLIES in feed.include
        kinds = "posts_with_replies" if with_replies else "posts_and_author_threads"
        query = urlencode({"actor": did, "limit": _POSTS, "filter": kinds})
        url = f"{self.appview}/xrpc/app.bsky.feed.getAuthorFeed?{query}"
        about = resolved or Resolved(url=url, did=did, page=f"https://bsky.app/profile/{did}")
        return Lead(step=Step.POSTS, url=url, accept="application/json", about=about)


def _astray(words: str) -> FetchError:
    return FetchError("bad_lead", words)


def _webfinger(acct: str) -> Lead:
    """The question who an account is."""
    return Lead(step=Step.ACCOUNT, url=account.webfinger(acct), accept=_JRD)


def _actor(document: Mapping[str, Any], url: str) -> Lead:
    """The actor of an account; or, where it says that its name is another, who that one is."""
    links = document.get("links")
    for item in links if isinstance(links, list) else ():
        if isinstance(item, dict) and item.get("rel") == "self" and _is_activity(item.get("type")):
            return Lead(step=Step.ACTOR, url=_next(item.get("href"), url), accept=_ACTIVITY)
    subject = document.get("subject")
    name = account.name(subject) if isinstance(subject, str) else None
    if name is None or not name.startswith("acct:") or account.webfinger(name) == url:
        raise _astray("it knows the account, but names no ActivityStreams actor for it")
    lead = _webfinger(name)
    _next(lead.url, url)
    return lead


def _outbox(document: Mapping[str, Any], url: str) -> Lead:
    """The outbox of an actor."""
    if document.get("outbox") is None:
        raise _astray("the answer is no actor with an outbox")
    about = Resolved(
        url=_next(document["outbox"], url),
        name=_name(document.get("name")) or _name(document.get("preferredUsername")),
        page=_link(document.get("url"), url),
        image=_link(document.get("icon"), url),
        moved_to=_link(document.get("movedTo"), url),
    )
    return Lead(step=Step.OUTBOX, url=about.url, accept=_ACTIVITY, about=about)


def _page(document: Mapping[str, Any], url: str, about: Resolved) -> Lead | Resolved:
    """The first page of an outbox, or the outbox itself where that has the posts."""
    here = replace(about, url=url, did=None)
    page = document.get("first")
    has_items = any(document.get(name) for name in _ITEMS)
    if has_items or (isinstance(page, dict) and not page.keys().isdisjoint(_ITEMS)):
        return here
    if page is not None:
        return Lead(step=Step.PAGE, url=_next(page, url), accept=_ACTIVITY, about=here)
    if "Collection" not in str(document.get("type")):
        raise _astray("the answer is no collection of posts")
    return here


def _next(value: object, url: str) -> str:
    """An address that the answer from `url` names as the next.

    Raises:
        FetchError: it is none, or gives up the TLS that `url` has.
    """
    target = _link(value, url)
    if target is None:
        raise _astray("the answer names no address to ask next")
    if url.startswith("https:") and not target.startswith("https:"):
        raise _astray("the answer leads from https to http")
    return target


def _link(value: object, base: str) -> str | None:
    """The first web address in what ActivityStreams has for one: text, a Link, a list of both."""
    return next((url for href in _hrefs(value) if (url := address.make_absolute(href, base))), None)


def _hrefs(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and depth < _DEEPEST:
        # A Link has href, an Image url, anything else id.
        for name in ("href", "url", "id"):
            yield from _hrefs(value.get(name), depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        for item in value:
            yield from _hrefs(item, depth + 1)


def _name(value: object) -> str | None:
    """A name on one line."""
    return shorten(one_line(value), _MAX_NAME) or None if isinstance(value, str) else None


def _is_activity(media_type: object) -> bool:
    written = media_type.replace(" ", "").lower() if isinstance(media_type, str) else ""
    return written.startswith("application/activity+json") or (
        written.startswith("application/ld+json") and "www.w3.org/ns/activitystreams" in written
    )
