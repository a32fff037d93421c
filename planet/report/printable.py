"""Feed text → text for a terminal or a log."""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import timedelta
from itertools import pairwise
from statistics import median
from typing import Final

from planet.model import DueReason, FeedState

# Format characters, surrogates, private use, unassigned: nothing to see, some hide or turn text.
_INVISIBLE = frozenset({"Cf", "Cs", "Co", "Cn"})

# Of GitHub Actions and of Azure Pipelines, which take it in either case.
_COMMAND = re.compile(r"##(?=(?:vso)?\[)", re.IGNORECASE)


def printable(text: str) -> str:
    """Return feed text as one line, without codes for terminals, hidden signs and CI commands.

    A line with `::` at the start, or with `##[` or `##vso[` anywhere, is a command to some CI
    systems.
    """
    return _disarm(" ".join(_drop_invisible(text).split()))


def printable_line(line: str) -> str:
    """Do the same to a single line, and keep blanks, such as an indent."""
    return _disarm(_drop_invisible(line))


def printable_json(value: object) -> str:
    """Return indented JSON in which feed text is no CI command, as in `printable`."""
    # A command can only be in a string, in which a sign may be written as its number.
    return _COMMAND.sub(r"#\\u0023", json.dumps(value, ensure_ascii=False, indent=2))


def _disarm(line: str) -> str:
    # CI systems skip blanks at the start.
    return _COMMAND.sub("# #", re.sub(r"^(\s*:)(?=:)", r"\1 ", line))


def _drop_invisible(text: str) -> str:
    return text if text.isprintable() else "".join(map(_visible_character, text))


def _visible_character(character: str) -> str:
    if character.isprintable():
        return character
    return "" if unicodedata.category(character) in _INVISIBLE else " "


_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_PACES: Final = (
    (1.5 * _HOUR, "hourly", _HOUR),
    (18 * _HOUR, "every {} hours", _HOUR),
    (1.5 * _DAY, "daily", _DAY),
    (6 * _DAY, "every {} days", _DAY),
    (8 * _DAY, "weekly", _DAY),
    (25 * _DAY, "every {} days", _DAY),
    (45 * _DAY, "monthly", _DAY),
    (timedelta.max, "every {} months", 30 * _DAY),
)


def explain_due(state: FeedState, reason: DueReason) -> str:
    """Return the reason for the due time of a feed, in a few words."""
    if state.given_up is not None:
        return state.given_up.words
    if reason is DueReason.ADAPTIVE and (pace := _describe_pace(state)):
        return pace
    return reason.words


def _describe_pace(state: FeedState) -> str | None:
    """Return how often a feed posts, or the days of silence; None while unknown."""
    gaps = [(after - before).total_seconds() for before, after in pairwise(state.posts)]
    if len(gaps) < 3:
        return None
    gap = timedelta(seconds=median(gaps))
    silence = (state.succeeded_at or state.posts[-1]) - state.posts[-1]
    if silence > max(4 * gap, 2 * _DAY):
        return f"silent for {round(silence / _DAY)} days"
    words, unit = next((words, unit) for least, words, unit in _PACES if gap < least)
    return f"posts about {words.format(round(gap / unit))}"
