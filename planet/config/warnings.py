"""What can be used as it is written, but is probably not meant: the warnings of `planet check`."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from planet.config.values import spoken
from planet.errors import Problem
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from planet.config.nouns import Config
    from planet.config.yaml import Document, KeyPath, Node
    from planet.model import Feed


def warnings(
    config: Config, subscriptions: Mapping[int, str], feeds: Mapping[int, Feed], document: Document
) -> Iterator[Problem]:
    """Each warning, with the place of what it is about.

    `feeds` and `subscriptions` are those of the file itself, by their index there.
    """
    for index, feed in feeds.items():
        yield from _open_secret(feed.url, document, ("feeds", index, "url"))
    for index, url in subscriptions.items():
        yield from _open_secret(url, document, ("subscriptions", index))
    for location, node in _odd_texts(document):
        text = node.text or ""
        for words in filter(None, (_curly(node), _shell(location, text), _comma(location, text))):
            yield document.problem(location, words, is_warning=True)
    yield from _same_address(feeds, document)
    yield from _same_name(feeds, document)
    yield from _short_memory(config, document)
    yield from _no_summer(config, document)
    if config.cache.backend == "memory":
        words = "is empty when a run begins, so each server sends all of its feed anew each time"
        yield document.problem(("cache", "backend"), f'"memory" {words}', is_warning=True)
    if config.sanitizer == "bleach":
        words = "gets no more fixes; leave the line out, and nh3 cleans"
        yield document.problem(("sanitizer",), f'"bleach" {words}', is_warning=True)
    if unlinked := without_link(config):
        yield Problem(document.place(()), unlinked, is_warning=True)


# Texts


_ODD: Final = re.compile("[$,“„‟”‘’‚]")


def _odd_texts(document: Document) -> list[tuple[KeyPath, Node]]:
    """The texts with a character that may tell of something else than what is written."""
    texts = []
    waiting: list[tuple[KeyPath, Node]] = [((), document.root)]
    while waiting:
        location, node = waiting.pop()
        for step, part in node.parts.items():
            waiting.append(((*location, step), part))
        if node.text is not None and _ODD.search(node.text):
            texts.append((location, node))
    return texts


def _open_secret(url: str, document: Document, key_path: KeyPath) -> Iterator[Problem]:
    """An address that looks as if whoever has it may read what others may not."""
    secret = address.find_secret(url)
    if secret and "${" not in (document.text(key_path) or ""):
        words = (
            f"has what looks like a secret in plain text ({secret}); write ${{NAME}} in its place, "
            "and set NAME in the environment"
        )
        yield document.problem(key_path, words, is_warning=True)


def _curly(node: Node) -> str | None:
    """What to say of a text between quotation marks that word processors put there."""
    if not node.is_in_curly_quotes:
        return None
    return 'is in curly quotes, which are a part of it; write straight ones ("), or none'


_PROSE: Final = frozenset({"title", "description", "name", "author", "filters"})
"""Where "$" and capital letters may be words."""
_VARIABLE: Final = re.compile(r"(?<![\w$])\$[A-Z_][A-Z0-9_]*\b")


def _shell(location: KeyPath, text: str) -> str | None:
    """What to say of a variable as shells have it; it may be a secret, so it is not repeated."""
    if "$" not in text or _PROSE.intersection(location) or not _VARIABLE.search(text):
        return None
    return (
        'has a "$" before a name, which is taken as it is written; to take it from the '
        'environment, write "${NAME}"'
    )


_WORDS: Final = frozenset({"include", "exclude", "categories"})


def _comma(location: KeyPath, text: str) -> str | None:
    """What to say of one text where several are probably meant; in a list, one is."""
    # A regular expression may have one, and so may an item of a list.
    if text.endswith(",") and location[0] in ("feeds", "subscriptions") and len(location) < 4:
        return "ends with a comma, which is a part of it; a line of a list has none"
    if "," not in text or text.startswith("/") or isinstance(location[-1], int):
        return None
    if "tags" not in location and not _WORDS.intersection(location):
        return None
    several = ", ".join(filter(None, map(str.strip, text.split(","))))
    return f"is one text with a comma in it; write [{several}] if several are meant"


# Feeds


def _same_address(feeds: Mapping[int, Feed], document: Document) -> Iterator[Problem]:
    """Feeds whose addresses differ in `http` and `https` only."""
    firsts: dict[str, int] = {}
    for index, feed in feeds.items():
        scheme, _, rest = feed.url.partition("://")
        if not feed.enabled or scheme not in ("http", "https"):
            continue
        first = firsts.setdefault(rest, index)
        if feeds[first].url.partition("://")[0] == scheme:
            continue
        words = f'is the address of {_in_line(first, document)} but for "{scheme}"; keep one'
        yield document.problem(("feeds", index, "url"), words, is_warning=True)


def _same_name(feeds: Mapping[int, Feed], document: Document) -> Iterator[Problem]:
    firsts: dict[str, int] = {}
    for index, feed in feeds.items():
        if not feed.enabled or not feed.name:
            continue
        first = firsts.setdefault(feed.name.casefold(), index)
        if first != index:
            words = f"is the name of {_in_line(first, document)}, too; nobody can tell them apart"
            yield document.problem(("feeds", index, "name"), words, is_warning=True)


def _in_line(index: int, document: Document) -> str:
    # PyYAML is wanted only where a file is read.
    from planet.config.yaml import label

    location = ("feeds", index)
    return f"{label(location)} in line {document.place(location).line}"


# The planet


_SHORT: Final = timedelta(days=7)


def _short_memory(config: Config, document: Document) -> Iterator[Problem]:
    """What is forgotten before anybody would expect it."""
    entries, content = config.retention.entries, config.retention.content
    if entries < _SHORT:
        words = (
            f"is {spoken(entries)}: so soon an entry goes from the site when its feed stops "
            "listing it; to hide what is old, set `max_age` under `filters`"
        )
        yield document.problem(("retention", "entries"), words, is_warning=True)
    location: KeyPath = ("retention", "content")
    if content > entries and document.key_path(location) == location:
        words = f"has no effect beyond retention.entries, which is {spoken(entries)}"
        yield document.problem(location, words, is_warning=True)


def _no_summer(config: Config, document: Document) -> Iterator[Problem]:
    """Zones that are an abbreviation, and go without summer time."""
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


def without_link(config: Config) -> str | None:
    """What to say of a config that does not say where its site will be, though it is published."""
    if all(site.link for site in config.sites):
        return None
    workflow = _publishing(config.path.parent / ".github" / "workflows")
    if workflow is None:
        return None
    return (
        f'there is no "link", and .github/workflows/{workflow} publishes the site: without its '
        "address, feed readers and other sites cannot follow it; "
        "write link: https://YOU.github.io/REPOSITORY/"
    )


def _publishing(folder: Path) -> str | None:
    """The name of the first workflow that publishes a site."""
    for path in sorted((*folder.glob("*.yml"), *folder.glob("*.yaml"))):
        try:
            if _PUBLISHES.search(path.read_bytes()):
                return path.name
        except OSError:
            continue
    return None
