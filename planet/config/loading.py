"""The file → Config, with defaults filled in and lists read; or every mistake in it."""

from __future__ import annotations

import gc
import posixpath
import re
from base64 import b64encode
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from planet.config import feeds as written_feeds
from planet.config import mistakes, nouns, settings, values, yaml
from planet.config.checks import contradictions, unshowable
from planet.config.nouns import timed
from planet.config.opml import feeds_from_opml
from planet.config.picks import FILE, picks
from planet.config.values import VARIABLE
from planet.config.yaml import label
from planet.errors import ConfigError, Place, Problem
from planet.model import (
    Every,
    FetchPolicy,
    Picking,
    Podcast,
    ThemeOption,
    Timetable,
    Weekday,
)
from planet.model.secrets import Redactor
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from zoneinfo import ZoneInfo

    from planet.config.nouns import Config
    from planet.config.sections import Mistake
    from planet.config.yaml import Document, KeyPath, Node
    from planet.model import Feed


_PLACES: Final = ("url", "headers")
"""The settings of a feed that are for its server alone, besides `auth`."""
_SHORTEST: Final = 4
"""What is shorter can be guessed, and stands in the state for other reasons."""
_SHORTEST_USER: Final = 12
"""A user name that is shorter is no key, but a name: texts may have it."""


def redactor_of(document: Document, environ: Mapping[str, str]) -> Redactor:
    """Hides what the addresses, headers and credentials of this file take from `environ`."""
    secrets: dict[str, str] = {}
    for section in ("feeds", "subscriptions"):
        node = document.root.parts.get(section)
        for feed in node.parts.values() if node else ():
            secrets |= _of_feed(feed, environ)
    return Redactor(secrets=tuple(sorted(secrets.items())))


def _of_feed(feed: Node, environ: Mapping[str, str]) -> dict[str, str]:
    auth = feed.parts.get("auth")
    nodes = [feed, *(feed.parts[name] for name in _PLACES if name in feed.parts)]
    named = [
        (name, _SHORTEST) for node in nodes for name in _variables(node, deep=node is not feed)
    ]
    if auth:
        named += [(name, _SHORTEST) for name in _variables(auth.parts["password"], deep=False)]
        named += [(name, _SHORTEST_USER) for name in _variables(auth.parts["user"], deep=False)]
    secrets = {
        name: environ[name] for name, shortest in named if len(environ.get(name, "")) >= shortest
    }
    return secrets | _basic(auth)


def _basic(auth: Node | None) -> dict[str, str]:
    """User and password as they go over the wire (RFC 7617 §2)."""
    names = list(_variables(auth, deep=True)) if auth else []
    if auth is None or not names:
        return {}
    pair = f"{auth.parts['user'].value}:{auth.parts['password'].value}"
    return {f"{names[-1]}.basic": b64encode(pair.encode()).decode()}


def _variables(node: Node, *, deep: bool) -> Iterator[str]:
    """The names of the variables in a value, and in those it holds."""
    yield from re.findall(VARIABLE, node.text or "")
    for part in node.parts.values() if deep else ():
        yield from _variables(part, deep=True)


def load(path: Path, *, environ: Mapping[str, str]) -> Config:
    """See `planet.config.load`."""
    collects = gc.isenabled()
    # A file is read into trees; to look for circles in them would be a quarter of the time.
    gc.disable()
    try:
        return understood(_bytes(path), path=path, environ=environ)
    finally:
        if collects:
            gc.enable()


def understood(data: bytes, *, path: Path, environ: Mapping[str, str]) -> Config:
    """What `data` would say as the file at `path`; `load` has the rest."""
    expand = partial(values.expanded, environ=environ)
    document, faults = yaml.read(data, file=str(path), expand=expand)
    config, unmet, at_odds = _resolved(document, path=path)
    # A value that is no YAML value fits no setting either: once is enough.
    places = {problem.place for problem in faults}
    unfit = mistakes.problems(unmet, document)
    unfit = (problem for problem in unfit if problem.place not in places)
    beside = path.with_name(FILE)
    picked, mispicked = picks(_bytes(beside, needed=False), file=str(beside))
    problems = sorted([*faults, *unfit, *at_odds, *mispicked], key=partial(order, str(path)))
    if wrong := [problem for problem in problems if not problem.is_warning]:
        raise ConfigError(wrong)
    has_variables = b"${" in data and any(_variables(document.root, deep=True))
    config = replace(config, picks=picked, warnings=tuple(problems), has_variables=has_variables)
    return _with_redactor(config, redactor_of(document, environ)) if has_variables else config


