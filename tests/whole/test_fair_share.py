"""Whole runs: a loud source takes no places from others, and a reader loses nothing."""

import json
from datetime import datetime, timedelta
from email.utils import format_datetime
from posixpath import dirname, join, normpath
from xml.etree import ElementTree as ET

from msgspec.structs import replace

from tests.server import Server
from tests.site.feeds.checks import problems
from tests.site.html import Document
from tests.whole.conftest import NOON, Planet

ATOM = "{http://www.w3.org/2005/Atom}"
LINK = "https://planet.example/"


def feed(name: str, *posts: tuple[str, datetime]) -> bytes:
    items = "".join(
        f"<item><title>{title}</title><guid isPermaLink='false'>{name} {title}</guid>"
        f"<link>https://{name.lower()}.example/{title}</link>"
        f"<pubDate>{format_datetime(when)}</pubDate></item>"
        for title, when in posts
    )
    return f"<rss version='2.0'><channel><title>{name}</title>{items}</channel></rss>".encode()


class Reader:
    """Reads a feed with its archive documents, each once, as RFC 5005 §4 says."""

    def __init__(self) -> None:
        self.titles: set[str] = set()
        self.documents: dict[str, bytes] = {}

    def polls(self, site: dict[str, bytes]) -> None:
        document: str | None = "atom.xml"
        while document is not None and document not in self.documents:
            if document != "atom.xml":
                self.documents[document] = site[document]
            root = ET.fromstring(site[document])
            self.titles |= {str(title.text) for title in root.iter(f"{ATOM}title")}
            links = {link.get("rel"): link.get("href", "") for link in root.iter(f"{ATOM}link")}
            older = links.get("prev-archive")
            document = older.removeprefix(LINK) if older else None


def test_a_reader_who_asks_every_six_hours_loses_nothing(a_planet: Planet, server: Server) -> None:
    a_planet.settings["fetch"] |= {"min_interval": "0s", "max_interval": "1s", "agreed": True}
    a_planet.settings["pages"] = {"feed": 6, "front": 6}
    a_planet.settings["new_feed_entries"] = "all"
    a_planet.subscribe(server.url("/loud"), server.url("/quiet"))
    loud: list[tuple[str, datetime]] = []
    quiet: list[tuple[str, datetime]] = []
    reader = Reader()

    for turn in range(6):
        now = a_planet.now
        # The last one of each turn is met long after its date.
        ages = [timedelta(minutes=20 * number) for number in range(7)] + [timedelta(days=3)]
        loud += [(f"L{turn}-{number}", now - age) for number, age in enumerate(ages)]
        quiet.append((f"Q{turn}", now - timedelta(hours=4)))
        server.feed("/loud", feed("Loud", *loud), etag=f'"{turn}"')
        server.feed("/quiet", feed("Quiet", *quiet), etag=f'"{turn}"')
        a_planet.build()
        reader.polls(a_planet.site())
        a_planet.later(hours=6)

    # What arrived today is whole tomorrow.
    server.feed("/quiet", feed("Quiet", ("Q6", a_planet.later(days=1).now)), etag='"6"')
    a_planet.build()
    site = a_planet.site()
    reader.polls(site)
    assert {title for title, _ in (*loud, *quiet)} <= reader.titles
    assert {path: site[path] for path in reader.documents} == reader.documents
    assert not problems(site)


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


def test_all_posts_of_a_loud_day_are_on_pages_that_stay_as_they_are(
    a_planet: Planet, server: Server
) -> None:
    a_planet.settings["fetch"] |= {"min_interval": "0s", "max_interval": "1s", "agreed": True}
    a_planet.settings["new_feed_entries"] = "all"
    a_planet.subscribe(server.url("/loud"))
    day, last = "2026/11/21/", "2026/11/21/1/index.html"
    times = []

    for count in (9, 12):
        posts = [
            (f"L{number}", NOON - timedelta(hours=1, seconds=-number)) for number in range(count)
        ]
        server.feed("/loud", feed("Loud", *posts), etag=f'"{count}"')
        config = a_planet.config()
        a_planet.later(hours=1).build(replace(config, pages=replace(config.pages, archive=1)))
        times.append(a_planet.times()[last])

    titles: list[str] = []
    path = f"{day}index.html"
    while path.startswith(day):
        page = Document(a_planet.site()[path])
        titles += page.texts("h3")
        older = [link["href"] for link in page.all("a", rel="prev")]
        path = normpath(join(dirname(path), *older)) if older else ""
    assert titles == [f"L{number}" for number in reversed(range(12))]
    assert len(set(times)) == 1
