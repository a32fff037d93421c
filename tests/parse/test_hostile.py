"""Feeds that are built to cost: read in a worker, as in a run, and within its limits."""

from collections.abc import Iterator
from itertools import product
from string import ascii_lowercase

import pytest

from planet.model import ParseResult
from planet.run.read import ReadOptions, read
from planet.run.workers import Workers
from planet.text.html import Cleaning
from tests.cases import case, cases

COMPLEX = "the feed is too complex to be one"
GIVEN_UP = (
    "this machine was busy, or the feed is heavy: it is read again next time",
    "the feed takes too much memory to read",
)
NAMES = tuple(map("".join, product(ascii_lowercase, repeat=3)))


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(count=1) as some:
        yield some


def outcome(workers: Workers, body: bytes) -> int | str:
    """How many entries are read, or the message."""
    call = workers.call(
        read,
        body,
        url="https://feed.example/feed.xml",
        content_type=None,
        options=ReadOptions(clean_first=5, cleaning=Cleaning()),
    )
    result = call.result()
    return len(result.ids) if isinstance(result, ParseResult) else str(result)


def rss(items: str, title: str = "T") -> bytes:
    return f"<rss version='2.0'><channel><title>{title}</title>{items}</channel></rss>".encode()


def item(inside: str) -> str:
    return f"<item><guid isPermaLink='false'>1</guid>{inside}</item>"


def page(inside: str) -> bytes:
    return f"<!doctype html><body class='h-feed'>{inside}</body>".encode()


def nested(levels: int, kind: str, inside: str) -> bytes:
    return page(f"<div class='{kind}'>" * levels + inside + "</div>" * levels)


POST = "<p class='h-entry'><a class='p-name u-url' href='/1'>A post</a></p>"


def entities(levels: int) -> str:
    """Each entity is ten of the one before."""
    declared = (f"<!ENTITY e{n} '{f'&e{n - 1};' * 10}'>" for n in range(1, levels))
    return f"<!DOCTYPE rss [<!ENTITY e0 'ha'>{''.join(declared)}]>"


@cases(
    "body, expected",
    case(
        "10,000 entries, 20 MB",
        rss(
            "".join(
                f"<item><guid>{n}</guid><description>{'word ' * 400}</description></item>"
                for n in range(10_000)
            )
        ),
        1000,
    ),
    case("5,000 levels", rss(item("<a>" * 5000 + "</a>" * 5000)), COMPLEX),
    case(
        "50,000 attributes",
        rss(item("<a " + " ".join(f"a{n}='x'" for n in range(50_000)) + "/>")),
        COMPLEX,
    ),
    case(
        "50,000 attributes, damaged in between",
        rss(item("<a " + " ".join(f"a{n}='x'" for n in range(50_000)) + "/><b>"), "T"),
        COMPLEX,
    ),
    case(
        "bases in bases",
        rss(
            "".join(
                item("<a xml:base='a/'>" * 190 + "</a>" * 190 + "<link>b</link>")
                for _ in range(200)
            )
        ),
        1,
    ),
    case(
        "50,000 namespaces",
        rss(item("".join(f"<n{n}:a xmlns:n{n}='{n}'/>" for n in range(50_000)))),
        COMPLEX,
    ),
    case("a billion laughs", entities(12).encode() + rss(item("<title>&e11;</title>")), 1),
    case("comments without an end", rss(item("") + "<!-- " * 100_000), 1),
    case(
        "CDATA without an end", rss(item(f"<description>{'<![CDATA[' * 100_000}</description>")), 1
    ),
    case("a long author, damaged", rss(item(f"<author>{'a' * 150_000}</author><b>")), 1),
    case(
        "a long address of an author, damaged",
        rss(item(f"<author><![CDATA[a@{'a.' * 75_000}!]]></author><b>")),
        1,
    ),
    case(
        "JSON of 200,000 levels",
        b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"id": 1, "tags": '
        + b"[" * 200_000
        + b"]" * 200_000
        + b"}]}",
        "the JSON is damaged (RecursionError)",
    ),
    case(
        "JSON with a number without end",
        b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"id": '
        + b"1" * 100_000
        + b"}]}",
        1,
    ),
    case("a page of 8 MB", page(2 * POST + "<p>word word</p>\n" * 500_000), 1),
    case(
        "a page with 17,576 classes",
        page(POST.replace("p-name", f"p-name {' '.join(f'p-{name}' for name in NAMES)}")),
        1,
    ),
    case("a page with comments without an end", page(POST + "<!-- " * 90_000), 1),
)
def test_a_feed_costs_no_more_than_itself_with(
    workers: Workers, body: bytes, expected: int | str
) -> None:
    assert outcome(workers, body) == expected


@cases(
    "body",
    case(
        "a page of 900 bytes with posts that are two properties of each other",
        nested(18, "e-content p-name h-entry", POST),
    ),
    case(
        "a page with a post that is 300 properties of another",
        nested(1, f"h-entry {' '.join(f'p-{name}' for name in NAMES[:300])}", POST * 900),
    ),
    case("a page with 200 texts in each other", nested(200, "e-content", POST * 2000)),
    case(
        "a page with classes of old, deep",
        page(f"<div class='hentry'>{'<div>' * 200}{'<p>word</p>' * 2000}"),
    ),
)
def test_a_page_that_costs_without_end_is_given_up(body: bytes) -> None:
    with Workers(count=1, cpu_limit=1) as workers:
        assert outcome(workers, body) in GIVEN_UP
