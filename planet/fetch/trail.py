"""Redirects and steps: where a visit has been, and where it goes from there. Pure."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit

from planet import address
from planet.errors import FetchError
from planet.fetch.limits import MAX_REDIRECTS, MAX_STEPS, REDIRECT_WAIT
from planet.headers import retry_after
from planet.model import PendingRedirect

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

_PERMANENT = frozenset({301, 308})


class Trail:
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
        found = address.web(_utf8(headers.get("location", "")), self.url)
        if found is None:
            raise FetchError("bad_redirect", "the server redirects to no proper address")
        target = without_user(address.same(found))[0]
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
        target = without_user(address.same(url))[0]
        if target in self._been:
            raise FetchError("lead_loop", "the server sends us in a circle")
        if self._steps == MAX_STEPS:
            raise FetchError("lead_loop", f"the server names more than {MAX_STEPS} steps")
        self._steps += 1
        self._only_permanent, self.permanent_url = True, None
        self._been.append(target)
        self.url = target


def without_user(url: str) -> tuple[str, tuple[str, str] | None]:
    """The address without user and password, and these, decoded (RFC 3986 §3.2.1)."""
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
