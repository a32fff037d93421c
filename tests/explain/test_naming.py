"""What an operator types → the entries and feeds that are meant."""

from collections.abc import Iterator

import pytest

from planet.explain.naming import find_entries, find_feeds
from planet.explain.outcomes import Outcomes
from planet.model import Enclosure, handle
from tests.builders import make_draft
from tests.cases import case, cases
from tests.timeline.conftest import Planet


@pytest.fixture
def outcomes(planet: Planet) -> Iterator[Outcomes]:
    planet.configure({"id": "one"}, {"id": "two", "link": "https://blog.two.example/"})
    file = Enclosure(url="https://cdn.example/tea.mp3", media_type="audio/mpeg")
    planet.lists(
        "one",
        make_draft("tea", title="A pot of tea", link="https://one.example/tea/?p=1"),
        make_draft("pot", title="The pot", link="https://one.example/pot", enclosures=(file,)),
        make_draft("tag:one.example,2026:3", link="https://one.example/caf%C3%A9"),
    )
    with planet.outcomes() as outcomes:
        yield outcomes


@cases(
    "name, found",
    case("its address", "https://one.example/pot", ["pot"]),
    case("its address, normalised", "HTTPS://ONE.example:443/pot#top", ["pot"]),
    case("its address, in Unicode", "https://one.example/café", ["tag:one.example,2026:3"]),
    case("its address, as people take it", "http://www.one.example/pot/", ["pot"]),
    case("its address, from a campaign", "https://one.example/tea?p=1&utm_source=x", ["tea"]),
    case("another query is another address", "https://one.example/tea/?p=2", []),
    case("its file", "https://cdn.example/tea.mp3", ["pot"]),
    case("its id", "tag:one.example,2026:3", ["tag:one.example,2026:3"]),
    case("its ID", handle("one", "tea"), ["tea"]),
    case("the beginning of its ID", handle("one", "tea")[:4].upper(), ["tea"]),
    case("words of its title", "TEA pot", ["tea"]),
    case("an id goes before a word", "pot", ["pot"]),
    case("nothing", "coffee", []),
)
def test_an_entry_is_found_by(outcomes: Outcomes, name: str, found: list[str]) -> None:
    assert [explanation.entry.id for explanation in find_entries(name, outcomes)] == found


@cases(
    "name, found",
    case("its address", "https://one.example/feed", ["one"]),
    case("another page of its site", "https://www.one.example/other", ["one"]),
    case("its home page", "https://blog.two.example", ["two"]),
    case("a site of none", "https://three.example/", []),
    case("words", "pot of tea", []),
)
def test_a_feed_is_found_by(outcomes: Outcomes, name: str, found: list[str]) -> None:
    assert [feed.key for feed in find_feeds(name, outcomes)] == found
