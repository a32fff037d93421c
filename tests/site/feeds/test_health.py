"""health.json: how it goes with the feeds that come in."""

import json
import re
from collections.abc import Mapping
from typing import Any

from planet.model import Edition, Feed, FeedState, File, Moved
from planet.schedule.health import HealthSummary, describe_health
from planet.site.feeds import health_file
from planet.text.address import without_secrets
from tests.cases import case, cases
from tests.docs import page, section
from tests.site.feeds.make import NOON, make_edition, make_source


def records(*feeds: Feed, **known: Any) -> dict[str, dict[str, Any]]:
    """What is told of these feeds, of each of which the same is known."""
    return {
        feed.key: describe_health(
            feed, FeedState(key=feed.key, url=feed.url, **known), tell=without_secrets
        )
        for feed in feeds
    }


def made(edition: Edition, records: Mapping[str, Mapping[str, Any]]) -> File:
    overview = HealthSummary()

    def counted(key: str) -> Mapping[str, Any]:
        overview.add(records[key])
        return records[key]

    return health_file(edition, counted, overview.as_json)


def make_feed(name: str = "one", **changes: Any) -> Feed:
    return Feed(**{"key": name, "slug": name, "url": f"https://{name}.example/feed"} | changes)


def said_of(*feeds: Feed, **known: Any) -> dict[str, Any]:
    """The document about these feeds."""
    told = records(*feeds, **known)
    sources = tuple(make_source(feed.slug, key=feed.key, url=feed.url) for feed in feeds)
    file = made(make_edition(sources=sources), told)
    assert file.path == "health.json"
    said: dict[str, Any] = json.loads(file.make())
    return said


def test_it_tells_of_all_feeds_in_the_order_of_the_sources() -> None:
    said = said_of(make_feed("one"), make_feed("two"), settled_at=NOON, failures=2)

    assert said["version"] == 1
    assert (said["planet"]["feeds"], said["planet"]["failing"]) == (2, 2)
    assert [(each["slug"], each["title"], each["url"]) for each in said["feeds"]] == [
        ("one", "One", "https://one.example/feed"),
        ("two", "Two", "https://two.example/feed"),
    ]
    assert said["feeds"][0]["asked_at"] == "2026-11-20T12:00:00+00:00"


@cases(
    "url",
    case("password", "https://user:hunter2@one.example/feed"),
    case("token", "https://one.example/feed?token=hunter2"),
    case("file", "file:///home/hunter2/feed.xml"),
)
def test_it_tells_no_secret(url: str) -> None:
    feed = make_feed(key=url, url=url)

    said = said_of(feed, moved=Moved(to=f"{url}/new", since=NOON))

    assert "hunter2" not in json.dumps(said)


def test_it_is_made_again_when_anything_in_it_changes() -> None:
    def mark(**known: Any) -> str:
        told = records(make_feed(), **known)
        edition = make_edition(sources=(make_source(),))
        return made(edition, told).fingerprint

    assert mark(failures=1) == mark(failures=1)
    assert mark(failures=1) != mark(failures=2)


def documented(heading: str) -> list[str]:
    """The members in the table below a heading."""
    text = section(section(page("machines.md"), "health.json"), heading)
    return re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)


def test_every_member_is_documented() -> None:
    said = said_of(make_feed())

    assert documented("The document") == list(said)
    assert documented("planet") == list(said["planet"])
    assert documented("feeds") == list(said["feeds"][0])
