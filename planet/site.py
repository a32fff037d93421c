"""Store → site: what the entries say together, published where it is not published already."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planet import __version__, address
from planet.feeds import feeds as make_feeds
from planet.feeds import health
from planet.merge import merge, sources
from planet.model import Asking, Edition
from planet.publish import changes, publish, stands
from planet.render import load_theme, render
from planet.run import cleaning
from planet.schedule.record import overview, record, standing
from planet.select import Reason, select
from planet.store import Publication
from planet.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.model import Feed, File, Standing
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
    theme = load_theme(config.theme)
    recipe = _recipe(config, theme)
    # Those of lists come after those of the config.
    listed = _fingerprint(map(_shown, feeds[len(config.feeds) :]))
    last = publications.last(output)
    files = publications.files(output)
    now = run.clock()
    if (
        last
        and _is_current(last, (recipe, listed), run.store, now)
        and stands(config.output, files)
    ):
        report.entries = last.entries
        return
    edition, records, faded = make_edition(config, feeds, run=run)
    shown = len(edition.posts)
    if last and last.recipe == recipe and 2 * (shown + faded) < last.entries and not trusted:
        report.entries = last.entries
        report.refuse(
            f"the site would lose {last.entries - shown} of {last.entries} entries with nothing "
            "changed in the config; it stays as it was (`planet render --force` publishes it)"
        )
        return
    published = publish(_site(config, edition, records, theme, run), config.output, files)
    publications.record(
        output,
        Publication(
            recipe=recipe,
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
    site = _site(config, edition, records, load_theme(config.theme), run)
    before = run.store.publications.files(str(config.output.absolute()))
    return changes(site, config.output, before)


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
        records[key] = record(feed, memory, host, tell=address.public)
    decisions = select(
        run.store.entries(wanted),
        wanted,
        planet=config.filters,
        texts=_texts(config, run).plain,
        now=now,
    )
    changes = [item.until for item in decisions if item.until is not None and item.until > now]
    edition = merge(
        [decision.entry for decision in decisions if decision.kept],
        wanted,
        sources(wanted.values(), memories, standings),
        cleaning=cleaning(config).version,
        edition=Edition(
            title=config.title,
            link=config.link,
            description=config.description,
            owner=config.owner,
            language=config.language,
            timezone=config.timezone,
            keeps_until=min(changes, default=None),
        ),
    )
    faded = sum(decision.reason is Reason.TOO_OLD for decision in decisions)
    return edition, records, faded


def _is_current(last: Publication, made_from: tuple[str, str], store: Store, now: datetime) -> bool:
    """Whether the same site would come out again."""
    same = (last.recipe, last.listed) == made_from and last.generation == store.generation
    return same and (last.keeps_until is None or now < last.keeps_until)


def _recipe(config: Config, theme: Theme) -> str:
    """A fingerprint of what the operator decides about a site."""
    return _fingerprint(
        (
            __version__,
            theme.fingerprint,
            cleaning(config).version,
            (config.title, config.link, config.description, config.owner),
            (config.language, config.timezone, config.pages, config.filters),
            *map(_shown, config.feeds),
        )
    )


def _shown(feed: Feed) -> Feed:
    """A feed without what no page shows: where it stands in the config, how it is asked for."""
    return replace(feed, place=None, asking=Asking())


def _fingerprint(parts: Iterable[object]) -> str:
    text = repr(tuple(parts)).encode(errors="backslashreplace")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def _texts(config: Config, run: Run) -> Texts:
    return Texts(run.store, run.workers, cleaning(config))


def _site(
    config: Config, edition: Edition, records: Mapping[str, Record], theme: Theme, run: Run
) -> list[File]:
    pages, texts = config.pages, _texts(config, run)
    site = [
        *render(edition, theme=theme, pages=pages, contents=texts),
        *make_feeds(edition, pages=pages, contents=texts),
        health(edition, records, overview(records.values())),
    ]
    # A source's page and feeds one after the other: they show the same texts.
    return sorted(site, key=lambda file: file.path)
