"""Web pages: as feeds, and the feeds that they name."""

from contextlib import suppress

import pytest
from hypothesis import given

from planet.errors import ParseError
from planet.model import ParsedFeed
from planet.parse import parse
from planet.parse.discovery import Alternate, find_alternates
from planet.parse.microformats import MAX_PAGE
from tests.cases import case, cases
from tests.hostile import calm, texts
from tests.parse.test_feeds import FEEDS
from tests.server import Server

URL = "https://blog.example/"
HTML = "text/html; charset=utf-8"


def page(inside: str, head: str = "") -> bytes:
    return f"<!doctype html><head>{head}</head><body class='h-feed'>{inside}</body>".encode()


def post(number: int = 1, more: str = "") -> str:
    return f"<p class='h-entry'><a class='p-name u-url' href='/{number}'>No. {number}</a>{more}</p>"


def read(body: bytes, *, pages: bool = True) -> ParsedFeed:
    return parse(body, url=URL, content_type=HTML, pages=pages)


def test_a_page_is_refused_where_a_feed_was() -> None:
    with pytest.raises(ParseError) as error:
        read(page(post()), pages=False)

    assert error.value.kind == "not_a_feed"
    assert str(error.value) == "this is a web page, not a feed"


def test_a_feed_that_is_served_as_a_page_is_a_feed_though_it_is_about_pages() -> None:
    feed = read((FEEDS / "rss-with-microformats.xml").read_bytes())

    assert feed.profile.title == "A feed after all"


def test_a_broken_feed_is_not_read_as_one_of_the_pages_it_is_about() -> None:
    body = (FEEDS / "damaged-beyond-reading.xml").read_bytes()

    with pytest.raises(ParseError) as error:
        read(body.replace(b"Lost", b"<![CDATA[" + page(post()) + b"]]>"))

    assert error.value.kind == "unreadable"


def test_nothing_is_asked_for_while_a_page_is_read() -> None:
    with Server() as server:
        url = server.feed("/", b"")
        head = f"<link rel='author' href='{url}ann'><link rel='next' href='{url}2'>"

        parse(page(post(1, f"<a class='u-author' href='{url}ann'>Ann</a>"), head), url=url)

        assert server.requests == []


def test_a_page_that_is_long_is_read_up_to_the_last_post_that_is_whole() -> None:
    long = f"<span hidden>{'x' * (MAX_PAGE // 2)}</span>"

    feed = read(page(post(1) + post(2) + post(3, long) + post(4, long) + post(5)))

    assert [entry.id for entry in feed.entries] == [f"{URL}{number}" for number in (1, 2, 3)]
    assert feed.notes == ("only the first 500,000 characters of the page are read",)


@cases(
    "body, message",
    case("deep", page("<div>" * 3000 + post()), "the page is too complex to be a feed"),
    case(
        "on which the library fails",
        page(post(), "<base href='https://['>"),
        "the page cannot be read (ValueError)",
    ),
)
def test_a_page_is_refused_that_is(body: bytes, message: str) -> None:
    with pytest.raises(ParseError) as error:
        read(body)

    assert (error.value.kind, str(error.value)) == ("unreadable", message)


def test_a_page_in_a_file_has_no_addresses_but_whole_ones() -> None:
    body = page(post() + "<p class='h-entry' id='a'><a class='u-url' href='https://a.example/'>A")

    feed = parse(body, url="file:///home/ann/page.html")

    assert [entry.link for entry in feed.entries] == [None, "https://a.example/"]


def test_classes_of_a_style_sheet_on_the_way_to_the_posts_do_no_harm() -> None:
    feed = read(f"<html class='h-full'><div class='h-screen'>{post()}</div></html>".encode())

    assert [entry.id for entry in feed.entries] == [f"{URL}1"]


@calm
@given(texts, texts, texts)
def test_whatever_stands_in_a_page_it_is_a_feed_or_refused(a: str, b: str, c: str) -> None:
    body = page(
        f"<div class='h-entry'>{a}<div class='e-content'>{b}</div>"
        f"<a class='p-author h-card u-in-reply-to' href='{c}'>{c}</a>"
        f"<img class='u-photo' src='{a}' alt='{b}'><time class='dt-published'>{c}</time></div>"
    )

    with suppress(ParseError):
        feed = read(body)
        assert len({entry.id for entry in feed.entries}) == len(feed.entries)


