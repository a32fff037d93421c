"""The whole run: bring every feed up to date, then publish what they say together. Start here."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from planet.model import ParseResult, Picks
from planet.parse import PARSER
from planet.report import format_count, name_feeds
from planet.run import ingest
from planet.run.journal import PollJournal
from planet.run.open import Scope, cleaning, migrate_moved_feeds, trusted_now
from planet.run.pictures import face_feed, refresh_pictures
from planet.run.poll import describe_due, log_name, plan_polls, poll
from planet.run.publish import publish_sites
from planet.run.read import ReadOptions, read_answer
from planet.schedule import KnownFeeds
from planet.schedule.health import advise, check_alarm
from planet.text import address
from planet.text.address import redact
from planet.transform import transform

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from planet.config import Config
    from planet.model import Counts, Feed, FeedState, Fetched, PollRequest, PollResult
    from planet.report import Report
    from planet.run.open import Run


_LOG = logging.getLogger(__name__)
_FORGETFUL: Final = (
    "the cache of answers is in memory and ends with each run (cache.backend: memory), so each "
    "server is asked for all that it sent before: say sqlite, or leave it out"
)


def build(
    config: Config,
    feeds: Sequence[Feed],
    *,
    run: Run,
    scope: Scope,
    report: Report,
    if_changed: bool = False,
) -> None:
    """Bring every feed up to date, then publish what they say together.

    One feed that fails stops no other, and what it said before stays on the page. When nothing
    trustworthy came together the report says so, and the site stays as it was; it does so too when
    an exception ends the run. A run that is killed at any moment has lost nothing, and the next
    one asks nobody again for what arrived. What is too old is deleted last, when the site that
    shows it no more is trusted. `if_changed` is as for `publish_sites`.
    """
    fetch(config, feeds, run=run, scope=scope, report=report)
    run.workers.rest()
    if report.refused is None:
        publish_sites(config, feeds, run=run, report=report, if_changed=if_changed)
    if report.refused is None:
        retire(config, feeds, run=run)


def fetch(config: Config, feeds: Sequence[Feed], *, run: Run, scope: Scope, report: Report) -> None:
    """Bring every feed up to date, and what the site shows besides; the site stays as it was."""
    update(config, feeds, run=run, scope=scope, report=report)
    refresh_pictures(config, feeds, run=run, scope=scope, report=report)
    transform(config, feeds, run=run, report=report)


def update(
    config: Config, feeds: Sequence[Feed], *, run: Run, scope: Scope, report: Report
) -> None:
    """Ask the feeds that are due, and keep what they say."""
    everything = (*feeds, *config.subscriptions)
    states = migrate_moved_feeds(everything, run)
    report.names = name_feeds(everything, states)
    if config.cache.backend == "memory" and states:
        report.notice(_FORGETFUL)
    left_out = sorted(states.keys() - {feed.key for feed in everything})
    journal = PollJournal(run)
    readable = ingest.reset_changed_readers(feeds, states, store=run.store)
    requests, on_disk = plan_polls(
        KnownFeeds(feeds, readable, journal.hosts, PARSER),
        scope=scope,
        now=run.clock(),
    )
    report.listener.on_start(len(requests))
    read = partial(_choose_reader, config=config, states=states, run=run)
    for answer in poll(requests, journal, read=read, on_disk=on_disk):
        _keep(answer, states, left_out, run, report)
    # A run that looked at no feed leaves the database as it was.
    if report.outcomes:
        run.store.believe(trusted_now(run))
    _count_unasked(feeds, requests, states, journal, scope=scope, report=report)
    if run.reach.is_outage:
        # Nothing could be reached: no feed has failed, and nothing is published.
        journal.undo(states)
        report.outage = True
        unreached = len(run.reach.deferred)
        report.refused = (
            f"nothing could be reached from here: not one of {unreached} feeds; "
            "the site stays as it was"
        )
    else:
        forget(config, feeds, states, run)
    _sum_up(config, feeds, states, run, report)


def _choose_reader(
    feed: Feed, *, config: Config, states: dict[str, FeedState], run: Run
) -> Callable[[Fetched], ParseResult]:
    """Return what reads an answer of a feed, without the entries that are stored already."""
    state = states.get(feed.key)
    return partial(
        read_answer,
        options=ReadOptions(
            stored=ingest.stored_digests(feed, state, store=run.store, cleaning=cleaning(config)),
            clean_first=feed.new_feed_entries,
            cleaning=cleaning(config),
            episodes_only=feed.picks is Picks.ONLY,
            include=feed.include,
            last_format=ingest.last_format(feed, state),
            redactor=run.redactor,
        ),
    )


def _keep(
    answer: PollResult[ParseResult],
    states: dict[str, FeedState],
    left_out: Sequence[str],
    run: Run,
    report: Report,
) -> None:
    """Store and report what came of asking a feed."""
    feed, fetched, result = answer
    before = states.get(feed.key)
    state, kept = ingest.keep(feed, fetched, result, before, store=run.store, left=left_out)
    states[feed.key] = state
    if _LOG.isEnabledFor(logging.INFO):
        _log_kept(feed, state, kept, run)
    advice, advice_before = advise(feed, state), advise(feed, before)
    report.add(answer, state, kept=kept, advice=advice, advice_before=advice_before)


def _log_kept(feed: Feed, state: FeedState, kept: Counts, run: Run) -> None:
    """Log what was kept of an answer, and when the feed is asked next."""
    name = log_name(feed)
    if state.moved:
        verb = "has moved" if state.moved.adopted else "leads for good"
        _LOG.info("%s: %s to %s", name, verb, redact(feed.redact(state.moved.to)))
    what = f"{kept.added} new and {kept.edited} edited entries are kept"
    if state.failures:
        what = f"failed {format_count(state.failures, 'time')} in a row: {state.error_kind}"
    when = describe_due(
        feed, state, run.store.hosts.get(address.server(state.asked_url or feed.url))
    )
    _LOG.info("%s: %s; %s", name, what, when)


def _count_unasked(
    feeds: Sequence[Feed],
    requests: Sequence[PollRequest],
    states: Mapping[str, FeedState],
    journal: PollJournal,
    *,
    scope: Scope,
    report: Report,
) -> None:
    """Tell how many feeds were not asked, though they were due or the operator wanted it."""
    waiting = [
        request
        for request in requests
        if request.feed.key not in journal.begun and not journal.must_skip(request)
    ]
    resting = sum(journal.is_left_alone(address.server(request.url)) for request in waiting)
    report.left += len(waiting) - resting
    report.resting += resting
    if scope.force:
        asked = {request.feed.key for request in requests}
        wanted = [feed for feed in feeds if feed.is_asked and scope.asks(feed)]
        active = {key for key, state in states.items() if state.given_up is None}
        report.resting += len({feed.key for feed in wanted} & active - asked)


def _sum_up(
    config: Config, feeds: Sequence[Feed], states: dict[str, FeedState], run: Run, report: Report
) -> None:
    """Tell how the planet is as a whole, and whether what came can be trusted."""
    for feed in (*feeds, *config.subscriptions):
        if (state := states.get(feed.key)) and not state.is_well:
            report.concern(feed, state, advise(feed, state))
    report.alarm = check_alarm(feeds, states, now=run.clock())
    if config.subscriptions and not any(feed.enabled for feed in feeds):
        report.refused = "no subscription list could be read, and no feed is known without one"
    if report.outcomes and all(
        (state := states.get(feed.key)) and state.failures for feed in feeds if feed.is_asked
    ):
        report.refused = "every feed failed; the site stays as it was"


def forget(
    config: Config, feeds: Sequence[Feed], states: Mapping[str, FeedState], run: Run
) -> None:
    """Let go of episodes and of bodies that no feed will come back for.

    A run that asked nobody leaves the bodies to the next one.
    """
    run.store.entries.drop_episodes(except_of=[f.key for f in feeds if f.picks is Picks.ONLY])
    known = [(feed, states.get(feed.key)) for feed in (*feeds, *config.subscriptions)]
    # The body of one that is interrupted may be under an address nobody lived to write down.
    is_cut_short = any(feed.is_asked and state and state.interrupted for feed, state in known)
    if run.is_connected and not is_cut_short:
        faces = run.store.pictures.read().values()
        run.web.keep_only(
            [
                *((feed, state.answered_url if state else None) for feed, state in known),
                *((face_feed(one.url), one.answered_url) for one in faces),
            ]
        )


def retire(config: Config, feeds: Sequence[Feed], *, run: Run) -> None:
    """Let go of what retention no longer keeps: for good, so only once no site misses it."""
    run.store.entries.keep_listed([feed.key for feed in feeds if feed.is_archived])
    retention, now = config.retention, trusted_now(run)
    # What a filter reads has to last as long as what it decides about.
    reads_texts = any(one.reads_texts for one in (config.filters, *(f.filters for f in feeds)))
    run.store.retire(
        (feed.key for feed in feeds if feed.picks is Picks.ALSO),
        entries_before=now - retention.entries,
        texts_before=now - (retention.entries if reads_texts else retention.content),
    )
    known = {feed.key for feed in (*feeds, *config.subscriptions)}
    run.store.forget_left(known, before=now - retention.entries)
