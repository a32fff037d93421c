"""Store → site: what the entries say together, published where it is not published already."""

from __future__ import annotations

import hashlib
import posixpath
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planet import __version__
from planet.model import OWN_LIST, Edition, File, Picking, Picks
from planet.model.secrets import Redactor
from planet.report import feed_name, format_count
from planet.run.posts import update_posts
from planet.run.runtime import cleaning, present
from planet.run.texts import texts_of
from planet.schedule import find_host
from planet.schedule.health import Overview, describe_health, feed_health
from planet.site.pages import load_theme, render
from planet.site.publish import OF_EVERY_SITE, changes, check, publish, stands
from planet.store import Publication
from planet.text import address
from planet.text.plain import shorten
from planet.timeline.assemble import rules_of, settings_shown
from planet.timeline.digest import compose, timetable
from planet.timeline.edition import as_of, lists_of, released, sources, tags, told_of
from planet.timeline.links import graph
from planet.timeline.stored import StoredTimeline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.model import (
        Contents,
        Digest,
        Entry,
        Feed,
        FeedState,
        HostState,
        Podcast,
    )
    from planet.report import Report
    from planet.run.runtime import Run
    from planet.site.pages import Theme
    from planet.store import PublishedFile, Store
    from planet.timeline.select import Decision

    Record = dict[str, Any]


_HEADING = 80
"""Characters of an entry's heading in words for the operator."""


def make_edition(
    config: Config, feeds: Sequence[Feed], *, run: Run, released: datetime | None = None
) -> tuple[Edition, Callable[[str], Record], int, list[str]]:
    """What a site shows now, or, with `released`, what it showed at that moment.

    With it comes what says how a feed of it stands, for machines, by key; how many entries it does
    not show because they are too old; and what the operator should know of filters, in words.
    """
    wanted = {feed.key: feed for feed in feeds if feed.enabled}
    states, hosts = run.store.states(), run.store.hosts()
    now = released or run.clock()

    def state_of(key: str) -> tuple[Feed, FeedState | None, HostState | None]:
        feed, state = wanted[key], states.get(key)
        return feed, state, find_host(feed, state, hosts)

    def record_of(key: str) -> Record:
        tell = _untold if wanted[key].is_hidden else address.without_secrets
        return describe_health(*state_of(key), tell=tell, is_public=True)

    health_of = {key: feed_health(*state_of(key)) for key in wanted}
    texts = texts_of(config, run)
    table = run.store.posts(config.site.folder)
    shown_as = sources(
        wanted.values(),
        states,
        health_of,
        run.store.origins(),
        source_feeds=config.pages.source_feeds,
    )
    rules = rules_of(config, wanted, shown_as)
    slow = update_posts(
        table,
        rules,
        texts=run.store.plain_texts,
        now=now,
        released=released,
        leaving=run.store.retiring(entries_before=present(run) - config.retention.entries),
    )
    timeline = StoredTimeline(table, shown_as, rules.picked)
    changes = [table.next_change(now)]
    if config.digest:
        changes.append(timetable(config.digest, config.timezone).next(now))
    if config.site.release:
        changes = [config.site.release.next(now)]
    listed = told_of(shown_as, timeline)
    edition = Edition(
        title=config.title,
        link=config.link,
        description=config.description,
        owner=config.owner,
        language=config.language,
        timezone=config.timezone,
        hub=config.hub,
        repository=config.repository,
        podcast=config.podcast,
        timeline=timeline,
        sources=listed,
        tags=tags(listed),
        lists=lists_of(rules.picked, config.lists),
        episodes=_episodes(config, wanted.values(), run),
        digests=_digests(config, timeline, run, now),
        keeps_until=min(filter(None, changes), default=None),
    )
    edition = replace(edition, links=graph(edition, texts.links, texts))
    return edition, record_of, timeline.faded, list(_slow_filters(slow, wanted, states))


def _slow_filters(
    decisions: Iterable[Decision], feeds: Mapping[str, Feed], states: Mapping[str, FeedState]
) -> Iterator[str]:
    """Which filters took too long with which entries, a sentence for each filter and feed."""
    passed: dict[tuple[str, str], list[Entry]] = {}
    for decision in decisions:
        for pattern in decision.too_slow:
            passed.setdefault((pattern.written, decision.entry.feed), []).append(decision.entry)
    for (words, key), entries in passed.items():
        name = feed_name(feeds[key], states.get(key))
        which, them = f"“{shorten(entries[0].heading, _HEADING)}”", "it"
        if others := len(entries) - 1:
            which, them = (
                f"{which} and {format_count(others, 'other entry', 'other entries')}",
                "them",
            )
        yield f"the filter {words} takes too long to search {which} of {name}, and lets {them} pass"


