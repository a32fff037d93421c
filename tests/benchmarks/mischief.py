"""Servers of which some mean ill, in one process: what the chaos benchmark asks for feeds.

`python -m tests.benchmarks.mischief FEEDS BAD` listens on FEEDS loopback hosts, all on one port,
with BAD of each kind of mischief among them. It prints the addresses by kind as one line of JSON,
and ends when stdin does.
"""

import asyncio
import gzip
import json
import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from tests.benchmarks.publisher import Feed

BOMB = 100 * 1024 * 1024
"""Bytes that come out of a packed body which is a thousandth of that."""
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n"
_BLOCK = b"x" * 65536

Serve: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], object]


async def _asked(reader: asyncio.StreamReader) -> bytes:
    return await reader.readuntil(b"\r\n\r\n")


async def hang(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    """Take the request and say nothing."""
    await reader.read()


async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send most of a large body at once, and the rest byte by byte."""
    await _asked(reader)
    writer.write(_HEAD + b"Content-Length: 8000000\r\n\r\n")
    for _ in range(100):
        writer.write(_BLOCK)
        await writer.drain()
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.2)


async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send as fast as can be, and never end."""
    await _asked(reader)
    writer.write(_HEAD + b"\r\n")
    while True:
        writer.write(_BLOCK)
        await writer.drain()


class Bomb:
    """Sends little that becomes much."""

    def __init__(self) -> None:
        self._body = gzip.compress(bytes(BOMB))

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _asked(reader)
        size = len(self._body)
        writer.write(_HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % size)
        writer.write(self._body)
        await reader.read()


class Good:
    """Sends its feed."""

    def __init__(self, number: int) -> None:
        self._feed = Feed(number)
        self._feed.publish()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(self._feed.answer(await _asked(reader))[1])


def _quietly(serve: Serve) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], object]:
    """Until the client hangs up, or all is over, which is no error."""

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await serve(reader, writer)  # type: ignore[misc]  # each is a coroutine
        writer.close()

    return served


async def _serve(feeds: int, bad: int) -> None:
    # A socket for each host that listens, and some for connections.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (feeds + 512, hard))
    bomb = Bomb()
    kinds: list[tuple[str, Serve]] = [
        *[("hang", hang)] * bad,
        *[("drip", drip)] * bad,
        *[("endless", endless)] * bad,
        *[("bomb", bomb)] * bad,
    ]
    kinds += [("good", Good(number)) for number in range(feeds - len(kinds))]
    port = 0
    addresses: dict[str, list[str]] = {}
    for number, (kind, serve) in enumerate(kinds):
        host = f"127.2.{number // 250}.{number % 250 + 1}"
        server = await asyncio.start_server(_quietly(serve), host, port)  # type: ignore[arg-type]
        port = server.sockets[0].getsockname()[1]
        addresses.setdefault(kind, []).append(f"http://{host}:{port}/feed.xml")
    print(json.dumps(addresses), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), int(sys.argv[2])))
