"""The file → Config, with defaults and the feeds of lists; or every mistake in it."""

from __future__ import annotations

import posixpath
import re
from base64 import b64encode
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from planet.config import resolved, settings, texts, yaml
from planet.config.checks import NOTHING_TO_READ, find_problems
from planet.config.feeds import resolve_feed
from planet.config.opml import feeds_from_opml
from planet.config.picks import FILE, parse_picks
from planet.config.resolved import Config, set_releases
from planet.config.sections import Checker
from planet.config.texts import VARIABLE
from planet.errors import ConfigError, Place, Problem
from planet.model import Feed, FetchPolicy, Picking, Podcast, Timetable
from planet.model.secrets import Redactor, Secret
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from planet.config.yaml import Document, KeyPath


def parse_config(
    data: bytes, *, path: Path, environ: Mapping[str, str], needs_feeds: bool = True
) -> Config:
    """Parse `data` as the content of the file at `path`, as `planet.config.load` does.

    Without `needs_feeds`, there may be nothing to read in it yet.
    """
    try:
        document = yaml.read(
            data, file=str(path), expand=partial(texts.expand_variables, environ=environ)
        )
    except ConfigError:
        # Few files are those of another program.
        from planet.config.foreign import recognise_format

        if words := recognise_format(data, str(path)):
            raise ConfigError([Problem(_top_of(path), words)]) from None
        raise
    beside = path.with_name(FILE)
    picked = parse_picks(read_bytes(beside, needed=False), file=str(beside))
    config, found = _resolve(document, path, _make_redactor(document, environ))
    problems = sort_problems([*found, *picked.problems], first=str(path))
    if wrong := [
        problem
        for problem in problems
        if not problem.is_warning and (needs_feeds or problem.message != NOTHING_TO_READ)
    ]:
        raise ConfigError(wrong)
    return replace(config, picks=picked.picks, warnings=tuple(problems))


def _resolve(document: Document, path: Path, redactor: Redactor) -> tuple[Config, list[Problem]]:
    """Return the config without all that is wrong in the file, and what that is."""
    checker = Checker(document, settings.PlanetSettings)
    planet = checker.check(settings.PlanetSettings, document.data, ())
    if planet is None:
        again = Checker(document, settings.PlanetSettings)
        planet = again.check(settings.PlanetSettings, {**document.data, "title": "?"}, ())
    policy = FetchPolicy(**{name: getattr(planet.fetch, name) for name in _POLICY})
    planet = replace(planet, policy=policy, redactor=redactor)
    file = _ConfigBuilder(document, planet, path.parent)
    feeds = file.resolve_feeds()
    config, of_lists = file.resolve(path, feeds)
    checks = find_problems(config, feeds, checker.mistaken, document)
    firsts: dict[Place | Problem, Problem] = {}
    for problem in (*document.problems, *checker.problems, *checks, *of_lists):
        # Of one place the first counts; what the whole file lacks stands at its top.
        is_at_top = problem.place in (None, document.place(()))
        firsts.setdefault(problem if is_at_top else problem.place or problem, problem)
    return config, list(firsts.values())


def sort_problems(problems: Iterable[Problem], *, first: str) -> list[Problem]:
    """Return problems by file, line and column, those of the file `first` before all others."""
    top = Place(file=first, line=0, column=0)
    return sorted(
        problems,
        key=lambda one: (
            (place := one.place or top).file != first,
            *(place.file, place.line, place.column),
        ),
    )


