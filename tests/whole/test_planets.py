"""Planets that read planets: what another one carries is shown as that of who wrote it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planet.run.workers import Workers
from tests.server import Server
from tests.whole.conftest import DEMO, Planet, rss

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
    assert said(together["feed.json"]) == expected
    for item in expected.values():
        item["_planet"].pop("episode", None)  # Atom has no words for it
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


def test_health_stays_with_the_feed_that_is_asked(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(server.feed("/hub", atom(entry("a", ALICE))))

    a_planet.build()

    feeds = json.loads(a_planet.site()["health.json"])["feeds"]
    assert [feed["title"] for feed in feeds] == ["Hub"]


def test_a_filter_may_look_at_what_an_entry_comes_from(a_planet: Planet, server: Server) -> None:
    hub = atom(entry("a", ALICE), entry("b", ALICE.replace("lice", "nn")), entry("Alice"))
    filters = {"exclude": [{"source": "alice"}]}
    a_planet.subscribe({"url": server.feed("/hub", hub), "filters": filters})

    a_planet.build()

    assert shown(a_planet) == {"b": "Ann", "Alice": "Hub"}


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


OF_THE_FEED = {
    "its-id": "<id>https://hub.example/</id><title>Alice</title>",
    "its-page": "<id>urn:x</id><title>Alice</title><link href='https://hub.example'/>",
    "no-title": "<id>tag:alice.example,2026:a</id>",
    "no-id": "<title>Alice</title>",
}


def test_a_source_with_what_is_the_feeds_or_too_little_is_no_other(
    a_planet: Planet, server: Server
) -> None:
    entries = [entry(title, source) for title, source in OF_THE_FEED.items()]
    a_planet.subscribe(server.feed("/hub", atom(*entries)))

    a_planet.build()

    assert shown(a_planet) == dict.fromkeys(OF_THE_FEED, "Hub")


def test_a_source_keeps_its_address_under_a_new_title(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(server.feed("/hub", atom(entry("a", ALICE))))
    a_planet.build()

    newer = ALICE.replace("Alice", "Alice anew")
    server.feed("/hub", atom(entry("b", newer, day=21), entry("a", newer)))
    a_planet.later(days=2).build()

    assert shown(a_planet) == {"a": "Alice anew", "b": "Alice anew"}
    assert ">b</a>" in a_planet.page("source/alice-example/index.html")


def test_rss_names_the_feed_and_json_feed_the_author(a_planet: Planet, server: Server) -> None:
    source = "<source url='https://alice.example/feed'>Alice</source></item>"
    a_planet.subscribe(
        server.feed("/rss", rss("a").replace(b"</item>", source.encode())),
        server.feed("/json", json.dumps(AUTHORED).encode()),
    )

    a_planet.build()

    assert shown(a_planet) == {"a": "Alice", "b": "Ann", "c": "A hub"}


AUTHORED = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "A hub",
    "home_page_url": "https://hub.example/",
    "items": [
        {
            "id": title,
            "title": title,
            "url": url,
            "content_text": "Words.",
            "date_published": "2026-11-20T08:00:00Z",
            "authors": [{"name": "Ann", "url": "https://ann.example/"}],
        }
        # Who writes for a site that is not theirs is its author, and no source.
        for title, url in (("b", "https://ann.example/b"), ("c", "https://hub.example/c"))
    ],
}
