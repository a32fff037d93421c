"""`planet add` and `planet remove`: what is asked, what is written, and what is refused."""

from pathlib import Path

import pytest

from planet.config import load
from planet.errors import FeedError
from planet.peek import discover
from planet.run.workers import Workers
from tests.cases import case, cases
from tests.server import Response, Server, moved
from tests.whole.conftest import Planet, call, rss

HTML = ("Content-Type", "text/html; charset=utf-8")
CONFIG = "# Ours\ntitle: T\nfetch: {host_gap: 0s}\nfeeds:\n  # the first\n  - first.xml  # mine\n"

FORM = "### Address\n\n{}\n\n### Name\n\n{}\n\n### Note\n\n{}"
EMPTY = "_No response_"
# What would be something else to a shell, to a workflow, to Markdown, or to YAML.
HOSTILE = (
    "`touch X` $(touch X) @everybody #1 <img src=x> [a](javascript:b) | ${{ github.token }} -->"
)


@pytest.fixture(autouse=True)
def folder(folder: Path) -> Path:
    (folder / "config.yaml").write_text(CONFIG)
    return folder


def config(folder: Path) -> str:
    return (folder / "config.yaml").read_text(encoding="utf-8")


def page(server: Server, html: str, path: str = "/", *headers: tuple[str, str]) -> str:
    return server.script(path, Response(headers=(HTML, *headers), body=html.encode()))


def test_a_feed_is_shown_and_added(folder: Path, server: Server) -> None:
    url = server.feed("/feed", rss("b", "a", name="A blog"), etag='"1"')

    dry, unchanged = call("add", url, "--dry-run"), config(folder)
    code, out, err = call("add", url)

    assert (dry.code, code, unchanged) == (0, 0, CONFIG), err
    assert dry.out == out.replace("is added", "would be added")
    assert out == (
        "A blog: rss20, 2 entries\n  2026-11-20  b\n  2026-11-19  a\n"
        f"config.yaml:7:5  {url} is added\n"
    )
    assert config(folder) == CONFIG + f"  - {url}\n"
    request = server.requests[0]
    assert str(request.header("User-Agent")).startswith("Planet/")


def test_a_page_leads_to_the_feed_that_it_names(folder: Path, server: Server) -> None:
    feed = server.feed("/f/feed", rss("a", name="A blog"), etag='"1"')
    home = page(
        server,
        "<!doctype html><title>x</title><base href=/f/><!--<link rel=alternate "
        "type=application/rss+xml href=no>--><LINK REL=ALTERNATE TYPE='application/rss+xml' "
        "title='Comments' HREF='/c'><link rel=alternate type=application/rss+xml href=feed>",
    )

    code, out, _ = call("add", home, "--name", "A: blog", "--tag", "x", "--tag", "no")

    assert code == 0
    assert out.splitlines() == [
        f"{home} is a page, which names this feed:",
        "A blog: rss20, 1 entry",
        "  2026-11-20  a",
        f"The page names another feed: Comments, {server.url('/c')}",
        f"config.yaml:7:10  {feed} is added as A: blog",
    ]
    (_, added) = load(folder / "config.yaml", environ={}).feeds
    assert (added.url, added.name, added.tags) == (feed, "A: blog", ("x", "no"))
    assert config(folder).startswith(CONFIG)
    status, built = call("status"), call("build")
    assert server.asked == [("/", None), ("/f/feed", None)], "the hour is not over"
    assert ("A: blog" in status.out, "unfinished" in status.out) == (True, False)
    assert "1 entry" in built.err


def test_what_is_there_already_is_not_added_again(folder: Path, server: Server) -> None:
    url = server.feed("/feed", rss("a", name="A blog"))
    led = server.script("/moved", moved("/feed"))
    home = page(server, "<link rel=alternate type=application/rss+xml href=/feed>")
    call("add", url)
    call("fetch")
    before, asked = config(folder), len(server.requests)

    said = [call("add", each) for each in (url, url.replace("http:", "https:"), led, home)]

    assert [code for code, _, _ in said] == [2, 2, 2, 2]
    assert {err for _, _, err in said} == {"Error: A blog is there already: config.yaml:7:5\n"}
    assert config(folder) == before
    assert len(server.requests) == asked + 4, "the first two are known without asking"


@cases(
    "path, words",
    case("nothing", "/gone", "nothing at this address"),
    case("page", "/page", "this is a web page, not a feed, and it names no feed"),
    case("a page that names a page", "/lies", "names it as its feed"),
    case("nothing in it", "/empty", "the answer is empty"),
)
def test_what_is_no_feed_is_refused(folder: Path, server: Server, path: str, words: str) -> None:
    page(server, "<html><body>Hello", "/page")
    page(server, "<html><link rel=alternate type=text/xml href=/page>", "/lies")
    server.feed("/json", b'{"a": []}')
    server.feed("/empty", b"")

    code, _, err = call("add", server.url(path))

    assert (code, config(folder)) == (3, CONFIG)
    assert words in err
    assert server.url(path) in err


def test_a_server_that_asked_to_be_left_alone_is_not_asked(server: Server) -> None:
    busy = server.script("/busy", Response(status=429, headers=(("Retry-After", "9000"),)))

    codes = [call("add", each)[0] for each in (busy, server.url("/other"))]
    code, _, err = call("add", server.url("/feed"))

    assert (codes, code) == ([3, 3], 3)
    assert "asked to be left alone" in err
    assert len(server.requests) == 1


