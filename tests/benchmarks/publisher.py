"""A thousand small servers in one process: what the benchmarks ask for feeds.

`python -m tests.benchmarks.publisher FEEDS` listens on 127.1.0.1, 127.1.0.2 and so on, all on one
port, and prints the addresses of the feeds as one line of JSON. With a folder as a second argument
it publishes the files in that folder, one after the other, in place of feeds that it writes. It
obeys lines on stdin, each answered with one line of JSON:

    count         how many answers of each status it gave since the last count
    change 10     publish one more entry in every tenth feed that it writes

It ends when stdin does.
"""

import asyncio
import json
import resource
import sys
from collections import Counter
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from hashlib import sha256
from html import escape
from itertools import cycle, islice
from pathlib import Path

from tests.benchmarks.texts import html_of, sentence

ENTRIES = 20
"""In each document; together they take about 90 KB."""
_NEWEST = parsedate_to_datetime("Sun, 01 Nov 2026 12:00:00 GMT").timestamp()


@dataclass(slots=True)
class Feed:
    """One feed and what has been published in it so far."""

    number: int
    entries: int = ENTRIES
    body: bytes = b""
    etag: bytes = b""
    last_modified: bytes = b""

    def publish(self) -> None:
        """Make the document of the newest entries."""
        items = "".join(_item(self.number, entry) for entry in range(self.entries, 0, -1)[:ENTRIES])
        self.body = (
            '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel>'
            f"<title>Journal {self.number}</title><link>https://j{self.number}.example/</link>"
            f"<description>Notes of house {self.number}</description>{items}</channel></rss>"
        ).encode()
        self._mark()

    def replay(self, body: bytes) -> None:
        """Publish a document as it was recorded."""
        self.body = body
        self._mark()

    def _mark(self) -> None:
        self.etag = f'"{sha256(self.body).hexdigest()[:16]}"'.encode()
        self.last_modified = formatdate(_date(self.number, self.entries), usegmt=True).encode()

    def answer(self, head: bytes) -> tuple[int, bytes]:
        """The status and the bytes that answer a request."""
        unchanged = b"if-none-match: " + self.etag in head.lower()
        status = 304 if unchanged else 200
        lines = [
            b"HTTP/1.1 304 Not Modified" if unchanged else b"HTTP/1.1 200 OK",
            b"Date: " + formatdate(usegmt=True).encode(),
            b"Server: benchmark",
            b"ETag: " + self.etag,
            b"Last-Modified: " + self.last_modified,
        ]
        if unchanged:
            return status, b"\r\n".join([*lines, b"", b""])
        lines += [
            b"Content-Type: application/rss+xml; charset=utf-8",
            b"Content-Length: %d" % len(self.body),
        ]
        return status, b"\r\n".join([*lines, b"", self.body])


def _item(feed: int, entry: int) -> str:
    link = f"https://j{feed}.example/{entry}"
    return (
        f"<item><title>{sentence(feed * 7 + entry, 6)} {entry}</title><link>{link}</link>"
        f"<guid>{link}</guid><pubDate>{formatdate(_date(feed, entry), usegmt=True)}</pubDate>"
        f"<category>{sentence(entry, 1)}</category>"
        f"<description>{escape(html_of(feed, entry, link))}</description></item>"
    )


def _date(feed: int, entry: int) -> float:
    """Entries of a feed are most of a day apart; feeds differ by minutes."""
    return _NEWEST - (ENTRIES - entry) * 80_000 - feed * 97 % 86_400


class Connection(asyncio.Protocol):
    """Answers on one connection for one feed, until the client closes it."""

    def __init__(self, feed: Feed, counts: Counter[int]) -> None:
        self._feed = feed
        self._counts = counts
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while b"\r\n\r\n" in self._received and self._transport is not None:
            head, _, self._received = self._received.partition(b"\r\n\r\n")
            status, answer = self._feed.answer(head)
            self._counts[status] += 1
            self._transport.write(answer)


async def _serve(count: int, recorded: Path | None) -> None:
    # A socket for each feed that listens, and some for connections.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 512, hard))
    loop = asyncio.get_running_loop()
    feeds = [Feed(number) for number in range(1, count + 1)]
    counts: Counter[int] = Counter()
    port = 0
    addresses = []
    for feed in feeds:
        feed.publish()
    if recorded is not None:
        bodies = [path.read_bytes() for path in sorted(recorded.iterdir())]
        for feed, body in zip(feeds, islice(cycle(bodies), count), strict=True):
            feed.replay(body)
    for feed in feeds:
        host = f"127.1.{feed.number // 250}.{feed.number % 250 + 1}"
        server = await loop.create_server(
            lambda feed=feed: Connection(feed, counts),  # type: ignore[misc]  # a bound default
            host,
            port,
        )
        port = server.sockets[0].getsockname()[1]
        addresses.append(f"http://{host}:{port}/feed.xml")
    print(json.dumps(addresses), flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(_obey(line.split(), feeds, counts)), flush=True)


def _obey(words: list[str], feeds: list[Feed], counts: Counter[int]) -> dict[str, int]:
    if words == ["count"]:
        told = {str(status): count for status, count in counts.items()}
        counts.clear()
        return told
    changed = feeds[:: int(words[1])]
    for feed in changed:
        feed.entries += 1
        feed.publish()
    return {"changed": len(changed)}


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None))
