"""A state that is lost: what the published site says of its entries is taken back."""

import json
import re
import shutil
from typing import Any

import pytest

from planet import api
from planet.report import Exit, FailOn, Report
from planet.run.build import build
from planet.run.lists import load_feeds
from planet.run.open import Scope
from planet.run.publish import publish_sites
from planet.run.recover import read_post_count, recover
from tests.cases import case, cases
from tests.processes import without_check
from tests.run.test_recover import OF_ANOTHER, item, said
from tests.server import Response, Server
from tests.whole.conftest import Planet, rss


class Site:
    """A planet, published where its config says, whose state can be lost."""

    def __init__(self, planet: Planet, server: Server) -> None:
        self.planet, self.server = planet, server
        self.told = ""
        planet.settings["link"] = server.url("/")

    def run(self, **scope: Any) -> Report:
        """A run of `planet build`; the words about a lost state are in `told`."""
        config = self.planet.config()
        with self.planet.opened() as run:
            report, here = Report(started=self.planet.now), Scope(**scope)
            feeds = load_feeds(config, run=run, scope=here, report=report)
            self.told = recover(config, feeds, run=run, scope=here) or ""
            build(config, feeds, run=run, scope=here, report=report)
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


def test_a_site_comes_out_of_a_lost_state_byte_for_byte_and_once(site: Site) -> None:
    grow(site)
    site.publish()
    before, dates = site.shown(), site.dates()
    site.lose()
    site.planet.later(days=3)

    report = site.run()

    address = site.server.url("/feed.json")
    assert site.told == (f"the state is empty; 8 entries are known again, from {address}")
    assert report.added == 0
    assert site.dates() == dates
    assert site.shown() == before
    site.planet.later(days=1)
    site.run()
    # The first time was before there was a site.
    assert (site.told, site.asked()) == ("", 2)


@cases(
    "gone, left",
    case("all of them", None, "abcde"),
    case("those after one that is gone", "archive/2026-11/feed.json", "de"),
)
def test_the_archive_documents_of_a_site_give_back_what_its_feed_has_no_room_for(
    site: Site, gone: str | None, left: str
) -> None:
    site.planet.settings["pages"] = {"feed": 1}
    site.meet("/one")
    for number in range(1, 6):
        site.server.feed("/one", rss(*reversed("abcde"[:number]), name="One", dated=False))
        site.planet.later(days=3)
        site.run()
    for path, body in site.planet.site().items():
        if path.endswith("feed.json") and path != gone:
            site.server.feed(f"/{path}", body)
    before = site.shown()
    site.lose()
    site.server.feed("/one", rss("e", name="One", dated=False))
    site.planet.later(days=3)

    site.run()

    months = b"".join(body for path, body in site.shown().items() if path.startswith("2026/"))
    assert sorted(set(re.findall("All about (.)[.]", months.decode()))) == list(left)
    assert (site.shown() == before) is (gone is None)


@cases("scope", case("the web is down", {}), case("nobody is asked", {"offline": True}))
def test_a_site_is_taken_back_from_the_output_folder(site: Site, scope: dict[str, bool]) -> None:
    grow(site)
    before, dates, known = site.shown(), site.dates(), ids(site)
    shutil.rmtree(site.planet.folder / "state")
    site.planet.later(days=3)
    file = site.planet.output / "feed.json"

    site.server.script("/feed.json", Response(status=503))
    asked = site.asked()

    site.run(**scope)
    told = site.told
    site.planet.later(days=1)
    site.run()

    assert told.startswith("the state is empty; 8 entries are known again, ")
    assert told.endswith(f"from {file}")
    assert site.asked() - asked == (0 if scope else 1)
    assert (site.dates(), ids(site)) == (dates, known)
    assert site.shown() == before


def test_what_is_published_counts_more_than_what_lies_in_the_output_folder(site: Site) -> None:
    grow(site)
    site.publish()
    dates = site.dates()
    shutil.rmtree(site.planet.folder / "state")
    (site.planet.output / "feed.json").write_bytes(said())

    site.run()

    assert site.told.endswith(f"8 entries are known again, from {site.server.url('/feed.json')}")
    assert site.dates() == dates


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


