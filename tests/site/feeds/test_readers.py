"""What comes out, whatever comes in: read by programs of others, and compared with golden files."""

import html
import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import listparser
import podcastparser  # type: ignore[import-untyped]  # it ships no types
import pytest
from msgspec.structs import replace

from planet import __version__
from planet.model import (
    Digest,
    DigestItem,
    DigestSection,
    Edition,
    Enclosure,
    Episode,
    Owner,
    Pages,
    Person,
    Podcast,
    Tag,
    Transcript,
)
from planet.timeline.duplicates import published_id
from tests.cases import case, cases
from tests.site.feeds.make import (
    ATOM,
    NOON,
    RICH,
    RICH_TEXTS,
    make_edition,
    make_picked,
    make_post,
    make_source,
    problems,
    written,
)

DOCUMENTS = written(RICH, RICH_TEXTS, Pages(feed=6), cover="cover.png")


def test_the_planets_podcast_is_what_a_podcast_client_reads() -> None:
    found: dict[str, Any] = podcastparser.parse(
        "https://planet.example/podcast.xml", io.BytesIO(DOCUMENTS["podcast.xml"])
    )

    assert (found["title"], found["link"]) == (
        RICH.podcast.title,
        "https://planet.example/podcast/",
    )
    assert found["cover_url"] == RICH.podcast.cover
    assert (found["itunes_categories"], found["explicit"]) == ([["Arts", "Books"]], True)
    assert [(each["title"], each["guid"], each["published"]) for each in found["episodes"]] == [
        ("Gone Show: The seventh", "https://gone.example/7", 1795176000),
        ("The Show: Pilot <one>", "https://show.example/?e=1&x=2", 1795172400),
    ]
    assert [each["enclosures"][0]["url"] for each in found["episodes"]] == [
        "https://gone.example/7.m4a",
        "https://cdn.example/1.mp3?a=1&b=2",
    ]
    names = "total_time", "number", "season", "type", "episode_art_url", "description_html"
    assert [found["episodes"][1][name] for name in names] == [
        *(1800, 1, 2, "trailer"),
        *("https://show.example/1.jpg", RICH_TEXTS[1]),
    ]


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


@pytest.mark.parametrize(
    "path", ["atom.xml", "feed.json", "podcast.xml", "opml.xml", "tag/talk/opml.xml", "digest.xml"]
)
def test_an_edition_with_everything_gives_exactly_this(path: str) -> None:
    expected = (GOLDEN / path).read_text(encoding="utf-8")

    assert DOCUMENTS[path].decode().replace(__version__, "VERSION") == expected
    assert problems({path: DOCUMENTS[path]}) == {}


# Whatever a feed says, every file stays what it is, and says it as text

# Never in an address: what makes addresses keeps these out.
_NOT_IN_ADDRESSES = re.compile(r"[^!-~]|[<>\"{}|\\^`]")
# What XML cannot hold, or Planet does not write.
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def hostile(evil: str) -> Edition:
    """An edition that says the same wherever a feed can, and has it in every address."""
    address = f"https://one.example/?{_NOT_IN_ADDRESSES.sub('', evil)}"
    person = Person(name=evil, url=address)
    enclosure = Enclosure(url=f"https://one.example/x.mp3?{address}", media_type=evil, title=evil)
    episode = Episode(
        kind=evil,
        chapters=address,
        transcripts=(Transcript(url=address, media_type=evil, language=evil),),
        persons=(person,),
    )
    words: dict[str, Any] = {"title": evil, "language": evil, "rights": evil, "image": address}
    source = make_source(
        id=evil, description=evil, author=evil, tags=(evil,), link=address, url=address, **words
    )
    said: dict[str, Any] = dict(
        link=address,
        comments=address,
        summary=evil,
        authors=(person,),
        categories=(evil,),
        enclosures=(enclosure,),
        episode=episode,
        **words,
    )
    told = DigestItem(uid="urn:x", heading=evil, link="https://one.example/?a='&b", summary=evil)
    moments: dict[str, Any] = {"due_at": NOON, "made_at": NOON, "since": NOON}
    sections = (DigestSection(source=evil, items=(told,)),)
    podcast = Podcast(title=evil, description=evil)
    other = replace(enclosure, url="https://one.example/y.mp3")
    return make_edition(
        make_post(1, source, also_in=(source,), **said, id=address),
        make_picked(1, source, note=evil, **{**said, "id": f"{address}2", "enclosures": (other,)}),
        title=evil,
        description=evil,
        owner=Owner(name=evil, url=address),
        podcast=podcast,
        tags=(Tag(name=evil, slug="t"),),
        digests=(Digest(name="2026-11-20", sections=sections, **moments),),
    )


