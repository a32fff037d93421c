"""One request and what really came back: its limits, where it may lead, and what its answer means.

requests-cache is shown the validators only (see `session`); everything else of an answer that
later stages want to know travels on the request object itself.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from functools import cached_property
from http.client import HTTPException, IncompleteRead
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from requests import PreparedRequest
from requests import exceptions as requests_errors
from requests.structures import CaseInsensitiveDict
from urllib3 import exceptions as urllib3_errors

from planet.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from planet.model import Conditions, Signature


@dataclass(slots=True, kw_only=True)
class Exchange:
    """What one request may do, and what it brought, filled in by the adapter."""

    url: str
    kept_as: str
    """The name under which the answer is kept; see `kept_as`."""
    conditions: Conditions
    max_size: int
    deadline: Deadline
    guard: Guard
    place: Place
    pages: bool
    """Whether a web page may be what is asked for."""
    asked_at: datetime
    ended_at: datetime
    signature: Signature | None = None
    """How the request is signed."""
    etag: str | None = None
    """What the request said in If-None-Match."""
    conditional: bool = False
    """Whether the request named a validator."""
    status: int | None = None
    headers: CaseInsensitiveDict[str] = field(default_factory=CaseInsensitiveDict)
    bytes_received: int = 0
    cut_off: bool = False
    """Whether the document breaks off, and the connection could not tell: it is not kept."""
    took: float = 0.0
    """Seconds until the answer was complete, or the exchange failed."""

    @property
    def over_at(self) -> float:
        """When it was over, on the monotonic clock."""
        return self.deadline.began + self.took

    @property
    def same_etag(self) -> bool:
        """Whether a whole answer came with the very ETag that the request named."""
        said = self.headers.get("ETag", "").strip(" \t")
        return self.status == 200 and self.etag is not None and said == self.etag

    def is_over(self) -> None:
        """The wire is done with: the time limit ends here."""
        self.took = time.monotonic() - self.deadline.began
        self.deadline.release()


def kept_as(key: str, url: str) -> str:
    """The name under which what an address answers to a feed's requests is kept on disk.

    Each feed has its own: what it has not read yet is not "not modified" because another has, and
    what its credentials open is not for others.
    """
    return f"{url}\n{key}"


class FeedRequest(PreparedRequest):
    """A GET that is sent as it is, without session defaults, and carries its exchange."""

    def __init__(self, url: str, headers: Mapping[str, str], exchange: Exchange) -> None:
        super().__init__()
        self.method = "GET"
        self.url = url
        self.headers = CaseInsensitiveDict(headers)
        self.exchange = exchange


REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NO_FEEDS = ("image/", "video/", "audio/")
# Not octet-stream: servers that do not know feeds call them so.
_ARCHIVES = frozenset({"application/zip", "application/x-zip", "application/x-zip-compressed"})
_STATUS = {
    401: "asks for a user name and password (set auth for this feed)",
    403: "forbids us to read it",
    404: "says there is nothing at this address; check it for a typing error",
    410: "says the feed is gone for good; remove it from the list",
    429: "asks us to come less often",
    451: "withholds it for legal reasons",
}
_BLANKS = b"\xef\xbb\xbf\xfe\xff\0 \t\r\n"
_EDGE = 1024
_BLANK = re.compile(rb"[%b]*" % _BLANKS)
# A page begins with its root, a feed may have much before it, a page among that.
_PAGE = re.compile(
    rb"[%b]*+(?>(?:<!--.*?-->|<\?.*?\?>)\s*)*+<(?:!doctype\s+html|html)\b" % _BLANKS,
    re.IGNORECASE | re.DOTALL,
)
_ROOT = re.compile(rb"<((?:[a-z_][\w.-]*:)?(?:rss|feed|rdf))(?=[\s/>])", re.IGNORECASE)


def check(exchange: Exchange) -> None:
    """See by status and headers whether an answer is of any use.

    A redirect is, and a 304 to a request that named validators, and a 200 that may have a feed in
    it.

    Raises:
        FetchError: it is not.
    """
    status, headers = exchange.status or 0, exchange.headers
    if status in REDIRECTS or (status == 304 and exchange.conditional):
        return
    if status == 304:
        raise FetchError(
            "unexpected_304", "the server says 'not modified' to a request that named no version"
        )
    if _is_challenge(status, headers):
        raise FetchError(
            "bot_challenge",
            f"the server asks whether we are a browser, and we are not (HTTP {status}); "
            "its operator can let us through",
        )
    if status != 200:
        raise _of_status(status)
    said = _media_type(headers)
    if said in _ARCHIVES or said.startswith(_NO_FEEDS):
        raise FetchError("not_a_feed", f"the server sends no feed, but {said[:40]!r}")


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


def _of_status(status: int) -> FetchError:
    if status in _STATUS:
        words = _STATUS[status]
    elif status >= 500:
        words = "has a problem of its own"
    else:
        words = "did not send the feed"
    return FetchError(f"http_{status}", f"the server {words} (HTTP {status})")


def _is_challenge(status: int, headers: Mapping[str, str]) -> bool:
    """Whether it is a page that lets browsers through only (R28)."""
    if status == 429:
        return False  # it says when to come back, which the page does not
    if headers.get("cf-mitigated", "").strip().lower() == "challenge":
        return True
    from_cloudflare = headers.get("server", "").strip().lower() == "cloudflare"
    return status == 403 and from_cloudflare and _media_type(headers) == "text/html"


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def out_of_time() -> FetchError:
    """The failure of a visit that the run did not let come to its end: nobody's fault."""
    return FetchError("out_of_time", "the time of the run was up before the answer had come")


