"""`planet purge`: what nobody needs goes, and what a run needs stays."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from planet.config import Config, load
from planet.errors import StateError, UsageError
from planet.model import Moved
from planet.run.maintain import PurgeReport, purge, purge_dry_run
from planet.store import Store
from tests.builders import make_draft, make_reading, make_state
from tests.cases import case, cases
from tests.server import Server
from tests.stored import keep_reading
from tests.whole.conftest import NOON, Planet, call, rss

NOTHING = PurgeReport(entries=0, texts=0, feeds=0, bodies=0, freed=0)
LONG = Random(1).randbytes(100_000).hex()


pytestmark = pytest.mark.usefixtures("folder")


def config_of(planet: Planet) -> Config:
    return load(planet.folder / "config.yaml", environ={})


def purged(planet: Planet, **passed: float) -> PurgeReport:
    """What a purge of the planet drops, so long after now, with runs all the time until then."""
    at = ran_until(planet, **passed)
    return purge(config_of(planet), clock=lambda: at)


def ran_until(planet: Planet, **passed: float) -> datetime:
    """A moment that is believed, because runs have come to it."""
    at = planet.now + timedelta(**passed)
    with planet.opened() as run:
        run.store.believe(at)
    return at


def without_room(done: PurgeReport) -> PurgeReport:
    return replace(done, freed=0)


def contents(folder: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix == ".sqlite"}


@pytest.fixture
def with_a_past(a_planet: Planet, server: Server) -> Planet:
    """Of One two entries are known, of which it lists one; Two was taken off the config."""
    a_planet.settings["retention"] = {"entries": "100d", "content": "10d"}
    both = (server.feed("/one", rss("a", "b")), server.feed("/two", rss("c" + LONG, name="Two")))
    a_planet.subscribe(*both)
    a_planet.build()
    server.feed("/one", rss("a"))
    a_planet.later(days=2)
    a_planet.subscribe(both[0])
    a_planet.build()
    return a_planet


def test_texts_entries_and_feeds_go_when_their_time_has_come(with_a_past: Planet) -> None:
    early = purged(with_a_past)
    texts = purged(with_a_past, days=20)
    entries = purged(with_a_past, days=120)

    assert without_room(early) == NOTHING
    assert without_room(texts) == replace(NOTHING, texts=2)
    assert without_room(entries) == replace(NOTHING, entries=2, feeds=1)
    assert texts.freed + entries.freed > 0


def test_a_clock_that_has_leapt_since_the_last_run_deletes_nothing(with_a_past: Planet) -> None:
    leapt = with_a_past.now + timedelta(days=4000)

    done = purge(config_of(with_a_past), clock=lambda: leapt)

    assert without_room(done) == NOTHING


def test_what_a_purge_leaves_is_all_that_a_run_needs(with_a_past: Planet, server: Server) -> None:
    purged(with_a_past, days=120)
    with_a_past.later(days=120)
    server.requests.clear()

    report = with_a_past.build()

    assert server.paths == ["/one"]
    assert (report.entries, report.added, report.failed) == (1, 0, [])
    assert "All about a." in with_a_past.page()


def test_a_rehearsal_tells_the_same_and_changes_nothing(with_a_past: Planet) -> None:
    at = ran_until(with_a_past, days=120)
    before = contents(with_a_past.folder / "state")

    told = purge_dry_run(config_of(with_a_past), clock=lambda: at)

    assert contents(with_a_past.folder / "state") == before
    assert without_room(told) == replace(NOTHING, entries=2, texts=2, feeds=1)
    done = purged(with_a_past, days=120)
    assert without_room(done) == without_room(told)


def test_a_rehearsal_without_a_state_makes_none(a_planet: Planet) -> None:
    a_planet.writes("title: P\nfeeds: [one.xml]\n")

    told = purge_dry_run(config_of(a_planet), clock=lambda: NOON)

    assert (told, (a_planet.folder / "state").exists()) == (NOTHING, False)


def test_a_rehearsal_leaves_a_cache_alone_that_is_elsewhere(with_a_past: Planet) -> None:
    config = config_of(with_a_past)
    elsewhere = replace(config, cache=replace(config.cache, options={"timeout": 5}))

    told = purge_dry_run(elsewhere, clock=lambda: with_a_past.now)

    assert told.bodies == 0


def test_bodies_that_nobody_comes_back_for_go(with_a_past: Planet, server: Server) -> None:
    with with_a_past.opened() as run:
        kept = run.web.session.count()
    with_a_past.subscribe(server.url("/three"))
    with_a_past.writes(json.dumps({"title": "P", "feeds": [server.url("/three")]}))

    done = purged(with_a_past)

    assert (kept, done.bodies) == (1, 1)


def test_a_run_gives_back_the_room_of_feeds_that_leave(a_planet: Planet, server: Server) -> None:
    cache = a_planet.folder / "state" / "http.sqlite"
    for name in "abc":
        noise = Random(name).randbytes(200_000).hex().encode()
        server.feed(f"/{name}", rss(name) + b"<!-- " + noise + b" -->")
    a_planet.subscribe(*(server.url(f"/{name}") for name in "abc"))
    a_planet.build()
    before = cache.stat().st_size
    a_planet.subscribe(server.url("/a"))
    a_planet.later(minutes=1)

    a_planet.build()

    assert cache.stat().st_size < before / 2


@cases(
    "known, gone",
    case("long ago", {}, 1),
    case("lately", {"attempted_at": NOON - timedelta(days=89)}, 0),
    case("which is left alone", {"rests_until": NOON + timedelta(days=1)}, 0),
    case("which was left alone until now", {"rests_until": NOON}, 1),
)
def test_a_feed_that_left_the_config_is_forgotten_when_nobody_has_asked_it_for_long(
    a_planet: Planet, known: dict[str, Any], gone: int
) -> None:
    a_planet.writes(
        "title: P\nfeeds: [https://other.example/]\nretention: {entries: 1d, content: 1d}\n"
    )
    long_ago = {"attempted_at": NOON - timedelta(days=91)}
    with Store.open(a_planet.folder / "state") as store:
        store.keep(make_state("one", **{**long_ago, **known}))

    done = purged(a_planet)

    assert done.feeds == gone


def test_a_feed_at_its_new_address_takes_its_past_along_first(a_planet: Planet) -> None:
    a_planet.writes(
        "title: P\nfeeds: [https://new.example/feed]\nretention: {entries: 1d, content: 1d}\n"
    )
    moved = Moved(to="https://new.example/feed", since=NOON, adopted=True)
    with Store.open(a_planet.folder / "state") as store:
        state = make_state("one", moved=moved)
        long_ago = NOON - timedelta(days=400)
        keep_reading(store, state, make_reading(make_draft("a", published=long_ago)), now=long_ago)

    done = purged(a_planet)

    assert (done.entries, done.feeds) == (0, 0)
    with Store.open(a_planet.folder / "state") as store:
        assert [entry.id for entry in store.entries.of_feeds(["https://new.example/feed"])] == ["a"]


def test_while_a_list_was_never_read_nothing_goes(a_planet: Planet) -> None:
    a_planet.writes("title: P\nsubscriptions: [https://lists.example/opml]\n")

    with pytest.raises(UsageError, match="was never read"):
        purged(a_planet)


def test_while_a_run_holds_the_state_nothing_goes(with_a_past: Planet) -> None:
    with with_a_past.opened(), pytest.raises(StateError, match="another run"):
        purged(with_a_past)


def test_the_command_says_what_went(folder: Path) -> None:
    (folder / "config.yaml").write_text("title: P\nfeeds: [https://other.example/]\n")
    with Store.open(folder / "state") as store:
        old = NOON.replace(year=2010)
        keep_reading(
            store, make_state("gone"), make_reading(make_draft("z", published=old)), now=old
        )

    rehearsal, done, machines = call("purge", "--dry-run"), call("purge"), call("purge", "--json")

    assert [rehearsal.code, done.code, machines.code] == [0, 0, 0]
    assert rehearsal.out.startswith("1 entry, 1 feed would be dropped; ")
    assert rehearsal.out.endswith(" kB would be freed\n")
    assert done.out.startswith("1 entry, 1 feed dropped; ")
    nothing = dict.fromkeys(("entries", "texts", "feeds", "bodies", "freed"), 0)
    assert {**json.loads(machines.out), "freed": 0} == {**nothing, "dry_run": False}
