"""Untrusted text → plain text on one line: what titles, names and excerpts are made of.

Plain is not safe: it may hold anything a keyboard can type, `<` and `&` included, and is escaped
where it is written. What it cannot hold is line ends, control characters, and characters that turn
the reading direction of what follows them.
"""

from __future__ import annotations

import re
import sys
from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.model import Text


NO_CHARACTERS = "\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef" + "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000)
)
"""What no text can hold beside the controls of ASCII, for a class of a regular expression: DEL and
the C1 controls, halves of surrogate pairs, and the non-characters (Unicode §23.7)."""

# And embeddings, overrides and isolates of the bidirectional algorithm (UAX #9), which nothing on
# the line would end.
_UNPRINTABLE = re.compile(
    f"[\x00-\x1f{NO_CHARACTERS}\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffc]"
)
# Python refuses to read so long a number (sys.int_info), and `unescape` passes the error on.
_ENDLESS_NUMBER = re.compile("&#[0-9]{1000}[0-9]*;?")
# ASCII alone: in Chinese and Japanese, words follow an address without a blank.
_ADDRESS = re.compile(r"https?://[!#-;=?-~]{1,2000}", re.IGNORECASE)
_TRAILING = ".,:;!?'*]}"
# Comments, tags, and elements that nobody sees. It matches whatever comes after its beginning, so
# that nothing is read twice.
_REST = r"(?=[\s/>]|\Z)(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>?"
_MARKUP = re.compile(
    r"<(?:!--(?:-?>|.*?(?:--!?>|\Z))|(?:[!?]|/(?![a-z]))[^>]*+>?"
    rf"|(script|style|template){_REST}.*?(?:</\1{_REST}|\Z)"
    rf"|/?([a-z][^\s/>]*+){_REST})",
    re.ASCII | re.DOTALL | re.IGNORECASE,
)
_INLINE = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q rp rt ruby s samp"
    " script small span strike strong style sub sup template time tt u var wbr"
)
_JOINING = frozenset(_INLINE.split())
"""A tag of these joins what stands on its sides; any other parts it."""


def plain(text: Text, limit: int = sys.maxsize) -> str:
    """The words of a text: tags dropped, references decoded once, blanks folded.

    The content of script, style and template is dropped with its tags. With `limit`, only as much
    is read as it takes to give that many characters, and a text that is longer ends in an ellipsis
    at the end of a word.
    """
    # By its value: on this level of the map, a noun is known by type alone.
    if text.kind.value == "text":
        line = one_line(text.value)
    elif "<" in text.value:
        line = _line(_readable(text.value), limit)
    else:
        line = one_line(decoded(text.value))
    return shortened(line, limit)


def decoded(words: str) -> str:
    """The words with their character references decoded, once, as HTML §13.5 has it."""
    return unescape(_readable(words)) if "&" in words else words


def one_line(words: str) -> str:
    """Plain text folded into one line that is safe to print."""
    line = " ".join(words.split())
    return line if line.isprintable() else _UNPRINTABLE.sub("", line).strip()


def shortened(line: str, limit: int) -> str:
    """The line itself, or as many of its words as `limit` characters hold with an ellipsis."""
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    head, blank, _ = cut.rpartition(" ")
    # A text without blanks (Chinese, Japanese, an address) is cut between characters.
    return (head if blank and len(head) > limit // 2 else cut) + "…"


def by_addresses(words: str) -> Iterator[tuple[str, str]]:
    """Plain text in pairs: what stands before a web address, and the address; the last is empty.

    Punctuation behind an address, and a bracket that does not begin in it, are no part of it.
    """
    end = 0
    for match in _ADDRESS.finditer(words):
        address = match[0].rstrip(_TRAILING)
        while address.endswith(")") and address.count(")") > address.count("("):
            address = address[:-1].rstrip(_TRAILING)
        yield words[end : match.start()], address
        end = match.start() + len(address)
    yield words[end:], ""


def _readable(html: str) -> str:
    # A single character is looked for twenty times as fast as two.
    return _ENDLESS_NUMBER.sub("\ufffd", html) if "&" in html and "&#" in html else html


def texts(html: str) -> Iterator[str]:
    """The texts of untrusted HTML, their references decoded; an empty one where blocks meet."""
    end = 0
    for markup in _MARKUP.finditer(html):
        start, after = markup.span()
        if start > end:
            yield decoded(html[end:start])
        if (name := markup[1] or markup[2]) and name.lower() not in _JOINING:
            yield ""
        end = after
    yield decoded(html[end:])


def _line(html: str, limit: int) -> str:
    """The words on one line; of one that is longer than `limit`, at least so much."""
    pieces, length, enough = [], 0, limit
    for text in texts(html):
        pieces.append(text or " ")
        length += len(text)
        if length > enough:
            line = one_line("".join(pieces))
            if len(line) > limit:
                return line
            # Most of it is blanks: folded each time, it would take quadratic time.
            enough = 2 * length
    return one_line("".join(pieces))
