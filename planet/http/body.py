"""The bytes of an answer → the body, unpacked and within limits."""

from __future__ import annotations

import zlib

from planet.errors import FetchError

BLANKS = b"\xef\xbb\xbf\xfe\xff\0 \t\r\n"
"""The bytes of blanks and byte order marks."""
_GZIP_MAGIC = b"\x1f\x8b"
# Servers declare charsets and nonsense here; such a body comes as it is.
_NOT_CODINGS = frozenset({"", "identity", "none", "utf-8", "utf8", "iso-8859-1", "binary"})
_ZLIB, _RAW_DEFLATE, _AUTO_GZIP = 15, -15, 31
_MAX_CODINGS = 2
"""Stacked content codings to undo; more is an attack."""
_MAX_MEMBERS = 500
"""Members of a gzip body. Block-wise packers make one for every 64 KiB; more is an attack."""


def unpack(body: bytes, content_encoding: str, *, limit: int) -> bytes:
    """Undo the content codings of a body (RFC 9110 §8.4), to at most `limit` bytes.

    Take a body for its bytes where the header disagrees: plain text declared as gzip, gzip without
    a header, XML or JSON in an unknown coding.

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
        if coding == "deflate":
            # RFC 9110 §8.4.1.2 demands the head of RFC 1950; some servers send the raw stream.
            is_zlib = body[:1] and body[0] & 15 == 8 and int.from_bytes(body[:2]) % 31 == 0
            body = _inflate(body, _ZLIB if is_zlib else _RAW_DEFLATE, limit)
        elif coding in ("gzip", "x-gzip") and body.startswith(_GZIP_MAGIC):
            body = _inflate(body, _AUTO_GZIP, limit)
        # Others may be packed by their word only.
        elif body and not body.lstrip(BLANKS).startswith((b"<", b"{")):
            words = f"the answer is not packed as gzip, but as {coding[:20]!r}"
            raise FetchError("bad_coding", words)
    if len(body) > limit:
        raise make_too_large_error(limit)
    return body


def make_too_large_error(limit: int) -> FetchError:
    """Make the error for a body of more than `limit` bytes."""
    words = (
        f"the answer is larger than {limit / 1048576:.3g} MiB, and fetch.max_size allows no more"
    )
    return FetchError("too_large", words)


def _inflate(packed: bytes, wbits: int, limit: int) -> bytes:
    """Return the content of all members of a stream; ignore junk after the first."""
    contents, left = [], limit
    for _ in range(_MAX_MEMBERS):
        stream = zlib.decompressobj(wbits)
        try:
            contents.append(stream.decompress(packed, left + 1))
        except zlib.error as error:
            raise FetchError("bad_coding", f"the packed answer is damaged ({error})") from error
        left -= len(contents[-1])
        if left < 0:
            raise make_too_large_error(limit)
        if not stream.eof:
            raise FetchError("truncated", "the packed answer ends in the middle")
        packed = stream.unused_data
        if wbits != _AUTO_GZIP or not packed.startswith(_GZIP_MAGIC):
            return b"".join(contents)
    raise FetchError("bad_coding", f"the answer is packed in more than {_MAX_MEMBERS} pieces")
