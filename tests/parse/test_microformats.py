"""Web pages as feeds, beyond what the files in `tests/feeds` show."""

from contextlib import suppress

import pytest
from hypothesis import given

from planet.errors import ParseError
from planet.model import ParsedFeed
from planet.parse import parse
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


def test_only_the_first_thousand_posts_are_read() -> None:
    feed = read(page("".join(post(number) for number in range(1, 1002))))

    assert len(feed.entries) == 1000
    assert feed.notes == ("only the first 1000 of 1001 entries are read",)


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
