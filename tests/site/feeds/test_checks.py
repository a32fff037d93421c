"""The checkers of formats see what is wrong, and every file of an edition holds against them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planet.model import Pages
from tests.parse.corpus import CORPUS
from tests.site.feeds import opml20, rfc4287, rss20
from tests.site.feeds.checks import problems
from tests.site.feeds.corpus import files, outcome
from tests.site.feeds.make import written
from tests.site.feeds.sample import RICH, RICH_TEXTS

DOCUMENTS = written(RICH, RICH_TEXTS, Pages(feed=6), cover="cover.png")
PODCAST = DOCUMENTS["podcast.xml"].decode()
OPML = DOCUMENTS["tag/talk/opml.xml"].decode()
ARCHIVE = DOCUMENTS["2026/10/atom.xml"].decode()
GUID = ">https://gone.example/7</guid>"


def test_nothing_is_wrong_with_any_file_of_an_edition_with_everything() -> None:
    assert problems(DOCUMENTS) == {}


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not there")
def test_nothing_is_wrong_with_what_is_made_of_feeds_that_others_wrote() -> None:
    # A part of them; `python -m tests.site.feeds.corpus` takes all.
    found = [outcome(file) for file in files()[::20]]

    assert [problem for each in found for problem in each.problems] == []
    assert sum(each.written > 0 for each in found) > 0.95 * len(found)


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        pytest.param('version="2.0"', 'version="0.92"', "root", id="version"),
        pytest.param("<language>en</language>", "", "0 of language", id="no language"),
        pytest.param("<language>en<", "<language>english<", "language: 'english'", id="language"),
        pytest.param("podcast/</link>", "podcast/</link><link/>", "2 of link", id="twice"),
        pytest.param(">Heard on Planet Test<", "><", "title: ''", id="empty title"),
        pytest.param("Fri, 20 Nov", "Sat, 20 Nov", "lastBuildDate", id="weekday"),
        pytest.param("12:00:00 GMT", "12:00:00 CET", "12:00:00 CET", id="zone"),
        pytest.param('rel="self"', 'rel="hub"', "atom:link: {'hub': 2}", id="no self"),
        pytest.param("<itunes:block>Yes", "<itunes:block>true", "block: 'true'", id="block"),
        pytest.param("explicit>true", "explicit>yes", "explicit: 'yes'", id="explicit"),
        pytest.param('text="Books"', 'text="Novels"', "['Arts', 'Novels']", id="category"),
        pytest.param(
            "<itunes:block>", "<itunes:owner/><itunes:block>", "unknown itunes:owner", id="owner"
        ),
        pytest.param(
            "</channel>", "<copyright>x</copyright></channel>", "after an item", id="order"
        ),
        pytest.param("https://planet.example/own.jpg", "own.jpg", "itunes:image", id="image"),
        pytest.param("locked>yes", "locked>true", "locked: 'true'", id="locked"),
        pytest.param("<podcast:guid>6", "<podcast:guid>z", "podcast:guid", id="guid of the feed"),
        pytest.param(
            GUID, ">https://show.example/?e=1&amp;x=2</guid>", "x=2' twice", id="guid twice"
        ),
        pytest.param(GUID, ">7</guid>", "guid: '7'", id="guid that is no IRI"),
        pytest.param('isPermaLink="false"', "", "isPermaLink", id="guid as a permalink"),
        pytest.param(
            'url="https://gone.example/7.m4a"', 'url="7.m4a"', "enclosure: url", id="enclosure"
        ),
        pytest.param(
            "https://gone.example/7.m4a",
            "https://cdn.example/1.mp3?a=1&amp;b=2",
            "enclosure 'https://cdn.example/1.mp3?a=1&b=2' twice",
            id="enclosure of another",
        ),
        pytest.param('length="7000"', 'length="-1"', "length '-1'", id="length"),
        pytest.param('length="7000"', "", "length None", id="no length"),
        pytest.param('type="audio/x-m4a"', 'type="text/html"', "'text/html'", id="type"),
        pytest.param("<enclosure ", "<enclosure/><enclosure ", "2 of enclosure", id="two of them"),
        pytest.param(' url="https://gone.example/rss"', "", "source: url None", id="source"),
        pytest.param("duration>1800", "duration>0", "duration: '0'", id="duration"),
        pytest.param("<itunes:episode>1", "<itunes:episode>0", "episode: '0'", id="episode"),
        pytest.param("trailer", "teaser", "episodeType: 'teaser'", id="type of episode"),
        pytest.param("author>Gone Show", f"author>{'x' * 256}", "itunes:author", id="long author"),
        pytest.param("<category>talk", "<category>", "category: ''", id="empty category"),
        pytest.param('type="text/vtt"', 'type="vtt"', "transcript: type", id="transcript"),
        pytest.param(' type="application/json+chapters"', "", "chapters: type", id="chapters"),
        pytest.param(">Bea</", "></", "podcast:person: ''", id="person"),
        pytest.param("&lt;em&gt;", "&lt;blink&gt;", "<blink> in HTML", id="HTML"),
        pytest.param(
            'href="https://x.example/?', 'href="/?', "<a href> that is not absolute", id="relative"
        ),
        pytest.param("the end", "the\x85end", "control", id="control character"),
    ],
)
def test_the_checker_of_podcasts_sees_what_is_wrong(right: str, wrong: str, problem: str) -> None:
    assert right in PODCAST

    found = rss20.problems(PODCAST.replace(right, wrong, 1).encode())

    assert any(problem in each for each in found)


def test_content_comes_after_its_description() -> None:
    item = PODCAST.replace("<description>&lt;p&gt;Listen", "<late>&lt;p&gt;Listen", 1)
    late = item.replace("</description>\n<content", "</late>\n<content", 1)

    found = rss20.problems(late.encode())

    assert "item: content before a description" in found


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        pytest.param('version="2.0"', 'version="3.0"', "root", id="version"),
        pytest.param("<head>", "<body/><head>", "not a head and a body", id="body"),
        pytest.param("<title>Planet Test: Talk</title>", "", "head: ", id="no title"),
        pytest.param(">Olga<", "><", "ownerName: empty", id="nameless owner"),
        pytest.param("https://olga.example/", "olga@olga.example", "ownerId", id="owner's address"),
        pytest.param('type="rss"', 'type="link"', "outline: link", id="type"),
        pytest.param('text="The Show"', "", "outline: rss None", id="no text"),
        pytest.param('title="The Show"', 'title="x"', "outline: rss", id="another title"),
        pytest.param('xmlUrl="https://show', 'xmlUrl="show', "xmlUrl", id="address"),
        pytest.param(' htmlUrl="https:', ' htmlUrl="', "htmlUrl", id="page"),
        pytest.param('type="rss"', 'type="rss" url="x"', "unknown ['url']", id="attribute"),
        pytest.param("more talk", "more\x80talk", "control", id="control character"),
    ],
)
def test_the_checker_of_subscription_lists_sees_what_is_wrong(
    right: str, wrong: str, problem: str
) -> None:
    assert right in OPML

    found = opml20.problems(OPML.replace(right, wrong).encode())

    assert any(problem in each for each in found)


def test_a_subscription_list_has_to_list_something() -> None:
    documents = written(replace(RICH, sources=(), tags=()))

    assert problems(documents) == {"opml.xml": ["body: no outline"]}


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        pytest.param("<fh:archive/>", "", "an archive has a current document", id="unsaid"),
        pytest.param('rel="prev-archive"', 'rel="hub"', "an archive with a hub", id="hub"),
        pytest.param("<fh:archive/>", "<fh:archive/><fh:archive/>", "two of", id="said twice"),
    ],
)
def test_the_checker_of_archives_sees_what_is_wrong(right: str, wrong: str, problem: str) -> None:
    assert right in ARCHIVE

    found = rfc4287.problems(ARCHIVE.replace(right, wrong).encode())

    assert any(problem in each for each in found)
