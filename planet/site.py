"""Store → site: what the entries say together, published where it is not published already."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planet import address
from planet.digest import compose, next_due
from planet.feeds import feeds as make_feeds
from planet.feeds import health
from planet.links import graph
from planet.look import theme_of
from planet.merge import merge, sources
from planet.model import OWN_LIST, Edition, Picking, Picks
from planet.publish import changes, publish, stands
from planet.recipe import feeds_shown, recipe
from planet.render import render
from planet.run import cleaning
from planet.schedule.record import overview, record, standing
from planet.select import Reason, select
from planet.store import Publication
from planet.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.model import Digest, Entry, Feed, File, Post, Standing
    from planet.render import Theme
    from planet.report import Report
    from planet.run import Run
    from planet.store import Store

    Record = dict[str, Any]


def make_site(
    config: Config, feeds: Sequence[Feed], *, run: Run, report: Report, trusted: bool = False
) -> None:
    """Publish what the stored entries say together, unless the site says it already.

    A site that would lose more than half of its entries with nothing changed in the config is only
    published when the operator says that this is right (`trusted`).
    """
    publications = run.store.publications
    output = str(config.output.absolute())
    theme = theme_of(config)
    made_from = recipe(config, theme, cleaning=cleaning(config).version)
    # Those of lists come after those of the config.
    listed = feeds_shown(feeds[len(config.feeds) :])
    last = publications.last(output)
    files = publications.files(output)
    now = run.clock()
    if (
        last
        and _is_current(last, (made_from, listed), run.store, now)
        and stands(config.output, files)
    ):
        report.entries = last.entries
        return
    edition, records, faded = make_edition(config, feeds, run=run)
    shown = len(edition.posts)
    if last and last.recipe == made_from and 2 * (shown + faded) < last.entries and not trusted:
        report.entries = last.entries
        report.refuse(
            f"the site would lose {last.entries - shown} of {last.entries} entries with nothing "
            "changed in the config; it stays as it was (`planet render --force` publishes it)"
        )
        return
    # Made once and kept before it is shown, so that it is the same for ever.
    if edition.digests and edition.digests[:1] != run.store.digests.all()[:1]:
        run.store.digests.keep(edition.digests[0])
    published = publish(_site(config, edition, records, theme, run), config.output, files)
    publications.record(
        output,
        Publication(
            recipe=made_from,
            listed=listed,
            generation=run.store.generation,
            keeps_until=edition.keeps_until,
            entries=shown,
        ),
        published.files,
    )
    report.entries = shown
    report.written, report.deleted = published.written, published.deleted


def plan(config: Config, feeds: Sequence[Feed], *, run: Run) -> tuple[list[str], list[str]]:
    """The files that would be made of what is known now, and those that would be deleted."""
    edition, records, _ = make_edition(config, feeds, run=run)
    site = _site(config, edition, records, theme_of(config), run)
    before = run.store.publications.files(str(config.output.absolute()))
    return changes(site, config.output, before)


def draw(config: Config, feeds: Sequence[Feed], *, run: Run) -> tuple[list[File], datetime | None]:
    """Every file of the site as it would be made now, and when time alone would change it.

    Nothing is written down: a digest that is due is shown, and the next run makes it.
    """
    edition, records, _ = make_edition(config, feeds, run=run)
    return _site(config, edition, records, theme_of(config), run), edition.keeps_until


def make_edition(
    config: Config, feeds: Sequence[Feed], *, run: Run
) -> tuple[Edition, dict[str, Record], int]:
    """What the planet shows now.

    With it comes how each of its feeds stands, for machines, and how many entries it does not show
    because they are too old.
    """
    wanted = {feed.key: feed for feed in feeds if feed.enabled}
    memories, hosts = run.store.memories(), run.store.hosts()
    now = run.clock()
    standings: dict[str, Standing] = {}
    records: dict[str, Record] = {}
    for key, feed in wanted.items():
        memory = memories.get(key)
        asked_at = (memory.adopted_url if memory else None) or feed.url
        host = hosts.get(address.host(asked_at))
        standings[key] = standing(feed, memory, host)
        records[key] = record(
            feed, memory, host, tell=_untold if feed.is_hidden else address.public
        )
    decisions = select(
        run.store.entries(wanted),
        wanted,
        planet=config.filters,
        texts=_texts(config, run).plain,
        now=now,
    )
    changes = [item.until for item in decisions if item.until is not None and item.until > now]
    if config.digest:
        changes.append(next_due(config.digest, config.timezone, now))
    edition = merge(
        [decision.entry for decision in decisions if decision.kept],
        wanted,
        sources(wanted.values(), memories, standings),
        picks=config.picks,
        lists=config.lists,
        cleaning=cleaning(config).version,
        edition=Edition(
            title=config.title,
            link=config.link,
            description=config.description,
            owner=config.owner,
            language=config.language,
            timezone=config.timezone,
            hub=config.hub,
            repository=config.repository,
            podcast=config.podcast,
            episodes=_episodes(config, wanted.values(), run),
            keeps_until=min(changes, default=None),
        ),
    )
    edition = replace(
        edition,
        digests=_digests(config, edition.posts, run, now),
        links=graph(edition, _texts(config, run).links),
    )
    faded = sum(decision.reason is Reason.TOO_OLD for decision in decisions)
    return edition, records, faded


def _episodes(config: Config, feeds: Iterable[Feed], run: Run) -> dict[str, tuple[Entry, ...]]:
    """The newest episodes of the feeds that show picks only, without those that are picked.

    Where they are picked with a button, what is on a list alone is among them: for other lists.
    """
    keys = [feed.key for feed in feeds if feed.picks is Picks.ONLY]
    others = config.pages.picking is not Picking.FORM
    picked = {(pick.feed, pick.id) for pick in config.picks if others or pick.list == OWN_LIST}
    newest = run.episodes.newest(keys, config.pages.source + len(picked))
    unpicked = {
        key: [entry for entry in found if (key, entry.id) not in picked]
        for key, found in newest.items()
    }
    return {key: tuple(found[: config.pages.source]) for key, found in unpicked.items()}


def _digests(
    config: Config, posts: Sequence[Post], run: Run, now: datetime
) -> tuple[Digest, ...] | None:
    """The digests there are, newest first, with the one that is due; None when none are wanted."""
    if config.digest is None:
        return None
    known = run.store.digests.all()
    last = known[0] if known else None
    due = compose(posts, last, times=config.digest, zone=config.timezone, now=now)
    return (due, *known) if due else known


def _is_current(last: Publication, made_from: tuple[str, str], store: Store, now: datetime) -> bool:
    """Whether the same site would come out again."""
    same = (last.recipe, last.listed) == made_from and last.generation == store.generation
    return same and (last.keeps_until is None or now < last.keeps_until)


def _untold(_: str) -> None:
    """What anyone may know of an address with a secret in it."""


def _texts(config: Config, run: Run) -> Texts:
    return Texts(run.store, run.workers, cleaning(config), config.picks)


def _site(
    config: Config, edition: Edition, records: Mapping[str, Record], theme: Theme, run: Run
) -> list[File]:
    pages, texts = config.pages, _texts(config, run)
    site = [
        *render(edition, theme=theme, pages=pages, contents=texts),
        *make_feeds(edition, pages=pages, contents=texts, cover=theme.cover),
        health(edition, records, overview(records.values())),
    ]
    # A source's page and feeds one after the other: they show the same texts.
    return sorted(site, key=lambda file: file.path)
