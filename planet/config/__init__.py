"""config.yaml → Config, or every mistake in it with line and column.

The file is read (`yaml`), each value is checked (`sections`, `kinds`) into settings (`settings`),
what these mean is worked out (`resolve`), and what is wrong is told in the operator's words
(`mistakes`).

Doors besides what it offers itself:

    edits      changes of the list of feeds in the operator's file
    elsewhere  configs of Venus and Pluto → ours
    files      a file → replaced whole, its permissions kept
    loading    the steps from a file to a Config
    mistakes   what is wrong with a file, in the operator's words
    opml       subscription lists in and out
    picks      picks.yaml → picks, and changes of it
    snapshot   a config that has not changed since the last run, without a check
    starter    a first config.yaml
    values     names, addresses and durations as the file writes them
    yaml       YAML with lines and columns
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from planet.model.secrets import NO_REDACTOR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from planet.errors import Problem
    from planet.model import Feed
    from planet.model.secrets import Redactor


__all__ = [
    "Backend",
    "Cache",
    "Config",
    "Defaults",
    "Fetch",
    "Retention",
    "Sanitizer",
    "feeds_from_opml",
    "json_schema",
    "lies_in",
    "load",
    "reference",
    "timed",
]

# The nouns are wanted everywhere, reading a file once a run: what that needs is imported then.


def load(path: Path, *, environ: Mapping[str, str]) -> Config:
    """What the file at `path` says, with every default filled in.

    Paths in it start at its folder; `${NAME}` in a text is taken from `environ`. Subscription lists
    that are files are read, too.

    Raises:
        ConfigError: something is wrong; it holds every problem, in the order of the file.
    """
    from planet.config.loading import load

    return load(path, environ=environ)


def feeds_from_opml(
    data: bytes,
    *,
    file: str,
    defaults: Defaults,
    base: str | None = None,
    known: Sequence[Feed] = (),
    veil: Redactor = NO_REDACTOR,
) -> tuple[tuple[Feed, ...], tuple[Problem, ...]]:
    """The feeds of a subscription list, and what is wrong with it; see `planet.config.opml`."""
    from planet.config.opml import feeds_from_opml

    return feeds_from_opml(data, file=file, defaults=defaults, base=base, known=known, veil=veil)


def json_schema() -> dict[str, Any]:
    """A JSON Schema (draft-07) of the file."""
    from planet.config.schema import json_schema

    return json_schema()


def reference() -> str:
    """The page `docs/config.md`: every setting, in Markdown."""
    from planet.config.schema import reference

    return reference()