def test_what_was_posted_since_is_new_and_what_was_held_back_is_not(site: Site) -> None:
    site.planet.settings |= {"new_feed_entries": 2, "pages": {"feed": 4}}
    site.meet("/two")
    site.server.feed("/one", rss("d", "c", "b", "a", name="One"))
    site.server.feed("/two", rss("z", "y", name="Two", dated=False))
    site.planet.subscribe(site.server.url("/one"), site.server.url("/two"))
    site.run()
    site.publish()
    before = site.dates()
    site.lose()
    site.planet.later(days=3)
    site.server.feed("/two", rss("new", "z", "y", name="Two", dated=False))

    report = site.run()

    assert sorted(before) == ["c", "d", "y", "z"]
    assert report.added == 3  # those held back of before, too, for the store
    assert site.dates() == {"new": "2026-11-24T12:00:00Z"} | {
        title: date for title, date in before.items() if title != "c"
    }


def test_an_undated_entry_that_the_feed_had_no_room_for_does_not_rise(site: Site) -> None:
    site.planet.settings["pages"] = {"feed": 2}
    site.meet("/one", "/two")
    site.server.feed("/one", rss("b", "a", name="One", dated=False))
    site.server.feed("/two", rss("z", "y", "x", name="Two", dated=False))
    site.planet.subscribe(site.server.url("/one"), site.server.url("/two"))
    site.run()
    site.publish()
    newest = site.dates()
    site.lose()
    site.planet.later(days=3)

    site.run()

    assert len(newest) == 2
    assert site.dates() == newest


@cases("status", case("not yet", 404), case("not any more", 410))
def test_a_first_build_does_not_sound_like_a_loss_where_nothing_is_published(
    site: Site, status: int
) -> None:
    site.planet.subscribe(site.server.feed("/one", rss("a")))
    site.server.script("/feed.json", Response(status=status))

    report = site.run()

    address = site.server.url("/")
    assert site.told == f"nothing is published at {address} yet; this run begins the site"
    assert report.added == 1


def test_of_two_sites_only_one_may_be_published_yet(site: Site) -> None:
    site.planet.subscribe(site.server.feed("/one", rss("a")))
    site.planet.settings["editions"] = {"all": {"folder": "."}, "calm": {"folder": "calm"}}
    site.server.script("/feed.json", Response(status=404))
    site.server.feed("/calm/feed.json", said())

    site.run()

    assert site.told == (
        "the state is empty; 0 entries are known again, "
        f"nothing is known from {site.server.url('/feed.json')}: nothing is published there, "
        f"from {site.server.url('/calm/feed.json')}"
    )


@cases(
    "answer, why",
    case("of another program", Response(body=b"{}"), OF_ANOTHER),
    case("huge", Response(body=b" " * (9 * 1024 * 1024)), "the answer is larger than 8 MiB"),
)
def test_a_planet_is_new_if_its_site_is_of_no_use(site: Site, answer: Response, why: str) -> None:
    site.planet.subscribe(site.server.feed("/one", rss("a")))
    site.server.script("/feed.json", answer)

    report = site.run()

    assert site.told.startswith("this planet is new, or its state was lost, nothing is known from ")
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


def test_what_was_seen_later_than_now_was_not_seen(site: Site) -> None:
    site.planet.subscribe({"url": site.server.feed("/one", rss("a")), "name": "One"})
    ahead = {"source": {"slug": "one"}, "first_seen": "2026-11-22T12:00:00Z"}
    site.server.feed("/feed.json", said(item(id="One a", _planet=ahead)))

    site.run()

    assert site.told.startswith("the state is empty; 0 entries are known again, from")
    assert site.dates() == {"a": "2026-11-20T08:00:00Z"}