def _episodes(config: Config, feeds: Iterable[Feed], run: Run) -> dict[str, tuple[Entry, ...]]:
    """The newest episodes of the feeds that show picks only, without those that are picked.

    Where they are picked with a button, what is on a list alone is among them: for other lists.
    """
    keys = [feed.key for feed in feeds if feed.picks is Picks.ONLY]
    others = config.pages.picking is not Picking.FORM
    picked = {(pick.feed, pick.id) for pick in config.picks if others or pick.list == OWN_LIST}
    count = config.pages.source
    newest = {key: run.store.newest_episodes(key, count + len(picked)) for key in keys}
    return {
        key: tuple(entry for entry in entries if (key, entry.id) not in picked)[:count]
        for key, entries in newest.items()
    }


def _digests(
    config: Config, timeline: StoredTimeline, run: Run, now: datetime
) -> tuple[Digest, ...] | None:
    """The digests there are, newest first, with the one that is due; None when none are wanted."""
    if config.digest is None:
        return None
    made = run.store.digests.all(config.site.folder)
    last = made[0] if made else None
    due = compose(timeline, last, times=config.digest, zone=config.timezone, now=now)
    return (due, *made) if due else made


def _untold(_: str) -> None:
    """What anyone may know of an address with a secret in it."""


def index_files(
    edition: Edition, *, contents: Contents, output: Path, before: Mapping[str, PublishedFile]
) -> Iterator[File]:
    """The files of the index; `before` says what Planet left in the folder the last time.

    An index is made as a whole and takes seconds, so what is there is taken from there for as long
    as the same would come out.

    Raises:
        SearchError: it could not be made.
    """
    from planet.site import search

    mark = search.fingerprint(edition)
    there = {path: old for path, old in before.items() if path.startswith(search.FOLDER)}
    entry = there.get(search.ENTRY)
    if entry is not None and entry.fingerprint == mark and stands(output, there):
        for path, old in there.items():
            yield File(path=path, fingerprint=old.fingerprint, make=(output / path).read_bytes)
        return
    for path, body in search.index(edition, contents).items():
        made_from = mark if path == search.ENTRY else hashlib.sha256(body).hexdigest()
        yield File(path=path, fingerprint=made_from, make=partial(bytes, body))


def theme_of(config: Config) -> Theme:
    """The theme of a site, with the options that were chosen, and what lies beside the config.

    Raises:
        ThemeError: a file is missing or wrong; the message names it.
        ConfigError: there is no such theme, or it does not have one of the options, or not with
            that value.
    """
    return load_theme(
        config.theme,
        place=config.theme_place,
        options=config.theme_options,
        site=config.path.parent,
    )


def config_hash(config: Config, theme: Theme, *, cleaning: str) -> str:
    """A fingerprint of it; `cleaning` is the version of the cleaner.

    Raises:
        OSError: the file of a podcast's cover cannot be read.
    """
    return _fingerprint(
        (
            __version__,
            theme.fingerprint,
            cleaning,
            (config.title, config.link, config.description, config.owner),
            (config.language, config.timezone, config.pages, config.filters),
            # The theme itself says all that shows of it.
            replace(config.site, theme=None, theme_place=None, theme_options=None),
            (config.hub, config.repository, config.digest, config.podcast, config.lists),
            *map(_cover, (config.podcast, *config.lists.values())),
            *(replace(pick, place=None) for pick in config.picks),
            *map(settings_shown, config.feeds),
        )
    )


def feeds_shown(feeds: Iterable[Feed]) -> str:
    """A fingerprint of feeds, as far as pages show what is decided about them."""
    return _fingerprint(map(settings_shown, feeds))


def _cover(podcast: Podcast) -> bytes | None:
    """The cover of a podcast, where it is a file: another picture may come under the same name."""
    return podcast.cover.read_bytes() if isinstance(podcast.cover, Path) else None