def of_exception(error: Exception) -> FetchError:
    """The failure behind an exception that a request raised."""
    causes = list(_causes(error))
    for kind, words, types in _NETWORK:
        if any(isinstance(cause, types) for cause in causes):
            return FetchError(kind, words)
    # requests and its libraries promise no set of exceptions: hostile input raises many others.
    return FetchError("broken_answer", f"the answer is not proper HTTP ({type(error).__name__})")


_NETWORK: tuple[tuple[str, str, tuple[type[BaseException], ...]], ...] = (
    ("dns", "there is no server of that name", (urllib3_errors.NameResolutionError,)),
    (
        "tls",
        "the server's certificate is not valid for it, or TLS fails",
        (ssl.SSLError, urllib3_errors.SSLError),
    ),
    # Before connect_timeout: urllib3's NewConnectionError is a ConnectTimeoutError, too.
    ("refused", "the server refuses the connection", (ConnectionRefusedError,)),
    ("unreachable", "the server cannot be reached", (urllib3_errors.NewConnectionError,)),
    (
        "connect_timeout",
        "the server does not answer the call",
        (urllib3_errors.ConnectTimeoutError, requests_errors.ConnectTimeout),
    ),
    (
        "timeout",
        "the server sent nothing for too long",
        (urllib3_errors.ReadTimeoutError, requests_errors.ReadTimeout, socket.timeout),
    ),
    (
        "truncated",
        "the connection ended before the answer was complete",
        (IncompleteRead, ConnectionError),
    ),
    ("broken_answer", "the answer is not proper HTTP", (HTTPException, urllib3_errors.HTTPError)),
)


CONNECTION = frozenset(kind for kind, *_ in _NETWORK)
"""The kinds of error that say nothing but that the connection was of no use."""


def _causes(error: BaseException) -> list[BaseException]:
    """The exception and everything it was raised from, or wraps, outermost first."""
    found: list[BaseException] = []
    waiting: list[BaseException] = [error]
    while waiting:
        cause = waiting.pop()
        if cause in found:
            continue
        found.append(cause)
        wrapped = [*cause.args, getattr(cause, "reason", None), cause.__cause__, cause.__context__]
        waiting += [item for item in wrapped if isinstance(item, BaseException)]
    return found


MAX_REDIRECTS = 5
"""Hops followed by hand; more is a loop or a trap."""

MAX_STEPS = 5
"""Answers that each name the next address: an account may have another name first, then come its
actor, its outbox and a page of that."""

MAX_STEP = 1024 * 1024
"""Bytes of an answer that has no posts but only says where to ask next."""

REDIRECT_WAIT = 10.0
"""Seconds that a redirect may ask us to wait (RFC 9110 §10.2.3) without ending the attempt."""

CONNECT_TIMEOUT = 10.0
"""Seconds for TCP and TLS to stand."""

IDLE_TIMEOUT = 20.0
"""Seconds without a byte. A server that drips is ended by the feed's total time instead."""