def _with_redactor(config: Config, over: Redactor) -> Config:
    """The config, whose feeds and lists can hide its secrets: any may repeat those of another."""
    if not over.secrets:
        return config
    feeds = (replace(feed, redactor=over) for feed in config.feeds)
    lists = (replace(feed, redactor=over) for feed in config.subscriptions)
    return replace(config, redactor=over, feeds=tuple(feeds), subscriptions=tuple(lists))


def order(file: str, problem: Problem) -> tuple[bool, str, int, int]:
    """To sort problems by: those of `file` first, each file's from top to bottom."""
    place = problem.place
    assert place is not None, "only a file that is not there has no places"
    return place.file != file, place.file, place.line, place.column


def _bytes(path: Path, *, needed: bool = True) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        if not needed:
            return b""
        way_out = "`planet init` writes one, and `--config` names another"
        raise ConfigError([Problem(None, f"there is no {path}; {way_out}")]) from None
    except IsADirectoryError:
        words = "is a folder, and has to be a file"
        inside = path / "config.yaml"
        way_out = f"say `--config {inside}`" if inside.is_file() else "give the folder another name"
        raise ConfigError([Problem(_top(path), f"{words}; {way_out}")]) from None
    except OSError as error:
        raise ConfigError([Problem(_top(path), f"cannot be read: {error.strerror}")]) from error


def _top(path: Path) -> Place:
    return Place(file=str(path), line=1, column=1)


def earlier(data: bytes, *, path: Path, environ: Mapping[str, str]) -> Config:
    """What `data` would say as the file at `path`, without all in it that is wrong."""
    expand = partial(values.expanded, environ=environ)
    document, _ = yaml.read(data, file=str(path), expand=expand)
    return _resolved(document, path=path)[0]


# What the settings mean


def _resolved(
    document: Document, *, path: Path
) -> tuple[nouns.Config, tuple[Mistake, ...], tuple[Problem, ...]]:
    """What the file at `path` means, what in it does not fit its setting, and what is at odds."""
    mistakes: list[Mistake] = []
    top = document.root.parts
    feeds_node = top["feeds"] if "feeds" in top and top["feeds"].is_list else None
    written = {name: node.value for name, node in top.items() if node is not feeds_node}
    checked, folder = settings.check(written, mistakes), path.parent
    planet = checked.planet
    defaults = nouns.Defaults(
        content=planet.content,
        future=planet.future,
        new_feed_entries=written_feeds.count(planet.new_feed_entries),
        transform=planet.transform,
        policy=FetchPolicy(**{name: getattr(planet.fetch, name) for name in _POLICY}),
    )
    feeds = _own_feeds(document, folder, defaults, mistakes) if feeds_node else {}
    subscribed = _Subscribed(document, folder, defaults, [*feeds.values()])
    for index, address_or_path in checked.subscriptions.items():
        subscribed.add(("subscriptions", index), address_or_path)
    podcast = _podcast(planet.podcast, folder)
    lists = {name: _podcast(own, folder) for name, own in planet.lists.items()}
    covers = (own.cover for own in (podcast, *lists.values()))
    commands = (planet.transform, *(feed.transform for feed in feeds.values()))
    picking = Picking.LINK if planet.repository else Picking.NONE
    config = nouns.Config(
        **{name: getattr(planet, name) for name in _AS_WRITTEN},
        **_theme(planet.theme, document, folder),
        path=path,
        output=folder / planet.output,
        state=folder / planet.state,
        pages=replace(planet.pages, picking=picking),
        podcast=podcast,
        lists=lists,
        defaults=defaults,
        feeds=(*feeds.values(), *subscribed.feeds),
        subscriptions=tuple(subscribed.lists),
        editions=tuple(
            _site(name, written, planet, document, folder)
            for name, written in planet.editions.items()
        ),
        files=(
            *(path, path.with_name(FILE), *subscribed.files),
            *(cover for cover in covers if isinstance(cover, Path)),
            *dict.fromkeys(folder / command[0] for command in filter(None, commands)),
        ),
    )
    config = replace(config, feeds=timed(config, config.feeds))
    return (
        config,
        tuple(mistakes),
        (
            *contradictions(config, checked.subscriptions, feeds, mistakes, document),
            *unshowable(config, planet, feeds, document),
            *subscribed.problems,
        ),
    )


_AS_WRITTEN: Final = (
    *(
        "title",
        "link",
        "description",
        "owner",
        "language",
        "timezone",
        "fetch",
        "workers",
        "cache",
    ),
    *("digest", "hub", "repository", "filters", "retention", "sanitizer"),
)
_POLICY: Final = ("min_interval", "max_interval", "agreed", "timeout", "max_size")


def _podcast(written: Podcast, folder: Path) -> Podcast:
    """With the file of its cover, which is looked for from `folder`."""
    cover = written.cover
    if not isinstance(cover, str):
        return written
    return replace(written, cover=address.web(cover) or folder / cover)


