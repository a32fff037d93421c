"""A digest → plain text for mail, 72 columns wide."""

from __future__ import annotations

import unicodedata
from itertools import chain
from typing import TYPE_CHECKING

from planet.site.feeds import atom

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.model import Digest, DigestItem, DigestSection
    from planet.site.feeds.channel import Channel


_WIDTH = 72


def write(channel: Channel, digest: Digest, planet: str) -> bytes:
    """The text in UTF-8, from a planet of this name.

    Its first line does for a subject, and a blank line follows.

    Links are never wrapped, and each has a line of its own. No line begins with "From ", by which
    mailboxes part messages, or is a lone ".", which ends one (RFC 5321 §4.5.2).
    """
    lines = (_harmless(line) for line in _lines(channel, digest, planet))
    # "ignore" drops lone surrogates, the only code points UTF-8 cannot hold.
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "ignore")


def _lines(channel: Channel, digest: Digest, planet: str) -> Iterator[str]:
    yield " ".join(f"{planet}: {atom.title(channel, digest)}".split())
    page = atom.page(channel, digest)
    if page is not None:
        yield from ("", page)
    for section in digest.sections:
        yield from ("", "", *_heading(section))
        for item in section.items:
            yield from ("", *_item(item))


def _heading(section: DigestSection) -> Iterator[str]:
    lines = _wrapped(section.source)
    yield from lines
    # Not with dashes: two of them begin a signature.
    yield "=" * max(map(_columns, lines), default=0)
    if section.link:
        yield section.link


def _item(item: DigestItem) -> Iterator[str]:
    yield from _wrapped(item.heading)
    if item.link:
        yield item.link
    if item.summary:
        yield from _wrapped(item.summary)


def _wrapped(text: str) -> list[str]:
    """The text in lines of at most `_WIDTH` columns, but for addresses, which stay whole."""
    lines: list[str] = []
    room = 0
    for word in chain.from_iterable(map(_parts, text.split())):
        width = _columns(word)
        if lines and width < room:
            lines[-1] += f" {word}"
            room -= width + 1
        else:
            lines.append(word)
            room = _WIDTH - width
    return lines


def _parts(word: str) -> Iterator[str]:
    """A word in pieces that fit a line: not all languages have blanks between words."""
    if "://" in word or _columns(word) <= _WIDTH:
        yield word
        return
    start = width = 0
    for end, character in enumerate(word):
        width += _columns(character)
        if width > _WIDTH:
            yield word[start:end]
            start, width = end, _columns(character)
    yield word[start:]


def _columns(text: str) -> int:
    """How wide the text is on a terminal, near enough: Unicode Standard Annex 11."""
    return sum(
        0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in "WF")
        for each in text
    )


def _harmless(line: str) -> str:
    # A blank before it is what RFC 3676 §4.2 has for such lines.
    return f" {line}" if line == "." or line.startswith("From ") else line
