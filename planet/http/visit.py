"""One feed, asked once: one request at a time, until there is a Fetched."""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace
from requests.auth import HTTPBasicAuth
from urllib3.util import parse_url

from planet.errors import FetchError
from planet.http.guard import Guard
from planet.http.redirects import MAX_STEP, RedirectChain, lasting_url, split_credentials
from planet.http.request import CONDITIONS, REDIRECTS, FeedRequest
from planet.model import WHOLE, Fetched, Lead, Resolved, Step
from planet.text import address

if TYPE_CHECKING:
    from datetime import datetime

    from planet.http.session import KeptResponse
    from planet.http.web import Crawl
    from planet.model import PollRequest


_LOG = logging.getLogger(__name__)
OUT_OF_TIME = "out_of_time", "the time of the run was up before the answer had come"
"""The error of a visit that the end of the run cut off: nobody's fault."""


class RequestSigner(Protocol):
    """Signs requests for servers that want to know who asks."""

    def headers(self, url: str, *, now: datetime) -> dict[str, str]:
        """Return the headers of a GET."""


class Visit:
    """The requests for one feed: a GET, and more after redirects and steps of an account.

    The feed's time limit runs during requests, not in between.
    """

    def __init__(self, poll: PollRequest, crawl: Crawl) -> None:
        self.poll = poll
        self.requests: list[FeedRequest] = []
        self._crawl, self._web = crawl, crawl.web
        feed, begin = poll.feed, self._web.resolver.begin
        start = begin(feed, None)
        known = begin(feed, poll.resolved) if poll.resolved else start
        self._lead = known or Lead(step=Step.FEED, url=poll.url, accept=crawl.rules.accept)
        """The present step on the way to the posts."""
        self._resolution: Resolved | None = None
        # The operator's address, whose server alone gets configured headers and passwords.
        self._home, self._credentials = split_credentials(start.url if start else feed.url)
        self.chain = RedirectChain(self._lead.url)
        session, only_public = self._web.session, feed.is_led or poll.was_public
        self._guard = Guard(session.network.find, session.is_public, only_public)

    def __str__(self) -> str:
        """Return the feed's name for a log."""
        return self._redact(self.poll.feed.key)

    @property
    def host(self) -> str:
        """The server of the next request, as `address.server` has it."""
        return address.server(self.chain.url)

    def advance(self) -> Fetched | None:
        """Make the next request; return the result if it was the last.

        The body of a 200 is stored with the validators before this returns; any other answer
        leaves the stored one as it was.

        Raises:
            FetchError: the feed must not be asked in this run, and was not.
            StateError: the answer cannot be stored.
        """
        try:
            self._crawl.wait(self)
            request = self._make_request()
            self.requests.append(request)
            kept = self._send(request)
            if request.status in REDIRECTS:
                self._crawl.stopped.wait(self.chain.follow(request))
                return None
            if self._is_led_on(request, kept):
                return None
            # A 304 may be news, too: another address may have answered since.
            is_known = kept.body_hash == self.poll.known_hash
            body = None if is_known else self._find_body(request, kept)
        except FetchError as error:
            if not self.requests:
                raise
            return replace(self._make_fetched(), error=self._explain(error), resolved=None)
        return self._make_fetched(kept, body)

    def _make_request(self) -> FeedRequest:
        feed, url, step = self.poll.feed, self.chain.url, self._lead.step
        max_size = feed.policy.max_size
        left = feed.policy.timeout.total_seconds() - sum(one.took for one in self.requests)
        request = FeedRequest(
            url,
            {"User-Agent": self._web.user_agent, "Accept": self._lead.accept},
            max_size=max_size if step.may_have_posts else min(max_size, MAX_STEP),
            seconds=min(left, self._crawl.ends_at - time.monotonic()),
            guard=self._guard,
            rules=self._crawl.rules,
            pages=self.poll.pages or not step.is_last,
            asked_at=self._web.clock(),
        )
        # Secrets of the operator are for this publisher alone (R37 in docs/politeness.md).
        if url == self._home or address.origin(url) == address.origin(self._home):
            request.headers.update({name: one.value for name, one in feed.policy.headers})
            if feed.policy.auth:
                user, password = feed.policy.auth
                HTTPBasicAuth(user, password.value)(request)
            elif self._credentials:
                HTTPBasicAuth(*self._credentials)(request)
        if self._web.signer and step.may_be_signed:
            # As urllib3 spells it: it writes some characters in another way.
            request.url = parse_url(url).url
            request.headers.update(self._web.signer.headers(request.url, now=request.asked_at))
        return request

    def _send(self, request: FeedRequest) -> KeptResponse:
        try:
            key = self.poll.feed.key if self._lead.step.may_have_posts else ""
            return self._web.session.send(request, key, self.poll.conditions)
        finally:
            request.ended_at = self._web.clock()
            if _LOG.isEnabledFor(logging.INFO):
                self._log(request)

    def _log(self, request: FeedRequest) -> None:
        """Log a request and the outcome, without secrets."""
        named = [name for name in CONDITIONS.values() if name in request.headers]
        conditions = ", ".join(f"{name}: {request.headers[name]}" for name in named)
        sent = self._web.session.redactor.redact(conditions) or "no conditions"
        words = f"GET {self._redact(request.address)} ({sent}): {request.status or 'no answer'}"
        _LOG.info("%s: %s, %d bytes, %.2f s", self, words, request.bytes_received, request.took)

    def _redact(self, url: str) -> str:
        """Return an address without secrets, for a log."""
        return address.redact(self._web.session.redactor.redact(url))

    def _is_led_on(self, request: FeedRequest, kept: KeptResponse) -> bool:
        """Return whether an answer has no posts but names the next address, which is asked then.

        Raises:
            FetchError: the answer leads nowhere.
        """
        lead, resolver = self._lead, self._web.resolver
        found: Lead | Resolved | None = None if self.poll.resolved else lead.about
        may_lead = lead.step is Step.FEED and resolver.may_lead(request.received)
        if may_lead or not lead.step.is_last:
            body = self._find_body(request, kept)
            found = resolver.follow(self.poll.feed, lead, request.address, body)
        if isinstance(found, Lead):
            self._lead, self.chain = found, RedirectChain(found.url)
            return True
        if found is not None:
            url = lasting_url(lead.url, self.chain.permanent_url)
            self._resolution = replace(found, url=url)
        return False

    def _find_body(self, request: FeedRequest, kept: KeptResponse) -> bytes:
        """Return the body of an answer.

        Raises:
            FetchError: the body in the cache is damaged.
        """
        body = request.content or self._web.session.unpack(kept)
        if not body:
            self._web.session.drop([self.poll.feed.key])
            raise FetchError("broken_answer", "the answer in the cache was damaged, and is gone")
        return body

    def _explain(self, error: FetchError) -> FetchError:
        """Return an error of the last request in words for the operator.

        The error is a new one: the traceback of the old one would keep the whole answer in memory.
        """
        kind, words, step = error.kind, str(error), self._lead.step
        may_be_cut = self.requests[-1].status in (None, *WHOLE)
        if may_be_cut and time.monotonic() >= self._crawl.ends_at:
            kind, words = OUT_OF_TIME
        elif kind == "http_401" and step.may_be_signed:
            words = "the server wants to know who asks: see fetch.signature (HTTP 401)"
        if step.label:
            words = f"{step.label} {self.host.removesuffix(':443')}: {words}"
        # A server may say anything, and its words are printed.
        words = self._web.session.redactor.redact(words)
        _LOG.info("%s: failed, %s: %s", self, kind, words)
        return FetchError(kind, words)

    def _make_fetched(self, kept: KeptResponse | None = None, body: bytes | None = None) -> Fetched:
        first, last = self.requests[0], self.requests[-1]
        is_at_home = self._lead.step is Step.FEED and self._resolution is None
        return Fetched(
            started=first.asked_at,
            ended=last.ended_at,
            url=last.address,
            status=last.status,
            headers=last.received,
            body=body,
            body_hash=kept.body_hash if kept else None,
            # The end of a name's way does not tell where a feed has moved.
            permanent_url=self.chain.permanent_url if is_at_home else None,
            resolved=self._resolution,
            conditional=last.is_conditional,
            validators=kept.validators if kept else frozenset(),
            same_etag=last.same_etag,
            cut_off=last.cut_off,
            is_public=self._guard.starts_public,
            bytes_received=sum(request.bytes_received for request in self.requests),
            response_time=timedelta(seconds=sum(request.took for request in self.requests)),
        )
