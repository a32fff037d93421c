"""The file → Config, with defaults and the feeds of lists; or every mistake in it."""

from __future__ import annotations

import posixpath
import re
from base64 import b64encode
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from msgspec.structs import replace

from planet.config import resolved, settings, texts, yaml
from planet.config.checks import find_contradictions
from planet.config.opml import feeds_from_opml
from planet.config.picks import FILE, parse_picks
from planet.config.resolved import Config, set_releases
from planet.config.sections import Mistake, describe_mistakes
from planet.config.texts import VARIABLE
from planet.config.yaml import Document, KeyPath, Node, label
from planet.errors import ConfigError, Place, Problem
from planet.model import Every, Feed, FetchPolicy, Picking, Podcast, ThemeOption, Timetable, Weekday
from planet.model.secrets import Redactor, Secret
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from zoneinfo import ZoneInfo


_SHORTEST: Final = 4
"""A shorter value can be guessed, and is in texts for other reasons."""
_SHORTEST_USER: Final = 12
"""A shorter user name is a name and no key, and may be in texts."""


def make_redactor(document: Document, environ: Mapping[str, str]) -> Redactor:
    """Make a redactor for what addresses, headers and credentials take from `environ`."""
    secrets: dict[str, str] = {}
    top = document.root.parts
    lists = (top[name] for name in ("feeds", "subscriptions") if name in top)
    for feed in (feed for node in lists for feed in node.parts.values()):
        own = feed.parts
        auth = own["auth"].parts if "auth" in own else {}
        for node, shortest in (
            (own.get("url", feed), _SHORTEST),
            (own.get("headers"), _SHORTEST),
            (auth.get("password"), _SHORTEST),
            (auth.get("user"), _SHORTEST_USER),
        ):
            for name in _find_variables(node) if node else ():
                if len(environ[name]) >= shortest:
                    secrets[name] = environ[name]
        if auth and (names := [*_find_variables(own["auth"])]):
            # In the form that is sent (RFC 7617 §2).
            pair = f"{auth['user'].value}:{auth['password'].value}"
            secrets[f"{names[-1]}.basic"] = b64encode(pair.encode()).decode()
    return Redactor(secrets=tuple((name, Secret(secrets[name])) for name in sorted(secrets)))


def _find_variables(node: Node) -> Iterator[str]:
    """Yield the names of the variables in a value and its parts."""
    yield from re.findall(VARIABLE, node.text or "")
    for part in node.parts.values():
        yield from _find_variables(part)


def parse_config(data: bytes, *, path: Path, environ: Mapping[str, str]) -> Config:
    """Parse `data` as the content of the file at `path`, as `planet.config.load` does."""
    expand = partial(texts.expand_variables, environ=environ)
    try:
        document = yaml.read(data, file=str(path), expand=expand)
    except ConfigError:
        # Few files are those of another program.
        from planet.config.other_planets import recognise_format

        if words := recognise_format(data, str(path)):
            raise ConfigError([Problem(_top_of(path), words)]) from None
        raise
    if misplaced := _find_indented_file(document):
        raise ConfigError([misplaced])
    found, faults = _resolve(document, path=path), document.problems
    unfit = describe_mistakes(found.mistakes, document, settings.PlanetSettings, faults)
    beside = path.with_name(FILE)
    picked = parse_picks(read_bytes(beside, needed=False), file=str(beside))
    ordered = sort_problems([*faults, *unfit, *found.problems, *picked.problems], first=str(path))
    if wrong := [problem for problem in ordered if not problem.is_warning]:
        raise ConfigError(wrong)
    config = replace(found.config, picks=picked.picks, warnings=tuple(ordered))
    has_variables = b"${" in data and any(_find_variables(document.root))
    return _set_redactor(config, make_redactor(document, environ)) if has_variables else config


def _find_indented_file(document: Document) -> Problem | None:
    """Return a problem when all settings are indented below another name."""
    top = document.root.parts
    name = next(iter(top), "")
    if len(top) != 1 or not {"title", "feeds"} & top[name].parts.keys():
        return None
    words = f'there is no setting "{name}"; what stands below it belongs at the beginning of lines'
    return Problem(document.key_place((name,)), words)


