"""A planet whose runs are processes that may be killed, and what they leave."""

from __future__ import annotations

import os
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from planet.errors import StateError
from planet.store import Store
from tests.benchmarks.publishing import NAMES, Publisher
from tests.patience import PATIENCE
from tests.processes import PACKAGES, environ
from tests.whole.conftest import CHECKOUT, Planet

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
            assert store is not None
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
                "JOIN other.feed their_feed ON their_feed.number = theirs.feed "
                "JOIN feed ON feed.key = their_feed.key "
                "WHERE feed.number = entry.feed AND theirs.id = entry.id)"
            )
            # As whatever writes an entry does it, so that the site is assembled again.
            connection.execute("UPDATE planet SET generation = generation + 1")
            connection.execute("UPDATE entry SET generation = (SELECT generation FROM planet)")

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

    def _phase_of(self, store: Store | None, now: datetime) -> Phase:
        states = store.states().values() if store else ()
        asked = [state for state in states if state.attempted_at == now]
        if store is None or not asked:
            return Phase.OPENING
        stored = sum(not state.interrupted for state in asked)
        if stored < len(asked):
            return Phase.STORING if stored else Phase.ASKING
        last = store.publications.last(str(self._planet.output))
        published = last is not None and last.generation == store.generation
        return Phase.CLOSING if published else Phase.CHOOSING
