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

    from planet.config.settings import PlanetSettings


OWN_FOLDERS: Final = ("templates", "static", "slots", "pages")
"""Beside the config, where the site's own files are."""

NOTHING_TO_READ: Final = 'there is nothing to read; put the address of a feed under "feeds"'

_FLOOR: Final = FetchPolicy().min_interval


class Checks:
    """The checks of a config."""

    def __init__(
        self,
        config: Config,
        planet: PlanetSettings,
        feeds: Mapping[int, Feed],
        mistaken: Collection[KeyPath],
        document: Document,
    ) -> None:
        self.config, self.planet, self.document = config, planet, document
        self.feeds = feeds
        """Those of the file itself, by their index there."""
        self._mistaken = {*mistaken}
        """Where values do not fit, so that their settings have other values here."""
        self.folder = config.path.parent

    def find(self) -> Iterator[Problem]:
        """Yield each contradiction with the place of one side of it, and each warning."""
        data, config = self.document.data, self.config
        if not any(filter(None, (data.get(name) for name in ("feeds", "subscriptions")))):
            yield Problem(self.document.place(("feeds",)), NOTHING_TO_READ)
        yield from self._check_folders()
        yield from self._check_program(config.defaults.transform, ("transform",))
        yield from self._check_intervals(config.defaults.policy, ("fetch",))
        for index, feed in self.feeds.items():
            yield from self._check_feed(feed, ("feeds", index))
        yield from self._find_alike()
        for location, cover in (
            (("podcast", "cover"), config.podcast.cover),
            *((("lists", name, "cover"), own.cover) for name, own in config.lists.items()),
        ):
            if isinstance(cover, Path) and (fault := _find_cover_fault(cover)):
                yield self._problem(location, f"{self.document.quote(location)} {fault}")
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
        config, output = self.config, self.document.place(("output",))
        if lies_in(config.state, config.output):
            place = self.document.place(("state",)) if self._has(("state",)) else output
            words = "the state folder would be published: it must not lie in the output folder"
            yield Problem(place, words)
        for name in OWN_FOLDERS:
            if lies_in(config.output, self.folder / name):
                words = f"must not lie in {name}/, where the site's own files are"
                yield Problem(output, f"the output folder {words}")

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
        if feed.face and (fault := _find_face_fault(feed.face)):
            at = (*location, "image")
            yield self._problem(at, f"{self.document.quote(at)} {fault}")
        headers = {name.lower() for name, _ in feed.policy.headers}
        for name in ("headers", "auth"):
            if feed.is_file and name in own:
                yield self._problem((*location, name), "has no effect on a file")
        if feed.policy.auth and "authorization" in headers:
            words = 'cannot stand beside a header "Authorization"'
            yield self._problem((*location, "auth"), words)
        yield from self._warn_of_secret(feed, (*location, "url"))

    def _find_alike(self) -> Iterator[Problem]:
        """Yield feeds with an address, an id or a name that another one has."""
        firsts: dict[tuple[str, str], KeyPath] = {}
        for index, feed in self.feeds.items():
            here: KeyPath = ("feeds", index)
            for setting, value in (("url", feed.url), ("id", feed.key)):
                if (first := firsts.setdefault((setting, value), here)) != here:
                    what = "address" if setting == "url" else "id"
                    words = f"has the {what} of {self._name(first)}"
                    yield self._problem((*here, setting), words)
                    break
            scheme, _, rest = feed.url.partition("://")
            if not feed.enabled:
                continue
            if (
                scheme in ("http", "https")
                and (first := firsts.setdefault(("", rest), here)) != here
            ):
                words = f'is the address of {self._name(first)} but for "{scheme}"; keep one'
                yield self._problem((*here, "url"), words, is_warning=True)
            name = feed.name and feed.name.casefold()
            if name and (first := firsts.setdefault(("name", name), here)) != here:
                words = f"is the name of {self._name(first)}, too; nobody can tell them apart"
                yield self._problem((*here, "name"), words, is_warning=True)

    def _name(self, location: KeyPath) -> str:
        return f"{label(location)} in line {self.document.place(location).line}"

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
            location: KeyPath = ("editions", site.name)
            place = self.document.place((*location, "folder"))
            if (other := folders.setdefault(site.folder, location)) != location:
                words = f"is in the same folder as {label(other)}; give it another `folder`"
                yield Problem(place, f"{label(location)} {words}")
            written = self.planet.editions[site.name].folder or ""
            if written.startswith("/") or f"{site.folder}/".startswith("../"):
                words = "must be a folder within the output folder, which `.` is itself"
                yield self._problem((*location, "folder"), words)
            yield from self._check_folder_of(site)
            yield from self._find_unknown_names(site)
        for index, feed in self.feeds.items() if self.config.editions else ():
            if feed.enabled and not any(site.shows(feed) for site in self.config.editions):
                words = "is shown by no edition; name it in one, or take it out (`enabled: false`)"
                yield self._problem(("feeds", index), words)

    def _check_folder_of(self, site: Site) -> Iterator[Problem]:
        """Yield a folder in which the site's own files are, or pages of another edition."""
        where = self.document.place(("editions", site.name, "folder"))
        name = label(("editions", site.name))
        for own in OWN_FOLDERS:
            if lies_in(self.config.output / site.folder, self.folder / own):
                yield Problem(where, f"{name} must not lie in {own}/")
        for other in self.config.editions:
            first = _first_folder_below(other.folder, site.folder)
            if first and _TAKEN.fullmatch(first):
                words = f'cannot be in the folder "{first}", which has pages of another edition'
                yield Problem(where, f"{name} {words}")
                break

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
        if not config.pages.search or _has_extended_search():
            return
        for language in {site.language for site in config.sites}:
            # Without it, an index would have whole sentences instead of words.
            if language.partition("-")[0].lower() in ("ja", "th", "zh"):
                words = f"needs the larger Pagefind for the language {language}"
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
        if self._has(("link",)) and re.search(r"YOU\b|REPOSITORY|example\.org", config.link or ""):
            words = "still has the address of an example; write that of your site"
            yield self._problem(("link",), words, is_warning=True)
        if unlinked := warn_of_missing_link(config):
            yield Problem(self.document.place(()), unlinked, is_warning=True)


