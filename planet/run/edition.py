"""The state → a site: the contents now, the files, and the comparison with the last version.

`SiteVersion` is the site, `config_hash` the fingerprint of the operator's decisions, and `Texts`
are the clean texts of the entries.
"""

from __future__ import annotations

import posixpath
from datetime import timedelta
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from planet import __version__
from planet.model import (
    Edition,
    File,
    FileKind,
    Future,
    Html,
    Picking,
    Picks,
    Timeline,
    fingerprint,
    whole_file,
)
from planet.model.secrets import Redactor
from planet.run.open import cleaning, trusted_now
from planet.run.pictures import face_files
from planet.schedule.health import feed_health
from planet.site.pages import load_theme, render
from planet.site.publish import is_intact
from planet.text.html import clean, make_paragraphs, show_images
from planet.text.plain import plain
from planet.timeline.assemble import assemble, make_rules
from planet.timeline.digest import make_digest
from planet.timeline.edition import config_at, find_release, sources, tags, with_post_counts
from planet.timeline.links import build_link_graph

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.model import Digest, Entry, Feed, Podcast
    from planet.run.open import Run
    from planet.site.pages import Theme
    from planet.store import Store
    from planet.timeline.select import Decision


_AS_OF_FOR = timedelta(days=7)
"""The most days between two versions of a site, also without news: the moment of the last poll on
the pages is never older."""
_GIVEN_UP = 10_000
"""Characters shown of a text that could not be cleaned in time."""


# What the operator decides


def load_site_theme(config: Config) -> Theme:
    """Return the theme of a site, with options and the operator's own files beside the config.

    Raises:
        ThemeError: a file is missing or wrong; the message names the file.
        ConfigError: there is no such theme, option or value of an option; or a file of `pages/` is
            no page.
    """
    return load_theme(
        config.theme.name,
        place=config.theme.place,
        options=config.theme.options,
        site=config.path.parent,
    )


def shows_icons(theme: Theme) -> bool:
    """Return whether a site shows faces from addresses, by the option `faces` of the theme."""
    return theme.options.get("faces") is True


def config_hash(config: Config, theme: Theme, *, cleaning: str) -> str:
    """Return a fingerprint of a config; `cleaning` is the version of the cleaner.

    Raises:
        OSError: the file of a podcast's cover, or of a feed's picture, cannot be read.
    """
    return fingerprint(
        __version__,
        theme.fingerprint,
        theme.pages,
        cleaning,
        (config.title, config.link, config.description, config.owner),
        (config.language, config.timezone, config.pages, config.filters),
        # The theme itself says all that shows of it.
        replace(config.site, theme=None),
        (config.hub, config.repository, config.digest, config.podcast),
        _cover(config.podcast),
        *(replace(pick, place=None) for pick in config.picks),
        *map(_settings_published, config.feeds),
        # Of their pictures the bytes, wherever they are, for another may come under the same name.
        *((feed.key, feed.face.read_bytes()) for feed in config.feeds if feed.face),
    )


def _settings_published(feed: Feed) -> tuple[object, ...]:
    """Return the settings of a feed with an effect on files of the site, without secrets."""
    fields = (getattr(feed, name) for name in feed.__struct_fields__ if name not in _NOT_PUBLISHED)
    # The last two decide whether the site has feeds of it.
    return *fields, bool(feed.transform), feed.needs_login


_NOT_PUBLISHED = {"place", "policy", "redactor", "include", "is_led", "transform", "face"}


def _cover(podcast: Podcast) -> bytes | None:
    """Return the bytes of a cover in a file: another may come under the same name."""
    return podcast.cover.read_bytes() if isinstance(podcast.cover, Path) else None


# A site


class SiteContent(NamedTuple):
    """The contents of a site."""

    edition: Edition
    faces: Sequence[File]
    """The pictures of the sources."""
    decisions: Collection[Decision]
    """The fate of each entry."""


