"""The checkers of formats see what is wrong, and every file of an edition holds against them."""

import pytest
from msgspec.structs import replace

from planet.model import Pages
from tests.cases import case, cases
from tests.parse.corpus import CORPUS
from tests.site.feeds import rss20
from tests.site.feeds.checks import of_file, problems
from tests.site.feeds.corpus import files, outcome
from tests.site.feeds.make import make_edition, written
from tests.site.feeds.sample import EDITION, RICH, RICH_TEXTS, TEXTS

DOCUMENTS = written(RICH, RICH_TEXTS, Pages(feed=6, rss=True), cover="cover.png")
HOMELESS = written(replace(EDITION, link=None), TEXTS)
PODCAST = DOCUMENTS["podcast.xml"].decode()
RSS = DOCUMENTS["rss.xml"].decode()
OPML = DOCUMENTS["tag/talk/opml.xml"].decode()
GUID = ">https://gone.example/7</guid>"


def sees(name: str, document: str, right: str, wrong: str, problem: str) -> None:
    """Fails unless this is seen in the file when one thing in it is wrong."""
    assert right in document

    found = of_file(name, document.replace(right, wrong, 1).encode())

    assert any(problem in each for each in found)


@cases(
    "documents",
    case("everything", DOCUMENTS),
    # A podcast has to say where it is.
    case("no address", {path: HOMELESS[path] for path in ("atom.xml", "feed.json", "opml.xml")}),
    case("no posts", written(make_edition(sources=EDITION.sources))),
)
def test_nothing_is_wrong_with_any_file_of_an_edition(documents: dict[str, bytes]) -> None:
    assert problems(documents) == {}


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not there")
def test_nothing_is_wrong_with_what_is_made_of_feeds_that_others_wrote() -> None:
    # A part of them; `python -m tests.site.feeds.corpus` takes all.
    found = [outcome(file) for file in files()[::20]]

    assert [problem for each in found for problem in each.problems] == []
    assert sum(each.written > 0 for each in found) > 0.95 * len(found)


@cases(
    "right, wrong, problem",
    case("version", 'version="2.0"', 'version="0.92"', "root"),
    case("no language", "<language>en</language>", "", "0 of language"),
    case("language", "<language>en<", "<language>english<", "language: 'english'"),
    case("twice", "podcast/</link>", "podcast/</link><link/>", "2 of link"),
    case("empty title", ">Heard on Planet Test<", "><", "title: ''"),
    case("weekday", "Fri, 20 Nov", "Sat, 20 Nov", "lastBuildDate"),
    case("zone", "12:00:00 GMT", "12:00:00 CET", "12:00:00 CET"),
    case("no self", 'rel="self"', 'rel="hub"', "atom:link: {'hub': 2}"),
    case("block", "<itunes:block>Yes", "<itunes:block>true", "block: 'true'"),
    case("explicit", "explicit>true", "explicit>yes", "explicit: 'yes'"),
    case("category", 'text="Books"', 'text="Novels"', "['Arts', 'Novels']"),
    case("owner", "<itunes:block>", "<itunes:owner/><itunes:block>", "unknown itunes:owner"),
    case("order", "</channel>", "<copyright>x</copyright></channel>", "after an item"),
    case("image", "https://planet.example/own.jpg", "own.jpg", "itunes:image"),
    case("locked", "locked>yes", "locked>true", "locked: 'true'"),
    case("guid of the feed", "<podcast:guid>6", "<podcast:guid>z", "podcast:guid"),
    case("guid twice", GUID, ">https://show.example/?e=1&amp;x=2</guid>", "x=2' twice"),
    case("guid that is no IRI", GUID, ">7</guid>", "guid: '7'"),
    case("guid as a permalink", 'isPermaLink="false"', "", "isPermaLink"),
    case("enclosure", 'url="https://gone.example/7.m4a"', 'url="7.m4a"', "enclosure: url"),
    case(
        "enclosure of another",
        "https://gone.example/7.m4a",
        "https://cdn.example/1.mp3?a=1&amp;b=2",
        "enclosure 'https://cdn.example/1.mp3?a=1&b=2' twice",
    ),
    case("length", 'length="7000"', 'length="-1"', "length '-1'"),
    case("no length", 'length="7000"', "", "length None"),
    case("type", 'type="audio/x-m4a"', 'type="text/html"', "'text/html'"),
    case("two of them", "<enclosure ", "<enclosure/><enclosure ", "2 of enclosure"),
    case("source", ' url="https://gone.example/rss"', "", "source: url None"),
    case("duration", "duration>1800", "duration>0", "duration: '0'"),
    case("episode", "<itunes:episode>1", "<itunes:episode>0", "episode: '0'"),
    case("type of episode", "trailer", "teaser", "episodeType: 'teaser'"),
    case("long author", "author>Gone Show", f"author>{'x' * 256}", "itunes:author"),
    case("empty category", "<category>talk", "<category>", "category: ''"),
    case("transcript", 'type="text/vtt"', 'type="vtt"', "transcript: type"),
    case("chapters", ' type="application/json+chapters"', "", "chapters: type"),
    case("person", ">Bea</", "></", "podcast:person: ''"),
    case("HTML", "&lt;em&gt;", "&lt;blink&gt;", "<blink> in HTML"),
    case("relative", 'href="https://x.example/?', 'href="/?', "<a href> that is not absolute"),
    case("control character", "the end", "the\x85end", "control"),
)
def test_the_checker_of_podcasts_sees_what_is_wrong(right: str, wrong: str, problem: str) -> None:
    sees("podcast.xml", PODCAST, right, wrong, problem)


