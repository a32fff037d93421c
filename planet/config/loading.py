"""The file → Config, with defaults and the feeds of lists; or all mistakes."""

from __future__ import annotations

import posixpath
import re
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import replace

from planet.config import yaml
from planet.config.checks import find_problems
from planet.config.feeds import read_list, resolve_feed
from planet.config.kinds import VARIABLE
from planet.config.picks import FILE, parse_picks
from planet.config.sections import Checker
from planet.config.settings import Config, FeedSettings, Site, ThemeSettings, set_releases
from planet.errors import ConfigError, Place, Problem
from planet.model import Feed, FetchPolicy, Picking
from planet.model.secrets import Redactor, Secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planet.config.yaml import Document, KeyPath


def parse_config(
    data: bytes, *, path: Path, environ: Mapping[str, str], needs_feeds: bool = True
) -> Config:
    """Parse `data` as the content of the file at `path`, as `planet.config.load` does.

    Without `needs_feeds`, a planet may have no feeds yet.
    """
    try:
        document = yaml.read(
            data, file=str(path), expand=lambda text: _expand_variables(text, environ)
        )
    except ConfigError:
        # Few files are those of another program.
        from planet.config.foreign import recognise_format

        if words := recognise_format(data, str(path)):
            raise ConfigError([Problem(Place(file=str(path), line=1, column=1), words)]) from None
        raise
    beside = path.with_name(FILE)
    picked = parse_picks(read_bytes(beside, needed=False), file=str(beside))
    loader = _Loader(document, path, environ)
    config = loader.resolve()
    found = [*loader.problems(config, needs_feeds=needs_feeds), *picked.problems]
    problems = sort_problems(found, first=str(path))
    if wrong := [problem for problem in problems if not problem.is_warning]:
        raise ConfigError(wrong)
    return replace(config, picks=picked.picks, warnings=tuple(problems))


def sort_problems(problems: Iterable[Problem], *, first: str) -> list[Problem]:
    """Return problems by file, line and column, those of the file `first` before all others."""
    top = Place(file=first, line=0, column=0)
    places = {one: one.place or top for one in problems}
    return sorted(places, key=lambda one: (places[one].file != first, places[one]))


def read_bytes(path: Path, *, needed: bool = True) -> bytes:
    """Read a file; without `needed`, return no bytes for a missing one.

    Raises:
        ConfigError: the file cannot be read.
    """
    try:
        return path.read_bytes() if needed or path.exists() else b""
    except OSError as error:
        is_missing = isinstance(error, FileNotFoundError)
        words = f"there is no {path}" if is_missing else f"{path} cannot be read: {error.strerror}"
        way_out = "`planet init` writes one, and `--config` names another"
        raise ConfigError([Problem(None, f"{words}; {way_out}")]) from error


def _expand_variables(text: str, environ: Mapping[str, str]) -> str:
    """Replace each `${NAME}` in a text from `environ`.

    An empty variable counts as not set: CI gives an empty text for a missing secret.
    """
    if "${" in re.sub(VARIABLE, "", text):
        words = 'has a "${" that no name and "}" follow'
        raise ValueError(f'{words}; for ${{{{ … }}}} of a workflow, set NAME there, under "env"')
    for name in re.findall(VARIABLE, text):
        if not environ.get(name):
            raise ValueError(f"needs the environment variable {name}, which is not set")
    return re.sub(VARIABLE, lambda match: environ[match[1]], text)


_SHORTEST: Final = 4
"""A shorter value can be guessed, and is in texts for other reasons."""
_SHORTEST_USER: Final = 12
"""A shorter user name is a name and no key, and may be in texts."""


def _make_redactor(document: Document, environ: Mapping[str, str]) -> Redactor:
    """Make a redactor for the parts of addresses, headers and credentials from `environ`."""
    secrets: dict[str, str] = {}
    for path, text in document.texts().items():
        if not text or "${" not in text or path[0] not in ("feeds", "subscriptions"):
            continue
        setting = [step for step in path[1:] if isinstance(step, str)] or ["url"]
        if setting[0] not in ("url", "headers", "auth"):
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


_NOTHING_TO_READ: Final = 'there is nothing to read; put the address of a feed under "feeds"'


