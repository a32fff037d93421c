"""Untrusted text → plain text on one line: what titles, names and excerpts are made of.

Plain is not safe: it may hold anything a keyboard can type, `<` and `&` included, and is escaped
where it is written. What it cannot hold is line ends, control characters, and characters that turn
the reading direction of what follows them.
"""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
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
_CHUNK = 4096
_HIDDEN = frozenset({"script", "style", "template"})
_INLINE = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q rp rt ruby s samp"
    " script small span strike strong style sub sup template time tt u var wbr"
)
JOINING = frozenset(_INLINE.split())
"""A tag of these joins what stands on its sides; any other parts it."""


def plain(text: Text, limit: int | None = None) -> str:
    """The words of a text: tags dropped, references decoded once, blanks folded.

    The content of script, style and template is dropped with its tags. With `limit`, only as much
    is read as it takes to give that many characters, and a text that is longer ends in an ellipsis
    at the end of a word.
    """
    # By its value: on this level of the map, a noun is known by type alone.
    if text.kind.value == "text":
        words = text.value
    elif "<" in text.value:
        words = _words(_readable(text.value), limit)
    else:
        words = decoded(text.value)
    line = one_line(words)
    return line if limit is None else shortened(line, limit)


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
    for found in _ADDRESS.finditer(words):
        address = found[0].rstrip(_TRAILING)
        while address.endswith(")") and address.count(")") > address.count("("):
            address = address[:-1].rstrip(_TRAILING)
        yield words[end : found.start()], address
        end = found.start() + len(address)
    yield words[end:], ""


def _readable(html: str) -> str:
    return _ENDLESS_NUMBER.sub("\ufffd", html) if "&#" in html else html


def _words(html: str, limit: int | None) -> str:
    reader = _Words()
    start = 0
    # Blanks are folded later, so count generously.
    while start < len(html) and (limit is None or reader.length <= 4 * limit):
        # A tag that is not finished yet is read again from its start with each chunk, so chunks
        # have to grow with it: of equal size, they take quadratic time over a tag without end.
        end = start + max(_CHUNK, len(reader.rawdata))
        reader.feed(html[start:end])
        start = end
    # Never `close`: it reads such a tag again from each of its characters, quadratic again. The
    # blank makes the parser give up waiting for the end of a reference.
    reader.feed(" ")
    return "".join(reader.pieces)


class _Words(HTMLParser):
    """Collects the text of a document, and blanks where blocks meet."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.length = 0
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        self._part(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        self._part(tag)

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        # By HTML §13.2.5.42 `<![` begins a comment; the inherited method raises AssertionError.
        return self.parse_bogus_comment(i, report)

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(data)
            self.length += len(data)

    def _part(self, tag: str) -> None:
        if tag not in JOINING and not self._hidden:
            self.pieces.append(" ")
