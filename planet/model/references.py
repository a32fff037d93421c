"""Character references in the value of an HTML attribute → the characters."""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5

# A name that "=", a letter or a digit follows is a parameter of an address: `?a=1&copy=2`.
_REFERENCE = re.compile("&(?:#[0-9]++|#[xX][0-9a-fA-F]++|[A-Za-z0-9]++(?!=));?")
# Python refuses to read much longer numbers (sys.int_info); no character has one of this length.
_LONGEST = 1000


def decode_attribute(written: str) -> str:
    """Decode the character references in the value of an attribute, once.

    By HTML §13.2.5.73 a name without its semicolon stays as it is where "=", a letter or a digit
    follows. In texts it does not: these are decoded by `planet.text.plain.decode_references`.
    """
    return _REFERENCE.sub(_character, written) if "&" in written else written


def _character(match: re.Match[str]) -> str:
    reference = match[0]
    if reference[1] != "#":
        return html5.get(reference[1:], reference)
    return unescape(reference) if len(reference) <= _LONGEST else "\ufffd"