JITTER = 1.0
"""Seconds that the gap between two requests to a host may grow, at random."""

SLOW = 1.0
"""Seconds after which an exchange makes room for another: most take less."""

CROWD = 3
"""How many times `workers` hosts may be asked at once, when most of them are slow."""

LONG_GAP = 10.0
"""Seconds between two requests to a host from which on a run does not wait for all its feeds."""

PATIENCE = 600.0
"""Seconds from its beginning in which a run starts with feeds of such a host."""

MAX_HEAD = 128 * 1024
"""Bytes of all header fields of an answer together."""

MAX_HEAD_LINES = 500
"""Header lines of an answer; some feeds come with more than a hundred."""

MAX_FRAMING = 1024 * 1024
"""Bytes of the sizes of chunks, their extensions and the trailers of an answer together; a body of
8 MiB in chunks of 32 bytes has no more."""

DECODED_FACTOR = 2
"""How many times the wire limit a body may grow when decoded."""

MAX_CODINGS = 2
"""Stacked content codings that are undone; more is an attack."""

MAX_MEMBERS = 500
"""Members of a gzip body. Block-wise packers make one for every 64 KiB; more is an attack."""

SMALL = 512 * 1024
"""Bytes of a body that are held in memory without asking: nearly all feeds are smaller."""

LARGE_AT_ONCE = 2
"""Bodies larger than that which are stored and handed out at a time."""

MAX_VALIDATOR = 4096
"""Characters of an ETag or Last-Modified that are worth echoing."""

CHUNK = 65536
"""Bytes read at once."""

READS_IN_PASSING = 8
"""Reads of an error page that nobody wants; once it has ended, its connection can be used again."""


class RequestSlots:
    """What the visits of a round share; each has a `Place` in it.

    Nobody waits for a server while in the room: whoever enters has a whole body, to be stored and
    handed out.
    """

    def __init__(self, places: int = LARGE_AT_ONCE) -> None:
        self._free = places
        self._closed = False
        self._changed = threading.Condition()

    def enter(self) -> None:
        """Wait until there is a place.

        Raises:
            FetchError: the room was closed.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._free > 0 or self._closed)
            if self._closed:
                raise FetchError("timeout", "the run ended before the answer was read")
            self._free -= 1

    def leave(self) -> None:
        """Make way for another."""
        with self._changed:
            self._free += 1
            self._changed.notify()

    def close(self) -> None:
        """The round is over: nobody is let in any more, and nobody waits."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class Place:
    """One visit's place in the room, taken when it is needed; both calls may be repeated."""

    def __init__(self, room: RequestSlots) -> None:
        self._room = room
        self._taken = False

    def take(self) -> None:
        """Wait for it, unless it is taken already.

        Raises:
            FetchError: the room was closed.
        """
        if not self._taken:
            self._room.enter()
            self._taken = True

    def leave(self) -> None:
        """Give it back, if it was taken."""
        if self._taken:
            self._taken = False
            self._room.leave()


class Deadline:
    """The time limit of one exchange, which begins when this is made.

    Socket timeouts end a silent server only; `Watchdog` shuts the sockets of an exchange that
    drips past its deadline.
    """

    def __init__(self, seconds: float) -> None:
        self.began = time.monotonic()
        self.ends = self.began + seconds
        self.passed = False
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()

    @property
    def remaining(self) -> float:
        """Seconds left; zero or less when it is over."""
        return self.ends - time.monotonic()

    def covers(self, connection: socket.socket) -> None:
        """Put a socket under this deadline until `release`."""
        # A duplicate, because wrapping a socket in TLS takes the original away from its owner.
        twin = socket.socket(
            connection.family, connection.type, connection.proto, fileno=os.dup(connection.fileno())
        )
        with self._lock:
            self._sockets.append(twin)

    def shoot(self) -> None:
        """End the exchange now: a thread blocked on one of its sockets wakes up with an error."""
        with self._lock:
            self.passed = True
            for connection in self._sockets:
                with contextlib.suppress(OSError):  # closed by the other side: as good as shot
                    connection.shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        """The exchange is over; its connections live on without a deadline."""
        with self._lock:
            for connection in self._sockets:
                connection.close()
            self._sockets.clear()


