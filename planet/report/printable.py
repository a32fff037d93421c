"""Feed text → text that may stand on a terminal or in a log."""

from __future__ import annotations

import unicodedata

# Format characters, surrogates, private use, unassigned: nothing to see, some hide or turn text.
_INVISIBLE = frozenset({"Cf", "Cs", "Co", "Cn"})


def printable(text: str) -> str:
    """Feed text on one line that moves no cursor, hides nothing, and is no command.

    A line that begins with `::`, or has `##[` anywhere, is a command to some CI systems.
    """
    kept = "".join(_shown(character) for character in text)
    folded = " ".join(kept.split()).replace("##[", "# #[")
    return folded.replace("::", ": :", 1) if folded.startswith("::") else folded


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    return "" if unicodedata.category(character) in _INVISIBLE else " "
