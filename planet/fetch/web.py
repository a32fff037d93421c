"""Many feeds at once, one at a time for each host."""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING

from planet.fetch.deadline import Watchdog
from planet.fetch.equipment import Equipment
from planet.fetch.files import read
from planet.fetch.room import Room
from planet.fetch.round import Round
from planet.fetch.shelf import names_of, recall
from planet.fetch.visit import Visit

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from datetime import datetime, timedelta

    from planet.fetch.ledger import Ledger
    from planet.fetch.route import Resolver
    from planet.fetch.session import FeedSession
    from planet.fetch.signing import Signer
    from planet.model import Feed, Fetched, Turn


class Web:
    """The feeds' servers, asked politely.

    `workers` hosts are asked at the same time. A request that has been going on for a second makes
    room for one more, up to three times `workers` in all, so that slow servers do not keep the
    others waiting. Each host is asked for one thing at a time, over one connection, with a gap
    between the end of one request and the start of the next. A redirect waits for the turn of the
    host it leads to, before the feeds that still have to be asked there.
    """

    def __init__(
        self,
        session: FeedSession,
        *,
        resolver: Resolver,
        user_agent: str,
        clock: Callable[[], datetime],
        workers: int,
        budget: timedelta | None = None,
        signer: Signer | None = None,
    ) -> None:
        self._session = session
        self._resolver = resolver
        self._signer = signer
        self._user_agent = user_agent
        self._clock = clock
        self._workers = workers
        self._budget = budget
        self._ends_at: float | None = None
        self._free_at: dict[str, float] = {}

    def fetch(
        self, turns: Iterable[Turn], ledger: Ledger
    ) -> Generator[tuple[Feed, Fetched], None, None]:
        """Ask for each feed once and yield what came, as it comes; files first.

        With a time budget, of the hosts that may be asked the one whose next turn is earliest in
        the order given comes first. It is for all calls together, from the first one on. Once it
        is used up no turn is started, and those under way end with the error `out_of_time`.
        Without one the hosts with most feeds come first; only feeds of a host whose gap is longer
        than ten seconds are not started after ten minutes. Turns that are not started, those of
        resting hosts among them, are not yielded.

        Raises:
            StateError: what came cannot be stored.
        """
        turns = list(turns)
        for turn in turns:
            if turn.feed.is_file:
                ledger.starting(turn)
                fetched = read(turn, clock=self._clock)
                ledger.ended(turn, fetched)
                yield turn.feed, fetched
        if all(turn.feed.is_file for turn in turns):
            # Most runs: no thread is started for them.
            return
        if self._ends_at is None:
            self._ends_at = inf
            if self._budget is not None:
                self._ends_at = time.monotonic() + self._budget.total_seconds()
        equipment = Equipment(
            session=self._session,
            resolver=self._resolver,
            signer=self._signer,
            watchdog=Watchdog(),
            room=Room(),
            user_agent=self._user_agent,
            clock=self._clock,
            ends_at=self._ends_at,
        )
        yield from Round(
            (
                Visit(turn, number, equipment)
                for number, turn in enumerate(turns)
                if not turn.feed.is_file
            ),
            ledger=ledger,
            equipment=equipment,
            workers=self._workers,
            free_at=self._free_at,
        )

    def recall(self, turns: Iterable[Turn]) -> Iterator[tuple[Feed, Fetched]]:
        """Without any request: bodies on disk whose entries are not stored yet."""
        for turn in turns:
            fetched = recall(turn, session=self._session, clock=self._clock)
            if fetched is not None:
                yield turn.feed, fetched

    def rename(self, old_key: str, feed: Feed) -> None:
        """From now on, the bodies on disk of the feed that had this key are those of `feed`."""
        self._session.rename(old_key, feed.key)

    def keep_only(self, feeds: Iterable[tuple[Feed, str | None]]) -> None:
        """Drop the bodies on disk of all feeds but these, each with its `Memory.answered_url`."""
        self._session.keep_only(
            name for feed, answered_url in feeds for name in names_of(feed, answered_url)
        )

    def kept(self) -> int:
        """How many bodies are on disk."""
        return self._session.kept()

    def compact(self) -> None:
        """Give the room of bodies that were dropped back to the disk."""
        self._session.compact()
