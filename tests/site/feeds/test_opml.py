"""The subscription list, read as feed readers read it."""

from xml.etree import ElementTree as ET

from tests.cases import case, cases
from tests.site.feeds.make import make_edition, make_source, written


@cases(
    "link, expected",
    case(
        "published",
        "https://planet.example/",
        [("One", "https://planet.example/source/one/atom.xml")],
    ),
    case("not published", None, []),
)
def test_a_source_with_an_address_of_its_own_is_listed_only_with_ours(
    link: str | None, expected: list[tuple[str, str]]
) -> None:
    private = make_source(url="file:///feed.xml")

    root = ET.fromstring(written(make_edition(link=link, sources=(private,)))["opml.xml"])

    assert [(each.get("text"), each.get("xmlUrl")) for each in root.iter("outline")] == expected


def test_tags_are_categories() -> None:
    source = make_source(tags=("one, two", "three"), description='"Quoted" <b>')

    root = ET.fromstring(written(make_edition(sources=(source,)))["opml.xml"])

    [outline] = root.iter("outline")
    assert outline.get("category") == "one  two,three"
    assert outline.get("description") == '"Quoted" <b>'
