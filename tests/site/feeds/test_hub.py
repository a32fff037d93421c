"""WebSub: each feed that can be told of names the hub that hears of its changes."""

import json
from xml.etree import ElementTree as ET

from msgspec.structs import replace

from planet.model import Edition, Pages
from tests.cases import case, cases
from tests.site.feeds.make import written
from tests.site.feeds.sample import RICH

HUB = "https://hub.example/"
LINK = "{http://www.w3.org/2005/Atom}link"


def hubs(edition: Edition) -> dict[str, list[str | None]]:
    """The hubs that each feed names, by path."""
    documents = written(edition, pages=Pages(feed=6))
    found: dict[str, list[str | None]] = {}
    for path, document in documents.items():
        if path.endswith("feed.json"):
            said = json.loads(document).get("hubs", [])
            found[path] = [hub["url"] for hub in said if hub["type"] == "WebSub"]
        elif path.endswith(("atom.xml", "podcast.xml", "digest.xml")):
            links = ET.fromstring(document).iter(LINK)
            found[path] = [link.get("href") for link in links if link.get("rel") == "hub"]
    return found


@cases(
    "edition, expected",
    case("once", RICH, [HUB]),
    case("never, where there is none", replace(RICH, hub=None), []),
    case("never, without an address to tell of", replace(RICH, link=None), []),
)
def test_every_feed_names_the_hub_once_where_there_is_one(
    edition: Edition, expected: list[str]
) -> None:
    found = hubs(edition)

    assert found == dict.fromkeys(found, expected)
