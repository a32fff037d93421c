"""The history of the planet's feed: whoever follows it meets every post there ever was."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree as ET
from zoneinfo import ZoneInfo

import feedparser  # type: ignore[import-untyped]  # it ships no types
from hypothesis import given
from hypothesis import strategies as st

from planet.model import Edition, Pages, Post
from planet.site.feeds import feeds
from tests.cases import case, cases
from tests.properties.hostile import calm
from tests.site.feeds.checks import problems
from tests.site.feeds.make import Texts, make_edition, make_entry, make_post, written
from tests.site.feeds.rfc4287 import ATOM

SITE = "https://planet.example/"
START = datetime(2026, 1, 31, 22, tzinfo=UTC)
PAGES = Pages(feed=3)
# In summer the day begins two hours before that of UTC.
BERLIN = ZoneInfo("Europe/Berlin")

histories = st.lists(st.integers(0, 24 * 200), max_size=25, unique=True)
"""Hours after the start at which something is posted."""


def history(hours: Sequence[int]) -> Edition:
    """A planet in which each post is named after the hour."""
    posts = [posted(hour) for hour in sorted(hours, reverse=True)]
    return make_edition(*posts, link=SITE, timezone=BERLIN)


def posted(hour: int) -> Post:
    when = START + timedelta(hours=hour)
    post = make_post(make_entry(hour, when=when))
    return replace(post, day=when.astimezone(BERLIN).date())


def walked(documents: Mapping[str, bytes]) -> list[list[str]]:
    """The ids in each document, from the feed along its archives to the first."""
    chain = []
    address = f"{SITE}atom.xml"
    while address:
        # A document that the chain comes to twice is not there any more.
        parsed = feedparser.parse(io.BytesIO(documents[address.removeprefix(SITE)]))
        assert not parsed.bozo
        chain.append([entry.id for entry in parsed.entries])
        links = {link.rel: link.href for link in parsed.feed.links}
        assert links["self"] == address
        assert links.get("current", f"{SITE}atom.xml") == f"{SITE}atom.xml"
        address = links.get("prev-archive", "")
    return chain


@calm
@given(histories)
def test_the_chain_leads_from_the_feed_to_the_first_post(hours: list[int]) -> None:
    edition = history(hours)
    documents = written(edition, pages=PAGES)

    chain = walked(documents)

    assert {uid for ids in chain for uid in ids} == {post.uid for post in edition.timeline.posts()}
    assert problems({path: documents[path] for path in documents if "atom.xml" in path}) == {}


@calm
@given(histories)
def test_archives_lead_forwards_as_they_lead_backwards(hours: list[int]) -> None:
    documents = written(history(hours), pages=PAGES)
    archives = [path for path in documents if path.startswith("2026/")]

    newer = {path: linked(documents[path], "next-archive") for path in archives}
    older = {path: linked(documents[path], "prev-archive") for path in ["atom.xml", *archives]}

    backwards = {f"{SITE}{path}": address for path, address in newer.items() if address}
    assert backwards == {
        address: f"{SITE}{path}" for path, address in older.items() if address and path in archives
    }


@calm
@given(histories, st.integers(24 * 200, 24 * 300))
def test_a_new_post_leaves_the_archives_of_other_months_as_they_are(
    hours: list[int], later: int
) -> None:
    month = f"{posted(later).day:%Y/%m}/atom.xml"
    before, after = prints(history(hours)), prints(history([*hours, later]))

    # The one that was the newest links to one that has come after it.
    relinked = {max(before)} if before and max(after) > max(before) else set()
    untouched = before.keys() - {month} - relinked
    assert {path: after[path] for path in untouched} == {path: before[path] for path in untouched}


def prints(edition: Edition) -> dict[str, str]:
    """The fingerprints of archives, by path."""
    made = feeds(edition, pages=PAGES, contents=Texts(), cover=None)
    return {file.path: file.fingerprint for file in made if file.path.startswith("20")}


def linked(document: bytes, relation: str) -> str | None:
    links = ET.fromstring(document).findall(f"{ATOM}link")
    return next((link.get("href") for link in links if link.get("rel") == relation), None)


@cases(
    "hours, expected",
    case("nothing", [], [[]]),
    case("all of it in the feed", [1, 2, 3], [[3, 2, 1]]),
    case("a month that is over", [0, 2, 3, 4], [[4, 3, 2], [0]]),
    case("the feed ends in a month", [1, 2, 3, 4], [[4, 3, 2], [4, 3, 2, 1]]),
    case(
        "months without posts are left out",
        [0, 1, 2000, 2001, 2002, 5000],
        [[5000, 2002, 2001], [2002, 2001, 2000], [1], [0]],
    ),
)
def test_an_archive_has_all_posts_of_a_month_that_has_posts_beyond_the_feed(
    hours: list[int], expected: list[list[int]]
) -> None:
    chain = walked(written(history(hours), pages=PAGES))

    assert chain == [[f"https://one.example/{hour}" for hour in each] for each in expected]


def test_a_month_is_that_of_the_planets_zone() -> None:
    documents = written(history([0, 1, 2, 3, 4]), pages=PAGES)

    # 31 January, 22:00 in UTC is 23:00 in Berlin; an hour later the month is over there.
    assert [path for path in documents if path.startswith("20")] == [
        "2026/02/atom.xml",
        "2026/01/atom.xml",
    ]


def test_a_planet_without_an_address_has_no_archives() -> None:
    edition = replace(history([1, 2, 3, 4]), link=None)

    documents = written(edition, pages=PAGES)

    assert sorted(path for path in documents if path.endswith("atom.xml")) == [
        "atom.xml",
        "source/one/atom.xml",
    ]
    assert linked(documents["atom.xml"], "prev-archive") is None


def test_an_archive_says_that_it_is_one_and_has_no_hub() -> None:
    edition = replace(history([1, 2, 3, 4]), hub="https://hub.example/")

    archive = ET.fromstring(written(edition, pages=PAGES)["2026/02/atom.xml"])

    assert len(archive.findall("{http://purl.org/syndication/history/1.0}archive")) == 1
    assert [link.get("rel") for link in archive.findall(f"{ATOM}link")] == [
        "self",
        "current",
        "alternate",
    ]
    assert archive.findtext(f"{ATOM}id") == "https://planet.example/atom.xml"
