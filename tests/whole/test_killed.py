"""A run that is killed loses nothing. `tests/benchmarks/test_killed.py` kills real processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Never

import pytest

from planet.store import Store
from tests.server import Response
from tests.whole.conftest import rss

if TYPE_CHECKING:
    from tests.server import Server
    from tests.whole.conftest import Planet


class Killed(Store):
    """Does not live to keep anything."""

    def keep(self, *_: object, **__: object) -> Never:
        raise KeyboardInterrupt


def test_a_feed_at_a_new_address_starts_anew_though_its_first_run_there_was_killed(
    a_planet: Planet, server: Server
) -> None:
    well = {"url": server.feed("/well", rss("w", name="Well"), etag='"1"'), "id": "well"}
    gone = server.script("/gone", Response(status=410))
    new = server.feed("/new", rss("a"), etag='"1"')
    a_planet.subscribe(well, {"url": gone, "id": "one"})
    a_planet.build()

    a_planet.later(days=2)
    a_planet.subscribe(well, {"url": new, "id": "one"})
    a_planet.store_kind = Killed
    with pytest.raises(KeyboardInterrupt):
        a_planet.build()
    a_planet.store_kind = Store
    a_planet.later(minutes=1)
    a_planet.build()
    a_planet.later(days=2)
    a_planet.build()

    asked = [each for each in server.requests if each.path == "/new"]
    assert [each.header("If-None-Match") for each in asked] == [None, '"1"']
    assert "All about a." in a_planet.page()