def test_a_public_page_does_not_lead_into_a_private_network(folder: Path, workers: Workers) -> None:
    config, planet = load(folder / "config.yaml", environ={}), Planet(folder, workers)
    planet.is_public = lambda ip: ip == "127.0.0.1"
    with Server("127.0.0.1", "127.0.0.2") as servers, planet.opened() as run:
        secret = servers.url("/feed", "127.0.0.2")
        servers.feed("/feed", rss("a"))
        home = page(servers, f"<link rel=alternate type=application/rss+xml href={secret}>")

        with pytest.raises(FeedError, match="leads into a private network") as caught:
            discover(home, config, run)

        assert caught.value.kind == "private_address"
        assert [request.host for request in servers.requests] == ["127.0.0.1"]


@cases(
    "said, words",
    case("a file", "feed.xml", "is no web address; write the path of a file"),
    case("a password", "https://ann:pw@a.example/f", "must not hold a password"),
    case("another scheme", "ftp://a.example/f", "must begin with https://"),
)
def test_what_is_no_web_address_is_refused_without_asking(said: str, words: str) -> None:
    code, _, err = call("add", said)

    assert (code, "pw" in err) == (2, False)
    assert words in err


def test_a_name_must_not_be_empty() -> None:
    code, _, err = call("add", "https://a.example/f", "--name", " ")

    assert (code, err) == (2, "Error: a name or a tag must not be empty\n")


def test_a_feed_goes_with_its_lines_and_its_past_stays(folder: Path, server: Server) -> None:
    url = server.feed("/feed", rss("a", name="A blog"))
    call("add", url, "--tag", "x")
    call("fetch")

    code, out, err = call("remove", "a BLOG")

    assert code == 0, err
    assert out == f"config.yaml:7:10  A blog ({url}) is gone\n"
    assert "picks of it stay" in err
    assert config(folder) == CONFIG


@pytest.mark.parametrize("name", ["first.xml", "first"])
def test_the_only_feed_stays(folder: Path, name: str) -> None:
    code, _, err = call("remove", name)

    assert (code, config(folder)) == (2, CONFIG)
    assert err == "Error: nothing would be left to read; add another feed first\n"


def test_a_feed_of_a_list_is_refused_with_where_it_stands(folder: Path) -> None:
    (folder / "list.opml").write_text(
        "<opml version='2.0'><body>\n<outline text='L' xmlUrl='https://l.example/f'/></body></opml>"
    )
    (folder / "config.yaml").write_text(CONFIG + "subscriptions: [list.opml]\n")

    code, _, err = call("remove", "L")

    assert code == 2
    assert "list.opml:2:1" in err


# From a form


def fill_in(address: str, name: str = EMPTY, note: str = EMPTY) -> list[str]:
    Path("form.md").write_text(FORM.format(address, name, note), encoding="utf-8")
    return ["add", "--form", "form.md"]


@pytest.mark.usefixtures("loopback_is_public")
def test_a_form_is_answered_and_then_added(folder: Path, server: Server) -> None:
    feed = server.feed("/new", rss("b", "a", name="Two"), etag='"1"')
    asks = fill_in(feed, "Ann: a *blog*", "### Name\n\nmine")

    dry, unchanged = call(*asks, "--dry-run"), config(folder)
    code, out, _ = call(*asks)

    assert (dry.code, code, unchanged) == (0, 0, CONFIG)
    assert dry.out == out.replace("is added", "would be added")
    assert out == (
        "Two: rss20, 2 entries\n  2026-11-20  b\n  2026-11-19  a\n"
        f"config.yaml:7:10  {feed} is added as Ann: a *blog*\n"
    )
    (_, added) = load(folder / "config.yaml", environ={}).feeds
    assert (added.url, added.name, added.is_led) == (feed, "Ann: a *blog*", True)
    assert len(server.requests) == 2


def test_a_form_leads_nobody_into_a_private_network(server: Server) -> None:
    code, _, err = call(*fill_in(server.feed("/feed", rss("a"))), "--dry-run")

    assert code == 3
    assert "the server leads into a private network" in err
    assert server.requests == []


@cases(
    "address, name, words",
    case("nothing", EMPTY, EMPTY, "has no address"),
    case("no address", HOSTILE, EMPTY, 'has "${" in it'),
    case("an option", "--help", EMPTY, "is no web address"),
    case("a secret in its name", "https://a.example/", "${TOKEN}", "in it"),
    case("a long name", "https://a.example/", "a" * 101, "more than 100"),
    case("two addresses", "https://a.example/\nhttps://b.example/", EMPTY, "cannot be written"),
    case("a file", "/etc/passwd", EMPTY, "is no"),
    case("what is there", "https://first.example/feed", EMPTY, "is there already"),
)
def test_a_form_that_names_no_new_feed_is_refused_without_a_request(
    folder: Path, address: str, name: str, words: str
) -> None:
    before = CONFIG.replace("first.xml", "https://first.example/feed")
    (folder / "config.yaml").write_text(before)

    code, _, err = call(*fill_in(address, name))

    assert (code, words in err) == (2, True)
    assert config(folder) == before