@cases(
    "evil",
    case("script", "<script>alert(1)</script>"),
    case("end of CDATA", "x]]><y>"),
    case("quotes", "\" onload='x' '\""),
    case("references", "&amp; &lt; &#0; &nbsp; &"),
    case("entity", "--><!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>&y;"),
    case("controls", "a\x00\x01\x08\x0b\x0c\x1f\x7f\x80\x85\x9fb"),
    case("lone surrogates", "a\ud800b\udc00c"),
    case("not characters", "a\ufffeb\uffffc\ufdd0"),
    case("invisible characters", "a\u202eb\u2028c\ufeff"),
    case("templates", "}}{{ x }} {% raw %} $(x) `x` \\"),
    case("very long", "x" * 100_000),
)
def test_every_file_reads_back_whatever_a_feed_says(evil: str) -> None:
    legal = _ILLEGAL.sub("", evil)

    documents = written(hostile(evil), {1: f"<p>{html.escape(evil)}</p>"})

    atom, opml = ET.fromstring(documents["atom.xml"]), ET.fromstring(documents["opml.xml"])
    assert problems(documents) == {}
    assert atom.findtext(f"{ATOM}entry/{ATOM}title") == legal
    assert atom.findtext(f"{ATOM}entry/{ATOM}content") == f"<p>{html.escape(legal)}</p>"
    assert [one.get("text") for one in opml.iter("outline") if one.get("xmlUrl")] == [legal]
    podcast = ET.fromstring(documents["podcast.xml"])
    assert podcast.findtext("channel/item/title") == f"{legal}: {legal}"
    feed = json.loads(documents["feed.json"])
    assert feed["title"] == feed["items"][0]["title"] == re.sub(r"[\ud800-\udfff]", "", evil)
    assert html.unescape(podcast.findtext("channel/description") or "") == legal
    assert f"<p>{html.escape(legal, quote=False)}</p>" in (
        podcast.findtext("channel/item[2]/description") or ""
    )
    tag = ET.fromstring(documents["tag/t/opml.xml"])
    assert tag.findtext("head/title") == f"{legal}: {legal}"
    content = ET.fromstring(documents["digest.xml"]).findtext(f"{ATOM}entry/{ATOM}content") or ""
    assert f"<h4>{html.escape(legal, quote=False)}</h4>" in content
    assert "https://one.example/?a=&#x27;&amp;b" in content


def test_an_address_is_published_to_the_letter() -> None:
    url = "https://one.example/a%20b/?x=1&y='2'&amp;z=%3Cb%3E;$()~#!"
    post = make_post(link=url, enclosures=(Enclosure(url=url, media_type="audio/mpeg"),))

    documents = written(make_edition(post))

    atom = ET.fromstring(documents["atom.xml"])
    links = [link.get("href") for link in atom.findall(f"{ATOM}entry/{ATOM}link")]
    podcast = ET.fromstring(documents["podcast.xml"])
    enclosures = [found.get("url") for found in podcast.iter("enclosure")]
    feed = json.loads(documents["feed.json"])["items"][0]
    assert [*links, *enclosures, feed["url"], feed["attachments"][0]["url"]] == [url] * 5


@pytest.mark.parametrize("scheme", ["javascript", "JavaScript", "vbscript", "data"])
def test_no_id_of_an_atom_feed_is_a_script(scheme: str) -> None:
    uid = published_id("one", f"{scheme}:alert(1)")
    source = make_source(id=f"{scheme}:alert(1)")
    post = replace(make_post(1, source), uid=uid)

    document = written(make_edition(post))["atom.xml"]

    ids = [element.text or "" for element in ET.fromstring(document).iter(f"{ATOM}id")]
    assert [one for one in ids if not one.startswith(("https:", "urn:uuid:"))] == []
