"""The address in the config → the address of the posts, by redirects and steps. Pure.

Most feeds are where their address says. Other addresses lead to their posts by a few requests, as
redirects would; an `AddressResolver` knows which. The end of the way is remembered with the feed:
later the posts are asked for at once.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote, urlsplit, urlunsplit

from planet.errors import FetchError
from planet.text import address
from planet.text.headers import retry_after

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.http.request import FeedRequest
    from planet.model import Feed, Lead, Resolved


_PERMANENT = frozenset({301, 308})
MAX_REDIRECTS = 5
"""Redirects in a row to follow; more is a loop or a trap."""
MAX_STEP = 1024 * 1024
"""Bytes of an answer that has no posts but only says where to ask next."""
REDIRECT_WAIT = timedelta(seconds=10)
"""How long a redirect may ask us to wait (RFC 9110 §10.2.3) without ending the attempt."""


class RedirectChain:
    """The addresses to which redirects lead, one after the other."""

    def __init__(self, url: str) -> None:
        self.url = split_credentials(url)[0]
        """Where to ask next; in the end, where the answer came from."""
        self.permanent_url: str | None = None
        """Where the permanent redirects at the beginning lead, if there are any."""
        self._been = [self.url]

    def follow(self, request: FeedRequest) -> float:
        """Follow the redirect of a request; return the seconds to wait before the next one.

        Raises:
            FetchError: the redirect leads nowhere, in a circle or too far, or the wait is too
                long; `url` is as before.
        """
        location = request.received.get("location", "")
        with suppress(UnicodeError):  # http.client reads Latin-1, and addresses often are UTF-8
            location = location.encode("latin-1").decode("utf-8")
        absolute = address.make_absolute(location, self.url)
        if absolute is None:
            raise FetchError("bad_redirect", "the server redirects to no proper address")
        wait = retry_after(request.received, received_at=request.ended_at) or timedelta(0)
        if wait > REDIRECT_WAIT:
            raise FetchError("retry_later", "the server redirects, and asks us to come back later")
        target = split_credentials(address.normalize(absolute))[0]
        if target in self._been or len(self._been) > MAX_REDIRECTS:
            raise FetchError("redirect_loop", "the server redirects in a circle, or too often")
        # Whether all redirects so far were permanent.
        is_kept = self.url == (self.permanent_url or self._been[0])
        if is_kept and request.status in _PERMANENT:
            self.permanent_url = target
        self._been.append(target)
        self.url = target
        return wait.total_seconds()


def split_credentials(url: str) -> tuple[str, tuple[str, str] | None]:
    """Return an address without user and password, and these, decoded (RFC 3986 §3.2.1)."""
    parts = urlsplit(url)
    user, at, netloc = parts.netloc.rpartition("@")
    if not at:
        return url, None
    name, _, password = user.partition(":")
    return urlunsplit(parts._replace(netloc=netloc)), (unquote(name), unquote(password))


class AddressResolver(Protocol):
    """Knows which addresses of feeds lead to their posts by several requests, and by which."""

    def begin(self, feed: Feed, resolution: Resolved | None) -> Lead | None:
        """Return the first request, or the request for the posts where there is a `resolution`.

        None for a feed asked for at the configured address.
        """

    def may_lead(self, headers: Mapping[str, str]) -> bool:
        """Return whether the answer of an ordinary feed may be a step to the posts."""

    def follow(self, feed: Feed, lead: Lead, url: str, body: bytes) -> Lead | Resolved | None:
        """Return the request after the answer to a step, from the address `url`.

        Resolved: the posts are in this very body. None: there were no steps.

        Raises:
            FetchError: the answer leads nowhere; in words that follow the label of the step.
        """


def lasting_url(url: str, permanent_url: str | None) -> str:
    """Return the address to ask from now on in place of one redirected for good.

    An address without TLS is not adopted in place of one with TLS.
    """
    gives_up = url.startswith("https:") and not (permanent_url or "").startswith("https:")
    lasting = url if permanent_url is None or gives_up else permanent_url
    return split_credentials(address.normalize(lasting))[0]
