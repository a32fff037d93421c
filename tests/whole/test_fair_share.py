"""Whole runs: a loud source takes no places from others."""

import json
from datetime import datetime, timedelta
from email.utils import format_datetime

from tests.server import Server
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
