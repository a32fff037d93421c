"""Kills runs, and says what is wrong afterwards.

What a planet knows and shows in the end is held against one that was never killed.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import cycle, pairwise
from pathlib import Path

from tests.benchmarks.mortal import Child, MortalPlanet, Phase
from tests.benchmarks.publishing import HOSTS, LATER, NAMES, REDIRECTED, Publisher
from tests.processes import without_check
from tests.server import Server
from tests.whole.conftest import NOON

_HOUR = timedelta(hours=1)
_TELL_OF_ASKING = {"health.json", "planet.json"}
"""The files that say when each feed was asked: a planet that was killed asked at other times."""
_APART = timedelta(minutes=10)
"""Between the beginnings of runs that are killed one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Runs of a planet that were killed one after the other, and what came of it."""

    phases: tuple[Phase, ...]
    """How far each of them had come."""
    faults: tuple[str, ...]

    @property
    def kills(self) -> int:
        """How many had not ended by themselves before."""
        return sum(phase is not Phase.ENDED for phase in self.phases)


class Killing:
    """Kills runs of a planet, each time from the same beginning.

    That is an empty folder or, for an `update`, what a whole run left two days before; since then
    two thirds of the feeds have changed. A context manager.
    """

    def __init__(self, folder: Path, publisher: Publisher, *, update: bool) -> None:
        folder.mkdir()
        self._publisher = publisher
        self._edition = 2 if update else 1
        self._begins = NOON + timedelta(days=2) if update else NOON
        self._mended = self._begins + timedelta(days=3)
        self._ends = self._mended + timedelta(days=3)
        self._beginning = folder / "beginning"
        self._planet = MortalPlanet(folder / "planet", publisher)
        self._control = MortalPlanet(folder / "control", publisher)
        self._seconds = 0.0
        """What a run takes."""
        self._child = Child()
        self._exit = ExitStack()

    def __enter__(self) -> Killing:
        with ExitStack() as stack:
            stack.enter_context(self._child).ready()
            if self._begins > NOON:
                self._publisher.publish(1, mended=True)
                self._planet.run(self._child, NOON)
                self._control.run(self._child, NOON)
            shutil.copytree(self._planet.folder, self._beginning)
            self._publisher.publish(self._edition)
            with Child() as measured:
                measured.ready()
                seconds = self._control.run(measured, self._begins)
                assert seconds is not None
                self._seconds = seconds
            self._end(self._control)
            assert {feed for feed, _ in self._control.entries()} == set(NAMES)
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._exit.close()

    def kill(self, *moments: float) -> Trial:
        """Kill a run at each of these moments (0 is its beginning, 1 its usual end), then go on.

        The runs that are killed begin ten minutes after each other.
        """
        self._planet.become(self._beginning)
        self._publisher.publish(self._edition)
        self._publisher.forget()
        now = self._begins
        phases: list[Phase] = []
        with ExitStack() as stack:
            # All of them first: to load takes as long as to run.
            children = [stack.enter_context(Child()) for _ in moments]
            for child in children:
                child.ready()
            for child, moment in zip(children, moments, strict=True):
                # What the first one leaves to do takes less.
                usual = self._seconds / 2 if phases else self._seconds
                took = self._planet.run(child, now, killed_after=moment * usual)
                if took is not None and not phases:
                    # The machine has less to do than before.
                    self._seconds = took
                phases.append(self._planet.phase(now) if took is None else Phase.ENDED)
                now += _APART
        faults = tuple(self._aftermath(now, kills=len(moments)))
        return Trial(phases=tuple(phases), faults=faults)

    def _aftermath(self, now: datetime, *, kills: int) -> Iterator[str]:
        """What is wrong after a run at once, one two hours later, and those in the end."""
        tried = {path.strip("/") for path in self._publisher.asked()}
        self._planet.run(self._child, now)
        lost = (tried & self._missing()) - LATER
        # At most one feed of each host was on its way at each kill. What came after a redirect is
        # on disk, but nobody lived to write down under which address.
        if len(lost - REDIRECTED) > kills * len(HOSTS):
            yield f"more lost than was on its way: {sorted(lost)}"
        if unshown := self._planet.unshown():
            yield f"stored and not on the site: {sorted(unshown)}"
        self._planet.run(self._child, now + 2 * _HOUR)
        if lost := self._missing() - LATER:
            yield f"not there two hours later: {sorted(lost)}"
        self._end(self._planet)
        if self._planet.entries() == self._control.entries():
            yield from self._differences()
        else:
            yield f"not there in the end, or otherwise: {sorted(self._missing())}"
        yield from _haste(self._publisher.asked())
        known_since = self._ends if self._edition == 1 else self._begins
        if forgotten := self._publisher.asked_whole(known_since) - LATER - REDIRECTED:
            yield f"asked without validators: {sorted(forgotten)}"

    def _end(self, planet: MortalPlanet) -> None:
        """Two last runs, days apart, of which the first finds all feeds in order.

        By the second, a feed that moved for good has been found there often enough to be asked
        there, whatever a kill made it forget.
        """
        self._publisher.publish(self._edition, mended=True)
        for now in (self._mended, self._ends):
            planet.run(self._child, now)

    def _differences(self) -> Iterator[str]:
        """What is not as if the planet had never been killed, and had met each entry when it did.

        When an entry was first seen stands in feeds, and an undated one is filed under it.
        """
        self._control.meet_as(self._planet)
        self._control.unpublish()
        self._control.run(self._child, self._ends)
        site, whole = without_check(self._planet.site()), without_check(self._control.site())
        names = (site.keys() | whole.keys()) - _TELL_OF_ASKING
        if other := sorted(name for name in names if site.get(name) != whole.get(name)):
            yield f"other pages: {other}"
        if odd := self._planet.paths() ^ self._control.paths():
            yield f"files that came or went: {sorted(odd)}"
        if damage := self._planet.damage():
            yield f"damage: {damage}"

    def _missing(self) -> set[str]:
        """The feeds of which an entry is not stored that the other planet has."""
        return {feed for feed, _ in self._control.entries().keys() - self._planet.entries().keys()}


def trials(folder: Path, *, kills: int, rows: Sequence[int]) -> list[Trial]:
    """First runs and updates, killed so many times each; two planets at a time.

    `rows` says how many runs are to be killed one after the other, trial by trial, over and over.
    """
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(_trials, folder / "first", kills, rows, update=False)
        update = pool.submit(_trials, folder / "update", kills, rows, update=True)
    return first.result() + update.result()


def _trials(folder: Path, kills: int, rows: Sequence[int], *, update: bool) -> list[Trial]:
    lots = random.Random(3)
    tried: list[Trial] = []
    with Server(*HOSTS) as server, Killing(folder, Publisher(server), update=update) as killing:
        for row in cycle(rows):
            if sum(trial.kills for trial in tried) >= kills:
                break
            tried.append(killing.kill(*(lots.random() for _ in range(row))))
    return tried


def _haste(asked: Mapping[str, Sequence[datetime]]) -> list[str]:
    """The addresses that were asked twice within an hour."""
    return [
        f"{path} asked twice within the hour: {one:%d %H:%M}, {other:%d %H:%M}"
        for path, times in asked.items()
        for one, other in pairwise(times)
        if other - one < _HOUR
    ]
