"""Settings that are valid by themselves, but contradict others, or are probably not meant so."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from planet.config.resolved import Config, Site, lies_in
from planet.config.settings import POLICY
from planet.config.texts import format_duration
from planet.config.yaml import label
from planet.errors import Problem, suggestion
from planet.model import FetchPolicy, Picks
from planet.text import address
from planet.text.pictures import MAX_FACE, MAX_FACE_SIDE, identify_picture

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from planet.config.yaml import Document, KeyPath
    from planet.model import Feed

    Finding: TypeAlias = tuple[KeyPath, str]


OWN_FOLDERS: Final = ("templates", "static", "slots", "pages")
"""Beside the config, where the site's own files are."""

NOTHING_TO_READ: Final = 'there is nothing to read; put the address of a feed under "feeds"'

_FLOOR: Final = FetchPolicy().min_interval


def find_problems(
    config: Config,
    feeds: Mapping[int, Feed],
    mistaken: Collection[KeyPath],
    document: Document,
) -> Iterator[Problem]:
    """Yield each contradiction with the place of one side of it, then each warning.

    `feeds` are those of the file itself, by their index there. At `mistaken`, values do not fit,
    so that their settings have other values here.
    """
    if not document.data.get("feeds") and not document.data.get("subscriptions"):
        yield Problem(document.place(("feeds",)), NOTHING_TO_READ)
    for location, words in _find_contradictions(config, feeds, document):
        # A value that was not meant contradicts nothing.
        if not any(path[: len(location)] == location for path in mistaken):
            yield document.problem(location, words)
    for location, words in _find_warnings(config, feeds, document):
        yield document.problem(location, words, is_warning=True)
    if unlinked := warn_of_missing_link(config):
        yield Problem(document.place(()), unlinked, is_warning=True)


def _find_contradictions(
    config: Config, feeds: Mapping[int, Feed], document: Document
) -> Iterator[Finding]:
    yield from _check_folders(config, document)
    yield from _check_intervals(config.policy, ("fetch",))
    yield from _check_program(config, config.transform, ("transform",))
    for index, feed in feeds.items():
        # Mistakes in the settings of the planet are told once, and not again for each feed.
        if any(getattr(feed.policy, name) != getattr(config.policy, name) for name in POLICY):
            yield from _check_intervals(feed.policy, ("feeds", index, "fetch"))
        if feed.transform != config.transform:
            yield from _check_program(config, feed.transform, ("feeds", index, "transform"))
    pictures: dict[KeyPath, Path | str | None] = {("podcast", "cover"): config.podcast.cover}
    pictures |= {("feeds", index, "image"): feed.face for index, feed in feeds.items()}
    for location, picture in pictures.items():
        if isinstance(picture, Path) and (fault := _find_picture_fault(picture, location[-1])):
            yield location, f"{document.quote(location)} {fault}"
    yield from _find_alike(feeds, document)
    yield from _check_editions(config, feeds)
    yield from _find_missing_packages(config)
    yield from _find_ineffective(config, feeds)


def _check_folders(config: Config, document: Document) -> Iterator[Finding]:
    if lies_in(config.state, config.output):
        words = "would publish the state: its folder must not lie in that of the site"
        yield ("state",) if "state" in document.data else ("output",), words
    for site in config.sites:
        name = site.site.name
        for own in OWN_FOLDERS:
            if lies_in(site.output, config.path.parent / own):
                location: KeyPath = ("editions", name, "folder") if name else ("output",)
                yield location, f"must not lie in {own}/, where the site's own files are"


def _check_program(config: Config, command: Sequence[str], location: KeyPath) -> Iterator[Finding]:
    program = config.path.parent / command[0] if command else None
    if program and not (program.is_file() and os.access(program, os.X_OK)):
        way_out = f"`chmod +x {command[0]}` lets it be executed"
        words = f"names {command[0]}, which is not there, or no program; {way_out}"
        yield location, f"{words}, and its path starts at the folder of this file"


def _find_missing_packages(config: Config) -> Iterator[Finding]:
    for needs, package, extra, location in (
        (config.cache.backend == "redis", "redis", "redis", ("cache", "backend")),
        (config.workers.dask, "distributed", "cluster", ("workers", "dask")),
        (config.fetch.signature, "cryptography", "fediverse", ("fetch", "signature")),
        (config.pages.search, "pagefind", "search", ("pages", "search")),
    ):
        if needs and find_spec(package) is None:
            way_out = f"pip install 'planet-digest[{extra}]'"
            yield location, f"needs {package}, which is not installed; {way_out}"


def _check_intervals(policy: FetchPolicy, location: KeyPath) -> Iterator[Finding]:
    low, high = policy.min_interval, policy.max_interval
    least = format_duration(low)
    if low > high:
        words = f"has a max_interval ({format_duration(high)}) below the min_interval ({least})"
        yield location, words
    elif low < _FLOOR and not policy.agreed:
        words = f"has a min_interval of {least}, which is less than 1h"
        yield location, f'{words}; if the publisher agreed to that, say so: "agreed: true"'


