"""A signal ends a command in good order: one line, its exit code, and nothing left behind."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from planet.store import Store
from tests.cases import case, cases
from tests.patience import PATIENCE
from tests.processes import PACKAGES, environ, python
from tests.server import Request, Response, Server
from tests.whole.conftest import rss

READ = "Read: 1 new, 0 edited\n"
# Becomes the first process of the terminal that it is given as its stdin, then Planet.
IN_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.executable, [sys.executable, '-m', 'planet', 'build'])"
)


class Run:
    """`planet build` in a process of its own: feeds that are read, and one that never comes."""

    def __init__(self, folder: Path, temporary: Path, server: Server) -> None:
        self.folder = folder
        self.temporary = temporary
        self.asked, self._hold = threading.Event(), threading.Event()
        feeds = [
            # So many that the first is told of before the last has come.
            *(server.feed(f"/{number}", rss("a", name="Read")) for number in range(40)),
            server.url("/held", "127.0.0.2"),
        ]
        server.answer("/held", self._answer)
        said = {"title": "A planet", "fetch": {"host_gap": "0s"}, "feeds": feeds}
        (folder / "config.yaml").write_text(json.dumps(said), encoding="utf-8")

    def _answer(self, _: Request) -> Response:
        self.asked.set()
        return Response(body=rss("b", name="Held"), hold=self._hold)

    @contextmanager
    def under_way(self, **options: object) -> Iterator[subprocess.Popen[str]]:
        """The process, when workers have read feeds and another feed is being asked."""
        with subprocess.Popen(
            [sys.executable, "-m", "planet", "build"],
            cwd=self.folder,
            env=environ(TMPDIR=str(self.temporary)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,  # type: ignore[call-overload]
        ) as process:
            assert process.stderr.readline() == READ
            assert self.asked.wait(PATIENCE)
            yield process

    def let_go(self) -> None:
        """Have the feed come that never comes."""
        self._hold.set()

    def left(self) -> list[str]:
        """What lies around that no run needs."""
        with Store.open(self.folder / "state"):  # nobody holds it any more
            pass
        logs = {path.name for path in (self.folder / "state").glob("*-*")}
        workshops = {path.name for path in (self.folder / "public").glob(".*")}
        return sorted({*(path.name for path in self.temporary.iterdir()), *logs, *workshops})


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    # Not below the other: the address of a socket, which is made there, has to be short.
    with (
        TemporaryDirectory(prefix="planet-") as temporary,
        Server("127.0.0.1", "127.0.0.2") as server,
    ):
        yield Run(tmp_path, Path(temporary), server)


@cases(
    "number, code, words",
    case("Ctrl-C", signal.SIGINT, 130, "planet: interrupted"),
    case("SIGTERM", signal.SIGTERM, 143, "planet: ended by SIGTERM"),
    case("SIGHUP", signal.SIGHUP, 129, "planet: ended by SIGHUP"),
)
def test_a_signal_ends_a_run_in_good_order(
    number: signal.Signals, code: int, words: str, run: Run
) -> None:
    with run.under_way() as process:
        # A terminal sends it to all processes.
        os.killpg(process.pid, number)
        # They all hold its stderr open: this ends when the last of them does.
        out, err = process.communicate(timeout=PATIENCE)

    lines = [line for line in err.splitlines() if not line.startswith("Read")]
    assert (process.returncode, out, lines) == (code, "", [words])
    assert run.left() == []


def test_a_terminal_that_is_closed_ends_a_run_in_good_order(run: Run) -> None:
    master, slave = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", IN_TERMINAL],
        cwd=run.folder,
        env=environ(TMPDIR=str(run.temporary)),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    ) as process:
        os.close(slave)
        assert run.asked.wait(PATIENCE)
        os.close(master)
        code = process.wait(PATIENCE)

    assert code == 128 + signal.SIGHUP
    assert run.left() == []


SWALLOWS = "try:\n    {}\nexcept BaseException:\n    signal.pause()\n"
NEVER_LETS_GO = "try:\n    {0}\nfinally:\n    while True:\n        {0}\n"


@cases(
    "module, code, words, text",
    case("its first library", "click", 130, "interrupted", ""),
    case("its last library", "requests_cache", 130, "interrupted", ""),
    case("a library that swallows it", "click", 143, "ended by SIGTERM", SWALLOWS),
    case("a library that never lets go", "click", 143, "ended by SIGTERM", NEVER_LETS_GO),
)
def test_a_signal_while_libraries_are_loaded_ends_the_command(
    module: str, code: int, words: str, text: str, run: Run
) -> None:
    first = run.folder / "first"
    first.mkdir()
    raising = f"signal.raise_signal({code - 128})"
    # What is imported under this name is this.
    (first / f"{module}.py").write_text(f"import signal\n{(text or '{0}').format(raising)}\n")

    changes = {"PYTHONPATH": os.pathsep.join([str(first), PACKAGES]), "TMPDIR": str(run.temporary)}
    done = python("-m", "planet", "build", folder=run.folder, **changes)

    assert (done.returncode, done.stdout, done.stderr) == (code, "", f"planet: {words}\n")
