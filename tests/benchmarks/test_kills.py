"""Two hundred runs, killed at random: nothing is lost, and no server is asked twice in an hour.

Run by hand with `pytest -s tests/benchmarks/test_kills.py`; it takes some minutes. PLANET_KILLS
(200) says how many. Half of the planets are killed in their first run, half in an update; each is
killed up to five times, ten minutes apart, and held against a planet that never was.

Each run is a process of its own: `python -m tests.benchmarks.test_kills MOMENT FOLDER` makes one
as if it were then, when a line on stdin says so.
"""

import os
import random
import select
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from time import monotonic

import pytest
import yaml

from planet.store import Store
from tests.patience import PATIENCE
from tests.processes import PACKAGES, environ
from tests.server import Response, Server, moved
from tests.whole.conftest import CHECKOUT, NOON, Planet, rss

KILLS = int(os.environ.get("PLANET_KILLS", "200"))
MOST_KILLS = 5
HOSTS = tuple(f"127.0.0.{number}" for number in range(2, 10))
TROUBLE = {
    "page": Response(body=b"<!doctype html><title>Login</title>"),
    "missing": Response(status=404),
    "broken": Response(status=503),
    "busy": Response(status=429, headers=(("Retry-After", "5400"),)),
}
KINDS = {"tagged": 24, "dated": 6, "undated": 2, "moved": 3, **dict.fromkeys(TROUBLE, 1)}
FEEDS = [f"{kind}{number}" for kind, count in KINDS.items() for number in range(count)]
SENT = "Sent"
"""The header in which a request says when its run began."""

Entries = dict[tuple[str, str], tuple[object, ...]]


def host(name: str) -> str:
    return HOSTS[FEEDS.index(name) % len(HOSTS)]


LATER = {name for name in FEEDS if name[:-1] in TROUBLE or host(name) == host("busy0")}
"""The feeds that need not be there after two hours: in trouble, or beside one that is."""


def publish(server: Server, edition: int, *, mended: bool = False) -> None:
    """Put an edition of every feed on the web: six entries, of which each edition has a new one."""
    for place, name in enumerate(FEEDS):
        kind = name.rstrip("0123456789")
        number = edition if place % 3 else 1
        titles = [f"{name} {entry}" for entry in range(number + 5, number - 1, -1)]
        body = rss(*titles, name=name.title(), dated=kind != "undated")
        if kind in TROUBLE and not mended:
            server.script(f"/{name}", TROUBLE[kind])
        elif kind == "dated":
            server.feed(f"/{name}", body, last_modified=f"Fri, 0{number} May 2026 11:00:00 GMT")
        elif kind == "moved":
            server.feed(f"/{name}/feed", body, etag=f'"{number}"')
            server.script(f"/{name}", moved(f"/{name}/feed", 301))
        else:
            server.feed(f"/{name}", body, etag=f'"{number}"')


@contextmanager
def process(server: Server, folder: Path, now: datetime) -> Iterator[subprocess.Popen[str]]:
    """A process that has loaded everything, and makes a run of a planet when it is told to."""
    planet = Planet(folder)
    # What is asked says when its run began: a request may be read after its sender was killed.
    headers = {SENT: now.isoformat()}
    urls = {name: server.url(f"/{name}", host(name)) for name in FEEDS}
    planet.subscribe(*({"id": name, "url": urls[name], "headers": headers} for name in FEEDS))
    planet.writes(yaml.safe_dump(planet.settings))
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.benchmarks.test_kills", now.isoformat(), str(folder)],
        env=environ(PYTHONPATH=os.pathsep.join([PACKAGES, str(CHECKOUT)])),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "ready\n"
        yield started


