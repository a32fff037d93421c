"""Settings that need what is not always installed: whether it is."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from typing import TYPE_CHECKING

from planet.config.document import label
from planet.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.config.document import Document
    from planet.config.nouns import Config

_WITHOUT_BLANKS = frozenset({"ja", "th", "zh"})
"""Languages of which only the larger Pagefind can tell where a word ends."""


def missing(config: Config, document: Document) -> Iterator[Problem]:
    """What is asked for and not installed, with the place where it is asked for."""
    if config.pages.search and (words := _search_needs(config.language)):
        trail = document.trail(("pages", "search"))
        yield Problem(document.place(trail), f"{label(trail)} needs {words}")


def _search_needs(language: str) -> str | None:
    """What is missing to search posts of a planet in a language, and how to get it."""
    if find_spec("pagefind") is None:
        return "Pagefind, which is not installed; pip install 'planet-digest[search]'"
    # There is no finding a word in an index of whole sentences.
    if language.partition("-")[0].lower() not in _WITHOUT_BLANKS:
        return None
    if find_spec("pagefind_bin_extended") or shutil.which("pagefind_extended"):
        return None
    return f"the larger Pagefind for the language {language}; pip install 'pagefind[extended]'"
