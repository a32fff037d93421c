"""The bytes of an answer → its body: unpacked, and within its limits."""

from __future__ import annotations

import re
import zlib
from contextlib import ExitStack
from functools import partial
from io import SEEK_CUR
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING

from planet.errors import FetchError, StateError
from planet.http.limits import CHUNK, SMALL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_BLANKS = b"\xef\xbb\xbf\xfe\xff\0 \t\r\n"
_BLANK = re.compile(rb"[%b]*" % _BLANKS)
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP = frozenset({"gzip", "x-gzip"})
# Servers declare charsets and nonsense here; such a body comes as it is.
_NOT_CODINGS = frozenset({"", "identity", "none", "utf-8", "utf8", "iso-8859-1", "binary"})
# Bodies in these could be anything; every other unknown name is nonsense if what comes is text.
_NOT_ASKED_FOR = frozenset({"br", "zstd", "compress"})
_ZLIB, _RAW_DEFLATE, _AUTO_GZIP = 15, -15, 31
_PEEK = 1024
_MAX_CODINGS = 2
"""Stacked content codings that are undone; more is an attack."""
_MAX_MEMBERS = 500
"""Members of a gzip body. Block-wise packers make one for every 64 KiB; more is an attack."""


class Spool(SpooledTemporaryFile[bytes]):
    """Bytes of a body, all but a little of them on disk.

    So a server that sends much and then nothing holds no memory.
    """

    def __init__(self) -> None:
        super().__init__(max_size=SMALL)
        self.size = 0

    def add(self, piece: bytes, limit: int) -> None:
        """Append a piece of the body.

        Raises:
            FetchError: it is too much.
            StateError: the folder for temporary files is full, or cannot be written.
        """
        self.size += len(piece)
        if self.size > limit:
            raise make_too_large_error(limit)
        try:
            self.write(piece)
        except OSError as error:
            raise StateError(f"no temporary file can be written: {error}") from error

    def begin(self) -> bytes:
        """Go back to the first byte; return the first bytes without reading past them."""
        self.seek(0)
        head = self.read(_PEEK)
        self.seek(0)
        return head


def unpack(
    wire: Spool, content_encoding: str, *, limit: int, take_slot: Callable[[], None]
) -> bytes:
    """Undo the content codings of a body (RFC 9110 §8.4), to at most `limit` bytes.

    A body that is declared as gzip and plain, or the other way round, is taken for what it is, and
    so is XML or JSON in an unknown coding. `take_slot` waits before a large body is loaded.

    Raises:
        FetchError: the body is incomplete, damaged, too large, or in a coding not asked for.
    """
    codings = [
        coding
        for name in content_encoding.split(",")
        if (coding := name.strip().lower()) not in _NOT_CODINGS
    ]
    if len(codings) > _MAX_CODINGS:
        raise FetchError("bad_coding", "the answer is packed more than twice over")
    if not codings and wire.begin().startswith(_GZIP_MAGIC):
        codings = ["gzip"]
    with ExitStack() as stack:
        for coding in reversed(codings):
            content = stack.enter_context(Spool())
            for piece in _decode(coding, wire):
                content.add(piece, limit)
            wire = content
        if wire.size > limit:
            raise make_too_large_error(limit)
        if wire.size > SMALL:
            take_slot()
        wire.seek(0)
        return wire.read()


def make_too_large_error(limit: int) -> FetchError:
    """Make the error for a body of more than `limit` bytes."""
    return FetchError(
        "too_large",
        f"the answer is larger than {limit / 1048576:.3g} MiB; "
        "raise fetch.max_size for this feed if it is meant to be",
    )


def _decode(coding: str, spool: Spool) -> Iterator[bytes]:
    head = spool.begin()
    if coding == "deflate":
        return _inflate(spool, _ZLIB if _is_zlib(head) else _RAW_DEFLATE)
    if coding in _GZIP and head.startswith(_GZIP_MAGIC):
        return _inflate_members(spool)
    is_text = coding not in _NOT_ASKED_FOR and head.lstrip(_BLANKS).startswith((b"<", b"{"))
    if is_text or (coding in _GZIP and not head):
        return iter(partial(spool.read, CHUNK), b"")  # packed by its word only
    if coding in _GZIP:
        raise FetchError("bad_coding", "the answer is not packed as it says")
    raise FetchError(
        "bad_coding", f"the answer is packed as {coding[:20]!r}, which nobody asked for"
    )


def _is_zlib(head: bytes) -> bool:
    """Return whether a deflate body has the head of RFC 1950, as RFC 9110 §8.4.1.2 demands.

    Some servers send the raw stream.
    """
    return len(head) > 1 and head[0] & 15 == 8 and int.from_bytes(head[:2]) % 31 == 0


def _inflate_members(spool: Spool) -> Iterator[bytes]:
    """Yield the content of all members of a gzip stream; ignore junk after the first."""
    for _ in range(_MAX_MEMBERS):
        yield from _inflate(spool, _AUTO_GZIP)
        behind = spool.read(len(_GZIP_MAGIC))
        spool.seek(-len(behind), SEEK_CUR)
        if behind != _GZIP_MAGIC:
            return
    raise FetchError("bad_coding", f"the answer is packed in more than {_MAX_MEMBERS} pieces")


def _inflate(spool: Spool, wbits: int) -> Iterator[bytes]:
    """Yield the content of one stream, and leave what follows it to be read."""
    stream = zlib.decompressobj(wbits)
    while waiting := spool.read(CHUNK):
        full = True
        while waiting or full:
            try:
                content = stream.decompress(waiting, CHUNK)
            except zlib.error as error:
                raise FetchError("bad_coding", f"the packed answer is damaged ({error})") from error
            yield content
            if stream.eof:
                spool.seek(-len(stream.unused_data), SEEK_CUR)
                return
            # When as much came as was asked for, there may be more without any more input.
            waiting, full = stream.unconsumed_tail, len(content) == CHUNK
    raise FetchError("truncated", "the packed answer ends in the middle")


def is_blank(body: bytes) -> bool:
    """Return whether there is nothing in a body but blanks and byte order marks."""
    return _BLANK.fullmatch(body) is not None
