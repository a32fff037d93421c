"""What the operator decides about a site → a short text that differs whenever the site may."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from planet import __version__
from planet.model import Asking

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.config import Config
    from planet.model import Feed, Podcast
    from planet.render import Theme


def recipe(config: Config, theme: Theme, *, cleaning: str) -> str:
    """A fingerprint of it; `cleaning` is the version of the cleaner.

    Raises:
        OSError: the file of a podcast's cover cannot be read.
    """
    return _fingerprint(
        (
            __version__,
            theme.fingerprint,
            cleaning,
            (config.title, config.link, config.description, config.owner),
            (config.language, config.timezone, config.pages, config.filters),
            # The theme itself says all that shows of it.
            replace(config.site, theme=None, theme_place=None, theme_options=None),
            (config.hub, config.repository, config.digest, config.podcast, config.lists),
            *map(_cover, (config.podcast, *config.lists.values())),
            *(replace(pick, place=None) for pick in config.picks),
            *map(_shown, config.feeds),
        )
    )


def feeds_shown(feeds: Iterable[Feed]) -> str:
    """A fingerprint of feeds, as far as pages show what is decided about them."""
    return _fingerprint(map(_shown, feeds))


def _shown(feed: Feed) -> Feed:
    """A feed without what no page shows: where it stands, how and what for it is asked."""
    return replace(feed, place=None, asking=Asking(), include=frozenset(), is_led=False)


def _cover(podcast: Podcast) -> bytes | None:
    """The cover of a podcast, where it is a file: another picture may come under the same name."""
    return podcast.cover.read_bytes() if isinstance(podcast.cover, Path) else None


def _fingerprint(parts: Iterable[object]) -> str:
    text = repr(tuple(parts)).encode(errors="backslashreplace")
    return hashlib.blake2b(text, digest_size=16).hexdigest()
