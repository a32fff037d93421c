"""Settings that are valid by themselves, but contradict others, or are probably not meant so."""

from __future__ import annotations

import os
import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from planet.config.resolved import Config, Site, lies_in
from planet.config.settings import POLICY
from planet.config.texts import format_duration
from planet.config.yaml import Document, KeyPath, label
from planet.errors import Problem, suggestion
from planet.model import Feed, FetchPolicy, Picks
from planet.text import address
from planet.text.pictures import MAX_FACE, MAX_FACE_SIDE, identify_picture

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence


OWN_FOLDERS: Final = ("templates", "static", "slots", "pages")
"""Beside the config, where the site's own files are."""

NOTHING_TO_READ: Final = 'there is nothing to read; put the address of a feed under "feeds"'

_FLOOR: Final = FetchPolicy().min_interval


class Checks:
    """The checks of a config."""

    def __init__(
        self,
        config: Config,
        feeds: Mapping[int, Feed],
        mistaken: Collection[KeyPath],
        document: Document,
    ) -> None:
        self.config, self.document, self.folder = config, document, config.path.parent
        self.feeds = feeds
        """Those of the file itself, by their index there."""
        self._mistaken = {*mistaken}
        """Where values do not fit, so that their settings have other values here."""

    def find(self) -> Iterator[Problem]:
        """Yield each contradiction with the place of one side of it, and each warning."""
        data, config = self.document.data, self.config
        if not data.get("feeds") and not data.get("subscriptions"):
            yield Problem(self.document.place(("feeds",)), NOTHING_TO_READ)
        yield from self._check_folders()
        yield from self._check_program(config.defaults.transform, ("transform",))
        yield from self._check_intervals(config.defaults.policy, ("fetch",))
        for index, feed in self.feeds.items():
            yield from self._check_feed(feed, ("feeds", index))
        yield from self._find_alike()
        yield from self._check_picture(config.podcast.cover, ("podcast", "cover"))
        yield from self._check_editions()
        yield from self._find_missing_packages()
        for index, feed in enumerate(config.subscriptions):
            yield from self._warn_of_secret(feed, ("subscriptions", index))
        yield from self._warn_of_the_planet()

    def _problem(self, location: KeyPath, words: str, *, is_warning: bool = False) -> Problem:
        return self.document.problem(location, words, is_warning=is_warning)

    def _has(self, location: KeyPath) -> bool:
        return self.document.key_path(location) == location

    def _check_folders(self) -> Iterator[Problem]:
        if lies_in(self.config.state, self.config.output):
            place = self.document.place(("state",) if self._has(("state",)) else ("output",))
            words = "the state folder would be published: it must not lie in the output folder"
            yield Problem(place, words)
        for site in self.config.sites:
            for own in OWN_FOLDERS:
                if lies_in(site.output, self.folder / own):
                    name = site.site.name
                    location = ("editions", name, "folder") if name else ("output",)
                    words = f"must not lie in {own}/, where the site's own files are"
                    yield self._problem(location, words)

    def _check_program(self, command: Sequence[str], location: KeyPath) -> Iterator[Problem]:
        program = self.folder / command[0] if command and self._has(location) else None
        if program and not program.is_file():
            what = "is a folder" if program.is_dir() else "is not there"
            words = f"names {command[0]}, which {what}; its path starts at the folder of this file"
            yield self._problem(location, words)
        elif program and not os.access(program, os.X_OK):
            words = f"names {command[0]}; `chmod +x {command[0]}` lets it be executed"
            yield self._problem(location, words)

    def _check_intervals(self, policy: FetchPolicy, section: KeyPath) -> Iterator[Problem]:
        # A mistake has another value here, which contradicts nothing.
        if not self._mistaken.isdisjoint((*section, name) for name in POLICY):
            return
        low, high = policy.min_interval, policy.max_interval
        least = format_duration(low)
        if low > high:
            words = f"has a max_interval ({format_duration(high)}) below the min_interval ({least})"
        elif low < _FLOOR and not policy.agreed:
            words = f"has a min_interval of {least}, which is less than 1h; "
            words += 'if the publisher agreed to that, say so: "agreed: true"'
        else:
            return
        yield Problem(self.document.place((*section, "min_interval")), f"{label(section)} {words}")

    # Feeds

    def _check_feed(self, feed: Feed, location: KeyPath) -> Iterator[Problem]:
        # Mistakes in the settings of the planet are told once, and not again for each feed.
        own = {*self.document.data["feeds"][location[1]]} if self._has((*location, "url")) else ()
        if "fetch" in own:
            yield from self._check_intervals(feed.policy, (*location, "fetch"))
        if "transform" in own:
            yield from self._check_program(feed.transform, (*location, "transform"))
            if feed.picks is Picks.ONLY and feed.transform:
                words = "has no effect with `picks: only`: episodes are picked as they are"
                yield self._problem((*location, "transform"), words)
        yield from self._check_picture(feed.face, (*location, "image"))
        for name in ("headers", "auth"):
            if feed.is_file and name in own:
                yield self._problem((*location, name), "has no effect on a file")
        if feed.policy.auth and "authorization" in {
            name.lower() for name, _ in feed.policy.headers
        }:
            words = 'cannot stand beside a header "Authorization"'
            yield self._problem((*location, "auth"), words)
        yield from self._warn_of_secret(feed, (*location, "url"))

    def _find_alike(self) -> Iterator[Problem]:
        """Yield feeds with an address, an id or a name that another one has."""
        firsts: dict[tuple[str, str], KeyPath] = {}
        for index, feed in self.feeds.items():
            here: KeyPath = ("feeds", index)
            scheme, _, rest = feed.url.partition("://")
            is_web, name = scheme in ("http", "https"), (feed.name or "").casefold()
            for setting, value, is_warning, words in (
                ("url", feed.url, False, "has the address of {other}"),
                ("id", feed.key, False, "has the id of {other}"),
                (
                    "url",
                    is_web * rest,
                    True,
                    'is the address of {other} but for "{scheme}"; keep one',
                ),
                ("name", name, True, "is the name of {other}, too; nobody can tell them apart"),
            ):
                if not value or (is_warning and not feed.enabled):
                    continue
                if (first := firsts.setdefault((words, value), here)) != here:
                    other = f"{label(first)} in line {self.document.place(first).line}"
                    words = words.format(other=other, scheme=scheme)
                    yield self._problem((*here, setting), words, is_warning=is_warning)
                    break

    def _warn_of_secret(self, feed: Feed, location: KeyPath) -> Iterator[Problem]:
        if not feed.is_hidden and (secret := address.find_secret(feed.url)):
            words = (
                f"has what looks like a secret in plain text ({secret}); write ${{NAME}} in its "
                "place, and set NAME in the environment"
            )
            yield self._problem(location, words, is_warning=True)

    # Editions

    def _check_editions(self) -> Iterator[Problem]:
        folders: dict[str, KeyPath] = {}
        for site in self.config.editions:
            location: KeyPath = ("editions", site.name, "folder")
            if (other := folders.setdefault(site.folder, location)) != location:
                words = f"is the folder of {label(other[:2])}, too; give it another one"
                yield self._problem(location, words)
            if re.match(r"/|\.\.(/|$)", site.folder):
                words = "must be a folder within the output folder, which `.` is itself"
                yield self._problem(location, words)
            yield from self._find_unknown_names(site)
        for index, feed in self.feeds.items() if self.config.editions else ():
            if feed.enabled and not any(site.shows(feed) for site in self.config.editions):
                words = "is shown by no edition; name it in one, or take it out (`enabled: false`)"
                yield self._problem(("feeds", index), words)

    def _find_unknown_names(self, site: Site) -> Iterator[Problem]:
        """Yield names of feeds and tags that do not exist; with lists on the web, nobody knows."""
        if self.config.subscriptions:
            return
        feeds = self.config.feeds
        # Only names are suggested: an address may hold a secret.
        proposed = {name for feed in feeds for name in (feed.name, feed.slug) if name}
        names = proposed | {name for feed in feeds for name in (feed.key, feed.url)}
        tags = {tag for feed in feeds for tag in feed.tags}
        for setting, chosen, there, near, words in (
            ("feeds", site.feeds, names, proposed, "is no name, id or address of a feed"),
            ("tags", site.tags, tags, tags, "is no tag of a feed"),
        ):
            for index, name in enumerate(chosen):
                if name not in there:
                    location = ("editions", site.name, setting, index)
                    yield self._problem(location, f"{words}{suggestion(name, near)}")

    # The planet

    def _check_picture(self, picture: Path | str | None, location: KeyPath) -> Iterator[Problem]:
        if isinstance(picture, Path) and (
            fault := _find_picture_fault(picture, is_cover=location[-1] == "cover")
        ):
            yield self._problem(location, f"{self.document.quote(location)} {fault}")

    def _find_missing_packages(self) -> Iterator[Problem]:
        """Yield settings that need what is not installed."""
        config = self.config
        for needs, package, extra, location in (
            (config.cache.backend == "redis", "redis", "redis", ("cache", "backend")),
            (config.workers.dask, "distributed", "cluster", ("workers", "dask")),
            (config.fetch.signature, "cryptography", "fediverse", ("fetch", "signature")),
            (config.pages.search, "pagefind", "search", ("pages", "search")),
        ):
            if needs and find_spec(package) is None:
                words = f"needs {package}, which is not installed"
                yield self._problem(location, f"{words}; pip install 'planet-digest[{extra}]'")
        # Without the larger one, an index would have whole sentences instead of words.
        has_larger = find_spec("pagefind_bin_extended") or shutil.which("pagefind_extended")
        for site in config.sites if config.pages.search and not has_larger else ():
            if re.match(r"(?i:ja|th|zh)\b", site.language):
                words = f"needs the larger Pagefind for the language {site.language}"
                way_out = "pip install 'pagefind[extended]'"
                yield self._problem(("pages", "search"), f"{words}; {way_out}")

    def _warn_of_the_planet(self) -> Iterator[Problem]:
        config = self.config
        if config.cache.backend == "memory":
            words = "is empty when a run begins, so each server sends all of its feed anew"
            yield self._problem(("cache", "backend"), f'"memory" {words}', is_warning=True)
        if config.cache.options and config.cache.backend != "redis":
            words = f'has no effect with "{config.cache.backend}": only "redis" has options'
            yield self._problem(("cache", "options"), words)
        if config.sanitizer == "bleach":
            words = '"bleach" gets no more fixes; leave the line out, and nh3 cleans'
            yield self._problem(("sanitizer",), words, is_warning=True)
        for link in (("link",), *(("editions", site.site.name, "link") for site in config.sites)):
            # As it is written: in the address of a site, the host is in small letters.
            written = self._has(link) and self.document.text(link)
            if written and re.search(r"\bYOU\b|REPOSITORY|\bexample\.org\b", written):
                words = "still has the address of an example; write that of your site"
                yield self._problem(link, words, is_warning=True)
        if unlinked := warn_of_missing_link(config):
            yield Problem(self.document.place(()), unlinked, is_warning=True)