# Which feeds a page names, and where a feed says that it is

PAGE = "https://blog.example/posts/one.html"
RSS, ATOM = "application/rss+xml", "application/atom+xml"


def link(href: str, media_type: str = RSS, **more: str) -> str:
    attributes = {"rel": "alternate", "type": media_type, "href": href, **more}
    written = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    return f"<link {written}>"


def named(page: str, **changes: str) -> list[str]:
    return [
        alternate.url for alternate in find_alternates(page.encode(), **{"url": PAGE, **changes})
    ]


@cases(
    "page, urls",
    case("absolute", link("https://a.example/f"), ["https://a.example/f"]),
    case("relative", link("feed"), ["https://blog.example/posts/feed"]),
    case("of the same scheme", link("//b.example/f"), ["https://b.example/f"]),
    case(
        "from a base",
        f"{link('feed')}<base href='/blog/'><base href='/no/'>",
        ["https://blog.example/blog/feed"],
    ),
    case(
        "from a base elsewhere",
        f"<base href='https://cdn.example/x/'>{link('../f')}",
        ["https://cdn.example/f"],
    ),
    case(
        "capitals, without quotes",
        "<HTML><LINK REL=Alternate TYPE=APPLICATION/RSS+XML HREF=/f></HTML>",
        ["https://blog.example/f"],
    ),
    case(
        "references, parameters, several relations",
        "<link\n href='/f?a=1&amp;b=2' type='application/rss+xml; charset=utf-8' "
        "rel='home alternate'/>",
        ["https://blog.example/f?a=1&b=2"],
    ),
    case("in a comment", f"<!-- {link('/no')} -->", []),
    case("in a script", f"<script>'{link('/no')}'</script>", []),
    case("in a style", f"<style>{link('/no')}</style>", []),
    case("another kind", link("/oembed", "application/json+oembed"), []),
    case("another language", "<link rel=alternate hreflang=de href=/de>", []),
    case("another relation", "<link rel=stylesheet type=text/xml href=/s>", []),
    case("no web address", link("javascript:alert(1)"), []),
    case("twice", link("/f") * 2, ["https://blog.example/f"]),
    case(
        "Atom before what may be anything",
        link("/json", "application/json") + link("/x", "text/xml") + link("/f", ATOM),
        [f"https://blog.example/{name}" for name in ("f", "x", "json")],
    ),
    case(
        "the blog's own before its comments",
        link("/comments/feed/", title="Blog &raquo; Comments Feed") + link("/feed/"),
        ["https://blog.example/feed/", "https://blog.example/comments/feed/"],
    ),
    case(
        "any feed before comments",
        link("/k", ATOM, title="Kommentare") + link("/j", "application/feed+json"),
        ["https://blog.example/j", "https://blog.example/k"],
    ),
    case("too late", f"<body><p>x</body>{link('/f')}", ["https://blog.example/f"]),
    case("marked", f"<![CDATA[ <p> ]]>{link('/f')}", ["https://blog.example/f"]),
    case("cut off", f"{link('/f')}<link rel=alternate", ["https://blog.example/f"]),
    case("nothing", "", []),
)
def test_a_page_names_its_feeds(page: str, urls: list[str]) -> None:
    assert named(page) == urls


def test_a_feed_on_a_page_has_a_title_in_plain_text() -> None:
    page = link("/f", title="A &lt;b&gt;fine\n blog&lt;/b&gt;\u202e").encode("utf-16")

    assert find_alternates(page, PAGE) == (
        Alternate(url="https://blog.example/f", title="A <b>fine blog</b>", media_type=RSS),
    )


@calm
@given(texts)
def test_whatever_a_page_holds_only_web_addresses_come_out(text: str) -> None:
    body = f"{text}{link('/f')}<link rel=alternate type={RSS} href='{text}'>".encode(
        errors="ignore"
    )

    urls = [alternate.url for alternate in find_alternates(body, PAGE)]

    assert all(url.startswith(("http://", "https://")) for url in urls)
