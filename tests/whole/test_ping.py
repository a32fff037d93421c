"""`planet ping`: the hub hears of what has changed, once, and only when it was published."""

import json
from urllib.parse import parse_qsl

import pytest

from planet.store import Publication, PublishedFile, Store
from tests.cases import case, cases
from tests.server import Response, Server
from tests.whole.conftest import Done, Planet, rss

OK = Response(status=204)
SITE = "https://planet.example/"


class Pinged:
    """A planet with a hub, on one server with its feeds."""

    def __init__(self, planet: Planet, server: Server) -> None:
        self.planet, self.server = planet, server
        self.hub = server.script("/hub", OK)
        planet.settings |= {"hub": self.hub, "pages": {"source_feeds": "all"}}
        planet.subscribe(
            {"url": server.feed("/one", rss("a"), etag='"1"'), "id": "one"},
            {"url": server.feed("/two", rss("b", name="Two"), etag='"1"'), "id": "two"},
        )

    def answers(self, *responses: Response) -> None:
        """What the hub answers from now on."""
        self.server.script("/hub", *responses)

    def ping(self, *options: str) -> Done:
        return self.planet.call("ping", *options)

    def heard(self) -> list[str]:
        """What the hub was told of since this was asked last."""
        bodies = [each.body.decode() for each in self.server.requests if each.path == "/hub"]
        self.server.requests.clear()
        return [dict(parse_qsl(body))["hub.url"].removeprefix(SITE) for body in bodies]


@pytest.fixture
def pinged(a_planet: Planet, server: Server) -> Pinged:
    return Pinged(a_planet, server)


ALL = [
    *("atom.xml", "feed.json", "source/one/atom.xml", "source/one/feed.json"),
    *("source/two/atom.xml", "source/two/feed.json"),
]


def test_a_hub_is_told_of_every_feed_once(pinged: Pinged) -> None:
    pinged.planet.build()

    first = pinged.ping()
    told = pinged.heard()
    again = pinged.ping()

    assert (first, told) == ((0, "", f"{pinged.hub}: told of 6 feeds\n"), ALL)
    assert again == (0, "", f"{pinged.hub}: nothing has changed since it was told\n")
    assert pinged.heard() == []


def test_a_hub_is_told_of_what_has_changed_and_of_nothing_else(pinged: Pinged) -> None:
    pinged.planet.build()
    pinged.ping()
    pinged.heard()

    pinged.server.feed("/two", rss("c", "b", name="Two"), etag='"2"')
    pinged.planet.later(days=2).build()
    pinged.ping()

    assert pinged.heard() == ALL[:2] + ALL[4:]


def test_after_a_run_without_news_a_hub_is_told_only_when_it_is_to_hear_all(
    pinged: Pinged,
) -> None:
    pinged.planet.build()
    pinged.ping()
    pinged.heard()
    pinged.planet.later(days=2).build()
    pinged.heard()

    pinged.ping()
    usual = pinged.heard()
    pinged.ping("--all")

    assert (usual, pinged.heard()) == ([], ALL)


def test_a_hub_that_fails_is_told_the_next_time(pinged: Pinged) -> None:
    pinged.planet.build()
    pinged.answers(OK, Response(status=503, headers=(("Retry-After", "90"),)))

    failed = pinged.ping("--quiet")
    told = pinged.heard()
    pinged.answers(OK)
    well = pinged.ping("--quiet")

    assert (told, pinged.heard(), well) == (ALL[:2], ALL[1:], (0, "", ""))
    assert failed == (
        0,
        "",
        f"{pinged.hub} was not told of {SITE}feed.json: the hub has a problem of its own "
        "(HTTP 503)\n"
        f"{pinged.hub}: told of 1 feed; 5 left for the next time; it asks to be left alone for "
        "2 min\n",
    )


def test_another_hub_has_not_heard_of_anything(pinged: Pinged) -> None:
    pinged.planet.build()
    pinged.ping()
    pinged.planet.settings["hub"] = pinged.server.script("/another", OK)
    pinged.planet.build()
    pinged.server.requests.clear()

    pinged.ping()

    assert {request.path for request in pinged.server.requests} == {"/another"}
    assert len(pinged.server.requests) == 6


def test_what_a_hub_did_not_hear_again_it_is_told_the_next_time(pinged: Pinged) -> None:
    pinged.planet.build()
    pinged.ping()
    pinged.answers(OK, Response(status=503))
    pinged.ping("--all")
    pinged.answers(OK)
    pinged.heard()

    pinged.ping()

    assert pinged.heard() == ALL[1:]


def test_each_output_folder_is_told_of_for_itself(pinged: Pinged) -> None:
    pinged.planet.build()
    other = pinged.planet.folder / "other"
    pinged.planet.call("render", "--output", str(other), "-q")

    pinged.ping()
    pinged.ping("--output", str(other))

    assert pinged.heard() == ALL * 2


def test_what_is_no_feed_is_not_told_of(pinged: Pinged) -> None:
    pinged.planet.build()
    paths = [
        *("digest.xml", "lists/road/podcast.xml", "source/2026/podcast.xml", "tag/a/feed.json"),
        *("2026/11/index.html", "opml.xml", "health.json", "index.html"),
        "digest/2026-11-21/index.html",
    ]
    with Store.open(pinged.planet.folder / "state") as store:
        store.publications.record(
            str(pinged.planet.output),
            Publication(config_hash="1", listed="2", generation=1, keeps_until=None, entries=1),
            {path: PublishedFile(fingerprint="1", digest="1", size=1, mtime=1) for path in paths},
        )

    pinged.ping()

    assert sorted(pinged.heard()) == sorted(paths[:4])


def test_a_report_for_machines_says_what_was_told_and_what_was_not(pinged: Pinged) -> None:
    pinged.planet.build()
    pinged.answers(OK, Response(status=404), Response(status=429, headers=(("Retry-After", "9"),)))

    code, out, _ = pinged.ping("--json", "--quiet")

    topics = [f"{SITE}{path}" for path in ALL]
    assert code == 0
    assert json.loads(out) == {
        "hub": pinged.hub,
        "told": topics[:1],
        "failures": {
            topics[1]: "the hub will not take it (HTTP 404)",
            topics[2]: "the hub asks us to come less often (HTTP 429)",
        },
        "left": topics[1:],
        "retry_after": 9.0,
    }


@cases(
    "missing, words",
    case("no hub", "hub", 'names no WebSub hub to tell; set "hub" in it'),
    case("no address of its own", "link", 'does not say where the site is; set "link" in it'),
)
def test_a_config_without_hub_or_link_is_refused(missing: str, words: str, pinged: Pinged) -> None:
    del pinged.planet.settings[missing]
    pinged.planet.config()

    assert pinged.ping() == (2, "", f"Error: {pinged.planet.folder / 'config.yaml'} {words}\n")
    assert pinged.heard() == []


def test_a_site_that_was_never_made_is_not_told_of(pinged: Pinged) -> None:
    pinged.planet.config()

    code, _, err = pinged.ping()

    words = "has no site of this planet yet; `planet build` makes it"
    assert (code, err) == (2, f"Error: {pinged.planet.output} {words}\n")
    assert pinged.heard() == []
