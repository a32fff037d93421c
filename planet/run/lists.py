"""Subscription lists on the web → the feeds on them, beside those of the config.

A list is polled like a feed: when due, with validators, by the same rules. The last readable answer
counts, so a list takes no feed off the planet when the server is down or shows a login page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.config.feeds import list_feeds, read_list
from planet.errors import FetchError, ParseError
from planet.model import PollResult
from planet.run.open import load_feed_states
from planet.run.poll import PollJournal, plan_polls, poll
from planet.schedule import KnownFeeds, record_attempt
from planet.schedule.health import advise
from planet.text.address import redact

if TYPE_CHECKING:
    from planet.config import Config
    from planet.model import Feed
    from planet.report import Report
    from planet.run.open import Run, Scope


READER = "opml 1"
"""The version of the reader of lists."""


def load_feeds(config: Config, *, run: Run, scope: Scope, report: Report) -> tuple[Feed, ...]:
    """Return the feeds of the config and of the lists on the web, each once.

    Due lists in the scope are polled first, unless the run is offline; a failure is reported.
    """
    if config.subscriptions and not scope.offline:
        _update(config, run=run, scope=scope, report=report)
    states = run.store.states(subscription.key for subscription in config.subscriptions)
    inside = {key for key, state in states.items() if state.is_inside}
    feeds = list_feeds(config, run.store.feeds.body, inside=inside)
    report.feeds = sum(feed.enabled for feed in feeds)
    return feeds


def _update(config: Config, *, run: Run, scope: Scope, report: Report) -> None:
    """Poll the due lists, and store the readable answers."""
    states = load_feed_states(run)
    # A failure that may be our own comes with those of the feeds.
    journal = PollJournal(run, is_last=False)
    known = KnownFeeds(config.subscriptions, states, journal.hosts, lambda _: READER)
    requests, on_disk = plan_polls(known, scope=scope, now=run.clock())
    # Where a list was, a page is the sign of a fault: it takes the place of nothing (R42).
    lists = {key for key, state in states.items() if state.succeeded_at}
    requests = [replace(request, pages=request.feed.key not in lists) for request in requests]
    # Of one that never answered before it is not known whether it may lead into a private network.
    on_disk = [request for request in on_disk if request.answered_url]
    for subscription, fetched, _ in poll(requests, journal, on_disk=on_disk):
        error: ParseError | None = None
        if fetched.error and fetched.error.kind == "not_a_feed":
            words = "this is no list of feeds"
            fetched = replace(fetched, error=FetchError("bad_list", words))
        if fetched.body is not None:
            listed = read_list(fetched.body, subscription, config)
            wrong = [problem for problem in listed.problems if not problem.is_warning]
            if wrong and not listed.feeds:
                error = ParseError("bad_list", str(wrong[0]))
            else:
                run.store.feeds.put_body(subscription.key, fetched.body)
        elif fetched.error and fetched.error.kind == "out_of_time":
            name = redact(subscription.written_url)
            report.notice(f"{name} was too slow for fetch.budget; what it said last counts")
        before = states.get(subscription.key)
        state = record_attempt(before, subscription, fetched, error, reader=READER)
        run.store.keep(state)
        if state.failures:
            report.add(
                PollResult(subscription, fetched, error),
                state,
                advice=advise(subscription, state),
                advice_before=advise(subscription, before),
                is_list=True,
            )