def _set_redactor(config: Config, over: Redactor) -> Config:
    """Give all feeds and lists the redactor: any may repeat the secrets of another."""
    if not over.secrets:
        return config
    feeds = (replace(feed, redactor=over) for feed in config.feeds)
    lists = (replace(feed, redactor=over) for feed in config.subscriptions)
    return replace(config, redactor=over, feeds=tuple(feeds), subscriptions=tuple(lists))


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
    except IsADirectoryError:
        words = "is a folder, and has to be a file"
        inside = path / "config.yaml"
        way_out = f"say `--config {inside}`" if inside.is_file() else "give the folder another name"
        raise ConfigError([Problem(_top_of(path), f"{words}; {way_out}")]) from None
    except OSError as error:
        raise ConfigError([Problem(_top_of(path), f"cannot be read: {error.strerror}")]) from error


def _top_of(path: Path) -> Place:
    return Place(file=str(path), line=1, column=1)


def parse_leniently(data: bytes, *, path: Path, environ: Mapping[str, str]) -> Config:
    """Parse `data` as the content of the file at `path`, and leave out all that is wrong."""
    expand = partial(texts.expand_variables, environ=environ)
    return _resolve(yaml.read(data, file=str(path), expand=expand), path=path).config


# What the settings mean


class _ResolvedFile(NamedTuple):
    """What the settings of a file come to."""

    config: resolved.Config
    mistakes: Sequence[Mistake]
    """Values that do not fit."""
    problems: Sequence[Problem]
    """Contradictions, warnings, and what is wrong with its lists."""


def _resolve(document: Document, *, path: Path) -> _ResolvedFile:
    mistakes: list[Mistake] = []
    top = document.root.parts
    feeds_node = top["feeds"] if "feeds" in top and top["feeds"].is_list else None
    written = {name: node.value for name, node in top.items() if node is not feeds_node}
    checked, folder = settings.check(written, mistakes), path.parent
    planet = checked.planet
    defaults = resolved.Defaults(
        content=planet.content,
        images=planet.pages.images,
        future=planet.future,
        new_feed_entries=settings.parse_count(planet.new_feed_entries),
        transform=planet.transform,
        policy=FetchPolicy(**{name: getattr(planet.fetch, name) for name in settings.POLICY}),
    )
    feeds = _resolve_feeds(document, folder, defaults, mistakes) if feeds_node else {}
    subscribed = _resolve_subscriptions(
        checked.subscriptions, document, folder, defaults, feeds.values()
    )
    podcast = _resolve_podcast(planet.podcast, folder)
    lists = {name: _resolve_podcast(own, folder) for name, own in planet.lists.items()}
    covers = (own.cover for own in (podcast, *lists.values()))
    commands = (planet.transform, *(feed.transform for feed in feeds.values()))
    picking = Picking.LINK if planet.repository else Picking.NONE
    basics = {name: getattr(planet, name) for name in resolved.Basics.__struct_fields__}
    basics |= {"podcast": podcast, "lists": lists, "pages": replace(planet.pages, picking=picking)}
    config = resolved.Config(
        **basics,
        **_resolve_theme(planet.theme, document, folder),
        path=path,
        output=folder / planet.output,
        state=folder / planet.state,
        defaults=defaults,
        feeds=(*feeds.values(), *subscribed.feeds),
        subscriptions=tuple(subscribed.lists),
        editions=tuple(
            _resolve_site(name, written, planet, document, folder)
            for name, written in planet.editions.items()
        ),
        files=(
            *(path, path.with_name(FILE), *subscribed.files),
            *(cover for cover in covers if isinstance(cover, Path)),
            *(feed.face for feed in feeds.values() if feed.face),
            *dict.fromkeys(folder / command[0] for command in filter(None, commands)),
        ),
    )
    config = replace(config, feeds=set_releases(config, config.feeds))
    at_odds = find_contradictions(config, checked, feeds, mistakes, document)
    return _ResolvedFile(config, mistakes, [*at_odds, *subscribed.problems])


def _resolve_podcast(written: Podcast, folder: Path) -> Podcast:
    """Return the podcast with its cover as an address, or a path from `folder`."""
    cover = written.cover
    if not isinstance(cover, str):
        return written
    return replace(written, cover=address.make_absolute(cover) or folder / cover)


