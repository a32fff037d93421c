"""One feed, asked once: one request at a time, and whatever comes made a Fetched."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from requests.auth import HTTPBasicAuth

from planet import address
from planet.errors import FetchError, StateError
from planet.fetch.connections import too_slow
from planet.fetch.deadline import Deadline
from planet.fetch.exchange import Exchange, FeedRequest, kept_as
from planet.fetch.failures import REDIRECTS, of_exception
from planet.fetch.guard import Guard
from planet.fetch.limits import CONNECT_TIMEOUT, IDLE_TIMEOUT, SMALL
from planet.fetch.room import Place
from planet.fetch.shelf import unread, validators_of
from planet.fetch.trail import Trail, without_user
from planet.model import Fetched

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from planet.fetch.deadline import Watchdog
    from planet.fetch.room import Room
    from planet.fetch.session import FeedSession
    from planet.model import Turn

_ACCEPT = (
    "application/atom+xml, application/rss+xml, application/feed+json, "
    "application/rdf+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What all visits of a round share."""

    session: FeedSession
    watchdog: Watchdog
    room: Room
    user_agent: str
    clock: Callable[[], datetime]


class Visit:
    """A feed's GET, and up to five more where it redirects, each when its host's turn comes.

    `advance` makes the next request: to `host`, and not before `not_before` on the monotonic
    clock. The feed's time limit runs while one is under way, not in between.
    """

    def __init__(self, turn: Turn, number: int, equipment: Equipment) -> None:
        self.turn = turn
        self.number = number
        self.not_before = 0.0
        self.place = Place(equipment.room)
        self._with = equipment
        self._guard = Guard(turn, equipment.session.is_public)
        self._trail = Trail(without_user(turn.url)[0])
        self._left = turn.feed.asking.timeout.total_seconds()
        self._exchanges: list[Exchange] = []
        self.host = address.host(self._trail.url)

    @property
    def begun(self) -> bool:
        """Whether a request was made."""
        return bool(self._exchanges)

    @property
    def over_at(self) -> float:
        """When the last request was over, on the monotonic clock."""
        return self._exchanges[-1].over_at

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
            # A new one: with the traceback of the old all that came would stay in memory.
            failure = FetchError(error.kind, str(error))
        except StateError:
            raise
        except Exception as error:  # noqa: BLE001 - the door
            # requests, urllib3 and http.client let many kinds of exception through.
            failure = of_exception(error)
        return self.end(failure)

    def end(self, error: FetchError) -> Fetched:
        """What came of a visit that ends here, after at least one request."""
        self.place.leave()
        return self._fetched(error=error)

    def _get(self) -> Fetched | None:
        """One request; None if it was redirected.

        Raises:
            FetchError: nothing usable came.
        """
        exchange = self._exchange()
        try:
            self._with.watchdog.watch(exchange.deadline)
            response = self._with.session.send(
                self._request(exchange),
                allow_redirects=False,
                stream=True,
                timeout=(min(CONNECT_TIMEOUT, self._left), min(IDLE_TIMEOUT, self._left)),
                proxies={},  # without any given, requests looks for some in the environment
            )
        finally:
            self._with.watchdog.release(exchange.deadline)
            exchange.ended_at = self._with.clock()
            self._left -= exchange.took
        if exchange.status in REDIRECTS:
            self._follow(exchange)
            return None
        body, body_hash = unread(response.content, exchange.status, self.turn)
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
            max_size=feed.asking.max_size,
            deadline=Deadline(self._left),
            guard=self._guard,
            place=self.place,
            asked_at=now,
            ended_at=now,
        )
        self._exchanges.append(exchange)
        return exchange

    def _request(self, exchange: Exchange) -> FeedRequest:
        feed = self.turn.feed
        headers = {
            "User-Agent": self._with.user_agent,
            "Accept": _ACCEPT,
            "Accept-Encoding": "gzip",
        }
        # What the operator sends to a publisher is not for whoever that one redirects to (R37).
        at_home = address.origin(exchange.url) == address.origin(feed.url)
        if at_home:
            headers.update(feed.asking.headers)
        request = FeedRequest(exchange.url, headers, exchange)
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
        if self._left <= 0:
            raise too_slow()
        self.not_before = exchange.over_at + wait.total_seconds()
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
            permanent_url=self._trail.permanent_url,
            conditional=last.conditional,
            validators=validators,
            same_etag=last.same_etag,
            bytes_received=sum(each.bytes_received for each in self._exchanges),
            response_time=timedelta(seconds=sum(each.took for each in self._exchanges)),
            error=error,
        )
