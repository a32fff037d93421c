"""A config → its fingerprint, as far as a site shows what it says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from planet import __version__
from planet.model import fingerprint
from planet.site.pages import load_theme
from planet.timeline.assemble import settings_shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.config import Config
    from planet.model import Feed, Podcast
    from planet.site.pages import Theme

    Record = dict[str, Any]


def load_site_theme(config: Config) -> Theme:
    """Return the theme of a site, its options, and what lies beside the config.

    Raises:
        ThemeError: a file is missing or wrong; the message names it.
        ConfigError: there is no such theme, or it does not have one of the options, or not with
            that value; or a file of `pages/` is no page.
    """
    return load_theme(
        config.theme,
        place=config.theme_place,
        options=config.theme_options,
        site=config.path.parent,
    )


def config_hash(config: Config, theme: Theme, *, cleaning: str) -> str:
    """Return a fingerprint of a config; `cleaning` is the version of the cleaner.

    Raises:
        OSError: the file of a podcast's cover cannot be read.
    """
    return fingerprint(
        __version__,
        theme.fingerprint,
        theme.pages,
        cleaning,
        (config.title, config.link, config.description, config.owner),
        (config.language, config.timezone, config.pages, config.filters),
        # The theme itself says all that shows of it.
        replace(config.site, theme=None, theme_place=None, theme_options=None),
        (config.hub, config.repository, config.digest, config.podcast, config.lists),
        *map(_cover, (config.podcast, *config.lists.values())),
        *(replace(pick, place=None) for pick in config.picks),
        *map(settings_shown, config.feeds),
    )


def hash_feeds(feeds: Iterable[Feed]) -> str:
    """Return a fingerprint of feeds, as far as pages show what is decided about them."""
    return fingerprint(*map(settings_shown, feeds))


def _cover(podcast: Podcast) -> bytes | None:
    """Return the bytes of a cover that is a file: another may come under the same name."""
    return podcast.cover.read_bytes() if isinstance(podcast.cover, Path) else None
