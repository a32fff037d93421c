"""Settings that are valid by themselves, but contradict others, or are probably not meant so."""

from __future__ import annotations

import os
import re
import shutil
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from planet.config.resolved import Config, Site, lies_in
from planet.config.settings import FLOOR, CheckedSettings, PlanetSettings
from planet.config.texts import format_duration
from planet.config.yaml import Document, KeyPath, Node, label
from planet.errors import Problem, suggestion
from planet.model import Every, Feed, FetchPolicy, Picks
from planet.text import address
from planet.text.pictures import MAX_FACE, MAX_FACE_SIDE, identify_picture

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from planet.config.sections import Mistake


OWN_FOLDERS: Final = ("templates", "static", "slots", "pages")
"""Beside the config, where the site's own files are."""

NOTHING_TO_READ: Final = 'there is nothing to read; put the address of a feed under "feeds"'

_HOW_OFTEN: Final = {"min_interval", "max_interval", "agreed"}


def find_contradictions(
    config: Config,
    checked: CheckedSettings,
    feeds: Mapping[int, Feed],
    mistakes: Collection[Mistake],
    document: Document,
) -> Iterator[Problem]:
    """Yield each contradiction with the place of one side of it, and each warning.

    `feeds` are those of the file itself, by their index there.
    """
    top = document.root.parts
    lists = [top[name] for name in ("feeds", "subscriptions") if name in top]
    if all(node.value in ([], None) for node in lists):
        yield Problem(document.place(("feeds",)), NOTHING_TO_READ)
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
        yield from _warn_of_secret(feed.url, ("feeds", index, "url"), document)
    yield from _find_alike(feeds, document)
    yield from _check_covers(config, document)
    yield from _check_editions(config, checked.planet, feeds, document)
    yield from _find_missing_packages(config, document)
    for index, url in checked.subscriptions.items():
        yield from _warn_of_secret(url, ("subscriptions", index), document)
    yield from _find_odd_texts(document)
    yield from _warn_of_the_planet(config, document)


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
    if feed.is_file:
        for name, given in (("headers", feed.policy.headers), ("auth", feed.policy.auth)):
            if given:
                yield document.problem((*key_path, name), "has no effect on a file")
    names = {name.lower() for name, _ in feed.policy.headers}
    if feed.policy.auth and "authorization" in names:
        words = 'cannot stand beside a header "Authorization"'
        yield document.problem((*key_path, "auth"), words)


def _find_alike(feeds: Mapping[int, Feed], document: Document) -> Iterator[Problem]:
    """Yield feeds with an address, an id or a name that another one has."""
    firsts: dict[tuple[str, str], int] = {}

    def find_first(kind: str, value: str, index: int) -> str:
        """Return in words where the first feed with this value is; empty if it is this one."""
        first = firsts.setdefault((kind, value), index)
        if first == index:
            return ""
        location = ("feeds", first)
        return f"{label(location)} in line {document.place(location).line}"

    for index, feed in feeds.items():
        location: KeyPath = ("feeds", index, "url")
        if first := find_first("url", feed.url, index):
            yield document.problem(location, f"has the address of {first}")
        elif first := find_first("id", feed.key, index):
            yield document.problem(("feeds", index, "id"), f"has the id of {first}")
        if not feed.enabled:
            continue
        scheme, _, rest = feed.url.partition("://")
        if scheme in ("http", "https") and (first := find_first("rest", rest, index)):
            words = f'is the address of {first} but for "{scheme}"; keep one'
            yield document.problem(location, words, is_warning=True)
        if feed.name and (first := find_first("name", feed.name.casefold(), index)):
            words = f"is the name of {first}, too; nobody can tell them apart"
            yield document.problem(("feeds", index, "name"), words, is_warning=True)


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


# Packages


_WITHOUT_BLANKS: Final = frozenset({"ja", "th", "zh"})
"""Languages without blanks between words, which need the larger Pagefind."""


def _find_missing_packages(config: Config, document: Document) -> Iterator[Problem]:
    """Yield settings that need what is not installed."""
    backend = config.cache.backend
    if backend == "redis" and find_spec("redis") is None:
        yield document.problem(("cache", "backend"), _describe_missing("redis", "redis"))
    if config.workers.dask and find_spec("distributed") is None:
        yield document.problem(("workers", "dask"), _describe_missing("dask", "cluster"))
    if config.fetch.signature and find_spec("cryptography") is None:
        words = _describe_missing("cryptography", "fediverse")
        yield document.problem(("fetch", "signature"), words)
    # An edition may speak another language than the planet.
    searches = (_find_missing_search(site.language) for site in config.sites if config.pages.search)
    if missing := next(filter(None, searches), None):
        yield document.problem(("pages", "search"), missing)


def _find_missing_search(language: str) -> str | None:
    if find_spec("pagefind") is None:
        return _describe_missing("Pagefind", "search")
    # Without it, an index would have whole sentences instead of words.
    if language.partition("-")[0].lower() not in _WITHOUT_BLANKS:
        return None
    if find_spec("pagefind_bin_extended") or shutil.which("pagefind_extended"):
        return None
    way_out = "pip install 'pagefind[extended]'"
    return f"needs the larger Pagefind for the language {language}; {way_out}"


