"""The cover, title and category of each podcast."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

from planet.model import Edition, Pages, PickList, Podcast, Tag
from planet.site.feeds import feed_files
from tests.cases import case, cases
from tests.site.feeds.checks import problems
from tests.site.feeds.make import (
    MP3,
    Texts,
    make_edition,
    make_entry,
    make_post,
    make_source,
    written,
)
from tests.site.feeds.rfc4287 import ATOM
from tests.site.feeds.rss20 import ITUNES

PNG, JPEG = b"\x89PNG\r\n\x1a\n rest", b"\xff\xd8\xff rest"
SHOW = make_source(image="https://one.example/show.png", tags=("T",))


def planet(podcast: Podcast, *, link: str | None = "https://planet.example/") -> Edition:
    """A planet with one episode, which is in each of its podcasts."""
    post = make_post(make_entry(enclosures=(MP3,)), SHOW)
    return make_edition(
        post,
        link=link,
        podcast=podcast,
        lists=(PickList(name="road", podcast=podcast, posts=(post,)),),
        tags=(Tag(name="T", slug="t"),),
    )


def covers(edition: Edition, theme: str | None = None) -> dict[str, str | None]:
    """The address of the cover of each podcast."""
    documents = written(edition, cover=theme)
    return {path: cover(documents[path]) for path in documents if path.endswith("podcast.xml")}


def cover(document: bytes) -> str | None:
    image = ET.fromstring(document).find(f"channel/{ITUNES}image")
    return None if image is None else image.get("href")


OWN = "https://elsewhere.example/own.jpg?size=3000"
THEME = "https://planet.example/cover.png"


@cases(
    "said, theme, expected",
    case("an address, to the letter", OWN, "cover.png", (OWN, OWN, OWN)),
    case("the theme's", None, "cover.png", (THEME, THEME, THEME)),
    case("a show's", None, None, (SHOW.image,) * 3),
)
def test_the_operators_cover_goes_before_the_themes_and_that_before_a_shows(
    said: str | None, theme: str | None, expected: tuple[str, str, str]
) -> None:
    found = covers(planet(Podcast(cover=said)), theme)

    own, picks, tag = expected
    assert found == {
        "podcast.xml": own,
        "source/one/podcast.xml": SHOW.image,
        "tag/t/podcast.xml": tag,
        "lists/road/podcast.xml": picks,
    }


@cases("image, name", case("PNG", PNG, "cover.png"), case("JPEG", JPEG, "cover.jpg"))
def test_a_file_is_published_beside_the_page_of_its_podcast(
    tmp_path: Path, image: bytes, name: str
) -> None:
    file = tmp_path / "any.name"
    file.write_bytes(image)
    edition = planet(Podcast(cover=file))

    documents = written(edition, cover="cover.png")

    assert documents[f"podcast/{name}"] == documents[f"lists/road/{name}"] == image
    assert covers(edition, "cover.png") == {
        "podcast.xml": f"https://planet.example/podcast/{name}",
        "source/one/podcast.xml": SHOW.image,
        "tag/t/podcast.xml": f"https://planet.example/podcast/{name}",
        "lists/road/podcast.xml": f"https://planet.example/lists/road/{name}",
    }


def test_another_picture_in_the_same_file_is_published_and_touches_no_feed(tmp_path: Path) -> None:
    file = tmp_path / "cover.png"

    def prints(image: bytes) -> dict[str, str]:
        file.write_bytes(image)
        edition = planet(Podcast(cover=file))
        made = feed_files(edition, pages=Pages(), contents=Texts(), cover=None)
        return {each.path: each.fingerprint for each in made}

    before, after = prints(PNG), prints(PNG + b"!")

    changed = {path for path in after if after[path] != before[path]}
    assert changed == {"podcast/cover.png", "lists/road/cover.png"}


def test_without_an_address_of_the_site_a_cover_is_published_and_a_shows_is_named(
    tmp_path: Path,
) -> None:
    file = tmp_path / "cover.png"
    file.write_bytes(PNG)
    edition = planet(Podcast(cover=file), link=None)

    assert written(edition)["podcast/cover.png"] == PNG
    assert set(covers(edition, "cover.png").values()) == {SHOW.image}


def test_a_source_without_an_image_has_the_themes_cover() -> None:
    edition = make_edition(make_post(make_entry(enclosures=(MP3,))))

    assert covers(edition, "cover.png")["source/one/podcast.xml"] == THEME


def test_the_feeds_of_a_planet_have_its_icon_and_its_cover() -> None:
    edition, pages = make_edition(make_post()), Pages()

    made = feed_files(edition, pages=pages, contents=Texts(), cover="cover.png", icon="icon.png")

    documents = {file.path: file.make() for file in made}
    site, feed = "https://planet.example/", ET.fromstring(documents["atom.xml"])
    assert [feed.findtext(f"{ATOM}{name}") for name in ("icon", "logo")] == [
        f"{site}icon.png",
        f"{site}cover.png",
    ]
    json_feed = json.loads(documents["feed.json"])
    assert [json_feed[name] for name in ("icon", "favicon")] == [f"{site}icon.png"] * 2
    assert not problems(documents)
