"""The config file and its feeds, for the commands that change its lists."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from planet.cli import options
from planet.config.feedlist import added
from planet.config.loading import understood
from planet.errors import ConfigError, UsageError
from planet.files import alone_with, write_whole
from planet.report import called
from planet.schedule.known import known_of
from planet.store import Store
from planet.subscriptions import known

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from planet.config import Config
    from planet.model import Feed, Memory

# A name that is nowhere (RFC 6761 §6.4): no feed of anyone's has it.
_NOWHERE: Final = "https://planet.invalid/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The feeds and lists of a config, and what was learned of them."""

    feeds: tuple[Feed, ...]
    """Those of the config and those on its lists."""
    lists: tuple[Feed, ...]
    memories: Mapping[str, Memory]

    def by_address(self) -> dict[str, Feed]:
        """Each feed and list, by its address (`bare`) and that where it is known to have moved."""
        found: dict[str, Feed] = {}
        for feed in (*self.feeds, *self.lists):
            moved = known_of(feed, self.memories.get(feed.key)).moved
            for url in (feed.url, moved.to if moved else feed.url):
                found.setdefault(bare(url), feed)
        return found

    def named(self, name: str) -> list[Feed]:
        """The feeds that are called so: by name, address, id, or folder on the site."""
        return [
            feed
            for feed in self.feeds
            if name in {feed.key, feed.slug}
            or bare(name) == bare(feed.url)
            or name.casefold() == self.name_of(feed).casefold()
        ]

    def name_of(self, feed: Feed) -> str:
        """What to call a feed."""
        return called(feed, self.memories.get(feed.key))


def known_to(config: Config) -> Known:
    """The feeds there are, also while a run holds the state.

    Raises:
        StateError: what is known of them cannot be read.
    """
    with Store.look(config.state, config.veil) as store:
        memories = store.memories() if store else {}
        feeds = known(config, store.lists() if store else {})
    return Known(feeds=feeds, lists=config.subscriptions, memories=memories)


def read_to_add(path: Path, state: Path | None) -> Config:
    """The config in a file, which need not have any feed yet.

    Raises:
        ConfigError: with every mistake in it.
    """
    try:
        return options.read_config(path, state=state)
    except ConfigError as error:
        try:
            config = read_as(path, added(text_of(path), [_NOWHERE], file=str(path)))
        except (ConfigError, OSError, UnicodeDecodeError):
            raise error from None
    feeds = tuple(feed for feed in config.feeds if feed.url != _NOWHERE)
    return replace(config, feeds=feeds, state=state.absolute() if state else config.state)


def text_of(path: Path) -> str:
    """The text of a config that was read before, to the letter."""
    return path.read_bytes().decode()


def read_as(path: Path, text: str) -> Config:
    """What a file would say with this text in it.

    Raises:
        ConfigError: it would have mistakes.
    """
    return understood(text.encode(), path=path, environ=os.environ)


def write(path: Path, text: str, *, before: str) -> None:
    """Put a text into a config file, which is replaced whole and keeps its permissions.

    `before` is what the text was made from; empty where there was no file.

    Raises:
        UsageError: somebody else has changed the file meanwhile; it is as they left it.
        OutputError: it cannot be written, and is as it was.
    """
    with alone_with(path):
        if (text_of(path) if path.exists() else "") != before:
            raise UsageError(f"{path} was changed meanwhile; nothing was written, so try again")
        write_whole(path, text.encode())


def bare(url: str) -> str:
    """An address without its scheme, because a feed is the same one with TLS and without."""
    return url.partition("://")[2] or url