@pytest.mark.parametrize("is_shown_first", [False, True])
def test_two_feeds_that_claim_one_id_keep_theirs(site: Site, is_shown_first: bool) -> None:
    bodies = rss("a", name="One"), rss("b", name="Two")
    one, two = (
        site.server.feed(f"/{number}", re.sub(rb">(One|Two) .<", b">https://id.example/1<", body))
        for number, body in enumerate(bodies)
    )
    site.planet.subscribe(two)
    site.run()
    site.planet.subscribe(one, two)
    site.planet.later(hours=2)
    site.run()
    site.publish()
    before = ids(site)
    shutil.rmtree(site.planet.folder / "state")
    if is_shown_first:
        # What the site told is on pages before any feed is read.
        site.run(offline=True)
        site.force()
        assert ids(site) == before

    site.run()

    assert before["b"] == "https://id.example/1"
    assert len(before) == 2
    assert ids(site) == before
    assert len(site.planet.items()) == 2


def ids(site: Site) -> dict[str, str]:
    """The published id of each entry, by title."""
    return {item["title"]: item["id"] for item in site.planet.items()}


def test_an_older_state_over_a_newer_site_shows_each_entry_once(site: Site) -> None:
    state = site.planet.folder / "state"
    site.planet.subscribe(site.server.feed("/one", rss("b", "a"), etag='"1"'))
    site.run()
    shutil.copytree(state, site.planet.folder / "older")
    site.planet.later(days=1)
    site.server.feed("/one", rss("c", "b", "a"), etag='"2"')
    site.run()
    site.publish()
    newer, known = site.shown(), ids(site)
    shutil.rmtree(state)
    (site.planet.folder / "older").rename(state)
    site.planet.later(days=1)

    site.run()

    assert site.told == ""
    assert ids(site) == known
    # Only JSON tells when an entry was first seen; for one of them that is lost.
    differ = [path for path, body in site.shown().items() if newer[path] != body]
    assert [path for path in differ if not path.endswith("feed.json")] == []


def test_two_states_that_publish_into_one_folder_leave_a_whole_site(site: Site) -> None:
    planet = site.planet
    planet.subscribe(site.server.feed("/one", rss("b", "a")))
    site.run()
    once = site.shown()
    state, other = planet.folder / "state", planet.folder / "other"
    for _ in range(2):
        # Each run finds what the other has left in the folder.
        if other.exists():
            state.rename(planet.folder / "third")
            other.rename(state)
            (planet.folder / "third").rename(other)
        else:
            state.rename(other)

        site.run()

        assert site.shown() == once


def test_a_server_that_is_to_be_left_alone_is_not_asked_for_the_site_either(site: Site) -> None:
    site.server.script("/one", Response(status=429, headers=(("Retry-After", "7200"),)))
    site.planet.subscribe(site.server.url("/one"))
    site.run()
    site.planet.later(hours=1)

    site.run()

    assert site.told.endswith("feed.json: its server is to be left alone")
    assert site.asked() == 1


def test_the_command_and_python_tell_what_is_known_again(site: Site) -> None:
    path = site.planet.folder / "config.yaml"
    site.planet.subscribe(site.server.feed("/one", rss("b", "a")))
    site.run()
    site.publish()
    words = f"the state is empty; 2 entries are known again, from {site.server.url('/feed.json')}"
    # By the real clock, the entries of the test are not written yet.
    seen = site.planet.site()["feed.json"].replace(b"2026-11-2", b"2020-11-2")
    site.server.feed("/feed.json", seen)
    site.lose()

    said = site.planet.call("build", "--json")

    assert said.code == 0
    assert words in said.err.splitlines()
    assert words in json.loads(said.out)["notices"]
    site.lose()
    assert words in api.Planet.from_config(path).build().notices
    assert api.Planet.from_config(path).build().notices == ()
    shutil.rmtree(site.planet.folder / "state")
    fetched = site.planet.call("fetch")
    assert (fetched.code, words in fetched.err.splitlines()) == (0, True)


def test_no_empty_site_comes_over_the_one_that_is_there(site: Site, shared: None) -> None:
    site.planet.subscribe(site.server.feed("/one", rss("a")))
    site.run()
    before = site.planet.site()
    shutil.rmtree(site.planet.folder / "state")

    refused = site.run(offline=True)

    assert refused.refused is not None
    assert refused.refused.startswith("no feed was ever read, so there is nothing to publish")
    assert refused.exit_code(FailOn()) is Exit.UNTRUSTWORTHY
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


