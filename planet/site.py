"""Store → site: what the entries say together, published where it is not published already."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from planet import __version__
from planet.feeds import feeds as make_feeds
from planet.merge import merge, sources
from planet.model import Asking, Edition
from planet.publish import changes, publish, stands
from planet.render import load_theme, render
from planet.run import cleaning
from planet.schedule import trouble
from planet.select import Reason, select
from planet.store import Publication
from planet.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.model import Feed, File
    from planet.render import Theme
    from planet.report import Report
    from planet.run import Run
    from planet.store import Store


def make_site(
    config: Config, feeds: Sequence[Feed], *, run: Run, report: Report, trusted: bool = False
) -> None:
    """Publish what the stored entries say together, unless the site says it already.

    A site that would lose more than half of its entries with nothing changed in the config is only
    published when the operator says that this is right (`trusted`).
    """
    publications = run.store.publications
    output = str(config.output)
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
    edition, faded = make_edition(config, feeds, run=run)
    shown = len(edition.posts)
    if last and last.recipe == recipe and 2 * (shown + faded) < last.entries and not trusted:
        report.entries = last.entries
        report.refuse(
            f"the site would lose {last.entries - shown} of {last.entries} entries with nothing "
            "changed in the config; it stays as it was (`planet render --force` publishes it)"
        )
        return
    published = publish(_site(config, edition, theme, run), config.output, files)
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
    edition, _ = make_edition(config, feeds, run=run)
    site = _site(config, edition, load_theme(config.theme), run)
    before = run.store.publications.files(str(config.output))
    return changes(site, config.output, before)


def make_edition(config: Config, feeds: Sequence[Feed], *, run: Run) -> tuple[Edition, int]:
    """What the planet shows now, and how many entries it does not because they are too old."""
    wanted = {feed.key: feed for feed in feeds if feed.enabled}
    memories = run.store.memories()
    now = run.clock()
    troubles = {key: words for key in wanted if (words := trouble(memories.get(key)))}
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
        sources(wanted.values(), memories, troubles),
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
    return edition, sum(decision.reason is Reason.TOO_OLD for decision in decisions)


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


def _site(config: Config, edition: Edition, theme: Theme, run: Run) -> list[File]:
    pages, texts = config.pages, _texts(config, run)
    site = [
        *render(edition, theme=theme, pages=pages, contents=texts),
        *make_feeds(edition, pages=pages, contents=texts),
    ]
    # A source's page and feeds one after the other: they show the same texts.
    return sorted(site, key=lambda file: file.path)
