"""What feeds say and show is on the page, whole, however oddly they say it."""

import re
import sqlite3
from contextlib import closing

import pytest

from planet.model import Html
from planet.store.database import pack
from planet.store.entries import clean_text
from tests.cases import case, cases
from tests.server import Server
from tests.whole.conftest import Planet, rss

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Harbour</title><id>urn:harbour</id>
<entry><id>urn:1</id><title>Post</title><updated>2026-11-19T09:00:00Z</updated>{}</entry></feed>"""
RSS = """<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>AT&T</title><item><title>Post</title><guid>1</guid>
<pubDate>Thu, 19 Nov 2026 09:00:00 GMT</pubDate>{}</item></channel></rss>"""
HALF = "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"
XHTML = '<div xmlns="http://www.w3.org/1999/xhtml">{}</div>'


MEANT = {
    "line-end-in-xhtml": (
        ATOM.format(f'<content type="xhtml">{XHTML.format("one<br/>two")}</content>'),
        "one<br>two",
    ),
    "unknown-type": (
        ATOM.format('<content type="markdown">one *two*</content>'),
        "<p>one *two*</p>",
    ),
    "description-beside-an-empty-content": (
        RSS.format(
            "<description>one &amp; two</description>"
            "<content:encoded>&lt;p>&lt;/p></content:encoded>"
        ),
        "<p>one &amp; two</p>",
    ),
    "behind-a-script-that-closes-itself": (
        RSS.format("<description><![CDATA[<p>one<script src='x'/>two</p>]]></description>"),
        "<p>onetwo</p>",
    ),
    "lines-of-plain-text": (
        RSS.format("<description>00:00 one\n05:30 &lt;two@mail.example></description>"),
        "<p>00:00 one<br>\n05:30 &lt;two@mail.example&gt;</p>",
    ),
    "formula": (
        ATOM.format(f'<content type="xhtml">{XHTML.format(HALF)}</content>'),
        HALF,
    ),
    "ampersand-in-a-broken-feed": (
        RSS.format("<description>&lt;p>one&lt;/p></description><oops>").replace("one", "Q&A"),
        "<p>Q&amp;A</p>",
    ),
}


def test_what_a_post_answers_is_above_its_text_and_in_the_feeds(
    a_planet: Planet, server: Server
) -> None:
    thread = (
        '<t:in-reply-to xmlns:t="http://purl.org/syndication/thread/1.0" ref="{0}" href="{0}"/>'
    )
    answered = "https://bob.example/?a=1&amp;b=2"
    body = ATOM.format(f"<content>I agree.</content>{thread.format(answered)}")
    a_planet.subscribe({"url": server.feed("/", body.encode()), "id": "harbour"})

    a_planet.build()

    above = f'<p>↩ <a href="{answered}" rel="noopener noreferrer">bob.example/?a=1&amp;b=2</a></p>'
    assert f"{above}<p>I agree.</p>" in a_planet.page("source/harbour/index.html")
    shown = f'↩ <a class="u-in-reply-to" href="{answered}">bob.example/?a=1&amp;b=2</a>'
    assert shown in a_planet.page()
    assert f'ref="{answered}" href="{answered}"' in a_planet.page("atom.xml")
    assert a_planet.items()[0]["_planet"]["in_reply_to"] == ["https://bob.example/?a=1&b=2"]


def test_texts_are_shown_as_meant(a_planet: Planet, server: Server) -> None:
    feeds = []
    for name, (body, _) in MEANT.items():
        own = body.replace("urn:1", f"urn:{name}")
        feeds.append({"url": server.feed(f"/{name}", own.encode()), "id": name})
    a_planet.subscribe(*feeds)

    a_planet.build()

    pages = {name: a_planet.page(f"source/{name}/index.html") for name in MEANT}
    assert [name for name, (_, shown) in MEANT.items() if shown not in pages[name]] == []


# Pictures that belong to posts

MEDIA = (
    '<media:content url="https://cdn.example/{0}.jpg" type="image/jpeg" medium="image">'
    '<media:description type="plain">{1}</media:description></media:content>'
)
PHOTOS = MEDIA.format("one", "A red boat") + MEDIA.format("two", "Its crew")
FILES = (
    '<enclosure url="https://cdn.example/two.jpg" type="image/jpg" length="7"/>'
    '<enclosure url="https://cdn.example/three.jpg" type="image/jpg" length="7"/>'
    '<enclosure url="https://cdn.example/song.mp3" type="audio/mpeg" length="7"/>'
)


def photo_blog(*titles: str) -> bytes:
    body = rss(*titles).decode()
    body = body.replace("<rss ", "<rss xmlns:media='http://search.yahoo.com/mrss/' ", 1)
    return body.replace("</item>", f"{PHOTOS}{FILES}</item>").encode()


@cases(
    "images, tags, links",
    case("lazy", "lazy", 3, 2),
    case("linked", "linked", 0, 3),
    case("none", "none", 0, 2),
)
def test_all_pictures_of_a_post_are_shown_as_images_are(
    a_planet: Planet, server: Server, images: str, tags: int, links: int
) -> None:
    a_planet.settings["pages"] = {"images": images}
    a_planet.subscribe({"url": server.feed("/one", photo_blog("a")), "id": "one"})

    a_planet.build()

    page = a_planet.page("source/one/index.html")
    shown = page.partition('<div class="content e-content">')[2].partition("</article>")[0]
    assert re.findall(r"<img[^>]*>", shown) == [
        f'<img class="alone" src="https://cdn.example/{name}.jpg" alt="{alt}" loading="lazy">'
        for name, alt in (("one", "A red boat"), ("two", "Its crew"), ("three", ""))[:tags]
    ]
    assert shown.count("A red boat") == 1
    assert shown.count("Its crew") == 1
    assert len(re.findall(r'<a href="https://cdn.example/\w+.jpg"', shown)) == links
    assert not re.search(r"<a [^>]*></a>", shown), "a link says something"
    # What is left to be downloaded is the recording.
    assert re.findall(r'<div class="enclosure">\s*<(\w+)', shown) == ["details"]
    assert "image/jpg" not in shown


# Texts that an older cleaner made


def age_texts(planet: Planet, html: str) -> None:
    """Let each stored text be what an older cleaner made, and be read by an older reader."""
    with closing(sqlite3.connect(planet.folder / "state/planet.sqlite")) as connection, connection:
        value = pack(clean_text(Html(html)))
        connection.execute(
            "UPDATE entry SET cleaning = 'nh3-1', text = ? WHERE text NOTNULL", (value,)
        )
        connection.execute("UPDATE feed SET value = json_set(value, '$.reader', '8')")


OLD = "<p>Old words, and <marquee>more</marquee>.</p>"


@pytest.mark.parametrize("offline", [True, False])
def test_a_text_is_read_again_for_a_new_cleaner_while_its_feed_lists_it(
    offline: bool, a_planet: Planet, server: Server
) -> None:
    a_planet.subscribe({"url": server.feed("/one", rss("a")), "id": "one"})
    a_planet.build()
    first = a_planet.page("source/one/index.html")
    age_texts(a_planet, OLD)

    report = a_planet.later(days=1).build(offline=offline)

    assert "All about a." in first
    assert a_planet.page("source/one/index.html") == first
    assert [(result.added, result.edited) for result in report.outcomes] == [(0, 0)]