@cases(
    "right, wrong, problem",
    case("neither", "<title>Title 5</title>", "", "neither title nor description"),
    case("author", "<dc:creator>Bea</dc:creator>", "<author>Bea</author>", "unknown author"),
    case("creator", "<dc:creator>Bea<", "<dc:creator><", "dc:creator: ''"),
    case("blogroll", "https://planet.example/opml.xml<", "opml.xml<", "source:blogroll"),
    case("guid", GUID, ">7</guid>", "guid: '7'"),
    case("date", "<pubDate>Fri", "<pubDate>Sat", "pubDate"),
)
def test_the_checker_of_articles_sees_what_is_wrong(right: str, wrong: str, problem: str) -> None:
    sees("rss.xml", RSS, right, wrong, problem)


def test_content_comes_after_its_description() -> None:
    item = PODCAST.replace("<description>&lt;p&gt;Listen", "<late>&lt;p&gt;Listen", 1)
    late = item.replace("</description>\n<content", "</late>\n<content", 1)

    found = rss20.problems(late.encode())

    assert "item: content before a description" in found


@cases(
    "right, wrong, problem",
    case("version", 'version="2.0"', 'version="3.0"', "root"),
    case("body", "<head>", "<body/><head>", "not a head and a body"),
    case("no title", "<title>Planet Test: Talk</title>", "", "head: "),
    case("nameless owner", ">Olga<", "><", "ownerName: empty"),
    case("owner's address", "https://olga.example/", "olga@olga.example", "ownerId"),
    case("type", 'type="rss"', 'type="link"', "outline: link"),
    case("no text", 'text="The Show"', "", "outline: rss None"),
    case("another title", 'title="The Show"', 'title="x"', "outline: rss"),
    case("address", 'xmlUrl="https://show', 'xmlUrl="show', "xmlUrl"),
    case("page", ' htmlUrl="https:', ' htmlUrl="', "htmlUrl"),
    case("attribute", 'type="rss"', 'type="rss" url="x"', "unknown ['url']"),
    case("control character", "more talk", "more\x80talk", "control"),
)
def test_the_checker_of_subscription_lists_sees_what_is_wrong(
    right: str, wrong: str, problem: str
) -> None:
    sees("opml.xml", OPML, right, wrong, problem)


def test_of_an_edition_without_anything_only_the_subscription_list_is_wrong() -> None:
    documents = written(make_edition(link=None))

    assert problems(documents) == {"opml.xml": ["body: no outline"]}