# What feeds no longer list


def post_for_weeks(site: Site) -> list[str]:
    """Three feeds that list ten entries each, of 26 they had; the paths of their addresses."""
    names = ("One", "Two", "Three")
    paths = [f"/{name.lower()}" for name in names]
    site.planet.subscribe(*map(site.server.url, paths))
    for count in (10, 20, 26):
        for name, path in zip(names, paths, strict=True):
            titles = [f"{number:02}" for number in range(count, count - 10, -1)]
            feed = rss(*titles, name=name).replace(b"20 Nov", b"21 Nov")
            site.server.feed(path, feed, etag=f'"{count}"')
        site.planet.later(days=1)
        site.run()
    site.server.feed("/feed.json", site.planet.site()["feed.json"])
    site.server.feed("/planet.json", site.planet.site()["planet.json"])
    return paths


def told(site: Site) -> list[tuple[str, ...]]:
    """What the site says of each post, in its order."""
    names = ("id", "title", "url", "content_html", "date_published", "date_modified")
    return [
        (*(item.get(name, "") for name in names), item["_planet"]["first_seen"])
        for item in site.planet.items()
    ]


def test_entries_that_feeds_no_longer_list_come_back_with_their_texts_and_stay(site: Site) -> None:
    site.planet.settings["pages"] = {"feed": 100}
    path, *_ = post_for_weeks(site)
    before, files = told(site), site.shown()
    site.lose()
    site.planet.later(days=1)

    report = site.run()

    assert len(before) == 78
    assert site.told.startswith("the state is empty; 78 entries are known again, from ")
    assert report.refused is None
    assert told(site) == before
    assert site.shown() == files

    site.planet.later(days=1)
    titles = [f"{number:02}" for number in range(27, 17, -1)]
    site.server.feed(path, rss(*titles, name="One").replace(b"20 Nov", b"24 Nov"), etag='"27"')
    site.run()
    assert [post[1] for post in told(site)].count("27") == 1
    assert [post for post in told(site) if post[1] != "27"] == before


def test_a_site_is_not_replaced_by_less_than_it_shows_when_the_state_was_lost(site: Site) -> None:
    post_for_weeks(site)
    files = site.shown()
    shutil.rmtree(site.planet.folder / "state")

    for _ in range(2):
        site.planet.later(days=1)
        report = site.run()

        assert report.exit_code(FailOn()) == Exit.UNTRUSTWORTHY
        assert report.refused == (
            "the state was lost or is new here, and so far the site would lose 18 of 78 entries; "
            "it stays as it was (put a backup of the state in its place, or "
            "`planet render --force` publishes what there is)"
        )
        assert site.shown() == files

    site.force()

    assert read_post_count(site.planet.site()["planet.json"]) == 60
    site.planet.later(days=1)
    assert site.run().refused is None


def test_each_edition_is_held_against_its_own_site_when_the_state_was_lost(site: Site) -> None:
    site.planet.settings |= {
        "pages": {"feed": 3},
        "editions": {"all": {"folder": "."}, "few": {"folder": "few", "tags": ["few"]}},
    }
    site.server.feed("/one", rss("b", "a", name="One"), etag='"1"')
    site.server.feed("/two", rss("y", "x", name="Two"), etag='"1"')
    few = {"url": site.server.url("/one"), "tags": ["few"]}
    site.planet.subscribe(few, site.server.url("/two"))
    site.run()
    site.server.feed("/one", rss("d", "c", name="One"), etag='"2"')
    site.planet.later(days=1)
    site.run()
    # Of "few" more was published than anybody could take back; of the other, all there is.
    (site.planet.output / "planet.json").write_bytes(b'{"counts": {"posts": 5}}')
    for folder in ("archive", "few/archive"):
        shutil.rmtree(site.planet.output / folder)
    before = site.planet.site()
    shutil.rmtree(site.planet.folder / "state")
    site.planet.later(days=1)

    report = site.run()

    after = site.planet.site()
    assert report.refused is not None
    assert "so far the site few would lose 1 of 4 entries" in report.refused
    assert after["few/index.html"] == before["few/index.html"]
    assert after["planet.json"] != before["planet.json"]


