"""The bytes of an answer → its body: unpacked, and within its limits."""

from __future__ import annotations

import re
import zlib

from planet.errors import FetchError

_BLANKS = b"\xef\xbb\xbf\xfe\xff\0 \t\r\n"
_BLANK = re.compile(rb"[%b]*" % _BLANKS)
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP = frozenset({"gzip", "x-gzip"})
# Servers declare charsets and nonsense here; such a body comes as it is.
_NOT_CODINGS = frozenset({"", "identity", "none", "utf-8", "utf8", "iso-8859-1", "binary"})
# Bodies in these could be anything; every other unknown name is nonsense if what comes is text.
_NOT_ASKED_FOR = frozenset({"br", "zstd", "compress"})
_ZLIB, _RAW_DEFLATE, _AUTO_GZIP = 15, -15, 31
_MAX_CODINGS = 2
"""Stacked content codings that are undone; more is an attack."""
_MAX_MEMBERS = 500
"""Members of a gzip body. Block-wise packers make one for every 64 KiB; more is an attack."""


def unpack(body: bytes, content_encoding: str, *, limit: int) -> bytes:
    """Undo the content codings of a body (RFC 9110 §8.4), to at most `limit` bytes.

    A body that is declared as gzip and plain, or the other way round, is taken for what it is, and
    so is XML or JSON in an unknown coding.

    Raises:
        FetchError: the body is incomplete, damaged, too large, or in a coding not asked for.
    """
    names = (name.strip().lower() for name in content_encoding.split(","))
    codings = [name for name in names if name not in _NOT_CODINGS]
    if len(codings) > _MAX_CODINGS:
        raise FetchError("bad_coding", "the answer is packed more than twice over")
    if not codings and body.startswith(_GZIP_MAGIC):
        codings = ["gzip"]
    for coding in reversed(codings):
        body = _decode(coding, body, limit)
    if len(body) > limit:
        raise make_too_large_error(limit)
    return body


def make_too_large_error(limit: int) -> FetchError:
    """Make the error for a body of more than `limit` bytes."""
    return FetchError(
        "too_large",
        f"the answer is larger than {limit / 1048576:.3g} MiB; "
        "raise fetch.max_size for this feed if it is meant to be",
    )


def is_blank(body: bytes) -> bool:
    """Return whether there is nothing in a body but blanks and byte order marks."""
    return _BLANK.fullmatch(body) is not None


def _decode(coding: str, body: bytes, limit: int) -> bytes:
    if coding == "deflate":
        return _inflate(body, _ZLIB if _is_zlib(body) else _RAW_DEFLATE, limit)[0]
    if coding in _GZIP and body.startswith(_GZIP_MAGIC):
        return _inflate_members(body, limit)
    is_text = coding not in _NOT_ASKED_FOR and body.lstrip(_BLANKS).startswith((b"<", b"{"))
    if is_text or (coding in _GZIP and not body):
        return body  # packed by its word only
    if coding in _GZIP:
        raise FetchError("bad_coding", "the answer is not packed as it says")
    raise FetchError(
        "bad_coding", f"the answer is packed as {coding[:20]!r}, which nobody asked for"
    )


def _is_zlib(body: bytes) -> bool:
    """Return whether a deflate body has the head of RFC 1950, as RFC 9110 §8.4.1.2 demands.

    Some servers send the raw stream.
    """
    return len(body) > 1 and body[0] & 15 == 8 and int.from_bytes(body[:2]) % 31 == 0


def _inflate_members(body: bytes, limit: int) -> bytes:
    """Return the content of all members of a gzip stream; ignore junk after the first."""
    contents: list[bytes] = []
    left = limit
    for _ in range(_MAX_MEMBERS):
        content, body = _inflate(body, _AUTO_GZIP, left)
        contents.append(content)
        left -= len(content)
        if not body.startswith(_GZIP_MAGIC):
            return b"".join(contents)
    raise FetchError("bad_coding", f"the answer is packed in more than {_MAX_MEMBERS} pieces")


def _inflate(body: bytes, wbits: int, limit: int) -> tuple[bytes, bytes]:
    """Return the content of one stream, and what follows it."""
    stream = zlib.decompressobj(wbits)
    try:
        content = stream.decompress(body, limit + 1)
    except zlib.error as error:
        raise FetchError("bad_coding", f"the packed answer is damaged ({error})") from error
    if len(content) > limit:
        raise make_too_large_error(limit)
    if not stream.eof:
        raise FetchError("truncated", "the packed answer ends in the middle")
    return content, stream.unused_data
