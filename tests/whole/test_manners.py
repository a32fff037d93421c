"""What servers, proxies and operators can count on from one run to the next."""

from base64 import b64encode
from datetime import timedelta
from pathlib import Path

import pytest
import yaml

import planet
from planet import documentation
from planet.cli import main
from planet.model import DueReason, FeedState
from planet.report import Exit
from planet.store import Store
from tests.cases import case, cases
from tests.processes import files
from tests.server import Response, Server
from tests.whole.conftest import Planet, call, rss, write_config

LATER = timedelta(days=2)
"""By then every feed is due that nothing is the matter with."""


def named(server: Server, name: str, *answers: Response) -> dict[str, str]:
    """A feed of the config that answers so, or else well."""
    body = rss(name, name=name.title())
    url = server.script(f"/{name}", *(answers or (Response(body=body),)))
    return {"url": url, "name": name, "id": name}


def well(*titles: str, name: str = "One", etag: str = '"1"') -> Response:
    return Response(headers=(("ETag", etag),), body=rss(*titles, name=name))


def known(a_planet: Planet) -> dict[str, FeedState]:
    with Store.look(a_planet.folder / "state") as store:
        return dict(store.states())


@cases(
    "settings, page",
    case("the project, of a site without link", {}, documentation("politeness.md")),
    case(
        "the page about the site",
        {"link": "https://a.example/planet"},
        "https://a.example/planet/about/",
    ),
    case(
        "the page about an edition",
        {"editions": {"en": {"link": "https://a.example/en/"}}},
        "https://a.example/en/about/",
    ),
    case(
        "the page that the operator names",
        {"link": "https://a.example/", "fetch": {"contact": "https://b.example/me"}},
        "https://b.example/me",
    ),
)
def test_every_request_names_the_page_of_who_answers_for_it(
    tmp_path: Path, server: Server, settings: dict[str, object], page: str
) -> None:
    said = {"title": "A", "feeds": [server.feed("/", rss("one"), etag='"1"')], **settings}
    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump(said), encoding="utf-8")

    assert main(["build", "--config", str(config)]) == 0

    (request,) = server.requests
    assert request.header("User-Agent") == f"Planet/{planet.__version__} (+{page})"
    if "link" in settings:
        assert (tmp_path / "public/about/index.html").is_file()


# Our own network


HOSTS = tuple(f"127.0.0.{number}" for number in range(1, 7))


def twelve_feeds(server: Server) -> list[object]:
    feeds: list[object] = []
    for number in range(12):
        server.feed(f"/{number}", rss(str(number), name=f"F{number}"), etag='"1"')
        feeds.append({"url": server.url(f"/{number}", HOSTS[number % 6]), "id": f"f{number}"})
    return feeds


@pytest.fixture
def cut_off(a_planet: Planet) -> Planet:
    """A planet with the posts of twelve feeds, none of which can be reached any more."""
    with Server(*HOSTS) as server:
        a_planet.subscribe(*twelve_feeds(server))
        a_planet.build()
    a_planet.now += LATER
    return a_planet


def test_when_nothing_can_be_reached_no_feed_is_blamed_and_the_site_stays(cut_off: Planet) -> None:
    site, before = cut_off.site(), known(cut_off)

    report = cut_off.build()

    assert report.outcome.startswith("nothing could be reached from here")
    assert report.exit_code() is Exit.UNTRUSTWORTHY
    assert (report.outcomes, report.outage, report.issues) == ([], True, [])
    assert cut_off.site() == site
    for key, state in known(cut_off).items():
        assert (state.failures, state.succeeded_at) == (0, before[key].succeeded_at)
        if state.attempted_at == cut_off.now:
            assert state.due_reason is DueReason.OUTAGE
            assert state.due_at is not None
            assert cut_off.now + timedelta(hours=1) <= state.due_at


# Budget and haste