_TAKEN: Final = re.compile(
    r"\d{4}|about|archive|digest|faces|links|lists|pagefind|podcast|search|source|sources|subscribe|tag"
)
"""Folders that every site has, or may have."""


def _first_folder_below(upper: str, lower: str) -> str | None:
    """Return the first folder on the path from one down to another; None if it is not below."""
    inside = f"{upper}/" if upper else ""
    return lower.removeprefix(inside).partition("/")[0] if lower.startswith(inside) else None


def _has_extended_search() -> bool:
    return bool(find_spec("pagefind_bin_extended") or shutil.which("pagefind_extended"))


# Pictures


_NARROWEST, _WIDEST = 1400, 3000
_LARGEST = 5 * 1024 * 1024
"""Bytes. Players load a cover often; 3000 pixels square need a tenth of it."""

_COVERS: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
"""How a PNG and a JPEG begin."""


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
    limits = f"a cover must be square, {_NARROWEST} to {_WIDEST} pixels wide"
    return f"is {width} × {height} pixels; {limits}"


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


# The address of the site


_PUBLISHES: Final = re.compile(
    rb"actions/deploy-pages|/workflows/publish[.]yml@|wrangler.* pages deploy|netlify.* deploy"
)


def warn_of_missing_link(config: Config) -> str | None:
    """Return a warning for a site that is published by a workflow and has no `link`."""
    if all(site.link for site in config.sites):
        return None
    workflow = _find_publishing_workflow(config.path.parent / ".github" / "workflows")
    if workflow is None:
        return None
    return (
        f'there is no "link", and .github/workflows/{workflow} publishes the site: without its '
        "address, feed readers and other sites cannot follow it; "
        "write link: https://YOU.github.io/REPOSITORY/"
    )


def _find_publishing_workflow(folder: Path) -> str | None:
    """Return the name of the first workflow that publishes a site."""
    for path in sorted((*folder.glob("*.yml"), *folder.glob("*.yaml"))):
        try:
            if _PUBLISHES.search(path.read_bytes()):
                return path.name
        except OSError:
            continue
    return None
