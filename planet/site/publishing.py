"""Store → site: what the entries say together, published where it is not published already."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from planet.feeds import feeds as make_feeds
from planet.feeds import health
from planet.look import theme_of
from planet.model import Picking
from planet.publish import changes, check, publish, stands
from planet.recipe import feeds_shown, recipe
from planet.release import as_of, released
from planet.render import render
from planet.run import cleaning, present
from planet.schedule.record import overview
from planet.site.gathering import make_edition, texts_of
from planet.site.indexing import index_files
from planet.store import Publication
from planet.veil import Veil

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


def check_folders(config: Config, *, run: Run) -> None:
    """See before anybody is asked whether each site can be written to its folder.

    Raises:
        OutputError: one cannot.
    """
    for site in config.sites:
        before = run.store.publications.files(str(site.output.absolute()))
        check(site.output, before, top=config.output)


def make_sites(
    config: Config, feeds: Sequence[Feed], *, run: Run, report: Report, trusted: bool = False
) -> None:
    """Publish what the stored entries say together, for each site that does not say it already.

    A site that would lose more than half of its entries with nothing changed in the config is only
    published when the operator says that this is right (`trusted`); the others are. So is an empty
    one when feeds were asked and none was read, or a site is there: the state may have been lost.
    """
    check_folders(config, run=run)
    for site in config.sites:
        _make_site(site, _shown(site, feeds), run=run, report=report, trusted=trusted)


def plan(config: Config, feeds: Sequence[Feed], *, run: Run) -> tuple[list[str], list[str]]:
    """The files that would be made of what is known now, and those that would be deleted."""
    made: list[str] = []
    deleted: list[str] = []
    for site in config.sites:
        before = run.store.publications.files(str(site.output.absolute()))
        if _stays(site, _shown(site, feeds), run) and stands(site.output, before):
            continue
        files, _ = _drawn(site, feeds, run=run)
        coming, going = changes(files, site.output, before)
        made += [_path(site, path) for path in coming]
        deleted += [_path(site, path) for path in going]
    return made, deleted


def draw(config: Config, feeds: Sequence[Feed], *, run: Run) -> tuple[list[File], datetime | None]:
    """Every file of all sites as it would be made now, and when time alone would change one.

    Nothing is written down: a digest that is due is shown, and the next run makes it.
    """
    drawn: list[File] = []
    ends: list[datetime] = []
    for site in config.sites:
        files, keeps_until = _drawn(site, feeds, run=run)
        drawn += [replace(file, path=_path(site, file.path)) for file in files]
        ends += [keeps_until] if keeps_until else []
    return drawn, min(ends, default=None)


def _make_site(
    config: Config, feeds: Sequence[Feed], *, run: Run, report: Report, trusted: bool
) -> None:
    publications = run.store.publications
    output = str(config.output.absolute())
    last = publications.last(output)
    files = publications.files(output)
    moment = _moment(config, run)
    # Before its recipe: what is picked later is none of it yet.
    config = as_of(config, moment, {feed.key for feed in feeds})
    theme = theme_of(config)
    made_from, listed = _made_from(config, feeds, theme)
    current = last is not None and _is_current(last, (made_from, listed), run, config)
    if last and current and stands(config.output, files):
        report.entries += last.entries
        return
    edition, records, faded, notices = make_edition(config, feeds, run=run, released=moment)
    for notice in notices:
        report.notice(notice)
    shown = len(edition.posts) + len(edition.timeless)
    if last and last.recipe == made_from and 2 * (shown + faded) < last.entries and not trusted:
        report.entries += last.entries
        named = f"the site {config.site.name}" if config.site.name else "the site"
        report.refuse(
            f"{named} would lose {last.entries - shown} of {last.entries} entries with nothing "
            "changed in the config; it stays as it was (`planet render --force` publishes it)"
        )
        return
    if last is None and not (shown or trusted) and _is_unread(config, feeds, run.store):
        report.refuse(
            "no feed was ever read, so there is nothing to publish; what is published stays as it "
            "is (`planet render --force` publishes an empty site)"
        )
        return
    # Made once and kept before it is shown, so that it is the same for ever.
    digests, folder = run.store.digests, config.site.folder
    if edition.digests and edition.digests[:1] != digests.all(folder)[:1]:
        digests.keep(edition.digests[0], folder)
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
        edition=config.site.folder,
        released=moment,
    )
    report.entries += shown
    written = tuple(_path(config, path) for path in published.written)
    report.written += written
    if current:
        # The same site again, as in the empty folder of a machine that has the state alone.
        report.restored += written
    report.deleted += tuple(_path(config, path) for path in published.deleted)


def _is_unread(config: Config, feeds: Sequence[Feed], store: Store) -> bool:
    """Whether none was ever read although the planet is not new.

    It is not when feeds were asked, or there is a site.
    """
    known = store.memories().values()
    if any(each.profile or each.succeeded_at for each in known):
        return False
    is_new = not known and not (config.output / "atom.xml").exists()
    return not is_new and any(feed.enabled for feed in feeds)


def _drawn(
    config: Config, feeds: Sequence[Feed], *, run: Run
) -> tuple[list[File], datetime | None]:
    """Every file of a site as it would be made now, and when time alone would change one."""
    feeds = _shown(config, feeds)
    moment = _moment(config, run)
    # Who picks with a button sees what is picked at once.
    picked = None if config.pages.picking is Picking.FORM else moment
    config = as_of(config, picked, {feed.key for feed in feeds})
    edition, records, *_ = make_edition(config, feeds, run=run, released=moment)
    return _site(config, edition, records, theme_of(config), run), edition.keeps_until


def _moment(config: Config, run: Run) -> datetime | None:
    """The moment whose state of things a site shows now; None is the present one."""
    return released(config, run.store.publications.released(config.site.folder), run.clock())


def _shown(config: Config, feeds: Sequence[Feed]) -> list[Feed]:
    """Of all feeds, those that a site shows; those of lists still come last."""
    return list(filter(config.site.shows, feeds))


def _path(config: Config, path: str) -> str:
    """What a file of a site is called among those of all sites."""
    return posixpath.join(config.site.folder, path)


def _stays(config: Config, feeds: Sequence[Feed], run: Run) -> bool:
    """Whether a site that was published would be the same now."""
    last = run.store.publications.last(str(config.output.absolute()))
    config = as_of(config, _moment(config, run), {feed.key for feed in feeds})
    made_from = _made_from(config, feeds, theme_of(config))
    return last is not None and _is_current(last, made_from, run, config)


def _made_from(config: Config, feeds: Sequence[Feed], theme: Theme) -> tuple[str, str]:
    """Fingerprints of what the operator decides, and of the feeds that lists add."""
    # Those of lists come after those of the config.
    listed = feeds_shown(feeds[len(config.feeds) :])
    return recipe(config, theme, cleaning=cleaning(config).version), listed


def _is_current(last: Publication, made_from: tuple[str, str], run: Run, config: Config) -> bool:
    """Whether the same site would come out again."""
    if last.recipe != made_from[0] or (last.keeps_until and last.keeps_until <= run.clock()):
        return False
    if config.site.release is not None:
        # Nothing but a release changes what comes out at releases.
        return True
    is_same = (last.listed, last.generation) == (made_from[1], run.store.generation)
    return is_same and not run.store.retiring(
        entries_before=present(run) - config.retention.entries
    )


def _site(
    config: Config, edition: Edition, records: Mapping[str, Record], theme: Theme, run: Run
) -> list[File]:
    pages, texts = config.pages, texts_of(config, run)
    site = [
        *render(edition, theme=theme, pages=pages, contents=texts),
        *make_feeds(edition, pages=pages, contents=texts, cover=theme.cover),
        health(edition, records, overview(records.values())),
    ]
    if pages.search:
        before = run.store.publications.files(str(config.output.absolute()))
        site += index_files(edition, contents=texts, output=config.output, before=before)
    # Entries have none; the operator's own words and lists may. A word is left: it may be markup.
    secrets = [each for each in run.veil.secrets if len(each[1]) >= 8 and not each[1].isalpha()]
    if secrets:
        veil = Veil(secrets=tuple(secrets))
        site = [replace(file, make=partial(_discreet, file, veil)) for file in site]
    # A source's page and feeds one after the other: they show the same texts.
    return sorted(site, key=lambda file: file.path)


def _discreet(file: File, veil: Veil) -> bytes:
    """A file without secrets, if it is one to read."""
    data = file.make()
    is_text = file.path.endswith((".html", ".xml", ".json", ".txt"))
    return veil.redact_bytes(data) if is_text else data
