"""Editions as written → what each has of its own, and what cannot be meant."""

from __future__ import annotations

import posixpath
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from planet.config import settings
from planet.config.nouns import Site, lies_in
from planet.config.yaml import label
from planet.errors import Problem
from planet.model import Every, ThemeOption, Timetable, Weekday

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from zoneinfo import ZoneInfo

    from planet.config.nouns import Config
    from planet.config.yaml import Document, RedirectChain
    from planet.model import Feed, Place


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
    written: str | settings.Theme, document: Document, folder: Path, trail: RedirectChain = ()
) -> tuple[str | Path, Place | None, tuple[ThemeOption, ...]]:
    """The name or the folder of a theme, where it stands, and the options that are chosen."""
    if isinstance(written, str):
        written = settings.Theme(name=written)
    named = document.trail((*trail, "theme", "name"))
    place = document.place(named) if len(named) > len(trail) else None
    name = written.name if re.fullmatch(r"[\w-]+", written.name) else folder / written.name
    return (
        name,
        place,
        tuple(
            ThemeOption(
                name=option,
                value=value,
                place=document.key_place((*trail, "theme", "options", option)),
            )
            for option, value in written.options.items()
        ),
    )


def problems(
    config: Config, planet: settings.Planet, feeds: Mapping[int, Feed], document: Document
) -> Iterator[Problem]:
    """What cannot be meant by the editions of a config, each with its place.

    `feeds` are those of the file itself, by their index there.
    """
    folders: dict[str, str] = {}
    for site in config.editions:
        trail = ("editions", site.name)
        place = document.place(document.trail((*trail, "folder")))
        if site.folder in folders:
            words = f"is in the same folder as {folders[site.folder]}"
            yield Problem(place, f"{label(trail)} {words}; give it another `folder`")
        folders.setdefault(site.folder, label(trail))
        yield from _unknown(site, config, document)
        written = planet.editions[site.name].folder or ""
        if written.startswith("/") or site.folder.startswith("../") or site.folder == "..":
            words = "must be a folder within the output folder, which `.` is itself"
            yield Problem(place, f"{label((*trail, 'folder'))} {words}")
            continue
        output = config.output / site.folder
        for own in ("templates", "static", "slots"):
            if lies_in(output, config.path.parent / own):
                yield Problem(place, f"{label(trail)} must not lie in {own}/")
        release = planet.editions[site.name].release
        if release and release.every is Every.WEEK and len(release.days) > 1:
            location = document.trail((*trail, "release", "days"))
            words = "must be one day, with `every: week`; with `every: day` there may be several"
            yield Problem(document.place(location), f"{label(location)} {words}")
    yield from _in_the_way(config, document)
    yield from _unseen(config, feeds, document)
    if config.lists and config.editions and not any(each.shows_all for each in config.editions):
        words = "are shown by editions with all feeds, and there is none without `feeds` and `tags`"
        yield Problem(document.place(document.trail(("lists",))), f"lists {words}")


def _site(
    name: str, written: settings.Edition, planet: settings.Planet, document: Document, folder: Path
) -> Site:
    inside = posixpath.normpath(written.folder or name).removeprefix("/")
    inside = "" if inside == "." else inside
    link = written.link
    if link is None and planet.link is not None and not inside.startswith(".."):
        link = planet.link + (f"{inside}/" if inside else "")
    looks, place, options = None, None, None
    if written.theme is not None:
        looks, place, options = theme(written.theme, document, folder, ("editions", name))
    return Site(
        name=name,
        folder=inside,
        title=written.title,
        link=link,
        description=written.description,
        language=written.language,
        timezone=written.timezone,
        theme=looks,
        theme_place=place,
        theme_options=options,
        filters=written.filters,
        feeds=written.feeds,
        tags=written.tags,
        release=_timetable(written.release, written.timezone or planet.timezone),
    )


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
    for setting, said, known, near in (
        ("feeds", site.feeds, names, proposed),
        ("tags", site.tags, tags, tags),
    ):
        for index, each in enumerate(said):
            if each not in known:
                location = document.trail(("editions", site.name, setting, index))
                words = "is no name, id or address of a feed"
                if setting == "tags":
                    words = "is no tag of a feed"
                yield Problem(
                    document.place(location), f"{label(location)} {words}{_meant(each, near)}"
                )


def _unseen(config: Config, feeds: Mapping[int, Feed], document: Document) -> Iterator[Problem]:
    for index, feed in feeds.items():
        is_shown = any(site.shows(feed) for site in config.editions)
        if config.editions and feed.enabled and not is_shown:
            trail = ("feeds", index)
            words = "is shown by no edition; name it in one, or take it out (`enabled: false`)"
            yield Problem(document.place(document.trail(trail)), f"{label(trail)} {words}")


def _meant(said: str, known: Iterable[str]) -> str:
    near = get_close_matches(said, known, n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


def _in_the_way(config: Config, document: Document) -> Iterator[Problem]:
    """Editions in a folder that the pages of another are in."""
    for site in config.editions:
        above = (_below(other.folder, site.folder) for other in config.editions)
        taken = next((first for first in above if first and _TAKEN.fullmatch(first)), None)
        if taken:
            trail = ("editions", site.name)
            place = document.place(document.trail((*trail, "folder")))
            words = f'cannot be in the folder "{taken}", which has pages of another edition'
            yield Problem(place, f"{label(trail)} {words}")


def _below(upper: str, lower: str) -> str | None:
    """The first folder on the way from one down to another; None where there is no such way."""
    if not upper:
        return lower.partition("/")[0]
    if not lower.startswith(f"{upper}/"):
        return None
    return lower.removeprefix(f"{upper}/").partition("/")[0]
