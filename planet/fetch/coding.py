"""Content codings undone, with bounded output: bytes from the wire → the body. Pure."""

from __future__ import annotations

import zlib

from planet.errors import FetchError
from planet.fetch.limits import MAX_CODINGS

_GZIP_MAGIC = b"\x1f\x8b"
_GZIP = frozenset({"gzip", "x-gzip"})
# Servers declare charsets and nonsense here; such a body comes as it is.
_NOT_CODINGS = frozenset({"", "identity", "none", "utf-8", "utf8", "iso-8859-1", "binary"})
# Bodies in these could be anything; every other unknown name is nonsense if what comes is text.
_NOT_ASKED_FOR = frozenset({"br", "zstd", "compress"})
_BEFORE_TEXT = b"\xef\xbb\xbf\xfe\xff\0 \t\r\n"
_AUTO_ZLIB, _RAW_DEFLATE, _AUTO_GZIP = 15, -15, 31


def decode(wire: bytes, content_encoding: str, *, limit: int) -> bytes:
    """The body behind its content codings (RFC 9110 §8.4), at most `limit` bytes long.

    A gzip body that is declared but plain, or plain but gzip, is taken for what it is, and so is
    XML or JSON in a coding of no standard.

    Raises:
        FetchError: the body is incomplete, damaged, too large, or in a coding not asked for.
    """
    codings = [
        coding
        for name in content_encoding.split(",")
        if (coding := name.strip().lower()) not in _NOT_CODINGS
    ]
    if len(codings) > MAX_CODINGS:
        raise FetchError("bad_coding", "the answer is packed more than twice over")
    if not codings and wire.startswith(_GZIP_MAGIC):
        codings = ["gzip"]
    body = wire
    for coding in reversed(codings):
        body = _undo(coding, body, limit)
    if len(body) > limit:
        raise too_large(limit)
    return body


def too_large(limit: int) -> FetchError:
    """The failure of a body that is over `limit` bytes."""
    return FetchError(
        "too_large",
        f"the answer is larger than {limit / 1048576:.3g} MiB; "
        "raise fetch.max_size for this feed if it is meant to be",
    )


def _undo(coding: str, data: bytes, limit: int) -> bytes:
    if coding in _GZIP:
        return _members(data, limit) if data.startswith(_GZIP_MAGIC) else data
    if coding == "deflate":
        # RFC 9110 §8.4.1.2 means zlib; some servers send the raw stream.
        try:
            return _inflate(data, _AUTO_ZLIB, limit)[0]
        except zlib.error:
            return _members(data, limit, wbits=_RAW_DEFLATE)
    if coding not in _NOT_ASKED_FOR and _is_text(data):
        return data
    raise FetchError(
        "bad_coding", f"the answer is packed as {coding[:20]!r}, which nobody asked for"
    )


def _is_text(data: bytes) -> bool:
    """Whether it begins as XML, HTML or a JSON object does, after byte order mark and blanks."""
    return data[:1024].lstrip(_BEFORE_TEXT).startswith((b"<", b"{"))


def _members(data: bytes, limit: int, wbits: int = _AUTO_GZIP) -> bytes:
    """All members of a gzip stream; padding and junk behind the first one is ignored."""
    parts: list[bytes] = []
    total = 0
    while True:
        try:
            part, data = _inflate(data, wbits, limit - total)
        except zlib.error as error:
            raise FetchError("bad_coding", f"the packed answer is damaged ({error})") from error
        parts.append(part)
        total += len(part)
        if not data.startswith(_GZIP_MAGIC):
            return b"".join(parts)


def _inflate(data: bytes, wbits: int, limit: int) -> tuple[bytes, bytes]:
    """One stream's content and what follows it.

    Raises:
        FetchError: the stream ends early or grows over `limit`.
        zlib.error: it is not such a stream.
    """
    stream = zlib.decompressobj(wbits)
    content = stream.decompress(data, limit + 1)
    if len(content) > limit:
        raise too_large(limit)
    if not stream.eof:
        raise FetchError("truncated", "the packed answer ends in the middle")
    return content, stream.unused_data
