"""Faces of sources: files beside the config, and addresses that are asked for once a month."""

import json
import shutil
from xml.etree import ElementTree as ET

import pytest

from tests.cases import case, cases
from tests.config.images import png
from tests.server import Response, Server
from tests.site.editions import Document
from tests.whole.conftest import Planet, rss

ICON = png(64, 64)
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


def with_icon(server: Server, path: str, icon: str) -> str:
    """A feed that names a picture of itself."""
    image = f"<image><url>{icon}</url><title>x</title><link>{icon}</link></image>"
    body = rss("a").replace(b"<item>", image.encode() + b"<item>", 1)
    return server.feed(path, body, etag='"feed"')


@pytest.fixture
def faced(a_planet: Planet, server: Server) -> Planet:
    """A planet that shows faces, of a feed for which the config names one."""
    a_planet.settings["theme"] = {"name": "default", "options": {"faces": True}}
    server.script(
        "/icon.png",
        Response(body=ICON, headers=(("ETag", '"icon"'), ("Content-Type", "text/plain"))),
        Response(status=304),
    )
    feed = with_icon(server, "/feed", server.url("/other.png"))
    icon = server.url("/icon.png")
    a_planet.subscribe({"url": feed, "id": "one", "name": "One", "image": icon})
    return a_planet


def pictures(planet: Planet) -> dict[str, bytes]:
    return {path: body for path, body in planet.site().items() if path.startswith("faces/")}


def shown(planet: Planet, path: str = "index.html") -> set[str]:
    return {image["src"] for image in Document(planet.site()[path]).all("img")}


def test_a_picture_beside_the_config_is_published_and_nobody_is_asked_for_it(
    a_planet: Planet, server: Server
) -> None:
    (a_planet.folder / "faces").mkdir()
    (a_planet.folder / "faces/ann.png").write_bytes(ICON)
    feed = with_icon(server, "/feed", server.url("/icon.png"))
    own = {"id": "one", "name": "One", "image": "faces/ann.png", "filters": {"exclude": "none"}}
    a_planet.subscribe({"url": feed, **own})

    a_planet.build()
    first = pictures(a_planet)
    (a_planet.folder / "faces/ann.png").write_bytes(png(32, 32))
    report = a_planet.later(minutes=5).build()

    assert (first, pictures(a_planet)) == (
        {"faces/one.png": ICON},
        {"faces/one.png": png(32, 32)},
    )
    assert report.written == ("faces/one.png",)
    assert server.paths == ["/feed"]
    assert shown(a_planet) == {"faces/one.png"}
    assert shown(a_planet, "source/one/index.html") == {"../../faces/one.png"}
    assert shown(a_planet, "sources/index.html") == {"../faces/one.png"}
    address = "https://planet.example/faces/one.png"
    (outline,) = ET.fromstring(a_planet.page("opml.xml")).iter("outline")
    assert outline.attrib["imageUrl"] == address
    assert json.loads(a_planet.page("source/one/feed.json"))["icon"] == address


def test_an_icon_is_asked_for_once_a_month_with_its_validators(
    faced: Planet, server: Server
) -> None:
    for days in (0, 2, 25, 2, 4):
        faced.later(days=days).build()

    icons = [etag for path, etag in server.asked if path == "/icon.png"]
    assert icons == [None, '"icon"']
    assert len(server.paths) == 2 + 5
    assert pictures(faced) == {"faces/one.png": ICON}
    assert shown(faced) == {"faces/one.png"}


def test_an_empty_folder_has_the_icons_again_and_nobody_is_asked(
    faced: Planet, server: Server
) -> None:
    faced.build()
    before = faced.site()
    shutil.rmtree(faced.output)

    faced.later(minutes=5).build()

    assert (faced.site(), len(server.paths)) == (before, 2)


@cases(
    "when",
    case("by default", {"faces": False}),
    case("in a run that asks nobody", {"faces": True}),
)
def test_nobody_is_asked_for_an_icon(faced: Planet, server: Server, when: dict[str, bool]) -> None:
    faced.settings["theme"] = "default"
    faced.build()
    faced.settings["theme"] = {"name": "default", "options": when}

    faced.later(minutes=5).build()

    assert server.paths == ["/feed"]
    assert pictures(faced) == {}


@cases(
    "answer, is_named",
    case("an SVG", Response(body=SVG, headers=(("Content-Type", "image/png"),)), True),
    case("a page", Response(body=b"<!doctype html><title>No</title>"), True),
    case("too many pixels", Response(body=png(30_000, 30_000)), True),
    case("too many bytes", Response(body=ICON + bytes(110_000)), True),
    case("nothing", Response(status=404), False),
)
def test_what_is_no_picture_of_a_source_is_not_published_and_its_feed_is_named(
    faced: Planet, server: Server, answer: Response, is_named: bool
) -> None:
    server.script("/icon.png", answer)

    reports = [faced.later(days=days).build() for days in (0, 20, 20)]

    assert pictures(faced) == {}
    assert shown(faced) == set()
    # No sooner than a picture is, and without a condition: nothing of it is kept.
    assert [etag for path, etag in server.asked if path == "/icon.png"] == [None, None]
    named = [any("no face of One" in words for words in report.notices) for report in reports]
    assert named == [is_named, False, is_named]


@cases(
    "answer, left",
    case("it stays while its server is down", Response(status=503), {"faces/one.png": ICON}),
    case("it goes when its publisher takes it away", Response(status=410), {}),
    case("another takes its place", Response(body=png(9, 9)), {"faces/one.png": png(9, 9)}),
)
def test_an_icon_that_was_published_follows_what_its_server_answers(
    faced: Planet, server: Server, answer: Response, left: dict[str, bytes]
) -> None:
    faced.build()
    server.script("/icon.png", answer)

    faced.later(days=40).build()

    assert pictures(faced) == left
