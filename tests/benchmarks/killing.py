"""Kills runs, and says what is wrong afterwards.

What a planet knows and shows in the end is held against one that was never killed.
"""

from __future__ import annotations

import os
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import cycle, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from planet.errors import StateError
from planet.store import Store
from tests.benchmarks.publishing import HOSTS, LATER, NAMES, REDIRECTED, Publisher
from tests.patience import PATIENCE
from tests.processes import PACKAGES, environ, without_check
from tests.server import Server
from tests.whole.conftest import CHECKOUT, NOON, Planet

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


# A planet whose runs are processes that may be killed, and what they leave

_READY = "ready\n"


class Phase(StrEnum):
    """How far a run had come when it was killed, by what it left."""

    OPENING = "before the first request"
    ASKING = "asking, nothing stored"
    STORING = "asking and storing"
    CHOOSING = "all stored, no page made"
    PUBLISHING = "making and moving pages"
    CLOSING = "all published"
    ENDED = "not killed: it had ended"


class Child:
    """A process that makes runs, one after the other.

    Leaving its `with` block ends it, and every process that it started must end with it.
    """

    def __init__(self) -> None:
        # Where multiprocessing leaves a socket when it is killed.
        self._temporary = TemporaryDirectory(prefix="planet-")
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.benchmarks.killed_child"],
            env=environ(
                # The planet that the tests import, and the tests.
                PYTHONPATH=os.pathsep.join([PACKAGES, str(CHECKOUT)]),
                TMPDIR=self._temporary.name,
            ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def ready(self) -> None:
        """Wait until it can make a run."""
        assert self._process.stdout is not None
        if not self._speaks(PATIENCE):
            os.killpg(self._process.pid, signal.SIGKILL)
        said = self._process.stdout.readline()
        assert said == _READY, said + self._process.stdout.read()

    def run(
        self, folder: Path, now: datetime, *, killed_after: float | None = None
    ) -> float | None:
        """Make a run of the planet in a folder, as if it were then; how many seconds it took.

        None when it was killed, so many seconds after it began.
        """
        assert self._process.stdin is not None
        began = time.monotonic()
        self._process.stdin.write(f"{now.isoformat()} {folder}\n")
        self._process.stdin.flush()
        if killed_after is not None and not self._speaks(killed_after):
            self._process.kill()
            self.end()
            return None
        self.ready()
        return time.monotonic() - began

    def end(self) -> None:
        """End it.

        Raises:
            subprocess.TimeoutExpired: a process that it started has not ended. Now it has.
        """
        if self._process.stdout is None or self._process.stdout.closed:
            return
        try:
            # All its processes hold its stdout open: that ends when the last of them does.
            said, _ = self._process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
            raise
        finally:
            self._temporary.cleanup()
        assert self._process.returncode in (0, -signal.SIGKILL), said

    def _speaks(self, seconds: float) -> bool:
        """Whether it says something, or ends, within so many seconds."""
        assert self._process.stdout is not None
        return bool(select.select([self._process.stdout], [], [], seconds)[0])


class MortalPlanet:
    """A planet whose runs children make; all of them ask one publisher."""

    def __init__(self, folder: Path, publisher: Publisher) -> None:
        self.folder = folder
        self._publisher = publisher
        self._planet = Planet(folder)
        self._state = folder / "state"
        folder.mkdir()

    def run(
        self, child: Child, now: datetime, *, killed_after: float | None = None
    ) -> float | None:
        """Have a child make a run, as `Child.run`."""
        self._planet.subscribe(*self._publisher.feeds(now))
        config = yaml.safe_dump(self._planet.settings)
        (self.folder / "config.yaml").write_text(config, encoding="utf-8")
        return child.run(self.folder, now, killed_after=killed_after)

    def become(self, other: Path) -> None:
        """Be what is in another folder."""
        shutil.rmtree(self.folder)
        shutil.copytree(other, self.folder)

    def entries(self) -> dict[tuple[str, str], tuple[object, ...]]:
        """What is stored of each entry but for when it came, by its feed and its id."""
        with Store.look(self._state) as store:
            entries = store.entries.of_feeds(NAMES)
            texts = store.texts.read([entry.number for entry in entries])
        return {
            (entry.feed, entry.id): (
                entry.title,
                entry.link,
                entry.published,
                entry.digest,
                texts[entry.number].value,
            )
            for entry in entries
        }

    def unshown(self) -> set[str]:
        """The stored entries that the page of their feed does not show."""
        site = self.site()
        return {
            entry
            for feed, entry in self.entries()
            if entry.encode() not in site.get(f"source/{feed}/index.html", b"")
        }

    def meet_as(self, other: MortalPlanet) -> None:
        """Have met each entry when the other planet, which has the same ones, met it."""
        with closing(sqlite3.connect(self._state / "planet.sqlite")) as connection, connection:
            connection.execute("ATTACH ? AS other", [str(other._state / "planet.sqlite")])
            connection.execute(
                "UPDATE entry SET (first_seen, changed_at, dated) = ("
                "SELECT theirs.first_seen, theirs.changed_at, theirs.dated FROM other.entry theirs "
                "WHERE theirs.feed = entry.feed AND theirs.id = entry.id)"
            )
            # As whatever writes an entry does it, so that the site is assembled again.
            connection.execute("UPDATE planet SET generation = generation + 1")

    def site(self) -> dict[str, bytes]:
        return self._planet.site()

    def unpublish(self) -> None:
        shutil.rmtree(self._planet.output)

    def paths(self) -> set[str]:
        return {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*")}

    def damage(self) -> list[str]:
        """What SQLite finds wrong with the files of the state."""
        found: list[str] = []
        for path in sorted(self._state.glob("*.sqlite")):
            with closing(sqlite3.connect(path)) as connection:
                found += [said for (said,) in connection.execute("PRAGMA integrity_check")]
        return [said for said in found if said != "ok"]

    def phase(self, now: datetime) -> Phase:
        """How far the run of that time had come when it was killed."""
        if any(self._planet.output.glob(".planet-workshop-*")):
            return Phase.PUBLISHING
        if not self._state.is_dir():
            return Phase.OPENING
        # A copy: a look at the files that a killed run left would tidy them up.
        with TemporaryDirectory() as folder:
            shutil.copytree(self._state, folder, dirs_exist_ok=True)
            try:
                with Store.look(Path(folder)) as store:
                    return self._phase_of(store, now)
            except StateError:  # the tables are not there yet
                return Phase.OPENING

    def _phase_of(self, store: Store, now: datetime) -> Phase:
        states = store.states().values()
        asked = [state for state in states if state.attempted_at == now]
        if not asked:
            return Phase.OPENING
        stored = sum(not state.interrupted for state in asked)
        if stored < len(asked):
            return Phase.STORING if stored else Phase.ASKING
        last = store.publications.get(str(self._planet.output))
        published = last is not None and last.generation == store.generation
        return Phase.CLOSING if published else Phase.CHOOSING
