"""What is replaced in feedparser to save time comes to what it was."""

from __future__ import annotations

import subprocess
import sys

from feedparser import mixin  # type: ignore[import-untyped]  # has no types

import planet.parse.feedparser  # noqa: F401 - replaces them

_MADE_OF_EACH = """
from feedparser import mixin
text = "".join(map(chr, range(0x11000)))
print(ascii(text.translate(mixin._cp1252)))
"""


def test_characters_become_what_feedparser_makes_of_them() -> None:
    # In a process of its own, where nothing of it is replaced.
    command = [sys.executable, "-c", _MADE_OF_EACH]
    theirs = subprocess.check_output(command, text=True).strip()

    ours = ascii("".join(map(chr, range(0x11000))).translate(mixin._cp1252))

    assert ours == theirs
