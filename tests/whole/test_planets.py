"""Planets that read planets: what another one carries is shown as that of who wrote it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planet.run.workers import Workers
from tests.server import Server
from tests.whole.conftest import DEMO, Planet

Make = Callable[[str], Planet]


@pytest.fixture
def make(tmp_path: Path, workers: Workers) -> Make:
    """A planet of this name, which shows all that its feeds have."""

    def made(name: str) -> Planet:
        (tmp_path / name).mkdir()
        planet = Planet(tmp_path / name, workers)
        planet.settings |= {
            "title": f"Planet {name}",
            "link": f"https://{name}.example/",
            "new_feed_entries": "all",
            "pages": {"feed": 500},
        }
        return planet

    return made


def said(planet: Planet) -> dict[str, dict[str, Any]]:
    """The same by its id, without what is another planet's own: folders, and who carries it."""
    by_id = {item["id"]: item for item in planet.items()}
    for item in by_id.values():
        for source in (item["_planet"]["source"], *item["_planet"].pop("also_in", [])):
            del source["slug"]
            source.pop("via", None)
    return by_id


def serve(server: Server, planet: Planet, name: str) -> str:
    """The address of one of its feeds."""
    return server.feed(f"/{planet.output.parent.name}/{name}", planet.site()[name])


def test_planets_together_say_what_one_of_all_would(make: Make, server: Server) -> None:
    feeds = [server.feed(f"/{path.name}", path.read_bytes()) for path in sorted(DEMO.iterdir())]
    half = len(feeds) // 2
    east, west, whole = map(make, ("east", "west", "whole"))
    for planet, part in ((east, feeds[:half]), (west, feeds[half:]), (whole, feeds)):
        planet.subscribe(*part)
        planet.build()

    together: dict[str, Planet] = {}
    for name in ("feed.json", "atom.xml"):
        together[name] = make(f"of-{name.partition('.')[0]}")
        together[name].subscribe(serve(server, east, name), serve(server, west, name))
        together[name].build()

    expected = said(whole)
    for item in expected.values():
        item["_planet"].pop("episode", None)
    assert said(together["feed.json"]) == expected
    assert said(together["atom.xml"]) == expected


def atom(*entries: str, name: str = "Hub", link: str = "https://hub.example/") -> bytes:
    return (
        "<feed xmlns='http://www.w3.org/2005/Atom'>"
        f"<id>{link}</id><title>{name}</title><link href='{link}'/>"
        f"<updated>2026-11-20T08:00:00Z</updated>{''.join(entries)}</feed>"
    ).encode()


def entry(title: str, source: str = "", *, day: int = 20) -> str:
    return (
        f"<entry><id>urn:{title}</id><title>{title}</title><link href='https://x.example/{title}'/>"
        f"<updated>2026-11-{day:02}T08:00:00Z</updated>"
        f"{f'<source>{source}</source>' if source else ''}</entry>"
    )


ALICE = "<id>tag:alice.example,2026:a</id><title>Alice</title><link href='https://alice.example/'/>"


def shown(planet: Planet) -> dict[str, str]:
    """By title, what an entry is shown to come from."""
    return {item["title"]: item["_planet"]["source"]["title"] for item in planet.items()}


def test_who_wrote_it_is_shown_credited_and_published(a_planet: Planet, server: Server) -> None:
    hub = atom(entry("a", ALICE), entry("b", ALICE), entry("c", ALICE.replace("lice", "nn")))
    a_planet.subscribe({"url": server.feed("/hub", hub), "id": "hub"})

    a_planet.build()

    assert shown(a_planet) == {"a": "Alice", "b": "Alice", "c": "Ann"}
    page = a_planet.page("source/alice-example/index.html")
    assert (">a</a>" in page, ">b</a>" in page, ">c</a>" in page) == (True, True, False)
    # The planet that has it is credited, too.
    assert page.count('<a href="../../source/hub/index.html"><bdi>Hub</bdi></a>') == 2
    assert b"<source>\n<id>tag:alice.example,2026:a</id>" in a_planet.site()["atom.xml"]
    assert b'<link rel="alternate" href="https://alice.example/"' in a_planet.site()["atom.xml"]
    assert "source/alice-example/feed.json" in a_planet.site()


def test_no_feed_puts_its_entries_among_those_of_another(a_planet: Planet, server: Server) -> None:
    mine = server.feed("/alice", atom(entry("mine"), name="Alice", link="https://a.example/"))
    claims = f"<id>https://a.example/</id><title>Alice</title><link rel='self' href='{mine}'/>"
    a_planet.subscribe(mine, server.feed("/hub", atom(entry("theirs", claims))))

    a_planet.build()

    folders = {
        title: {
            path.split("/")[1]
            for path, body in a_planet.site().items()
            if path.startswith("source/") and f">{title}<".encode() in body
        }
        for title in ("mine", "theirs")
    }
    assert shown(a_planet) == {"mine": "Alice", "theirs": "Alice"}
    assert (*map(len, folders.values()), folders["mine"] & folders["theirs"]) == (1, 1, set())
