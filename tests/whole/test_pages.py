"""Web pages as feeds: a run over them, and the commands that look at them."""

from pathlib import Path

import pytest

from planet.report import Report
from tests.cases import case, cases
from tests.server import Server
from tests.whole.conftest import Planet, call, rss

HTML = (("Content-Type", "text/html; charset=utf-8"),)
LOGIN = b"<!doctype html><title>Log in</title><form><p>Members only.</p></form>"


def page(*titles: str, head: str = "", text: str = "All about it.") -> bytes:
    posts = "".join(
        f"<article class='h-entry'><a class='p-name u-url' href='/{title}'>{title}</a>"
        f"<time class='dt-published' datetime='2026-11-{20 - place:02}T08:00Z'></time>"
        f"<div class='e-content'><p>{text}</p><script>alert(1)</script></div></article>"
        for place, title in enumerate(titles)
    )
    return (
        f"<!doctype html><html lang='en'><head>{head}</head><body class='h-feed'>"
        f"<h1 class='p-name'>Harbour</h1>{posts}</body></html>"
    ).encode()


def serve(server: Server, body: bytes, *, etag: str) -> str:
    return server.feed("/", body, etag=etag, headers=HTML)


def told(report: Report) -> list[tuple[int | None, str | None]]:
    """The status of each feed that was asked, and what was wrong."""
    return [(outcome.status, outcome.error_kind) for outcome in report.outcomes]


def test_a_page_is_asked_as_a_feed_and_its_changes_come(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(serve(server, page("a"), etag='"1"'))
    first = a_planet.build()
    same = a_planet.later(days=1).build()
    serve(server, page("b", "a", text="All anew."), etag='"2"')
    edited = a_planet.later(days=1).build()

    assert [told(report)[0][0] for report in (first, same, edited)] == [200, 304, 200]
    assert server.etags == [None, '"1"', '"1"']
    assert [first.added, same.added, edited.added] == [1, 0, 1]
    shown = a_planet.page()
    assert [words in shown for words in ("All anew.", "about it.", "alert(1)")] == [
        True,
        False,
        False,
    ]
    assert f'href="{server.url("/b")}"' in shown


@cases(
    "body", case("without posts", LOGIN), case("empty", b""), case("whose feed is empty", page())
)
def test_a_page_that_shows_no_posts_any_more_keeps_its_last_words(
    a_planet: Planet, server: Server, body: bytes
) -> None:
    a_planet.subscribe(serve(server, page("a"), etag='"1"'))
    a_planet.build()

    serve(server, body, etag='"2"')
    report = a_planet.later(days=1).build()

    ((status, kind),) = told(report)
    assert status == 200
    assert kind in {"not_a_feed", "empty"}
    assert "All about it." in a_planet.page()


@pytest.fixture
def folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a planet without feeds."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    (folder / "config.yaml").write_text("title: T\nfetch: {host_gap: 0s}\nfeeds: []\n")
    return folder


def test_a_page_that_names_no_feed_is_added_itself(folder: Path, server: Server) -> None:
    url = serve(server, page("b", "a"), etag='"1"')

    code, out, err = call("add", url)

    assert code == 0, err
    assert out.startswith("Harbour: hfeed, 2 entries\n  2026-11-20  b\n  2026-11-19  a\n")
    assert url in (folder / "config.yaml").read_text()
    assert len(server.requests) == 1


def test_a_feed_that_a_page_names_comes_before_the_page(folder: Path, server: Server) -> None:
    feed = server.feed("/feed", rss("a", name="A blog"))
    link = "<link rel='alternate' type='application/rss+xml' href='/feed'>"
    url = serve(server, page("b", head=link), etag='"1"')

    code, out, _ = call("add", url)

    assert code == 0
    assert out.startswith(f"{url} is a page, which names this feed:\nA blog: rss20, 1 entry\n")
    assert feed in (folder / "config.yaml").read_text()


def test_check_tells_what_a_page_is_and_that_it_names_a_feed(folder: Path, server: Server) -> None:
    link = "<link rel='alternate' type='application/rss+xml' href='/feed'>"
    url = serve(server, page("b", head=link), etag='"1"')
    (folder / "config.yaml").write_text(f"title: T\nfeeds: [{url}]\n")

    code, out, err = call("check", "--online")

    assert code == 0
    assert f"this is a web page, which names a feed: {server.url('/feed')}" in out + err
