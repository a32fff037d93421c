"""One feed, asked once: one request at a time, and whatever comes made a Fetched."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from datetime import timedelta
from math import inf
from typing import TYPE_CHECKING

from requests.auth import HTTPBasicAuth
from urllib3.util import parse_url

from planet.errors import FetchError, StateError
from planet.http.connections import too_slow
from planet.http.exchange import (
    CONNECT_TIMEOUT,
    CONNECTION,
    IDLE_TIMEOUT,
    REDIRECTS,
    SMALL,
    Deadline,
    Exchange,
    FeedRequest,
    Guard,
    Place,
    kept_as,
    of_exception,
    out_of_time,
)
from planet.http.redirects import RedirectChain, Route, without_user
from planet.http.signing import ORDER
from planet.model import Fetched
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from requests import Response

    from planet.http.exchange import RequestSlots, Watchdog
    from planet.http.redirects import Resolver
    from planet.http.session import FeedSession
    from planet.http.signing import Signer
    from planet.model import Feed, PollRequest, Signature


def recall(
    turn: PollRequest, *, session: FeedSession, clock: Callable[[], datetime]
) -> Fetched | None:
    """The body on disk when its entries are not stored yet; None when there is nothing to do."""
    for name in names_of(turn.feed, turn.answered_url, turn.adopted_url):
        stored = session.cached(name)
        if stored is not None:
            body, body_hash = unread(stored.content, turn)
            if body is None:
                continue
            now = clock()
            return Fetched(
                started=now,
                ended=now,
                url=stored.url,
                body=body,
                body_hash=body_hash,
                validators=validators_of(stored),
                asked=False,
            )
    return None


def names_of(feed: Feed, *others: str | None) -> list[str]:
    """The names under which a feed's body may be on disk, the likeliest first.

    `others` are the addresses beside its own at which it may have been found.
    """
    return [kept_as(feed.key, url) for url in (*others, without_user(feed.url)[0]) if url]


def validators_of(kept: Response) -> frozenset[str]:
    """Which validators a body is kept with; of an answer's header fields only these are kept."""
    return frozenset(name.lower() for name in kept.headers)


def unread(content: bytes, turn: PollRequest) -> tuple[bytes | None, str]:
    """The body and its hash if it is not the one whose entries are stored, else the hash only.

    That holds for what a 304 says of a body on disk, too: another address may have answered since
    it was read, and what that said is no news of this one.
    """
    digest = hashlib.sha256(content).hexdigest()
    return (None if digest == turn.known_hash else content), digest


_UNKNOWN = frozenset({"http_401", "http_403"})
"""The kinds of error for who does not say who he is."""
_MOMENT = 0.001
"""Seconds; a time limit of none at all is refused."""


