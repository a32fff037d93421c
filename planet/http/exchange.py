"""One request and what really came back: its limits, where it may lead, and what its answer means.

Everything of an answer that later stages want to know travels on the request object itself.
"""

from __future__ import annotations

import ssl
import threading
import time
from contextlib import closing
from dataclasses import KW_ONLY, InitVar, dataclass, field
from functools import cached_property
from http.client import HTTPException, IncompleteRead
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from requests import PreparedRequest
from requests.structures import CaseInsensitiveDict

from planet.errors import FetchError
from planet.http.names import LookUps, written_address
from planet.model import WHOLE
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from planet.model import Conditions, Signature


def kept_as(key: str, url: str) -> str:
    """The name under which what an address answers to a feed's requests is kept on disk.

    Each feed has its own: what it has not read yet is not "not modified" because another has, and
    what its credentials open is not for others.
    """
    return f"{url}\n{key}"


class AnswerRules(Protocol):
    """What is asked for, told by whoever reads it. The same in all threads and processes."""

    accept: str
    """What a request says in Accept."""

    def check_type(self, media_type: str) -> None:
        """See whether an answer of a media type, in lower case, may be it.

        Raises:
            FetchError: it is not.
        """

    def check_body(self, body: bytes, *, pages: bool) -> None:
        """See whether a body, unpacked, may be it, or a web page in its place if `pages` may be.

        Raises:
            FetchError: it is not, and what was known before still holds.
        """

    def breaks_off(self, body: bytes) -> bool:
        """Return whether a body has a beginning and no end."""


@dataclass(eq=False, repr=False)
class FeedRequest(PreparedRequest):
    """A GET that is sent as it is, what it may do, and what it brought: that is filled in."""

    address: str
    fields: InitVar[Mapping[str, str]]
    """The header fields to begin with."""
    _: KW_ONLY
    kept_as: str
    """The name under which the answer is kept; see `kept_as`."""
    conditions: Conditions
    max_size: int
    deadline: Deadline
    guard: Guard
    take_slot: Callable[[], None]
    """Waits until a large body may be held."""
    rules: AnswerRules
    pages: bool
    """Whether a web page may be what is asked for."""
    asked_at: datetime
    signature: Signature | None = None
    status: int | None = None
    received: dict[str, str] = field(default_factory=dict)
    """The header fields of the answer, names in lower case."""
    bytes_received: int = 0
    cut_off: bool = False
    """Whether the document breaks off, and the connection could not tell: it is not kept."""
    took: float = 0.0
    """Seconds until the answer was complete, or the exchange failed."""

    def __post_init__(self, fields: Mapping[str, str]) -> None:
        super().__init__()
        self.method, self.url = "GET", self.address
        self.headers = CaseInsensitiveDict(fields)
        self.ended_at = self.asked_at

    def __getstate__(self) -> dict[str, object]:
        """Without what is of this process alone: once it is over, it can travel."""
        return {**vars(self), "take_slot": None}

    @property
    def etag(self) -> str | None:
        """What the request says in If-None-Match."""
        return self.headers.get("If-None-Match")

    @property
    def is_conditional(self) -> bool:
        """Whether the request names a validator."""
        return self.etag is not None or "If-Modified-Since" in self.headers

    @property
    def over_at(self) -> float:
        """When it was over, on the monotonic clock."""
        return self.deadline.began + self.took

    @property
    def same_etag(self) -> bool:
        """Whether a whole answer came with the very ETag that the request named."""
        etag = self.received.get("etag", "").strip(" \t")
        return self.status in WHOLE and self.etag is not None and etag == self.etag


REDIRECTS = frozenset({301, 302, 303, 307, 308})
_STATUS = {
    401: "asks for a user name and password (set auth for this feed)",
    403: "forbids us to read it",
    404: "says there is nothing at this address; check it for a typing error",
    410: "says the feed is gone for good; remove it from the list",
    429: "asks us to come less often",
    451: "withholds it for legal reasons",
}


