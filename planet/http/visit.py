"""One feed, asked once: one request at a time, until there is a Fetched."""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from math import inf
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace
from requests.auth import HTTPBasicAuth
from urllib3.util import parse_url

from planet.errors import FetchError
from planet.http.guard import Guard
from planet.http.redirects import MAX_STEP, RedirectChain, lasting_url, split_credentials
from planet.http.request import (
    CONNECTION,
    REDIRECTS,
    Deadline,
    FeedRequest,
    cache_name,
    make_out_of_time_error,
)
from planet.model import Fetched, Lead, Resolved, Step
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from planet.http.request import AnswerRules
    from planet.http.session import KeptResponse
    from planet.http.web import Web
    from planet.model import Feed, PollRequest, Signature


_LOG = logging.getLogger(__name__)
_UNKNOWN = frozenset({"http_401", "http_403"})
"""The kinds of error for a request that does not say who sends it."""


def list_cache_names(feed: Feed, *others: str | None) -> list[str]:
    """Return the names under which a feed's body may be in the cache, the most likely first.

    `others` are the addresses beside its own at which it may have been found.
    """
    return [cache_name(feed.key, url) for url in (*others, split_credentials(feed.url).url) if url]


class Visit:
    """A feed's GET, and more where it redirects or a name leads on, each at its host's turn.

    `advance` makes the next request: to `url`, and not before `not_before` on the monotonic clock.
    The feed's time limit runs while one is under way, not in between.
    """

    def __init__(
        self, poll: PollRequest, web: Web, rules: AnswerRules, *, ends_at: float = inf
    ) -> None:
        self.poll = poll
        self.not_before = 0.0
        self._web = web
        self._rules = rules
        self._ends_at = ends_at
        feed, begin = poll.feed, web.resolver.begin
        start = begin(feed, None)
        known = begin(feed, poll.resolved) if poll.resolved else start
        self._lead = known or Lead(step=Step.FEED, url=poll.url, accept=rules.accept)
        """What is asked for now."""
        self._resolution: Resolved | None = None
        self._home = split_credentials(start.url if start else feed.url).url
        """Where the operator sends us: what is configured of headers and passwords is for there."""
        self._chain = RedirectChain(split_credentials(self._lead.url).url)
        self._guard = Guard(web.session.is_public, only_public=feed.is_led or poll.was_public)
        self._left = feed.policy.timeout.total_seconds()
        self._requests: list[FeedRequest] = []
        self._signatures: dict[str, Signature | None] = {}

    def __str__(self) -> str:
        """Return what to call the feed in a log."""
        return self._redact_url(self.poll.feed.key)

    @property
    def url(self) -> str:
        """The address of the next request."""
        return self._chain.url

    @property
    def host(self) -> str:
        """The server of the next request, as `address.server` has it."""
        return address.server(self._chain.url)

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
        request = self._make_request()
        self._requests.append(request)
        try:
            return self._send(request)
        except FetchError as error:
            if self._sign_next(error):
                _LOG.info("%s: is asked again, signed (%s)", self, self._signatures[self.host])
                return None
            kind, words, step = error.kind, str(error), self._lead.step
        if kind in CONNECTION and time.monotonic() >= self._ends_at:
            return self.end(make_out_of_time_error())
        if kind == "http_401" and step.may_be_signed:
            words = "the server wants to know who asks: see fetch.signature (HTTP 401)"
        if step.label:
            words = f"{step.label} {address.host(self.url).removesuffix(':443')}: {words}"
        # A new error: with the traceback of the old all that came would stay in memory. A server
        # may say anything, and its words are printed.
        return self.end(FetchError(kind, self._web.session.redactor.redact(words)))

    def end(self, error: FetchError) -> Fetched:
        """End the visit with an error, after at least one request."""
        _LOG.info("%s: failed, %s: %s", self, error.kind, error)
        return self._make_fetched(error=error)

    def stop(self) -> None:
        """Let the visit send nothing more, and wait no longer; called from another thread."""
        self._ends_at = 0.0
        if self._requests:
            self._requests[-1].cut()

    def _make_request(self) -> FeedRequest:
        feed, url, now, step = self.poll.feed, self.url, self._web.clock(), self._lead.step
        headers = {
            "User-Agent": self._web.user_agent,
            "Accept": self._lead.accept,
            "Accept-Encoding": "gzip",
        }
        # What the operator sends to a publisher is for nobody else (R37 in docs/politeness.md).
        at_home = url == self._home or address.origin(url) == address.origin(self._home)
        if at_home:
            headers |= {name: secret.value for name, secret in feed.policy.headers}
        signature = self._signatures.get(self.host) if step.may_be_signed else None
        max_size = feed.policy.max_size
        request = FeedRequest(
            url,
            headers,
            cache_name=cache_name(feed.key, url),
            conditions=self.poll.conditions,
            max_size=max_size if step.may_have_posts else min(max_size, MAX_STEP),
            deadline=Deadline(min(self._left, self._ends_at - time.monotonic())),
            guard=self._guard,
            rules=self._rules,
            pages=self.poll.pages or not step.is_last,
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

    def _send(self, request: FeedRequest) -> Fetched | None:
        """Send a request; return None when another one has to follow.

        Raises:
            FetchError: nothing usable came.
        """
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
            self.not_before = time.monotonic() + wait
            _LOG.info("%s: is redirected to %s, after %g s", self, self._redact_url(self.url), wait)
            return None
        if self._is_led_on(request, kept):
            _LOG.info("%s: is led on to %s", self, self._redact_url(self.url))
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

    def _is_led_on(self, request: FeedRequest, kept: KeptResponse) -> bool:
        """Return whether an answer has no posts but names the next address, which is asked then.

        Raises:
            FetchError: the answer leads nowhere.
        """
        lead, resolver = self._lead, self._web.resolver
        found: Lead | Resolved | None = None if self.poll.resolved else lead.about
        is_feed = lead.step is Step.FEED
        if not lead.step.is_last or (is_feed and resolver.may_lead(request.received)):
            found = resolver.follow(self.poll.feed, lead, request.address, kept.content)
        if isinstance(found, Lead):
            self._lead = found
            self._chain.step(found.url)
            return True
        if found is not None:
            url = lasting_url(lead.url, self._chain.permanent_url)
            self._resolution = replace(found, url=url)
        return False

    def _sign_next(self, error: FetchError) -> bool:
        """Choose a way of signing not tried yet; return whether the server may accept it."""
        signer = self._web.signer
        if error.kind not in _UNKNOWN or not (signer and self._lead.step.may_be_signed):
            return False
        tried = {one.signature for one in self._requests if one.address == self.url}
        untried = [signature for signature in signer.ways if signature not in tried]
        if untried:
            self._signatures[self.host] = untried[0]
        return bool(untried)

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
            self._redact_url(request.address),
            ", ".join(sent) or "no conditions",
            request.status or "no answer",
            request.bytes_received,
            request.took,
        )

    def _redact_url(self, url: str) -> str:
        """Return an address without secrets, for a log."""
        return address.redact(self._web.session.redactor.redact(url))

    def _make_fetched(
        self,
        *,
        body: bytes | None = None,
        kept: KeptResponse | None = None,
        error: FetchError | None = None,
    ) -> Fetched:
        first, last = self._requests[0], self._requests[-1]
        is_at_home = self._lead.step is Step.FEED and self._resolution is None
        return Fetched(
            started=first.asked_at,
            ended=last.ended_at,
            url=last.address,
            status=last.status,
            headers=last.received,
            body=body,
            body_hash=kept.body_hash if kept else None,
            # Where a name leads does not tell where the feed has moved.
            permanent_url=self._chain.permanent_url if is_at_home else None,
            resolved=self._resolution if error is None else None,
            conditional=last.is_conditional,
            validators=kept.validators if kept else frozenset(),
            signature=last.signature,
            same_etag=last.same_etag,
            cut_off=last.cut_off,
            is_public=self._guard.starts_public,
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
        """Return the headers of a GET."""
