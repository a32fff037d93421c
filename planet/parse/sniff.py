"""A body → text, and the formats of feeds like it; which answers may have a feed, and are whole.

A Content-Type is wrong too often to be believed (feeds come as text/html, pages as rss+xml): only
readers of formats like the text are tried.
"""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from planet.errors import FetchError, ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.model import IncludeKind


class FeedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The input of a reader of a format."""

    text: str
    base: str | None
    """The address of the document, if that is one of the web."""
    include: frozenset[IncludeKind]
    """Posts of an account that are wanted besides the own ones."""


# Anywhere outside comments, because what should not precede it often does: warnings of PHP, a page
# around it. `channel` and `entry` stand for RSS without its root and for Atom entry documents.
_ROOT = re.compile(
    r"<!--|<((?:[a-z_][\w.-]*:)?(?:rss|feed|rdf|channel|entry))(?=[\s/>])", re.IGNORECASE
)
_PAGE = re.compile(r"<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_MICROFORMATS = re.compile(r"\b(?:h-entry|hentry)\b")
_HEAD = 4096


def make_not_a_feed_error(text: str) -> ParseError:
    """Make the error for a text in which no reader finds a feed."""
    if _PAGE.search(text[:_HEAD]):
        return ParseError("not_a_feed", "this is a web page, not a feed")
    return ParseError("not_a_feed", "this is neither RSS nor Atom nor JSON Feed")


def cut_out_feed(text: str) -> str:
    """Return the part of a text from the feed's start tag to the last end tag.

    Text before is dangerous: a document type declares external entities, and entities without end.
    Text behind (statistics, scripts) would make the XML ill-formed.
    """
    root = _find_root(text)
    start, name = (root.start(), root[1]) if root else (0, "")
    end = text.rfind(f"</{name}", start)
    # Whole in any case: the last character of a feed is lost more often than its last word.
    return f"{text[start:end]}</{name}>" if end > 0 else text[start:]


def cut_out_page(text: str) -> str:
    """Return the part of a text from the beginning of the web page."""
    page = _PAGE.search(text)
    return text[page.start() :] if page else text


def looks_like_xml(text: str) -> bool:
    """Return whether a text looks like RSS or Atom, or a part of one."""
    return _find_root(text) is not None


def _find_root(text: str) -> re.Match[str] | None:
    match = _ROOT.search(text)
    while match and not match[1]:
        end = text.find("-->", match.end())
        match = _ROOT.search(text, end) if end > 0 else None
    return match


def looks_like_page(text: str) -> bool:
    """Return whether a text looks like a web page with microformats."""
    page, root = _PAGE.search(text[:_HEAD]), _find_root(text)
    # A post in a feed may have a page for a text.
    is_first = page is not None and (root is None or page.start() < root.start())
    return is_first and _MICROFORMATS.search(text) is not None


_CHARSET = re.compile(r"charset\s*+=\s*+[\"']?+\s*+([\w.:-]+)", re.IGNORECASE)
_DECLARATION = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']\s*([\w.:-]+)")
_GOOD = re.compile("[^\0-\x7f\ufffd]")
# Where Python's codec is not what the Encoding Standard means: bytes in which a label was found are
# not UTF-16.
_INSTEAD = {"gbk": "gb18030", "utf-16le": "utf-8", "utf-16be": "utf-8"}
_NO_ENCODINGS = frozenset({"replacement", "x-user-defined"})


def decode_body(body: bytes, content_type: str | None = None) -> str:
    """Decode a body by the byte order mark, as UTF-8, or as server and document declare.

    Other bytes become U+FFFD.
    """
    if body.startswith(codecs.BOM_UTF8):
        return body.decode("utf-8-sig", "replace")
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", "replace")
    labels = list(_labels(body, content_type))
    # What is ASCII may be ISO-2022-JP, and what is UTF-8 is nothing else.
    for label in labels if body.isascii() and labels else ["utf-8", *labels]:
        with suppress(UnicodeDecodeError):
            return body.decode(label)
    likely = [label for label in labels if label != "utf-8"]
    text = body.decode(likely[0] if likely else "utf-8", "replace")
    # Few bad bytes among good ones are UTF-8 that was cut or patched; mostly bad ones are not
    # UTF-8 at all, and then most often the old western encoding.
    if not likely and text.count("\ufffd") > len(_GOOD.findall(text)):
        return body.decode("cp1252", "replace")
    return text


def _labels(body: bytes, content_type: str | None) -> Iterator[str]:
    """Yield Python's codecs for the encodings named by server and document, if there are any.

    Names mean the same as to browsers (WHATWG Encoding §4.2).
    """
    import webencodings  # a run in which nothing is new needs none

    declared = _DECLARATION.search(body[:1024])
    written = declared[1].decode("ascii", "replace") if declared else ""
    for label in (*_CHARSET.findall(content_type or "")[:1], written):
        encoding = webencodings.lookup(label)
        if encoding is not None and encoding.name not in _NO_ENCODINGS:
            yield _INSTEAD.get(encoding.name, encoding.codec_info.name)


# Answers, before they are read


_NO_FEEDS = ("image/", "video/", "audio/")
# Not octet-stream: servers that do not know feeds call them so.
_ARCHIVES = frozenset({"application/zip", "application/x-zip", "application/x-zip-compressed"})


class FeedAnswers:
    """The rules for answers with a feed (`planet.http.AnswerRules`)."""

    accept = (
        "application/atom+xml, application/rss+xml, application/feed+json, "
        "application/rdf+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5"
    )
    keeps_body = True

    def check_type(self, media_type: str) -> None:
        """See whether there may be a feed in an answer with this media type, in lower case.

        Raises:
            FetchError: there is none.
        """
        if media_type in _ARCHIVES or media_type.startswith(_NO_FEEDS):
            raise FetchError("not_a_feed", f"the server sends no feed, but {media_type[:40]!r}")

    def check_body(self, body: bytes, *, pages: bool) -> None:
        """See whether a body may be kept in place of the one before it.

        `pages` says whether a web page may be the feed.

        Raises:
            FetchError: a web page in the place of a feed, whose last entries stay.
        """
        text = body.decode("latin-1")
        if not pages and _PAGE.search(text[:_HEAD]) and not _find_root(text):
            raise FetchError("not_a_feed", "this is a web page, not a feed")

    def breaks_off(self, body: bytes) -> bool:
        """Return whether a document has a beginning and no end."""
        # Byte by byte, byte order marks among the blanks.
        text = body.decode("latin-1").strip("\xef\xbb\xbf\xfe\xff\0 \t\r\n")
        if text.startswith("{"):
            return not text.endswith("}")
        root = _find_root(text)
        # Its last character is lost more often than its last word.
        return root is not None and text.rfind(f"</{root[1]}") < root.end()
