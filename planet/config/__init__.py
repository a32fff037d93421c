"""config.yaml → Config, or all mistakes with line and column.

The file is parsed (`yaml`), each value is checked (`sections`, `kinds`) into settings (`settings`),
and the feeds get their defaults (`loading`, `feeds`).

Doors besides `load` and the nouns:

    checks      contradictions between settings, and probable slips
    edits       changes of a file of the operator, and places of settings
    feeds       settings of feeds, and subscription lists → feeds
    foreign     configs of Venus and Pluto, and lists of feeds → ours
    kinds       the kinds of values: durations, addresses, patterns
    loading     the steps from a file to a Config
    picks       picks.yaml → picks
    sections    data of a file → its sections, and all mistakes
    settings    the sections of the file
    yaml        YAML with lines and columns
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.config.settings import (
    Backend,
    Cache,
    Config,
    Fetch,
    Retention,
    ThemeSettings,
    lies_in,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def load(path: Path, *, environ: Mapping[str, str], needs_feeds: bool = True) -> Config:
    """Load the config at `path`, with every default filled in.

    Paths start at the folder of the file; `${NAME}` in a text is taken from `environ`. Files under
    `subscriptions` are read, too. Without `needs_feeds`, a planet may have no feeds yet.

    Raises:
        ConfigError: with every mistake, in the order of the file.
    """
    # Imported late: the nouns are needed everywhere, and the loader only here.
    from planet.config.loading import parse_config, read_bytes

    return parse_config(read_bytes(path), path=path, environ=environ, needs_feeds=needs_feeds)
