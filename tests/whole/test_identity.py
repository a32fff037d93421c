"""Which entry and which feed is which, when sites move, number anew, or change their addresses."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planet.cli import main
from planet.config import load
from planet.model import FeedState, Moved
from planet.report import Report
from planet.store import Store
from tests.cases import case, cases
from tests.processes import without_check
from tests.server import Response, Server, moved
from tests.whole.conftest import NOON, Planet, call, rss

TITLES = ("c", "b", "a")


def items(planet: Planet, path: str = "feed.json") -> dict[str, dict[str, Any]]:
    found = {item["title"]: item for item in planet.items(path)}
    assert len(found) == len(planet.items(path)), "no title is there twice"
    return found


def ids(planet: Planet) -> dict[str, str]:
    return {title: item["id"] for title, item in items(planet).items()}


def read_twice(planet: Planet, server: Server, before: bytes, after: bytes) -> Report:
    """A feed that is read with one body, and two days later with another."""
    planet.subscribe(server.script("/one", Response(body=before), Response(body=after)))
    planet.build()
    planet.later(days=2)
    return planet.build()


def numbered_anew(body: bytes) -> bytes:
    return body.replace(b">One ", b">https://one.example/?id=")


def by_https(body: bytes) -> bytes:
    """As a site writes its feed whose ids are its links."""
    return body.replace(b">One ", b">https://one.example/")


def by_http(body: bytes) -> bytes:
    return by_https(body).replace(b"https:", b"http:")


def elsewhere(body: bytes) -> bytes:
    return by_https(body).replace(b"https://one.example/", b"https://www.new.example/")


def tracked(body: bytes) -> bytes:
    return numbered_anew(body).replace(b"</link>", b"/?utm_source=rss</link>")


@cases(
    "before, after",
    case("https", by_http, by_https),
    case("another host", by_https, elsewhere),
    case("other ids", by_https, numbered_anew),
    case("other ids, and links that are tracked", by_https, tracked),
)
def test_no_post_comes_again_from_a_site_that_moves(
    a_planet: Planet,
    server: Server,
    before: Callable[[bytes], bytes],
    after: Callable[[bytes], bytes],
) -> None:
    a_planet.subscribe(
        server.script(
            "/one",
            Response(body=before(rss(*TITLES))),
            Response(body=after(rss("d", *TITLES).replace(b"17 Nov", b"18 Nov"))),
            Response(body=after(rss("e", "d", *TITLES))),
        )
    )
    a_planet.build()
    first, published = ids(a_planet), items(a_planet)

    reports = [a_planet.later(days=2).build() for _ in range(2)]

    assert [report.added for report in reports] == [1, 1]
    assert sorted(ids(a_planet)) == ["a", "b", "c", "d", "e"]
    assert {title: ids(a_planet)[title] for title in TITLES} == first
    for title in TITLES:
        assert items(a_planet)[title]["url"].endswith((f"/{title}", f"/{title}/?utm_source=rss"))
        assert items(a_planet)[title].get("date_modified") == published[title].get("date_modified")


def test_a_post_with_the_link_of_one_still_there_is_new(a_planet: Planet, server: Server) -> None:
    before = rss(*TITLES)
    twin = before.replace(b">One c<", b">One c again<")

    report = read_twice(a_planet, server, before, twin)

    assert report.added == 1


def test_words_edited_without_date_move_that_of_the_edit(a_planet: Planet, server: Server) -> None:
    before = rss(*TITLES)
    after = before.replace(b"All about b.", b"All about b, and more.")

    report = read_twice(a_planet, server, before, after)

    assert report.added == 0
    found = items(a_planet)
    assert {title: item.get("date_modified") for title, item in found.items()} == {
        "a": "2026-11-18T08:00:00Z",
        "b": "2026-11-23T12:00:00Z",
        "c": "2026-11-20T08:00:00Z",
    }
    assert found["b"]["date_published"] == "2026-11-19T08:00:00Z"
    assert b"<updated>2026-11-23T12:00:00Z</updated>" in a_planet.site()["atom.xml"]


# A feed whose address the operator changes by hand


def with_a_new_address(planet: Planet, server: Server, before: bytes, after: bytes) -> Report:
    """What the run tells in which a feed of the config is at another address."""
    planet.subscribe(server.feed("/old", before))
    planet.build()
    planet.later(days=2)
    planet.subscribe(server.feed("/new", after))
    return planet.build()


@cases(
    "changed",
    case("as they were", lambda body: body),
    case("with other ids", lambda body: body.replace(b">One ", b">7 One ")),
    case("on another host", elsewhere),
)
def test_a_feed_at_another_address_is_known_by_its_posts(
    a_planet: Planet, server: Server, changed: Callable[[bytes], bytes]
) -> None:
    a_planet.subscribe(server.feed("/old", rss(*TITLES)))
    a_planet.build()
    first, seen = ids(a_planet), [item["_planet"]["first_seen"] for item in a_planet.items()]

    a_planet.later(days=2)
    new = rss("d", *TITLES).replace(b"17 Nov", b"18 Nov")
    a_planet.subscribe(server.feed("/new", changed(new)))
    report = a_planet.build()

    assert report.added == 1
    assert {title: ids(a_planet)[title] for title in TITLES} == first
    found = items(a_planet)
    assert [found[title]["_planet"]["first_seen"] for title in TITLES] == seen
    sources = [found[title]["_planet"]["source"] for title in TITLES]
    assert {source["feed_url"] for source in sources} == {server.url("/new")}


def test_another_feed_in_the_place_of_one_begins_anew(a_planet: Planet, server: Server) -> None:
    before = rss(*TITLES).replace(b">One ", b">")

    after = rss("f", "e", "d").replace(b">One f", b">a")
    report = with_a_new_address(a_planet, server, before, after)

    assert report.added == 3
    assert sorted(items(a_planet)) == ["d", "e", "f"]


# Pages that are no posts

PAGE = (
    b"<item><title>Contact</title><link>https://one.example/contact</link>"
    b"<pubDate>Mon, 01 Jan 0001 00:00:00 +0000</pubDate>"
    b"<description>&lt;a href='https://elsewhere.example/'>Write&lt;/a> to us.</description></item>"
)


def with_pages(body: bytes) -> bytes:
    """A feed with pages above its posts, as some generators of sites write them."""
    return body.replace(b"<item>", PAGE + PAGE.replace(b"ontact", b"lub") + b"<item>", 1)


def test_pages_without_date_stand_below_their_feeds_posts(a_planet: Planet, server: Server) -> None:
    a_planet.settings["new_feed_entries"] = 4
    a_planet.subscribe(server.feed("/one", with_pages(rss(*TITLES))))

    a_planet.build()

    found = items(a_planet)
    assert list(found) == [*TITLES, "Contact"], "there is room for one page"
    assert found["Contact"]["date_published"] == found["a"]["date_published"]
    assert "2026-11-21" not in a_planet.page().partition("<main")[2].partition("<footer")[0]
    assert "elsewhere.example" not in a_planet.page("links/index.html")


def test_an_undated_feed_has_its_own_page_and_news_on_all(a_planet: Planet, server: Server) -> None:
    bodies = rss("b", "a", dated=False), rss("c", "b", "a", dated=False)
    url = server.script("/one", *(Response(body=body) for body in bodies))
    only = {"id": "one", "filters": {"exclude": "none"}}
    a_planet.subscribe({"url": url, **only}, server.feed("/two", rss("z", name="Two")))
    a_planet.build()
    first = list(items(a_planet))
    a_planet.later(days=2)

    a_planet.build()

    assert (first, list(items(a_planet))) == (["z"], ["c", "z"])
    assert list(items(a_planet, "source/one/feed.json")) == ["c", "b", "a"]
    page = a_planet.page("source/one/index.html")
    assert all(f"All about {title}." in page for title in "abc")


# A feed that moves for good, from the first redirect to the operator's config

CONFIG = """\
# Ours
title:   The Planet  # short
fetch: {{host_gap: 0s, timeout: 10m}}

