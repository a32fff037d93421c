"""The subscription list, read as feed readers read it."""

from xml.etree import ElementTree as ET

from planet.model import Edition
from tests.cases import case, cases
from tests.site.feeds.make import make_edition, make_source, written
from tests.site.feeds.sample import EDITION


def subscriptions(edition: Edition) -> list[tuple[str | None, str | None, str | None]]:
    """What a reader would subscribe to: every outline at any depth that has an xmlUrl."""
    root = ET.fromstring(written(edition)["opml.xml"])
    assert (root.tag, root.get("version")) == ("opml", "2.0")
    assert [child.tag for child in root] == ["head", "body"]
    return [
        (outline.get("text"), outline.get("xmlUrl"), outline.get("htmlUrl"))
        for outline in root.iter("outline")
        if outline.get("type") == "rss" and outline.get("title") == outline.get("text")
    ]


def test_every_source_is_listed_with_its_own_feed_and_page() -> None:
    assert subscriptions(EDITION) == [
        ("A Blog", "https://blog.example/feed", "https://blog.example/"),
        ("Short", "https://short.example/feed", "https://short.example/"),
        ("Terse", "https://terse.example/feed", "https://terse.example/"),
        ("The Show", "https://show.example/feed", "https://show.example/"),
    ]


@cases(
    "link, expected",
    case(
        "published",
        "https://planet.example/",
        [("One", "https://planet.example/source/one/atom.xml", "https://one.example/")],
    ),
    case("not published", None, []),
)
def test_a_source_with_an_address_of_its_own_is_listed_only_with_ours(
    link: str | None, expected: list[tuple[str, str, str]]
) -> None:
    private = make_source(url="file:///feed.xml")

    assert subscriptions(make_edition(link=link, sources=(private,))) == expected


def test_tags_are_categories() -> None:
    source = make_source(tags=("one, two", "three"), description='"Quoted" <b>')

    root = ET.fromstring(written(make_edition(sources=(source,)))["opml.xml"])

    [outline] = root.iter("outline")
    assert outline.get("category") == "one  two,three"
    assert outline.get("description") == '"Quoted" <b>'


def test_the_list_says_whose_it_is_without_a_mail_address() -> None:
    head = ET.fromstring(written(EDITION)["opml.xml"]).find("head")

    assert head is not None
    assert [(child.tag, child.text) for child in head] == [
        ("title", "Planet Test"),
        ("ownerName", "Olga"),
        ("ownerId", "https://olga.example/"),
    ]