class FeedFetch:
    """A feed's GET, and more where it redirects or a name leads on, each at its host's turn.

    `advance` makes the next request: to `host`, and not before `not_before` on the monotonic
    clock. The feed's time limit runs while one is under way, not in between.
    """

    def __init__(self, turn: PollRequest, number: int, equipment: FetchContext) -> None:
        self.turn = turn
        self.number = number
        self.not_before = 0.0
        self.place = Place(equipment.room)
        self._with = equipment
        self._route = Route(turn, equipment.resolver)
        self._guard = Guard(
            self._route.home,
            self._route.url,
            equipment.session.is_public,
            is_led=turn.feed.is_led,
        )
        self._trail = RedirectChain(self._route.url, None if self._route.lead else turn.redirect)
        self._left = turn.feed.asking.timeout.total_seconds()
        self._exchanges: list[Exchange] = []
        self._signatures: dict[str, Signature | None] = {}
        self.host = address.host(self._trail.url)

    @property
    def begun(self) -> bool:
        """Whether a request was made."""
        return bool(self._exchanges)

    @property
    def over_at(self) -> float:
        """When the last request was over, on the monotonic clock."""
        return self._exchanges[-1].over_at

    def signs_as(self, signature: Signature | None) -> None:
        """What is known of how the host wants requests to be signed, if it does."""
        self._signatures.setdefault(self.host, signature)

    def advance(self) -> Fetched | None:
        """Make the next request; what came, if it was the last. Never raises FeedError.

        A 200's body is stored with its validators before this returns; any other answer leaves
        what is stored as it was.

        Raises:
            StateError: what came cannot be stored.
        """
        try:
            return self._get()
        except FetchError as error:
            if self._signs_next(error):
                return None
            # A new one: with the traceback of the old all that came would stay in memory.
            failure = FetchError(error.kind, str(error))
        except StateError:
            raise
        except Exception as error:  # noqa: BLE001 - the door
            # requests, urllib3 and http.client let many kinds of exception through.
            failure = of_exception(error)
        if failure.kind in CONNECTION and time.monotonic() >= self._with.ends_at:
            return self.end(out_of_time())
        told = self._route.told(failure, self._trail.url)
        # A server may say anything, and its words are printed.
        return self.end(FetchError(told.kind, self._with.session.veil.redact(str(told))))

    def end(self, error: FetchError) -> Fetched:
        """What came of a visit that ends here, after at least one request."""
        self.place.leave()
        return self._fetched(error=error)

    def _get(self) -> Fetched | None:
        """One request; None when another is to follow.

        Raises:
            FetchError: nothing usable came.
        """
        exchange = self._exchange()
        left = max(exchange.deadline.remaining, _MOMENT)
        try:
            self._with.watchdog.watch(exchange.deadline)
            response = self._with.session.send(
                self._request(exchange),
                allow_redirects=False,
                stream=True,
                timeout=(min(CONNECT_TIMEOUT, left), min(IDLE_TIMEOUT, left)),
                proxies={},  # without any given, requests looks for some in the environment
            )
        finally:
            self._with.watchdog.release(exchange.deadline)
            exchange.ended_at = self._with.clock()
            self._left -= exchange.took
        if exchange.status in REDIRECTS:
            self._follow(exchange)
            return None
        if self._goes_on(exchange, response):
            return None
        body, body_hash = unread(response.content, self.turn)
        if body is None:
            self.place.leave()
        elif len(body) > SMALL:
            self.place.take()
        validators = validators_of(response)
        return self._fetched(body=body, body_hash=body_hash, validators=validators)

    def _exchange(self) -> Exchange:
        feed, url, now = self.turn.feed, self._trail.url, self._with.clock()
        exchange = Exchange(
            url=url,
            kept_as=kept_as(feed.key, url),
            conditions=self.turn.conditions,
            max_size=self._route.max_size,
            deadline=Deadline(min(self._left, self._with.ends_at - time.monotonic())),
            guard=self._guard,
            place=self.place,
            pages=self.turn.pages or self._route.is_step,
            asked_at=now,
            ended_at=now,
            signature=self._signatures.get(self.host) if self._route.may_be_signed else None,
        )
        self._exchanges.append(exchange)
        return exchange

    def _request(self, exchange: Exchange) -> FeedRequest:
        feed = self.turn.feed
        headers = {
            "User-Agent": self._with.user_agent,
            "Accept": self._route.accept,
            "Accept-Encoding": "gzip",
        }
        # What the operator sends to a publisher is not for whoever that one leads to (R37).
        at_home = address.origin(exchange.url) == address.origin(self._route.home)
        if at_home:
            headers.update(feed.asking.headers)
        url = exchange.url
        if exchange.signature and self._with.signer:
            # As urllib3 sends it: it writes some characters in another way.
            url = parse_url(url).url
            now = exchange.asked_at
            headers |= self._with.signer.headers(exchange.signature, url, now=now)
        request = FeedRequest(url, headers, exchange)
        credentials = feed.asking.auth or without_user(feed.url)[1]
        if credentials and at_home:
            HTTPBasicAuth(*credentials)(request)
        return request

    def _follow(self, exchange: Exchange) -> None:
        wait = self._trail.follow(
            exchange.status or 0,
            {name.lower(): value for name, value in exchange.headers.items()},
            received=exchange.ended_at,
        )
        self._turn_to(exchange.over_at + wait.total_seconds())

    def _goes_on(self, exchange: Exchange, response: Response) -> bool:
        """Whether the answer is a step only, and another request is to follow."""
        url = self._route.goes_on(
            exchange.url,
            response.content,
            exchange.headers,
            permanent_url=self._trail.permanent_url,
        )
        if url is None:
            return False
        self.place.leave()
        self._trail.step(url)
        self._turn_to(exchange.over_at)
        return True

    def _signs_next(self, error: FetchError) -> bool:
        """Whether the server wants to know who asks, and can be asked in a way not tried yet."""
        if error.kind not in _UNKNOWN or not (self._with.signer and self._route.may_be_signed):
            return False
        last = self._exchanges[-1]
        tried = {each.signature for each in self._exchanges if each.url == last.url}
        untried = [each for each in ORDER if each not in tried]
        if not untried or self._left <= 0:
            return False
        self._signatures[self.host] = untried[0]
        self.not_before = last.over_at
        return True

    def _turn_to(self, not_before: float) -> None:
        """The next request is where the trail leads now."""
        if self._left <= 0:
            raise too_slow()
        self.not_before = not_before
        self.host = address.host(self._trail.url)

    def _fetched(
        self,
        *,
        body: bytes | None = None,
        body_hash: str | None = None,
        validators: frozenset[str] = frozenset(),
        error: FetchError | None = None,
    ) -> Fetched:
        first, last = self._exchanges[0], self._exchanges[-1]
        return Fetched(
            started=first.asked_at,
            ended=last.ended_at,
            url=last.url,
            status=last.status,
            headers={name.lower(): value for name, value in last.headers.items()},
            body=body,
            body_hash=body_hash,
            permanent_url=None if self._route.is_resolving else self._trail.permanent_url,
            redirect=None if self._route.is_resolving else self._trail.pending,
            resolved=self._route.learned if error is None else None,
            conditional=last.conditional,
            validators=validators,
            signature=last.signature,
            same_etag=last.same_etag,
            cut_off=last.cut_off,
            is_inside=self._guard.is_inside,
            bytes_received=sum(each.bytes_received for each in self._exchanges),
            response_time=timedelta(seconds=sum(each.took for each in self._exchanges)),
            error=error,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchContext:
    """What all visits of a round share."""

    session: FeedSession
    resolver: Resolver
    signer: Signer | None
    """None where the operator has no key."""
    watchdog: Watchdog
    room: RequestSlots
    user_agent: str
    clock: Callable[[], datetime]
    ends_at: float = inf
    """When all is over, on the monotonic clock."""
