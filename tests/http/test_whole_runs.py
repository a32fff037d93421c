"""What fetching is worth to a whole run: exchanges that end with it, bodies that outlive it."""

import threading
from pathlib import Path
from typing import Never

import pytest

from planet.store import Store
from tests.patience import PATIENCE
from tests.server import Response, Server, moved
from tests.whole.conftest import Planet, rss


class Broken(Store):
    def keep(self, *_: object, **__: object) -> Never:
        raise RuntimeError("the store broke")

    keep_later = keep


def test_exchanges_end_when_what_came_cannot_be_kept(tmp_path: Path) -> None:
    a_planet = Planet(tmp_path)
    a_planet.store_kind = Broken

    with Server("127.0.0.1", "127.0.0.2") as server:
        server.script("/stuck", Response(hold=threading.Event()))
        # An answer that need not be read comes to be kept while the other is still awaited.
        gone = server.script("/gone", Response(status=404))
        a_planet.subscribe(gone, server.url("/stuck", "127.0.0.2"))
        # The error holds on to the frames it came through, and so to what these hold.
        with pytest.raises(RuntimeError, match="the store broke") as raised:
            a_planet.build()
        threads = [one for one in threading.enumerate() if one.name.startswith("planet-fetch")]
        for thread in threads:
            thread.join(timeout=PATIENCE)

    assert raised
    assert not any(thread.is_alive() for thread in threads)


def test_a_body_that_a_killed_run_found_behind_a_redirect_is_not_sent_again(tmp_path: Path) -> None:
    a_planet = Planet(tmp_path)
    with Server() as server:
        server.feed("/new", rss("a"), etag='"1"')
        a_planet.subscribe(server.script("/old", moved("/new")))
        a_planet.killed()

        too_early = a_planet.later(minutes=1).build()
        report = a_planet.later(hours=1).build()

    assert (too_early.added, report.added) == (0, 1)
    asked = [request for request in server.requests if request.path == "/new"]
    assert [request.header("If-None-Match") for request in asked] == [None, '"1"']


def test_a_feed_that_moved_with_the_same_body_keeps_its_validators(tmp_path: Path) -> None:
    a_planet = Planet(tmp_path)
    with Server() as server:
        server.feed("/new", rss("a"), etag='"1"')
        a_planet.subscribe(server.script("/old", Response(body=rss("a")), moved("/new", 301)))

        for _ in range(4):
            a_planet.build()
            a_planet.later(days=2)

    asked = [request for request in server.requests if request.path == "/new"]
    assert [request.header("If-None-Match") for request in asked] == [None, '"1"', '"1"']