class Watchdog:
    """Shoots every exchange that is past its deadline; one thread for all of them."""

    def __init__(self, every: float = 0.5) -> None:
        self._every = every
        self._watched: set[Deadline] = set()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._patrol, name="planet-watchdog", daemon=True)

    def __enter__(self) -> Watchdog:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self.shoot_all()
        self._thread.join()

    def watch(self, deadline: Deadline) -> None:
        """Shoot this exchange once its time is over, unless it is released before.

        At once when the watch is over: nobody waits for what this exchange brings.
        """
        with self._lock:
            self._watched.add(deadline)
        if self._stopped.is_set():
            deadline.shoot()

    def release(self, deadline: Deadline) -> None:
        """The exchange is over."""
        with self._lock:
            self._watched.discard(deadline)
        deadline.release()

    def shoot_all(self) -> None:
        """End every exchange at once, as at an interrupt."""
        for deadline in self._snapshot():
            deadline.shoot()

    def _snapshot(self) -> list[Deadline]:
        with self._lock:
            return list(self._watched)

    def _patrol(self) -> None:
        while not self._stopped.wait(self._every):
            for deadline in self._snapshot():
                if deadline.remaining <= 0:
                    deadline.shoot()


# What Python calls global and is not: 6to4 relays (RFC 7526), protocol assignments (RFC 6890),
# site-local addresses (RFC 3879), documentation (RFC 9637), a network's own NAT64 (RFC 8215).
_NOT_PUBLIC = tuple(
    map(
        ip_network,
        ("192.88.99.0/24", "192.0.0.0/24", "fec0::/10", "3fff::/20", "64:ff9b:1::/48"),
    )
)
# The networks whose last 32 bits are an IPv4 address: compatible, mapped (RFC 4291 §2.5.5), NAT64
# (RFC 6052 §2.1).
_WRAPPING = tuple(map(IPv6Address, ("::", "::ffff:0:0", "64:ff9b::")))


def is_public(peer: str) -> bool:
    """Whether an IP address, as a socket names its peer, belongs to the public Internet.

    Loopback, private, link-local, reserved and multicast addresses do not; an IPv6 address that
    wraps an IPv4 address is as public as that.
    """
    address = ip_address(peer)
    if isinstance(address, IPv6Address):
        address = _unwrapped(address)
    if any(address in network for network in _NOT_PUBLIC):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _unwrapped(address: IPv6Address) -> IPv4Address | IPv6Address:
    if int(address) >> 32 in {int(network) >> 32 for network in _WRAPPING}:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.sixtofour or address


class Guard:
    """Watches over the connections of one visit.

    What the operator configured may be anywhere, and so may what a server that is itself not
    public leads to. An address that was adopted or learned counts as redirected to by the
    configured one: `home` is that, and `asked` the first that is asked now. `is_led` says that
    somebody in the public Internet chose even that.
    """

    def __init__(
        self, home: str, asked: str, is_public: Callable[[str], bool], *, is_led: bool = False
    ) -> None:
        self._is_public = is_public
        configured = urlsplit(home).hostname
        self._adopted_from = configured if configured != urlsplit(asked).hostname else None
        self._from_public = True if is_led else None
        """Whether it is a public server that leads on; None while there was none."""
        self.is_inside = False
        """Whether the first server is not in the public Internet."""

    def permits(self, address: str) -> bool:
        """Whether the visit may lead to an IP address."""
        if self._is_public(address):
            return True
        return not (self._was_public if self._from_public is None else self._from_public)

    def check(self, peer: str) -> None:
        """Called with the IP address a connection leads to, before anything is sent over it.

        Raises:
            FetchError: the visit must not lead there.
        """
        if not self.permits(peer):
            raise self.refusal()
        if self._from_public is None:
            self._from_public = self._is_public(peer)
            self.is_inside = not self._from_public

    def refusal(self) -> FetchError:
        """The failure of a visit that would lead into a private network."""
        return FetchError("private_address", "the server leads into a private network")

    @cached_property
    def _was_public(self) -> bool:
        """Whether the host that led to the first address has a public one, or none that tells."""
        if self._adopted_from is None:
            return False
        try:
            found = socket.getaddrinfo(self._adopted_from, None)
        except (OSError, UnicodeError):
            return True
        return any(self._is_public(str(where[0])) for *_, where in found)
