"""Phrases with something to fill in: a name, a number."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# How letters run: kinds of Unicode Standard Annex 9, §3.2.
_LEFT_TO_RIGHT, _RIGHT_TO_LEFT = frozenset({"L"}), frozenset({"R", "AL"})
# First strong isolate, and its end (§2.4 there).
_ISOLATE, _END = "\u2068", "\u2069"


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase with a name in it: `words.since("1 May 2026")` is “since 1 May 2026”."""

    text: str

    def __call__(self, name: str, **others: str) -> str:
        """The phrase with this name in its place, and others in theirs.

        A name that runs the other way than the phrase is kept apart, so that it does not carry its
        neighbours along. A name may be HTML that is known to be clean; then the phrase is, too.
        """
        # What is clean HTML says so by its type, and so does what is made of it.
        kind = type(name)
        names = {key: _apart(said, self.text) for key, said in others.items()}
        return kind(self.text).format(name=_apart(name, self.text), **names)


@dataclass(frozen=True, slots=True)
class Counted:
    """A phrase with a number in it, and perhaps a name: `words.posts(3)` is “3 posts”."""

    forms: Mapping[str, str]
    """By plural category of CLDR; `other` is always there."""
    category: Callable[[int], str]
    """The category of a number in the language of the forms."""
    number: Callable[[int], str]
    """A number as it is written."""

    def __call__(self, count: int, name: str = "") -> str:
        """The phrase with these in their places, in the form that the number needs."""
        text = self.forms.get(self.category(count)) or self.forms["other"]
        return text.format(count=self.number(count), name=_apart(name, text))


def _apart(name: str, text: str) -> str:
    """A name as it may stand in a text that perhaps runs the other way."""
    if hasattr(name, "__html__") or not _kinds(name) & _against(text):
        return name
    return f"{_ISOLATE}{name}{_END}"


def _against(text: str) -> frozenset[str]:
    """The kinds of letters that run against those of a text."""
    return _LEFT_TO_RIGHT if _kinds(text) & _RIGHT_TO_LEFT else _RIGHT_TO_LEFT


def _kinds(text: str) -> set[str]:
    return set(map(unicodedata.bidirectional, text))
