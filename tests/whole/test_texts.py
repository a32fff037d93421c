"""What feeds say is on the page, whole, however oddly they say it."""

from tests.cases import case, cases
from tests.server import Server
from tests.whole.conftest import Planet

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Harbour</title><id>urn:harbour</id>
<entry><id>urn:1</id><title>Post</title><updated>2026-11-19T09:00:00Z</updated>{}</entry></feed>"""
RSS = """<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>AT&T</title><item><title>Post</title><guid>1</guid>
<pubDate>Thu, 19 Nov 2026 09:00:00 GMT</pubDate>{}</item></channel></rss>"""
XHTML = '<div xmlns="http://www.w3.org/1999/xhtml">{}</div>'


@cases(
    "body, shown",
    case(
        "a line end in XHTML",
        ATOM.format(f'<content type="xhtml">{XHTML.format("one<br/>two")}</content>'),
        "one<br>two",
    ),
    case(
        "a text of an unknown type",
        ATOM.format('<content type="markdown">one *two*</content>'),
        "<p>one *two*</p>",
    ),
    case(
        "a description beside an empty content",
        RSS.format(
            "<description>one &amp; two</description>"
            "<content:encoded>&lt;p>&lt;/p></content:encoded>"
        ),
        "<p>one &amp; two</p>",
    ),
    case(
        "a text behind a script that closes itself",
        RSS.format("<description><![CDATA[<p>one<script src='x'/>two</p>]]></description>"),
        "<p>onetwo</p>",
    ),
    case(
        "lines of plain text",
        RSS.format("<description>00:00 one\n05:30 &lt;two@mail.example></description>"),
        "<p>00:00 one<br>\n05:30 &lt;two@mail.example&gt;</p>",
    ),
    case(
        "an ampersand in a broken feed",
        RSS.format("<description>&lt;p>one&lt;/p></description><oops>").replace("one", "Q&A"),
        "<p>Q&amp;A</p>",
    ),
)
def test_a_text_is_on_the_page_as_it_was_meant(
    body: str, shown: str, a_planet: Planet, server: Server
) -> None:
    a_planet.subscribe(server.feed("/feed.xml", body.encode()))

    a_planet.build()

    [of_the_source] = a_planet.output.glob("source/*/index.html")
    assert shown in of_the_source.read_text(encoding="utf-8")
