"""Store → sites in their folders, where a folder is not up to date."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from planet.report import feed_name, format_count
from planet.run.edition import SiteVersion, name_output
from planet.site.publish import check, intact_files, publish
from planet.store import LOST, Publication
from planet.timeline.select import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planet.config import Config
    from planet.model import Feed, File
    from planet.report import Listener, Report
    from planet.run.edition import SiteContent
    from planet.run.open import Run


def publish_sites(
    config: Config,
    feeds: Sequence[Feed],
    *,
    run: Run,
    report: Report,
    trusted: bool = False,
    if_changed: bool = False,
) -> None:
    """Publish each site whose folder is not up to date.

    A site stays as it was if more than half of the entries would go with nothing changed in the
    config, or more than nine tenths by a change of the config. An empty site is not published when
    no feed was ever read, and feeds were asked or a site is there: the state may have been lost.
    `trusted` is the operator's word to publish both all the same.

    With `if_changed` nothing is made while all sites would come out the same, whatever is in the
    folders; when one is another, the missing files of all are made.
    """
    check_folders(config, run=run)
    sites = [SiteVersion(site, feeds, run) for site in config.sites]
    is_same = if_changed and all(site.inputs_unchanged for site in sites)
    for site in sites:
        report.sites += 1
        if site.last and (is_same or site.is_up_to_date):
            report.entries += site.last.entries
        else:
            _publish(site, report, trusted=trusted)


def check_folders(config: Config, *, run: Run) -> None:
    """Check before any request whether each site can be written to the folder.

    Raises:
        OutputError: one cannot be written.
    """
    for site in config.sites:
        check(site.output, run.store.publications.files(name_output(site)), top=config.output)


def _publish(site: SiteVersion, report: Report, *, trusted: bool) -> None:
    """Bring the folder of a site up to date, unless too many entries would go."""
    content, store = site.content(), site.run.store
    edition, shown = content.edition, len(content.edition.timeline)
    for notice in _name_slow_filters(site, content):
        report.notice(notice)
    faded = sum(decision.reason is Reason.TOO_OLD for decision in content.decisions)
    if not _may_replace(site, shown, faded, report, trusted=trusted):
        report.entries += site.last.entries if site.last else 0
        return
    # Made once and kept before it is shown, so that it is the same for ever.
    if edition.digests and edition.digests[:1] != store.digests.all(site.folder)[:1]:
        store.digests.keep(edition.digests[0], site.folder)
    files = _count(site.files(content), report.listener)
    published = publish(files, site.output, site.before)
    store.publications.record(
        site.key,
        Publication(
            config_hash=site.config_hash,
            listed=site.lists_hash,
            generation=store.generation,
            keeps_until=edition.keeps_until,
            entries=shown,
            edition=site.folder,
            released=site.released,
        ),
        published.files,
    )
    written = tuple(map(site.path, published.written))
    report.entries += shown
    report.written += written
    if site.inputs_unchanged:
        # The same site again, as in the empty folder of a machine that has the state alone.
        report.restored += written
    report.deleted += tuple(map(site.path, published.deleted))


def _count(files: Iterator[File], listener: Listener) -> Iterator[File]:
    """Pass files through, and tell of each one."""
    for file in files:
        yield file
        listener.on_file()


def _name_slow_filters(site: SiteVersion, content: SiteContent) -> Iterator[str]:
    """Yield which filters took too long, a sentence for each filter and feed."""
    passed = Counter(
        (pattern.written, decision.entry.feed)
        for decision in content.decisions
        for pattern in decision.too_slow
    )
    feeds, states = {feed.key: feed for feed in site.feeds}, site.run.store.states()
    for (words, key), count in passed.items():
        name = feed_name(feeds[key], states.get(key))
        entries = format_count(count, "entry", "entries")
        yield f"the filter {words} takes too long to search {entries} of {name}, and lets that pass"


def _may_replace(
    site: SiteVersion, shown: int, faded: int, report: Report, *, trusted: bool
) -> bool:
    """Return whether a site may take the place of the last version; report the loss."""
    last = site.last
    is_of_state = last is not None and last.config_hash == LOST
    if (is_of_state or not (last or shown)) and not trusted and _is_unread(site):
        report.refused = (
            "no feed was ever read, so there is nothing to publish; what is published stays as "
            "it is (`planet render --force` publishes an empty site)"
        )
        return False
    # The config, the theme or Planet is another one than when the site was made.
    is_of_config = last is not None and not is_of_state and last.config_hash != site.config_hash
    # What is too old by the config that it was made with is no loss; by another one it may be.
    expected = shown if is_of_config else shown + faded
    if last is None or 2 * expected >= last.entries:
        return True
    cause = "with nothing changed in the config"
    if is_of_state:
        cause = "because the state was lost or is new here"
    elif is_of_config:
        cause = "by what has changed in the config"
    name = f"the site {site.config.site.name}" if site.config.site.name else "the site"
    lost = f"{last.entries - shown:,} of {format_count(last.entries, 'entry', 'entries')}"
    if is_of_config and 10 * shown >= last.entries:
        report.notice(f"{name} loses {lost} {cause}")
        return True
    if not trusted:
        report.refused = (
            f"{name} would lose {lost} {cause}; it stays as it was "
            "(`planet render --force` publishes it)"
        )
    return trusted


def _is_unread(site: SiteVersion) -> bool:
    """Return whether no feed was ever read although feeds were asked, or there is a site."""
    states = site.run.store.states().values()
    is_old = bool(states) or (site.output / "atom.xml").exists()
    is_read = any(state.profile for state in states)
    return is_old and not is_read and any(feed.enabled for feed in site.feeds)


# Without publishing


class PlannedFiles(NamedTuple):
    """The files to be made and to be deleted by publishing, by their paths."""

    made: list[str]
    deleted: list[str]


def plan(config: Config, feeds: Sequence[Feed], *, run: Run) -> PlannedFiles:
    """Return the files to be made and deleted by `publish_sites` now; change nothing.

    Raises:
        OutputError: a site cannot be written to its folder.
    """
    check_folders(config, run=run)
    made: list[str] = []
    deleted: list[str] = []
    for site in (SiteVersion(part, feeds, run) for part in config.sites):
        if not site.is_up_to_date:
            intact = intact_files(site.output, site.before)
            for file in site.files(site.content()):
                old = intact.pop(file.path, None)
                if old is None or old.fingerprint != file.fingerprint:
                    made.append(site.path(file.path))
            deleted += map(site.path, intact)
    return PlannedFiles(sorted(made), sorted(deleted))


def draw(config: Config, feeds: Sequence[Feed], *, run: Run) -> list[File]:
    """Return every file of all sites as of now.

    Nothing is stored: a due digest is shown, and made by the next run.
    """
    files: list[File] = []
    for site in (SiteVersion(part, feeds, run, previews=True) for part in config.sites):
        content = site.content()
        files += [replace(file, path=site.path(file.path)) for file in site.files(content)]
    return files
