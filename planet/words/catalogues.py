"""Catalogues → Words: what is written in a language, borrowed where it does not have a word."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

from planet.words import locales
from planet.words.phrases import Counted, Phrase
from planet.words.words import Words

FOLDER = Path(__file__).parent / "languages"
"""A file for each language, called by its tag."""
ENGLISH = "en"
"""Has every word."""
TABLES = ("reasons", "endings")
"""What has words of its own below it."""


def load(language: str) -> Words:
    """The words of a language, or of the nearest that has any; of none, English.

    Each word that is missing comes from the next nearest. Dates and numbers are always those of
    the language itself, if they are known.
    """
    own = locales.locale(language)
    tags = [tag for tag in own.lineage if _file(tag).is_file()]
    said: dict[str, Any] = {}
    for tag in (ENGLISH, *reversed(tags)):
        catalogue = read(tag)
        tables = {name: said.get(name, {}) | catalogue.get(name, {}) for name in TABLES}
        said |= catalogue | tables
    counting = locales.locale(tags[0] if tags else ENGLISH)
    made: dict[str, Any] = {
        word.name: _made(said[word.name], str(word.type), counting, own)
        for word in fields(Words)
        if word.name in said
    }
    version = hashlib.sha256(repr((language, locales.VERSION, said)).encode()).hexdigest()
    return Words(locale=own, version=version, **made)


def read(tag: str) -> dict[str, Any]:
    """A catalogue as it is written: texts, and tables of texts."""
    return tomllib.loads(_file(tag).read_text(encoding="utf-8"))


def _file(tag: str) -> Path:
    return FOLDER / f"{tag}.toml"


def _made(said: Any, kind: str, counting: locales.Locale, writing: locales.Locale) -> object:
    if kind == "Phrase":
        return Phrase(said)
    return Counted(said, counting.plural, writing.number) if kind == "Counted" else said