def run(server: Server, folder: Path, now: datetime, *, killed_after: float | None = None) -> float:
    """Make a run as if it were then, and kill it so many seconds after its beginning.

    Returns:
        The seconds until it ended.
    """
    with process(server, folder, now) as started:
        assert started.stdin is not None
        began = monotonic()
        started.stdin.write("go\n")
        started.stdin.flush()
        assert started.stdout is not None
        is_over = bool(select.select([started.stdout], [], [], killed_after)[0])
        if not is_over:
            started.kill()
        # Its workers hold its stdout open, too: this ends when the last of them has ended.
        started.communicate(timeout=PATIENCE)
        assert not is_over or started.returncode == 0
    return monotonic() - began


def entries(folder: Path) -> Entries:
    """What is stored of each entry but for when it came, by its feed and its id."""
    with Store.look(folder / "state") as store:
        stored = store.entries.of_feeds(FEEDS)
        texts = store.texts.read([entry.number for entry in stored])
    return {
        (entry.feed, entry.id): (entry.title, entry.published, texts[entry.number].value)
        for entry in stored
    }


def faults(server: Server, folder: Path, whole: Path, now: datetime) -> Iterator[str]:
    """What is wrong after kills: two hours later, and when all feeds are well again."""
    run(server, folder, now)
    run(server, folder, now + timedelta(hours=2))
    missing = {feed for feed, _ in entries(whole).keys() - entries(folder).keys()} - LATER
    if missing:
        yield f"not there two hours later: {sorted(missing)}"
    publish(server, 2, mended=True)
    for days in (3, 6):
        run(server, folder, now + timedelta(days=days))
    if entries(folder) != entries(whole):
        yield "other entries in the end"
    for (feed, _), (title, *_rest) in entries(folder).items():
        if f">{title}<" not in (folder / f"public/source/{feed}/index.html").read_text("utf-8"):
            yield f"stored and not on the site: {title}"
    if odd := files(folder) ^ files(whole):
        yield f"files that came or went: {sorted(odd)}"
    with closing(sqlite3.connect(folder / "state/planet.sqlite")) as connection:
        if (damage := connection.execute("PRAGMA integrity_check").fetchall()) != [("ok",)]:
            yield f"damage: {damage}"
    for path in {request.path for request in server.requests}:
        sent = (request.header(SENT) for request in server.requests if request.path == path)
        moments = sorted(datetime.fromisoformat(moment) for moment in sent if moment)
        if any(other - one < timedelta(hours=1) for one, other in pairwise(moments)):
            yield f"{path} asked twice within the hour: {moments}"


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.mark.parametrize("update", [False, True], ids=["first run", "update"])
def test_runs_may_be_killed_at_any_moment(tmp_path: Path, update: bool) -> None:
    lots, killed, wrong = random.Random(3), 0, list[str]()
    beginning, whole = tmp_path / "beginning", tmp_path / "whole"
    now = NOON + timedelta(days=2)
    with Server(*HOSTS) as server:
        publish(server, 1, mended=True)
        for folder in (beginning, whole):
            folder.mkdir()
            if update:
                run(server, folder, NOON)
        publish(server, 2, mended=True)
        usual = run(server, whole, now)
        run(server, whole, now + timedelta(days=3))
        while killed < KILLS // 2:
            folder = tmp_path / "planet"
            shutil.copytree(beginning, folder)
            publish(server, 2)
            server.requests.clear()
            row = lots.randint(1, MOST_KILLS)
            for number in range(row):
                moment = lots.random() * usual
                run(server, folder, now + timedelta(minutes=10 * number), killed_after=moment)
            killed += row
            wrong += faults(server, folder, whole, now + timedelta(minutes=10 * row))
            shutil.rmtree(folder)

    assert wrong == []


def main(moment: str, folder: str) -> None:
    """Make a run as if it were that moment, once a line comes on stdin."""
    a_planet = Planet(Path(folder))
    a_planet.settings = yaml.safe_load((a_planet.folder / "config.yaml").read_text("utf-8"))
    a_planet.now = datetime.fromisoformat(moment)
    print("ready", flush=True)
    sys.stdin.readline()
    a_planet.build()


if __name__ == "__main__":
    main(*sys.argv[1:])
