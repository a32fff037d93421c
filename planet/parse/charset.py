"""A body → its text, in whatever encoding it came.

What a server and a document say of their encoding is often wrong, and what the bytes say seldom
is: bytes beyond ASCII that are valid UTF-8 are UTF-8. Then come, in the order of RFC 7303 §3, the
byte order mark, the charset of the Content-Type, and the XML declaration; what says nothing is
UTF-8. No bytes are refused: those that stay undecodable become U+FFFD.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# XML 1.0, appendix F: how "<" and "<?xm" begin where there is no mark.
_BEGINNINGS = (
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
    (b"\x4c\x6f\xa7\x94", "cp037"),
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_DECLARATION = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']\s*([\w.:-]+)")
_GOOD = re.compile("[^\0-\x7f\ufffd]")
# What pages so labelled hold in fact (WHATWG Encoding, §4.2): the label's superset.
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    # Whatever is asked for these by now begins like text of one byte a character.
    "utf-16": "utf-8",
    "utf-16-be": "utf-8",
    "utf-16-le": "utf-8",
    "utf-32": "utf-8",
    "utf-32-be": "utf-8",
    "utf-32-le": "utf-8",
    "utf-8-sig": "utf-8",
}
# Python's own codecs, which no document is written in; some of them raise what they please.
_NOT_CHARSETS = re.compile("idna|mbcs|oem|palmos|punycode|undefined|(raw-)?unicode-escape|utf-7")


def decoded(body: bytes, content_type: str | None = None) -> tuple[str, tuple[str, ...]]:
    """The text of a body without byte order mark, and what was odd about it, in words."""
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return _damaged(body[len(mark) :], encoding)
    for beginning, encoding in _BEGINNINGS:
        if body.startswith(beginning):
            return _damaged(body, encoding)
    labels = list(_labels(body, content_type))
    if not body.isascii() or not labels:
        try:
            return body.decode(), ()
        except UnicodeDecodeError:
            pass
    for label in labels:
        try:
            return body.decode(label), ()
        except UnicodeDecodeError:
            pass
    return _guessed(body, next((label for label in labels if label != "utf-8"), None))


def _labels(body: bytes, content_type: str | None) -> Iterator[str]:
    """The encodings that server and document name, as far as they are any."""
    said = _CHARSET.search(content_type or "")
    if said and (encoding := _known(said[1])):
        yield encoding
    declared = _DECLARATION.search(body[:1024])
    if declared and (encoding := _known(declared[1].decode("ascii", "replace"))):
        yield encoding


def _known(label: str) -> str | None:
    try:
        found = codecs.lookup(label)
    except (LookupError, ValueError):
        return None
    # "hex" and "zlib" are codecs, too; only this attribute of theirs tells.
    is_text = getattr(found, "_is_text_encoding", True)
    if not is_text or _NOT_CHARSETS.fullmatch(found.name.replace("_", "-")):
        return None
    return _MEANT.get(found.name, found.name)


def _damaged(body: bytes, encoding: str) -> tuple[str, tuple[str, ...]]:
    text = body.decode(encoding, "replace").removeprefix("\ufeff")
    return text, _notes(text, encoding)


def _guessed(body: bytes, label: str | None) -> tuple[str, tuple[str, ...]]:
    """The text of bytes that are neither UTF-8 nor what they are said to be."""
    if label:
        return _damaged(body, label)
    text = body.decode("utf-8", "replace")
    # Few bad bytes among good ones are UTF-8 that was cut or patched; mostly bad ones are not
    # UTF-8 at all, and then most often the old western encoding.
    if text.count("\ufffd") > len(_GOOD.findall(text)):
        return _damaged(body, "cp1252")
    return text, _notes(text, "utf-8")


def _notes(text: str, encoding: str) -> tuple[str, ...]:
    count = text.count("\ufffd")
    return (f"{count} characters could not be decoded as {encoding}",) if count else ()
