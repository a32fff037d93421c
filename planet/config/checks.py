"""Valid settings → contradictions between them, and warnings of probable slips."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from planet.config.kinds import format_duration
from planet.config.settings import POLICY, Config, Site, lies_in
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
    """The place of one side of a contradiction, and the words that follow the setting's name."""


_OWN_FOLDERS: Final = ("templates", "static", "slots", "pages")
"""Beside the config, where the site's own files are."""

_FLOOR: Final = FetchPolicy().min_interval


def find_problems(
    config: Config,
    feeds: Mapping[int, Feed],
    mistaken: Collection[KeyPath],
    document: Document,
) -> Iterator[Problem]:
    """Yield each contradiction with the place of one of the two settings, then each warning.

    `feeds` are the feeds of the file itself, by index. The values at `mistaken` do not fit, and
    their settings have other values here.
    """
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
    yield from _check_picture(config.podcast.cover, ("podcast", "cover"))
    yield from _find_missing_packages(config)
    if config.cache.options and config.cache.backend != "redis":
        yield ("cache", "options"), "has no effect: only redis has options"
    yield from _check_editions(config)
    yield from _check_feeds(config, feeds, document)


def _check_editions(config: Config) -> Iterator[Finding]:
    folders: set[str] = set()
    for name, site in config.editions.items():
        if site.folder in folders or re.match(r"/|\.\.(/|$)", site.folder):
            words = "must be a folder of its own within the output folder, which `.` is itself"
            yield ("editions", name, "folder"), words
        folders.add(site.folder)
        # With lists on the web, nobody knows which feeds there are.
        if not config.subscriptions:
            yield from _find_unknown_names(config, site)


def _check_feeds(
    config: Config, feeds: Mapping[int, Feed], document: Document
) -> Iterator[Finding]:
    sites = config.editions.values()
    firsts: dict[tuple[str, str], KeyPath] = {}
    for index, feed in feeds.items():
        here: KeyPath = ("feeds", index)
        # Mistakes in the settings of the planet are told once, and not again for each feed.
        if any(getattr(feed.policy, name) != getattr(config.policy, name) for name in POLICY):
            yield from _check_intervals(feed.policy, (*here, "fetch"))
        if feed.transform != config.transform:
            yield from _check_program(config, feed.transform, (*here, "transform"))
        yield from _check_picture(feed.face, (*here, "image"))
        for setting, value, name in (("url", feed.url, "address"), ("id", feed.key, "id")):
            if (first := firsts.setdefault((setting, value), here)) != here:
                other = f"{label(first)} in line {document.place(first).line}"
                yield (*here, setting), f"has the {name} of {other}"
                break
        if sites and feed.enabled and not any(site.shows(feed) for site in sites):
            words = "is shown by no edition; name it in one, or take it out (`enabled: false`)"
            yield here, words
        for setting, why in _find_ineffective(feed, config):
            yield (*here, setting), f"has no effect {why}"


def _check_folders(config: Config, document: Document) -> Iterator[Finding]:
    if lies_in(config.state, config.output):
        words = "would publish the state: its folder must not lie in that of the site"
        yield ("state",) if "state" in document.data else ("output",), words
    for site in config.sites:
        name = site.site.name
        for own in _OWN_FOLDERS:
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


def _find_unknown_names(config: Config, site: Site) -> Iterator[Finding]:
    # Only names are suggested: an address may hold a secret.
    names = {name for feed in config.feeds for name in (feed.name, feed.slug) if name}
    called = names | {name for feed in config.feeds for name in (feed.key, feed.url)}
    tags = {tag for feed in config.feeds for tag in feed.tags}
    for index, name in enumerate(site.feeds):
        if name not in called:
            words = f"is no name, id or address of a feed{suggestion(name, names)}"
            yield ("editions", site.name, "feeds", index), words
    for index, tag in enumerate(site.tags):
        if tag not in tags:
            words = f"is no tag of a feed{suggestion(tag, tags)}"
            yield ("editions", site.name, "tags", index), words


def _find_ineffective(feed: Feed, config: Config) -> Iterator[tuple[str, str]]:
    """Yield settings of a feed without effect, each with the reason."""
    if feed.is_file:
        yield from (
            (name, "on a file") for name in ("headers", "auth") if getattr(feed.policy, name)
        )
        if feed.is_led:
            yield "public", "on a file"
    elif feed.policy.auth and "authorization" in {name.lower() for name, _ in feed.policy.headers}:
        yield "auth", 'beside a header "Authorization"'
    if feed.picks is Picks.ONLY and feed.transform and feed.transform != config.transform:
        yield "transform", "with `picks: only`"


_NARROWEST, _WIDEST = 1400, 3000
_MAX_COVER: Final = 5_000_000
"""Bytes. Players load a cover often; 3000 pixels square need a tenth of it."""
_NO_COVER: Final = (
    f"is no JPEG or PNG, square, {_NARROWEST} to {_WIDEST} pixels wide, of up to "
    f"{_MAX_COVER // 1000} kB"
)
_NO_FACE: Final = (
    f"is no PNG, JPEG, GIF, WebP or ICO (an SVG may hold scripts) of up to {MAX_FACE // 1000} kB "
    f"and {MAX_FACE_SIDE} pixels wide and high"
)


def _check_picture(path: Path | str | None, location: KeyPath) -> Iterator[Finding]:
    """Check the file of a podcast's cover, or of a feed's picture."""
    if not isinstance(path, Path):
        return
    is_cover = location[-1] == "cover"
    words, most = (_NO_COVER, _MAX_COVER) if is_cover else (_NO_FACE, MAX_FACE)
    # Opened only if it is a file: a pipe could block for ever.
    if not (path.is_file() and os.access(path, os.R_OK)):
        words = "is no file that can be read; its path starts at the folder of this file"
    elif path.stat().st_size <= most and (picture := identify_picture(path.read_bytes())):
        is_square = _NARROWEST <= picture.width == picture.height <= _WIDEST
        if picture.kind in ("jpg", "png") and is_square if is_cover else picture.is_face:
            return
    yield location, f'"{path.name}" {words}'


# What is probably not meant


def _find_warnings(
    config: Config, feeds: Mapping[int, Feed], document: Document
) -> Iterator[Finding]:
    addresses: dict[KeyPath, Feed] = {("feeds", at, "url"): feed for at, feed in feeds.items()}
    addresses |= {("subscriptions", at): feed for at, feed in enumerate(config.subscriptions)}
    for location, feed in addresses.items():
        if not feed.is_hidden and (secret := address.find_secret(feed.url)):
            words = f"has what looks like a secret in plain text ({secret}=…)"
            way_out = "write ${NAME} in its place, and set NAME in the environment"
            yield location, f"{words}; {way_out}"
    for link in (("link",), *(("editions", name, "link") for name in config.editions)):
        # As it is written: in the address of a site, the host is in small letters.
        written = document.text(link) if link in document.nodes else None
        if written and re.search(r"\bYOU\b|REPOSITORY|\bexample\.org\b", written):
            yield link, "still has the address of an example; write that of your site"


_PUBLISHES: Final = re.compile(
    rb"actions/deploy-pages|/workflows/publish[.]yml@|wrangler.* pages deploy|netlify.* deploy"
)


def warn_of_missing_link(config: Config) -> str | None:
    """Return a warning for a site without `link` beside a workflow for publishing."""
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
