"""Podcast RSS as players need it."""

from typing import Any
from xml.etree import ElementTree as ET

from planet.model import Edition, Enclosure, Episode, Post
from planet.site.feeds import rss
from tests.cases import case, cases
from tests.site.feeds.make import MP3, make_edition, make_entry, make_post, make_source, written
from tests.site.feeds.sample import TEXTS

ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
PODCAST = "{https://podcastindex.org/namespace/1.0}"
CONTENT = "{http://purl.org/rss/1.0/modules/content/}"


def channel(edition: Edition, path: str = "podcast.xml") -> ET.Element:
    found = ET.fromstring(written(edition, TEXTS)[path]).find("channel")
    assert found is not None
    return found


def spoken(number: int = 1, *, source: dict[str, Any] | None = None, **changes: Any) -> Post:
    """A post with an episode."""
    changes.setdefault("enclosures", (Enclosure(url=f"https://one.example/{number}.mp3"),))
    return make_post(make_entry(number, **changes), make_source(**(source or {})))


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
        "not a type",
        [Enclosure(url="https://a.example/x.m4a", media_type="mp4")],
        ("https://a.example/x.m4a", "0", "audio/mp4"),
    ),
    case(
        "type that says nothing",
        [Enclosure(url="https://a.example/x.mp3", media_type="application/octet-stream")],
        ("https://a.example/x.mp3", "0", "audio/mpeg"),
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
    case("no extension", Enclosure(url="https://a.example/mp3")),
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
    "link, expected",
    case("ours", "https://planet.example/", "https://planet.example/source/one/atom.xml"),
    case("none", None, None),
)
def test_a_private_show_is_named_by_the_address_we_publish(
    link: str | None, expected: str | None
) -> None:
    edition = make_edition(spoken(source={"url": "file:///feed.xml"}), link=link)

    source = channel(edition).find("item/source")

    assert (None if source is None else source.get("url")) == expected


@cases(
    "address, expected",
    case(
        "the specification's example",
        "https://mp3s.nashownotes.com/pc20rss.xml",
        "917393e3-1b1e-5cef-ace4-edaa54e1f810",
    ),
    case(
        "another scheme and a slash",
        "http://mp3s.nashownotes.com/pc20rss.xml/",
        "917393e3-1b1e-5cef-ace4-edaa54e1f810",
    ),
)
def test_a_guid_is_made_from_the_address_without_scheme_and_final_slash(
    address: str, expected: str
) -> None:
    assert rss.guid(address) == expected


@cases(
    "link, expected",
    case(
        "published",
        "https://planet.example/",
        ("https://planet.example/podcast.xml", "67987a49-7454-5e25-b1aa-82a57405adf9"),
    ),
    case("not published", None, (None, None)),
)
def test_a_podcast_that_is_published_knows_its_address_and_guid(
    link: str | None, expected: tuple[str | None, str | None]
) -> None:
    found = channel(make_edition(spoken(), link=link))

    own = found.find("{http://www.w3.org/2005/Atom}link")
    address = None if own is None else own.get("href")
    assert (address, found.findtext(f"{PODCAST}guid")) == expected


@cases(
    "show, episode, expected",
    case("nothing said", None, None, ("false", None)),
    case("show", True, None, ("true", "true")),
    case("episode", False, True, ("true", "true")),
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


@cases("episode", case("nonsense", Episode(number=0, season=-1, kind="<b>")), case("nothing", None))
def test_what_players_would_refuse_of_an_episode_is_left_out(episode: Episode | None) -> None:
    found = channel(make_edition(spoken(episode=episode)))

    tags = {child.tag for item in found.findall("item") for child in item}
    assert not tags & {
        f"{ITUNES}{name}" for name in ("episode", "season", "episodeType", "duration")
    }


def test_the_cover_is_that_of_the_first_show_that_has_one() -> None:
    covers = {"b": "https://b.example/b.png", "a": "https://a.example/a.png", "0": None}
    posts = [
        make_post(
            make_entry(number, enclosures=(Enclosure(url=f"https://one.example/{name}.mp3"),)),
            make_source(name, image=image),
        )
        for number, (name, image) in enumerate(covers.items())
    ]

    found = channel(make_edition(*posts))

    images = [image.get("href") for image in found.iter(f"{ITUNES}image")]
    assert images == [
        "https://a.example/a.png",
        "https://b.example/b.png",
        "https://a.example/a.png",
    ]


@cases(
    "summary, description, content",
    case("summary and text", "1 < 2", "<p>1 &lt; 2</p>", "<p>Full article</p>"),
    case("text alone", None, "<p>Full article</p>", None),
)
def test_notes_are_html_and_a_description_is_always_there(
    summary: str | None, description: str, content: str | None
) -> None:
    item = channel(make_edition(spoken(2, summary=summary))).find("item")

    assert item is not None
    assert item.findtext("description") == description
    assert item.findtext(f"{CONTENT}encoded") == content