feeds:
    - {well}

    - url:  '{old}'  # a friend
      name: Friend
"""


pytestmark = pytest.mark.usefixtures("folder")


def run(planet: Planet) -> Report:
    """A run with the config as it is written, two days after the last."""
    config = load(planet.folder / "config.yaml", environ={})
    report = planet.build(config)
    planet.later(days=2)
    return report


def moved_for_good(planet: Planet, server: Server) -> str:
    """A planet one of whose feeds has moved, and is asked at its new address by now."""
    well = server.feed("/well", rss("w", name="Well"), etag='"1"')
    new = server.feed("/new", rss("a", "b"), etag='"1"')
    old = server.script("/old", moved(new, 301))
    (planet.folder / "config.yaml").write_text(CONFIG.format(well=well, old=old))
    reports = [run(planet) for _ in range(4)]
    told = [outcome.advice for report in reports for outcome in report.outcomes if outcome.is_news]
    assert server.paths.count("/old") == 3
    assert [advice.words for advice in told if advice] == [
        f"It has moved to {new} for good: let `planet status --fix` write that to the config."
    ]
    return new


def known_to_have_moved(folder: Path, **moves: str) -> None:
    """What a run would have learned: where feeds have moved, by their addresses."""
    with Store.open(folder / "state") as store:
        for name, new in moves.items():
            url = f"https://{name}.example/feed"
            adopted = Moved(to=new, since=NOON, times=3, adopted=True)
            store.keep(FeedState(key=url, url=url, moved=adopted))


def front(planet: Planet) -> bytes:
    """The front page, but for when the feeds were checked."""
    return without_check(planet.site())["index.html"]


def test_a_move_is_written_into_config_and_picks_and_the_feed_keeps_its_past(
    a_planet: Planet, server: Server
) -> None:
    new = moved_for_good(a_planet, server)
    picks = a_planet.folder / "picks.yaml"
    picks.write_text(
        "picks:\n  - title: a\n    picked: 2026-11-21\n    enclosure: https://one.example/a.mp3\n"
        f"    feed: {server.url('/old')}  # a friend\n    id: One a\n"
    )
    picked = picks.read_text()
    run(a_planet)
    before, page = (a_planet.folder / "config.yaml").read_text(), front(a_planet)

    code, out, _ = call("status", "--fix")
    server.requests.clear()
    report = run(a_planet)

    assert code == 0
    assert f"has moved to {new}" in out
    assert (a_planet.folder / "config.yaml").read_text() == before.replace(server.url("/old"), new)
    assert picks.read_text() == picked.replace("/old", "/new")
    (request,) = [request for request in server.requests if request.path != "/well"]
    assert (request.path, request.header("If-None-Match")) == ("/new", '"1"')
    assert [outcome.status for outcome in report.outcomes] == [304, 304]
    assert (report.added, report.issues, front(a_planet)) == (0, [], page)
    with a_planet.opened() as opened:
        assert {*opened.store.states()} == {server.url("/well"), new}


LIST = """\
<opml version="2.0"><body>
<outline text="Two" xmlUrl="https://two.example/feed"/>
</body></opml>
"""


def not_for_the_config(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A config whose feeds have moved, and that can tell it of none; what is to be done instead."""
    monkeypatch.setenv("TOKEN", "private")
    (folder / "two.opml").write_text(LIST)
    (folder / "config.yaml").write_text(
        "title: A planet\n"
        "subscriptions: [two.opml, https://list.example/feed]\n"
        "feeds:\n"
        "  - https://one.example/feed\n"
        "  - https://four.example/feed\n"
        "  - {url: 'https://${TOKEN}.example/feed', id: https://private.example/feed}\n"
    )
    known_to_have_moved(
        folder,
        one="https://four.example/feed",
        two="https://new.example/two?key=secret",
        three="https://new.example/three",
        private="https://new.example/env",
    )
    with Store.open(folder / "state") as store:
        store.keep(FeedState(key="https://list.example/feed", url="https://list.example/feed"))
        store.feeds.put_body("https://list.example/feed", LIST.replace("two", "three").encode())
    return [
        "config.yaml:4:5  https://one.example/feed has moved to https://four.example/feed; which "
        "is a feed here already",
        "config.yaml:6:11  https://private.example/feed has moved to https://new.example/env; "
        "write that where it stands",
        "two.opml:2:1  https://two.example/feed has moved to https://new.example/two?key=…; "
        "write that where it stands",
        "https://list.example/feed:2:1  https://three.example/feed has moved to "
        "https://new.example/three; write that where it stands",
        "no address was changed",
    ]


def test_a_move_not_for_the_config_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_hand = not_for_the_config(folder, monkeypatch)
    before = (folder / "config.yaml").read_text()

    code, out, err = call("status", "--fix")

    assert (code, out) == (0, "")
    assert {line.partition(";")[0] for line in err.splitlines()} == {
        line.replace(", which", ";").partition(";")[0] for line in by_hand
    }
    assert (folder / "config.yaml").read_text() == before


def test_a_config_with_mistakes_is_not_changed(folder: Path) -> None:
    (folder / "config.yaml").write_text("titel: A planet\nfeeds: [https://one.example/feed]\n")
    known_to_have_moved(folder, one="https://new.example/")

    assert main(["status", "--fix"]) == 2
