"""Editions in which everything occurs, against documents that were read through by eye."""

from pathlib import Path

import pytest

from planet import __version__
from planet.model import Pages
from tests.site.feeds.make import written
from tests.site.feeds.sample import EDITION, RICH, RICH_TEXTS, TEXTS

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("path", ["atom.xml", "feed.json", "podcast.xml", "opml.xml"])
def test_an_edition_with_everything_gives_exactly_this(path: str) -> None:
    expected = (GOLDEN / path).read_text(encoding="utf-8")

    document = written(EDITION, TEXTS)[path].decode()

    assert document.replace(__version__, "VERSION") == expected


@pytest.mark.parametrize(
    "path",
    [
        "atom.xml",
        "feed.json",
        "podcast.xml",
        "rss.xml",
        "lists/road-trips/podcast.xml",
        "lists/empty/podcast.xml",
        "tag/talk/opml.xml",
        "digest.xml",
    ],
)
def test_picks_lists_tags_and_digests_give_exactly_this(path: str) -> None:
    expected = (GOLDEN / "rich" / path).read_text(encoding="utf-8")

    document = written(RICH, RICH_TEXTS, Pages(feed=6, rss=True), cover="cover.png")[path].decode()

    assert document.replace(__version__, "VERSION") == expected