def check(request: FeedRequest) -> None:
    """See by status and headers whether an answer is of any use.

    A redirect is, and a 304 to a request that named validators, and a whole answer of a type that
    may be what was asked for.

    Raises:
        FetchError: it is not.
    """
    status, headers = request.status or 0, request.received
    if status in REDIRECTS or (status == 304 and request.is_conditional):
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
    if status not in WHOLE:
        words = _STATUS.get(status)
        if words is None:
            words = "has a problem of its own" if status >= 500 else "did not send the feed"
        raise FetchError(f"http_{status}", f"the server {words} (HTTP {status})")
    request.rules.check_type(_media_type(headers))


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


def too_slow() -> FetchError:
    """The failure of an exchange that was past its deadline."""
    return FetchError("timeout", "the server did not finish its answer in time")


def of_exception(error: Exception) -> FetchError:
    """The failure that an exception is which came from a connection."""
    for types, kind, words in _NETWORK:
        if isinstance(error, types):
            return FetchError(kind, words)
    # http.client promises no set of exceptions: hostile input raises many others.
    return FetchError("broken_answer", f"the answer is not proper HTTP ({type(error).__name__})")


_NETWORK: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str, str], ...] = (
    (ssl.SSLError, "tls", "the server's certificate is not valid for it, or TLS fails"),
    (TimeoutError, "timeout", "the server sent nothing for too long"),
    (
        (IncompleteRead, ConnectionError),
        "truncated",
        "the connection ended before the answer was complete",
    ),
    (HTTPException, "broken_answer", "the answer is not proper HTTP"),
)


CONNECTION = frozenset(
    {"dns", "refused", "unreachable", "connect_timeout", *(kind for _, kind, _ in _NETWORK)}
)
"""The kinds of error that say nothing but that the connection was of no use."""


MAX_REDIRECTS = 5
"""Hops followed by hand; more is a loop or a trap."""
MAX_STEP = 1024 * 1024
"""Bytes of an answer that has no posts but only says where to ask next."""
REDIRECT_WAIT = 10.0
"""Seconds that a redirect may ask us to wait (RFC 9110 §10.2.3) without ending the attempt."""
ADDRESS_CONNECTIONS = 4
"""Connections at a time to one IP address, which may be that of many names."""
CONNECT_TIMEOUT = 10.0
"""Seconds for TCP and TLS to stand."""
IDLE_TIMEOUT = 20.0
"""Seconds without a byte. A server that drips is ended by the feed's total time instead."""
MAX_HEAD = 128 * 1024
"""Bytes of all header fields of an answer together."""
MAX_HEAD_LINES = 500
"""Header lines of an answer; some feeds come with more than a hundred."""
DECODED_FACTOR = 2
"""How many times the wire limit a body may grow when decoded."""
SMALL = 512 * 1024
"""Bytes of a body that are held in memory without asking: nearly all feeds are smaller."""
LARGE_AT_ONCE = 2
"""Bodies larger than that which are stored and handed out at a time."""
MAX_VALIDATOR = 4096
"""Characters of an ETag or Last-Modified that are worth echoing."""
CHUNK = 65536
"""Bytes read at once."""


class RequestSlots:
    """Lets a few visits at a time hold a large body, which is to be stored and handed out.

    Nobody waits for a server meanwhile. Both calls may be repeated.
    """

    def __init__(self, count: int = LARGE_AT_ONCE) -> None:
        self._count = count
        self._holders: set[object] = set()
        self._is_closed = False
        self._changed = threading.Condition()

    def take(self, holder: object) -> None:
        """Wait until there is a slot, unless the holder has one.

        Raises:
            FetchError: there will be none any more.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    holder in self._holders or len(self._holders) < self._count or self._is_closed
                )
            )
            if self._is_closed:
                raise FetchError("timeout", "the run ended before the answer was read")
            self._holders.add(holder)

    def leave(self, holder: object) -> None:
        """Give the slot back, if there is one."""
        if holder in self._holders:
            with self._changed:
                self._holders.remove(holder)
                self._changed.notify()

    def close(self) -> None:
        """Nobody gets a slot any more, and nobody waits."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()


