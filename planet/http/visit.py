"""One feed, asked once: one request at a time, until there is a Fetched."""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from math import inf
from typing import TYPE_CHECKING, Protocol

from requests.auth import HTTPBasicAuth
from urllib3.util import parse_url

from planet.errors import FetchError
from planet.http.guard import Guard
from planet.http.redirects import RedirectChain, Route, split_credentials
from planet.http.request import (
    CONNECTION,
    REDIRECTS,
    Deadline,
    FeedRequest,
    cache_name,
    make_out_of_time_error,
    make_timeout_error,
)
from planet.model import Fetched
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from planet.http.session import KeptResponse
    from planet.http.web import Web
    from planet.model import Feed, PollRequest, Signature


_LOG = logging.getLogger(__name__)


def list_cache_names(feed: Feed, *others: str | None) -> list[str]:
    """Return the names under which a feed's body may be in the cache, the most likely first.

    `others` are the addresses beside its own at which it may have been found.
    """
    return [cache_name(feed.key, url) for url in (*others, split_credentials(feed.url).url) if url]


_UNKNOWN = frozenset({"http_401", "http_403"})
"""The kinds of error for a request that does not say who sends it."""


class Visit:
    """A feed's GET, and more where it redirects or a name leads on, each at its host's turn.

    `advance` makes the next request: to `host`, and not before `not_before` on the monotonic
    clock. The feed's time limit runs while one is under way, not in between.
    """

    def __init__(self, poll: PollRequest, web: Web, *, ends_at: float = inf) -> None:
        self.poll = poll
        self.not_before = 0.0
        self._web = web
        self._ends_at = ends_at
        self._route = Route(poll, web.resolver)
        self._guard = Guard(web.session.is_public, only_public=poll.feed.is_led or poll.was_public)
        self._chain = RedirectChain(self._route.url)
        self._left = poll.feed.policy.timeout.total_seconds()
        self._requests: list[FeedRequest] = []
        self._signatures: dict[str, Signature | None] = {}
        self.host = address.server(self._chain.url)

    def __str__(self) -> str:
        """Return what to call the feed in a log."""
        return self.redact_url(self.poll.feed.key)

    @property
    def url(self) -> str:
        """The address of the next request."""
        return self._chain.url

    @property
    def has_begun(self) -> bool:
        """Whether a request was made."""
        return bool(self._requests)

    def set_signature(self, signature: Signature | None) -> None:
        """Note how the host wants requests to be signed, if it does."""
        self._signatures.setdefault(self.host, signature)

    def advance(self) -> Fetched | None:
        """Make the next request; return the result if it was the last. Never raises FeedError.

        A 200's body is stored with its validators before this returns; any other answer leaves
        what is stored as it was.

        Raises:
            StateError: what came cannot be stored.
        """
        try:
            return self._ask()
        except FetchError as error:
            if self._sign_next(error):
                _LOG.info("%s: is asked again, signed (%s)", self, self._signatures[self.host])
                return None
            # A new one: with the traceback of the old all that came would stay in memory.
            failure = FetchError(error.kind, str(error))
        if failure.kind in CONNECTION and time.monotonic() >= self._ends_at:
            return self.end(make_out_of_time_error())
        failure = self._route.add_step(failure, self._chain.url)
        # A server may say anything, and its words are printed.
        return self.end(FetchError(failure.kind, self._web.session.redactor.redact(str(failure))))

    def end(self, error: FetchError) -> Fetched:
        """End the visit with an error, after at least one request."""
        _LOG.info("%s: failed, %s: %s", self, error.kind, error)
        return self._make_fetched(error=error)

    def stop(self) -> None:
        """Let the visit send nothing more, and wait no longer; called from another thread."""
        self._ends_at = 0.0
        if self._requests:
            self._requests[-1].cut()

    def _ask(self) -> Fetched | None:
        """Make one request; return None when another one has to follow.

        Raises:
            FetchError: nothing usable came.
        """
        request = self._request()
        self._requests.append(request)
        try:
            kept = self._web.session.send(request)
        finally:
            request.ended_at = self._web.clock()
            self._left -= request.took
            self._log_request(request)
        if request.status in REDIRECTS:
            wait = self._chain.follow(
                request.status or 0, request.received, received_at=request.ended_at
            )
            self._schedule_next(wait.total_seconds())
            where = self.redact_url(self._chain.url)
            _LOG.info("%s: is redirected to %s, after %g s", self, where, wait.total_seconds())
            return None
        step = self._route.find_next(
            request.address, kept, request.received, permanent_url=self._chain.permanent_url
        )
        if step is not None:
            self._chain.step(step)
            self._schedule_next(0.0)
            _LOG.info("%s: is led on to %s", self, self.redact_url(self._chain.url))
            return None
        # It is news only if it is not what was read last: after a 304, too, for another address may
        # have answered since.
        body = None if kept.body_hash == self.poll.known_hash else kept.content
        if body == b"":
            self._web.session.drop([request.cache_name])
            raise FetchError("broken_answer", "what the cache had of it was damaged, and is gone")
        what = "is as it was read last" if body is None else f"has {len(body)} bytes to read"
        _LOG.info("%s: %s", self, what)
        return self._make_fetched(body=body, kept=kept)

    def _log_request(self, request: FeedRequest) -> None:
        """Log a request and what it brought, without secrets."""
        if not _LOG.isEnabledFor(logging.INFO):
            return
        sent = [
            f"{name}: {self._web.session.redactor.redact(value)}"
            for name in ("If-None-Match", "If-Modified-Since")
            if (value := request.headers.get(name)) is not None
        ]
        _LOG.info(
            "%s: GET %s (%s): %s, %d bytes, %.2f s",
            self,
            self.redact_url(request.address),
            ", ".join(sent) or "no conditions",
            request.status or "no answer",
            request.bytes_received,
            request.took,
        )

    def redact_url(self, url: str) -> str:
        """Return an address, or the name of a server, without secrets, for a log."""
        return address.redact(self._web.session.redactor.redact(url))

    def _request(self) -> FeedRequest:
        feed, url, now = self.poll.feed, self._chain.url, self._web.clock()
        headers = {
            "User-Agent": self._web.user_agent,
            "Accept": self._route.accept or self._web.rules.accept,
            "Accept-Encoding": "gzip",
        }
        # What the operator sends to a publisher is for nobody else (R37 in docs/politeness.md).
        home = self._route.home
        at_home = url == home or address.origin(url) == address.origin(home)
        if at_home:
            headers |= {name: secret.value for name, secret in feed.policy.headers}
        signature = self._signatures.get(self.host) if self._route.may_be_signed else None
        request = FeedRequest(
            url,
            headers,
            cache_name=cache_name(feed.key, url),
            conditions=self.poll.conditions,
            max_size=self._route.max_size,
            deadline=Deadline(min(self._left, self._ends_at - time.monotonic())),
            guard=self._guard,
            rules=self._web.rules,
            pages=self.poll.pages or self._route.is_step,
            asked_at=now,
            signature=signature,
        )
        if signature and self._web.signer:
            # As urllib3 spells it: it writes some characters in another way.
            request.url = parse_url(url).url
            request.headers.update(self._web.signer.headers(signature, request.url, now=now))
        credentials = split_credentials(feed.url).credentials
        if feed.policy.auth:
            user, password = feed.policy.auth
            credentials = user, password.value
        if credentials and at_home:
            HTTPBasicAuth(*credentials)(request)
        return request

    def _sign_next(self, error: FetchError) -> bool:
        """Choose a way of signing not tried yet; return whether the server may accept it."""
        signer = self._web.signer
        if error.kind not in _UNKNOWN or not (signer and self._route.may_be_signed):
            return False
        last = self._requests[-1]
        tried = {one.signature for one in self._requests if one.address == last.address}
        untried = [signature for signature in signer.ways if signature not in tried]
        if not untried or self._left <= 0:
            return False
        self._signatures[self.host] = untried[0]
        return True

    def _schedule_next(self, wait: float) -> None:
        """Schedule the next request after so many seconds, to where the chain leads now."""
        if self._left <= 0:
            raise make_timeout_error()
        self.not_before = time.monotonic() + wait
        self.host = address.server(self._chain.url)

    def _make_fetched(
        self,
        *,
        body: bytes | None = None,
        kept: KeptResponse | None = None,
        error: FetchError | None = None,
    ) -> Fetched:
        first, last = self._requests[0], self._requests[-1]
        return Fetched(
            started=first.asked_at,
            ended=last.ended_at,
            url=last.address,
            status=last.status,
            headers=last.received,
            body=body,
            body_hash=kept.body_hash if kept else None,
            permanent_url=None if self._route.is_resolving else self._chain.permanent_url,
            resolved=self._route.resolution if error is None else None,
            conditional=last.is_conditional,
            validators=kept.validators if kept else frozenset(),
            signature=last.signature,
            same_etag=last.same_etag,
            cut_off=last.cut_off,
            is_inside=self._guard.is_inside,
            is_outside=self._guard.is_outside,
            bytes_received=sum(request.bytes_received for request in self._requests),
            response_time=timedelta(seconds=sum(request.took for request in self._requests)),
            error=error,
        )


class RequestSigner(Protocol):
    """Signs requests for servers that want to know who asks."""

    @property
    def ways(self) -> Sequence[Signature]:
        """The ways to sign, in the order in which they are tried."""

    def headers(self, signature: Signature, url: str, *, now: datetime) -> dict[str, str]:
        """Return what to send along with a GET."""
