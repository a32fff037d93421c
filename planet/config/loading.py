"""The file → Config, with defaults filled in and lists read; or every mistake in it."""

from __future__ import annotations

import posixpath
import re
from base64 import b64encode
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from msgspec.structs import replace

from planet.config import nouns, settings, values, yaml
from planet.config.checks import contradictions
from planet.config.nouns import timed
from planet.config.opml import feeds_from_opml
from planet.config.picks import FILE, picks
from planet.config.sections import problems
from planet.config.values import VARIABLE
from planet.config.warnings import warnings
from planet.config.yaml import label
from planet.errors import ConfigError, Place, Problem
from planet.model import Every, FetchPolicy, Picking, Podcast, ThemeOption, Timetable, Weekday
from planet.model.secrets import Redactor, Secret
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from zoneinfo import ZoneInfo

    from planet.config.nouns import Config
    from planet.config.sections import Mistake
    from planet.config.yaml import Document, KeyPath, Node
    from planet.model import Feed


_SHORTEST: Final = 4
"""What is shorter can be guessed, and stands in the state for other reasons."""
_SHORTEST_USER: Final = 12
"""A user name that is shorter is no key, but a name: texts may have it."""


def redactor_of(document: Document, environ: Mapping[str, str]) -> Redactor:
    """Hides what the addresses, headers and credentials of this file take from `environ`."""
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
            for name in _variables(node) if node else ():
                if len(environ[name]) >= shortest:
                    secrets[name] = environ[name]
        if auth and (names := [*_variables(own["auth"])]):
            # As they go over the wire (RFC 7617 §2).
            pair = f"{auth['user'].value}:{auth['password'].value}"
            secrets[f"{names[-1]}.basic"] = b64encode(pair.encode()).decode()
    return Redactor(secrets=tuple((name, Secret(secrets[name])) for name in sorted(secrets)))


def _variables(node: Node) -> Iterator[str]:
    """The names of the variables in a value, and in those it holds."""
    yield from re.findall(VARIABLE, node.text or "")
    for part in node.parts.values():
        yield from _variables(part)


def load(path: Path, *, environ: Mapping[str, str]) -> Config:
    """See `planet.config.load`."""
    return understood(_bytes(path), path=path, environ=environ)


def understood(data: bytes, *, path: Path, environ: Mapping[str, str]) -> Config:
    """What `data` would say as the file at `path`; `load` has the rest."""
    expand = partial(values.expanded, environ=environ)
    try:
        document, faults = yaml.read(data, file=str(path), expand=expand)
    except ConfigError as error:
        raise _other_format(data, path) or error from None
    if misplaced := _all_below(document):
        raise ConfigError([misplaced])
    config, unmet, at_odds = _resolved(document, path=path)
    unfit = problems(unmet, document, settings.Planet, faults)
    beside = path.with_name(FILE)
    picked, mispicked = picks(_bytes(beside, needed=False), file=str(beside))
    ordered = sorted([*faults, *unfit, *at_odds, *mispicked], key=partial(order, str(path)))
    if wrong := [problem for problem in ordered if not problem.is_warning]:
        raise ConfigError(wrong)
    config = replace(config, picks=picked, warnings=tuple(ordered))
    has_variables = b"${" in data and any(_variables(document.root))
    return _with_redactor(config, redactor_of(document, environ)) if has_variables else config


def _all_below(document: Document) -> Problem | None:
    """What to say of a file whose settings all stand below a name of their own."""
    top = document.root.parts
    name = next(iter(top), "")
    if len(top) != 1 or not {"title", "feeds"} & top[name].parts.keys():
        return None
    words = f'there is no setting "{name}"; what stands below it belongs at the beginning of lines'
    return Problem(document.key_place((name,)), words)


