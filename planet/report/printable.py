"""Feed text → text that may stand on a terminal or in a log."""

from __future__ import annotations


def printable(text: str) -> str:
    """Feed text as it may stand on a terminal or in a log, on one line.

    Control and format characters are left out: they could move the cursor, hide text, or end a
    line; and a line that begins with `::` is a command to some CI systems.
    """
    kept = "".join(character if character.isprintable() else " " for character in text)
    folded = " ".join(kept.split())
    return folded.replace("::", ": :", 1) if folded.startswith("::") else folded