def _fingerprint(parts: Iterable[object]) -> str:
    text = repr(tuple(parts)).encode(errors="backslashreplace")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def check_folders(config: Config, *, run: Run) -> None:
    """See before anybody is asked whether each site can be written to its folder.

    Raises:
        OutputError: one cannot.
    """
    for site in config.sites:
        before = run.store.publications.files(str(site.output.absolute()), only=OF_EVERY_SITE)
        check(site.output, before, top=config.output)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryLoss:
    """More than half of a site's entries, which it would no longer show."""

    site: str | None
    """The name of the edition; None for the planet's only site."""
    before: int
    after: int
    is_of_config: bool
    """Whether the config, the theme or Planet is another one than when the site was made."""

    @property
    def is_refused(self) -> bool:
        """Whether the operator has to say first that this is right."""
        return not self.is_of_config or 10 * self.after < self.before

    @property
    def words(self) -> str:
        """The loss in numbers, without what follows from it."""
        site = f"the site {self.site}" if self.site else "the site"
        cause = (
            "by what has changed in the config"
            if self.is_of_config
            else "with nothing changed in the config"
        )
        lost = f"{self.before - self.after:,} of {format_count(self.before, 'entry', 'entries')}"
        return f"{site} {'would lose' if self.is_refused else 'loses'} {lost} {cause}"


def _count(edition: Edition) -> int:
    """Return how many entries a site shows, with a date and without."""
    return edition.count + sum(part.posts for part in edition.timeline.timeless.values())


def _unwatched() -> None:
    """Nobody is told how far it is."""


