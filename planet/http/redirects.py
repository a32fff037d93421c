"""From the address in the config to that of the posts: what comes next where one names the other.

Most feeds are where their address says. Other addresses lead to their posts by a few requests, as
redirects would; an `AddressResolver` knows which. What those come to is learned once, and
remembered with the feed, so that later the posts are asked for at once. Pure.
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import unquote, urlsplit, urlunsplit

from planet.errors import FetchError
from planet.text import address
from planet.text.headers import retry_after

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from planet.model import Feed, Lead, Resolved


MAX_REDIRECTS = 5
"""Redirects that are followed, and steps; more is a loop or a trap. An account may have another
name first, then come its actor, its outbox and a page of that."""
MAX_STEP = 1024 * 1024
"""Bytes of an answer that has no posts but only says where to ask next."""
REDIRECT_WAIT = 10.0
"""Seconds that a redirect may ask us to wait (RFC 9110 §10.2.3) without ending the attempt."""
_PERMANENT = frozenset({301, 308})


class RedirectChain:
    """The addresses one visit is sent to, one after the other: by redirects, and by steps."""

    def __init__(self, url: str) -> None:
        self.url = url
        """Where to ask next; where it was asked last once the end is reached."""
        self.permanent_url: str | None = None
        """Where the permanent redirects at the beginning lead, if there are any; after a step,
        those at the beginning of that."""
        self._been = [url]
        self._hops: Counter[str] = Counter()
        self._only_permanent = True

    def follow(self, status: int, headers: Mapping[str, str], *, received_at: datetime) -> float:
        """Follow a redirect; return how many seconds it asks us to wait before.

        Header names are in lower case.

        Raises:
            FetchError: it leads nowhere, in a circle or too far, or we are to wait for too long;
                `url` is as before.
        """
        location = address.make_absolute(_utf8(headers.get("location", "")), self.url)
        if location is None:
            raise FetchError("bad_redirect", "the server redirects to no proper address")
        wait = (retry_after(headers, received_at=received_at) or timedelta(0)).total_seconds()
        if wait > REDIRECT_WAIT:
            raise FetchError("retry_later", "the server redirects, and asks us to come back later")
        self._go_on(location, "redirect_loop")
        self._only_permanent = self._only_permanent and status in _PERMANENT
        if self._only_permanent:
            self.permanent_url = self.url
        return wait

    def step(self, url: str) -> None:
        """Go on to an address that an answer names as the next.

        Raises:
            FetchError: that leads in a circle or too far; `url` is as before.
        """
        self._go_on(url, "lead_loop")
        self._only_permanent, self.permanent_url = True, None

    def _go_on(self, url: str, loop: str) -> None:
        """Go on to an address; `loop` is the kind of error if it leads in a circle or too far."""
        target = split_credentials(address.normalize(url)).url
        if target in self._been:
            raise FetchError(loop, "the server sends us in a circle")
        if self._hops[loop] == MAX_REDIRECTS:
            raise FetchError(loop, f"the server sends us on more than {MAX_REDIRECTS} times")
        self._hops[loop] += 1
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

    def follow(self, feed: Feed, lead: Lead, url: str, body: bytes) -> Lead | Resolved | None:
        """Return what the answer to a step, from the address `url`, leads to.

        What is Resolved has its posts in this very body; None has no steps before it.

        Raises:
            FetchError: it leads nowhere; in words that follow the label of the step.
        """


def lasting_url(url: str, permanent_url: str | None) -> str:
    """Return the address to ask from now on in place of one that is redirected for good.

    One that gives up TLS is not adopted.
    """
    gives_up = url.startswith("https:") and not (permanent_url or "").startswith("https:")
    lasting = url if permanent_url is None or gives_up else permanent_url
    return split_credentials(address.normalize(lasting)).url
