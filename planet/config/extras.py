"""Settings that need what is not always installed: whether it is."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from typing import TYPE_CHECKING

from planet.config.document import label
from planet.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.config.document import Document, Trail
    from planet.config.nouns import Config

_WITHOUT_BLANKS = frozenset({"ja", "th", "zh"})
"""Languages of which only the larger Pagefind can tell where a word ends."""


def missing(config: Config, document: Document) -> Iterator[Problem]:
    """What is asked for and not installed, with the place where it is asked for."""
    for location, words in _needs(config):
        trail = document.trail(location)
        yield Problem(document.place(trail), f"{label(trail)} needs {words}")


def _needs(config: Config) -> Iterator[tuple[Trail, str]]:
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
