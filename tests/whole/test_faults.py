"""What can go wrong beside the feeds, and what `planet build` then says (`faults.yaml`).

Each fault is brought about and mended again: the message is the expected one, the old site
stays whole, and nothing that was known is lost.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, TypeAlias

import pytest
import yaml

import planet.http.web
from planet.model import FeedState
from planet.run.workers import Workers
from planet.store import Store
from tests.cases import case, cases
from tests.patience import PATIENCE
from tests.processes import environ, files
from tests.server import Server
from tests.whole.conftest import CHECKOUT, Done, call, rss

TOLD = yaml.safe_load(Path(__file__).with_name("faults.yaml").read_text(encoding="utf-8"))
"""For each fault the exit code and the message, with placeholders."""


def pattern(message: str, home: Home) -> str:
    """What a message may be in this planet."""
    meaning = {
        "state": "|".join(map(re.escape, ("state", str(home.state), LONG))),
        "output": "public",
        "lost": re.escape(
            "Put a backup of it in its place. Without one, move it away and run again: "
            "what feed.json of the site has is taken back from there."
        ),
        "cost": re.escape("may be deleted at the cost of one full answer a feed"),
        "elsewhere": re.escape(
            "Move that away, or choose another folder (output in the config, or --output)."
        ),
        "reason": "|".join(map(os.strerror, REASONS)),
        "remedy": "Give the user who runs Planet the right to it, or choose another place."
        "|Make room on its disk, and run again: nothing is lost.",
        "limits": r"memory.* or of processes.*",
        "version": r"\d+",
        "known": r"\d+",
        "status": r"\d+",
    }
    message = message.replace("{unusable}", "{state}/planet.sqlite cannot be used")
    return re.sub(r"\\{(\w+)\\}", lambda found: f"(?:{meaning[found[1]]})", re.escape(message))


REASONS = (errno.EACCES, errno.EFBIG, errno.ENOSPC, errno.EROFS)


class Home:
    """A planet in the current folder, with a site of two entries, one of them from a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"
        self.output = folder / "public"
        self.settings: dict[str, Any] = {
            "title": "A planet",
            # What is asked comes, however busy this machine is: some faults show only then.
            "fetch": {"host_gap": "0s", "timeout": "10m"},
            "feeds": [{"url": "mine.xml", "name": "Mine"}],
        }

    def write(self, *titles: str) -> None:
        """The config, and these entries in the file."""
        (self.folder / "config.yaml").write_text(json.dumps(self.settings), encoding="utf-8")
        (self.folder / "mine.xml").write_bytes(rss(*titles))

    def site(self) -> dict[str, bytes]:
        return files(self.output)

    def shown(self) -> list[str]:
        return re.findall(r"All about (\w+)\.", self.site()["index.html"].decode())


Harm: TypeAlias = Callable[[Home], AbstractContextManager[None]]
COMMAND = ["build", "--quiet", "--config", "config.yaml"]


def build() -> Done:
    return call(*COMMAND)


