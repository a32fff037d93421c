"""Settings that are valid by themselves, but contradict something else: each is a mistake."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from planet.config.resolved import find_missing_packages, lies_in
from planet.config.settings import FLOOR
from planet.config.texts import format_duration
from planet.config.yaml import label
from planet.errors import Problem, suggestion
from planet.model import Every, Picks
from planet.text.pictures import MAX_FACE, MAX_FACE_SIDE, identify_picture

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from planet.config import settings
    from planet.config.resolved import Config, Site
    from planet.config.sections import Mistake
    from planet.config.yaml import Document, KeyPath
    from planet.model import Feed, FetchPolicy


OWN_FOLDERS: Final = ("templates", "static", "slots", "pages")
"""Beside the config, where the site's own files are."""

_HOW_OFTEN: Final = {"min_interval", "max_interval", "agreed"}


def find_contradictions(
    config: Config,
    planet: settings.PlanetSettings,
    feeds: Mapping[int, Feed],
    mistakes: Collection[Mistake],
    document: Document,
) -> Iterator[Problem]:
    """Yield each contradiction, with the place of one side of it.

    `feeds` are those of the file itself, by their index there.
    """
    top = document.root.parts
    lists = [top[name] for name in ("feeds", "subscriptions") if name in top]
    if all(node.value in ([], None) for node in lists):
        words = 'there is nothing to read; put the address of a feed under "feeds"'
        yield Problem(document.place(("feeds",)), words)
    yield from _check_folders(config, document)
    if config.defaults.transform:
        yield from _check_program(config, config.defaults.transform, ("transform",), document)
    yield from _check_intervals(config.defaults.policy, ("fetch",), mistakes, document)
    yield from _check_weekday(config, mistakes, document)
    for index, feed in feeds.items():
        # Mistakes in the settings of the planet are told once, and not again for each feed.
        own = document.node(("feeds", index)).parts
        if "fetch" in own and _HOW_OFTEN & own["fetch"].parts.keys():
            yield from _check_intervals(feed.policy, ("feeds", index, "fetch"), mistakes, document)
        if "transform" in own and feed.transform:
            yield from _check_program(
                config, feed.transform, ("feeds", index, "transform"), document
            )
            if feed.picks is Picks.ONLY:
                words = "has no effect with `picks: only`: episodes are picked as they are"
                yield document.problem(("feeds", index, "transform"), words)
        if feed.face and (fault := _find_face_fault(feed.face)):
            location: KeyPath = ("feeds", index, "image")
            yield document.problem(location, f"{document.quote(location)} {fault}")
        yield from _find_useless_settings(feed, ("feeds", index), document)
    yield from _find_twins(feeds, document)
    yield from _check_covers(config, document)
    yield from _check_editions(config, planet, feeds, document)
    for missing in find_missing_packages(config):
        yield document.problem(missing.location, f"needs {missing.way_out}")


def _check_folders(config: Config, document: Document) -> Iterator[Problem]:
    output = document.place(("output",))
    if lies_in(config.state, config.output):
        words = "would be published: it must not lie in the output folder"
        place = document.place(("state",)) if "state" in document.root.parts else output
        yield Problem(place, f"the state folder {words}")
    for name in OWN_FOLDERS:
        if lies_in(config.output, config.path.parent / name):
            words = f"must not lie in {name}/, where the site's own files are"
            yield Problem(output, f"the output folder {words}")


def _check_program(
    config: Config, command: Sequence[str], location: KeyPath, document: Document
) -> Iterator[Problem]:
    """Yield what is wrong with the program of `transform`."""
    program = config.path.parent / command[0]
    if not program.is_file():
        what = "is a folder" if program.is_dir() else "is not there"
        words = f"names {command[0]}, which {what}; its path starts at the folder of this file"
    elif not os.access(program, os.X_OK):
        words = f"names {command[0]}, which cannot be executed; `chmod +x {command[0]}` lets it be"
    else:
        return
    yield document.problem(location, words)


