"""Podcast RSS as players need it, with its cover, and picked episodes in all feeds."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from msgspec.structs import replace

from planet.model import (
    ContentMode,
    Edition,
    Enclosure,
    Episode,
    Pages,
    Podcast,
    Post,
    Tag,
)
from planet.site.feeds import feed_files
from tests.cases import case, cases
from tests.site.feeds.make import (
    ATOM,
    CONTENT,
    ITUNES,
    MP3,
    NOON,
    TEXTS,
    Texts,
    make_edition,
    make_picked,
    make_post,
    make_source,
    problems,
    written,
)


def channel(edition: Edition, path: str = "podcast.xml") -> ET.Element:
    found = ET.fromstring(written(edition, TEXTS)[path]).find("channel")
    assert found is not None
    return found


def spoken(number: int = 1, *, source: dict[str, Any] | None = None, **changes: Any) -> Post:
    """A post with an episode."""
    changes.setdefault("enclosures", (Enclosure(url=f"https://one.example/{number}.mp3"),))
    return make_post(number, make_source(**(source or {})), **changes)


@cases(
    "enclosures, expected",
    case("audio", [MP3], (MP3.url, "1234", "audio/mpeg")),
    case(
        "parameters, no length",
        [Enclosure(url="https://a.example/x", media_type="Video/MP4; codecs=avc1")],
        ("https://a.example/x", "0", "video/mp4"),
    ),
    case(
        "no type",
        [Enclosure(url="https://a.example/x.OPUS?a=1&b=.pdf#.txt", length=0)],
        ("https://a.example/x.OPUS?a=1&b=.pdf#.txt", "0", "audio/ogg"),
    ),
    case(
        "first of several",
        [Enclosure(url="https://a.example/x.pdf"), MP3, Enclosure(url="https://a.example/y.mp3")],
        (MP3.url, "1234", "audio/mpeg"),
    ),
)
def test_an_episode_has_one_enclosure_with_address_length_and_type(
    enclosures: list[Enclosure], expected: tuple[str, str, str]
) -> None:
    post = spoken(enclosures=tuple(enclosures))

    [found] = channel(make_edition(post)).findall("item/enclosure")

    assert (found.get("url"), found.get("length"), found.get("type")) == expected


@cases(
    "enclosure",
    case("by extension", Enclosure(url="https://a.example/x.pdf")),
    case("by type", Enclosure(url="https://a.example/x.mp3", media_type="image/png")),
)
def test_without_sound_there_is_no_podcast(enclosure: Enclosure) -> None:
    documents = written(make_edition(spoken(enclosures=(enclosure,))))

    assert [path for path in documents if path.endswith("podcast.xml")] == []


def test_an_episode_that_two_posts_carry_is_there_once() -> None:
    posts = (spoken(1, enclosures=(MP3,)), spoken(2, enclosures=(MP3,)), spoken(3))

    found = channel(make_edition(*posts)).findall("item/guid")

    assert [(guid.text, guid.get("isPermaLink")) for guid in found] == [
        ("https://one.example/1", "false"),
        ("https://one.example/3", "false"),
    ]


def test_the_show_is_named_where_several_shows_meet_and_only_there() -> None:
    edition = make_edition(spoken(source={"author": "Ann"}))

    def said(path: str) -> list[str | None]:
        item = channel(edition, path)
        names = ("title", f"{ITUNES}title", f"{ITUNES}author", "source")
        return [item.findtext(f"item/{name}") for name in names]

    assert said("podcast.xml") == ["One: Title 1", "One: Title 1", "One", "One"]
    assert said("source/one/podcast.xml") == ["Title 1", "Title 1", "Ann", None]


@cases(
    "show, episode, expected",
    case("nothing said", None, None, ("false", None)),
    case("episode against its show", True, False, ("false", "false")),
)
def test_a_podcast_is_explicit_when_any_of_its_episodes_is(
    show: bool | None, episode: bool | None, expected: tuple[str, str | None]
) -> None:
    found = channel(
        make_edition(spoken(source={"explicit": show}, episode=Episode(explicit=episode)))
    )

    assert (
        found.findtext(f"{ITUNES}explicit"),
        found.findtext(f"item/{ITUNES}explicit"),
    ) == expected


PNG, JPEG = b"\x89PNG\r\n\x1a\n rest", b"\xff\xd8\xff rest"
SHOW = make_source(image="https://one.example/show.png", tags=("T",))


def planet(podcast: Podcast, *, link: str | None = "https://planet.example/") -> Edition:
    """A planet with one episode, which is in each of its podcasts."""
    post = make_post(1, SHOW, enclosures=(MP3,))
    return make_edition(
        post,
        link=link,
        podcast=podcast,
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
    case("an address, to the letter", OWN, "cover.png", (OWN, OWN)),
    case("the theme's", None, "cover.png", (THEME, THEME)),
    case("a show's", None, None, (SHOW.image,) * 2),
)
def test_the_operators_cover_goes_before_the_themes_and_that_before_a_shows(
    said: str | None, theme: str | None, expected: tuple[str, str]
) -> None:
    found = covers(planet(Podcast(cover=said)), theme)

    own, tag = expected
    assert found == {
        "podcast.xml": own,
        "source/one/podcast.xml": SHOW.image,
        "tag/t/podcast.xml": tag,
    }


@cases("image, name", case("PNG", PNG, "cover.png"), case("JPEG", JPEG, "cover.jpg"))
def test_a_file_is_published_beside_the_page_of_its_podcast(
    tmp_path: Path, image: bytes, name: str
) -> None:
    file = tmp_path / "any.name"
    file.write_bytes(image)
    edition = planet(Podcast(cover=file))

    documents = written(edition, cover="cover.png")

    assert documents[f"podcast/{name}"] == image
    assert covers(edition, "cover.png") == {
        "podcast.xml": f"https://planet.example/podcast/{name}",
        "source/one/podcast.xml": SHOW.image,
        "tag/t/podcast.xml": f"https://planet.example/podcast/{name}",
    }


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


# Picked episodes in the feeds: filed when they were picked, with what is said of the pick

MAY = datetime(2024, 5, 3, 23, 59, tzinfo=UTC)
GONE = make_source("gone", slug="", link=None, has_feeds=False)


def picked(note: str | None = None, *, source: dict[str, Any] | None = None, **entry: Any) -> Post:
    said = {"published": MAY, "when": NOON, "summary": "S", "enclosures": (MP3,)} | entry
    return make_picked(1, replace(GONE, **(source or {})), note=note, **said)


def notes(post: Post, text: str | None = None) -> dict[str, str | None]:
    """What stands in the show notes, by where they are."""
    documents = written(make_edition(post, sources=()), {-1: text} if text else {})
    entry = ET.fromstring(documents["atom.xml"]).find(f"{ATOM}entry")
    item = ET.fromstring(documents["podcast.xml"]).find("channel/item")
    assert entry is not None
    assert item is not None
    return {
        "atom": entry.findtext(f"{ATOM}content"),
        "json": json.loads(documents["feed.json"])["items"][0].get("content_html"),
        "rss": item.findtext(f"{CONTENT}encoded"),
        "description": item.findtext("description"),
    }


DAY = "<p><em>Published 3 May 2024</em></p>"


@cases(
    "post, text, full, description",
    case(
        "note, date, text",
        picked("Why <not>?"),
        "<p>T</p>",
        f"<p>Why &lt;not&gt;?</p>{DAY}<p>T</p>",
        f"<p>Why &lt;not&gt;?</p>{DAY}<p>S</p>",
    ),
    case("no excerpt", picked(summary=None), "<p>T</p>", f"{DAY}<p>T</p>", f"{DAY}<p>T</p>"),
    case(
        "no text", picked(summary="<S>"), None, f"{DAY}<p>&lt;S&gt;</p>", f"{DAY}<p>&lt;S&gt;</p>"
    ),
    case(
        "only the title may be told",
        picked(source={"content": ContentMode.TITLE}),
        "<p>T</p>",
        DAY,
        DAY,
    ),
)
def test_the_note_comes_first_then_the_original_date_then_the_text(
    post: Post, text: str | None, full: str, description: str
) -> None:
    found = notes(post, text)

    # What the description says already is not said twice.
    encoded = full if full != description else None
    assert found == {"atom": full, "json": full, "rss": encoded, "description": description}


def test_a_show_that_is_gone_is_told_with_each_pick_as_it_was_then() -> None:
    posts = [
        make_picked(number, replace(GONE, title=title), published=MAY)
        for number, title in ((1, "New name"), (2, "Old name"))
    ]

    documents = written(make_edition(*posts, sources=()))

    atom = ET.fromstring(documents["atom.xml"])
    titles = [each.findtext(f"{ATOM}title") for each in atom.iter(f"{ATOM}source")]
    items = json.loads(documents["feed.json"])["items"]
    assert titles == [item["_planet"]["source"]["title"] for item in items]
    assert {*titles} == {"New name", "Old name"}
