"""The bytes of an answer → its body: unpacked, within its limits, and worth keeping."""

from __future__ import annotations

import re
import zlib
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING

from planet.errors import FetchError, StateError
from planet.http.exchange import CHUNK, MAX_CODINGS, MAX_MEMBERS, SMALL

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator


_BLANKS = b"\xef\xbb\xbf\xfe\xff\0 \t\r\n"
_EDGE = 1024
_BLANK = re.compile(rb"[%b]*" % _BLANKS)
# A page begins with its root, a feed may have much before it, a page among that.
_PAGE = re.compile(
    rb"[%b]*+(?>(?:<!--.*?-->|<\?.*?\?>)\s*)*+<(?:!doctype\s+html|html)\b" % _BLANKS,
    re.IGNORECASE | re.DOTALL,
)
_ROOT = re.compile(rb"<((?:[a-z_][\w.-]*:)?(?:rss|feed|rdf))(?=[\s/>])", re.IGNORECASE)


_GZIP_MAGIC = b"\x1f\x8b"
_GZIP = frozenset({"gzip", "x-gzip"})
# Servers declare charsets and nonsense here; such a body comes as it is.
_NOT_CODINGS = frozenset({"", "identity", "none", "utf-8", "utf8", "iso-8859-1", "binary"})
# Bodies in these could be anything; every other unknown name is nonsense if what comes is text.
_NOT_ASKED_FOR = frozenset({"br", "zstd", "compress"})
_BEFORE_TEXT = b"\xef\xbb\xbf\xfe\xff\0 \t\r\n"
_ZLIB, _RAW_DEFLATE, _AUTO_GZIP = 15, -15, 31
_PEEK = 1024


def decode(wire: Iterable[bytes], content_encoding: str, *, limit: int) -> Iterator[bytes]:
    """The body behind its content codings (RFC 9110 §8.4), at most `limit` bytes in all.

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
    pieces = _Pieces(wire)
    if not codings and pieces.peek(_PEEK).startswith(_GZIP_MAGIC):
        codings = ["gzip"]
    for coding in reversed(codings):
        pieces = _Pieces(_limited(_undone(coding, pieces), limit))
    return _limited(pieces, limit)


def too_large(limit: int) -> FetchError:
    """The failure of a body that is over `limit` bytes."""
    return FetchError(
        "too_large",
        f"the answer is larger than {limit / 1048576:.3g} MiB; "
        "raise fetch.max_size for this feed if it is meant to be",
    )


class _Pieces:
    """Pieces of a body, of which the first bytes can be looked at before they are taken."""

    def __init__(self, source: Iterable[bytes]) -> None:
        self._source = iter(source)
        self._ahead = b""

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._ahead:
            piece, self._ahead = self._ahead, b""
            return piece
        return next(self._source)

    def peek(self, count: int) -> bytes:
        """At least so many of the bytes to come, unless there are fewer."""
        while len(self._ahead) < count:
            piece = next(self._source, None)
            if piece is None:
                break
            self._ahead += piece
        return self._ahead

    def put_back(self, piece: bytes) -> None:
        """Have it come again."""
        self._ahead = piece + self._ahead


def _limited(pieces: Iterable[bytes], limit: int) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > limit:
            raise too_large(limit)
        yield piece


def _undone(coding: str, pieces: _Pieces) -> Iterable[bytes]:
    head = pieces.peek(_PEEK)
    if coding == "deflate":
        return _inflated(pieces, _ZLIB if _is_zlib(head) else _RAW_DEFLATE)
    if coding in _GZIP and head.startswith(_GZIP_MAGIC):
        return _members(pieces)
    if coding in _GZIP and not head:
        return pieces
    if coding not in _NOT_ASKED_FOR and head[:_PEEK].lstrip(_BEFORE_TEXT).startswith((b"<", b"{")):
        return pieces  # packed by its word only
    if coding in _GZIP:
        raise FetchError("bad_coding", "the answer is not packed as it says")
    raise FetchError(
        "bad_coding", f"the answer is packed as {coding[:20]!r}, which nobody asked for"
    )


def _is_zlib(head: bytes) -> bool:
    """Whether it begins as RFC 1950 has it: that is meant by deflate (RFC 9110 §8.4.1.2).

    Some servers send the raw stream.
    """
    return len(head) > 1 and head[0] & 15 == 8 and int.from_bytes(head[:2]) % 31 == 0


def _members(pieces: _Pieces) -> Iterator[bytes]:
    """All members of a gzip stream; padding and junk behind the first one is ignored."""
    for _ in range(MAX_MEMBERS):
        pieces.put_back((yield from _inflated(pieces, _AUTO_GZIP)))
        if not pieces.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC):
            return
    raise FetchError("bad_coding", f"the answer is packed in more than {MAX_MEMBERS} pieces")


def _inflated(pieces: Iterable[bytes], wbits: int) -> Generator[bytes, None, bytes]:
    """One stream's content; returns what follows it in the piece it ends in."""
    stream = zlib.decompressobj(wbits)
    for piece in pieces:
        waiting, full = piece, True
        while waiting or full:
            try:
                content = stream.decompress(waiting, CHUNK)
            except zlib.error as error:
                raise FetchError("bad_coding", f"the packed answer is damaged ({error})") from error
            yield content
            if stream.eof:
                return stream.unused_data
            # When as much came as was asked for, there may be more without any more input.
            waiting, full = stream.unconsumed_tail, len(content) == CHUNK
    raise FetchError("truncated", "the packed answer ends in the middle")


