"""FeedRequest → Response: one exchange over a real connection, bounded in time and size."""

from __future__ import annotations

import contextlib
import ssl
import zlib
from contextlib import contextmanager
from functools import cached_property
from queue import Empty
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, cast

from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH

from planet.errors import FetchError, StateError
from planet.http.connections import Pool, TLSPool, busy, too_slow
from planet.http.exchange import (
    CHUNK,
    DECODED_FACTOR,
    MAX_CODINGS,
    MAX_MEMBERS,
    READS_IN_PASSING,
    SMALL,
    breaks_off,
    check,
    check_body,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from requests import PreparedRequest, Response
    from urllib3 import BaseHTTPResponse
    from urllib3.connectionpool import HTTPConnectionPool

    from planet.http.exchange import Exchange, FeedRequest, Place


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

    def body(self, content_encoding: str, *, limit: int, place: Place) -> bytes:
        """The decoded body, at most `limit` bytes; `place` is taken before a large one is loaded.

        Raises:
            FetchError: as `coding.decode`.
        """
        with collecting() as decoded:
            for piece in decode(self._pieces(), content_encoding, limit=limit):
                decoded.add(piece)
            if decoded.size > SMALL:
                place.take()
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


class BoundedAdapter(HTTPAdapter):
    """Connections that keep to their exchange; one TLS context for all hosts."""

    def __init__(self) -> None:
        # Pools are dropped by `forget`, when a host has been asked for all its feeds; never by
        # the pool manager, which would take a connection from a host that is still being asked.
        super().__init__(pool_connections=100_000, pool_maxsize=1)
        self.poolmanager.pool_classes_by_scheme = {"http": Pool, "https": TLSPool}

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # Reading the CA bundle costs ten times what a request does: once, not for every host.
        return ssl.create_default_context(cafile=DEFAULT_CA_BUNDLE_PATH)

    def build_connection_pool_key_attributes(
        self, request: PreparedRequest, verify: Any, cert: Any = None
    ) -> tuple[Any, Any]:
        """As requests does, but with the one TLS context in place of paths to load one from."""
        host: dict[str, Any]
        pool: dict[str, Any]
        host, pool = super().build_connection_pool_key_attributes(request, verify, cert)  # type: ignore[assignment]  # TypedDicts that requests does not export
        pool.pop("ca_certs", None)
        pool.pop("ca_cert_dir", None)
        if host["scheme"] == "https":
            pool["ssl_context"] = self._tls
        return host, pool

    def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:
        """Leave verification to the TLS context, which always verifies (R49)."""


class FeedAdapter(BoundedAdapter):
    """Sends `FeedRequest`s, one connection kept for each host."""

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        """Send it and read the whole answer; of any but a 200, status and headers only.

        Raises:
            FetchError: the answer is not a 200, a 304 or a redirect, or it is not what was asked
                for, too large, too slow, incomplete, or empty.
        """
        request = cast("FeedRequest", request)
        exchange = request.exchange
        with collecting() as collected:
            try:
                with busy(exchange.deadline, exchange.guard):
                    response = super().send(request, *args, **kwargs)
                    exchange.status = response.status_code
                    exchange.headers = response.headers
                    is_framed = response.raw.chunked or response.raw.length_remaining is not None
                    self._receive(response.raw, exchange, collected)
            except Exception as error:
                if exchange.deadline.passed:
                    raise too_slow() from error
                raise
            finally:
                exchange.is_over()
            if exchange.deadline.passed:
                # Shot within the headers, http.client takes what came for a complete answer.
                raise too_slow()
            response._content = _content(collected, exchange)
            # A connection that ends with its answer cannot tell whether that was the end of it.
            exchange.cut_off = not is_framed and breaks_off(response._content)
        return response

    def forget(self, host: str) -> None:
        """Close the idle connection to a host that will hardly be asked again in this run."""
        pools = self.poolmanager.pools
        # A urllib3 container can be listed, but not walked, while other threads use it.
        for key in list(pools.keys()):
            if f"{key.key_host}:{key.key_port}" == host:
                pool = pools[key]
                del pools[key]
                _close_idle(pool)

    def _receive(self, raw: BaseHTTPResponse, exchange: Exchange, collected: Collected) -> None:
        """Take the body off the wire if it is wanted.

        Raises:
            FetchError: the answer is of no use, by its head or its size.
        """
        if exchange.status != 200:
            self._pass_over(raw, exchange)
        try:
            check(exchange)
        except FetchError:
            raw.close()
            raise
        if exchange.status == 200:
            self._collect(raw, exchange, collected)

    def _collect(self, raw: BaseHTTPResponse, exchange: Exchange, collected: Collected) -> None:
        """The body as it is packed; the connection is closed when it cannot be had whole."""
        declared = raw.headers.get("Content-Length", "")
        try:
            if declared.isdecimal() and int(declared) > exchange.max_size:
                raise too_large(exchange.max_size)
            while chunk := raw.read1(CHUNK, decode_content=False):
                collected.add(chunk)
                exchange.bytes_received = collected.size
                if collected.size > exchange.max_size:
                    raise too_large(exchange.max_size)
                if exchange.deadline.remaining <= 0:
                    raise too_slow()
        except BaseException:
            raw.close()
            raise
        raw.release_conn()

    def _pass_over(self, raw: BaseHTTPResponse, exchange: Exchange) -> None:
        """Take a short body off the connection, which can then be used again, or close it.

        The status has said everything: how the body is packed, or ends, does not matter.
        """
        with contextlib.suppress(Exception):
            for _ in range(READS_IN_PASSING):
                part = raw.read1(CHUNK, decode_content=False)
                if not part:
                    raw.release_conn()
                    return
                exchange.bytes_received += len(part)
        raw.close()


def _content(collected: Collected, exchange: Exchange) -> bytes:
    """The decoded body of a 200; nothing for any other answer."""
    if exchange.status != 200:
        return b""
    content = collected.body(
        exchange.headers.get("Content-Encoding", ""),
        limit=exchange.max_size * DECODED_FACTOR,
        place=exchange.place,
    )
    check_body(content, pages=exchange.pages)
    return content


def _close_idle(pool: HTTPConnectionPool) -> None:
    # Not pool.close(): an answer that was cut may still hold on to it.
    with contextlib.suppress(Empty):
        connection = pool.pool.get_nowait() if pool.pool else None
        if connection is not None:
            connection.close()