def _other_format(data: bytes, path: Path) -> ConfigError | None:
    """What to say of a file that another program has written."""
    from planet.config.elsewhere import format_advice

    words = format_advice(data, str(path))
    return ConfigError([Problem(_top(path), words)]) if words else None


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
    (planet, subscriptions), folder = settings.check(written, mistakes), path.parent
    defaults = nouns.Defaults(
        content=planet.content,
        future=planet.future,
        new_feed_entries=settings.count(planet.new_feed_entries),
        transform=planet.transform,
        policy=FetchPolicy(**{name: getattr(planet.fetch, name) for name in settings.POLICY}),
    )
    feeds = _own_feeds(document, folder, defaults, mistakes) if feeds_node else {}
    listed, lists_on_the_web, files, list_problems = _subscribed(
        subscriptions, document, folder, defaults, feeds.values()
    )
    podcast = _podcast(planet.podcast, folder)
    lists = {name: _podcast(own, folder) for name, own in planet.lists.items()}
    covers = (own.cover for own in (podcast, *lists.values()))
    commands = (planet.transform, *(feed.transform for feed in feeds.values()))
    picking = Picking.LINK if planet.repository else Picking.NONE
    basics = {name: getattr(planet, name) for name in nouns.Basics.__struct_fields__}
    basics |= {"podcast": podcast, "lists": lists, "pages": replace(planet.pages, picking=picking)}
    config = nouns.Config(
        **basics,
        **_theme(planet.theme, document, folder),
        path=path,
        output=folder / planet.output,
        state=folder / planet.state,
        defaults=defaults,
        feeds=(*feeds.values(), *listed),
        subscriptions=tuple(lists_on_the_web),
        editions=tuple(
            _site(name, written, planet, document, folder)
            for name, written in planet.editions.items()
        ),
        files=(
            *(path, path.with_name(FILE), *files),
            *(cover for cover in covers if isinstance(cover, Path)),
            *dict.fromkeys(folder / command[0] for command in filter(None, commands)),
        ),
    )
    config = replace(config, feeds=timed(config, config.feeds))
    at_odds = contradictions(config, planet, feeds, mistakes, document)
    doubtful = warnings(config, subscriptions, feeds, document)
    return config, tuple(mistakes), (*at_odds, *doubtful, *list_problems)


def _podcast(written: Podcast, folder: Path) -> Podcast:
    """With the file of its cover, which is looked for from `folder`."""
    cover = written.cover
    if not isinstance(cover, str):
        return written
    return replace(written, cover=address.make_absolute(cover) or folder / cover)


def _theme(
    written: str | settings.Theme, document: Document, folder: Path, key_path: KeyPath = ()
) -> dict[str, Any]:
    """The name or the folder of a theme, where it stands, and the options that are chosen."""
    if isinstance(written, str):
        written = settings.Theme(name=written)
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


def _site(
    name: str, written: settings.Edition, planet: settings.Planet, document: Document, folder: Path
) -> nouns.Site:
    inside = posixpath.normpath(written.folder or name).removeprefix("/")
    inside = "" if inside == "." else inside
    own = {name: getattr(written, name) for name in nouns.SiteBasics.__struct_fields__}
    if written.link is None and planet.link is not None and not inside.startswith(".."):
        own["link"] = planet.link + (f"{inside}/" if inside else "")
    if written.theme:
        own |= _theme(written.theme, document, folder, ("editions", name))
    return nouns.Site(
        **own,
        name=name,
        folder=inside,
        release=_timetable(written.release, written.timezone or planet.timezone),
    )


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
        key_path = ("feeds", index, "url")
        feeds[index] = settings.meant(
            written,
            address=document.text(key_path) or written.url,
            place=document.place(key_path),
            folder=folder,
            defaults=defaults,
            taken=taken,
        )
        taken.add(feeds[index].slug)
    return feeds


def _subscribed(
    written: Mapping[int, str],
    document: Document,
    folder: Path,
    defaults: nouns.Defaults,
    own: Iterable[Feed],
) -> tuple[list[Feed], list[Feed], list[Path], list[Problem]]:
    """The feeds of subscription lists that are files; lists on the web, read later; files; faults.

    `own` are the feeds of the file itself, which are left out of the lists.
    """
    feeds: list[Feed] = []
    lists: list[Feed] = []
    files: list[Path] = []
    problems: list[Problem] = []
    by_url: dict[str, KeyPath] = {}
    for index, text in written.items():
        key_path: KeyPath = ("subscriptions", index)
        url, there, words = values.located(text, folder), (*own, *feeds, *lists), ""
        if by_url.setdefault(url, key_path) != key_path:
            words = f"is the same list as {label(by_url[url])}"
        elif any(feed.url == url for feed in there):
            words = "is the address of a feed here as well"
        elif url.startswith("file:"):
            files.append(path := Path(unquote(urlsplit(url).path)))
            # Named as the config names it: short, and the same on every machine.
            file = str(path if text.startswith(("/", "file:")) else folder / text)
            try:
                listed, faults = feeds_from_opml(
                    path.read_bytes(), file=file, defaults=defaults, besides=there
                )
            except FileNotFoundError:
                words = "is not there; its path starts at the folder of this file"
            except IsADirectoryError:
                words = "is a folder; name a file in it, which is a list in OPML"
            except OSError as error:
                words = f"cannot be read: {error.strerror}"
            else:
                feeds += listed
                problems += faults
        else:
            new = settings.meant(
                settings.Feed(url=text),
                address=document.text(key_path) or text,
                place=document.place(key_path),
                folder=folder,
                defaults=defaults,
                taken={feed.slug for feed in there},
            )
            lists.append(new)
        if words:
            problems.append(document.problem(key_path, words))
    return feeds, lists, files, problems