def test_the_site_of_another_planet_is_no_measure(site: Site) -> None:
    post_for_weeks(site)
    site.lose()
    site.planet.subscribe(site.server.feed("/other", rss("a", name="Other")))

    report = site.run()

    assert report.refused is None
    assert [item["title"] for item in site.planet.items()] == ["a"]


def test_entries_of_a_feed_that_is_gone_come_back(site: Site) -> None:
    site.planet.settings["pages"] = {"feed": 100}
    path, *_ = post_for_weeks(site)
    before = told(site)
    site.lose()
    site.server.script(path, Response(status=410))
    site.planet.later(days=1)

    report = site.run()

    assert report.refused is None
    assert told(site) == before


def test_an_entry_whose_id_was_made_before_its_site_moved_comes_back_once(site: Site) -> None:
    site.server.feed("/one", rss("b", "a", name="One"), etag='"1"')
    site.planet.subscribe(site.server.url("/one"))
    site.run()
    site.planet.later(days=1)
    # The posts are numbered anew, and keep their links.
    site.server.feed("/one", rss("b", "a", name="One").replace(b">One ", b">1 "), etag='"2"')
    site.run()
    site.publish()
    known = ids(site)
    site.lose()
    site.planet.later(days=1)

    site.run()

    assert len(known) == 2
    assert ids(site) == known
    assert len(site.planet.items()) == 2


BAD = "javascript:alert(4711)"


def test_what_anybody_has_put_into_a_published_feed_is_cleaned_again(site: Site) -> None:
    site.planet.subscribe({"url": site.server.feed("/one", rss("a")), "name": "One"})
    site.server.script("/one", Response(status=503))
    text = f"<p onclick='{BAD}'>Words <a href='{BAD}'>x</a><script>{BAD}</script></p>"
    hostile = item(
        url=BAD,
        title="<script>Title</script>",
        content_html=text,
        summary="Words " * 10_000,
        image=BAD,
        attachments=[{"url": BAD, "mime_type": "audio/mpeg"}],
        authors=[{"name": "Ann", "url": BAD}],
    )
    site.server.feed("/feed.json", said(hostile, item(id="x" * 100_000)))
    site.server.feed("/planet.json", b'{"counts": {"posts": 1e999}}')

    site.run(offline=False)
    site.force()

    pages = b"".join(site.planet.site().values())
    assert b"Words" in pages
    assert b"4711" not in pages


# Whom to ask when, where the database alone is lost


def lose_the_database(site: Site) -> None:
    for path in (site.planet.folder / "state").glob("planet.sqlite*"):
        path.unlink()


def test_nobody_is_asked_before_time_when_the_database_is_lost(site: Site) -> None:
    server, planet = site.server, site.planet
    server.feed("/one", rss("b", "a", name="One"), etag='"1"')
    gone = server.script("/gone", Response(status=410))
    with Server() as other:
        late = other.script("/late", Response(status=429, headers=(("Retry-After", "86400"),)))
        planet.subscribe(server.url("/one"), gone, late)
        site.run()
        site.publish()
        files = site.shown()
        lose_the_database(site)
        planet.later(minutes=59)

        report = site.run(force=True)

        assert report.refused is None
        assert site.shown() == files
        planet.later(hours=20)
        site.run()

    # When the operator wanted it, and when it was due again.
    assert site.asked("/one") == 3
    assert site.asked("/gone") == 1
    assert other.paths == ["/late"]


def test_a_feed_is_asked_in_time_when_its_answers_are_lost_as_well(site: Site) -> None:
    site.server.feed("/one", rss("b", "a", name="One"), etag='"1"')
    site.planet.subscribe(site.server.url("/one"))
    site.run()
    site.publish()
    files = site.shown()
    lose_the_database(site)
    (site.planet.folder / "state/http.sqlite").unlink()
    site.planet.later(minutes=59)

    early = site.run()
    site.planet.later(days=1)
    late = site.run()

    assert early.refused is not None
    assert early.refused.startswith("no feed was ever read")
    assert site.asked("/one") == 2
    assert late.refused is None
    assert site.shown() == files
