"""Pictures in posts: how each feed's are shown, on pages and in the feeds that come out."""

import re
import shutil
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from msgspec.structs import replace
from PIL import Image

from planet.run.pictures import MOST_COPIES, MOST_ENDED, NEWEST
from tests.cases import case, cases
from tests.config.images import png
from tests.server import Response, Server
from tests.whole.conftest import Planet, rss

PICTURE = "&lt;img src='https://pictures.example/quay.jpg' alt='A quay' width='800' height='600'>"
SHOWN = '<img src="https://pictures.example/quay.jpg"'
LINKED = '<a href="https://pictures.example/quay.jpg"[^>]*>A quay</a>'


YEAR = timedelta(days=365)


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
def test_a_post_in_a_list_has_its_picture_beside_it_unless_that_is_not_wanted(
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


# Copies


def photograph(width: int = 1600, height: int = 1200) -> bytes:
    data = BytesIO()
    Image.effect_noise((width, height), 20).convert("RGB").save(data, "JPEG", quality=60)
    return data.getvalue()


@pytest.fixture
def copying(a_planet: Planet, server: Server) -> Planet:
    """A planet that copies pictures, of a feed with one in its text that another host has."""
    server.script("/quay.jpg", Response(body=photograph()))
    server.feed("/own", pictured(server.url("/quay.jpg")), etag='"1"')
    a_planet.settings["pages"] = {"images": "copied", "source_feeds": "all"}
    a_planet.subscribe({"name": "Own", "url": server.url("/own")})
    return a_planet


def pictured(address: str, title: str = "a") -> bytes:
    picture = f"&lt;img src='{address}' alt='A quay' width='1600' height='1200'>"
    return rss(title, name="Own").replace(b"All about", picture.encode() + b"All about")


def copies(planet: Planet) -> dict[str, bytes]:
    return {path: body for path, body in planet.site().items() if path.startswith("pictures/")}


def test_a_picture_is_copied_small_once_and_pages_ask_nobody_else(
    copying: Planet, server: Server
) -> None:
    copying.build()
    first = copies(copying)
    for _ in range(2):
        copying.later(days=40).build()

    ((path, body),) = first.items()
    with Image.open(BytesIO(body)) as copy:
        assert (copy.format, copy.size, dict(copy.getexif())) == ("WEBP", (800, 600), {})
    assert copies(copying) == first
    assert server.paths.count("/quay.jpg") == 1
    page = copying.page("source/own/index.html")
    assert f'src="../../{path}"' in page
    assert f'<img class="picture u-featured" src="{path}"' in copying.page()
    assert not re.search(r'<img [^>]*src="http', page + copying.page())
    # A reader of the feed is no visitor of the site, and may have the picture as it is.
    (item,) = copying.items("source/own/feed.json")
    assert server.url("/quay.jpg") in item["content_html"]


def test_an_empty_folder_has_the_copies_again_and_nobody_is_asked(
    copying: Planet, server: Server
) -> None:
    copying.build()
    before, asked = copying.site(), len(server.paths)
    shutil.rmtree(copying.output)

    copying.later(minutes=5).build()

    assert (copying.site(), len(server.paths)) == (before, asked)


@cases(
    "answer",
    case("a picture that unpacks to gigabytes", Response(body=png(60_000, 60_000))),
    case("a document with scripts", Response(body=b"<svg xmlns='http://www.w3.org/2000/svg'/>")),
    case("a picture that is damaged", Response(body=photograph()[:2000])),
    case("more than is read", Response(body=photograph() + bytes(9_000_000))),
    case("nothing", Response(status=404)),
)
def test_what_cannot_be_copied_is_linked(copying: Planet, server: Server, answer: Response) -> None:
    server.script("/quay.jpg", answer)

    copying.build()
    copying.later(days=3).build()

    assert copies(copying) == {}
    assert server.paths.count("/quay.jpg") == 1
    address = server.url("/quay.jpg")
    assert re.search(f'<a href="{address}"[^>]*>A quay</a>', copying.page("source/own/index.html"))


def test_a_copy_goes_with_the_posts_that_show_it(copying: Planet, server: Server) -> None:
    copying.build()
    copying.settings["pages"]["images"] = "lazy"

    copying.later(days=2).build()

    assert copies(copying) == {}
    assert server.url("/quay.jpg") in copying.page("source/own/index.html")


@cases("enabled, stays", case("asked", True, False), case("archived", "archived", True))
def test_a_copy_goes_with_the_newest_entries_but_stays_where_a_site_has_ended(
    copying: Planet, server: Server, enabled: object, stays: bool
) -> None:
    copying.build()
    titles = [str(number) for number in range(NEWEST)]
    busy = server.feed("/busy", rss(*titles, name="Busy", dated=False))
    copying.subscribe(
        {"name": "Own", "url": server.url("/own"), "enabled": enabled},
        {"name": "Busy", "url": busy, "new_feed_entries": "all"},
    )

    copying.later(days=2).build()
    copying.later(days=2).build()

    assert bool(copies(copying)) is stays


def test_copies_of_sites_that_have_ended_leave_room_for_others(
    copying: Planet, server: Server
) -> None:
    copying.build()
    with copying.opened() as run:
        (copy,) = run.store.pictures.read().values()
        for number in range(MOST_COPIES):
            old = replace(copy, url=f"{copy.url}?{number}", asked_at=copy.asked_at - YEAR)
            run.store.pictures.put(old, b"a copy")
    busy = server.feed("/busy", pictured(server.url("/quay.jpg?new"), "b"))
    copying.subscribe(
        {"name": "Own", "url": server.url("/own"), "enabled": "archived"},
        {"name": "Busy", "url": busy},
    )

    copying.later(days=2).build()

    with copying.opened() as run:
        left = run.store.pictures.read()
    assert len(left) == MOST_ENDED + 1
    assert {copy.url, f"{copy.url}?new"} <= left.keys()
