"""Feed text → text that may stand on a terminal or in a log."""

from __future__ import annotations

import json
import re
import unicodedata

# Format characters, surrogates, private use, unassigned: nothing to see, some hide or turn text.
_INVISIBLE = frozenset({"Cf", "Cs", "Co", "Cn"})

# Of GitHub Actions and of Azure Pipelines, which take it in either case.
_COMMAND = re.compile(r"##(?=(?:vso)?\[)", re.IGNORECASE)


def printable(text: str) -> str:
    """Feed text on one line that moves no cursor, hides nothing, and is no command.

    A line that begins with `::`, or has `##[` or `##vso[` anywhere, is a command to some CI
    systems.
    """
    return _disarmed(" ".join(_visible(text).split()))


def printable_line(line: str) -> str:
    """The same of one line whose blanks are meant, as those at its start that indent it."""
    return _disarmed(_visible(line))


def foldable(text: str) -> str:
    """The same as `printable`, wherever a table may cut it into lines."""
    return re.sub(":(?=:)", ": ", printable(text))


def printable_json(said: object) -> str:
    """JSON for people and programs, with feed text in it that is no command, as in `printable`."""
    # It can only stand in a string, where it can be said in another way.
    return _COMMAND.sub(r"#\\u0023", json.dumps(said, ensure_ascii=False, indent=2))


def _disarmed(line: str) -> str:
    # Such systems look behind the blanks at the start.
    return _COMMAND.sub("# #", re.sub(r"^(\s*:)(?=:)", r"\1 ", line))


def _visible(text: str) -> str:
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    return "" if unicodedata.category(character) in _INVISIBLE else " "
