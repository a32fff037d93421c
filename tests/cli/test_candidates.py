"""A feed that the planet may get: what `planet check URL` and a form are told of it."""

import json
import re
from pathlib import Path

import pytest

from planet.config import load
from tests.cases import case, cases
from tests.server import Response, Server
from tests.whole.conftest import call, rss, write_config

FORM = "### Address\n\n{}\n\n### Name\n\n{}\n\n### Note\n\n{}"
EMPTY = "_No response_"
# What would be something else to a shell, to a workflow, to Markdown, or to YAML.
HOSTILE = (
    "`touch X` $(touch X) @everybody #1 <img src=x> [a](javascript:b) | ${{ github.token }} -->"
)


@pytest.fixture(autouse=True)
def folder(folder: Path) -> Path:
    return folder


def fill_in(address: str, name: str = EMPTY, note: str = EMPTY) -> list[str]:
    Path("form.md").write_text(FORM.format(address, name, note), encoding="utf-8")
    return ["add", "--form", "form.md"]


def test_an_address_is_judged_by_what_the_planet_has_and_wants(server: Server) -> None:
    write_config(Path(), server.feed("/old", rss("a")), filters={"exclude": "about tide"})
    new = server.feed("/new", rss("b", "a", "tide"), etag='"1"')
    call("fetch")

    code, out, _ = call("check", new)

    assert code == 0
    assert out == (
        "One:\n"
        f"  Address: {new}\n"
        "  Format: rss20\n"
        "  Entries: 3 entries, the newest of 2026-11-20\n"
        "  Language: not said\n"
        "  On the planet: 1 of 3 would be shown; 1 already come from One; "
        "1 not, by filters.exclude (about tide)\n"
        "    2026-11-20  b\n    2026-11-19  a\n    2026-11-18  tide\n"
        "  - It does not say its language: say it (language in RSS, xml:lang in Atom, language in "
        "JSON Feed), so that it is read out and hyphenated rightly.\n"
        "  - Its address is without TLS: give the one with https:// if it has one.\n"
    )
    assert len(load(Path("config.yaml"), environ={}).feeds) == 1
    assert server.paths == ["/old", "/new"]


def test_an_address_is_judged_without_a_planet_too(server: Server) -> None:
    feed = server.feed("/feed", rss("a", dated=False))

    code, out, _ = call("check", feed, "--json", "--state", "cache")

    told = json.loads(out)
    assert code == 0
    assert [told[name] for name in ("url", "title", "format", "entries")] == [
        feed,
        "One",
        "rss20",
        1,
    ]
    assert "outcomes" not in told
    words = "\n".join(told["remarks"])
    assert "None of its entries has a date" in words
    assert "neither ETag nor Last-Modified" in words


def test_a_feed_of_the_planet_is_named_with_its_line(server: Server) -> None:
    feed = server.feed("/feed", rss("a"))
    write_config(Path(), feed)

    code, out, _ = call("check", feed)

    assert code == 0
    assert f"{feed} is there already: config.yaml:1:" in out
    assert "1 of 1 would be shown" in out


@cases(
    "body, remark",
    case("nothing", b"<rss version='2.0'><channel><title>A</title></channel></rss>", "no entry"),
    case("old entries", rss("a").replace(b"2026", b"2020"), "of 2020-11-20: it may have ended"),
    case("no title", rss("a").replace(b"<title>One</title>", b""), "It has no title"),
    case("no links", rss("a").replace(b"link>", b"nolink>"), "None of its entries has a link"),
)
def test_what_could_be_better_about_a_feed_is_said(
    server: Server, body: bytes, remark: str
) -> None:
    _, out, _ = call("check", server.feed("/feed", body), "--state", "cache")

    assert remark in out


def test_a_page_is_named_with_the_feeds_that_it_names(server: Server) -> None:
    html = "".join(
        f"<link rel=alternate type=application/rss+xml title={name} href=/{name}>"
        for name in ("feed", "comments")
    )
    said = rss("a").replace(b"<link>", b"<language>de</language><link>", 1)
    server.feed("/feed", said, etag='"1"')
    headers = (("Content-Type", "text/html"),)
    page = server.script("/", Response(headers=headers, body=html.encode()))
    write_config(Path(), {"url": server.url("/feed"), "enabled": False}, server.url("/other"))

    _, out, _ = call("check", page, "--state", "elsewhere")

    assert f"  Named by: {page}\n" in out
    assert "  Language: de\n" in out
    assert "  On the planet: 0 of 1 would be shown; 1 not (disabled)\n" in out
    assert re.search(r"is there already: config\.yaml:1:\d+, where it is not enabled\.", out)
    assert "  - The planet would show none of its entries.\n" in out
    assert f"  - The page names another feed: comments, {server.url('/comments')}\n" in out
    assert "does not say its language" not in out