def build_without_privileges() -> Done:
    """The same in a process for which the permissions of files hold, also when root starts it."""
    done = subprocess.run(
        [sys.executable, "-m", "planet", *COMMAND],
        env=environ(),
        preexec_fn=_bow_to_permissions if os.geteuid() == 0 else None,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def _bow_to_permissions() -> None:
    # prctl(2): PR_CAPBSET_DROP of CAP_DAC_OVERRIDE, which holds from the next exec on.
    if ctypes.CDLL(None).prctl(24, 1, 0, 0, 0):
        raise PermissionError


def build_on_a_read_only_output() -> Done:
    """The same in a process for which the site is on a file system that nobody may write to."""
    mount = "mount --bind public public && mount -o remount,ro,bind public"
    namespace = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    if (
        not shutil.which("unshare")
        or subprocess.run([*namespace, mount], capture_output=True, check=False).returncode
    ):
        pytest.skip("no file system of its own can be had here")
    done = subprocess.run(
        [*namespace, f'{mount} && exec "$0" "$@"', sys.executable, "-m", "planet", *COMMAND],
        env=environ(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert os.strerror(errno.EROFS) in done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


# The state


@contextmanager
def another_run(home: Home) -> Iterator[None]:
    with Store.open(home.state):
        yield


@contextmanager
def read_only(home: Home, name: str) -> Iterator[None]:
    path = home.folder / name
    mode = path.stat().st_mode
    path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        path.chmod(mode)


@contextmanager
def read_only_state(home: Home) -> Iterator[None]:
    (home.state / "lock").unlink()
    with read_only(home, "state"):
        yield


LONG = "/".join(["a" * 170] * 3)


@contextmanager
def a_long_path(home: Home) -> Iterator[None]:
    home.settings["state"] = LONG
    home.write("new", "old")
    yield
    del home.settings["state"]
    home.write("new", "old")


@contextmanager
def no_room_in(home: Home, name: str) -> Iterator[None]:
    """SQLite finds no more pages than there are, and a feed needs many."""
    connect = sqlite3.connect

    def connect_small(path: str | Path, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(path, **options)
        if Path(path).name == name:
            connection.execute("PRAGMA max_page_count = 1")
        return connection

    with another_feed(home, LARGE), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", connect_small)
        yield


@contextmanager
def a_failing_disk(home: Home) -> Iterator[None]:
    """What does not fit into a limit is no sign of a full disk to SQLite."""
    with another_feed(home, LARGE), files_no_larger_than(10_000):
        yield


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


LARGE = Random(0).randbytes(50_000).hex()


@contextmanager
def another_feed(home: Home, text: str = "") -> Iterator[Server]:
    with Server() as server:
        body = rss("other", name="Other").replace(b"All about", f"All about {text}".encode())
        home.settings["feeds"].append({"url": server.feed("/other", body, etag='"1"'), "id": "two"})
        home.write("new", "old")
        yield server
        home.settings["feeds"].pop()
        home.write("new", "old")


@contextmanager
def locked_by_another_program(home: Home) -> Iterator[None]:
    """Nobody is waited for, so that the test need not wait either."""
    path = home.state / "planet.sqlite"
    with closing(sqlite3.connect(path)) as connection, pytest.MonkeyPatch.context() as patch:
        connection.execute("BEGIN EXCLUSIVE")
        patch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=0))
        yield


def allow(number: int, module: ModuleType, patch: pytest.MonkeyPatch) -> None:
    """Have the system allow a module this many threads, and no more."""
    left = iter(range(number))

    class Rare(threading.Thread):
        def start(self) -> None:
            if next(left, None) is None:
                raise RuntimeError("can't start new thread")
            super().start()

    patch.setattr(module, "Thread", Rare)


@contextmanager
def no_more_threads(home: Home) -> Iterator[None]:
    with another_feed(home), pytest.MonkeyPatch.context() as patch:
        allow(0, planet.http.web, patch)
        yield


@contextmanager
def no_python(home: Home) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", "/bin/false")
        yield


def damaged(name: str, harm: Callable[[bytes], bytes]) -> Harm:
    """A file of the state is damaged; a store is mended with a backup."""
    return partial(_damaged, name=name, harm=harm)


@contextmanager
def _damaged(home: Home, name: str, harm: Callable[[bytes], bytes]) -> Iterator[None]:
    path = home.state / name
    whole = path.read_bytes()
    path.write_bytes(harm(whole))
    hurt = path.read_bytes()
    with another_feed(home) as server:
        yield
    if name == "planet.sqlite":
        assert path.read_bytes() == hurt
        assert server.requests == []
        path.write_bytes(whole)
    else:
        path.unlink()  # as the message says


def no_database(whole: bytes) -> bytes:
    return b"no database " * 1000


def cut_short(whole: bytes) -> bytes:
    return whole[: len(whole) // 2]


def torn_inside(whole: bytes) -> bytes:
    # The first page has the tables, and is read at once.
    return whole[:4096] + b"\xff" * (len(whole) - 4096)


@contextmanager
def of_version(home: Home, version: int) -> Iterator[None]:
    with closing(sqlite3.connect(home.state / "planet.sqlite", isolation_level=None)) as store:
        (known,) = store.execute("PRAGMA user_version").fetchone()
        store.execute(f"PRAGMA user_version = {version}")
    yield
    with closing(sqlite3.connect(home.state / "planet.sqlite", isolation_level=None)) as store:
        store.execute(f"PRAGMA user_version = {known}")


# The environment


def variable(name: str, value: str) -> Harm:
    """The environment says something that cannot be used."""
    return partial(_variable, name=name, value=value)


@contextmanager
def _variable(home: Home, name: str, value: str) -> Iterator[None]:
    with another_feed(home) as server, pytest.MonkeyPatch.context() as patch:
        # Nothing has to be there for an address by https: it is not asked.
        home.settings["feeds"].append({"url": "https://127.0.0.1:9/feed", "id": "three"})
        home.write("new", "old")
        (home.folder / "empty.pem").write_bytes(b"")
        patch.setenv(name, value)
        yield
        assert server.requests == []
        home.settings["feeds"].pop()


# The site


@contextmanager
def a_file_for_the_state(home: Home) -> Iterator[None]:
    aside = home.state.rename(home.folder / "aside")
    home.state.write_bytes(b"mine")
    yield
    home.state.unlink()
    aside.rename(home.state)


@contextmanager
def no_room_for_the_site(home: Home) -> Iterator[None]:
    """A file of two million bytes belongs to the site, and cannot be written."""
    shutil.copytree(CHECKOUT / "themes/default", home.folder / "theme")
    (home.folder / "theme/static/large.bin").write_bytes(bytes(2_000_000))
    home.settings["theme"] = "./theme"
    home.write("new", "old")
    with files_no_larger_than(1_000_000):
        yield


def in_place_of_the_output(put: Callable[[Path], object]) -> Harm:
    return partial(_in_place_of_the_output, put=put)


@contextmanager
def _in_place_of_the_output(home: Home, put: Callable[[Path], object]) -> Iterator[None]:
    aside = home.output.rename(home.folder / "aside")
    put(home.output)
    yield
    if home.output.is_dir() and not home.output.is_symlink():
        shutil.rmtree(home.output)
    else:
        home.output.unlink()
    aside.rename(home.output)


def a_link_to_a_folder(output: Path) -> None:
    (output.parent / "www").mkdir()
    output.symlink_to("www")


def another_site(output: Path) -> None:
    output.mkdir()
    for name in ("index.html", "404.html", "mine.html"):
        (output / name).write_bytes(b"mine")


@contextmanager
def a_folder_for_a_page(home: Home) -> Iterator[None]:
    page = home.output / "archive/index.html"
    page.unlink()
    (page / "mine").mkdir(parents=True)
    yield
    shutil.rmtree(page)


@contextmanager
def files_beside(home: Home) -> Iterator[None]:
    mine = [home.output / name for name in ("CNAME", "source/mine.txt")]
    for path in mine:
        path.write_bytes(b"mine")
    yield
    assert [path.read_bytes() for path in mine] == [b"mine", b"mine"]


@contextmanager
def a_changed_page(home: Home) -> Iterator[None]:
    page = home.output / "404.html"
    before = page.read_bytes()
    page.write_bytes(b"changed")
    yield
    assert page.read_bytes() == before


@contextmanager
def a_lost_state(home: Home) -> Iterator[None]:
    shutil.rmtree(home.state)
    yield


@contextmanager
def a_clock_set_back(home: Home) -> Iterator[None]:
    """The last run believed that it was the year 2100."""
    then = datetime(2100, 1, 1, tzinfo=UTC)
    with another_feed(home) as server:
        url, due_at = home.settings["feeds"][-1]["url"], then + timedelta(hours=1)
        with Store.open(home.state) as store:
            store.keep(
                FeedState(key="two", url=url, attempted_at=then, settled_at=then, due_at=due_at)
            )
        yield
        assert server.requests == []
        with Store.open(home.state) as store:
            state = store.states()["two"]
        assert state.due_at
        assert 0 < state.due_at.timestamp() - time.time() <= 3600


@contextmanager
def odd_names(home: Home) -> Iterator[None]:
    """Nothing is written but in folders below `source`, each feed's in its own."""
    names = ["../../x", "/etc/x", "a" * 300, "Same name", "same-name", "..", "a\u202eb\\c"]
    for number, name in enumerate(names):
        (home.folder / f"{number}.xml").write_bytes(rss("odd", name=f"F{number}"))
        home.settings["feeds"].append({"url": f"{number}.xml", "name": name})
    home.write("new", "old")
    around = set(home.folder.parent.iterdir())
    within = {path.name for path in home.folder.iterdir()}
    yield
    folders = {path.name for path in (home.output / "source").iterdir()}
    assert len(folders) == len(names) + 1
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]{0,59}", name) for name in folders)
    assert set(home.folder.parent.iterdir()) == around
    assert {path.name for path in home.folder.iterdir()} == within


FAULTS: dict[str, Harm] = {
    "another run goes on": another_run,
    "the state folder cannot be written": read_only_state,
    "the path of the state folder is too long": a_long_path,
    "there is a file where the state folder should be": a_file_for_the_state,
    "planet.sqlite cannot be written": partial(read_only, name="state/planet.sqlite"),
    "the disk is full": partial(no_room_in, name="planet.sqlite"),
    "the disk fails": a_failing_disk,
    "no more threads or processes are allowed": no_more_threads,
    "Python cannot be started a second time": no_python,
    "planet.sqlite is open elsewhere": locked_by_another_program,
    "planet.sqlite is no database": damaged("planet.sqlite", no_database),
    "planet.sqlite was cut short": damaged("planet.sqlite", cut_short),
    "planet.sqlite is damaged inside": damaged("planet.sqlite", torn_inside),
    "a row of planet.sqlite is damaged": damaged(
        "planet.sqlite", lambda whole: whole.replace(b"processed_hash", b'processed"hash')
    ),
    "a value in planet.sqlite was changed to one of another kind": damaged(
        "planet.sqlite",
        # A number in the place of a text.
        lambda whole: re.sub(rb'(?<="processed_hash":)"\w{64}"', 66 * b"1", whole),
    ),
    "planet.sqlite is of a newer Planet": partial(of_version, version=1000),
    "planet.sqlite is of an older Planet": partial(of_version, version=0),
    "http.sqlite is no database": damaged("http.sqlite", no_database),
    "http.sqlite was cut short": damaged("http.sqlite", cut_short),
    "http.sqlite is damaged inside": damaged("http.sqlite", torn_inside),
    "no room is left for http.sqlite": partial(no_room_in, name="http.sqlite"),
    "HTTPS_PROXY is no address": variable("HTTPS_PROXY", "http://ada:geheim@:port"),
    "HTTPS_PROXY names another kind of proxy": variable("HTTPS_PROXY", "socks5://ada:geheim@a.b"),
    "REQUESTS_CA_BUNDLE names a file that is not there": variable(
        "REQUESTS_CA_BUNDLE", "missing.pem"
    ),
    "SSL_CERT_FILE names a file without certificates": variable("SSL_CERT_FILE", "empty.pem"),
    "the output folder cannot be written": partial(read_only, name="public"),
    "the output folder is on a read-only file system": lambda _: nullcontext(),
    "no room is left for the site": no_room_for_the_site,
    "there is a file where the output folder should be": in_place_of_the_output(
        lambda output: output.write_bytes(b"mine")
    ),
    "the output folder is a link to nothing": in_place_of_the_output(
        lambda output: output.symlink_to("nowhere")
    ),
    "the output folder is a link to another folder": in_place_of_the_output(a_link_to_a_folder),
    "the output folder has somebody else's site": in_place_of_the_output(another_site),
    "somebody's folder is in the place of a page": a_folder_for_a_page,
    "somebody's files are beside those of the site": files_beside,
    "a page was changed by somebody": a_changed_page,
    "the state was lost, and the site was not": a_lost_state,
    "the clock was set back": a_clock_set_back,
    "feeds are called like paths, alike, or too long": odd_names,
}
_BUILDS = {
    "the state folder cannot be written": build_without_privileges,
    "planet.sqlite cannot be written": build_without_privileges,
    "the output folder cannot be written": build_without_privileges,
    "the output folder is on a read-only file system": build_on_a_read_only_output,
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planet that has run once."""
    folder = tmp_path_factory.mktemp("built")
    Home(folder).write("old")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert build().code == 0
    return folder


@pytest.fixture
def home(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: Workers) -> Home:
    """The same with news, as the current folder."""
    # One that a test before has started would read where none can be started.
    workers.rest()
    home = Home(shutil.copytree(built, tmp_path / "home"))
    home.write("new", "old")
    monkeypatch.chdir(home.folder)
    return home


@pytest.mark.parametrize("name", FAULTS)
def test_at_a_fault_nothing_is_lost_and_it_is_said(name: str, home: Home) -> None:
    told = TOLD[name]

    with FAULTS[name](home):
        before = home.site()
        code, _, said = _BUILDS.get(name, build)()
        after = home.site()
        shown = home.shown() if code == 0 else []
    again = build()

    assert re.fullmatch(pattern(told["message"], home), said.strip().removeprefix("Error: "))
    assert code == told["code"]
    assert after == before if told["code"] else {"new", "old"} <= set(shown)
    assert again.code == 0, again.err
    assert {"new", "old"} <= set(home.shown())


@cases(
    "harm",
    case("no UTF-8", "UPDATE entry SET value = CAST(x'1b5d303bff' AS TEXT)"),
    case("no JSON", "UPDATE entry SET value = '{\"authors'"),
    case("not packed", "UPDATE entry SET text = x'789c00'"),
)
def test_damage_in_a_row_is_told_without_what_stands_there(harm: str, home: Home) -> None:
    with closing(sqlite3.connect(home.state / "planet.sqlite")) as connection, connection:
        connection.execute(harm)
    before = home.site()

    code, _, said = build()

    told = TOLD["a row of planet.sqlite is damaged"]
    assert re.fullmatch(pattern(told["message"], home), said.strip().removeprefix("Error: "))
    assert (code, home.site()) == (told["code"], before)


def test_every_fault_is_brought_about() -> None:
    assert list(TOLD) == list(FAULTS)
