"""The promises of `planet.build`, from config to folder."""

import json
import shutil
import sqlite3
import threading
from contextlib import closing
from datetime import timedelta

from planet.report import Exit
from tests.cases import case, cases
from tests.patience import patient
from tests.processes import files
from tests.server import Response, Server
from tests.whole.conftest import DEMO, NOON, Planet, outcomes, rss

RSS_092 = b"""<rss version="0.92"><channel><title>Old</title><link>https://old.example/</link>
<item><title>From 0.92</title><link>https://old.example/1</link></item></channel></rss>"""
ATOM_03 = b"""<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>Older</title>
<link rel="alternate" type="text/html" href="https://older.example/"/>
<entry><title>From 0.3</title><id>tag:older.example,2004:1</id>
<link rel="alternate" type="text/html" href="https://older.example/1"/>
<modified>2026-11-01T10:00:00Z</modified></entry></feed>"""


def feeds_of_all_formats(server: Server) -> list[object]:
    documents = {path.name: path.read_bytes() for path in sorted(DEMO.iterdir())}
    documents |= {"rss-092.xml": RSS_092, "atom-03.xml": ATOM_03}
    return [
        {"url": server.feed(f"/{name}", body, etag=f'"{name}"'), "id": name.partition(".")[0]}
        for name, body in documents.items()
    ]


