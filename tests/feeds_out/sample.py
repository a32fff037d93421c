"""An edition in which everything occurs that a feed can say."""

from __future__ import annotations

from datetime import timedelta

from planet.model import ContentMode, Enclosure, Episode, Owner, Person, Transcript
from tests.feeds_out.make import NOON, make_edition, make_entry, make_post, make_source

SHOW = make_source(
    "show",
    title="The Show",
    id="urn:uuid:0d3f3c9e-0a4f-4ad0-8f0e-5f0b7d8f0c11",
    description="Talk & more talk",
    author="Ann",
    image="https://show.example/cover.jpg",
    language="de-DE",
    rights="CC BY",
    explicit=False,
    tags=("Talk", "Radio"),
)
BLOG = make_source("blog", title="A Blog", language="en")
SHORT = make_source("short", title="Short", content=ContentMode.SUMMARY)
TERSE = make_source("terse", title="Terse", content=ContentMode.TITLE)

EPISODE = make_post(
    make_entry(
        1,
        id="https://show.example/?e=1&x=2",
        link="https://show.example/1",
        title="Pilot <one>",
        summary="We begin & end.",
        authors=(Person(name="Bea", url="https://bea.example/"), Person(name="Cem")),
        categories=("pilots", "talk", "pilots"),
        published=NOON - timedelta(hours=1),
        updated=NOON,
        changed_at=NOON + timedelta(minutes=5),
        enclosures=(
            Enclosure(url="https://show.example/1.pdf", title="Slides"),
            Enclosure(
                url="https://cdn.example/1.mp3?a=1&b=2",
                media_type="audio/mpeg",
                length=12345678,
                duration=1800,
            ),
            Enclosure(url="https://cdn.example/1.mp3?a=1&b=2", media_type="audio/mpeg"),
        ),
        image="https://show.example/1.jpg",
        comments="https://show.example/1#comments",
        rights="CC BY-SA",
        episode=Episode(
            number=1,
            season=2,
            kind="trailer",
            explicit=True,
            chapters="https://show.example/1.json",
            transcripts=(
                Transcript(url="https://show.example/1.vtt", media_type="text/vtt", language="de"),
            ),
            persons=(Person(name="Bea", url="https://bea.example/"),),
        ),
    ),
    SHOW,
    also_in=(BLOG,),
)
ARTICLE = make_post(make_entry(2, language="fr", published=NOON - timedelta(hours=2)), BLOG)
NOTE = make_post(
    make_entry(3, id="urn:uuid:9f6b6fb0-7d5c-4cf7-b7f6-0c6c1f2ad001", link=None, title=None), BLOG
)
SUMMARY = make_post(make_entry(4), SHORT)
TITLE = make_post(make_entry(5, link=None), TERSE)

EDITION = make_edition(
    EPISODE,
    ARTICLE,
    NOTE,
    SUMMARY,
    TITLE,
    description="All of it",
    owner=Owner(name="Olga", email="olga@planet.example", url="https://olga.example/"),
    sources=(BLOG, SHORT, TERSE, SHOW),
)
TEXTS = {
    1: '<p>We begin <em>here</em> &amp; end ]]&gt; <a href="https://x.example/?a=1&amp;b=2">x</a></p>',
    2: "<p>Full article</p>",
    4: "<p>Never shown</p>",
    5: "<p>Never shown</p>",
}
