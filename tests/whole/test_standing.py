"""What a site says about how it goes with its feeds."""

import json
from typing import Any
from xml.etree import ElementTree as ET

from tests.server import Response, Server, moved
from tests.whole.conftest import Planet, rss


def health(planet: Planet) -> dict[str, dict[str, Any]]:
    said = json.loads((planet.output / "health.json").read_text(encoding="utf-8"))
    return {each["title"]: each for each in said["feeds"]}


def test_a_feed_that_is_gone_says_so_with_its_entries(a_planet: Planet, server: Server) -> None:
    well = server.feed("/well", rss("w", name="Well"), etag='"1"')
    gone = server.script("/gone", Response(body=rss("a", name="Gone")), Response(status=410))
    a_planet.subscribe({"url": well, "id": "well"}, {"url": gone, "id": "gone"})
    a_planet.build()

    report = a_planet.later(days=2).build()

    assert set(report.written) == {
        "health.json",
        "index.html",
        "planet.json",
        "source/gone/index.html",
        "sources/index.html",
    }
    assert "All about a." in a_planet.page()
    assert "Its publisher took it away for good" in a_planet.page("source/gone/index.html")
    found = health(a_planet)
    assert [(each["state"], each["given_up"], each["due_at"]) for each in found.values()] == [
        ("given up", "gone", None),
        ("ok", None, found["Well"]["due_at"]),
    ]


def test_a_feed_that_is_archived_is_asked_no_more_and_shown_for_good(
    a_planet: Planet, server: Server
) -> None:
    a_planet.settings["retention"] = {"entries": "30d", "content": "7d"}
    well = server.feed("/well", rss("w", name="Well"))
    ended = {"url": server.feed("/ended", rss("b", "a", name="Ended")), "id": "ended"}
    a_planet.subscribe(well, ended)
    a_planet.build()
    server.script("/ended", Response(body=rss("b", name="Ended")), Response(status=410))
    a_planet.later(days=2).build()
    a_planet.later(days=2).build()
    asked = server.paths.count("/ended")

    a_planet.subscribe(well, ended | {"enabled": "archived"})
    a_planet.later(days=100).build()
    report = a_planet.later(days=100).build()

    assert server.paths.count("/ended") == asked == 3
    assert [outcome.name for outcome in report.outcomes] == ["Well"]
    page = a_planet.page("source/ended/index.html")
    assert [words in page for words in ("All about a.", "All about b.")] == [True, True]
    for path in ("source/ended/index.html", "sources/index.html"):
        assert a_planet.page(path).count("This site has ended. Its posts stay here.") == 1, path
    found = health(a_planet)["Ended"]
    assert (found["state"], found["due_at"]) == ("archived", None)
    assert json.loads(a_planet.page("health.json"))["planet"]["given_up"] == 0
    (outline,) = (
        one
        for one in ET.fromstring(a_planet.page("opml.xml")).iter()
        if "Ended" in one.attrib.values()
    )
    assert outline.attrib["isComment"] == "true"
    assert "archived" in a_planet.call("status", "Ended").out
    assert a_planet.call("retry", "Ended").out == (
        "Ended: is archived in the config (`enabled: archived`)\n"
    )


def test_a_feed_that_moved_says_where(a_planet: Planet, server: Server) -> None:
    new = server.feed("/new", rss("a"), etag='"1"')
    a_planet.subscribe({"url": server.script("/old", moved(new, 301)), "id": "one"})

    for _ in range(3):
        a_planet.build()
        a_planet.later(days=2)

    assert f'Its feed has moved to <bdi><a href="{new}"' in a_planet.page("source/one/index.html")
    assert health(a_planet)["One"]["moved"]["adopted"]
