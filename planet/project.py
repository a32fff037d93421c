"""The project itself: what it is called, and where it lives, as the package's metadata says."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from typing import Final

NAME: Final = "planet-digest"
"""What package indexes know it by."""


@cache
def address(label: str) -> str:
    """The address that `[project.urls]` of pyproject.toml gives under a label."""
    # As "Source, https://…"; docs/ in this repository is where "Documentation" leads.
    lines = metadata.metadata(NAME).get_all("Project-URL") or ()
    urls: dict[str, str] = dict(line.split(", ", 1) for line in lines)
    return urls[label]


def page(name: str) -> str:
    """The address of a page of the documentation, such as `politeness.md`."""
    return f"{address('Documentation')}/{name}"