def test_feeds_of_all_formats_become_a_site(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(*feeds_of_all_formats(server))

    report = a_planet.build()

    assert (len(report.outcomes), report.failed) == (16, [])
    assert report.added == 78
    sources = a_planet.page("sources/index.html")
    assert all(name in sources for name in ("Harbour Notes", "Old", "Older", "دفتر البستان"))
    assert "From 0.92" in sources, "its source has nothing else"
    assert "From 0.92" not in a_planet.page(), "it has no date"
    assert any(b"From 0.92" in page for path, page in a_planet.site().items() if "source/" in path)
    assert report.exit_code() is Exit.DONE


def test_texts_are_cleaned_with_nh3_and_again_with_bleach_where_the_config_says_so(
    a_planet: Planet, server: Server
) -> None:
    def cleaned_with() -> set[str]:
        with closing(sqlite3.connect(a_planet.folder / "state" / "planet.sqlite")) as state:
            found = state.execute("SELECT cleaning FROM entry WHERE cleaning NOTNULL")
            return {cleaning.partition("-")[0] for (cleaning,) in found}

    a_planet.subscribe(server.feed("/", rss("one", "two"), etag='"1"'))
    a_planet.build()
    first, site = cleaned_with(), a_planet.site()

    a_planet.settings["sanitizer"] = "bleach"
    a_planet.build()

    assert (first, cleaned_with()) == ({"nh3"}, {"bleach"})
    assert a_planet.site() == site


def test_a_second_run_is_all_304_and_writes_nothing(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(*feeds_of_all_formats(server))
    a_planet.build()
    site, times = a_planet.site(), a_planet.times()

    report = a_planet.later(days=2).build()

    assert [outcome.status for outcome in report.outcomes] == [304] * 16
    assert not report.changed
    assert (a_planet.site(), a_planet.times()) == (site, times)


def test_the_same_site_in_an_empty_folder_is_no_other(a_planet: Planet, server: Server) -> None:
    # As on a runner, which is given the state and nothing else.
    a_planet.subscribe(server.feed("/one.xml", rss("a"), etag='"1"'))
    first = a_planet.build()
    shutil.rmtree(a_planet.output)

    second = a_planet.build()

    assert (first.changed, second.changed) == (True, False)
    assert second.written == second.restored == first.written
    assert second.outcome == f"{len(first.written)} files written (1 entry)"


def test_a_changed_feed_changes_only_the_pages_it_touches(a_planet: Planet, server: Server) -> None:
    only = {"id": "one", "filters": {"exclude": "none"}}
    a_planet.subscribe(
        {"url": server.feed("/one", rss("a"), etag='"1"'), **only},
        {"url": server.feed("/two", rss("b", name="Two"), etag='"1"'), "id": "two"},
    )
    a_planet.build()

    server.feed("/one", rss("new", "a"), etag='"2"')
    report = a_planet.later(days=2).build()

    folders = ("", "2026/11/", "about/", "archive/", "source/one/")
    assert set(report.written) == {
        *(f"{folder}index.html" for folder in (*folders, "sources/")),
        *("atom.xml", "feed.json", "source/one/atom.xml", "source/one/feed.json"),
        *("health.json", "planet.json"),
    }
    assert (report.added, report.deleted) == (1, ())


TROUBLES = {
    "http_500": Response(status=500),
    "http_404": Response(status=404),
    "timeout": Response(hold=threading.Event()),
    "broken_answer": Response(raw=b"nonsense\r\n"),
    "not_a_feed": Response(body=b"\x00\xff\xfe rubbish"),
    "not_a_feed, but a page": Response(body=b"<!doctype html><title>Login</title>"),
    "empty": Response(body=b""),
    "truncated": Response(headers=(("Content-Length", "999"),), body=rss("cut")),
}


def test_feeds_in_trouble_keep_their_last_words_and_stop_no_other(
    a_planet: Planet, server: Server
) -> None:
    well = server.script("/well", *(Response(body=rss("w", name="Well")) for _ in range(2)))
    feeds = []
    for number, (kind, answer) in enumerate(TROUBLES.items()):
        body = rss(f"last-words-{number}", name=f"Ill{number}")
        url = server.script(f"/{number}", Response(body=body), answer)
        feeds.append({"url": url, "name": kind})
    a_planet.settings["fetch"] = {"host_gap": "0s", "timeout": f"{patient(2):.0f}s"}
    a_planet.subscribe(well, *feeds)
    a_planet.build()
    site = a_planet.site()

    report = a_planet.later(days=2).build()

    expected = {kind: kind.partition(",")[0] for kind in TROUBLES}
    assert outcomes(report) == {"Well": "same"} | expected
    assert a_planet.site() == site
    assert all(f"last-words-{number}" in a_planet.page() for number in range(len(TROUBLES)))
    assert report.exit_code() is Exit.DONE


def subscribe_a_long_one(planet: Planet, server: Server) -> None:
    planet.subscribe(
        {"url": server.script("/long", Response(body=rss("b"))), "name": "The long one"},
        server.script("/well", Response(body=rss("a", name="Well"))),
    )


def test_a_feed_that_there_is_no_time_to_read_fails_and_is_read_when_it_is_due(
    a_planet: Planet, server: Server
) -> None:
    subscribe_a_long_one(a_planet, server)
    a_planet.has_no_time_for = "/long"
    first = a_planet.build()
    a_planet.has_no_time_for = None
    second, third = a_planet.later(minutes=30).build(), a_planet.later(days=2).build()

    assert [failed.line for failed in first.failed] == ["The long one: this machine was busy"]
    assert "All about a." in a_planet.page()
    assert outcomes(second) == {}
    assert [one.name for one in third.outcomes if one.added] == ["The long one"]


def test_everything_down_keeps_the_site_and_says_so(a_planet: Planet, server: Server) -> None:
    for name in ("a", "b"):
        server.script(f"/{name}", Response(body=rss(name)), Response(status=503))
    a_planet.subscribe(server.url("/a"), server.url("/b"))
    a_planet.build()
    site = a_planet.site()

    report = a_planet.later(days=2).build()

    assert report.exit_code() is Exit.UNTRUSTWORTHY
    assert report.outcome == "every feed failed; the site stays as it was"
    assert a_planet.site() == site


def test_offline_asks_nobody_and_still_reads_files(a_planet: Planet, server: Server) -> None:
    (a_planet.folder / "mine.xml").write_bytes(rss("mine", name="Mine"))
    a_planet.subscribe(server.feed("/one", rss("a")), "mine.xml")

    report = a_planet.build(offline=True)

    assert (server.requests, outcomes(report)) == ([], {"Mine": "new"})
    assert "All about mine." in a_planet.page()


def test_undated_entries_stay_where_they_were_first_met(a_planet: Planet, server: Server) -> None:
    for titles in ((), ("second", "first"), ("third", "second", "first")):
        a_planet.subscribe(server.script("/one", Response(body=rss(*titles, dated=False))))
        a_planet.build()
        a_planet.later(days=2)

    page = a_planet.page()
    assert sorted(("first", "second", "third"), key=page.index) == ["third", "second", "first"]
    assert page.index("2026-11-25") < page.index("third") < page.index("2026-11-23")


def test_a_filter_that_changes_works_at_once_by_itself(a_planet: Planet, server: Server) -> None:
    url = server.feed("/one", rss("apples", "pears"), etag='"1"')
    a_planet.subscribe(url)
    a_planet.build()

    a_planet.later(minutes=1)
    a_planet.subscribe({"url": url, "filters": {"exclude": "pears"}})
    a_planet.build()

    assert ("apples" in a_planet.page(), "pears" in a_planet.page()) == (True, False)
    assert len(server.requests) == 1


def test_a_planet_that_would_lose_most_entries_stays(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(server.feed("/one", rss("d", "c", "b", "a"), etag='"1"'))
    a_planet.settings["retention"] = {"entries": "1d", "content": "1d"}
    a_planet.build()
    site = a_planet.site()
    server.feed("/one", rss("d"), etag='"2"')

    a_planet.later(days=30)
    a_planet.settings["fetch"]["workers"] = 7  # which no page shows
    refused = a_planet.build()
    forced = a_planet.build(force=True)

    assert refused.exit_code() is Exit.UNTRUSTWORTHY
    assert refused.outcome.startswith("the site would lose 3 of 4 entries")
    assert forced.exit_code() is Exit.UNTRUSTWORTHY
    assert a_planet.site() == site


@cases(
    "max_age, lost, is_refused",
    case("nine tenths and more", "1h", 20, True),
    case("most", "66h", 18, False),
)
def test_a_change_of_the_config_that_takes_entries_away_is_told_in_numbers(
    a_planet: Planet, server: Server, max_age: str, lost: int, is_refused: bool
) -> None:
    titles = "abcdefghijklmnopqrst"
    a_planet.subscribe({"url": server.feed("/one", rss(*titles)), "new_feed_entries": "all"})
    a_planet.build()
    site = a_planet.site()

    a_planet.settings["filters"] = {"max_age": max_age}
    report = a_planet.build()

    told = report.refused if is_refused else "\n".join(report.notices)
    assert f"{lost} of 20 entries by what has changed in the config" in (told or "")
    assert report.exit_code() is (Exit.UNTRUSTWORTHY if is_refused else Exit.DONE)
    assert (a_planet.site() == site) is is_refused


def test_a_site_that_its_config_empties_is_published_when_the_operator_wants_it(
    a_planet: Planet, server: Server
) -> None:
    a_planet.subscribe(server.feed("/one", rss("b", "a")))
    a_planet.build()
    a_planet.settings["filters"] = {"exclude": "all about"}
    refused = a_planet.build()

    forced = a_planet.call("render", "--force")
    again = a_planet.later(minutes=1).build()

    assert refused.outcome == (
        "the site would lose 2 of 2 entries by what has changed in the config; it stays as it was "
        "(`planet render --force` publishes it)"
    )
    assert (forced.code, again.refused) == (0, None)
    assert "All about a." not in a_planet.page()


def test_entries_that_are_too_old_are_no_loss(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(server.feed("/one", rss("d", "c", "b", "a"), etag='"1"'))
    a_planet.settings["filters"] = {"max_age": "5d"}
    a_planet.build()
    assert "All about a." in a_planet.page()

    report = a_planet.later(days=2.9).build()

    assert (report.refused, report.entries) == (None, 1)
    assert "All about a." not in a_planet.page()


@cases(
    "answer, kind",
    case("is down", Response(status=500), "http_500"),
    case("is a login page", Response(body=b"<!doctype html>Login"), "bad_list"),
    case("is cut short", Response(body=b"<opml"), "bad_list"),
)
def test_a_list_on_the_web_brings_feeds_and_keeps_them_while_it_fails(
    a_planet: Planet, server: Server, answer: Response, kind: str
) -> None:
    listed = server.feed("/one", rss("a"), etag='"1"')
    opml = f"<opml version='2.0'><body><outline xmlUrl='{listed}'/></body></opml>".encode()
    good = Response(headers=(("ETag", '"l"'),), body=opml)
    a_planet.settings |= {"subscriptions": [server.script("/list.opml", good, answer)], "feeds": []}
    a_planet.build()

    report = a_planet.later(days=2).build()

    assert "All about a." in a_planet.page()
    assert sorted(outcomes(report).values()) == sorted(["same", kind])
    first, second = [("/list.opml", None), ("/one", None)], [("/list.opml", '"l"'), ("/one", '"1"')]
    assert server.asked == first + second


def test_a_list_that_was_never_read_publishes_nothing(a_planet: Planet, server: Server) -> None:
    a_planet.settings |= {"subscriptions": [server.url("/list.opml")], "feeds": []}

    report = a_planet.build()

    assert report.exit_code() is Exit.UNTRUSTWORTHY
    assert [outcome.error_kind for outcome in report.outcomes] == ["http_404"]
    assert not a_planet.output.exists()


# A run that asks nobody and publishes nothing leaves the state as it was, byte for byte


def known(planet: Planet) -> dict[str, bytes]:
    """What the state folder holds."""
    return files(planet.folder / "state")


def test_a_run_in_which_nobody_is_asked_leaves_the_state_as_it_was(
    a_planet: Planet, server: Server
) -> None:
    blogroll = b"<opml version='2.0'><body/></opml>"
    a_planet.settings["subscriptions"] = [server.feed("/list.opml", blogroll, etag='"1"')]
    a_planet.subscribe(server.feed("/one", rss("a"), etag='"1"'), server.url("/gone"))
    a_planet.build()
    before, asked = known(a_planet), len(server.requests)

    runs = [a_planet.later(minutes=10).build(if_changed=True) for _ in range(3)]

    assert [run.changed for run in runs] == [False] * 3
    assert len(server.requests) == asked
    assert before.keys() >= {"planet.sqlite", "http.sqlite"}
    assert known(a_planet) == before


def test_a_run_in_which_a_feed_has_nothing_new_leaves_the_answers_as_they_were(
    a_planet: Planet, server: Server
) -> None:
    a_planet.subscribe(server.feed("/one", rss("a"), etag='"1"'))
    a_planet.build()
    before = known(a_planet)

    run = a_planet.later(days=1).build(if_changed=True)

    after = known(a_planet)
    assert [outcome.status for outcome in run.outcomes] == [304]
    assert {name for name in after if after[name] != before.get(name)} == {
        "planet.sqlite",
    }


def test_a_site_without_news_says_once_a_week_when_its_feeds_were_last_asked(
    a_planet: Planet, server: Server
) -> None:
    a_planet.subscribe(server.feed("/one", rss("a"), etag='"1"'))

    def as_of() -> str:
        told: str = json.loads(a_planet.page("planet.json"))["as_of"]
        assert f'Last checked <time datetime="{told}">' in a_planet.page()
        return told

    a_planet.build()
    first = as_of()
    quiet = [a_planet.later(days=1).build(if_changed=True).changed for _ in range(6)]
    second = as_of()
    weekly = a_planet.later(days=1).build(if_changed=True)

    moving = {"index.html", "planet.json", "health.json"}
    assert quiet == [False] * 6
    assert (weekly.changed, set(weekly.written)) == (True, moving)
    assert (first, second) == (NOON.isoformat(), NOON.isoformat())
    assert as_of() == (NOON + timedelta(days=7)).isoformat()
