"""A feed as written → Feed: with the planet's defaults, an identity and a folder of its own."""

from __future__ import annotations

import os.path
import shutil
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from planet.config import values
from planet.config.values import slug
from planet.config.yaml import label
from planet.errors import Problem
from planet.model import Feed

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from planet.config import nouns, settings
    from planet.config.nouns import Config
    from planet.config.yaml import Document, RedirectChain
    from planet.model import Place, Timetable


def feed(
    written: settings.Feed,
    *,
    said: str,
    place: Place,
    folder: Path,
    defaults: nouns.Defaults,
    taken: Container[str],
) -> Feed:
    """The feed that is meant.

    `said` is its address as it stands in the file, where secrets are only named: its key and slug
    are made from that. Paths start at `folder`; `taken` are the slugs it cannot have.
    """
    url = values.located(written.url, folder)
    key = written.id or values.identity(said, url)
    entries = written.new_feed_entries
    return Feed(
        key=key,
        url=url,
        is_hidden="${" in said,
        slug=slug((written.id, written.name, _nickname(said)), key=key, taken=taken),
        name=written.name,
        tags=tuple(dict.fromkeys(written.tags)),
        link=written.link,
        author=written.author,
        image=written.image,
        language=written.language,
        enabled=written.enabled,
        priority=written.priority,
        content=written.content or defaults.content,
        future=written.future or defaults.future,
        new_feed_entries=defaults.new_feed_entries if entries is None else count(entries),
        picks=written.picks,
        include=frozenset(written.include),
        filters=written.filters,
        asking=values.of_feed(defaults.asking, written),
        place=place,
    )


def count(written: int | str) -> int | None:
    """A number of entries; None for "all"."""
    return written if isinstance(written, int) else None


def _nickname(said: str) -> str:
    """What an address is called when nobody gave the feed a name: host and path, or the file."""
    parts = urlsplit(said)
    return parts.netloc + parts.path if parts.netloc else Path(parts.path).stem


_WITHOUT_BLANKS = frozenset({"ja", "th", "zh"})
"""Languages of which only the larger Pagefind can tell where a word ends."""


def missing(config: Config, document: Document) -> Iterator[Problem]:
    """What is asked for and not installed, with the place where it is asked for."""
    for location, words in _needs(config):
        trail = document.trail(location)
        yield Problem(document.place(trail), f"{label(trail)} needs {words}")


def _needs(config: Config) -> Iterator[tuple[RedirectChain, str]]:
    """What is missing, and how to get it, with the setting that needs it."""
    if config.sanitizer == "nh3" and find_spec("nh3") is None:
        yield ("sanitizer",), _left_out("nh3", "nh3")
    if config.fetch.signature and find_spec("cryptography") is None:
        yield ("fetch", "signature"), _left_out("cryptography", "fediverse")
    # An edition may speak another language than the planet.
    needs = (_search_needs(site.language) for site in config.sites)
    if config.pages.search and (words := next(filter(None, needs), None)):
        yield ("pages", "search"), words


def _search_needs(language: str) -> str | None:
    """What is missing to search posts of a site in a language, and how to get it."""
    if find_spec("pagefind") is None:
        return _left_out("Pagefind", "search")
    # There is no finding a word in an index of whole sentences.
    if language.partition("-")[0].lower() not in _WITHOUT_BLANKS:
        return None
    if find_spec("pagefind_bin_extended") or shutil.which("pagefind_extended"):
        return None
    return f"the larger Pagefind for the language {language}; pip install 'pagefind[extended]'"


def _left_out(library: str, extra: str) -> str:
    return f"{library}, which is not installed; pip install 'planet-digest[{extra}]'"


def is_published(state: Path, *, output: Path) -> bool:
    """Whether the state folder lies in the output folder, or is it."""
    return lies_in(state, output)


def lies_in(inner: Path, outer: Path) -> bool:
    """Whether a folder lies in another, or is it."""
    return _absolute(inner).is_relative_to(_absolute(outer))


def _absolute(path: Path) -> Path:
    # Not resolve(): whether a config is right must not depend on links of the moment.
    return type(path)(os.path.normpath(path.absolute()))


def timed(config: Config, feeds: Iterable[Feed]) -> tuple[Feed, ...]:
    """The feeds, with the releases of the editions that show each, where nobody wants it sooner."""
    if all(site.release is None for site in config.editions):
        return tuple(feeds)
    return tuple(
        replace(feed, asking=replace(feed.asking, releases=_releases(config, feed)))
        for feed in feeds
    )


def _releases(config: Config, feed: Feed) -> tuple[Timetable, ...]:
    releases = [site.release for site in config.editions if site.shows(feed)]
    calm = [release for release in releases if release is not None]
    # What one edition shows at once is asked for as usual.
    return tuple(dict.fromkeys(calm)) if len(calm) == len(releases) else ()