class _Site:
    """A site of the planet as it is now, and as it was made last."""

    def __init__(
        self, config: Config, feeds: Sequence[Feed], run: Run, *, previews: bool = False
    ) -> None:
        """`previews` is whether who picks with a button sees what is picked at once."""
        self.run, self.output = run, config.output
        self._key = str(config.output.absolute())
        # Those of lists come last, as among all feeds.
        self.feeds = list(filter(config.site.shows, feeds))
        publications = run.store.publications
        self.released = released(config, publications.released(config.site.folder), run.clock())
        """The moment whose state of things it shows now; None is the present one."""
        picked_until = None if previews and config.pages.picking is Picking.FORM else self.released
        # Before its hash is made: what is picked later is none of it yet.
        self.config = as_of(config, picked_until, {feed.key for feed in self.feeds})
        self.last = publications.last(self._key)

    @cached_property
    def before(self) -> dict[str, PublishedFile]:
        """The files that were left in its folder the last time, by path."""
        return self.run.store.publications.files(self._key)

    @cached_property
    def theme(self) -> Theme:
        return theme_of(self.config)

    @cached_property
    def made_from(self) -> tuple[str, str]:
        """Fingerprints of what the operator decides, and of the feeds that lists add."""
        listed = feeds_shown(self.feeds[len(self.config.feeds) :])
        return config_hash(self.config, self.theme, cleaning=cleaning(self.config).version), listed

    @cached_property
    def is_current(self) -> bool:
        """Whether the same site would come out again."""
        last, run = self.last, self.run
        if last is None or last.config_hash != self.made_from[0]:
            return False
        if last.keeps_until and last.keeps_until <= run.clock():
            return False
        if self.config.site.release is not None:
            # Nothing but a release changes what comes out at releases.
            return True
        is_same = (last.listed, last.generation) == (self.made_from[1], run.store.generation)
        end = present(run) - self.config.retention.entries
        return is_same and not run.store.retiring(entries_before=end)

    @property
    def stays(self) -> bool:
        """Whether it is there as it would be made now."""
        return self.is_current and stands(self.output, self.before)

    def edition(self) -> tuple[Edition, Callable[[str], Record], int, list[str]]:
        """As `make_edition`."""
        return make_edition(self.config, self.feeds, run=self.run, released=self.released)

    def files(
        self,
        edition: Edition,
        record_of: Callable[[str], Record],
        step: Callable[[], None] = _unwatched,
    ) -> Iterator[File]:
        """Every file of it, a page and the feeds beside it together; a `step` for each."""
        secrets = self.run.redactor.secrets
        # Entries have none; the operator's words and lists may. A word is left: it may be markup.
        telling = tuple(
            secret for secret in secrets if len(secret[1]) >= 8 and not secret[1].isalpha()
        )
        redactor = Redactor(secrets=telling)
        for file in self._files(edition, record_of):
            yield replace(file, make=partial(_discreet, file, redactor)) if telling else file
            step()

    def _files(self, edition: Edition, record_of: Callable[[str], Record]) -> Iterator[File]:
        # Imported here: a run whose site stays as it is does without them and their libraries.
        from planet.site.feeds import feeds as make_feeds
        from planet.site.feeds import health

        pages, texts = self.config.pages, texts_of(self.config, self.run)
        drawn = render(edition, theme=self.theme, pages=pages, contents=texts)
        written = make_feeds(edition, pages=pages, contents=texts, cover=self.theme.cover)
        feed = next(written, None)
        for page in drawn:
            yield page
            # They show the same posts as the page, and come in the same order.
            folder = page.path.rpartition("/")[0]
            while feed and (folder == feed.path.rpartition("/")[0] or not _is_of_part(feed)):
                yield feed
                feed = next(written, None)
        overview = Overview()

        def counted(key: str) -> Record:
            row = record_of(key)
            overview.add(row)
            return row

        yield health(edition, counted, overview.as_json)
        if pages.search:
            yield from index_files(edition, contents=texts, output=self.output, before=self.before)

    def path(self, path: str) -> str:
        """What a file of it is called among those of all sites."""
        return posixpath.join(self.config.site.folder, path)

    def publish(self, report: Report, *, trusted: bool) -> None:
        """Bring its folder to what it would show now, if that may be right."""
        report.sites += 1
        last = self.last
        if last and self.stays:
            report.entries += last.entries
            return
        edition, record_of, faded, notices = self.edition()
        for notice in notices:
            report.notice(notice)
        shown = _count(edition)
        loss = self._loss(shown, faded)
        if loss and loss.is_refused and not trusted:
            report.entries += loss.before
            report.refuse(
                f"{loss.words}; it stays as it was (`planet render --force` publishes it)"
            )
            return
        if loss and not loss.is_refused:
            report.notice(loss.words)
        if (loss_of_state := self._loss_of_state(edition, faded)) and not trusted:
            report.refuse(loss_of_state)
            return
        is_lost = self.run.store.publications.lost(self.config.site.folder) is not None
        if last is None and (is_lost or not shown) and not trusted and self._is_unread():
            report.refuse(
                "no feed was ever read, so there is nothing to publish; what is published stays as "
                "it is (`planet render --force` publishes an empty site)"
            )
            return
        # Made once and kept before it is shown, so that it is the same for ever.
        digests, folder = self.run.store.digests, self.config.site.folder
        if edition.digests and edition.digests[:1] != digests.all(folder)[:1]:
            digests.keep(edition.digests[0], folder)
        files = self.files(edition, record_of, report.listener.on_file)
        published = publish(files, self.output, self.before)
        self.run.store.publications.record(
            self._key,
            Publication(
                config_hash=self.made_from[0],
                listed=self.made_from[1],
                generation=self.run.store.generation,
                keeps_until=edition.keeps_until,
                entries=shown,
            ),
            published.files,
            edition=folder,
            released=self.released,
        )
        report.entries += shown
        written = tuple(map(self.path, published.written))
        report.written += written
        if self.is_current:
            # The same site again, as in the empty folder of a machine that has the state alone.
            report.restored += written
        report.deleted += tuple(map(self.path, published.deleted))

    def config_loss(self) -> EntryLoss | None:
        """Return what the config, changed since the site was made, takes from it; None if little.

        As a run would find with what is stored now.
        """
        if self.last is None or self.last.config_hash == self.made_from[0]:
            return None
        edition, _, faded, _ = self.edition()
        return self._loss(_count(edition), faded)

    def _loss(self, shown: int, faded: int) -> EntryLoss | None:
        """Return how many entries it would lose; None where they are not more than half."""
        if self.last is None:
            return None
        is_of_config = self.last.config_hash != self.made_from[0]
        # What is too old by the config that it was made with is no loss; by another one it may be.
        expected = shown if is_of_config else shown + faded
        if 2 * expected >= self.last.entries:
            return None
        return EntryLoss(
            site=self.config.site.name,
            before=self.last.entries,
            after=shown,
            is_of_config=is_of_config,
        )

    def _loss_of_state(self, edition: Edition, faded: int) -> str | None:
        """Return, in words, what the site would lose because the state was lost; None if nothing.

        One entry is enough: what cannot be taken back is gone for good once the site is replaced.
        """
        before = self.run.store.publications.lost(self.config.site.folder)
        if self.last is not None or before is None or edition.count + faded >= before:
            return None
        name = self.config.site.name
        site = f"the site {name}" if name else "the site"
        return (
            f"the state was lost or is new here, and so far {site} would lose "
            f"{before - edition.count:,} of {format_count(before, 'entry', 'entries')}; it stays "
            "as it was (put a backup of the state in its place, or `planet render --force` "
            "publishes what there is)"
        )

    def _is_unread(self) -> bool:
        """Whether none was ever read although the planet is not new.

        It is not when feeds were asked, or there is a site.
        """
        states = self.run.store.states().values()
        if any(state.profile for state in states):
            return False
        is_new = not states and not (self.output / "atom.xml").exists()
        return not is_new and any(feed.enabled for feed in self.feeds)


