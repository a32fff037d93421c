"""Which feeds a page names, and where a feed says that it is."""

from __future__ import annotations

import pytest
from hypothesis import given

from planet.parse.discovery import Alternate, alternates, own_address
from tests.properties.hostile import calm, texts

PAGE = "https://blog.example/posts/one.html"
RSS, ATOM = "application/rss+xml", "application/atom+xml"


def link(href: str, media_type: str = RSS, **more: str) -> str:
    attributes = {"rel": "alternate", "type": media_type, "href": href, **more}
    written = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    return f"<link {written}>"


def named(page: str, **said: str) -> list[str]:
    return [each.url for each in alternates(page.encode(), **{"url": PAGE, **said})]


@pytest.mark.parametrize(
    ("page", "urls"),
    [
        pytest.param(link("https://a.example/f"), ["https://a.example/f"], id="absolute"),
        pytest.param(link("feed"), ["https://blog.example/posts/feed"], id="relative"),
        pytest.param(link("//b.example/f"), ["https://b.example/f"], id="of the same scheme"),
        pytest.param(
            f"{link('feed')}<base href='/blog/'><base href='/no/'>",
            ["https://blog.example/blog/feed"],
            id="from a base",
        ),
        pytest.param(
            f"<base href='https://cdn.example/x/'>{link('../f')}",
            ["https://cdn.example/f"],
            id="from a base elsewhere",
        ),
        pytest.param(
            "<HTML><LINK REL=Alternate TYPE=APPLICATION/RSS+XML HREF=/f></HTML>",
            ["https://blog.example/f"],
            id="capitals, without quotes",
        ),
        pytest.param(
            "<link\n href='/f?a=1&amp;b=2' type='application/rss+xml; charset=utf-8' "
            "rel='home alternate'/>",
            ["https://blog.example/f?a=1&b=2"],
            id="references, parameters, several relations",
        ),
        pytest.param(f"<!-- {link('/no')} -->", [], id="in a comment"),
        pytest.param(f"<script>'{link('/no')}'</script>", [], id="in a script"),
        pytest.param(f"<style>{link('/no')}</style>", [], id="in a style"),
        pytest.param(link("/oembed", "application/json+oembed"), [], id="another kind"),
        pytest.param("<link rel=alternate hreflang=de href=/de>", [], id="another language"),
        pytest.param("<link rel=stylesheet type=text/xml href=/s>", [], id="another relation"),
        pytest.param(link("javascript:alert(1)"), [], id="no web address"),
        pytest.param(link("/f") * 2, ["https://blog.example/f"], id="twice"),
        pytest.param(
            link("/json", "application/json") + link("/x", "text/xml") + link("/f", ATOM),
            [f"https://blog.example/{name}" for name in ("f", "x", "json")],
            id="Atom before what may be anything",
        ),
        pytest.param(
            link("/comments/feed/", title="Blog &raquo; Comments Feed") + link("/feed/"),
            ["https://blog.example/feed/", "https://blog.example/comments/feed/"],
            id="the blog's own before its comments",
        ),
        pytest.param(
            link("/k", ATOM, title="Kommentare") + link("/j", "application/feed+json"),
            ["https://blog.example/j", "https://blog.example/k"],
            id="any feed before comments",
        ),
        pytest.param(f"<body><p>x</body>{link('/f')}", ["https://blog.example/f"], id="too late"),
        pytest.param(f"<![CDATA[ <p> ]]>{link('/f')}", ["https://blog.example/f"], id="marked"),
        pytest.param(f"{link('/f')}<link rel=alternate", ["https://blog.example/f"], id="cut off"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_a_page_names_its_feeds(page: str, urls: list[str]) -> None:
    assert named(page) == urls


def test_a_feed_on_a_page_has_a_title_in_plain_text() -> None:
    page = link("/f", title="A &lt;b&gt;fine\n blog&lt;/b&gt;\u202e").encode("utf-16")

    assert alternates(page, url=PAGE) == (
        Alternate(url="https://blog.example/f", title="A <b>fine blog</b>", media_type=RSS),
    )


@pytest.mark.parametrize(
    ("feed", "own"),
    [
        pytest.param(
            "<rss><channel><atom:link href='https://a.example/f' rel='self'/></channel></rss>",
            "https://a.example/f",
            id="RSS",
        ),
        pytest.param(
            "<feed><link href='/'/><link rel='self' href='feed'/></feed>",
            "https://blog.example/posts/feed",
            id="Atom, relative",
        ),
        pytest.param('{"feed_url": "https://a.example/f"}', "https://a.example/f", id="JSON Feed"),
        pytest.param('{"feed_url": 5}', None, id="a number"),
        pytest.param('{"feed_url": ', None, id="broken JSON"),
        pytest.param("<rss><channel/></rss>", None, id="nothing said"),
        pytest.param(
            "<feed><entry><link rel='self' href='/no'/></entry></feed>", None, id="of an entry"
        ),
        pytest.param(
            "<feed><link rel='self' href='file:///etc/x'/></feed>", None, id="not of the web"
        ),
    ],
)
def test_a_feed_says_where_it_is(feed: str, own: str | None) -> None:
    assert own_address(feed.encode(), url=PAGE) == own


@calm
@given(texts)
def test_whatever_a_page_holds_only_web_addresses_come_out(text: str) -> None:
    body = f"{text}{link('/f')}<link rel=alternate type={RSS} href='{text}'>".encode(
        errors="ignore"
    )

    found = [each.url for each in alternates(body, url=PAGE)]

    assert all(url.startswith(("http://", "https://")) for url in found)
