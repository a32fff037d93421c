"""A language → the words, dates and numbers of pages and feeds in it.

`words` has what is written in any language, `languages/` a catalogue for each, and `locales` what
CLDR knows of dates and numbers.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from planet.words.tags import direction

if TYPE_CHECKING:
    from planet.words.words import Words

__all__ = ["direction", "speak"]


@cache
def speak(language: str) -> Words:
    """What is written in a language, by its tag; `docs/themes.md` has the table.

    Where there are no words in it they are English; its dates are its own even then, if CLDR knows
    it.
    """
    # Nothing else needs babel, and a run in which nothing came does without it.
    from planet.words.catalogues import load

    return load(language)
