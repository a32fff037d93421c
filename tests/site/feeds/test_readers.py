"""What comes out, read by programs of others, and compared with golden files."""

import io
from pathlib import Path
from typing import Any

import listparser
import podcastparser  # type: ignore[import-untyped]  # it ships no types
import pytest

from planet import __version__
from planet.model import Pages
from tests.cases import case, cases
from tests.site.feeds.make import written
from tests.site.feeds.sample import EDITION, RICH, RICH_TEXTS, TEXTS

DOCUMENTS = written(RICH, RICH_TEXTS, Pages(feed=6), cover="cover.png")


SEVENTH = {
    "title": "Gone Show: The seventh",
    "guid": "https://gone.example/7",
    "link": "https://gone.example/7",
    "published": 1795176000,
    "total_time": 0,
    "itunes_author": "Gone Show",
    "payment_url": None,
    "enclosures": [
        {"url": "https://gone.example/7.m4a", "file_size": 7000, "mime_type": "audio/x-m4a"}
    ],
    "description": "Listen to the end,\nit is <worth> it.\n\nPublished 3 May 2024\n\nAll of seven",
    "description_html": "<p>Listen to the end,<br>it is &lt;worth&gt; it.</p>"
    "<p><em>Published 3 May 2024</em></p><p>All of seven</p>",
}
PLANET = {"generator": f"Planet {__version__}", "itunes_author": "Olga", "language": "en"}


def podcast(path: str) -> dict[str, Any]:
    parsed: dict[str, Any] = podcastparser.parse(
        f"https://planet.example/{path}", io.BytesIO(DOCUMENTS[path])
    )
    return parsed


def test_the_planets_podcast_is_what_a_podcast_client_reads() -> None:
    assert podcast("podcast.xml") == {
        **PLANET,
        "title": "Heard on Planet Test",
        "description": "Episodes worth an hour.",
        "link": "https://planet.example/podcast/",
        "cover_url": "https://planet.example/own.jpg",
        "itunes_categories": [["Arts", "Books"]],
        "explicit": True,
        "episodes": [
            SEVENTH,
            {
                "title": "The Show: Pilot <one>",
                "guid": "https://show.example/?e=1&x=2",
                "link": "https://show.example/1",
                "published": 1795172400,
                "total_time": 1800,
                "number": 1,
                "season": 2,
                "type": "trailer",
                "explicit": True,
                "episode_art_url": "https://show.example/1.jpg",
                "itunes_author": "The Show",
                "payment_url": None,
                "enclosures": [
                    {
                        "url": "https://cdn.example/1.mp3?a=1&b=2",
                        "file_size": 12345678,
                        "mime_type": "audio/mpeg",
                    }
                ],
                "description": "We begin here & end ]]> x",
                "description_html": RICH_TEXTS[1],
            },
        ],
    }


@cases(
    "path, title, expected",
    case(
        "the planet's",
        "opml.xml",
        "Planet Test",
        [
            ("A Blog", "https://blog.example/feed", []),
            ("Short", "https://short.example/feed", []),
            ("Terse", "https://terse.example/feed", []),
            ("The Show", "https://show.example/feed", ["Talk", "Radio"]),
        ],
    ),
    case(
        "a tag's",
        "tag/talk/opml.xml",
        "Planet Test: Talk",
        [("The Show", "https://show.example/feed", ["Talk", "Radio"])],
    ),
)
def test_a_subscription_list_is_what_an_opml_reader_reads(
    path: str, title: str, expected: list[tuple[str, str, list[str]]]
) -> None:
    found = listparser.parse(DOCUMENTS[path])

    assert (found.bozo, found.version, found.meta.title) == (False, "opml2", title)
    assert (found.meta.author.name, found.meta.author.url) == ("Olga", "https://olga.example/")
    assert [(feed.title, feed.url, feed.tags) for feed in found.feeds] == expected


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
        "lists/road-trips/podcast.xml",
        "lists/empty/podcast.xml",
        "tag/talk/opml.xml",
        "digest.xml",
    ],
)
def test_picks_lists_tags_and_digests_give_exactly_this(path: str) -> None:
    expected = (GOLDEN / "rich" / path).read_text(encoding="utf-8")

    document = written(RICH, RICH_TEXTS, Pages(feed=6), cover="cover.png")[path].decode()

    assert document.replace(__version__, "VERSION") == expected