def _check_intervals(
    how: FetchPolicy, section: KeyPath, mistakes: Collection[Mistake], document: Document
) -> Iterator[Problem]:
    # A setting that is a mistake by itself has its default here, which contradicts nothing.
    wrong = {mistake.location[-1] for mistake in mistakes if mistake.location[:-1] == section}
    if "min_interval" in wrong:
        return
    low, high = how.min_interval, how.max_interval
    least = format_duration(low)
    if low > high and "max_interval" not in wrong:
        words = f"has a max_interval ({format_duration(high)}) below the min_interval ({least})"
    elif low < FLOOR and not how.agreed and "agreed" not in wrong:
        words = f"has a min_interval of {least}, which is less than 1h; "
        words += 'if the publisher agreed to that, say so: "agreed: true"'
    else:
        return
    place = document.place((*section, "min_interval"))
    yield Problem(place, f"{label(section)} {words}")


def _check_weekday(
    config: Config, mistakes: Collection[Mistake], document: Document
) -> Iterator[Problem]:
    key_path: KeyPath = ("digest", "weekday")
    unknown = any(mistake.location[:2] == ("digest", "every") for mistake in mistakes)
    if unknown or config.digest is None or config.digest.every is not Every.DAY:
        return
    if document.key_path(key_path) == key_path:
        yield document.problem(key_path, "has no effect with `every: day`; say `every: week`")


def _find_useless_settings(feed: Feed, key_path: KeyPath, document: Document) -> Iterator[Problem]:
    """Yield settings that have no effect."""
    if feed.is_file:
        for name, given in (("headers", feed.policy.headers), ("auth", feed.policy.auth)):
            if given:
                yield document.problem((*key_path, name), "has no effect on a file")
    names = {name.lower() for name, _ in feed.policy.headers}
    if feed.policy.auth and "authorization" in names:
        words = 'cannot stand beside a header "Authorization"'
        yield document.problem((*key_path, "auth"), words)


def _find_twins(feeds: Mapping[int, Feed], document: Document) -> Iterator[Problem]:
    """Yield feeds with the same address or the same id."""
    firsts: dict[tuple[str, str], int] = {}
    for index, feed in feeds.items():
        for name, shared, value in (("url", "address", feed.url), ("id", "id", feed.key)):
            first = firsts.setdefault((name, value), index)
            if first != index:
                line = document.place(("feeds", first)).line
                words = f"has the {shared} of {label(('feeds', first))} in line {line}"
                yield document.problem(("feeds", index, name), words)
                break


_NARROWEST, _WIDEST = 1400, 3000
_LARGEST = 5 * 1024 * 1024
"""Bytes. Players load a cover often; 3000 pixels square need a tenth of it."""

_COVERS: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
"""How a PNG and a JPEG begin."""


def _check_covers(config: Config, document: Document) -> Iterator[Problem]:
    """Yield what is wrong with each cover that is a file."""
    named: list[tuple[KeyPath, object]] = [(("podcast", "cover"), config.podcast.cover)]
    named += [(("lists", name, "cover"), podcast.cover) for name, podcast in config.lists.items()]
    for location, cover in named:
        if isinstance(cover, Path) and (fault := _find_cover_fault(cover)):
            yield document.problem(location, f"{document.quote(location)} {fault}")


def _find_cover_fault(cover: Path) -> str | None:
    """Return what is wrong with a cover, and what to do; None if nothing is."""
    try:
        data = _read_picture(cover, "a JPEG or PNG")
    except ValueError as error:
        return str(error)
    if len(data) > _LARGEST:
        size = cover.stat().st_size
        return f"has {size / 1024**2:.1f} MiB; a cover may have 5, and less is better"
    if not data.startswith(_COVERS):
        return "is neither JPEG nor PNG; a cover must be one of them"
    picture = identify_picture(data)
    if picture is None:
        return "is damaged; export the image again"
    width, height = picture.width, picture.height
    if width == height and _NARROWEST <= width <= _WIDEST:
        return None
    return (
        f"is {width} × {height} pixels; "
        f"a cover must be square, {_NARROWEST} to {_WIDEST} pixels wide"
    )


