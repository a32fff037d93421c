"""Store → site: what the entries say together, published where it is not published already."""

from __future__ import annotations

import posixpath
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from planet.model import Picking
from planet.report import format_count
from planet.run.drawing import config_hash, hash_feeds, load_site_theme, site_files
from planet.run.edition import make_edition
from planet.run.open import cleaning, trusted_now
from planet.run.pictures import shows_icons
from planet.site.publish import check, intact_files, is_intact, publish
from planet.store import LOST, Publication
from planet.timeline.edition import config_at, find_release

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from planet.config import Config
    from planet.model import Feed, File
    from planet.report import Report
    from planet.run.edition import SiteContent
    from planet.run.open import Run


def name_output(site: Config) -> str:
    """Return what the state calls the folder of a site.

    It is relative to the config while it is beside or below that, so that a planet that was moved
    or copied still knows which files of its site are its own.
    """
    folder, home = site.output.absolute(), site.path.absolute().parent
    return folder.relative_to(home).as_posix() if folder.is_relative_to(home) else str(folder)


def check_folders(config: Config, *, run: Run) -> None:
    """See before anybody is asked whether each site can be written to its folder.

    Raises:
        OutputError: one cannot.
    """
    for site in config.sites:
        before = run.store.publications.files(name_output(site))
        check(site.output, before, top=config.output)


_FEEDS = frozenset({"atom.xml", "feed.json", "podcast.xml", "digest.xml"})


def _no_progress() -> None:
    """Tell nobody how far it is."""


class _SiteVersion:
    """A site of the planet as it is now, and as it was made last."""

    def __init__(
        self, config: Config, feeds: Sequence[Feed], run: Run, *, previews: bool = False
    ) -> None:
        """Compare a site with its last version; `previews` shows what is picked at once."""
        publications = run.store.publications
        self.run, self.output, self.folder = run, config.output, config.site.folder
        self.key = name_output(config)
        # Those of lists come last, as among all feeds.
        self.feeds = list(filter(config.site.shows, feeds))
        self.released = find_release(config, publications.read_release(self.folder), run.clock())
        """The moment whose state of things it shows now; None is the present one."""
        picked_until = None if previews and config.pages.picking is Picking.FORM else self.released
        # Before its hash is made: what is picked later is none of it yet.
        self.config = config_at(config, picked_until, {feed.key for feed in self.feeds})
        self.theme = load_site_theme(self.config)
        self.config_hash = config_hash(
            self.config, self.theme, cleaning=cleaning(self.config).version
        )
        """The fingerprint of what the operator decides."""
        self.lists_hash = hash_feeds(self.feeds[len(self.config.feeds) :])
        """The fingerprint of the feeds that lists add."""
        self.last = publications.get(self.key)
        self.before = publications.files(self.key)
        """The files that were left in its folder the last time, by path."""
        self.inputs_unchanged = self.last is not None and self._comes_out_as(self.last)
        """Whether the same site would come out again."""

    def _comes_out_as(self, last: Publication) -> bool:
        run = self.run
        if last.config_hash != self.config_hash:
            return False
        if last.keeps_until and last.keeps_until <= run.clock():
            return False
        if self.config.site.release is not None:
            # Nothing but a release changes what comes out at releases.
            return True
        is_same = (last.listed, last.generation) == (self.lists_hash, run.store.generation)
        end = trusted_now(run) - self.config.retention.entries
        return is_same and not run.store.entries.unlisted(before=end)

    @property
    def is_up_to_date(self) -> bool:
        """Whether it is there as it would be made now."""
        return self.inputs_unchanged and is_intact(self.output, self.before)

    def content(self) -> SiteContent:
        """Return what it shows now."""
        return make_edition(
            self.config,
            self.feeds,
            run=self.run,
            icons=shows_icons(self.theme),
            released=self.released,
        )

    def files(
        self, content: SiteContent, step: Callable[[], None] = _no_progress
    ) -> Iterator[File]:
        """Yield every file of it; call `step` after each."""
        for file in site_files(
            content, config=self.config, run=self.run, theme=self.theme, before=self.before
        ):
            yield file
            step()

    def path(self, path: str) -> str:
        """Return what a file of it is called among those of all sites."""
        return posixpath.join(self.folder, path)


