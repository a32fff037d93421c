"""Episodes that are picked, from the feed to `picks.yaml`, whatever becomes of their source."""

import re
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from planet.config import Config, load
from planet.model import handle
from planet.picks import pick
from tests.patience import PATIENCE
from tests.server import Response, Server
from tests.site.feeds.make import problems
from tests.whole.conftest import CHECKOUT, NOON, Planet, call, rss

PICKS = "picks.yaml"
PODCAST = "{https://podcastindex.org/namespace/1.0}"


pytestmark = pytest.mark.usefixtures("folder")


def episode(name: str, *, date: str = "", more: str = "", notes: str | None = None) -> str:
    dated = f"<pubDate>{date} Nov 2026 08:00:00 GMT</pubDate>" if date else ""
    return (
        f"<item><title>{name}</title><guid isPermaLink='false'>id {name}</guid>{dated}"
        f"<link>https://show.example/{name}</link>"
        f"<enclosure url='https://show.example/{name}.mp3' type='audio/mpeg' length='1000'/>"
        f"<description>{notes or f'All about {name}.'}</description>{more}</item>"
    )


def podcast(*items: str, name: str = "Show") -> bytes:
    return (
        "<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel>"
        f"<title>{name}</title><link>https://show.example/</link>{''.join(items)}</channel></rss>"
    ).encode()


def shows(*names: str) -> bytes:
    """A podcast with these episodes, newest first."""
    return podcast(*(episode(name, date=f"{19 - place:02}") for place, name in enumerate(names)))


def only(url: str, **said: Any) -> dict[str, Any]:
    return {"url": url, "id": "show", "picks": "only", **said}


@pytest.fixture
def show(a_planet: Planet, server: Server) -> Planet:
    """A planet that shows nothing but picks of one feed, which has three episodes."""
    a_planet.subscribe(only(server.feed("/show", shows("c", "b", "a"))))
    a_planet.build()
    return a_planet


def listed(*arguments: str) -> list[str]:
    code, out, _ = call("episodes", *arguments)
    assert code == 0
    return re.findall(r": (.*?)(?:  \(picked\))?$", out, re.MULTILINE)


def picked(planet: Planet) -> list[str | None]:
    """The titles of the picks, in the order of the file."""
    return [pick.title for pick in load(planet.folder / "config.yaml", environ={}).picks]


def stored(planet: Planet) -> list[str]:
    return ids(planet, "SELECT id FROM entry WHERE kept ORDER BY number")


def pickable(planet: Planet) -> list[str]:
    """The ids of all episodes of feeds that show picks only, newest first."""
    return ids(planet, "SELECT id FROM entry WHERE NOT kept ORDER BY dated DESC")


def ids(planet: Planet, query: str) -> list[str]:
    with closing(sqlite3.connect(planet.folder / "state" / "planet.sqlite")) as db:
        return [row[0] for row in db.execute(query)]


