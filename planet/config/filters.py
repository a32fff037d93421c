"""Words, phrases and regular expressions of the filters → patterns, compiled once."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Final

from planet.config.values import line
from planet.model import Pattern

if TYPE_CHECKING:
    import regex

_REGEX: Final = re.compile(r"/(.*)/([A-Za-z]*)", re.DOTALL)
# Flags of other languages: somebody who writes them means a regular expression.
_FLAGS: Final = frozenset("gimsuxy")
# More letters than these are rather the end of a path: `/usr/bin`.
_MOST_FLAGS: Final = 2
# What continues a word. Vowel signs and accents are marks, and `\w` knows letters and digits only.
_WORD: Final = (
    r"\w\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    r"\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u0dff"
)
# Scripts that put no blanks between words, and Hangul, where particles follow a noun directly.
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0eff\u0f00-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    r"\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


def pattern(written: str) -> Pattern:
    r"""What a filter looks for, written as `word`, `some phrase`, `/regex/` or `/regex/i`.

    A word or phrase is found whatever the case, and only as whole words: "art" is not in "party".
    An end of it that is no part of a word (`C++`), or of a script without blanks between words,
    is found wherever it stands. A regular expression is searched for as it is.

    Raises:
        ValueError: it cannot be one, in words that follow the name of the setting.
    """
    said = line(written)
    match = _REGEX.fullmatch(written.strip())
    if match and len(match[2]) <= _MOST_FLAGS and not set(match[2]) <= _FLAGS:
        words = said.replace("/", "\\/")
        raise ValueError(
            f'looks like a regular expression with the flags "{match[2]}", and the only one there '
            f"is, is \"i\"; if the words are meant with their slashes, write '/{words}/'"
        )
    if match is None or not set(match[2]) <= _FLAGS:
        return Pattern(said=said, regex=_phrase(said))
    if not match[1]:
        raise ValueError("must not be an empty regular expression: it would match everything")
    if match[2] not in ("", "i"):
        raise ValueError(f'has the flags "{match[2]}"; the only one there is, is "i"')
    return Pattern(said=said, regex=_expression(match[1], re.IGNORECASE if match[2] else 0))


def _phrase(said: str) -> re.Pattern[str]:
    body = r"\s+".join(map(re.escape, said.split()))
    before = rf"(?<![{_WORD}])" if _is_bounded(said[0]) else ""
    after = rf"(?![{_WORD}])" if _is_bounded(said[-1]) else ""
    return re.compile(before + body + after, re.IGNORECASE)


def _is_bounded(edge: str) -> bool:
    """Whether a word with this character at its edge ends there."""
    return bool(re.match(f"[{_WORD}]", edge)) and not _UNSPACED.match(edge)


def _expression(text: str, flags: int) -> regex.Pattern[str]:
    # Few configs have one.
    import regex

    try:
        with warnings.catch_warnings():
            # What a later Python may read in another way is the operator's to decide.
            warnings.simplefilter("ignore")
            # It is what the manual of Python says it is, and `regex` reads that in the same way.
            re.compile(text, flags)
            return regex.compile(text, flags | regex.VERSION0)
    except re.error as error:
        at = "" if error.pos is None else f" at character {error.pos + 1} of it"
        raise ValueError(f"is not a regular expression: {error.msg}{at}") from None
    except regex.error as error:
        raise ValueError(f"is not a regular expression: {error}") from None
    except (OverflowError, RecursionError, MemoryError):
        raise ValueError("is a regular expression too large to compile") from None
