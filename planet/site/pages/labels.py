"""Text → shorter text, and the signs of a source: cut lines, initials, letters of a list, tints."""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect
from itertools import filterfalse

TINTS = 4
"""How many tints the archive has for months with posts."""
_MANY = 5
"""Posts for the strongest tint at least: in a calm year, a month with one post is no busy one."""
_STOPS = " ,.;:–—-"
_BETWEEN = " \t\n.:;,–—-|!?"
_ENDS = set(".:–—|!?\n")
_TITLE = 12
"""Letters of a title that hardly begin a sentence by chance."""
_JAMO = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_KANA, _FIRST_KANA = "あかさたなはまやらわ", "ぁかさたなはまゃらゎ"


def clip(text: str, limit: int) -> str:
    """Cut a longer text at the last blank within the limit, with an ellipsis."""
    if len(text) <= limit:
        return text
    kept = text[:limit].rpartition(" ")[0]
    # Chinese and Japanese have no blanks to cut at.
    return (kept if len(kept) > limit // 2 else text[:limit]).rstrip(_STOPS) + "…"


def without_title(summary: str, title: str) -> str:
    """Return the first words of a text without a title before them.

    A title stays where a sentence may begin with the same words.
    """
    rest = summary[len(title) :] if summary.startswith(title) else ""
    words = rest.lstrip(_BETWEEN)
    is_apart = rest[:1] in _ENDS or (len(title) >= _TITLE and rest[:1].isspace())
    return words if words and is_apart and not words[0].islower() else summary


def strip_to_letters(text: str) -> str:
    """Return the letters and digits of a text, for comparisons."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text.casefold())))


def letter(title: str) -> str:
    """Return the first letter of a title, in the plainest form, for a list.

    Kana by their row, Hangul by the consonant, all Chinese characters under one sign (readers of
    Chinese and of Japanese share no order), numbers and titles without letters under "#".
    """
    first = (sort_key(title)[:1] or "#").upper()[0]
    if "\u30a1" <= first <= "\u30fa":
        first = chr(ord(first) - 0x60)
    if "\u3041" <= first <= "\u3096":
        return _KANA[bisect(_FIRST_KANA, first) - 1]
    if "\u1100" <= first <= "\u1112":
        return _JAMO[ord(first) - 0x1100]
    if unicodedata.name(first, "").startswith("CJK"):
        return "字"
    return first if first.isalpha() else "#"


def sort_key(title: str) -> str:
    """Return the sort key of a title: no capitals or accents, nothing before the letters."""
    plain = unicodedata.normalize("NFKD", title.casefold())
    return re.sub(r"^[\W_]+", "", "".join(filterfalse(unicodedata.combining, plain)))


def tint(count: int, most: int) -> int:
    """Return how strongly a month is tinted: 0 without posts, 4 for the most.

    The steps are those of the logarithm: one busy month does not make all others pale.
    """
    if not count:
        return 0
    return 1 + round((TINTS - 1) * math.log(count) / math.log(max(most, _MANY)))


def duration(seconds: int | None) -> str | None:
    """Write hours, minutes and seconds, as “1:02:33” or “4:05”; None when unknown."""
    if seconds is None or seconds <= 0:
        return None
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def as_heading(text: str) -> str:
    """Write a text as a heading: some languages write the names of months small elsewhere."""
    return text[:1].title() + text[1:]
