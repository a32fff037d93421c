"""From the address in the config to that of the posts: what comes next where one names the other.

Most feeds are where their address says. Other addresses lead to their posts by a few requests, as
redirects would; an `AddressResolver` knows which. What those come to is learned once, and
remembered with the feed, so that later the posts are asked for at once. Pure.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import unquote, urlsplit, urlunsplit

from msgspec.structs import replace

from planet.errors import FetchError
from planet.model import Lead, Resolved
from planet.text import address
from planet.text.headers import retry_after

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from planet.http.session import KeptResponse
    from planet.model import Feed, PollRequest


MAX_REDIRECTS = 5
"""Hops followed by hand; more is a loop or a trap."""
MAX_STEP = 1024 * 1024
"""Bytes of an answer that has no posts but only says where to ask next."""
REDIRECT_WAIT = 10.0
"""Seconds that a redirect may ask us to wait (RFC 9110 §10.2.3) without ending the attempt."""
_PERMANENT = frozenset({301, 308})
_MAX_STEPS = 5
"""Answers that each name the next address: an account may have another name first, then come its
actor, its outbox and a page of that."""


class RedirectChain:
    """The addresses one visit is sent to, one after the other."""

    def __init__(self, url: str) -> None:
        self.url = url
        """Where to ask next; where it was asked last once the end is reached."""
        self.permanent_url: str | None = None
        """Where the permanent redirects at the beginning lead, if there are any; after a step,
        those at the beginning of that."""
        self._been = [url]
        self._redirects = 0
        self._steps = 0
        self._only_permanent = True

    def follow(
        self, status: int, headers: Mapping[str, str], *, received_at: datetime
    ) -> timedelta:
        """Follow a redirect; return how long it asks us to wait before.

        Header names are in lower case.

        Raises:
            FetchError: it leads nowhere, in a circle or too far, or we are to wait for too long;
                `url` is as before.
        """
        location = address.make_absolute(_utf8(headers.get("location", "")), self.url)
        if location is None:
            raise FetchError("bad_redirect", "the server redirects to no proper address")
        target = split_credentials(address.normalize(location)).url
        if target in self._been:
            raise FetchError("redirect_loop", "the server redirects in a circle")
        if self._redirects == MAX_REDIRECTS:
            raise FetchError(
                "redirect_loop", f"the server redirects more than {MAX_REDIRECTS} times"
            )
        wait = retry_after(headers, received_at=received_at) or timedelta(0)
        if wait.total_seconds() > REDIRECT_WAIT:
            raise FetchError("retry_later", "the server redirects, and asks us to come back later")
        self._only_permanent = self._only_permanent and status in _PERMANENT
        if self._only_permanent:
            self.permanent_url = target
        self._redirects += 1
        self._been.append(target)
        self.url = target
        return wait

    def step(self, url: str) -> None:
        """Go on to an address that an answer names as the next.

        Raises:
            FetchError: that leads in a circle or too far; `url` is as before.
        """
        target = split_credentials(address.normalize(url)).url
        if target in self._been:
            raise FetchError("lead_loop", "the server sends us in a circle")
        if self._steps == _MAX_STEPS:
            raise FetchError("lead_loop", f"the server names more than {_MAX_STEPS} steps")
        self._steps += 1
        self._only_permanent, self.permanent_url = True, None
        self._been.append(target)
        self.url = target


class SplitAddress(NamedTuple):
    """An address without user and password, and these, decoded."""

    url: str
    credentials: tuple[str, str] | None = None


def split_credentials(url: str) -> SplitAddress:
    """Take user and password out of an address (RFC 3986 §3.2.1)."""
    parts = urlsplit(url)
    user, at, netloc = parts.netloc.rpartition("@")
    if not at:
        return SplitAddress(url)
    name, _, password = user.partition(":")
    return SplitAddress(
        urlunsplit(parts._replace(netloc=netloc)), (unquote(name), unquote(password))
    )


def _utf8(header: str) -> str:
    """Decode a header that http.client read as Latin-1, where it is UTF-8 (addresses often are)."""
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return header


class AddressResolver(Protocol):
    """Knows which addresses of feeds lead to their posts by several requests, and by which."""

    def begin(self, feed: Feed, resolution: Resolved | None) -> Lead | None:
        """Return what to ask for first, or the request for the posts where there is a `resolution`.

        None for a feed that is asked for at its own address.
        """

    def may_lead(self, headers: Mapping[str, str]) -> bool:
        """Return whether the answer of an ordinary feed may be a step to its posts."""

    def follow(
        self, feed: Feed, lead: Lead | None, url: str, body: bytes
    ) -> Lead | Resolved | None:
        """Return what the answer to a step, from the address `url`, leads to.

        Without a lead it is the answer of an ordinary feed. What is Resolved has its posts in this
        very body; None has no steps before it.

        Raises:
            FetchError: it leads nowhere; in words that follow the label of the step.
        """


class Route:
    """The way of one visit; `lead` is the step under way, None at a feed's own address."""

    def __init__(self, poll: PollRequest, resolver: AddressResolver) -> None:
        self._feed = poll.feed
        self._resolver = resolver
        self._is_known = poll.resolved is not None
        start = resolver.begin(poll.feed, None)
        self.home = split_credentials(start.url if start else poll.feed.url).url
        """Where the operator sends us: what is configured of headers and passwords is for there."""
        self.lead = resolver.begin(poll.feed, poll.resolved) if poll.resolved else start
        self.url = split_credentials(self.lead.url if self.lead else poll.url).url
        """What is to be asked first."""
        self.resolution: Resolved | None = None

    @property
    def accept(self) -> str | None:
        """What is asked for (Accept); None for the posts at a feed's own address."""
        return self.lead.accept if self.lead else None

    @property
    def is_resolving(self) -> bool:
        """Whether a name is followed, so that redirects do not tell where the feed has moved."""
        return self.lead is not None or self.resolution is not None

    @property
    def is_step(self) -> bool:
        """Whether the answer does not have the posts yet, but leads there."""
        return self.lead is not None and not self.lead.step.is_last

    @property
    def max_size(self) -> int:
        """Bytes of the next answer on the wire."""
        wanted = self._feed.policy.max_size
        has_posts = self.lead is None or self.lead.step.may_have_posts
        return wanted if has_posts else min(wanted, MAX_STEP)

    @property
    def may_be_signed(self) -> bool:
        """Whether a server may want to know who asks."""
        return self.lead is not None and self.lead.step.may_be_signed

    def find_next(
        self,
        url: str,
        answer: KeptResponse,
        headers: Mapping[str, str],
        *,
        permanent_url: str | None,
    ) -> str | None:
        """Return the address of the next step; None when the posts themselves have come.

        `url` is the address that answered, `permanent_url` where permanent redirects led to it.

        Raises:
            FetchError: the answer leads nowhere.
        """
        if self.lead is None and not self._resolver.may_lead(headers):
            return None
        lasting_url = _lasting(self.lead.url if self.lead else self.url, permanent_url)
        if self.lead is not None and self.lead.step.is_last:
            if not self._is_known and self.lead.about is not None:
                self.resolution = replace(self.lead.about, url=lasting_url)
            return None
        next_step = self._resolver.follow(self._feed, self.lead, url, answer.content)
        if isinstance(next_step, Lead):
            self.lead = next_step
            return next_step.url
        self.resolution = replace(next_step, url=lasting_url) if next_step else None
        return None

    def add_step(self, error: FetchError, url: str) -> FetchError:
        """Add to an error which step on the way to the posts has failed."""
        words = str(error)
        if self.may_be_signed and error.kind == "http_401":
            words = "the server wants to know who asks: see fetch.signature (HTTP 401)"
        if self.lead and self.lead.step.label:
            host = address.host(url).removesuffix(":443")
            words = f"{self.lead.step.label} {host}: {words}"
        return FetchError(error.kind, words)


def _lasting(url: str, permanent_url: str | None) -> str:
    """Return the address to ask from now on; one that gives up TLS is not adopted."""
    gives_up = url.startswith("https:") and not (permanent_url or "").startswith("https:")
    lasting = url if permanent_url is None or gives_up else permanent_url
    return split_credentials(address.normalize(lasting)).url