_NARROWEST, _WIDEST = 1400, 3000
_MAX_COVER: Final = 5_000_000
"""Bytes. Players load a cover often; 3000 pixels square need a tenth of it."""


def _find_picture_fault(path: Path, *, is_cover: bool) -> str | None:
    """Return what is wrong with a cover or the picture of a source, and what to do."""
    kinds = "JPEG or PNG" if is_cover else "PNG, JPEG, GIF, WebP or ICO"
    most = _MAX_COVER if is_cover else MAX_FACE
    # Opened only if it is a file: a pipe could block for ever.
    if not path.is_file():
        what = "is no file" if path.exists() else "is not there"
        return f"{what}; put a {kinds} in its place, or leave the setting out"
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if len(data) > most:
        return f"has more than {most // 1000} kB, which is plenty for a picture of its kind"
    picture = identify_picture(data)
    if picture is None or (is_cover and picture.kind not in ("jpg", "png")):
        return f"is no {kinds}, or damaged; export it as one (an SVG may hold scripts)"
    width, height = picture.width, picture.height
    if is_cover and not (width == height and _NARROWEST <= width <= _WIDEST):
        limits = f"a cover must be square, {_NARROWEST} to {_WIDEST} pixels wide"
        return f"is {width} × {height} pixels; {limits}"
    if not is_cover and not picture.is_face:
        limits = f"it may be {MAX_FACE_SIDE} pixels wide and high, and pages show it small"
        return f"is {width} × {height} pixels; {limits}"
    return None


# The address of the site


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
