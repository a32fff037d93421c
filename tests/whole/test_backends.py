"""The back ends of the cache, each against the real thing: two runs, two planets, a failure."""

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from planet.run import open as runtime
from tests.patience import PATIENCE
from tests.server import Request, Server
from tests.whole.conftest import Planet, rss

ON_DISK = ("sqlite", "filesystem")
ETAG = 'W/"\xe9,1"-gzip'
MODIFIED = "Fri, 20 Nov 2026 10:00:00 +0000"


class Process:
    """A server in a process of its own; what it has outlives a stop."""

    def __init__(self, port: int, *command: str) -> None:
        self._port, self._command = port, command
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(self._command, stdout=quiet, stderr=quiet)
        while self._process.poll() is None:
            with (
                suppress(ConnectionRefusedError),
                socket.create_connection(("127.0.0.1", self._port)),
            ):
                return
            Event().wait(0.02)
        raise AssertionError(f"{self._command[0]} does not start")

    def stop(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None


def _free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port: int = listener.getsockname()[1]
        return port


class Cache:
    """A back end, with what the config says of it."""

    def __init__(self, backend: str, folder: Path) -> None:
        self.server: Process | None = None
        port, options = _free_port(), dict[str, Any]()
        if backend == "redis":
            pytest.importorskip("redis")
            if not (program := shutil.which("redis-server")):
                pytest.skip("there is no redis-server")
            kept = ("--dir", str(folder), "--appendonly", "yes", "--appendfsync", "always")
            self.server = Process(port, program, "--port", str(port), "--bind", "127.0.0.1", *kept)
            options = {"port": port, "socket_connect_timeout": PATIENCE}
        self.config: dict[str, Any] = {"backend": backend, "options": options}


@pytest.fixture
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cache]:
    folder = tmp_path / "kept"
    folder.mkdir()
    cache = Cache(request.param, folder)
    if cache.server is None:
        yield cache
        return
    with ExitStack() as stack:
        stack.callback(cache.server.stop)
        cache.server.start()
        yield cache


all_of_them = pytest.mark.parametrize("cache", [*ON_DISK, "redis"], indirect=True)
on_a_server = pytest.mark.parametrize("cache", ["redis"], indirect=True)


class Kept(Planet):
    """A planet whose answers are in a cache; runs are opened as `planet build` opens them."""

    def __init__(self, folder: Path, cache: Cache) -> None:
        folder.mkdir()
        super().__init__(folder)
        self.settings["cache"] = cache.config

    @contextmanager
    def opened(self, redactor: Any = None) -> Iterator[runtime.Run]:
        with runtime.open_run(self.config(), lambda: self.now) as run:
            yield run


def _publish(server: Server, name: str) -> str:
    return server.feed(f"/{name}", rss("a", name=name), etag=ETAG, last_modified=MODIFIED)


def _named(requests: list[Request]) -> list[tuple[str | None, ...]]:
    names = ("If-None-Match", "If-Modified-Since")
    return [tuple(request.header(name) for name in names) for request in requests]


def _name(planet: Planet) -> str:
    name: str = json.loads(planet.call("status", "--json").out)["planet"]["name"]
    return name


@all_of_them
def test_a_second_run_names_the_very_validators_wherever_it_is_started(
    tmp_path: Path, server: Server, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    planet = Kept(tmp_path / "planet", cache)
    planet.subscribe(_publish(server, "one"), _publish(server, "two"))

    first = planet.build()
    planet.later(hours=30)
    monkeypatch.chdir(tmp_path)
    second = planet.build()

    assert _named(server.requests) == [(None, None)] * 2 + [(ETAG, MODIFIED)] * 2
    assert [first.summary, second.summary] == [
        "2 of 2 feeds looked at, 2 with news, 0 unchanged, 0 failed, 2 new entries",
        "2 of 2 feeds looked at, 2 unchanged, 0 failed, 0 new entries",
    ]


@all_of_them
def test_planets_on_one_server_are_apart(tmp_path: Path, server: Server, cache: Cache) -> None:
    one, two = Kept(tmp_path / "one", cache), Kept(tmp_path / "two", cache)
    one.subscribe(_publish(server, "one"))
    two.subscribe(_publish(server, "two"))

    for planet in (one, two, one, two):
        planet.build()
        planet.later(hours=30)
    with one.opened() as run:
        left = len(run.web.session.cache.responses)

    assert _named(server.requests) == [(None, None)] * 2 + [(ETAG, MODIFIED)] * 2
    words = f"answers are kept in {cache.config['backend']}, under planet-{_name(one)}"
    assert (left, len({_name(one), _name(two)})) == (1, 2)
    assert (words in one.call("status").out) is (cache.server is not None)


@on_a_server
def test_no_run_begins_while_a_server_is_down(tmp_path: Path, server: Server, cache: Cache) -> None:
    planet = Kept(tmp_path / "planet", cache)
    planet.subscribe(_publish(server, "one"))
    planet.config()
    assert cache.server
    cache.server.stop()

    code, _, words = planet.call("build")

    assert (code, server.requests, planet.output.exists()) == (5, [], False)
    assert f"the {cache.config['backend']} cache cannot be opened: " in words
    assert words.endswith("start its server, or see to cache.options in the config\n")
