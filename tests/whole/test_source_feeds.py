"""Whole runs: which sources have feeds on the site, and where everything that names them leads."""

import json
import posixpath
import re
import shutil
from urllib.parse import urldefrag, urljoin

import pytest

from tests.cases import case, cases
from tests.server import Server
from tests.site.html import Document
from tests.whole.conftest import Planet, rss

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
    machine = json.loads(site["planet.json"])
    for part in (machine, *machine["sources"], *machine["tags"]):
        named |= {("planet.json", LINK + feed["path"]) for feed in part["feeds"]}
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
    assert report.notices == (
        "2 feeds are no longer published (1 atom.xml, 1 feed.json): readers can subscribe to their "
        "sources themselves",
    )
    assert "filtered" not in with_feeds(mixed)
    assert (mixed.output / "source/filtered/index.html").exists()
