"""config.yaml → Config, or every mistake in it with line and column.

The file is read (`yaml`), each value is checked (`sections`, `kinds`) into settings (`settings`),
and what these mean is worked out (`loading`).

Doors besides what it offers itself:

    edits      where settings stand in a file of the operator's, changes of it, and its replacement
    elsewhere  configs of Venus and Pluto → ours
    loading    the steps from a file to a Config
    opml       subscription lists in and out
    picks      picks.yaml → picks, and changes of it
    settings   the file as it is written
    subscriptions  what its lists on the web said last → the feeds on them
    values     names, addresses and durations as the file writes them
    warnings   what can be used as it is written, but is probably not meant
    yaml       YAML with lines and columns
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.config.nouns import (
    Backend,
    Cache,
    Config,
    Defaults,
    Fetch,
    Retention,
    Sanitizer,
    lies_in,
    timed,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def load(path: Path, *, environ: Mapping[str, str]) -> Config:
    """What the file at `path` says, with every default filled in.

    Paths in it start at its folder; `${NAME}` in a text is taken from `environ`. Subscription lists
    that are files are read, too.

    Raises:
        ConfigError: something is wrong; it holds every problem, in the order of the file.
    """
    # The nouns are wanted everywhere, and what reads a file only here.
    from planet.config.loading import load

    return load(path, environ=environ)