def make_sites(
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
    run.store.drop_other_sites({site.site.folder for site in config.sites})
    sites = [_Site(site, feeds, run) for site in config.sites]
    if if_changed and all(site.is_current for site in sites):
        report.sites += len(sites)
        report.entries += sum(site.last.entries for site in sites if site.last)
        report.not_drawn = True
        return
    for site in sites:
        site.publish(report, trusted=trusted)


def has_new_config(config: Config, feeds: Sequence[Feed], *, store: Store, now: datetime) -> bool:
    """Return whether a site was made from another config than this one."""
    for site in config.sites:
        last = store.publications.last(str(site.output.absolute()))
        if last is None:
            continue
        moment = released(site, store.publications.released(site.site.folder), now)
        shown = as_of(site, moment, {feed.key for feed in feeds if site.site.shows(feed)})
        made_from = config_hash(shown, theme_of(shown), cleaning=cleaning(shown).version)
        if last.config_hash != made_from:
            return True
    return False


def config_losses(config: Config, feeds: Sequence[Feed], *, run: Run) -> list[EntryLoss]:
    """Return the sites from which this config takes more than half of the entries they show now.

    Nothing is published. `run` should have a copy of the state: what is decided about entries is
    written to it.
    """
    sites = [_Site(site, feeds, run) for site in config.sites]
    return [loss for site in sites if (loss := site.config_loss()) is not None]


def plan(
    config: Config,
    feeds: Sequence[Feed],
    *,
    run: Run,
    if_changed: bool = False,
    step: Callable[[], None] = _unwatched,
) -> tuple[list[str], list[str]]:
    """The files that would be made of what is known now, and those that would be deleted.

    `if_changed` is as for `make_sites`. There is a `step` for each file that is looked at.

    Raises:
        OutputError: a site cannot be written to its folder.
    """
    check_folders(config, run=run)
    made: list[str] = []
    deleted: list[str] = []
    sites = [_Site(site, feeds, run) for site in config.sites]
    if if_changed and all(site.is_current for site in sites):
        return made, deleted
    for site in sites:
        if not site.stays:
            edition, record_of, *_ = site.edition()
            files = site.files(edition, record_of, step)
            coming, going = changes(files, site.output, site.before)
            made += map(site.path, sorted(coming))
            deleted += map(site.path, going)
    return made, deleted


def draw(config: Config, feeds: Sequence[Feed], *, run: Run) -> tuple[list[File], datetime | None]:
    """Every file of all sites as it would be made now, and when time alone would change one.

    Nothing is written down: a digest that is due is shown, and the next run makes it.
    """
    files: list[File] = []
    ends: list[datetime] = []
    for site in (_Site(part, feeds, run, previews=True) for part in config.sites):
        edition, record_of, *_ = site.edition()
        drawn = site.files(edition, record_of)
        files += [replace(file, path=site.path(file.path)) for file in drawn]
        ends += [edition.keeps_until] if edition.keeps_until else []
    return files, min(ends, default=None)


def _is_of_part(file: File) -> bool:
    """Whether it is beside the page of a source or of a tag."""
    return file.path.startswith(("source/", "tag/"))


def _discreet(file: File, redactor: Redactor) -> bytes:
    """A file without secrets, if it is one to read."""
    data = file.make()
    is_text = file.path.endswith((".html", ".xml", ".json", ".txt"))
    return redactor.redact_bytes(data) if is_text else data
