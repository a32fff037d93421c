"""What an operator types → the entries and feeds that are meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from planet.model import Enclosure, handle
from planet.timeline.explain import entries, feeds
from tests.builders import make_draft

if TYPE_CHECKING:
    from planet.timeline.explain import Known
    from tests.timeline.conftest import Planet


@pytest.fixture
def known(planet: Planet) -> Known:
    planet.configure({"id": "one"}, {"id": "two", "link": "https://blog.two.example/"})
    file = Enclosure(url="https://cdn.example/tea.mp3", media_type="audio/mpeg")
    planet.lists(
        "one",
        make_draft("tea", title="A pot of tea", link="https://one.example/tea/?p=1"),
        make_draft("pot", title="The pot", link="https://one.example/pot", enclosures=(file,)),
        make_draft("tag:one.example,2026:3", link="https://one.example/caf%C3%A9"),
    )
    return planet.look()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        pytest.param("https://one.example/pot", ["pot"], id="its address"),
        pytest.param("HTTPS://ONE.example:443/pot#top", ["pot"], id="its address, normalised"),
        pytest.param(
            "https://one.example/café", ["tag:one.example,2026:3"], id="its address, in Unicode"
        ),
        pytest.param("http://www.one.example/pot/", ["pot"], id="its address, as people take it"),
        pytest.param(
            "https://one.example/tea?p=1&utm_source=x", ["tea"], id="its address, from a campaign"
        ),
        pytest.param("https://one.example/tea/?p=2", [], id="another query is another address"),
        pytest.param("https://cdn.example/tea.mp3", ["pot"], id="its file"),
        pytest.param("tag:one.example,2026:3", ["tag:one.example,2026:3"], id="its id"),
        pytest.param(handle("one", "tea"), ["tea"], id="its ID"),
        pytest.param(handle("one", "tea")[:4].upper(), ["tea"], id="the beginning of its ID"),
        pytest.param("TEA pot", ["tea"], id="words of its title"),
        pytest.param("pot", ["pot"], id="an id goes before a word"),
        pytest.param("coffee", [], id="nothing"),
    ],
)
def test_an_entry_is_found_by(known: Known, name: str, found: list[str]) -> None:
    assert [verdict.entry.id for verdict in entries(name, known)] == found


@pytest.mark.parametrize(
    ("name", "found"),
    [
        pytest.param("https://one.example/feed", ["one"], id="its address"),
        pytest.param("https://www.one.example/other", ["one"], id="another page of its site"),
        pytest.param("https://blog.two.example", ["two"], id="its home page"),
        pytest.param("https://three.example/", [], id="a site of none"),
        pytest.param("pot of tea", [], id="words"),
    ],
)
def test_a_feed_is_found_by(known: Known, name: str, found: list[str]) -> None:
    assert [feed.key for feed in feeds(name, known)] == found
