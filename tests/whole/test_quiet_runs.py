"""A run that asks nobody and publishes nothing leaves the state as it was, byte for byte.

So that a workflow which keeps the state on a branch has nothing to save.
"""

import json
from datetime import timedelta

from tests.processes import files
from tests.server import Server
from tests.whole.conftest import NOON, Planet, rss


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