def _find_alike(feeds: Mapping[int, Feed], document: Document) -> Iterator[Finding]:
    """Yield feeds with an address or an id that another one has."""
    firsts: dict[tuple[str, str], KeyPath] = {}
    for index, feed in feeds.items():
        here: KeyPath = ("feeds", index)
        for setting, value, name in (("url", feed.url, "address"), ("id", feed.key, "id")):
            if (first := firsts.setdefault((setting, value), here)) != here:
                other = f"{label(first)} in line {document.place(first).line}"
                yield (*here, setting), f"has the {name} of {other}"
                break


def _check_editions(config: Config, feeds: Mapping[int, Feed]) -> Iterator[Finding]:
    folders: set[str] = set()
    for site in config.editions:
        if site.folder in folders or re.match(r"/|\.\.(/|$)", site.folder):
            words = "must be a folder of its own within the output folder, which `.` is itself"
            yield ("editions", site.name, "folder"), words
        folders.add(site.folder)
        # With lists on the web, nobody knows which feeds there are.
        yield from _find_unknown_names(config, site) if not config.subscriptions else ()
    for index, feed in feeds.items() if config.editions else ():
        if feed.enabled and not any(site.shows(feed) for site in config.editions):
            words = "is shown by no edition; name it in one, or take it out (`enabled: false`)"
            yield ("feeds", index), words


def _find_unknown_names(config: Config, site: Site) -> Iterator[Finding]:
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
                yield ("editions", site.name, setting, index), f"{words}{suggestion(name, near)}"


def _find_ineffective(config: Config, feeds: Mapping[int, Feed]) -> Iterator[Finding]:
    """Yield settings that have no effect beside others."""
    if config.cache.options and config.cache.backend != "redis":
        yield ("cache", "options"), "has no effect: only redis has options"
    for index, feed in feeds.items():
        headers = {name.lower() for name, _ in feed.policy.headers}
        is_own_program = feed.transform and feed.transform != config.transform
        for setting, is_idle, why in (
            ("headers", feed.is_file and headers, "on a file"),
            ("auth", feed.is_file and feed.policy.auth, "on a file"),
            (
                "auth",
                feed.policy.auth and "authorization" in headers,
                'beside a header "Authorization"',
            ),
            ("transform", feed.picks is Picks.ONLY and is_own_program, "with `picks: only`"),
        ):
            if is_idle:
                yield ("feeds", index, setting), f"has no effect {why}"


_NARROWEST, _WIDEST = 1400, 3000
_MAX_COVER: Final = 5_000_000
"""Bytes. Players load a cover often; 3000 pixels square need a tenth of it."""


def _find_picture_fault(path: Path, setting: str | int) -> str | None:
    """Return what is wrong with a cover or the picture of a source."""
    # Opened only if it is a file: a pipe could block for ever.
    if not path.is_file():
        return "is no file that is there; its path starts at the folder of this file"
    is_cover = setting == "cover"
    most = _MAX_COVER if is_cover else MAX_FACE
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    picture = identify_picture(data) if len(data) <= most else None
    if not is_cover:
        kinds = "PNG, JPEG, GIF, WebP or ICO (an SVG may hold scripts)"
        limits = f"{MAX_FACE // 1000} kB and {MAX_FACE_SIDE} pixels wide and high"
        return None if picture and picture.is_face else f"is no {kinds} of up to {limits}"
    if (
        picture is None
        or picture.kind not in ("jpg", "png")
        or not _NARROWEST <= picture.width == picture.height <= _WIDEST
    ):
        limits = f"square, {_NARROWEST} to {_WIDEST} pixels wide, of up to {most // 1000} kB"
        return f"is no JPEG or PNG, {limits}"
    return None


# What is probably not meant


def _find_warnings(
    config: Config, feeds: Mapping[int, Feed], document: Document
) -> Iterator[Finding]:
    addresses: dict[KeyPath, Feed] = {("feeds", at, "url"): feed for at, feed in feeds.items()}
    addresses |= {("subscriptions", at): feed for at, feed in enumerate(config.subscriptions)}
    for location, feed in addresses.items():
        if not feed.is_hidden and (secret := address.find_secret(feed.url)):
            words = f"has what looks like a secret in plain text ({secret})"
            way_out = "write ${NAME} in its place, and set NAME in the environment"
            yield location, f"{words}; {way_out}"
    for link in (("link",), *(("editions", site.name, "link") for site in config.editions)):
        # As it is written: in the address of a site, the host is in small letters.
        written = document.text(link) if document.has(link) else None
        if written and re.search(r"\bYOU\b|REPOSITORY|\bexample\.org\b", written):
            yield link, "still has the address of an example; write that of your site"


_PUBLISHES: Final = re.compile(
    rb"actions/deploy-pages|/workflows/publish[.]yml@|wrangler.* pages deploy|netlify.* deploy"
)


def warn_of_missing_link(config: Config) -> str | None:
    """Return a warning for a site that is published by a workflow and has no `link`."""
    if all(site.link for site in config.sites):
        return None
    for path in sorted((config.path.parent / ".github" / "workflows").glob("*.y*ml")):
        if path.is_file() and os.access(path, os.R_OK) and _PUBLISHES.search(path.read_bytes()):
            return (
                f'there is no "link", and .github/workflows/{path.name} publishes the site: '
                "without its address, feed readers and other sites cannot follow it; "
                "write link: https://YOU.github.io/REPOSITORY/"
            )
    return None