class SiteVersion:
    """A site of the planet as of now, compared with the version in the output folder."""

    def __init__(
        self, config: Config, feeds: Sequence[Feed], run: Run, *, previews: bool = False
    ) -> None:
        """Compare a site with the last version; `previews` shows new picks at once.

        Raises:
            OSError: the file of a podcast's cover, or of a feed's picture, cannot be read.
        """
        publications = run.store.publications
        self.run, self.output, self.folder = run, config.output, config.site.folder
        self.key = name_output(config)
        # Those of lists come last, as among all feeds.
        self.feeds = list(filter(config.site.shows, feeds))
        self.released = find_release(config, publications.read_release(self.folder), run.clock())
        """The moment whose state of things is shown now; None is the present one."""
        picked_until = None if previews and config.pages.picking is Picking.FORM else self.released
        # Before the hash is made: what is picked later is none of it yet.
        self.config = config_at(config, picked_until, {feed.key for feed in self.feeds})
        self.theme = load_site_theme(self.config)
        version = cleaning(self.config).version
        self.config_hash = config_hash(self.config, self.theme, cleaning=version)
        of_lists = self.feeds[len(self.config.feeds) :]
        self.lists_hash = fingerprint(*map(_settings_published, of_lists))
        """The fingerprint of the feeds of lists."""
        self.last = publications.get(self.key)
        self.before = publications.files(self.key)
        """The files that were left in the folder the last time, by path."""

    @cached_property
    def inputs_unchanged(self) -> bool:
        """Whether the same site would come out again."""
        last, store = self.last, self.run.store
        if last is None or last.config_hash != self.config_hash:
            return False
        if last.keeps_until and last.keeps_until <= self.run.clock():
            return False
        if self.config.site.release is not None:
            # Nothing but a release changes what comes out at releases.
            return True
        is_same = (last.listed, last.generation) == (self.lists_hash, store.generation)
        return is_same and not store.entries.unlisted(before=self._oldest)

    @property
    def is_up_to_date(self) -> bool:
        """Whether the output folder has the site, whole and with the same inputs."""
        return self.inputs_unchanged and is_intact(self.output, self.before)

    @property
    def _oldest(self) -> datetime:
        """The limit of age for entries no longer listed by their feeds."""
        return trusted_now(self.run) - self.config.retention.entries

    def path(self, path: str) -> str:
        """Return the path of a file of this site among those of all sites."""
        return posixpath.join(self.folder, path)

    def content(self) -> SiteContent:
        """Assemble the contents of the site as of now."""
        config, run, store = self.config, self.run, self.run.store
        now, states = self.released or run.clock(), store.states()
        feeds = {feed.key: feed for feed in self.feeds if feed.enabled}
        hosts = store.hosts.read()
        health = {
            key: feed_health(feed, states.get(key), hosts, is_public=True)
            for key, feed in feeds.items()
        }
        icons = shows_icons(self.theme)
        faces = face_files(feeds.values(), store, run.redactor, icons=icons)
        too_old = store.entries.unlisted(before=self._oldest)
        entries = [
            entry
            for entry in store.entries.of_feeds(feeds)
            if entry.number not in too_old or feeds[entry.feed].is_archived
        ]
        shown_as = sources(
            feeds.values(),
            states,
            health,
            entries,
            faces={key: file.path for key, file in faces.items()},
        )
        rules, plain_texts = make_rules(config, feeds, shown_as), store.texts.read_plain
        released = self.released
        made = assemble(entries, rules, texts=plain_texts, now=now, released=released)
        timeline, decisions = Timeline(made.posts), made.decisions.values()
        listed, texts = with_post_counts(shown_as, timeline), Texts(config, run)
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
            episodes=_find_episodes(config, feeds.values(), store),
            digests=_list_digests(config, timeline, store, now),
            keeps_until=_find_next_change(config, decisions, now),
        )
        edition = replace(edition, links=build_link_graph(edition, texts.links, texts))
        return SiteContent(edition, [*faces.values()], decisions)

    def files(self, content: SiteContent) -> Iterator[File]:
        """Yield every file of the site, without secrets."""
        # Entries have none; the operator's words and lists may. A word is left: it may be markup.
        secrets = tuple(
            (name, secret)
            for name, secret in self.run.redactor.secrets
            if len(secret.value) >= 8 and not secret.value.isalpha()
        )
        redactor = Redactor(secrets=secrets)
        # Imported here: a run whose site stays as it is does without them and their libraries.
        from planet.site.feeds import feed_files, health_file

        edition, pages, theme = content.edition, self.config.pages, self.theme
        texts = Texts(self.config, self.run)
        files = [
            render(edition, theme=theme, pages=pages, contents=texts),
            feed_files(edition, pages=pages, contents=texts, cover=theme.cover, icon=theme.icon),
            content.faces,
            [health_file(edition)],
        ]
        if pages.search:
            from planet.site import search

            index = search.index(edition, texts, mask=redactor.redact).items()
            files.append(whole_file(path, body, FileKind.ASSET) for path, body in index)
        for file in chain.from_iterable(files):
            # An asset is published to the byte.
            is_masked = secrets and file.kind is not FileKind.ASSET
            yield replace(file, make=partial(_mask_file, file, redactor)) if is_masked else file


