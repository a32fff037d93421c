"""A feed that the planet may get: what `planet check URL` and a form are told of it."""

from pathlib import Path

import pytest

from planet.config import load
from tests.cases import case, cases
from tests.server import Server
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


@pytest.mark.usefixtures("loopback_is_public")
def test_an_address_is_judged_by_what_the_planet_has_and_wants(server: Server) -> None:
    write_config(Path(), server.feed("/old", rss("a")), filters={"exclude": "about tide"})
    new = server.feed("/new", rss("b", "a", "tide"), etag='"1"')
    call("fetch")

    code, out, _ = call(*fill_in(new), "--dry-run")

    assert code == 0
    for line in (
        "| Format | rss20 |",
        "| Entries | 3 entries, the newest of 2026-11-20 |",
        "| Language | not said |",
        "| On the planet | 1 of 3 would be shown; 1 already come from One; "
        "1 not, by filters.exclude &#40;about tide&#41; |",
        "- Its address is without TLS&#58; give the one with https&#58;// if it has one.",
    ):
        assert f"\n{line}\n" in f"{out}\n"
    assert len(load(Path("config.yaml"), environ={}).feeds) == 1
    assert server.paths == ["/old", "/new"]


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