def test_what_is_no_feed_ends_with_3_and_advice(server: Server) -> None:
    page = server.script("/", Response(headers=(("Content-Type", "text/html"),), body=b"<p>Hi"))
    write_config(Path(), server.url("/other"))

    ended = [
        call("check", url, *more) for url in (page, server.url("/x")) for more in ([], ["--json"])
    ]

    assert [done.code for done in ended] == [3] * 4
    assert "give the address of the feed itself" in ended[0].err
    assert json.loads(ended[1].out)["error"] == "not_a_feed"
    assert "look for a typing error in it" in ended[2].err


@cases(
    "more, words",
    case("all feeds as well", ["check", "https://a.example/", "--online"], "asked by itself"),
    case("a file", ["check", "feed.xml"], "is no web address"),
    case("a planet that is not there", ["check", "a.example", "--config", "x.yaml"], "x.yaml"),
    case("a config as an address", ["check", "planet.yaml"], "say --config planet.yaml"),
    case("a form and an address", ["add", "a.example", "--form", "f"], "say no more"),
    case("a form and a name", ["add", "--form", "f", "--name", "A"], "say no more"),
    case("a form for JSON", ["add", "--form", "f", "--json"], "say no more"),
    case("nothing to add", ["add"], "say which feed to add"),
)
def test_what_cannot_be_judged_or_added_is_refused(more: list[str], words: str) -> None:
    Path("planet.yaml").write_text("title: A\n", encoding="utf-8")

    code, _, err = call(*more)

    assert (code, words in err) == (2, True)


# Forms


@pytest.mark.usefixtures("loopback_is_public")
def test_a_form_is_answered_in_markdown_and_then_added(server: Server) -> None:
    write_config(Path(), server.url("/old"))
    feed = server.feed("/new", rss("b", "a", name="Two"), etag='"1"')
    asks = fill_in(feed, "Ann: a *blog*", "### Name\n\nmine")
    before = Path("config.yaml").read_text()

    dry, unchanged = call(*asks, "--dry-run"), Path("config.yaml").read_text()
    code, out, _ = call(*asks)

    assert (dry.code, code, unchanged) == (0, 0, before)
    assert dry.out.startswith(
        "**Two** can be added.\n\n| Feed | |\n| --- | --- |\n| Address | `http"
    )
    assert "| On the planet | 2 of 2 would be shown |\n" in dry.out
    assert "- 2026-11-20 b\n" in dry.out
    assert out.startswith("**Two** is added.\n")
    (_, added) = load(Path("config.yaml"), environ={}).feeds
    assert (added.url, added.name) == (feed, "Ann: a *blog*")
    assert len(server.requests) == 2


def test_a_form_leads_nobody_into_a_private_network(server: Server) -> None:
    write_config(Path(), "https://old.example/feed")

    code, out, _ = call(*fill_in(server.feed("/feed", rss("a"))), "--dry-run")

    assert code == 3
    assert "the server leads into a private network" in out
    assert server.requests == []


@pytest.mark.usefixtures("loopback_is_public")
def test_what_a_feed_says_is_only_text_in_the_answer(server: Server) -> None:
    write_config(Path(), server.url("/old"))
    name = HOSTILE.replace("<", "&lt;").replace("&lt;img", "&amp;lt;img")
    feed = server.feed("/new", rss("a").replace(b"<title>", f"<title>{name}".encode()))

    _, out, _ = call(*fill_in(feed), "--dry-run")

    for word in ("`touch", "$(", "@everybody", " #1 ", "<img", "](", "${{", "-->"):
        assert word not in out
    assert "&#96;touch X&#96;" in out


@cases(
    "address, name, words",
    case("nothing", EMPTY, EMPTY, "has no address"),
    case("no address", HOSTILE, EMPTY, "has &#34;&#36;&#123;&#34; in it"),
    case("an option", "--help", EMPTY, "is no web address"),
    case("a secret in it", "https://a.example/${TOKEN}", EMPTY, "in it"),
    case("a secret in its name", "https://a.example/", "${TOKEN}", "in it"),
    case("a long name", "https://a.example/", "a" * 101, "more than 100"),
    case("two addresses", "https://a.example/\nhttps://b.example/", EMPTY, "more than one line"),
    case("a file", "/etc/passwd", EMPTY, "is no"),
    case("a file of a scheme", "file&#58;///etc/passwd", EMPTY, "web address"),
    case("what is there", "https://old.example/feed", EMPTY, "is there already"),
)
def test_a_form_that_names_no_new_feed_is_refused_without_a_request(
    address: str, name: str, words: str
) -> None:
    write_config(Path(), "https://old.example/feed")

    code, out, _ = call(*fill_in(address, name))

    assert code == 2
    assert out.startswith("This feed cannot be added as it is.\n")
    assert words in out
    assert len(load(Path("config.yaml"), environ={}).feeds) == 1
