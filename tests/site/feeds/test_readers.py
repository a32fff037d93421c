"""What comes out, read by programs of others: a podcast client's parser and an OPML reader."""

import io
from typing import Any

import listparser
import podcastparser  # type: ignore[import-untyped]  # it ships no types

from planet import __version__
from planet.model import Pages
from tests.cases import case, cases
from tests.site.feeds.make import written
from tests.site.feeds.sample import RICH, RICH_TEXTS

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


def test_a_list_is_what_a_podcast_client_reads() -> None:
    assert podcast("lists/road-trips/podcast.xml") == {
        **PLANET,
        "title": "For long roads",
        "description": "All of it",
        "link": "https://planet.example/lists/road-trips/",
        "cover_url": "https://planet.example/cover.png",
        "itunes_categories": [["Society & Culture", "Places & Travel"]],
        "explicit": False,
        "episodes": [
            SEVENTH,
            {
                "title": "The Show: Eight",
                "guid": "urn:uuid:9f6b6fb0-7d5c-4cf7-b7f6-0c6c1f2ad002",
                "link": "",
                "published": 1795089600,
                "total_time": 90,
                "explicit": False,
                "episode_art_url": "https://show.example/cover.jpg",
                "itunes_author": "The Show",
                "payment_url": None,
                "enclosures": [
                    {
                        "url": "https://show.example/8.mp4",
                        # Which is what it makes of 0: not known.
                        "file_size": -1,
                        "mime_type": "video/mp4",
                    }
                ],
                "description": "Published 31 December 2023",
                "description_html": "<p><em>Published 31 December 2023</em></p>",
            },
        ],
    }


def test_a_podcast_without_episodes_is_one_still() -> None:
    assert podcast("lists/empty/podcast.xml") == {
        **PLANET,
        "title": "empty",
        "description": "All of it",
        "link": "https://planet.example/lists/empty/",
        "cover_url": "https://planet.example/cover.png",
        "itunes_categories": [["News"]],
        "explicit": False,
        "episodes": [],
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
