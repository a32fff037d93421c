"""Entries that a new feed had already are read again when they are to be shown."""

import re
from pathlib import Path

import pytest

from planet.run.workers import Workers
from tests.server import Server
from tests.whole.conftest import Planet, rss


@pytest.fixture
def publisher(server: Server) -> Server:
    server.feed("/blog.xml", rss("four", "three", "two", "one"), etag='"1"')
    return server


def built(folder: Path, workers: Workers, publisher: Server, *shown: int | str) -> Planet:
    """A planet with a run for each of these settings, an hour apart."""
    folder.mkdir()
    planet = Planet(folder, workers)
    planet.subscribe(publisher.url("/blog.xml"))
    for each in shown:
        planet.settings["new_feed_entries"] = each
        planet.build()
        planet.later(hours=1)
    return planet


def timeless(site: dict[str, bytes]) -> dict[str, bytes]:
    """A site without how long its feeds took to answer."""
    health = re.sub(rb'"response_time": [0-9.]+', b"", site["health.json"])
    return {**site, "health.json": health}


@pytest.mark.parametrize(("shown", "again"), [(1, 3), (0, "all")])
def test_a_site_that_shows_more_is_as_if_it_had_always_done_so(
    shown: int, again: int | str, tmp_path: Path, workers: Workers, publisher: Server
) -> None:
    always = built(tmp_path / "always", workers, publisher, again, again)
    asked = len(publisher.requests)

    later = built(tmp_path / "later", workers, publisher, shown, again)

    assert timeless(later.site()) == timeless(always.site())
    assert b"All about two" in later.site()["atom.xml"]
    assert len(publisher.requests) == asked + 1


def test_a_lost_text_comes_once_again(tmp_path: Path, workers: Workers, publisher: Server) -> None:
    planet = built(tmp_path / "planet", workers, publisher, 1)
    (planet.folder / "state" / "http.sqlite").unlink()
    planet.settings["new_feed_entries"] = "all"
    planet.build()
    before = planet.site()["atom.xml"]
    planet.later(days=1)

    planet.build()
    asked = len(publisher.requests)
    report = planet.build()

    assert b"All about two" not in before
    assert b"All about two" in planet.site()["atom.xml"]
    assert len(publisher.requests) == asked
    assert not report.changed