def _publish(site: _SiteVersion, report: Report, *, trusted: bool) -> None:
    """Bring the folder of a site to what it would show now, if that may be right."""
    last, store = site.last, site.run.store
    report.sites += 1
    if last and site.is_up_to_date:
        report.entries += last.entries
        return
    content = site.content()
    edition, shown = content.edition, len(content.edition.timeline)
    for notice in content.notices:
        report.notice(notice)
    is_lost = last is not None and last.config_hash == LOST
    if (is_lost or not (last or shown)) and not trusted and _is_unread(site):
        report.refused = (
            "no feed was ever read, so there is nothing to publish; what is published stays as "
            "it is (`planet render --force` publishes an empty site)"
        )
        return
    if last and not _may_replace(site, last, shown, content.faded, report, trusted=trusted):
        report.entries += last.entries
        return
    # Made once and kept before it is shown, so that it is the same for ever.
    if edition.digests and edition.digests[:1] != store.digests.all(site.folder)[:1]:
        store.digests.keep(edition.digests[0], site.folder)
    files = site.files(content, report.listener.on_file)
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
    report.entries += shown
    written = tuple(map(site.path, published.written))
    report.written += written
    if site.inputs_unchanged:
        # The same site again, as in the empty folder of a machine that has the state alone.
        report.restored += written
    report.deleted += tuple(map(site.path, published.deleted))
    names = Counter(path.rpartition("/")[2] for path in published.deleted)
    if gone := {name: count for name, count in sorted(names.items()) if name in _FEEDS}:
        kinds = ", ".join(f"{count:,} {name}" for name, count in gone.items())
        words = format_count(sum(gone.values()), "feed is", "feeds are")
        report.notice(
            f"{words} no longer published ({kinds}): their sources have feeds of their own, or "
            "are shown no more; who reads them there gets no answer"
        )


def _may_replace(
    site: _SiteVersion, last: Publication, shown: int, faded: int, report: Report, *, trusted: bool
) -> bool:
    """Return whether a site may take the place of its last version; tell what it would lose."""
    is_of_state = last.config_hash == LOST
    # The config, the theme or Planet is another one than when the site was made.
    is_of_config = last.config_hash != site.config_hash and not is_of_state
    # What is too old by the config that it was made with is no loss; by another one it may be.
    expected = shown if is_of_config else shown + faded
    if 2 * expected >= last.entries:
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


def _is_unread(site: _SiteVersion) -> bool:
    """Return whether no feed was ever read although the planet is not new.

    It is not when feeds were asked, or there is a site.
    """
    states = site.run.store.states().values()
    if any(state.profile for state in states):
        return False
    is_new = not states and not (site.output / "atom.xml").exists()
    return not is_new and any(feed.enabled for feed in site.feeds)


def publish_sites(
    config: Config,
    feeds: Sequence[Feed],
    *,
    run: Run,
    report: Report,
    trusted: bool = False,
    if_changed: bool = False,
) -> None:
    """Publish what the stored entries say together, for each site that does not say it already.

    A site that would lose more than half of its entries with nothing changed in the config, or more
    than nine tenths by a change of it, is only published when the operator says that this is right
    (`trusted`); the others are. So is an empty one when feeds were asked and none was read, or a
    site is there: the state may have been lost.

    With `if_changed` nothing is made while all sites would come out as they did the last time,
    whatever is in their folders; when one is another, what is missing of all of them is made.
    """
    check_folders(config, run=run)
    sites = [_SiteVersion(site, feeds, run) for site in config.sites]
    if if_changed and all(site.inputs_unchanged for site in sites):
        report.sites += len(sites)
        report.entries += sum(site.last.entries for site in sites if site.last)
        return
    for site in sites:
        _publish(site, report, trusted=trusted)


class Changes(NamedTuple):
    """The files that publishing would make, and those that it would delete, by their paths."""

    made: list[str]
    deleted: list[str]


def plan(config: Config, feeds: Sequence[Feed], *, run: Run) -> Changes:
    """Return what `publish_sites` would make and delete, of what is known now; change nothing.

    Raises:
        OutputError: a site cannot be written to its folder.
    """
    check_folders(config, run=run)
    made: list[str] = []
    deleted: list[str] = []
    for site in (_SiteVersion(part, feeds, run) for part in config.sites):
        if not site.is_up_to_date:
            intact = intact_files(site.output, site.before)
            for file in site.files(site.content()):
                old = intact.pop(file.path, None)
                if old is None or old.fingerprint != file.fingerprint:
                    made.append(site.path(file.path))
            deleted += map(site.path, intact)
    return Changes(sorted(made), sorted(deleted))


def draw(config: Config, feeds: Sequence[Feed], *, run: Run) -> list[File]:
    """Return every file of all sites as it would be made now.

    Nothing is written down: a digest that is due is shown, and the next run makes it.
    """
    files: list[File] = []
    for site in (_SiteVersion(part, feeds, run, previews=True) for part in config.sites):
        content = site.content()
        files += [replace(file, path=site.path(file.path)) for file in site.files(content)]
    return files
