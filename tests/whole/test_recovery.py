"""A state that is lost or of a wrong clock: what the published site says is taken back."""

import shutil
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from planet.errors import StateError
from planet.report import Exit, Report
from planet.run.build import retire
from planet.run.publish import publish_sites
from planet.run.recover import read_site
from tests.cases import case, cases
from tests.processes import without_check
from tests.server import Response, Server
from tests.whole.conftest import NOON, Planet, rss


class Site:
    """A planet, published where its config says, whose state can be lost."""

    def __init__(self, planet: Planet, server: Server) -> None:
        self.planet, self.server = planet, server
        self.told = ""
        planet.settings["link"] = server.url("/")

    def run(self, **scope: Any) -> Report:
        """A run of `planet build`; the words about a lost state are in `told`."""
        report = self.planet.build(**scope)
        begin = ("the state is empty", "this planet is new")
        self.told = "".join(words for words in report.notices if words.startswith(begin))
        return report

    def force(self) -> None:
        """As `planet render --force`."""
        config = self.planet.config()
        with self.planet.opened() as run:
            report = Report(started=self.planet.now)
            publish_sites(config, config.feeds, run=run, report=report, trusted=True)

    def meet(self, *paths: str) -> None:
        """Read feeds before they have any entries: what they have later was posted since."""
        for path in paths:
            self.server.feed(path, rss(name=path.strip("/").title()))
        self.planet.subscribe(*map(self.server.url, paths))
        self.planet.later(days=-3)
        self.run()
        self.planet.later(days=3)

    def publish(self) -> None:
        self.server.feed("/feed.json", self.planet.site()["feed.json"])

    def lose(self) -> None:
        shutil.rmtree(self.planet.folder / "state")
        shutil.rmtree(self.planet.output)

    def shown(self) -> dict[str, bytes]:
        """The files of the site that say nothing of how asking went."""
        moving = ("health.json", "planet.json")
        site = without_check(self.planet.site())
        return {path: body for path, body in site.items() if not path.startswith(moving)}

    def dates(self) -> dict[str, str]:
        return {item["title"]: item["date_published"] for item in self.planet.items()}

    def asked(self, path: str = "/feed.json") -> int:
        return sum(request.path == path for request in self.server.requests)


@pytest.fixture
def site(a_planet: Planet, server: Server) -> Site:
    return Site(a_planet, server)


def atom(*entries: str, name: str) -> bytes:
    return (
        f"<feed xmlns='http://www.w3.org/2005/Atom'><title>{name}</title>"
        f"<id>urn:x:{name}</id><updated>2026-11-20T00:00:00Z</updated>"
        f"<author><name>{name}</name></author>{''.join(entries)}</feed>"
    ).encode()


def entry(title: str, published: str, updated: str, words: str = "Words.") -> str:
    """An entry of an Atom feed; a moment it has none of is empty."""
    dates = f"<published>{published}</published>" if published else ""
    return (
        f"<entry><id>urn:e:{title}</id><title>{title}</title>{dates}<updated>{updated}</updated>"
        f"<content>{words}</content></entry>"
    )


def carried(feed: bytes) -> bytes:
    """The feed of a planet that has it from another."""
    return feed.replace(b"</item>", b"<source url='https://a.example/feed'>Alice</source></item>")


def grow(site: Site) -> None:
    """Two days of a planet with dated, undated and edited entries, and with dates to come."""
    server, planet = site.server, site.planet
    site.meet("/two")
    server.feed("/one", rss("b", "a", name="One"), etag='"1"')
    server.feed("/two", carried(rss("y", "x", name="Two", dated=False)), etag='"1"')
    old, ahead = "2026-11-19T08:00:00Z", "2031-01-01T00:00:00.500Z"
    first = atom(entry("p", old, old), entry("q", ahead, ahead), name="Three")
    server.feed("/three", first, etag='"1"')
    planet.subscribe(*map(server.url, ("/one", "/two", "/three")))
    site.run()
    planet.later(days=1, microseconds=700_001)
    edit = "2026-11-22T11:59:00.25Z"
    edited = entry("p", edit, edit, "Other words."), entry("q", ahead, ahead, "Again.")
    server.feed("/three", atom(*edited, name="Three"), etag='"2"')
    server.feed("/two", carried(rss("z", "y", "x", name="Two", dated=False)), etag='"2"')
    server.feed("/one", rss("c", "b", "a", name="One"), etag='"2"')
    site.run()


def test_entries_keep_their_dates_and_ids_when_the_state_is_lost(site: Site) -> None:
    grow(site)
    site.publish()
    known, dates = ids(site), site.dates()
    site.lose()
    site.planet.later(days=3)

    report = site.run()

    address = site.server.url("/feed.json")
    assert site.told == (f"the state is empty; 8 entries are known again, from {address}")
    assert report.added == 0
    assert (ids(site), site.dates()) == (known, dates)
    site.planet.later(days=1)
    site.run()
    assert (ids(site), site.dates()) == (known, dates)
    # The first time was before there was a site.
    assert (site.told, site.asked()) == ("", 2)


