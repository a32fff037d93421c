"""Untrusted text → plain text on one line, for titles, names and excerpts.

Plain is not safe: plain text may hold anything a keyboard can type, `<` and `&` included, and is
escaped where it is written. Line ends, control characters, and characters that turn the reading
direction are gone.
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
    rf"|(script|style|template|annotation(?:-xml)?){_REST}.*?(?:</\1{_REST}|\Z)"
    rf"|/?([a-z][^\s/>]*+){_REST})",
    re.ASCII | re.DOTALL | re.IGNORECASE,
)
_INLINE = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q rp rt ruby s samp"
    " script small span strike strong style sub sup template time tt u var wbr"
    # Formulas are read on one line.
    " annotation annotation-xml math mfrac mi mn mo mrow ms msqrt mstyle msub msubsup msup mtext"
    " semantics"
)
# In line with what stands before, 10 to the power of six would be 106.
_SUPERSCRIPT = re.compile(r"<sup\b[^<>]*>([0-9+-]{1,9})</sup>")
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
# How the characters beside are read aloud, which in line with them would double each word.
_RUBY = re.compile(r"<r([pt])\b[^<>]*>[^<]*</r\1>")
_JOINING = frozenset(_INLINE.split())
"""A tag of these joins what stands on its sides; any other parts it."""


def plain(text: Text, limit: int = sys.maxsize) -> str:
    """Return the words of a text on one line, without tags, and with references decoded once.

    The content of script, style, template and annotation is dropped with the tags. A text longer
    than `limit` ends in an ellipsis at the end of a word, and is read no further.
    """
    # By its value: on this level of the map, a noun is known by type alone.
    if text.kind.value == "text":
        line = one_line(text.value)
    elif "<" in text.value:
        pieces, length = [], 0
        for piece in split_texts(_write_annotations(_readable(text.value))):
            pieces.append(piece or " ")
            length += sum(map(len, piece.split()))
            if length > limit:
                break
        line = one_line("".join(pieces))
    else:
        line = one_line(decode_references(text.value))
    return shorten(line, limit)


def decode_references(words: str) -> str:
    """Decode the character references in a text once (HTML §13.5)."""
    return unescape(_readable(words)) if "&" in words else words


# A name without its semicolon is a parameter of an address: `?a=1&copy=2`.
_PARAMETER = re.compile(r"&(?=[A-Za-z][A-Za-z0-9]*+(?!;))")


def decode_attribute(written: str) -> str:
    """Decode the references in the value of an attribute once (HTML §13.2.5.73).

    Names without a semicolon stay as they are.
    """
    return decode_references(_PARAMETER.sub("&amp;", written)) if "&" in written else written


def one_line(words: str) -> str:
    """Fold plain text into one line, safe to print."""
    line = " ".join(words.split())
    return line if line.isprintable() else _UNPRINTABLE.sub("", line).strip()


def shorten(line: str, limit: int) -> str:
    """Return the line, or as many words as fit `limit` characters with an ellipsis."""
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    head, blank, _ = cut.rpartition(" ")
    # A text without blanks (Chinese, Japanese, an address) is cut between characters.
    return (head if blank and len(head) > limit // 2 else cut) + "…"


def split_at_addresses(words: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of the text before a web address and the address, which is empty in the last.

    Punctuation behind an address, and the end of a bracket opened before, are no part of one.
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


def split_texts(html: str) -> Iterator[str]:
    """Yield the texts of untrusted HTML, decoded, with an empty one where blocks meet."""
    end = 0
    for markup in _MARKUP.finditer(html):
        start, after = markup.span()
        if start > end:
            yield decode_references(html[end:start])
        if (name := markup[1] or markup[2]) and name.lower() not in _JOINING:
            yield ""
        end = after
    yield decode_references(html[end:])


def _write_annotations(html: str) -> str:
    """Write superscript numbers as the signs for these, and leave the readings of ruby out."""
    raised = _SUPERSCRIPT.sub(lambda match: match[1].translate(_RAISED), html)
    return _RUBY.sub("", raised)


# Nearly all languages have two or three letters; one with four or more has never been registered
# (RFC 5646 §2.2.1), so `english` is none.
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8})*", re.ASCII | re.IGNORECASE)


def language_tag(text: str | None) -> str | None:
    """Return a language tag in the form of RFC 5646 §2.1, or None; `en_US` is taken for `en-US`."""
    tag = (text or "").strip().replace("_", "-")
    return tag if _LANGUAGE.fullmatch(tag) else None