def _find_face_fault(face: Path) -> str | None:
    """Return what is wrong with the picture of a source, and what to do; None if nothing is."""
    try:
        data = _read_picture(face, "a PNG, JPEG, GIF, WebP or ICO")
    except ValueError as error:
        return str(error)
    if len(data) > MAX_FACE:
        most = MAX_FACE // 1000
        return f"has more than {most} kB; pages show it small, so that {most} kB are plenty"
    picture = identify_picture(data)
    if picture is None:
        return (
            "is no PNG, JPEG, GIF, WebP or ICO; export it as one of them "
            "(an SVG may hold scripts, and is not published)"
        )
    if not picture.is_face:
        return (
            f"is {picture.width} × {picture.height} pixels; it may be {MAX_FACE_SIDE} pixels wide "
            "and high, and pages show it small"
        )
    return None


def _read_picture(file: Path, kinds: str) -> bytes:
    """Return the first bytes of a picture, one more than any may have.

    Raises:
        ValueError: it cannot be read, in words that follow its name.
    """
    # Opened only if it is a file: a pipe could block for ever.
    if not file.is_file():
        what = "is no file" if file.exists() else "is not there"
        raise ValueError(f"{what}; put {kinds} in its place, or leave the setting out")
    try:
        with file.open("rb") as picture:
            return picture.read(_LARGEST + 1)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from error


# Editions


_TAKEN: Final = re.compile(
    r"\d{4}|about|archive|digest|faces|links|lists|pictures|pagefind|podcast|search|source|sources|subscribe|tag"
)
"""Folders that every site has, or may have."""


def _check_editions(
    config: Config, planet: settings.PlanetSettings, feeds: Mapping[int, Feed], document: Document
) -> Iterator[Problem]:
    """Yield what is wrong with the editions of a config."""
    folders: dict[str, str] = {}
    for site in config.editions:
        key_path = ("editions", site.name)
        place = document.place((*key_path, "folder"))
        if site.folder in folders:
            words = f"is in the same folder as {folders[site.folder]}; give it another `folder`"
            yield Problem(place, f"{label(key_path)} {words}")
        folders.setdefault(site.folder, label(key_path))
        yield from _find_unknown_names(site, config, document)
        yield from _check_edition_folder(
            site, planet.editions[site.name].folder or "", config, document
        )
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


def _check_edition_folder(
    site: Site, written: str, config: Config, document: Document
) -> Iterator[Problem]:
    """Yield what is wrong with the folder of an edition."""
    key_path = ("editions", site.name)
    if written.startswith("/") or f"{site.folder}/".startswith("../"):
        words = "must be a folder within the output folder, which `.` is itself"
        yield document.problem((*key_path, "folder"), words)
        return
    place = document.place((*key_path, "folder"))
    for own in OWN_FOLDERS:
        if lies_in(config.output / site.folder, config.path.parent / own):
            yield Problem(place, f"{label(key_path)} must not lie in {own}/")
    above = [_first_folder_below(other.folder, site.folder) for other in config.editions]
    if taken := next((first for first in above if first and _TAKEN.fullmatch(first)), None):
        words = f'cannot be in the folder "{taken}", which has pages of another edition'
        yield Problem(place, f"{label(key_path)} {words}")
    for first in filter(None, above):
        if page := next((config.path.parent / "pages").glob(f"{first}.*"), None):
            words = f"cannot be in the folder that the page {page} has in another edition"
            yield Problem(place, f"{label(key_path)} {words}")


def _find_unknown_names(site: Site, config: Config, document: Document) -> Iterator[Problem]:
    """Yield names of feeds and tags that do not exist; with lists on the web, nobody can know."""
    if config.subscriptions:
        return
    # Only names are suggested: an address may hold a secret.
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
                yield document.problem(location, f"{words}{suggestion(name, near)}")


def _first_folder_below(upper: str, lower: str) -> str | None:
    """Return the first folder on the path from one down to another; None if it is not below."""
    inside = f"{upper}/" if upper else ""
    return lower.removeprefix(inside).partition("/")[0] if lower.startswith(inside) else None
