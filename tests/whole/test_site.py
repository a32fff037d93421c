"""What a site says of its sources: their feeds, their share, and how it goes with them."""

import json
import posixpath
import re
import shutil
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Any
from urllib.parse import urldefrag, urljoin
from xml.etree import ElementTree as ET

import pytest

from tests.cases import case, cases
from tests.server import Response, Server, moved
from tests.site.editions import Document
from tests.whole.conftest import NOON, Planet, rss

LINK = "https://planet.example/"
HTML = (("Content-Type", "text/html"),)
PAGE = b"""<!doctype html><title>Page</title><div class="h-feed"><h1 class="p-name">Page</h1>
<article class="h-entry"><a class="u-url p-name" href="/a">On a page</a>
<time class="dt-published" datetime="2026-11-20T08:00:00Z">then</time></article></div>"""


@pytest.fixture
def mixed(a_planet: Planet, server: Server) -> Planet:
    """A planet of a feed and of sources that readers cannot subscribe to, or not to the same."""
    a_planet.settings["link"] = LINK
    a_planet.environ["TOKEN"] = "hush"
    (a_planet.folder / "file.xml").write_bytes(rss("f", name="File"))
    filtered = server.feed("/filtered", rss("b", "c", name="Filtered"))
    keyed = server.url("/keyed")
    server.feed("/keyed?key=hush", rss("k", name="Keyed"))
    login = server.feed("/login", rss("l", name="Login"))
    a_planet.subscribe(
        {"name": "plain", "url": server.feed("/plain", rss("a", name="Plain"))},
        {"name": "page", "url": server.feed("/page", PAGE, headers=HTML)},
        {"name": "file", "url": "file.xml"},
        {"name": "filtered", "url": filtered, "filters": {"exclude": "All about c"}},
        {"name": "login", "url": login, "auth": {"user": "ann", "password": "${TOKEN}"}},
        {"name": "keyed", "url": f"{keyed}?key=${{TOKEN}}"},
    )
    return a_planet


def with_feeds(planet: Planet) -> list[str]:
    """The sources that have feeds on the site."""
    return sorted(
        path.split("/")[1]
        for path in planet.site()
        if path.startswith("source/") and path.endswith("/atom.xml")
    )


def dead_links(planet: Planet) -> set[tuple[str, str]]:
    """What leads to a file of the site that is not there: where it stands, and the address."""
    site = planet.site()
    named: set[tuple[str, str]] = set()
    for path, body in site.items():
        if path.endswith(".html"):
            places = Document(body).all("a", "link")
            named |= {(path, urljoin(LINK + path, place["href"])) for place in places}
        elif path.endswith((".xml", ".json")):
            text = re.findall(rf'{LINK}[^"<\s]*', body.decode())
            named |= {(path, address) for address in text}
    feeds = json.loads(site["planet.json"])["feeds"]
    named |= {("planet.json", LINK + feed["path"]) for feed in feeds}
    here = {
        (path, urldefrag(address)[0].removeprefix(LINK))
        for path, address in named
        if address.startswith(LINK)
    }
    return {
        (path, place)
        for path, place in here
        if place not in site and posixpath.join(place, "index.html") not in site
    }


def test_sources_have_feeds_where_readers_need_them(mixed: Planet) -> None:
    mixed.build()

    assert with_feeds(mixed) == ["file", "filtered", "keyed", "login", "page"]
    assert dead_links(mixed) == set()
    assert b"hush" not in b"".join(mixed.site().values())


@cases("is_copy", case("as it stood", False), case("of a planet that was copied", True))
def test_feeds_that_are_no_longer_made_are_removed_from_a_folder_that_was_kept(
    mixed: Planet, is_copy: bool
) -> None:
    mixed.build()
    del next(feed for feed in mixed.settings["feeds"] if "filters" in feed)["filters"]
    if is_copy:
        shutil.copytree(mixed.folder, mixed.folder / "copy")
        mixed.folder /= "copy"
        mixed.output = mixed.folder / "public"

    report = mixed.later(minutes=5).build()

    assert report.deleted == ("source/filtered/atom.xml", "source/filtered/feed.json")
    assert "filtered" not in with_feeds(mixed)
    assert (mixed.output / "source/filtered/index.html").exists()


# Whole runs: a loud source takes no places from others

ATOM = "{http://www.w3.org/2005/Atom}"


def feed(name: str, *posts: tuple[str, datetime]) -> bytes:
    items = "".join(
        f"<item><title>{title}</title><guid isPermaLink='false'>{name} {title}</guid>"
        f"<link>https://{name.lower()}.example/{title}</link>"
        f"<pubDate>{format_datetime(when)}</pubDate></item>"
        for title, when in posts
    )
    return f"<rss version='2.0'><channel><title>{name}</title>{items}</channel></rss>".encode()


def test_a_loud_source_leaves_the_front_page_and_the_feeds_to_others(
    a_planet: Planet, server: Server
) -> None:
    loud = [(f"L{number}", NOON - timedelta(minutes=number)) for number in range(60)]
    quiet = [(f"Q{number}", NOON - timedelta(hours=2 + number)) for number in range(3)]
    a_planet.settings["pages"] = {"per_source": 2}
    a_planet.settings["new_feed_entries"] = "all"
    a_planet.subscribe(
        server.feed("/loud", feed("Loud", *loud)), server.feed("/quiet", feed("Quiet", *quiet))
    )

    a_planet.build()

    site = a_planet.site()
    titles = ["L0", "L1", "Q0", "Q1"]
    assert [item["title"] for item in json.loads(site["feed.json"])["items"]] == titles
    front = Document(site["index.html"])
    assert front.texts("h3") == titles
    told = {link.text: link["href"] for link in front.all("a") if " more from " in link.text}
    assert told == {
        "58 more from Loud": "2026/11/index.html#2026-11-21",
        "1 more from Quiet": "2026/11/index.html#2026-11-21",
    }
    assert len(Document(site["2026/11/index.html"]).texts("h3")) == 63


# What a site says about how it goes with its feeds


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
        "Ended: is not asked, by `enabled` in the config\n"
    )


def test_a_feed_that_moved_says_where(a_planet: Planet, server: Server) -> None:
    new = server.feed("/new", rss("a"), etag='"1"')
    a_planet.subscribe({"url": server.script("/old", moved(new, 301)), "id": "one"})

    for _ in range(3):
        a_planet.build()
        a_planet.later(days=2)

    assert f'Its feed has moved to <bdi><a href="{new}"' in a_planet.page("source/one/index.html")
    assert health(a_planet)["One"]["moved"]["adopted"]
