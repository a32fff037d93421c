"""Folders that must not meet."""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def is_published(state: Path, *, output: Path) -> bool:
    """Whether the state folder lies in the output folder, or is it."""
    return lies_in(state, output)


def lies_in(inner: Path, outer: Path) -> bool:
    """Whether a folder lies in another, or is it."""
    return _absolute(inner).is_relative_to(_absolute(outer))


def _absolute(path: Path) -> Path:
    # Not resolve(): whether a config is right must not depend on links of the moment.
    return type(path)(os.path.normpath(path.absolute()))
