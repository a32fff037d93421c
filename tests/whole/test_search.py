"""Searching, from config to folder: what is in the index, and when it is made."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from planet.config import load
from planet.errors import OutputError
from planet.run.publish import draw
from tests.server import Server
from tests.whole.conftest import Planet, rss

pytest.importorskip("pagefind", reason="Pagefind is not installed")

FOLDER = "search/pagefind/"
ENTRY = f"{FOLDER}pagefind-entry.json"


@pytest.fixture
def searched(a_planet: Planet, server: Server) -> Planet:
    a_planet.settings["pages"] = {"search": True}
    a_planet.subscribe(
        {"url": server.feed("/one", rss("boats", "knots"), etag='"1"'), "id": "one"},
        {"url": server.feed("/two", rss("gulls", name="Two"), etag='"1"'), "id": "two"},
    )
    return a_planet


def found(planet: Planet) -> dict[str, dict[str, Any]]:
    """What the index can tell of each post, by its title."""
    said = [
        json.loads(gzip.decompress(path.read_bytes()).removeprefix(b"pagefind_dcd"))
        for path in (planet.output / FOLDER / "fragment").iterdir()
    ]
    return {each["meta"].pop("title"): {"text": each["content"], **each["meta"]} for each in said}


def index_of(planet: Planet) -> dict[str, bytes]:
    return {path: body for path, body in planet.site().items() if path.startswith(FOLDER)}


def drawn(planet: Planet) -> dict[str, bytes]:
    config = load(planet.folder / "config.yaml", environ={})
    with planet.opened() as run:
        files = draw(config, config.feeds, run=run)
        return {file.path: file.make() for file in files}


def test_every_post_is_in_the_index_with_where_it_leads(searched: Planet) -> None:
    searched.build()

    posts = (("boats", "One", 20), ("knots", "One", 19), ("gulls", "Two", 20))
    assert found(searched) == {
        title: {
            "text": f"All about {title}.",
            "url": f"https://{source.lower()}.example/{title}",
            "source": source,
            "date": f"{day} November 2026",
        }
        for title, source, day in posts
    }


def test_a_site_that_cannot_be_searched_is_the_same_but_for_the_search(searched: Planet) -> None:
    searched.build()
    without = {path: body for path, body in searched.site().items() if "search/" not in path}
    searched.settings["pages"] = {"search": False}

    searched.build()

    site = searched.site()
    assert site.keys() == without.keys()
    assert all(b"search" not in body for path, body in site.items() if path.endswith(".html"))
    assert 'href="search/index.html"' in without["index.html"].decode()


def test_runs_without_news_make_no_index(searched: Planet, monkeypatch: pytest.MonkeyPatch) -> None:
    searched.build()
    times = searched.times()
    monkeypatch.setenv("PAGEFIND_BINARY_PATH", "/nowhere")
    searched.later(days=2)

    report = searched.build()

    assert not report.changed
    assert searched.times() == times


def test_a_planet_without_posts_has_a_page_that_says_so(a_planet: Planet, server: Server) -> None:
    a_planet.settings["pages"] = {"search": True}
    a_planet.subscribe(server.feed("/one", rss(), etag='"1"'))

    a_planet.build()

    assert index_of(a_planet) == {}
    assert "There are no posts yet." in a_planet.page("search/index.html")
    assert "<form" not in a_planet.page("search/index.html")


def test_when_the_index_fails_the_site_stays_as_it_was(
    searched: Planet, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched.build()
    before = searched.site()
    broken = tmp_path / "pagefind"
    broken.write_text("#!/bin/sh\necho Not today >&2\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PAGEFIND_BINARY_PATH", str(broken))
    searched.later(days=2)
    server.feed("/two", rss("terns", name="Two"), etag='"2"')

    with pytest.raises(OutputError, match="could not be made: Pagefind failed: Not today\n"):
        searched.build()

    assert searched.site() == before
    monkeypatch.delenv("PAGEFIND_BINARY_PATH")
    searched.build(offline=True)
    assert "terns" in found(searched)