def test_what_the_budget_leaves_waits_for_the_next_run(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(named(server, "a"), named(server, "b"))
    a_planet.budget = timedelta(0)

    report = a_planet.build()
    asked = server.paths
    a_planet.budget = timedelta(minutes=10)
    a_planet.build()

    assert (asked, report.left) == ([], 2)
    assert "2 left for the next run" in report.summary
    assert sorted(server.paths) == ["/a", "/b"]


def noisy(build: int) -> bytes:
    """A feed that is dated, and counts comments, anew with each build."""
    date = f"{build:02} Nov 2026 08:00:00 GMT"
    items = "".join(
        f"<item><title>{name}</title><guid isPermaLink='false'>{name}</guid>"
        f"<pubDate>{date}</pubDate><atom:updated>2026-11-{build:02}T08:00:00Z</atom:updated>"
        f"<slash:comments>{build}</slash:comments><thr:total>{build}</thr:total>"
        f"<description>All about {name}.</description></item>"
        for name in "ab"
    )
    return (
        "<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom' "
        "xmlns:slash='http://purl.org/rss/1.0/modules/slash/' "
        "xmlns:thr='http://purl.org/syndication/thread/1.0'><channel><title>Noisy</title>"
        f"<link>https://noisy.example/</link><lastBuildDate>{date}</lastBuildDate>"
        f"<pubDate>{date}</pubDate><atom:updated>2026-11-{build:02}T08:00:00Z</atom:updated>"
        f"{items}</channel></rss>"
    ).encode()


def test_a_feed_built_anew_without_news_changes_no_page(a_planet: Planet, server: Server) -> None:
    builds = [Response(body=noisy(build)) for build in (18, 19, 20)]
    a_planet.subscribe(server.script("/one", *builds))
    a_planet.build()
    site = a_planet.site()
    (before,) = known(a_planet).values()

    reports = []
    for _ in range(2):
        a_planet.now += LATER
        reports.append(a_planet.build())

    (state,) = known(a_planet).values()
    changed = {path for path, body in a_planet.site().items() if body != site[path]}
    assert [(len(report.outcomes), report.added) for report in reports] == [(1, 0), (1, 0)]
    assert changed <= {"health.json"}
    assert state.health.whole == 3
    assert (state.changed_at, state.posts) == (before.changed_at, before.posts)


def test_a_feed_that_is_to_be_public_is_asked_in_no_private_network(
    a_planet: Planet, server: Server
) -> None:
    a_planet.subscribe({"url": server.feed("/one", rss("a")), "public": True})

    report = a_planet.build()

    assert [outcome.error_kind for outcome in report.outcomes] == ["private_address"]
    assert server.requests == []


# Whole runs behind a proxy that the environment names

pytestmark = pytest.mark.usefixtures("folder")
FEED = "http://feeds.example/feed"
SECRETS = ("geheim", b64encode(b"ada:geheim").decode())


@pytest.fixture
def proxy(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    where = server.url("").removeprefix("http://")
    monkeypatch.setenv("HTTP_PROXY", f"http://ada:geheim@{where}")
    return server


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        (Response(body=rss("a", name="One")), 0),
        (Response(status=407, headers=(("Proxy-Authenticate", "Basic"),)), 0),
        (Response(raw=f"HTTP/1.1 502 {' '.join(SECRETS)}\r\n\r\n".encode()), 1),
    ],
    ids=["answers", "refuses", "fails"],
)
def test_the_password_of_a_proxy_is_told_nobody_and_not_kept_whatever_it_answers(
    folder: Path, proxy: Server, answer: Response, failed: int
) -> None:
    write_config(folder, FEED)
    proxy.script(FEED, answer)

    _, out, err = call("build", "--json", "--verbose")
    _, status, _ = call("status", "--json")

    (request,) = proxy.requests
    assert request.header("Proxy-Authorization") == f"Basic {SECRETS[1]}"
    assert f"{failed} failed" in err
    kept = b"".join(files(folder).values()).decode("latin-1")
    assert [secret for secret in SECRETS if secret in out + err + status + kept] == []


@pytest.mark.parametrize("count", [1, 12])
def test_a_proxy_that_is_down_is_the_fault_of_no_feed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://ada:geheim@127.0.0.1:9")
    write_config(folder, *(f"http://{letter}.example/feed" for letter in "abcdefghijkl"[:count]))

    code, out, err = call("build")

    assert code == 4
    assert ("geheim" in out + err, "0 failed" in err) == (False, True)
    told = "the proxy cannot be reached" if count == 1 else "nothing could be reached from here"
    assert told in err