def read_bytes(path: Path, *, needed: bool = True) -> bytes:
    """Read a file; return no bytes for one that is not there and not `needed`.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        if not needed:
            return b""
        way_out = "`planet init` writes one, and `--config` names another"
        raise ConfigError([Problem(None, f"there is no {path}; {way_out}")]) from None
    except OSError as error:
        words = f"cannot be read: {error.strerror}; `--config` names another file"
        raise ConfigError([Problem(_top_of(path), words)]) from error


def _top_of(path: Path) -> Place:
    return Place(file=str(path), line=1, column=1)


# Secrets


_SHORTEST: Final = 4
"""A shorter value can be guessed, and is in texts for other reasons."""
_SHORTEST_USER: Final = 12
"""A shorter user name is a name and no key, and may be in texts."""


_SECRET_SETTINGS: Final = ("url", "headers", "auth")


def _make_redactor(document: Document, environ: Mapping[str, str]) -> Redactor:
    """Make a redactor for what addresses, headers and credentials take from `environ`."""
    secrets: dict[str, str] = {}
    for path, text in document.with_variables.items():
        setting = [step for step in path[1:] if isinstance(step, str)] or ["url"]
        if path[0] not in ("feeds", "subscriptions") or setting[0] not in _SECRET_SETTINGS:
            continue
        names = re.findall(VARIABLE, text)
        shortest = _SHORTEST_USER if setting == ["auth", "user"] else _SHORTEST
        values = {name: environ.get(name, "") for name in names}
        secrets |= {name: value for name, value in values.items() if len(value) >= shortest}
        if setting[0] == "auth" and names:
            auth: Any = document.data
            for step in path[:-1]:
                auth = auth[step]
            # In the form that is sent (RFC 7617 §2).
            pair = f"{auth.get('user')}:{auth.get('password')}"
            secrets[f"{names[-1]}.basic"] = b64encode(pair.encode(errors="replace")).decode()
    return Redactor(secrets=tuple((name, Secret(secrets[name])) for name in sorted(secrets)))


# What the settings mean


_POLICY: Final = (*settings.POLICY, "timeout", "max_size")


class _ConfigBuilder:
    """The settings of a file, and what they mean in its folder."""

    def __init__(self, document: Document, planet: settings.PlanetSettings, folder: Path) -> None:
        self.document, self.planet, self.folder = document, planet, folder

    def resolve(self, path: Path, feeds: Mapping[int, Feed]) -> tuple[Config, list[Problem]]:
        """Return the config with these feeds, and what is wrong with its subscription lists."""
        planet, folder = self.planet, self.folder
        podcast = self._resolve_podcast(planet.podcast)
        picking = Picking.LINK if planet.repository else Picking.NONE
        basics = {name: getattr(planet, name) for name in resolved.Basics.__struct_fields__}
        basics |= {
            "podcast": podcast,
            "pages": replace(planet.pages, picking=picking),
            "theme": self._resolve_theme(planet.theme, ()),
        }
        lists, listed, problems = self._resolve_subscriptions([*feeds.values()])
        commands = (planet.transform, *(feed.transform for feed in feeds.values()))
        config = Config(
            **basics,
            path=path,
            output=folder / planet.output,
            state=folder / planet.state,
            feeds=(*feeds.values(), *listed),
            subscriptions=tuple(one for one in lists if not one.is_file),
            editions=tuple(
                self._resolve_site(name, written) for name, written in planet.editions.items()
            ),
            files=(
                *(path, path.with_name(FILE), *(one.path for one in lists if one.is_file)),
                *([podcast.cover] if isinstance(podcast.cover, Path) else []),
                *(feed.face for feed in feeds.values() if feed.face),
                *dict.fromkeys(folder / command[0] for command in filter(None, commands)),
            ),
        )
        return replace(config, feeds=set_releases(config, config.feeds)), problems

    def _resolve_podcast(self, written: Podcast) -> Podcast:
        """Return the podcast with its cover as an address, or a path."""
        if not isinstance(cover := written.cover, str):
            return written
        return replace(written, cover=address.make_absolute(cover) or self.folder / cover)

    def _resolve_theme(
        self, written: resolved.ThemeSettings, section: KeyPath
    ) -> resolved.ThemeSettings:
        """Return a theme with its folder as a path, and the place that names it."""
        is_name = re.fullmatch(r"[\w-]+", str(written.name))
        name = written.name if is_name else self.folder / written.name
        place = self.document.place((*section, "theme", "name"))
        return replace(written, name=name, place=place)

    def _resolve_site(self, name: str, written: settings.EditionSettings) -> resolved.Site:
        inside = posixpath.normpath(written.folder or name)
        inside = "" if inside == "." else inside
        own = {name: getattr(written, name) for name in resolved.SiteBasics.__struct_fields__}
        if written.link is None and self.planet.link and not inside.startswith(".."):
            own["link"] = self.planet.link + (f"{inside}/" if inside else "")
        if written.theme:
            own["theme"] = self._resolve_theme(written.theme, ("editions", name))
        release, zone = written.release, written.timezone or self.planet.timezone
        times = release and Timetable(at=release.at, days=release.every.days, zone=zone)
        return resolved.Site(
            **own,
            name=name,
            folder=inside,
            release=times or None,
        )

    def resolve_feeds(self) -> dict[int, Feed]:
        """Return the feeds of the file itself, by index."""
        feeds: dict[int, Feed] = {}
        taken: set[str] = set()
        for index, written in enumerate(self.planet.feeds):
            if written:
                feeds[index] = self._resolve_feed(written, ("feeds", index, "url"), taken)
                taken.add(feeds[index].slug)
        return feeds

    def _resolve_feed(
        self, written: settings.FeedSettings, location: KeyPath, taken: Container[str]
    ) -> Feed:
        return resolve_feed(
            written,
            address=self.document.text(location) or written.url,
            place=self.document.place(location),
            folder=self.folder,
            planet=self.planet,
            taken=taken,
        )

    def _resolve_subscriptions(
        self, own: Sequence[Feed]
    ) -> tuple[list[Feed], list[Feed], list[Problem]]:
        """Return the lists, the feeds on those that are files, and what is wrong with them.

        Feeds of the config itself are left out.
        """
        lists: list[Feed] = []
        feeds: list[Feed] = []
        problems: list[Problem] = []
        for index, text in enumerate(self.planet.subscriptions):
            location: KeyPath = ("subscriptions", index)
            if text is None:
                continue
            besides = (*own, *feeds, *lists)
            taken = {feed.slug for feed in besides}
            new = self._resolve_feed(settings.FeedSettings(url=text), location, taken)
            if any(feed.url == new.url for feed in besides):
                words = "is the address of another list, or of a feed"
                problems.append(self.document.problem(location, words))
                continue
            lists.append(new)
            try:
                data = new.path.read_bytes() if new.is_file else None
            except OSError as error:
                words = f"cannot be read: {error.strerror}"
                way_out = "its path starts at the folder of this file"
                problems.append(self.document.problem(location, f"{words}; {way_out}"))
                continue
            if data is not None:
                # As the config names it: short, and the same on every machine.
                is_full = text.startswith(("/", "file:"))
                file = str(new.path if is_full else self.folder / text)
                listed = feeds_from_opml(data, file=file, planet=self.planet, besides=besides)
                feeds += listed.feeds
                problems += listed.problems
        return lists, feeds, problems
