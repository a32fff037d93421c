"""The state of a planet, read also during a run; no request is sent."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from planet.errors import UsageError
from planet.report import explain_due, name_feeds
from planet.schedule import current_state
from planet.store import Store
from planet.text.address import redact, without_scheme

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from planet.config import Config
    from planet.explain.outcomes import Outcomes
    from planet.model import Feed, FeedHealth, FeedState, HostState


class PlanetState(msgspec.Struct, frozen=True, kw_only=True):
    """The feeds and lists of a config, with their states."""

    feeds: tuple[Feed, ...] = ()
    """Those of the config and those on its lists."""
    lists: tuple[Feed, ...] = ()
    states: Mapping[str, FeedState] = {}
    hosts: Mapping[str, HostState] = {}
    names: Mapping[str, str] = {}
    """The names of feeds and lists, by key."""
    name: str | None = None
    """The name of this planet on a shared server; None before the first run."""

    def by_address(self) -> dict[str, Feed]:
        """Return feeds and lists by address without scheme, moved ones also by the new address."""
        by_address: dict[str, Feed] = {}
        for feed in (*self.feeds, *self.lists):
            moved = current_state(feed, self.states.get(feed.key)).moved
            for url in (feed.url, moved.to if moved else feed.url):
                by_address.setdefault(without_scheme(url), feed)
        return by_address

    def name_of(self, feed: Feed) -> str:
        """Return the name of a feed."""
        return self.names[feed.key]


def load_planet_state(config: Config) -> PlanetState:
    """Return all feeds with their states, also during a run.

    Raises:
        StateError: the state cannot be read.
    """
    # Most of its users need nothing of lists.
    from planet.config.feeds import list_feeds

    with Store.look(config.state, config.redactor) as store:
        feeds = list_feeds(config, store.feeds.body)
        states = store.states()
        return PlanetState(
            feeds=feeds,
            lists=config.subscriptions,
            names=name_feeds((*config.subscriptions, *feeds), states),
            states=states,
            hosts=store.hosts.read(),
            name=store.name if states else None,
        )


def status(planet: PlanetState, *, now: datetime) -> dict[str, Any]:
    """Return how the feeds, the lists and the planet as a whole are: `planet status --json`."""
    from planet.schedule.health import check_alarm, feed_health, summarize_health

    everything, states = (*planet.lists, *planet.feeds), planet.states
    health = {
        feed.key: feed_health(feed, states.get(feed.key), planet.hosts) for feed in everything
    }
    totals = summarize_health([health[feed.key] for feed in planet.feeds])
    alarm = check_alarm(everything, states, now=now)
    return {
        "feeds": [describe_feed(feed, health[feed.key], planet) for feed in planet.feeds],
        "lists": [describe_feed(feed, health[feed.key], planet) for feed in planet.lists],
        "planet": {**totals, "alarm": alarm, "name": planet.name},
    }


def describe_feed(feed: Feed, health: FeedHealth, planet: PlanetState) -> dict[str, Any]:
    """Return the facts about a feed, by name; unknown ones are None."""
    from planet.schedule.health import advise, health_json

    state = planet.states.get(feed.key)
    todo, reason = advise(feed, state), health.due_reason
    return {
        "feed": redact(feed.key),
        "name": planet.name_of(feed),
        **health_json(health),
        "message": health.message or _tell_move(feed, state),
        "because": explain_due(state, reason) if state and reason else None,
        "reader": state.profile.reader if state and state.profile else None,
        "concern": todo.concern if todo else None,
        "advice": todo.words if todo else None,
    }


def _tell_move(feed: Feed, state: FeedState | None) -> str | None:
    """Return in words where a feed has moved for good, if the feed is well there."""
    state = current_state(feed, state)
    moved_to = state.adopted_url
    return f"it has moved to {redact(feed.redact(moved_to))} for good" if moved_to else None


def site_of(config: Config, edition: str | None) -> Config:
    """Return the config of the site of an edition, of the first one without a name.

    Raises:
        UsageError: there is no such edition.
    """
    for site in config.sites:
        if edition in (None, site.site.name):
            return site
    names = ", ".join(config.editions) or "none"
    raise UsageError(f"there is no edition {edition!r} in the config; there is {names}")


@contextmanager
def open_outcomes(
    config: Config, edition: str | None = None, *, now: datetime
) -> Iterator[Outcomes]:
    """Open the fates of entries on the site of an edition, also during a run.

    Raises:
        StateError: the state cannot be read.
        UsageError: there is no such edition.
    """
    from planet.config.feeds import list_feeds
    from planet.explain.outcomes import Outcomes

    site = site_of(config, edition)
    with Store.look(config.state, config.redactor) as store:
        yield Outcomes(site, list_feeds(config, store.feeds.body), store=store, now=now)
