"""A scenario brought to life: every request that its servers saw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from planet.config import Config, load
from planet.http import FeedSession, Web, make_user_agent
from planet.parse.sniff import FeedAnswers
from planet.report import Report
from planet.run.build import update
from planet.run.lists import load_feeds
from planet.run.open import Run, Scope
from planet.run.workers import Workers
from planet.schedule import revive
from planet.social.resolver import Resolver
from planet.store import Store
from tests.conformance.notation import Asked, D, Fed, Scenario, Tally
from tests.conformance.publishers import Publishers, Seen, publishing

_PATIENCE = 40 * D
"""How long a request is waited for that has no latest moment."""


def play(scenario: Scenario, folder: Path, workers: Workers) -> list[Seen]:
    """Every request that the servers of a scenario see, in their order.

    `folder` is empty, and has the planet's state afterwards.
    """
    with (
        publishing(scenario) as publishers,
        _Operator(scenario, folder, workers, publishers) as operator,
    ):
        for at, forced in operator.runs():
            publishers.expect(at, forced=forced)
            operator.run(at, forced=forced)
    return publishers.seen


class _Operator:
    """The planet of a scenario with its config, its state and its cron."""

    def __init__(
        self,
        scenario: Scenario,
        folder: Path,
        workers: Workers,
        publishers: Publishers,
    ) -> None:
        self._scenario = scenario
        self._folder = folder
        self._workers = workers
        self._publishers = publishers
        self._at = timedelta(0)
        self._is_rebound = False
        self._opened = ExitStack()
        self._tools: Run | None = None
        self._counted: dict[str, int] = {}
        self._edits = dict(sorted(scenario.edits.items()))
        self._config = self._configured(scenario.feeds)

    def __enter__(self) -> _Operator:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def runs(self) -> Iterator[tuple[timedelta, bool]]:
        """When each run is to start and whether it is forced, until all that is expected came."""
        scenario = self._scenario
        end = _longest(scenario) if scenario.lasts is None else scenario.lasts
        at = timedelta(0)
        while at <= end and (scenario.lasts is not None or any(self._pending())):
            yield at, False
            if at in scenario.forced:
                yield at, True
            planned = [*scenario.forced, *self._edits, *filter(None, [scenario.revived])]
            if scenario.cron is not None:
                planned.append(at + scenario.cron - at % scenario.cron)
            else:
                planned += [asked.moment(at - since) + since for asked, since in self._pending()]
            at = min((moment for moment in planned if moment > at), default=end + D)

    def run(self, at: timedelta, *, forced: bool) -> None:
        """One run at this moment, after whatever the operator did until then."""
        self._at = at
        for moment in [moment for moment in self._edits if moment <= at]:
            self._config = self._configured(self._edits.pop(moment))
        before = len(self._publishers.seen)
        tools = self._open()
        if self._scenario.rebound and not self._is_rebound and self._scenario.rebound <= at:
            self._is_rebound = True
            self._close()
            tools = self._open()
        if self._scenario.revived == at:
            for state in tools.store.states().values():
                tools.store.keep(revive(state))
        try:
            self._update(tools, Scope(force=forced))
        except KeyboardInterrupt:
            if not self._may_die:  # it was a person at a keyboard
                raise
            self._close()
        if len(self._publishers.seen) > before:
            # A run that asked somebody ends as a process does: the next one starts from disk.
            # One that asked nobody changes nothing, and opening takes most of its time.
            self._close()

    def _pending(self) -> Iterator[tuple[Asked, timedelta]]:
        """The next request at each address that expects one, and when the one before it came."""
        for address, expected in self._scenario.expected.items():
            came = [one.at for one in self._publishers.seen if one.address == address]
            if not isinstance(expected, Tally) and len(came) < len(expected):
                yield expected[len(came)], came[-1] if came else timedelta(0)

    def _update(self, tools: Run, scope: Scope) -> None:
        report = Report(started=tools.clock())
        feeds = load_feeds(self._config, run=tools, scope=scope, report=report)
        update(self._config, feeds, run=tools, scope=scope, report=report)

    @property
    def _may_die(self) -> bool:
        answers = (answer for script in self._scenario.scripts.values() for answer in script)
        return bool(self._scenario.deaths) or any(answer.interrupts for answer in answers)

    def _open(self) -> Run:
        if self._tools is None:
            state = self._folder / "state"
            store = self._opened.enter_context(Mortal.open(state))
            assert isinstance(store, Mortal)
            store.deaths, store.counted = self._scenario.deaths, self._counted
            letters = "" if self._is_rebound else self._scenario.public
            public = frozenset(map(self._publishers.host, letters))
            session = self._opened.enter_context(
                FeedSession(
                    state,
                    name=self._folder.name,
                    backend="sqlite",
                    options={},
                    is_public=public.__contains__,
                )
            )
            web = Web(
                session,
                resolver=Resolver(appview="https://appview.example"),
                rules=FeedAnswers(),
                user_agent=make_user_agent(self._config.contact),
                clock=self._clock,
                workers=20,
                budget=self._config.fetch.budget,
            )
            self._tools = Run(
                store=store,
                connect=lambda: web,
                workers=self._workers,
                clock=self._clock,
                host_gap=self._config.fetch.host_gap,
            )
        return self._tools

    def _close(self) -> None:
        self._tools = None
        self._opened.close()

    def _clock(self) -> datetime:
        """The planet's own clock, which may be wrong."""
        until, error = self._scenario.ahead or (timedelta(0), timedelta(0))
        return self._scenario.start + self._at + (error if self._at < until else timedelta(0))

    def _configured(self, feeds: Sequence[Fed]) -> Config:
        url, scenario = self._publishers.url, self._scenario
        settings = {
            "title": "The Planet",
            "fetch": {"host_gap": "0s", "timeout": "10m", **scenario.fetch},
            "feeds": [
                url(feed) if isinstance(feed, str) else {**feed, "url": url(feed["url"])}
                for feed in feeds
            ],
            "subscriptions": [url(address) for address in scenario.lists],
            **scenario.settings,
        }
        path = self._folder / "config.yaml"
        path.write_text(yaml.safe_dump(settings), encoding="utf-8")
        return load(path, environ={})


class Mortal(Store):
    """A store whose program dies now and then, as if by `kill -9`."""

    deaths: Mapping[str, Sequence[int]]
    counted: dict[str, int]

    def attempt(self, *args: Any, **kwargs: Any) -> None:
        """Written down; then the program may die before it sends anything."""
        super().attempt(*args, **kwargs)
        self._perhaps("sending")

    def keep(self, *args: Any, **kwargs: Any) -> None:
        """The program may die before anything is kept; the body is on disk by then."""
        self._perhaps("keeping")
        super().keep(*args, **kwargs)

    def _perhaps(self, before: str) -> None:
        self.counted[before] = self.counted.get(before, 0) + 1
        if self.counted[before] in self.deaths.get(before, ()):
            raise KeyboardInterrupt


def _longest(scenario: Scenario) -> timedelta:
    """How long to wait for what is expected, before giving up on it."""
    return max(
        sum((asked.latest or _PATIENCE for asked in expected), start=D)
        for expected in scenario.expected.values()
        if not isinstance(expected, Tally)
    )