class _Loader:
    """Fills in the defaults of a file, and collects the mistakes."""

    def __init__(self, document: Document, path: Path, environ: Mapping[str, str]) -> None:
        self.document, self.folder = document, path.parent
        checker, data = Checker(document, Config), document.data
        # A planet without a title is a mistake, and has feeds to check all the same.
        written = checker.check(Config, data) or Checker(document, Config).check(
            Config, {**data, "title": "?"}
        )
        self.mistakes = checker.problems
        policy = msgspec.convert(written.fetch, FetchPolicy, from_attributes=True)
        redactor = _make_redactor(document, environ)
        self.planet: Config = replace(written, path=path, policy=policy, redactor=redactor)
        self.feeds: dict[int, Feed] = {}
        """The feeds of the file itself, by index."""
        self.lists: list[Feed] = []
        self.listed: list[Feed] = []
        """The feeds of those lists that are files."""
        self.slugs: set[str] = set()
        self.of_lists: list[Problem] = []

    def resolve(self) -> Config:
        """Return the config, without mistaken settings."""
        planet, folder = self.planet, self.folder
        for index, written in enumerate(planet.written_feeds):
            if written:
                self.feeds[index] = self._resolve_feed(written, ("feeds", index, "url"))
        for index, url in enumerate(planet.written_lists):
            if url:
                self._add_list(url, ("subscriptions", index))
        feeds, cover = (*self.feeds.values(), *self.listed), planet.podcast.cover
        cover = folder / cover if isinstance(cover, Path) else cover
        picking = Picking.LINK if planet.repository else Picking.NONE
        commands = (planet.transform, *(feed.transform for feed in self.feeds.values()))
        files = (
            *(planet.path, planet.path.with_name(FILE)),
            *(one.path for one in self.lists if one.is_file),
            *([cover] if isinstance(cover, Path) else []),
            *(feed.face for feed in feeds if feed.face),
            *dict.fromkeys(folder / command[0] for command in commands if command),
        )
        config = replace(
            planet,
            written_feeds=(),
            written_lists=(),
            output=folder / planet.output,
            state=folder / planet.state,
            theme=self._resolve_theme(planet.theme, ()),
            pages=replace(planet.pages, picking=picking),
            podcast=replace(planet.podcast, cover=cover),
            editions={name: self._resolve_site(name, one) for name, one in planet.editions.items()},
            subscriptions=tuple(one for one in self.lists if not one.is_file),
            files=files,
        )
        return replace(config, feeds=set_releases(config, feeds))

    def problems(self, config: Config, *, needs_feeds: bool) -> list[Problem]:
        """Return the mistakes, one a place; with `needs_feeds`, a lack of feeds is one."""
        document, top = self.document, self.document.place(())
        problems = [*document.problems, *self.mistakes.values()]
        if needs_feeds and not (document.data.get("feeds") or document.data.get("subscriptions")):
            problems.append(Problem(document.place(("feeds",)), _NOTHING_TO_READ))
        problems += find_problems(config, self.feeds, self.mistakes, document)
        firsts: dict[Place | Problem | None, Problem] = {}
        for problem in (*problems, *self.of_lists):
            # What the whole file lacks stands at its top.
            firsts.setdefault(problem if problem.place == top else problem.place, problem)
        return list(firsts.values())

    def _resolve_theme(self, written: ThemeSettings, section: KeyPath) -> ThemeSettings:
        """Return a theme with the folder as a path, and with the place of the name."""
        is_name = re.fullmatch(r"[\w-]+", str(written.name))
        name = written.name if is_name else self.folder / written.name
        place = self.document.place((*section, "theme", "name"))
        return replace(written, name=name, place=place)

    def _resolve_site(self, name: str, written: Site) -> Site:
        folder = posixpath.normpath(written.folder or name)
        folder = "" if folder == "." else folder
        link = written.link
        if link is None and self.planet.link:
            link = self.planet.link + (f"{folder}/" if folder else "")
        theme = written.theme and self._resolve_theme(written.theme, ("editions", name))
        zone = written.timezone or self.planet.timezone
        release = written.release and replace(written.release, zone=zone)
        return replace(written, name=name, folder=folder, link=link, theme=theme, release=release)

    def _resolve_feed(self, written: FeedSettings, location: KeyPath) -> Feed:
        address, place = self.document.text(location), self.document.place(location)
        feed = resolve_feed(written, address or written.url, place, self.planet, taken=self.slugs)
        self.slugs.add(feed.slug)
        return feed

    def _add_list(self, url: str, location: KeyPath) -> None:
        """Add a subscription list and, from a file, the new feeds of the list."""
        besides = (*self.feeds.values(), *self.listed, *self.lists)
        new = self._resolve_feed(FeedSettings(url=url), location)
        if any(feed.url == new.url for feed in besides):
            words = "is the address of another list, or of a feed"
            self.of_lists.append(self.document.problem(location, words))
            return
        self.lists.append(new)
        if not new.is_file:
            return
        try:
            data = new.path.read_bytes()
        except OSError as error:
            words = f"cannot be read: {error.strerror}; its path starts at the folder of this file"
            self.of_lists.append(self.document.problem(location, words))
            return
        feeds, problems = read_list(data, new, self.planet, besides=(*besides, new))
        self.listed += feeds
        self.slugs |= {feed.slug for feed in feeds}
        self.of_lists += problems
