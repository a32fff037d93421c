"""Store → site: what the entries say together, published where it is not published already."""

from __future__ import annotations

import posixpath
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from planet.model import Edition, File, Picking
from planet.report import format_count
from planet.run.drawing import config_hash, hash_feeds, load_site_theme, site_files
from planet.run.edition import make_edition
from planet.run.open import cleaning, trusted_now
from planet.run.pictures import shows_icons
from planet.site.publish import check, is_intact, publish
from planet.store import LOST, Publication
from planet.timeline.edition import config_at, find_release

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.model import Feed
    from planet.report import Report
    from planet.run.edition import SiteContent
    from planet.run.open import Run
    from planet.site.pages import Theme
    from planet.store import PublishedFile


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


class EntryLoss(NamedTuple):
    """More than half of a site's entries, which it would no longer show."""

    words: str
    """The loss in numbers, without what follows from it."""
    is_refused: bool
    """Whether the operator has to say first that this is right."""


def _describe_lost_feeds(edition: Edition, deleted: Iterable[str]) -> Iterator[str]:
    """Yield which feeds are gone, by why they are: their readers get no answer any more."""
    here = {source.folder for source in edition.sources}
    gone: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for path in deleted:
        folder, _, name = path.rpartition("/")
        if name in _FEEDS:
            gone[f"{folder}/" in here][name] += 1
    for is_here, names in gone.items():
        if names:
            kinds = ", ".join(f"{count:,} {name}" for name, count in sorted(names.items()))
            why = (
                "readers can subscribe to their sources themselves"
                if is_here
                else "what they were of is no part of the site any more"
            )
            words = format_count(names.total(), "feed is", "feeds are")
            yield f"{words} no longer published ({kinds}): {why}"


_FEEDS = frozenset({"atom.xml", "feed.json", "podcast.xml", "digest.xml"})


def _no_progress() -> None:
    """Tell nobody how far it is."""