class Collected:
    """What has come of a body so far, all but a little of it on disk.

    So a server that sends much and then nothing holds no memory. `collecting` makes one.
    """

    def __init__(self, file: SpooledTemporaryFile[bytes]) -> None:
        self._file = file
        self.size = 0

    def add(self, chunk: bytes) -> None:
        """Append what came.

        Raises:
            StateError: the folder for temporary files is full, or cannot be written.
        """
        try:
            self._file.write(chunk)
        except OSError as error:
            raise StateError(f"no temporary file can be written: {error}") from error
        self.size += len(chunk)

    def body(self, content_encoding: str, *, limit: int, take_slot: Callable[[], None]) -> bytes:
        """The decoded body, at most `limit` bytes; `take_slot` waits before a large one is loaded.

        Raises:
            FetchError: as `decode`.
        """
        with collecting() as decoded:
            for piece in decode(self._pieces(), content_encoding, limit=limit):
                decoded.add(piece)
            if decoded.size > SMALL:
                take_slot()
            return decoded._whole()

    def _pieces(self) -> Iterator[bytes]:
        self._file.seek(0)
        while piece := self._file.read(CHUNK):
            yield piece

    def _whole(self) -> bytes:
        self._file.seek(0)
        return self._file.read()


@contextmanager
def collecting() -> Iterator[Collected]:
    """A body that is about to come."""
    with SpooledTemporaryFile(max_size=SMALL) as file:
        yield Collected(file)


def check_body(body: bytes, *, pages: bool) -> None:
    """See whether a decoded body may be kept in place of the one before it.

    `pages` says whether a web page may be the feed.

    Raises:
        FetchError: it is blank, or a web page where a feed was: whoever put that there, what is
            known of the feed still holds.
    """
    if _BLANK.fullmatch(body):
        raise FetchError("empty", "the answer is empty")
    if not pages and _PAGE.match(body) and not _ROOT.search(body):
        raise FetchError("not_a_feed", "this is a web page, not a feed")


def breaks_off(body: bytes) -> bool:
    """Whether a document has a beginning and no end."""
    root = _ROOT.search(body)
    if root is not None:
        # Its last character is lost more often than its last word.
        return body.rfind(b"</" + root[1]) < root.end()
    is_json = body[:_EDGE].lstrip(_BLANKS).startswith(b"{")
    return is_json and not body[-_EDGE:].rstrip(_BLANKS).endswith(b"}")