@cases("scope", case("and nobody is asked", {}), case("offline, too", {"offline": True}))
def test_a_site_is_taken_back_from_the_output_folder(site: Site, scope: dict[str, bool]) -> None:
    grow(site)
    dates, known = site.dates(), ids(site)
    shutil.rmtree(site.planet.folder / "state")
    site.planet.later(days=3)
    file = site.planet.output / "feed.json"
    asked = site.asked()

    site.run(**scope)
    told = site.told
    site.planet.later(days=1)
    site.run()

    assert told == f"the state is empty; 8 entries are known again, from {file}"
    assert site.asked() == asked
    assert (site.dates(), ids(site)) == (dates, known)


def test_a_check_that_asks_new_feeds_takes_a_lost_state_back_first(site: Site) -> None:
    grow(site)
    dates, known = site.dates(), ids(site)
    shutil.rmtree(site.planet.folder / "state")

    checked = site.planet.call("check", "--online")

    assert (checked.code, site.planet.call("render").code) == (0, 0)
    assert "8 entries are known again" in checked.err
    assert (site.dates(), ids(site)) == (dates, known)


def test_a_feed_that_this_run_could_not_reach_gets_its_dates_in_the_next(site: Site) -> None:
    grow(site)
    site.publish()
    dates = site.dates()
    site.lose()
    site.server.script("/two", Response(status=503))
    site.planet.later(hours=1)
    site.run()
    site.server.feed("/two", rss("z", "y", "x", name="Two", dated=False))
    site.planet.later(days=1)

    site.run()

    assert site.told == ""
    assert site.dates() == dates


@cases("status", case("not yet", 404), case("not any more", 410))
def test_a_first_build_says_nothing_of_a_site_that_is_not_there(site: Site, status: int) -> None:
    site.planet.subscribe(site.server.feed("/one", rss("a")))
    site.server.script("/feed.json", Response(status=status))

    report = site.run()

    assert (report.notices, report.added) == ((), 1)


@cases(
    "answer, why",
    case("of another program", Response(body=b"{}"), "it is not a feed that Planet made"),
    case("huge", Response(body=b" " * (9 * 1024 * 1024)), "the answer is larger than 8 MiB"),
)
def test_a_planet_is_new_if_its_site_is_of_no_use(site: Site, answer: Response, why: str) -> None:
    site.planet.subscribe(site.server.feed("/one", rss("a")))
    site.server.script("/feed.json", answer)

    report = site.run()

    assert site.told.startswith("this planet is new, or its state was lost: nothing is known from ")
    assert why in site.told
    assert report.added == 1
    assert site.asked() == 1


@cases("more", case("no address", {}), case("for examples", {"link": "https://planet.example/"}))
def test_a_planet_that_is_published_nowhere_asks_nobody(site: Site, more: dict[str, str]) -> None:
    site.planet.subscribe(site.server.feed("/one", rss("a")))
    del site.planet.settings["link"]
    site.planet.settings |= more

    site.run()

    assert site.told == ""
    assert site.server.paths == ["/one"]


def ids(site: Site) -> dict[str, str]:
    """The published id of each entry, by title."""
    return {item["title"]: item["id"] for item in site.planet.items()}


def test_no_empty_site_comes_over_the_one_that_is_there(site: Site, shared: None) -> None:
    site.planet.subscribe(site.server.feed("/one", rss("a")))
    site.run()
    before = site.planet.site()
    shutil.rmtree(site.planet.folder / "state")

    refused = site.run(offline=True)

    assert refused.refused is not None
    assert refused.refused.startswith("no feed was ever read, so there is nothing to publish")
    assert refused.exit_code() is Exit.UNTRUSTWORTHY
    assert site.planet.site() == before

    site.server.script("/one", Response(status=500))
    failed = site.run()
    site.planet.later(minutes=15)
    waiting = site.run()

    assert failed.refused == "every feed failed; the site stays as it was"
    assert (waiting.outcomes, waiting.refused) == ([], refused.refused)
    assert site.planet.site() == before
    assert site.planet.call("render", "--force").code == 0
    assert site.planet.site() != before


def latest(path: str, count: int) -> bytes:
    """What a feed lists when it has had so many entries: the ten newest."""
    titles = [f"{number:02}" for number in range(count, count - 10, -1)]
    return rss(*titles, name=path.strip("/").title()).replace(b"20 Nov", b"21 Nov")