def name_output(site: Config) -> str:
    """Return the name of the folder of a site in the state.

    A folder beside or below the config has a relative name, so that a moved or copied planet still
    knows which files of the site are its own.
    """
    folder, home = site.output.absolute(), site.path.absolute().parent
    return folder.relative_to(home).as_posix() if folder.is_relative_to(home) else str(folder)


def _find_episodes(
    config: Config, feeds: Iterable[Feed], store: Store
) -> dict[str, tuple[Entry, ...]]:
    """Return the newest unpicked episodes of feeds that show picks only."""
    keys = [feed.key for feed in feeds if feed.picks is Picks.ONLY]
    picked = {(pick.feed, pick.id) for pick in config.picks}
    episodes: dict[str, list[Entry]] = {key: [] for key in keys}
    for entry in store.entries.of_feeds(keys, picks=Picks.ONLY):
        if (entry.feed, entry.id) not in picked:
            episodes[entry.feed].append(entry)
    return {
        key: tuple(sorted(entries, key=_filing_order, reverse=True)[: config.pages.source])
        for key, entries in episodes.items()
    }


def _filing_order(entry: Entry) -> tuple[datetime, int]:
    return entry.filing_moment(Future.CLAMP), entry.number


def _list_digests(
    config: Config, timeline: Timeline, store: Store, now: datetime
) -> tuple[Digest, ...] | None:
    """Return the digests, newest first, with a due one; None when none are wanted."""
    if config.digest is None:
        return None
    # A digest of the future was made by a clock ahead: until then there would be no other.
    made = tuple(one for one in store.digests.all(config.site.folder) if one.made_at <= now)
    last = made[0] if made else None
    times = replace(config.digest, zone=config.timezone)
    due = make_digest(timeline, last, times=times, now=now)
    return (due, *made) if due else made


def _find_next_change(
    config: Config, decisions: Iterable[Decision], now: datetime
) -> datetime | None:
    """Return when the same entries would make another site."""
    if config.site.release:
        return config.site.release.next(now)
    changes = [decision.until for decision in decisions if decision.until and decision.until > now]
    if config.digest:
        changes.append(replace(config.digest, zone=config.timezone).next(now))
    return min([*changes, now + _AS_OF_FOR])


def _mask_file(file: File, redactor: Redactor) -> bytes:
    return redactor.redact(file.make())


class Texts:
    """The clean texts of entries, by their numbers, those of picks among them: a `Contents`."""

    def __init__(self, config: Config, run: Run) -> None:
        self._stored, self._call = run.store.texts, run.workers.call
        self._cleaning = cleaning(config)
        self._images = config.pages.images
        self._images_of = {
            feed.key: feed.images for feed in config.feeds if feed.images is not self._images
        }
        # By the numbers that `Rules.posts_of_picks` gives to the entries of picks.
        self._picked = {-n: pick.text for n, pick in enumerate(config.picks, 1) if pick.text}
        self._feeds_of_picks = {-n: pick.feed for n, pick in enumerate(config.picks, 1)}

    def __call__(self, numbers: Sequence[int]) -> Mapping[int, Html]:
        """Return the texts as the site shows them; entries without one are left out."""
        texts = self._read_clean(numbers)
        feeds = self._stored.feeds([*texts]) | self._feeds_of_picks if self._images_of else {}
        return {
            number: show_images(text, self._images_of.get(feeds.get(number, ""), self._images))
            for number, text in texts.items()
        }

    def links(self, numbers: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """Return the links in the texts of stored entries."""
        linked = self._stored.links(numbers)
        missing = [number for number in numbers if number > 0 and number not in linked]
        # What a text links to is stored when it is cleaned.
        self._read_clean(missing)
        return linked | self._stored.links(missing)

    def _read_clean(self, numbers: Sequence[int]) -> dict[int, Html]:
        """Return clean texts; clean and store the ones of another cleaner or of none."""
        version, stored = self._cleaning.version, self._stored.read_stored(numbers)
        texts = {n: Html(one.text.value) for n, one in stored.items() if one.cleaning == version}
        unclean = {n: one.text for n, one in stored.items() if n not in texts}
        unclean |= {n: self._picked[n] for n in numbers if n in self._picked}
        calls = {n: self._call(clean, text, self._cleaning) for n, text in unclean.items()}
        results = {n: call.result() for n, call in calls.items()}
        made = {n: result for n, result in results.items() if isinstance(result, str)}
        if to_store := {n: text for n, text in made.items() if n in stored}:
            self._stored.put_clean(to_store, cleaning=version)
        # Given up, perhaps because the machine was busy: not stored, so that it is tried again.
        given_up = {n: make_paragraphs(plain(unclean[n], _GIVEN_UP)) for n in results.keys() - made}
        return texts | made | given_up