def _theme(
    written: str | settings.Theme, document: Document, folder: Path, key_path: KeyPath = ()
) -> dict[str, Any]:
    """The name or the folder of a theme, where it stands, and the options that are chosen."""
    if isinstance(written, str):
        written = settings.Theme(name=written)
    named = document.key_path((*key_path, "theme", "name"))
    options = (
        ThemeOption(
            name=name, value=value, place=document.key_place((*key_path, "theme", "options", name))
        )
        for name, value in written.options.items()
    )
    is_name = re.fullmatch(r"[\w-]+", written.name)
    return {
        "theme": written.name if is_name else folder / written.name,
        "theme_place": document.place(named) if len(named) > len(key_path) else None,
        "theme_options": tuple(options),
    }


def _site(
    name: str, written: settings.Edition, planet: settings.Planet, document: Document, folder: Path
) -> nouns.Site:
    inside = posixpath.normpath(written.folder or name).removeprefix("/")
    inside = "" if inside == "." else inside
    link = written.link
    if link is None and planet.link is not None and not inside.startswith(".."):
        link = planet.link + (f"{inside}/" if inside else "")
    looks = _theme(written.theme, document, folder, ("editions", name)) if written.theme else {}
    return nouns.Site(
        **{setting: getattr(written, setting) for setting in _OF_EDITION},
        **looks,
        name=name,
        folder=inside,
        link=link,
        release=_timetable(written.release, written.timezone or planet.timezone),
    )


_OF_EDITION: Final = ("title", "description", "language", "timezone", "filters", "feeds", "tags")


def _timetable(written: settings.Release | None, zone: ZoneInfo) -> Timetable | None:
    if written is None:
        return None
    usual = (Weekday.MONDAY,) if written.every is Every.WEEK else tuple(Weekday)
    return Timetable(at=written.at, days=written.days or usual, zone=zone)


def _own_feeds(
    document: Document, folder: Path, defaults: nouns.Defaults, mistakes: list[Mistake]
) -> dict[int, Feed]:
    """The feeds of the file itself, by their index there; those without an address are left out."""
    feeds: dict[int, Feed] = {}
    taken: set[str] = set()
    # One after the other from text to feed: of a long list only what is meant is in memory.
    for index, node in document.root.parts["feeds"].parts.items():
        written = settings.check_feed(node.value, index, mistakes)
        if written is None:
            continue
        key_path = document.key_path(("feeds", index, "url"))
        feeds[index] = written_feeds.feed(
            written,
            address=document.text(key_path) or written.url,
            place=document.place(key_path),
            folder=folder,
            defaults=defaults,
            taken=taken,
        )
        taken.add(feeds[index].slug)
    return feeds


class _Subscribed:
    """What the subscription lists come to, without the feeds of the file itself."""

    def __init__(
        self, document: Document, folder: Path, defaults: nouns.Defaults, own: list[Feed]
    ) -> None:
        self.feeds: list[Feed] = []
        """From the lists that are files."""
        self.lists: list[Feed] = []
        """The lists that are on the web."""
        self.files: list[Path] = []
        self.problems: list[Problem] = []
        self._document, self._folder, self._defaults = document, folder, defaults
        self._own = own
        self._urls: dict[str, KeyPath] = {}

    def add(self, key_path: KeyPath, written: str) -> None:
        """Read a list that is a file; one on the web is read later."""
        url = values.located(written, self._folder)
        there = (*self._own, *self.feeds, *self.lists)
        if url in self._urls:
            self._complain(key_path, f"is the same list as {label(self._urls[url])}")
            return
        self._urls[url] = key_path
        if any(feed.url == url for feed in there):
            self._complain(key_path, "is the address of a feed here as well")
        elif url.startswith("file:"):
            self._read(key_path, Path(unquote(urlsplit(url).path)), written, there)
        else:
            self.lists.append(
                written_feeds.feed(
                    settings.Feed(url=written),
                    address=self._document.text(key_path) or written,
                    place=self._document.place(key_path),
                    folder=self._folder,
                    defaults=self._defaults,
                    taken={feed.slug for feed in there},
                )
            )

    def _read(self, key_path: KeyPath, path: Path, written: str, there: Sequence[Feed]) -> None:
        self.files.append(path)
        try:
            data = path.read_bytes()
        except OSError as error:
            self._complain(key_path, f"cannot be read: {error.strerror}")
            return
        # Named as the config names it, so that a place is short and the same on every machine.
        file = str(path if written.startswith(("/", "file:")) else self._folder / written)
        feeds, problems = feeds_from_opml(data, file=file, defaults=self._defaults, besides=there)
        self.feeds += feeds
        self.problems += problems

    def _complain(self, key_path: KeyPath, words: str) -> None:
        self.problems.append(self._document.problem(key_path, words))