def _describe_missing(library: str, extra: str) -> str:
    return f"needs {library}, which is not installed; pip install 'planet-digest[{extra}]'"


# Editions


_TAKEN: Final = re.compile(
    r"\d{4}|about|archive|digest|faces|links|lists|pictures|pagefind|podcast|search|source|sources|subscribe|tag"
)
"""Folders that every site has, or may have."""


def _check_editions(
    config: Config, planet: PlanetSettings, feeds: Mapping[int, Feed], document: Document
) -> Iterator[Problem]:
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


# Warnings


_ODD: Final = re.compile("[$,“„‟”‘’‚]")
"""What is in a text that may be a mistake."""


def _find_odd_texts(document: Document) -> Iterator[Problem]:
    """Warn of texts that are read in another way than they are probably meant."""
    waiting: list[tuple[KeyPath, Node]] = [((), document.root)]
    while waiting:
        location, node = waiting.pop()
        waiting += [((*location, step), part) for step, part in node.parts.items()]
        text = node.text or ""
        if not _ODD.search(text):
            continue
        if node.is_in_curly_quotes:
            words = 'is in curly quotes, which are a part of it; write straight ones ("), or none'
            yield document.problem(location, words, is_warning=True)
        for advice in (_warn_of_shell_variable(location, text), _warn_of_comma(location, text)):
            if advice:
                yield document.problem(location, advice, is_warning=True)


def _warn_of_secret(url: str, key_path: KeyPath, document: Document) -> Iterator[Problem]:
    secret = address.find_secret(url)
    if secret and "${" not in (document.node(key_path).text or ""):
        words = (
            f"has what looks like a secret in plain text ({secret}); write ${{NAME}} in its place, "
            "and set NAME in the environment"
        )
        yield document.problem(key_path, words, is_warning=True)


_PROSE: Final = frozenset({"title", "description", "name", "author", "filters"})
"""Settings in which "$" and capital letters may be words."""
_VARIABLE: Final = re.compile(r"(?<![\w$])\$[A-Z_][A-Z0-9_]*\b")


def _warn_of_shell_variable(location: KeyPath, text: str) -> str | None:
    """Return a warning for a variable as shells have it, which is not repeated in it."""
    if "$" not in text or _PROSE.intersection(location) or not _VARIABLE.search(text):
        return None
    return (
        'has a "$" before a name, which is taken as it is written; to take it from the '
        'environment, write "${NAME}"'
    )


_WORDS: Final = frozenset({"include", "exclude", "categories"})


def _warn_of_comma(location: KeyPath, text: str) -> str | None:
    """Return a warning for one text where several are probably meant."""
    # A regular expression may have a comma, and so may an item of a list.
    if text.endswith(",") and location[0] in ("feeds", "subscriptions") and len(location) < 4:
        return "ends with a comma, which is a part of it; a line of a list has none"
    if "," not in text or text.startswith("/") or isinstance(location[-1], int):
        return None
    if "tags" not in location and not _WORDS.intersection(location):
        return None
    several = ", ".join(filter(None, map(str.strip, text.split(","))))
    return f"is one text with a comma in it; write [{several}] if several are meant"


def _warn_of_the_planet(config: Config, document: Document) -> Iterator[Problem]:
    yield from _check_retention(config, document)
    yield from _find_zones_without_summer_time(config, document)
    if config.cache.backend == "memory":
        words = "is empty when a run begins, so each server sends all of its feed anew each time"
        yield document.problem(("cache", "backend"), f'"memory" {words}', is_warning=True)
    if config.sanitizer == "bleach":
        words = "gets no more fixes; leave the line out, and nh3 cleans"
        yield document.problem(("sanitizer",), f'"bleach" {words}', is_warning=True)
    if unlinked := warn_of_missing_link(config):
        yield Problem(document.place(()), unlinked, is_warning=True)


_SHORT: Final = timedelta(days=7)


def _check_retention(config: Config, document: Document) -> Iterator[Problem]:
    """Warn of a retention that is shorter than anybody would expect."""
    entries, content = config.retention.entries, config.retention.content
    if entries < _SHORT:
        words = (
            f"is {format_duration(entries)}: so soon an entry goes from the site when its feed "
            "stops listing it; to hide what is old, set `max_age` under `filters`"
        )
        yield document.problem(("retention", "entries"), words, is_warning=True)
    location: KeyPath = ("retention", "content")
    if content > entries and document.key_path(location) == location:
        words = f"has no effect beyond retention.entries, which is {format_duration(entries)}"
        yield document.problem(location, words, is_warning=True)


def _find_zones_without_summer_time(config: Config, document: Document) -> Iterator[Problem]:
    """Warn of time zones that are abbreviations, and have no summer time."""
    zones = {("timezone",): config.timezone} | {
        ("editions", site.name, "timezone"): site.timezone for site in config.editions
    }
    for location, zone in zones.items():
        if zone is not None and zone.key in ("EST", "MST"):
            words = f"is {zone.key}, also in summer; a place has a name, such as America/New_York"
            yield document.problem(location, words, is_warning=True)


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
