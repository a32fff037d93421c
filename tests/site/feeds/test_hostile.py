"""Whatever a feed says, every file stays what it is, and says it as text."""

import html
import json
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from planet.model import (
    Digest,
    DigestItem,
    DigestSection,
    Edition,
    Enclosure,
    Episode,
    Owner,
    Person,
    PickList,
    Podcast,
    Tag,
    Transcript,
)
from planet.timeline.duplicates import published_id
from tests.cases import case, cases
from tests.site.feeds.checks import ATOM, problems
from tests.site.feeds.make import (
    NOON,
    make_edition,
    make_entry,
    make_picked,
    make_post,
    make_source,
    written,
)

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
    entry = make_entry(
        id=address,
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
    pick = make_picked(replace(entry, number=-1), source, note=evil)
    return make_edition(
        make_post(entry, source, also_in=(source,)),
        title=evil,
        description=evil,
        owner=Owner(name=evil, url=address),
        podcast=podcast,
        tags=(Tag(name=evil, slug="t"),),
        lists=(PickList(name="road", podcast=podcast, posts=(pick,)),),
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
    road = ET.fromstring(documents["lists/road/podcast.xml"])
    assert html.unescape(road.findtext("channel/description") or "") == legal
    assert f"<p>{html.escape(legal, quote=False)}</p>" in (
        road.findtext("channel/item/description") or ""
    )
    tag = ET.fromstring(documents["tag/t/opml.xml"])
    assert tag.findtext("head/title") == f"{legal}: {legal}"
    content = ET.fromstring(documents["digest.xml"]).findtext(f"{ATOM}entry/{ATOM}content") or ""
    assert f"<h4>{html.escape(legal, quote=False)}</h4>" in content
    assert "https://one.example/?a=&#x27;&amp;b" in content


def test_an_address_is_published_to_the_letter() -> None:
    url = "https://one.example/a%20b/?x=1&y='2'&amp;z=%3Cb%3E;$()~#!"
    entry = make_entry(link=url, enclosures=(Enclosure(url=url, media_type="audio/mpeg"),))

    documents = written(make_edition(make_post(entry)))

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
    post = replace(make_post(make_entry(1), source), uid=uid)

    document = written(make_edition(post))["atom.xml"]

    ids = [element.text or "" for element in ET.fromstring(document).iter(f"{ATOM}id")]
    assert [one for one in ids if not one.startswith(("https:", "urn:uuid:"))] == []
