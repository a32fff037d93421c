"""Pictures in posts: how each feed's are shown, on pages and in the feeds that come out."""

import re

from tests.cases import case, cases
from tests.server import Server
from tests.whole.conftest import Planet, rss

PICTURE = "&lt;img src='https://pictures.example/quay.jpg' alt='A quay' width='800' height='600'>"
SHOWN = '<img src="https://pictures.example/quay.jpg"'
LINKED = '<a href="https://pictures.example/quay.jpg"[^>]*>A quay</a>'


def with_picture(name: str) -> bytes:
    return rss("a", name=name).replace(b"All about", PICTURE.encode() + b"All about")


@cases(
    "planet, feed, expected",
    case("shown though the planet shows none", "none", "lazy", SHOWN),
    case("linked where the planet shows them", "lazy", "linked", LINKED),
    case("as the planet has them without a setting", "linked", None, LINKED),
)
def test_pictures_of_a_feed_are_as_it_says(
    a_planet: Planet, server: Server, planet: str, feed: str | None, expected: str
) -> None:
    a_planet.settings["pages"] = {"images": planet, "source_feeds": "all"}
    other = {"name": "Other", "url": server.feed("/other", with_picture("Other"))}
    own = {"name": "Own", "url": server.feed("/own", with_picture("Own"))}
    a_planet.subscribe(other, own)
    a_planet.build()

    a_planet.subscribe(other, own | ({"images": feed} if feed else {}))
    a_planet.build()

    own_html = a_planet.page("source/own/index.html")
    (own_item,) = a_planet.items("source/own/feed.json")
    (other_item,) = a_planet.items("source/other/feed.json")
    assert re.search(expected, own_html)
    assert re.search(expected, own_item["content_html"])
    other_shown = {"none": "A quayAll about", "lazy": SHOWN, "linked": LINKED}[planet]
    assert re.search(other_shown, other_item["content_html"])
