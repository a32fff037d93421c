"""Pictures in posts: how each feed's are shown, on pages and in the feeds that come out."""

import re
from typing import Any

from tests.cases import case, cases
from tests.server import Server
from tests.whole.conftest import Planet, rss

PICTURE = "&lt;img src='https://pictures.example/quay.jpg' alt='A quay' width='800' height='600'>"
SHOWN = '<img src="https://pictures.example/quay.jpg"'
LINKED = '<a href="https://pictures.example/quay.jpg"[^>]*>A quay</a>'


def with_picture(name: str) -> bytes:
    return rss("a", name=name).replace(b"All about", PICTURE.encode() + b"All about")


SMALL = ' class="picture u-featured" src="https://pictures.example/quay.jpg"'


@cases(
    "settings, expected",
    case("by itself", {}, True),
    case("not where pictures are linked", {"pages": {"images": "linked"}}, False),
    case("not where the text has it", {"theme": "classic"}, False),
    case("not in lines of titles", {"theme": "headlines"}, False),
    case(
        "not where the operator wants none",
        {"theme": {"name": "default", "options": {"pictures": False}}},
        False,
    ),
    case("not where only titles are published", {"content": "title"}, False),
)
def test_a_post_in_a_list_has_its_picture_beside_it(
    a_planet: Planet, server: Server, settings: dict[str, Any], expected: bool
) -> None:
    a_planet.settings |= settings
    own = {"name": "Own", "url": server.feed("/own", with_picture("Own")), "tags": "t"}
    a_planet.subscribe(own)

    a_planet.build()

    assert (SMALL in a_planet.page()) is expected
    if not settings:
        assert SMALL in a_planet.page("tag/t/index.html")
        assert SMALL not in a_planet.page("source/own/index.html")


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
