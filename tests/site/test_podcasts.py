"""The pages of podcast feeds: the planet's own, and each list's."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from planet.model import ContentMode, Edition, Enclosure, Images, Pages, PickList, Podcast, Source
from planet.site.feeds import feed_files
from tests.cases import case, cases
from tests.site.editions import (
    NOON,
    drawn,
    hours_before,
    make_audio,
    make_edition,
    make_picked,
    make_post,
    make_source,
)
from tests.site.html import Document

ONE = make_source("one")
GONE = Source(key="gone", slug="", url="", title="Gone", link="https://gone.example/")
ROAD = PickList(
    name="road-trips",
    podcast=Podcast(title="For the road", description="Long ones"),
    posts=(make_picked(1, ONE, name="road-trips"),),
)


def test_a_planet_with_nothing_to_play_has_no_podcast() -> None:
    site = drawn(make_edition(make_post()))

    assert "podcast/index.html" not in site
    assert Document(site["index.html"]).texts("li") == ["Sources", "Archive", "Subscribe"]


def test_a_planet_with_an_episode_has_a_podcast_in_its_navigation() -> None:
    site = drawn(make_edition(make_post(enclosures=(make_audio(),))))

    front = Document(site["index.html"])
    assert front.texts("li") == ["Sources", "Archive", "Podcast", "Subscribe"]
    (here,) = Document(site["podcast/index.html"]).all("a", aria_current="page")
    assert here["href"] == "../podcast/index.html"


def test_the_page_of_a_podcast_has_the_episodes_of_its_feed() -> None:
    both = (Enclosure(url="https://one.example/x.pdf"), make_audio(3), make_audio(4))
    edition = make_edition(
        make_post(1, enclosures=(make_audio(1),)),
        make_post(2, enclosures=(make_audio(1),), when=hours_before(1)),
        make_post(3, enclosures=both, when=hours_before(2)),
        make_post(4, when=hours_before(3)),
        make_post(5, enclosures=(make_audio(5),), when=hours_before(4)),
        make_post(6, enclosures=(make_audio(6),), when=hours_before(5)),
    )

    page = Document(drawn(edition, pages=Pages(feed=3))["podcast/index.html"])

    assert [player["src"] for player in page.all("audio")] == [
        enclosure.url for enclosure in (make_audio(1), make_audio(3), make_audio(5))
    ]
    assert [player["src"] for player in page.all("audio")] == _played(edition, Pages(feed=3))
    assert page.texts("h3") == ["Post 1", "Post 3", "Post 5"]


def _played(edition: Edition, pages: Pages) -> list[str]:
    """The addresses of the files in `podcast.xml`, as `planet.feeds` makes it."""
    made = feed_files(edition, pages=pages, contents=lambda numbers: {}, cover=None)
    document = next(file for file in made if file.path == "podcast.xml").make()
    return [item.attrib["url"] for item in ET.fromstring(document).iter("enclosure")]


def test_an_episode_says_its_show_and_when_it_was_picked_and_why() -> None:
    edition = make_edition(
        make_picked(1, ONE, note="About ice.\nListen.", published=datetime(2020, 1, 2, tzinfo=UTC)),
        make_picked(2, GONE, when=hours_before(24)),
        make_post(3, ONE, enclosures=(make_audio(3),), when=hours_before(48)),
        sources=[ONE],
    )

    page = Document(drawn(edition)["podcast/index.html"])

    assert page.texts("p", class_="from") == [
        "O One Picked 20 November 2026 First published 2 January 2020",
        "G Gone Picked 19 November 2026",
        "O One 18 November 2026",
    ]
    assert page.texts("p", class_="why") == ["About ice. Listen."]


@cases(
    "source, href",
    case("a source", ONE, "../source/one/index.html"),
    case("a show that is no source", GONE, "https://gone.example/"),
    case("a show without a page", replace(GONE, link=None), None),
)
def test_the_show_of_an_episode_links_to_its_page_here_or_to_its_own(
    source: Source, href: str | None
) -> None:
    edition = make_edition(make_picked(1, source), sources=[])

    page = Document(drawn(edition)["podcast/index.html"])

    links = [link["href"] for link in page.all("a") if link.text == source.title]
    assert links == ([href] if href else [])


def test_two_shows_under_one_key_keep_their_names() -> None:
    renamed = replace(GONE, title="Gone, too")
    edition = make_edition(
        make_picked(1, GONE), make_picked(2, renamed, when=hours_before(30)), sources=[]
    )

    page = Document(drawn(edition)["podcast/index.html"])

    assert [text.split(" Picked")[0] for text in page.texts("p", class_="from")] == [
        "G Gone",
        "GT Gone, too",
    ]


def test_an_episode_can_be_played_though_its_source_shows_titles_only() -> None:
    quiet = make_source(content=ContentMode.TITLE)
    edition = make_edition(make_post(1, quiet, summary="Words", enclosures=(make_audio(),)))

    page = Document(drawn(edition)["podcast/index.html"])

    assert (len(page.all("audio")), page.texts("p", class_="excerpt")) == (1, [])


@cases(
    "podcast, expected",
    case("nothing said", Podcast(), ("Podcast", [])),
    case("all said", Podcast(title="Heard", description="All"), ("Heard", ["All"])),
)
def test_a_podcast_is_called_as_the_operator_says(
    podcast: Podcast, expected: tuple[str, list[str]]
) -> None:
    edition = make_edition(
        make_post(enclosures=(make_audio(),)), podcast=podcast, link="https://planet.example/"
    )

    page = Document(drawn(edition)["podcast/index.html"])

    said = page.texts("p", class_="lead")
    assert (page.texts("h1")[0], said[:-1]) == expected
    assert page.texts("code") == ["https://planet.example/podcast.xml"]
    assert [(link["type"], link["href"]) for link in page.all("link", rel="alternate")] == [
        ("application/rss+xml", "../podcast.xml")
    ]


def test_a_list_has_a_page_of_its_own() -> None:
    site = drawn(make_edition(make_post(9, ONE), lists=(ROAD,), link="https://planet.example/"))

    page = Document(site["lists/road-trips/index.html"])
    assert page.texts("h1", "h3") == ["For the road", "Post -1"]
    assert page.texts("code") == ["https://planet.example/lists/road-trips/podcast.xml"]
    assert [link["href"] for link in page.all("link", rel="alternate")] == [
        "../../lists/road-trips/podcast.xml",
        "../../lists/road-trips/atom.xml",
    ]
    assert Document(site["index.html"]).texts("h3") == ["Post 9"]


def test_a_list_with_nothing_on_it_has_its_page() -> None:
    site = drawn(make_edition(lists=(PickList(name="empty", podcast=Podcast()),)))

    page = Document(site["lists/empty/index.html"])
    assert page.texts("h1") == ["empty"]
    assert page.texts("p", class_="lead")[-1] == "There are no episodes yet."


def test_the_subscribe_page_names_each_list_and_leads_to_it() -> None:
    bare = PickList(name="shorts", podcast=Podcast())

    page = Document(drawn(make_edition(lists=(ROAD, bare)))["subscribe/index.html"])

    assert page.texts("li")[-2:] == [
        "For the road Long ones Look inside For the road",
        "shorts episodes only, for podcast apps Look inside shorts",
    ]
    assert [link["href"] for link in page.all("a", class_="look")] == [
        "../lists/road-trips/index.html",
        "../lists/shorts/index.html",
    ]


@cases(
    "image, shown",
    case("PNG", b"\x89PNG and more", "../../lists/road-trips/cover.png"),
    case("JPEG", b"\xff\xd8\xff and more", "../../lists/road-trips/cover.jpg"),
)
def test_a_list_shows_the_cover_it_brings_where_it_is_published(
    image: bytes, shown: str, tmp_path: Path
) -> None:
    cover = tmp_path / "cover"
    cover.write_bytes(image)
    edition = make_edition(lists=(replace(ROAD, podcast=Podcast(cover=cover)),))

    page = Document(drawn(edition)["lists/road-trips/index.html"])

    files = feed_files(edition, pages=Pages(), contents=lambda numbers: {}, cover=None)
    published = {file.path for file in files}
    assert [image["src"] for image in page.all("img")] == [shown]
    assert shown.removeprefix("../../") in published


@cases(
    "images, shown",
    case("images are shown", Images.LAZY, "https://covers.example/1.jpg"),
    case("images are linked", Images.LINKED, "../../cover.png"),
    case("images are left out", Images.NONE, "../../cover.png"),
)
def test_a_cover_on_another_host_is_shown_as_images_of_posts_are(
    images: Images, shown: str
) -> None:
    cover = Podcast(cover="https://covers.example/1.jpg")
    edition = make_edition(lists=(replace(ROAD, podcast=cover),))

    site = drawn(edition, pages=Pages(images=images))

    page = Document(site["lists/road-trips/index.html"])
    assert [image["src"] for image in page.all("img")] == [shown]


def test_a_picked_episode_on_the_front_page_says_that_it_was_picked() -> None:
    edition = make_edition(make_picked(1, ONE, note="Why not", when=NOON))

    page = Document(drawn(edition)["index.html"])

    assert page.texts("p", class_="from") == ["O One Picked 12:00"]
    assert page.texts("p", class_="why") == ["Why not"]
