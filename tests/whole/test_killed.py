"""A run that is killed or ended by a signal loses nothing, and leaves nothing behind.

`tests/benchmarks/test_kills.py` kills real processes.
"""

import json
import os
import posixpath
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Never

import pytest

from planet.model import FeedState
from planet.model.secrets import NO_REDACTOR, Redactor
from planet.site import publish
from planet.store import Store
from planet.store.records import Records
from tests.cases import case, cases
from tests.patience import PATIENCE
from tests.processes import PACKAGES, environ, python
from tests.server import Request, Response, Server
from tests.whole.conftest import Planet, rss


@pytest.mark.parametrize("update", [False, True], ids=["at first", "in an update"])
def test_a_run_that_is_killed_between_its_two_commits_is_made_good_without_a_request(
    a_planet: Planet, server: Server, update: bool
) -> None:
    a_planet.subscribe(server.feed("/one", rss("a"), etag='"1"'))
    if update:
        a_planet.build()
        a_planet.later(days=2)
    server.feed("/one", rss("b", "a"), etag='"2"')
    a_planet.killed()
    asked = len(server.requests)

    report = a_planet.later(minutes=1).build()

    assert (len(server.requests), report.added) == (asked, 1 if update else 2)
    assert "All about b." in a_planet.page()


def test_a_feed_starts_anew_elsewhere_after_a_killed_run(a_planet: Planet, server: Server) -> None:
    well = {"url": server.feed("/well", rss("w", name="Well"), etag='"1"'), "id": "well"}
    gone = server.script("/gone", Response(status=410))
    new = server.feed("/new", rss("a"), etag='"1"')
    a_planet.subscribe(well, {"url": gone, "id": "one"})
    a_planet.build()

    a_planet.later(days=2)
    a_planet.subscribe(well, {"url": new, "id": "one"})
    a_planet.killed()
    a_planet.later(minutes=1).build()
    a_planet.later(days=2).build()

    asked = [request for request in server.requests if request.path == "/new"]
    assert [each.header("If-None-Match") for each in asked] == [None, '"1"']
    assert "All about a." in a_planet.page()


class NoLists(Records[FeedState]):
    def put_body(self, key: str, body: bytes | None) -> Never:
        raise KeyboardInterrupt


class KilledAtLists(Store):
    def __init__(self, connection: sqlite3.Connection, redactor: Redactor = NO_REDACTOR) -> None:
        super().__init__(connection, redactor)
        self.feeds = NoLists(connection, "feed", FeedState, redactor)


def test_a_list_left_by_a_killed_run_is_read_from_disk(a_planet: Planet, server: Server) -> None:
    one, two = server.feed("/one", rss("a")), server.feed("/two", rss("b"))
    lists = [
        "".join(["<opml><body>", *(f'<outline xmlUrl="{url}"/>' for url in urls), "</body></opml>"])
        for urls in ([one], [one, two])
    ]
    answers = [Response(body=said.encode()) for said in lists]
    a_planet.settings["subscriptions"] = [server.script("/list", *answers)]
    a_planet.build()
    a_planet.later(days=2)

    a_planet.killed(KilledAtLists)
    a_planet.later(minutes=1).build()

    asked = server.paths
    assert (asked.count("/list"), asked.count("/two")) == (2, 1)
    assert "All about b." in a_planet.page()


def test_no_page_leads_to_what_is_not_there_at_whichever_file_a_run_is_killed(
    a_planet: Planet, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies in the folder before a file is moved is what a kill there leaves."""
    feeds = {name: server.feed(f"/{name}", rss(name, name=name)) for name in ("one", "two", "new")}
    a_planet.settings["theme"] = "classic"  # has all sources on each page
    move, delete = publish._move, publish._delete
    left: list[Path] = []

    def look() -> None:
        here = a_planet.site()
        site = {path: body for path, body in here.items() if not path.startswith(".planet-")}
        assert _unstyled(site) == set()
        assert _leads_nowhere(site) == set()
        left.append(tmp_path / f"left-{len(left)}")
        for folder in (a_planet.output, a_planet.folder / "state"):
            shutil.copytree(folder, left[-1] / folder.name)

    def moved(source: Path, target: Path) -> None:
        look()
        move(source, target)

    def deleted(output: Path, path: str) -> None:
        look()
        delete(output, path)

    for shown in (("one", "two"), ("one", "new")):
        named = [{"url": feeds[name], "name": name, "tags": [f"of-{name}"]} for name in shown]
        a_planet.subscribe(*named)
        start = len(left)
        with monkeypatch.context() as watched:
            watched.setattr(publish, "_move", moved)
            watched.setattr(publish, "_delete", deleted)
            a_planet.build()
        whole = a_planet.site()
        assert _leads_nowhere(whole) == set()
        assert f"source/{shown[1]}/index.html" in whole
        # Of those that a later run finds, every third shows that it makes them good.
        for folder in left[start::3]:
            for name in ("public", "state"):
                shutil.rmtree(a_planet.folder / name)
                shutil.copytree(folder / name, a_planet.folder / name)
            a_planet.build()
            assert a_planet.site() == whole
        a_planet.later(days=1)


def _unstyled(site: dict[str, bytes]) -> set[str]:
    """The style sheets and images of pages that are not there."""
    pages = {path: body for path, body in site.items() if path.endswith(".html")}
    wanted = {to for path, body in pages.items() for to in _links(path, body)}
    return {to for to in wanted if to.endswith((".css", ".svg", ".png", ".js"))} - site.keys()


def _leads_nowhere(site: dict[str, bytes]) -> set[str]:
    """What is not there of all that the front page leads to, on whichever way."""
    found, waiting = set[str](), {"index.html"} & site.keys()
    while waiting:
        found |= waiting
        waiting = {to for path in waiting & site.keys() for to in _links(path, site[path])} - found
    return found - site.keys()


def _links(path: str, body: bytes) -> set[str]:
    """The files of the site that a file of it links to."""
    links = set()
    # Pictures have none.
    text = body.decode(errors="replace")
    for said in re.findall(r"""(?:href|src|Url)=["']([^"'#?]*)|"(https:[^"]*)\"""", text):
        link = "".join(said)
        if link.startswith("https://planet.example/"):
            link = link.removeprefix("https://planet.example") or "/"
        elif ":" in link or not path.endswith(".html"):
            continue
        folder = posixpath.normpath(posixpath.join("/", posixpath.dirname(path), link))[1:]
        is_folder = not link or link.endswith(("/", "."))
        links.add(posixpath.join(folder, "index.html") if is_folder else folder)
    return links


# A signal ends a command in good order: one line, its exit code, and nothing left behind

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


@pytest.mark.parametrize("module", ["click", "requests_cache"])
def test_a_signal_while_libraries_are_loaded_ends_the_command(module: str, run: Run) -> None:
    first = run.folder / "first"
    first.mkdir()
    # What is imported under this name is this.
    (first / f"{module}.py").write_text("import signal\nsignal.raise_signal(signal.SIGTERM)\n")

    changes = {"PYTHONPATH": os.pathsep.join([str(first), PACKAGES]), "TMPDIR": str(run.temporary)}
    done = python("-m", "planet", "build", folder=run.folder, **changes)

    assert (done.returncode, done.stdout) == (143, "")
    assert done.stderr == "planet: ended by SIGTERM\n"
