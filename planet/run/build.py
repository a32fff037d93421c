"""The whole run: bring every feed up to date, then publish the sites. Start here."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.model import Picks
from planet.report import find_keys, name_feeds
from planet.run import ingest
from planet.run.edition import load_site_theme, shows_icons
from planet.run.lists import load_feeds
from planet.run.open import Scope, cleaning, migrate_moved_feeds, trusted_now
from planet.run.pictures import list_faces, refresh_pictures
from planet.run.poll import PollJournal, plan_polls, poll
from planet.run.publish import check_folders, publish_sites
from planet.run.recover import recover
from planet.schedule import KnownFeeds
from planet.schedule.health import advise, check_alarm
from planet.text.address import redact
from planet.transform import transform

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.config import Config
    from planet.model import Feed, FeedState, PollRequest
    from planet.report import Report
    from planet.run.open import Run


_LOG = logging.getLogger(__name__)


def build(
    config: Config, *, run: Run, scope: Scope, report: Report, if_changed: bool = False
) -> None:
    """Bring every feed up to date, then publish the sites.

    A failed feed stops no other, and keeps its entries on the page. The site stays as it was after
    an exception, and when the report refuses to publish. A run killed at any moment has lost
    nothing, and the next one asks nobody again for an answer in the cache. Old entries are deleted
    last, when the site without them is published. `if_changed` is as for `publish_sites`.

    Raises:
        OutputError: a site cannot be written; nobody was asked.
        UsageError: no feed has one of the names in `scope`.
    """
    check_folders(config, run=run)
    feeds = fetch(config, run=run, scope=scope, report=report)
    run.workers.rest()
    if report.refused is None:
        publish_sites(config, feeds, run=run, report=report, if_changed=if_changed)
    if report.refused is None:
        retire(config, feeds, run=run)


def fetch(config: Config, *, run: Run, scope: Scope, report: Report) -> Sequence[Feed]:
    """Bring every feed up to date, with faces and programs; return the feeds."""
    feeds = load_feeds(config, run=run, scope=scope, report=report)
    recover(config, feeds, run=run, scope=scope, report=report)
    if scope.names:
        scope = replace(scope, only=find_keys(scope.names, feeds, run.store.states()))
    update(config, feeds, run=run, scope=scope, report=report)
    has_faces = bool(list_faces(feeds, run.redactor))
    if has_faces and any(shows_icons(load_site_theme(site)) for site in config.sites):
        refresh_pictures(feeds, run=run, scope=scope, report=report)
    transform(config, feeds, run=run, report=report)
    return feeds


def update(
    config: Config, feeds: Sequence[Feed], *, run: Run, scope: Scope, report: Report
) -> None:
    """Ask the feeds that are due, and store the answers.

    1. All attempts are stored before the first request.
    2. An answer is in the cache before a worker reads the body. After a killed run, the next one
       reads the body from the cache.
    3. State and entries of a feed are stored in one transaction.
    4. Failures to reach a server count only when some server was reached.
    """
    everything = (*feeds, *config.subscriptions)
    states = migrate_moved_feeds(everything, run)
    report.names = name_feeds(everything, states)
    known_keys = {feed.key for feed in everything}
    left = [key for key, state in states.items() if state.profile and key not in known_keys]
    reader = partial(ingest.find_reader, cleaning=cleaning(config))
    journal = PollJournal(run)
    known = KnownFeeds(feeds, states, journal.hosts, reader)
    requests, on_disk = plan_polls(known, scope=scope, now=run.clock())
    report.listener.on_start(len(requests))
    read = partial(ingest.choose_options, states=states, run=run, cleaning=cleaning(config))
    for answer in poll(requests, journal, read=read, on_disk=on_disk):
        feed, before = answer.feed, states.get(answer.feed.key)
        state, kept = ingest.keep(answer, before, store=run.store, reader=reader(feed), left=left)
        states[feed.key] = state
        if (failed := answer.fetched.error) and failed.kind == "proxy":
            report.notice(f"{failed}; no feed is at fault")
        if _LOG.isEnabledFor(logging.INFO):
            name = redact(run.redactor.redact(feed.key))
            due = f"{state.due_at:%Y-%m-%d %H:%M:%S} UTC" if state.due_at else "never"
            counts = f"{kept.added} new, {kept.edited} edited, {state.failures} failures in a row"
            _LOG.info("%s: %s; due %s (%s)", name, counts, due, state.due_reason)
        advice, advice_before = advise(feed, state), advise(feed, before)
        report.add(answer, state, kept=kept, advice=advice, advice_before=advice_before)
    if report.outcomes:
        # A run that looked at no feed leaves the database as it was.
        run.store.believe(trusted_now(run))
    _count_unasked(feeds, requests, states, journal, scope=scope, report=report)
    if run.reach.is_outage:
        journal.undo(states)
        report.outage = True
        report.refused = (
            f"nothing could be reached from here: not one of {len(run.reach.deferred)} feeds; "
            "the site stays as it was"
        )
    _sum_up(config, feeds, states, run, report)


def _count_unasked(
    feeds: Sequence[Feed],
    requests: Sequence[PollRequest],
    states: Mapping[str, FeedState],
    journal: PollJournal,
    *,
    scope: Scope,
    report: Report,
) -> None:
    """Count the feeds that were due, or forced by the operator, and were not asked."""
    wanted = {request.feed.key for request in requests}
    if scope.force:
        forced = {feed.key for feed in feeds if feed.is_asked and scope.asks(feed)}
        wanted |= {key for key in forced if key not in states or not states[key].given_up}
    report.left += len(wanted - journal.begun)


def _sum_up(
    config: Config, feeds: Sequence[Feed], states: Mapping[str, FeedState], run: Run, report: Report
) -> None:
    """Report the feeds in trouble, and why no site is published, if so."""
    for feed in (*feeds, *config.subscriptions):
        state = states.get(feed.key)
        report.concern(feed, state, advise(feed, state))
    report.alarm = check_alarm(feeds, states, now=run.clock())
    if config.subscriptions and not any(feed.enabled for feed in feeds):
        report.refused = "no subscription list could be read, and no feed is known without one"
    asked = [states.get(feed.key) for feed in feeds if feed.is_asked]
    if report.outcomes and all(state and state.failures for state in asked):
        report.refused = "every feed failed; the site stays as it was"


def retire(config: Config, feeds: Sequence[Feed], *, run: Run) -> None:
    """Delete entries and texts too old for `retention`; the sites without them are published.

    Episodes and cached bodies of feeds that are gone are deleted, too; a run without requests
    leaves the bodies to the next one.
    """
    store, retention, now = run.store, config.retention, trusted_now(run)
    store.entries.drop_episodes(except_of=[f.key for f in feeds if f.picks is Picks.ONLY])
    store.entries.keep_listed([feed.key for feed in feeds if feed.is_archived])
    # What a filter reads has to last as long as what it decides about.
    reads_texts = any(one.reads_texts for one in (config.filters, *(f.filters for f in feeds)))
    store.retire(
        (feed.key for feed in feeds if feed.picks is Picks.ALSO),
        entries_before=now - retention.entries,
        texts_before=now - (retention.entries if reads_texts else retention.content),
    )
    polled = (*feeds, *config.subscriptions, *list_faces(feeds, run.redactor).values())
    known = {feed.key for feed in polled}
    store.forget_left(known, before=now - retention.entries)
    if run.is_connected:
        run.web.session.keep_only(known)