def test_a_lost_state_takes_no_more_than_half_of_a_site(site: Site) -> None:
    paths = ("/one", "/two", "/three")
    site.planet.subscribe(*map(site.server.url, paths))
    for count in (10, 15):
        for path in paths:
            site.server.feed(path, latest(path, count), etag=f'"{count}"')
        site.planet.later(days=1)
        site.run()
    site.publish()
    files = site.shown()
    shutil.rmtree(site.planet.folder / "state")
    site.server.script("/two", Response(status=503))
    site.server.script("/three", Response(status=503))

    for _ in range(2):
        site.planet.later(days=1)
        report = site.run()

        assert report.exit_code() == Exit.UNTRUSTWORTHY
        assert report.refused == (
            "the site would lose 35 of 45 entries because the state was lost or is new here; "
            "it stays as it was (`planet render --force` publishes it)"
        )
        assert site.shown() == files

    for path in paths:
        site.server.feed(path, latest(path, 15))
    site.planet.later(days=7)

    assert site.run().refused is None
    assert read_site(site.planet.site()["feed.json"], ()).total == 30


# Clocks that are wrong, and what is deleted and dated by them

DAY = timedelta(days=1)


def test_a_run_with_a_clock_far_ahead_deletes_nothing_and_the_next_one_goes_on(
    a_planet: Planet, server: Server
) -> None:
    url = server.script("/one", Response(body=rss("d", "c", "b", "a")))
    a_planet.subscribe({"url": url, "fetch": {"min_interval": "1h"}})
    a_planet.build()
    a_planet.later(days=2)
    server.script("/one", Response(body=rss("d")))
    before = a_planet.build()
    site = a_planet.site()

    a_planet.now += 4000 * DAY
    ahead = a_planet.build()
    a_planet.now -= 4000 * DAY
    after = a_planet.later(hours=3).build()

    assert (before.entries, ahead.entries, after.entries) == (4, 4, 4)
    assert (ahead.refused, after.refused) == (None, None)
    assert a_planet.site().keys() == site.keys()


def test_what_retention_deletes_goes_after_the_site(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(server.feed("/one", rss("d", "c", "b", "a"), etag='"1"'))
    a_planet.settings["retention"] = {"entries": "3d", "content": "1d"}
    a_planet.build()
    server.feed("/one", rss("d"), etag='"2"')
    a_planet.later(days=9)

    refused = a_planet.build()
    with a_planet.opened() as run:
        report = Report(started=a_planet.now)
        config = a_planet.config()
        keys = [feed.key for feed in config.feeds]
        still = len(run.store.entries.of_feeds(keys))
        publish_sites(config, config.feeds, run=run, report=report, trusted=True)
        retire(config, config.feeds, run=run)
        left = len(run.store.entries.of_feeds(keys))
    again = a_planet.build()

    assert (refused.refused is None, still) == (False, 4)
    assert (report.refused, report.entries, left) == (None, 1, 1)
    assert (again.refused, again.entries) == (None, 1)


def test_a_feed_that_left_the_config_is_forgotten_with_its_last_entry(
    a_planet: Planet, server: Server
) -> None:
    gone = server.feed("/gone", rss("b", name="Gone"))
    a_planet.settings["retention"] = {"entries": "20d"}
    a_planet.subscribe(server.feed("/one", rss("a")), gone)
    a_planet.build()
    a_planet.subscribe(server.url("/one"))

    known = []
    for days in (10, 15):
        a_planet.later(days=days).build()
        with a_planet.opened() as run:
            known.append(gone in run.store.states())

    assert known == [True, False]


def test_no_first_run_is_made_before_the_clock_is_set(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(server.feed("/one", rss("b", "a"), etag='"1"'))
    a_planet.settings["subscriptions"] = [server.feed("/list", b"<opml/>")]
    a_planet.now = datetime(1970, 1, 1, 0, 3, tzinfo=UTC)

    with pytest.raises(StateError, match="clock of this machine says 1970-01-01 00:03 UTC"):
        a_planet.build()
    asked = len(server.requests)
    a_planet.now = NOON
    a_planet.build()

    items = a_planet.items()
    assert asked == 0
    assert [item["date_published"][:10] for item in items] == ["2026-11-20", "2026-11-19"]


def test_digests_go_on_after_a_clock_that_was_ahead(a_planet: Planet, server: Server) -> None:
    a_planet.settings["digest"] = {"every": "day", "at": "09:00"}
    a_planet.settings["timezone"] = "UTC"
    a_planet.subscribe(server.feed("/one", rss("old", dated=False), etag='"1"'))
    a_planet.build()
    a_planet.now += 4000 * DAY
    server.feed("/one", rss("met ahead", "old", dated=False), etag='"2"')
    a_planet.build()
    a_planet.later(days=1).build()
    with a_planet.opened() as run:
        (ahead,) = run.store.digests.all()

    a_planet.now = NOON + 2 * DAY
    a_planet.build()
    server.feed("/one", rss("new", "met ahead", "old", dated=False), etag='"3"')
    a_planet.later(hours=3).build()
    a_planet.later(days=1).build()

    assert ahead.made_at > a_planet.now
    digests = {path.split("/")[1] for path in a_planet.site() if path.startswith("digest/2")}
    assert digests == {"2026-11-24"}
    assert "new" in a_planet.page("digest.xml")
