"""Editions as written → what each has of its own, and what cannot be meant."""

from __future__ import annotations

import posixpath
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from planet.config import settings
from planet.config.checks import OWN_FOLDERS
from planet.config.nouns import Site, lies_in
from planet.config.yaml import label
from planet.errors import Problem
from planet.model import Every, ThemeOption, Timetable, Weekday

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from zoneinfo import ZoneInfo

    from planet.config.nouns import Config
    from planet.config.yaml import Document, KeyPath
    from planet.model import Feed


_TAKEN: Final = re.compile(
    r"\d{4}|about|archive|digest|links|lists|pagefind|podcast|search|source|sources|subscribe|tag"
)
"""Folders that every site has, or may have."""


def editions(planet: settings.Planet, document: Document, *, folder: Path) -> tuple[Site, ...]:
    """What each edition has of its own; paths of themes start at `folder`."""
    return tuple(
        _site(name, written, planet, document, folder) for name, written in planet.editions.items()
    )


def theme(
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


def problems(
    config: Config, planet: settings.Planet, feeds: Mapping[int, Feed], document: Document
) -> Iterator[Problem]:
    """What cannot be meant by the editions of a config, each with its place.

    `feeds` are those of the file itself, by their index there.
    """
    folders: dict[str, str] = {}
    for site in config.editions:
        key_path = ("editions", site.name)
        place = document.place(document.key_path((*key_path, "folder")))
        if site.folder in folders:
            words = f"is in the same folder as {folders[site.folder]}; give it another `folder`"
            yield Problem(place, f"{label(key_path)} {words}")
        folders.setdefault(site.folder, label(key_path))
        yield from _unknown(site, config, document)
        yield from _misplaced(site, planet.editions[site.name].folder or "", config, document)
        release = planet.editions[site.name].release
        if release and release.every is Every.WEEK and len(release.days) > 1:
            words = "must be one day, with `every: week`; with `every: day` there may be several"
            yield document.problem((*key_path, "release", "days"), words)
    for index, feed in feeds.items() if config.editions else ():
        if feed.enabled and not any(site.shows(feed) for site in config.editions):
            words = "is shown by no edition; name it in one, or take it out (`enabled: false`)"
            yield document.problem(("feeds", index), words)
    if config.lists and config.editions and not any(site.shows_all for site in config.editions):
        words = "are shown by editions with all feeds, and there is none without `feeds` and `tags`"
        yield document.problem(("lists",), words)


def _misplaced(site: Site, written: str, config: Config, document: Document) -> Iterator[Problem]:
    """What else is in the folder of an edition."""
    key_path = ("editions", site.name)
    if written.startswith("/") or f"{site.folder}/".startswith("../"):
        words = "must be a folder within the output folder, which `.` is itself"
        yield document.problem((*key_path, "folder"), words)
        return
    place = document.place(document.key_path((*key_path, "folder")))
    for own in OWN_FOLDERS:
        if lies_in(config.output / site.folder, config.path.parent / own):
            yield Problem(place, f"{label(key_path)} must not lie in {own}/")
    above = (_below(other.folder, site.folder) for other in config.editions)
    if taken := next((first for first in above if first and _TAKEN.fullmatch(first)), None):
        words = f'cannot be in the folder "{taken}", which has pages of another edition'
        yield Problem(place, f"{label(key_path)} {words}")


def _site(
    name: str, written: settings.Edition, planet: settings.Planet, document: Document, folder: Path
) -> Site:
    inside = posixpath.normpath(written.folder or name).removeprefix("/")
    inside = "" if inside == "." else inside
    link = written.link
    if link is None and planet.link is not None and not inside.startswith(".."):
        link = planet.link + (f"{inside}/" if inside else "")
    looks = theme(written.theme, document, folder, ("editions", name)) if written.theme else {}
    return Site(
        **{setting: getattr(written, setting) for setting in _AS_WRITTEN},
        **looks,
        name=name,
        folder=inside,
        link=link,
        release=_timetable(written.release, written.timezone or planet.timezone),
    )


_AS_WRITTEN: Final = ("title", "description", "language", "timezone", "filters", "feeds", "tags")


def _timetable(written: settings.Release | None, zone: ZoneInfo) -> Timetable | None:
    if written is None:
        return None
    usual = (Weekday.MONDAY,) if written.every is Every.WEEK else tuple(Weekday)
    return Timetable(at=written.at, days=written.days or usual, zone=zone)


def _unknown(site: Site, config: Config, document: Document) -> Iterator[Problem]:
    """Feeds and tags that are not there; those of lists on the web cannot be known."""
    if config.subscriptions:
        return
    # Only names are proposed: an address may hold a secret.
    proposed = {name for feed in config.feeds for name in (feed.name, feed.slug) if name}
    names = proposed | {name for feed in config.feeds for name in (feed.key, feed.url)}
    tags = {tag for feed in config.feeds for tag in feed.tags}
    for setting, chosen, there, near, words in (
        ("feeds", site.feeds, names, proposed, "is no name, id or address of a feed"),
        ("tags", site.tags, tags, tags, "is no tag of a feed"),
    ):
        for index, name in enumerate(chosen):
            if name not in there:
                location = ("editions", site.name, setting, index)
                yield document.problem(location, f"{words}{_meant(name, near)}")


def _meant(name: str, names: Iterable[str]) -> str:
    near = get_close_matches(name, names, n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


def _below(upper: str, lower: str) -> str | None:
    """The first folder on the way from one down to another; None where there is no such way."""
    if not upper:
        return lower.partition("/")[0]
    if not lower.startswith(f"{upper}/"):
        return None
    return lower.removeprefix(f"{upper}/").partition("/")[0]