class Deadline:
    """The time limit of one exchange, which begins when this is made."""

    def __init__(self, seconds: float) -> None:
        self.began = time.monotonic()
        self.ends = self.began + seconds

    @property
    def remaining(self) -> float:
        """Seconds left; zero or less when it is over."""
        return self.ends - time.monotonic()

    def within(self, limit: float) -> float:
        """Seconds that may be waited for one thing: what is left, but no more than `limit`.

        Raises:
            FetchError: nothing is left.
        """
        left = self.remaining
        if left <= 0:
            raise too_slow()
        return min(left, limit)


# What Python calls global and is not: 6to4 relays (RFC 7526), protocol assignments (RFC 6890),
# the platform of Azure, which answers its virtual machines there, site-local addresses (RFC 3879),
# documentation (RFC 9637), a network's own NAT64 (RFC 8215).
_NOT_PUBLIC = tuple(
    map(
        ip_network,
        (
            *("192.88.99.0/24", "192.0.0.0/24", "168.63.129.16/32"),
            *("fec0::/10", "3fff::/20", "64:ff9b:1::/48"),
        ),
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
    ip = ip_address(peer)
    if isinstance(ip, IPv6Address):
        ip = _unwrapped(ip)
    if any(ip in network for network in _NOT_PUBLIC):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def _unwrapped(ip: IPv6Address) -> IPv4Address | IPv6Address:
    if int(ip) >> 32 in {int(network) >> 32 for network in _WRAPPING}:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.sixtofour or ip


class Guard:
    """Watches over the connections of one visit.

    What the operator configured may be anywhere, and so may what a server that is itself not
    public leads to. An address that was adopted or learned counts as redirected to by the
    configured one: `home` is that, and `asked` the first that is asked now. With `only_public`
    not even these may be in a private network: somebody in the public Internet chose them, or a
    server there was asked for this feed before.
    """

    def __init__(
        self, home: str, asked: str, is_public: Callable[[str], bool], *, only_public: bool = False
    ) -> None:
        self._is_public = is_public
        # The whole address: another port or path of the same name was the publisher's choice, too.
        is_adopted = address.normalize(home) != address.normalize(asked)
        self._adopted_from = urlsplit(home).hostname if is_adopted else None
        self._from_public = True if only_public else None
        """Whether it is a public server that leads on; None while there was none."""
        self.is_inside = False
        """Whether the first server is not in the public Internet."""
        self.is_outside = False
        """Whether the first server is in the public Internet."""
        self._has_peer = False

    def permits(self, peer: str) -> bool:
        """Whether the visit may lead to an IP address."""
        if self._is_public(peer):
            return True
        return not (self._was_public if self._from_public is None else self._from_public)

    def check(self, peer: str) -> None:
        """Called with the IP address a connection leads to, before anything is sent over it.

        Raises:
            FetchError: the visit must not lead there.
        """
        if not self.permits(peer):
            raise self.refusal()
        if not self._has_peer:
            self._has_peer, self._from_public = True, self._is_public(peer)
            self.is_inside, self.is_outside = not self._from_public, self._from_public

    def check_name(self, host: str) -> None:
        """Called in place of `check` where a proxy looks the host up: only that sees the address.

        A host that is written as an IP address is judged by that, and `localhost` as loopback. Any
        other may be anywhere, and counts as public for what it leads to.

        Raises:
            FetchError: the visit must not lead there.
        """
        if (peer := written_address(host)) is not None:
            self.check(peer)
        elif not self._has_peer:
            self._has_peer = self._from_public = True

    def refusal(self) -> FetchError:
        """The failure of a visit that would lead into a private network.

        It says nothing of what is there, which is told to nobody.
        """
        return FetchError("private_address", "the server leads into a private network")

    @cached_property
    def _was_public(self) -> bool:
        """Whether the host that led to the first address has a public one, or none that tells."""
        if self._adopted_from is None:
            return False
        try:
            with closing(LookUps()) as look_ups:
                addresses = look_ups.find(self._adopted_from, 0, timeout=CONNECT_TIMEOUT)
        except (OSError, UnicodeError):
            return True
        return any(self._is_public(str(where[0])) for *_, where in addresses)
