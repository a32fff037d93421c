"""A publisher of many kinds of feeds, who counts at which time of the planet each was asked.

Forty feeds on eight hosts of loopback: validators of every sort and none, chunks, redirects, slow
answers, and four feeds that are in trouble until their publisher mends them.
"""

from collections import defaultdict
from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Any

from tests.server import Response, Script, Server, moved
from tests.whole.conftest import NOON

HOSTS = tuple(f"127.0.0.{number}" for number in range(2, 10))
_KINDS = {
    "tagged": 20,
    "chunked": 4,
    "dated": 4,
    "bare": 2,
    "undated": 1,
    "slow": 2,
    "moved": 2,
    "elsewhere": 1,
    "page": 1,
    "missing": 1,
    "broken": 1,
    "busy": 1,
}
NAMES = tuple(f"{kind}{number}" for kind, count in _KINDS.items() for number in range(count))
"""The feeds, each called after its kind."""
_TROUBLE = {
    "page0": Response(body=b"<!doctype html><title>Login</title>"),
    "missing0": Response(status=404),
    "broken0": Response(status=503),
    "busy0": Response(status=429, headers=(("Retry-After", "5400"),)),
}
REDIRECTED = frozenset(name for name in NAMES if name.startswith(("moved", "elsewhere")))
SENT = "Sent"
"""The header in which a request says when its run began."""


def _host(name: str) -> str:
    return HOSTS[NAMES.index(name) % len(HOSTS)]


RESTED = frozenset(name for name in NAMES if _host(name) == _host("busy0"))
"""The feeds of a host that wants to be left alone for 90 minutes."""
LATER = RESTED.union(_TROUBLE, (name for name in NAMES if name.startswith("bare")))
"""The feeds that need not be there after a few hours: in trouble, rested, or asked once a day."""


class Publisher:
    """Publishes editions of forty feeds, and keeps count of when each was asked."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def feeds(self, now: datetime) -> list[dict[str, Any]]:
        """The feeds for the config of a run.

        What a run asks for says when it began, so that a request which is read late, after its
        sender was killed, still counts for its own run.
        """
        return [
            {
                "id": name,
                "url": self._server.url(f"/{name}", _host(name)),
                "headers": {SENT: now.isoformat()},
            }
            for name in NAMES
        ]

    def publish(self, edition: int, *, mended: bool = False) -> None:
        """Put an edition of every feed on the web, counted from 1; a third of them never change."""
        for place, name in enumerate(NAMES):
            if name in _TROUBLE and not mended:
                self._server.script(f"/{name}", _TROUBLE[name])
            else:
                self._put(name, edition if place % 3 else 1)

    def asked(self) -> dict[str, list[datetime]]:
        """When each address was asked, in order; those on another host than their feed left out."""
        found: dict[str, list[datetime]] = defaultdict(list)
        for request in self._server.requests:
            if sent := request.header(SENT):
                found[request.path].append(datetime.fromisoformat(sent))
        return {path: sorted(times) for path, times in found.items()}

    def asked_whole(self, since: datetime) -> set[str]:
        """The feeds that were asked without any validator then or later."""
        return {
            request.path.strip("/")
            for request in self._server.requests
            if (sent := request.header(SENT)) and datetime.fromisoformat(sent) >= since
            if not request.header("If-None-Match") and not request.header("If-Modified-Since")
        }

    def forget(self) -> None:
        self._server.requests.clear()

    def _put(self, name: str, edition: int) -> None:
        server, path, tag = self._server, f"/{name}", f'"{edition}"'
        body = _document(name, edition)
        match name.rstrip("0123456789"):
            case "dated":
                server.feed(path, body, last_modified=f"Fri, {edition:02} May 2026 11:00:00 GMT")
            case "bare":
                server.script(path, Response(body=body))
            case "chunked":
                server.answer(path, _tagged(Response(body=body, chunked=True), tag))
            case "slow":
                server.answer(path, _tagged(Response(body=body, drip_head=0.002), tag))
            case "moved":
                server.feed(f"{path}/feed", body, etag=tag)
                server.script(path, moved(f"{path}/feed", 301))
            case "elsewhere":
                server.feed(f"{path}/feed", body, etag=tag)
                server.script(path, moved(server.url(f"{path}/feed", HOSTS[0])))
            case _:
                server.feed(path, body, etag=tag)


def _document(name: str, edition: int) -> bytes:
    """Six entries; each edition has a new one, and no longer the oldest."""
    items = "".join(_item(name, number) for number in range(edition + 5, edition - 1, -1))
    return (
        f"<rss version='2.0'><channel><title>{name.title()}</title>"
        f"<link>https://{name}.example/</link>{items}</channel></rss>"
    ).encode()


def _item(name: str, number: int) -> str:
    # No two of one moment: their order would depend on which was met first.
    posted = NOON - timedelta(days=9 - number, minutes=NAMES.index(name))
    date = "" if name.startswith("undated") else f"<pubDate>{format_datetime(posted)}</pubDate>"
    return (
        f"<item><title>{name} {number}</title><guid isPermaLink='false'>{name} {number}</guid>"
        f"<link>https://{name}.example/{number}</link>{date}"
        f"<description>&lt;p&gt;All about {name}, part {number}.&lt;/p&gt;</description></item>"
    )


def _tagged(whole: Response, tag: str) -> Script:
    """Answers with the whole unless the request names its tag."""
    whole = replace(whole, headers=(("ETag", tag),))
    unchanged = Response(status=304, headers=whole.headers)
    return lambda request: unchanged if request.header("If-None-Match") == tag else whole
