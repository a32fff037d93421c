"""What keeps a document from being well-formed XML and can be mended without parsing it.

Worth the while, because feedparser reads what is not well-formed with a parser for HTML of the
nineties: twice as slowly, and with losses.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# XML 1.0 §2.2: these are no characters, literally or by number. Nobody misses them.
_CONTROLS = bytes(byte for byte in range(0x20) if byte not in b"\t\n\r")
_NON_CHARACTERS = re.compile(b"\xef\xbf[\xbe\xbf]")
_BY_NUMBER = re.compile(rb"&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?")
_PREFIX = re.compile(rb"<([a-z]+):")
# RSS has no namespace; who gives it the prefix of one anyhow declares none.
_RSS_PREFIX = re.compile(rb"(</?|\s)rss:(?=[a-zA-Z])")
_BARE_AMPERSAND = re.compile(rb"&(?!(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z_][\w.-]*);)")
_ROOT_NAME = re.compile(rb"<[^\s/>]+")
# The modules that feeds use without declaring them, by their customary prefix.
_NAMESPACES = {
    b"atom": b"http://www.w3.org/2005/Atom",
    b"content": b"http://purl.org/rss/1.0/modules/content/",
    b"dc": b"http://purl.org/dc/elements/1.1/",
    b"feedburner": b"http://rssnamespace.org/feedburner/ext/1.0",
    b"itunes": b"http://www.itunes.com/dtds/podcast-1.0.dtd",
    b"media": b"http://search.yahoo.com/mrss/",
    b"podcast": b"https://podcastindex.org/namespace/1.0",
    b"slash": b"http://purl.org/rss/1.0/modules/slash/",
    b"sy": b"http://purl.org/rss/1.0/modules/syndication/",
    b"thr": b"http://purl.org/syndication/thread/1.0",
    b"wfw": b"http://wellformedweb.org/CommentAPI/",
}


def repaired(document: bytes) -> bytes:
    """A document in UTF-8 that begins with its root element, without what XML forbids."""
    document = _NON_CHARACTERS.sub(b"", document.translate(None, _CONTROLS))
    if b"&#" in document:
        document = _BY_NUMBER.sub(_if_character, document)
    if _BARE_AMPERSAND.search(document):
        document = b"".join(_with_ampersands(document))
    if b"<rss:" in document and b"xmlns:rss" not in document:
        document = _RSS_PREFIX.sub(rb"\1", document)
    missing = b"".join(
        b' xmlns:%b="%b"' % (prefix, _NAMESPACES[prefix])
        for prefix in sorted(_NAMESPACES.keys() & _PREFIX.findall(document))
        if b"xmlns:%b" % prefix not in document
    )
    return _ROOT_NAME.sub(rb"\g<0>" + missing, document, count=1) if missing else document


def _with_ampersands(document: bytes) -> Iterator[bytes]:
    """The document with each ampersand escaped that begins no reference and is in no CDATA."""
    end = 0
    while (start := document.find(b"<![CDATA[", end)) >= 0:
        yield _BARE_AMPERSAND.sub(b"&amp;", document[end:start])
        end = document.find(b"]]>", start)
        end = len(document) if end < 0 else end
        yield document[start:end]
    yield _BARE_AMPERSAND.sub(b"&amp;", document[end:])


def _if_character(reference: re.Match[bytes]) -> bytes:
    digits, base = (reference[1], 16) if reference[1] else (reference[2], 10)
    number = int(digits, base) if len(digits) < 10 else 0
    valid = number in (9, 10, 13) or 32 <= number < 0xD800 or 0xE000 <= number < 0xFFFE
    return reference[0] if valid or 0x10000 <= number < 0x110000 else b""
