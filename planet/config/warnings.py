"""The warnings of `planet check`: settings that can be used, but are probably not meant so."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from planet.config.texts import format_duration
from planet.errors import Problem
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from planet.config.resolved import Config
    from planet.config.yaml import Document, KeyPath, Node
    from planet.model import Feed


def find_warnings(
    config: Config, subscriptions: Mapping[int, str], feeds: Mapping[int, Feed], document: Document
) -> Iterator[Problem]:
    """Yield each warning, with the place of what it is about.

    `feeds` and `subscriptions` are those of the file itself, by their index there.
    """
    for index, feed in feeds.items():
        yield from _warn_of_secret(feed.url, document, ("feeds", index, "url"))
    for index, url in subscriptions.items():
        yield from _warn_of_secret(url, document, ("subscriptions", index))
    for location, node in _find_odd_texts(document):
        text = node.text or ""
        for words in filter(
            None,
            (
                _warn_of_curly_quotes(node),
                _warn_of_shell_variable(location, text),
                _warn_of_comma(location, text),
            ),
        ):
            yield document.problem(location, words, is_warning=True)
    yield from _find_same_addresses(feeds, document)
    yield from _find_same_names(feeds, document)
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


# Texts


_ODD: Final = re.compile("[$,“„‟”‘’‚]")


def _find_odd_texts(document: Document) -> list[tuple[KeyPath, Node]]:
    """Return the texts with a character that is often a mistake."""
    texts = []
    waiting: list[tuple[KeyPath, Node]] = [((), document.root)]
    while waiting:
        location, node = waiting.pop()
        for step, part in node.parts.items():
            waiting.append(((*location, step), part))
        if node.text is not None and _ODD.search(node.text):
            texts.append((location, node))
    return texts


def _warn_of_secret(url: str, document: Document, key_path: KeyPath) -> Iterator[Problem]:
    """Warn of an address that seems to hold a secret."""
    secret = address.find_secret(url)
    if secret and "${" not in (document.text(key_path) or ""):
        words = (
            f"has what looks like a secret in plain text ({secret}); write ${{NAME}} in its place, "
            "and set NAME in the environment"
        )
        yield document.problem(key_path, words, is_warning=True)


def _warn_of_curly_quotes(node: Node) -> str | None:
    """Return a warning for a text in the quotation marks of a word processor."""
    if not node.is_in_curly_quotes:
        return None
    return 'is in curly quotes, which are a part of it; write straight ones ("), or none'


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


# Feeds


def _find_same_addresses(feeds: Mapping[int, Feed], document: Document) -> Iterator[Problem]:
    """Warn of feeds whose addresses differ only in `http` and `https`."""
    firsts: dict[str, int] = {}
    for index, feed in feeds.items():
        scheme, _, rest = feed.url.partition("://")
        if not feed.enabled or scheme not in ("http", "https"):
            continue
        first = firsts.setdefault(rest, index)
        if feeds[first].url.partition("://")[0] == scheme:
            continue
        words = f'is the address of {_describe_place(first, document)} but for "{scheme}"; keep one'
        yield document.problem(("feeds", index, "url"), words, is_warning=True)


def _find_same_names(feeds: Mapping[int, Feed], document: Document) -> Iterator[Problem]:
    firsts: dict[str, int] = {}
    for index, feed in feeds.items():
        if not feed.enabled or not feed.name:
            continue
        first = firsts.setdefault(feed.name.casefold(), index)
        if first != index:
            other = _describe_place(first, document)
            words = f"is the name of {other}, too; nobody can tell them apart"
            yield document.problem(("feeds", index, "name"), words, is_warning=True)


def _describe_place(index: int, document: Document) -> str:
    # Imported late: PyYAML is needed only where a file is read.
    from planet.config.yaml import label

    location = ("feeds", index)
    return f"{label(location)} in line {document.place(location).line}"


# The planet


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