def _resolve_theme(
    written: str | settings.ThemeSettings, document: Document, folder: Path, key_path: KeyPath = ()
) -> dict[str, Any]:
    """Return the name or folder of a theme, its place, and its options."""
    if isinstance(written, str):
        written = settings.ThemeSettings(name=written)
    named = (*key_path, "theme", "name")
    options = (
        ThemeOption(
            name=name, value=value, place=document.key_place((*key_path, "theme", "options", name))
        )
        for name, value in written.options.items()
    )
    is_name = re.fullmatch(r"[\w-]+", written.name)
    return {
        "theme": written.name if is_name else folder / written.name,
        "theme_place": document.place(named) if "theme" in document.node(key_path).parts else None,
        "theme_options": tuple(options),
    }


def _resolve_site(
    name: str,
    written: settings.EditionSettings,
    planet: settings.PlanetSettings,
    document: Document,
    folder: Path,
) -> resolved.Site:
    inside = posixpath.normpath(written.folder or name).removeprefix("/")
    inside = "" if inside == "." else inside
    own = {name: getattr(written, name) for name in resolved.SiteBasics.__struct_fields__}
    if written.link is None and planet.link is not None and not inside.startswith(".."):
        own["link"] = planet.link + (f"{inside}/" if inside else "")
    if written.theme:
        own |= _resolve_theme(written.theme, document, folder, ("editions", name))
    return resolved.Site(
        **own,
        name=name,
        folder=inside,
        release=_make_timetable(written.release, written.timezone or planet.timezone),
    )


def _make_timetable(written: settings.Release | None, zone: ZoneInfo) -> Timetable | None:
    if written is None:
        return None
    usual = (Weekday.MONDAY,) if written.every is Every.WEEK else tuple(Weekday)
    return Timetable(at=written.at, days=written.days or usual, zone=zone)


def _resolve_feeds(
    document: Document, folder: Path, defaults: resolved.Defaults, mistakes: list[Mistake]
) -> dict[int, Feed]:
    """Return the feeds of the file itself, by index; those without an address are left out."""
    feeds: dict[int, Feed] = {}
    taken: set[str] = set()
    # One after the other, so that of a long list only feeds are in memory.
    for index, node in document.root.parts["feeds"].parts.items():
        written = settings.check_feed(node.value, index, mistakes)
        if written is None:
            continue
        key_path = ("feeds", index, "url")
        feeds[index] = settings.resolve_feed(
            written,
            address=document.node(key_path).text or written.url,
            place=document.place(key_path),
            folder=folder,
            defaults=defaults,
            taken=taken,
        )
        taken.add(feeds[index].slug)
    return feeds


class _Subscribed(NamedTuple):
    """What the subscription lists of a config come to."""

    feeds: list[Feed]
    """Those on lists that are files."""
    lists: list[Feed]
    """Lists on the web."""
    files: list[Path]
    problems: list[Problem]


def _resolve_subscriptions(
    written: Mapping[int, str],
    document: Document,
    folder: Path,
    defaults: resolved.Defaults,
    own: Iterable[Feed],
) -> _Subscribed:
    """Resolve subscription lists; `own` are the feeds of the config itself, which are left out."""
    feeds: list[Feed] = []
    lists: list[Feed] = []
    files: list[Path] = []
    problems: list[Problem] = []
    by_url: dict[str, KeyPath] = {}
    for index, text in written.items():
        key_path: KeyPath = ("subscriptions", index)
        url, there, words = texts.resolve_address(text, folder), (*own, *feeds, *lists), ""
        if by_url.setdefault(url, key_path) != key_path:
            words = f"is the same list as {label(by_url[url])}"
        elif any(feed.url == url for feed in there):
            words = "is the address of a feed here as well"
        elif url.startswith("file:"):
            files.append(path := Path(unquote(urlsplit(url).path)))
            # As the config names it: short, and the same on every machine.
            file = str(path if text.startswith(("/", "file:")) else folder / text)
            try:
                listed = feeds_from_opml(
                    path.read_bytes(), file=file, defaults=defaults, besides=there
                )
            except FileNotFoundError:
                words = "is not there; its path starts at the folder of this file"
            except IsADirectoryError:
                words = "is a folder; name a file in it, which is a list in OPML"
            except OSError as error:
                words = f"cannot be read: {error.strerror}"
            else:
                feeds += listed.feeds
                problems += listed.problems
        else:
            new = settings.resolve_feed(
                settings.FeedSettings(url=text),
                address=document.node(key_path).text or text,
                place=document.place(key_path),
                folder=folder,
                defaults=defaults,
                taken={feed.slug for feed in there},
            )
            lists.append(new)
        if words:
            problems.append(document.problem(key_path, words))
    return _Subscribed(feeds, lists, files, problems)