class _SitePublisher:
    """A site of the planet as it is now, and as it was made last."""

    def __init__(
        self, config: Config, feeds: Sequence[Feed], run: Run, *, previews: bool = False
    ) -> None:
        """Compare a site with its last version; `previews` shows what is picked at once."""
        self.run, self.output = run, config.output
        self._key = name_output(config)
        # Those of lists come last, as among all feeds.
        self.feeds = list(filter(config.site.shows, feeds))
        publications = run.store.publications
        self.released = find_release(config, publications.released(config.site.folder), run.clock())
        """The moment whose state of things it shows now; None is the present one."""
        picked_until = None if previews and config.pages.picking is Picking.FORM else self.released
        # Before its hash is made: what is picked later is none of it yet.
        self.config = config_at(config, picked_until, {feed.key for feed in self.feeds})
        self.last = publications.get(self._key)

    @cached_property
    def before(self) -> dict[str, PublishedFile]:
        """The files that were left in its folder the last time, by path."""
        return self.run.store.publications.files(self._key)

    @cached_property
    def theme(self) -> Theme:
        return load_site_theme(self.config)

    @cached_property
    def config_hash(self) -> str:
        """The fingerprint of what the operator decides."""
        return config_hash(self.config, self.theme, cleaning=cleaning(self.config).version)

    @cached_property
    def lists_hash(self) -> str:
        """The fingerprint of the feeds that lists add."""
        return hash_feeds(self.feeds[len(self.config.feeds) :])

    @cached_property
    def inputs_unchanged(self) -> bool:
        """Whether the same site would come out again."""
        last, run = self.last, self.run
        if last is None or last.config_hash != self.config_hash:
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
        return posixpath.join(self.config.site.folder, path)

    def publish(self, report: Report, *, trusted: bool) -> None:
        """Bring its folder to what it would show now, if that may be right."""
        report.sites += 1
        last = self.last
        if last and self.is_up_to_date:
            report.entries += last.entries
            return
        content = self.content()
        edition = content.edition
        for notice in content.notices:
            report.notice(notice)
        shown = len(edition.timeline)
        is_lost = last is not None and last.config_hash == LOST
        if (is_lost or not (last or shown)) and not trusted and self._is_unread():
            report.refused = (
                "no feed was ever read, so there is nothing to publish; what is published stays as "
                "it is (`planet render --force` publishes an empty site)"
            )
            return
        loss = self._find_loss(last, shown, content.faded) if last else None
        if last and loss and loss.is_refused and not trusted:
            report.entries += last.entries
            report.refused = (
                f"{loss.words}; it stays as it was (`planet render --force` publishes it)"
            )
            return
        if loss and not loss.is_refused:
            report.notice(loss.words)
        # Made once and kept before it is shown, so that it is the same for ever.
        digests, folder = self.run.store.digests, self.config.site.folder
        if edition.digests and edition.digests[:1] != digests.all(folder)[:1]:
            digests.keep(edition.digests[0], folder)
        files = self.files(content, report.listener.on_file)
        published = publish(files, self.output, self.before)
        self.run.store.publications.record(
            self._key,
            Publication(
                config_hash=self.config_hash,
                listed=self.lists_hash,
                generation=self.run.store.generation,
                keeps_until=edition.keeps_until,
                entries=shown,
                edition=folder,
                released=self.released,
            ),
            published.files,
        )
        report.entries += shown
        written = tuple(map(self.path, published.written))
        report.written += written
        if self.inputs_unchanged:
            # The same site again, as in the empty folder of a machine that has the state alone.
            report.restored += written
        report.deleted += tuple(map(self.path, published.deleted))
        for words in _describe_lost_feeds(edition, published.deleted):
            report.notice(words)

    def _find_loss(self, last: Publication, shown: int, faded: int) -> EntryLoss | None:
        """Return the entries it would lose; None where they are not more than half."""
        is_of_state = last.config_hash == LOST
        # The config, the theme or Planet is another one than when the site was made.
        is_of_config = last.config_hash != self.config_hash and not is_of_state
        # What is too old by the config that it was made with is no loss; by another one it may be.
        expected = shown if is_of_config else shown + faded
        if 2 * expected >= last.entries:
            return None
        is_refused = not is_of_config or 10 * shown < last.entries
        cause = "with nothing changed in the config"
        if is_of_state:
            cause = "because the state was lost or is new here"
        elif is_of_config:
            cause = "by what has changed in the config"
        site = f"the site {self.config.site.name}" if self.config.site.name else "the site"
        verb = "would lose" if is_refused else "loses"
        lost = f"{last.entries - shown:,} of {format_count(last.entries, 'entry', 'entries')}"
        return EntryLoss(f"{site} {verb} {lost} {cause}", is_refused)

    def _is_unread(self) -> bool:
        """Return whether no feed was ever read although the planet is not new.

        It is not when feeds were asked, or there is a site.
        """
        states = self.run.store.states().values()
        if any(state.profile for state in states):
            return False
        is_new = not states and not (self.output / "atom.xml").exists()
        return not is_new and any(feed.enabled for feed in self.feeds)


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
    sites = [_SitePublisher(site, feeds, run) for site in config.sites]
    if if_changed and all(site.inputs_unchanged for site in sites):
        report.sites += len(sites)
        report.entries += sum(site.last.entries for site in sites if site.last)
        return
    for site in sites:
        site.publish(report, trusted=trusted)


class DrawnSites(NamedTuple):
    """All sites as they would be now."""

    files: list[File]
    keeps_until: datetime | None
    """When time alone would change one of them."""


def draw(config: Config, feeds: Sequence[Feed], *, run: Run) -> DrawnSites:
    """Return every file of all sites as it would be made now.

    Nothing is written down: a digest that is due is shown, and the next run makes it.
    """
    files: list[File] = []
    ends: list[datetime] = []
    for site in (_SitePublisher(part, feeds, run, previews=True) for part in config.sites):
        content = site.content()
        files += [replace(file, path=site.path(file.path)) for file in site.files(content)]
        keeps_until = content.edition.keeps_until
        ends += [keeps_until] if keeps_until else []
    return DrawnSites(files, min(ends, default=None))
