"""`planet digest`: what is new, in words and in Markdown; nobody is asked."""

import pytest

from planet.cli import digest
from tests.cases import case, cases
from tests.server import Server
from tests.whole.conftest import Planet, rss


@pytest.fixture
def planet(a_planet: Planet, server: Server, monkeypatch: pytest.MonkeyPatch) -> Planet:
    """A planet of two feeds, one of which has posted since; the second run was an hour ago."""
    a_planet.settings["fetch"] |= {"min_interval": "0s", "max_interval": "1s", "agreed": True}
    a_planet.settings["filters"] = {"exclude": "hidden"}
    one, two = (
        server.feed(f"/{name}", rss("b", "a", name=name), etag='"1"') for name in ("One", "Two")
    )
    a_planet.subscribe(one, two)
    a_planet.build()
    server.feed("/Two", rss("news", "hidden", "b", "a", name="Two"), etag='"2"')
    a_planet.later(hours=20).build()
    a_planet.later(hours=1)
    monkeypatch.setattr(digest, "clock", lambda: a_planet.now)
    return a_planet


def test_what_came_is_listed_without_a_request(planet: Planet, server: Server) -> None:
    before = len(server.requests)

    code, out, err = planet.call("digest", "--since", "1d")

    assert code == 0
    # It is dated two days ago, and was first seen an hour ago.
    assert out == "Two\n  2026-11-20  news\n              https://two.example/news\n"
    assert err == "since 2026-11-21 09:00 UTC: 1 entry of 1 source\n"
    assert len(server.requests) == before


def test_markdown_is_grouped_by_source_and_links_to_both(planet: Planet) -> None:
    _, out, _ = planet.call("digest", "--markdown", "--since", "50h")

    sections = {frozenset(part.splitlines()) - {""} for part in out.split("## ")[1:]}
    assert sections == {
        frozenset(
            {
                "[Two](https://two.example/)",
                "- [news](https://two.example/news) (2026-11-20): All about news.",
                "- [b](https://two.example/b) (2026-11-20): All about b.",
            }
        ),
        frozenset(
            {
                "[One](https://one.example/)",
                "- [b](https://one.example/b) (2026-11-20): All about b.",
            }
        ),
    }


def test_a_week_in_which_the_clock_is_changed_is_whole(planet: Planet) -> None:
    planet.settings["timezone"] = "Europe/Berlin"
    planet.config()

    _, _, err = planet.call("digest", "--since", "30d")

    assert err.startswith("since 2026-10-23 08:00 UTC: ")


def test_where_nothing_is_new_nothing_is_printed(planet: Planet) -> None:
    planet.later(days=30)

    printed = [planet.call("digest", *how).out for how in ([], ["--markdown"])]

    assert printed == ["", ""]


@cases(
    "more, words",
    case("a time without a unit", ["--since", "7"], "must be a duration such as 90s"),
    case("an edition that is not there", ["--edition", "x"], "there is no edition"),
)
def test_a_digest_that_cannot_be_meant_is_refused(
    planet: Planet, more: list[str], words: str
) -> None:
    code, _, err = planet.call("digest", *more)

    assert (code, words in err) == (2, True)


def test_a_title_only_source_is_listed_without_summaries(planet: Planet) -> None:
    planet.settings["content"] = "title"
    planet.config()

    _, out, _ = planet.call("digest", "--markdown", "--since", "1d")

    assert "All about" not in out