def test_a_feed_of_picks_only_is_empty_until_one_is_made(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(only(server.feed("/show", shows("b", "a"))), server.feed("/one", rss("x")))

    report = a_planet.build()
    before = (stored(a_planet), report.entries, listed("show"))
    offered = re.findall(r'title="(\w)"', a_planet.page("source/show/index.html"))
    code, out, err = call("pick", "id a", "--note", "Listen to this")

    assert before == (["One x"], 1, ["b", "a"])
    assert offered == ["b", "a"], "the newest first"
    assert (code, out) == (0, f"picked {handle('show', 'id a')} Show: a\n")
    assert err == "The next `planet build` publishes it.\n"
    assert picked(a_planet) == ["a"]
    assert a_planet.build().entries == 2
    assert "Listen to this" in (a_planet.folder / PICKS).read_text(encoding="utf-8")


@pytest.mark.parametrize("fate", ["drops it", "is gone", "cannot be reached", "leaves the config"])
def test_a_pick_outlives_its_source(fate: str, a_planet: Planet, server: Server) -> None:
    other = server.feed("/one", rss("x"))
    url = server.feed("/show", shows("b", "a"))
    a_planet.subscribe(only(url), other)
    a_planet.build()
    call("pick", "https://show.example/a.mp3")
    written = (a_planet.folder / PICKS).read_bytes()
    (before,) = load(a_planet.folder / "config.yaml", environ={}).picks

    for _ in range(3):
        a_planet.later(days=2)
        if fate == "drops it":
            server.feed("/show", shows("c", "b"))
        elif fate == "is gone":
            server.script("/show", Response(status=410))
        elif fate == "cannot be reached":
            server.script("/show", Response(raw=b""))
        else:
            a_planet.subscribe(other)
        report = a_planet.build()
        assert report.entries == 2

    assert load(a_planet.folder / "config.yaml", environ={}).picks == (before,)
    assert (a_planet.folder / PICKS).read_bytes() == written
    assert "a.mp3" in a_planet.page("podcast.xml")
    code, out, _ = call("unpick", "id a")
    assert (code, out) == (0, f"unpicked {handle('show', 'id a')} Show: a\n")
    assert picked(a_planet) == []
    assert a_planet.build().entries == 1


def test_episodes_that_nobody_picks_take_no_more_room(a_planet: Planet, server: Server) -> None:
    def feed(first: int) -> bytes:
        notes = "".join(f"&lt;p&gt;{(first * 7919 + n) % 104729}&lt;/p&gt;" for n in range(300))
        return podcast(*(episode(f"e{first - n}", notes=f"{notes}{n}") for n in range(40)))

    a_planet.subscribe(only(server.url("/show")), server.feed("/one", rss("x"), etag='"1"'))
    file = a_planet.folder / "state" / "planet.sqlite"
    sizes = []
    for turn in range(16):
        server.feed("/show", feed(100 + 20 * turn))
        a_planet.build()
        a_planet.later(days=1)
        assert (stored(a_planet), len(pickable(a_planet))) == (["One x"], 40)
        sizes.append(file.stat().st_size)

    assert sizes[-1] <= 1.1 * max(sizes[:5])


def test_what_is_not_played_is_no_episode(a_planet: Planet, server: Server) -> None:
    page = "<item><title>page</title><link>https://show.example/page</link></item>"
    cover = (
        "<item><title>cover</title><enclosure url='https://show.example/x.jpg' type='image/jpeg' "
        "length='1'/></item>"
    )
    a_planet.subscribe(
        only(server.feed("/show", podcast(page, cover, episode("a")))),
        server.feed("/other", podcast(page, episode("b"), name="Other")),
    )
    a_planet.build()

    assert sorted(listed()) == ["a", "b"]


def test_episodes_are_found_by_words_feed_and_number(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(
        only(server.feed("/show", shows("Straße", "Weg"))),
        server.feed("/other", podcast(episode("Umweg", date="20"), name="Other")),
        {"url": server.url("/off"), "enabled": False},
    )
    a_planet.build()

    assert listed() == ["Umweg", "Straße", "Weg"]
    assert listed("other") == ["Umweg"]
    assert listed("--search", "STRASSE show") == ["Straße"]
    assert listed("--search", "all about weg") == ["Umweg", "Weg"]
    assert call("episodes", "nobody")[0] == 2
    assert call("episodes", "--search", "nothing") == (0, "", "there is no such episode\n")


def test_episodes_are_listed_a_line_each(a_planet: Planet, server: Server) -> None:
    long = episode("b", date="19", more="<itunes:duration>1:02:03</itunes:duration>")
    a_planet.subscribe(only(server.feed("/show", podcast(long, episode("a", date="12")))))
    a_planet.build()
    call("pick", "id a")

    assert call("episodes").out.splitlines() == [
        f"{handle('show', 'id b')}  2026-11-19   1:02:03  Show: b",
        f"{handle('show', 'id a')}  2026-11-12            Show: a  (picked)",
    ]


def test_episodes_are_listed_and_picked_while_a_run_holds_the_state(show: Planet) -> None:
    with show.opened():
        titles = listed()
        code, _, _ = call("pick", "id a")

    assert (titles, code, picked(show)) == (["c", "b", "a"], 0, ["a"])


def complaint(*arguments: str) -> str:
    """What is said of a command that is refused."""
    code, out, err = call(*arguments)
    assert (code, out, err[:7]) == (2, "", "Error: ")
    return err[7:].rstrip()


NO_EPISODE = (
    "is no episode, nor four digits of an ID or more; `planet episodes` lists those there are"
)


def test_what_cannot_be_picked_is_told_and_nothing_is(a_planet: Planet, server: Server) -> None:
    two = server.feed("/two", shows("a", "c"))
    a_planet.subscribe(only(server.feed("/show", shows("a", "b"))), only(two, id="two"))
    a_planet.build()
    call("pick", handle("show", "id b"))
    file = a_planet.folder / PICKS
    written = file.read_bytes()
    (there,) = load(a_planet.folder / "config.yaml", environ={}).picks
    a, also_a = handle("show", "id a"), handle("two", "id a")

    assert complaint("pick", a, "https://show.example/x") == (
        f"'https://show.example/x' {NO_EPISODE}"
    )
    assert complaint("pick", a, there.id).startswith(
        f"{handle('show', 'id b')} b is picked already (picks.yaml:{there.place.line}:"
        if there.place
        else "?"
    )
    assert sorted(complaint("pick", "https://show.example/a").splitlines()) == sorted(
        [
            "'https://show.example/a' may be each of 2 episodes; name one by its ID:",
            f"  {a} a",
            f"  {also_a} a",
        ]
    )
    assert complaint("pick", "ab") == f"'ab' {NO_EPISODE}"
    assert complaint("unpick", "id c") == ("'id c' is not picked; picks.yaml has all that are")
    assert file.read_bytes() == written


# Several who pick at the same time, and one who picks in a file that another has changed

NAMES = ("ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen")


@pytest.fixture
def many(a_planet: Planet, server: Server) -> Planet:
    a_planet.subscribe(only(server.feed("/show", shows(*NAMES))))
    a_planet.build()
    return a_planet


def config_of(planet: Planet) -> Config:
    return load(planet.folder / "config.yaml", environ={})


def take(config: Config, name: str) -> None:
    pick(config, [f"id {name}"], note=None, now=NOON)


def test_those_who_pick_at_the_same_time_all_have_their_pick(many: Planet) -> None:
    config = config_of(many)
    together = threading.Barrier(len(NAMES), timeout=PATIENCE)

    def take_with_others(name: str) -> None:
        together.wait()
        take(config, name)

    with ThreadPoolExecutor(len(NAMES)) as threads:
        list(threads.map(take_with_others, NAMES))

    assert sorted(map(str, picked(many))) == list(NAMES)


def test_what_podcasting_says_of_an_episode_goes_through_to_the_feed_of_picks(
    a_planet: Planet, server: Server
) -> None:
    feed = (CHECKOUT / "tests/feeds/podcasting.xml").read_bytes()
    a_planet.subscribe(only(server.feed("/show", feed)))
    a_planet.build()

    call("pick", "two")
    a_planet.build()

    documents = a_planet.site()
    (item,) = ET.fromstring(documents["podcast.xml"])[0].findall("item")
    said = [(child.tag, child.text) for child in item if child.tag.startswith(PODCAST)]
    assert said == [(f"{PODCAST}funding", "This one")]
    assert not problems(documents)
