"""Store → site: what the entries say together, published where it is not published already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planet.feeds import feeds as make_feeds
from planet.feeds import health
from planet.look import theme_of
from planet.publish import changes, publish, stands
from planet.recipe import feeds_shown, recipe
from planet.render import render
from planet.run import cleaning
from planet.schedule.record import overview
from planet.site.gathering import make_edition, texts_of
from planet.store import Publication

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.model import Edition, Feed, File
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


def _is_current(last: Publication, made_from: tuple[str, str], store: Store, now: datetime) -> bool:
    """Whether the same site would come out again."""
    same = (last.recipe, last.listed) == made_from and last.generation == store.generation
    return same and (last.keeps_until is None or now < last.keeps_until)


def _site(
    config: Config, edition: Edition, records: Mapping[str, Record], theme: Theme, run: Run
) -> list[File]:
    pages, texts = config.pages, texts_of(config, run)
    site = [
        *render(edition, theme=theme, pages=pages, contents=texts),
        *make_feeds(edition, pages=pages, contents=texts, cover=theme.cover),
        health(edition, records, overview(records.values())),
    ]
    # A source's page and feeds one after the other: they show the same texts.
    return sorted(site, key=lambda file: file.path)
