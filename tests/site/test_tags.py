"""The pages of tags, and the ways to them."""

from planet.model import Pages, Tag
from tests.site.editions import (
    drawn,
    hours_before,
    make_audio,
    make_edition,
    make_post,
    make_source,
)
from tests.site.html import Document

SEA = Tag(name="The sea", slug="the-sea")
FERRY = make_source("ferry", tags=("The sea",))
PORT = make_source("port", tags=("The sea", "Trade"))
INLAND = make_source("inland")
EDITION = make_edition(
    make_post(1, FERRY, enclosures=(make_audio(),)),
    make_post(2, PORT, when=hours_before(1)),
    make_post(3, INLAND, when=hours_before(2)),
    make_post(4, FERRY, when=hours_before(30)),
    tags=(SEA, Tag(name="Trade", slug="trade")),
)


def test_a_tag_has_the_newest_posts_of_its_sources_by_day() -> None:
    site = drawn(EDITION)

    page = Document(site["tag/the-sea/index.html"])
    assert page.texts("h1", "h2", "h3") == [
        "The sea",
        "Friday 20 November 2026",
        "Post 1",
        "Post 2",
        "Thursday 19 November 2026",
        "Post 4",
    ]
    assert Document(site["tag/trade/index.html"]).texts("h3") == ["Post 2"]


def test_a_tag_has_as_many_posts_as_its_feeds() -> None:
    page = Document(drawn(EDITION, pages=Pages(feed=2))["tag/the-sea/index.html"])

    assert page.texts("h3") == ["Post 1", "Post 2"]


def test_a_tag_names_its_sources_and_its_feeds() -> None:
    site = drawn(EDITION)

    page = Document(site["tag/the-sea/index.html"])
    (sources,) = page.texts("p", class_="tags")
    assert sources == "Sources: Ferry Port"
    links = [*page.all("link", rel="alternate"), *page.all("link", rel="blogroll")]
    assert [(link["title"], link["href"]) for link in links] == [
        ("Planet Example: The sea – Atom feed", "../../tag/the-sea/atom.xml"),
        ("Planet Example: The sea – JSON feed", "../../tag/the-sea/feed.json"),
        ("Planet Example: The sea – Podcast feed", "../../tag/the-sea/podcast.xml"),
        ("Planet Example: The sea – List of sources (OPML)", "../../tag/the-sea/opml.xml"),
    ]
    assert b"podcast.xml" not in site["tag/trade/index.html"]


def test_sources_and_their_list_lead_to_tags() -> None:
    site = drawn(EDITION)

    assert Document(site["source/port/index.html"]).texts("p", class_="tags") == [
        "Tags: The sea Trade"
    ]
    assert Document(site["source/inland/index.html"]).texts("p", class_="tags") == []
    assert Document(site["sources/index.html"]).texts("p", class_="tags") == ["Tags: The sea Trade"]
