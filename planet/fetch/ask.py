"""One feed, asked once: redirects followed by hand, whatever comes made a Fetched."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit

from requests.auth import HTTPBasicAuth

from planet import address
from planet.errors import FetchError, StateError
from planet.fetch.exchange import Deadline, Exchange, FeedRequest, Watchdog, kept_as
from planet.fetch.failures import of_exception, of_status
from planet.fetch.limits import CONNECT_TIMEOUT, IDLE_TIMEOUT, MAX_REDIRECTS
from planet.model import Fetched

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from planet.fetch.session import FeedSession
    from planet.model import Feed, Turn

_ACCEPT = (
    "application/atom+xml, application/rss+xml, application/feed+json, "
    "application/rdf+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5"
)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PERMANENT = frozenset({301, 308})


def ask(
    turn: Turn,
    *,
    session: FeedSession,
    watchdog: Watchdog,
    user_agent: str,
    clock: Callable[[], datetime],
) -> Fetched:
    """Ask for a feed with one GET, and up to five more where it redirects. Never raises FeedError.

    A 200's body is stored with its validators before this returns; any other answer leaves what
    is stored as it was.
    """
    feed = turn.feed
    visit = _Visit(feed, session=session, user_agent=user_agent)
    started = clock()
    watchdog.watch(visit.deadline)
    error: FetchError | None = None
    content: bytes | None = None
    try:
        content = visit.make()
    except FetchError as failure:
        error = failure
    except StateError:
        raise
    except Exception as failure:  # noqa: BLE001 - the door
        # requests, urllib3 and http.client let many kinds of exception through on hostile input.
        error = of_exception(failure)
    finally:
        watchdog.release(visit.deadline)
        visit.leave()
    body, body_hash = (None, None) if error else _unread(content, visit.status, turn)
    return Fetched(
        started=started,
        ended=clock(),
        url=visit.url,
        status=visit.status,
        headers=visit.headers,
        body=body,
        body_hash=body_hash,
        permanent_url=visit.permanent_url,
        bytes_received=visit.bytes_received,
        error=error,
    )


def recall(turn: Turn, *, session: FeedSession, clock: Callable[[], datetime]) -> Fetched | None:
    """The body on disk when its entries are not stored yet; None when there is nothing to do."""
    for name in names_of(turn.feed, turn.answered_url):
        stored = session.cached(name)
        if stored is not None:
            body, body_hash = _unread(stored.content, None, turn)
            if body is None:
                continue
            now = clock()
            return Fetched(
                started=now, ended=now, url=stored.url, body=body, body_hash=body_hash, asked=False
            )
    return None


def names_of(feed: Feed, answered_url: str | None) -> list[str]:
    """The names under which a feed's body may be on disk, the likeliest first."""
    urls = (answered_url, _without_user(feed.url)[0])
    return [kept_as(feed, url) for url in urls if url]


def _unread(
    content: bytes | None, status: int | None, turn: Turn
) -> tuple[bytes | None, str | None]:
    """The body and its hash if it is not the one whose entries are stored, else the hash only."""
    if content is None or (status == 304 and not turn.reread):
        return None, None
    digest = hashlib.sha256(content).hexdigest()
    return (None if digest == turn.known_hash else content), digest


class _Visit:
    """The requests of one `ask`: where it is, and what came so far."""

    def __init__(self, feed: Feed, *, session: FeedSession, user_agent: str) -> None:
        self._feed = feed
        self._session = session
        self._user_agent = user_agent
        self._targets: list[str] = []
        self.url, self._user = _without_user(feed.url)
        self.deadline = Deadline(feed.asking.timeout.total_seconds())
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.bytes_received = 0
        self.permanent_url: str | None = None

    def make(self) -> bytes:
        """The body that is now on disk: new after a 200, as it was after a 304.

        Raises:
            FetchError: nothing usable came.
        """
        permanent = True
        for _ in range(MAX_REDIRECTS + 1):
            content = self._get()
            if self.status not in _REDIRECTS:
                return content
            target = address.web(_utf8(self.headers.get("location", "")), self.url)
            if target is None:
                raise FetchError("bad_redirect", "the server redirects to no proper address")
            permanent = permanent and self.status in _PERMANENT
            if permanent:
                self.permanent_url = target
            self.url = _without_user(target.partition("#")[0])[0]
            self._targets.append(self.url)
        raise FetchError("redirect_loop", f"the server redirects more than {MAX_REDIRECTS} times")

    def leave(self) -> None:
        """Keep no connection to servers that were asked only because of a redirect."""
        for url in self._targets:
            if address.host(url) != address.host(self._feed.url):
                self._session.adapter.forget(url)

    def _get(self) -> bytes:
        """One request; the body if it was a 200 or 304, and nothing for a redirect."""
        exchange = Exchange(
            deadline=self.deadline,
            max_size=self._feed.asking.max_size,
            kept_as=kept_as(self._feed, self.url),
        )
        self.status, self.headers = None, {}
        try:
            response = self._session.send(
                self._request(exchange),
                allow_redirects=False,
                stream=True,
                timeout=(CONNECT_TIMEOUT, IDLE_TIMEOUT),
                proxies={},  # without any given, requests looks for some in the environment
            )
        finally:
            self.status = exchange.status
            self.headers = {name.lower(): value for name, value in exchange.headers.items()}
            self.bytes_received += exchange.bytes_received
        if self.status == 304 and not response.from_cache:
            raise FetchError("unexpected_304", "the server says 'not modified' to a first request")
        if self.status in (200, 304):
            return response.content
        if self.status in _REDIRECTS:
            return b""
        raise of_status(self.status or 0)

    def _request(self, exchange: Exchange) -> FeedRequest:
        asking = self._feed.asking
        headers = {
            "User-Agent": self._user_agent,
            "Accept": _ACCEPT,
            "Accept-Encoding": "gzip",
            "Connection": "keep-alive",
        }
        # What the operator sends to a publisher is not for whoever that one redirects to (R37).
        at_home = address.origin(self.url) == address.origin(self._feed.url)
        if at_home:
            headers.update(asking.headers)
        request = FeedRequest(self.url, headers, exchange)
        credentials = (asking.auth or self._user) if at_home else None
        if credentials:
            HTTPBasicAuth(*credentials)(request)
        return request


def _without_user(url: str) -> tuple[str, tuple[str, str] | None]:
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
