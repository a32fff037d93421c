"""The session: conditional requests; bodies and validators on disk.

The only door to requests-cache. The back ends keep answers exactly as they came; `send` is ours,
because `schedule` has decided already whether to ask: every request revalidates, only a complete
200 replaces a body, and the failure of a feed must show.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from contextlib import contextmanager, suppress
from datetime import timedelta
from threading import RLock, Semaphore
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import msgpack
from msgspec.structs import replace
from requests_cache import CachedSession
from requests_cache.backends import init_backend
from requests_cache.backends.base import BaseCache
from requests_cache.backends.sqlite import SQLiteDict
from requests_cache.serializers.pipeline import SerializerPipeline, Stage

from planet.errors import StateError
from planet.http.connection import FeedAdapter, Network
from planet.http.guard import is_public
from planet.http.request import CONDITIONS
from planet.model import WHOLE, Conditions
from planet.model.secrets import NO_REDACTOR, Redactor
from planet.text import address, headers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from planet.http.request import FeedRequest


ADDRESS_CONNECTIONS = 4
"""Connections at a time to one IP address, which may be that of many names."""
MAX_VALIDATOR = 4096
"""Characters of an ETag or Last-Modified that are worth echoing."""
_PLAUSIBLE = timedelta(hours=24)
"""How far a Last-Modified may be ahead of the answer it came with."""
_MAX_KEPT = 256 * 1024 * 1024
"""Bytes of a body that is unpacked; answers are limited to much less when they come."""
_ONE_LINE = r"^[^\r\n\0]*\Z"
_FILE = "http.sqlite"
_OPTIONS: dict[str, dict[str, Any]] = {
    "sqlite": {"table_name": "responses", "wal": True, "busy_timeout": 5000},
    "redis": {"socket_connect_timeout": 5, "socket_timeout": 20},
    "filesystem": {"decode_content": False},
}
"""The options of a back end where the config has no others."""


class KeptResponse(msgspec.Struct, frozen=True, kw_only=True, tag="P4"):
    """An answer in the cache, with names in place of secrets; the tag is a version."""

    url: str
    headers: dict[str, Annotated[str, msgspec.Meta(pattern=_ONE_LINE)]]
    """The validators, by their names as written. Line ends would be further fields of a request."""
    body_hash: str
    """SHA-256 of the body, in hex."""
    packed: bytes

    @property
    def validators(self) -> frozenset[str]:
        """The validators of the answer: `etag`, `last-modified`."""
        return frozenset(name.lower() for name in self.headers)


class _ResponseTable(SQLiteDict):
    """requests-cache's table, with each statement there whole or not at all.

    The parent leaves transactions open after an error, so that the next one waits for ever, and
    swallows a full disk.
    """

    @contextmanager
    def connection(self, commit: bool = False) -> Iterator[Any]:
        """Hold the one connection, in no transaction even with `commit`."""
        with super().connection() as connection:
            yield connection


def _open_cache(folder: Path, name: str, backend: str, options: Mapping[str, Any]) -> BaseCache:
    """Open a back end, whose rows have nothing to run."""
    # requests-cache takes a ValueError, such as that of a damaged row, for one that is not there.
    stage = Stage(dumps=msgpack.encode, loads=msgpack.Decoder(KeptResponse).decode)
    serializer = SerializerPipeline([stage], name="planet", is_binary=True)
    options = {**_OPTIONS.get(backend, {}), **options}
    if backend == "sqlite":
        cache = BaseCache(cache_name=str(folder / _FILE))
        cache.responses = _ResponseTable(folder / _FILE, serializer=serializer, **options)
        return cache
    place = f"planet-{name}" if backend == "redis" else folder / "http"
    cache = init_backend(place, backend, serializer=serializer, **options)
    cache.responses.get("")  # a server is called at the first use
    return cache


class FeedSession(CachedSession):
    """A session for `FeedRequest`s alone, with a cache of bodies and validators."""

    def __init__(
        self,
        folder: Path,
        *,
        name: str,
        backend: str,
        options: Mapping[str, Any],
        is_public: Callable[[str], bool] = is_public,
        redactor: Redactor = NO_REDACTOR,
    ) -> None:
        """Open the cache in a folder, or under `name` where the back end is a server.

        `options` go to the back end of requests-cache, or to the client of a server. `is_public`
        judges IP addresses: tests, whose servers are all on loopback, have another.

        Raises:
            StateError: the cache cannot be opened, or the library of the back end is not installed.
        """
        self._backend, self._turn = backend, RLock()
        self._remedy = "start its server, or see to cache.options in the config"
        if backend == "sqlite":
            self._remedy = f"{folder / _FILE} may be deleted at the cost of one full answer a feed"
        with self._use_cache("opened"):
            super().__init__(backend=_open_cache(folder, name, backend, options))
        self._rows: Any = self.cache.responses
        self.is_public = is_public
        """Whether an IP address is one of the public Internet."""
        self.redactor = redactor
        """Hides the secrets in what is kept."""
        self.network = Network()
        self._seats: dict[str, Semaphore] = {}
        """Connections to spare, by IP address."""
        self._adapters: dict[str, tuple[FeedAdapter, Semaphore]] = {}
        """By `address.server`; nobody asks a server twice at the same time."""

    def reserve(self, url: str) -> None:
        """Reserve one of the connections to the IP address of a server; wait until one is free."""
        server = address.server(url)
        if server not in self._adapters:
            host, _, port = address.host(url).rpartition(":")
            # A proxy alone sees the address of a server.
            found = () if self.network.choose_proxy(url) else self.network.find(host, int(port))
            ip = str(found[0][4][0]) if found else server
            seat = self._seats.setdefault(ip, Semaphore(ADDRESS_CONNECTIONS))
            seat.acquire()
            self._adapters[server] = FeedAdapter(self.network), seat

    def release(self, server: str) -> None:
        """Close the connection to a server."""
        if server in self._adapters:
            adapter, seat = self._adapters.pop(server)
            adapter.close()
            seat.release()

    def close(self) -> None:
        """Close all connections, and the cache, for good."""
        for server in [*self._adapters]:
            self.release(server)
        with self._use_cache():
            # Or else a thread that comes late would open it again.
            self._rows = None
            super().close()  # type: ignore[no-untyped-call]  # requests-cache has no types here

    def send(self, request: FeedRequest, key: str, conditions: Conditions) -> KeptResponse:  # type: ignore[override]  # all that requests-cache lets one say is decided here
        """Send a request with the validators of the feed with this key, and keep its answer.

        A connection to the server has to be reserved. An empty key keeps nothing.

        1. The cached answer is read, and the validators are named, as far as they are wanted.
        2. A complete 200 or 203 replaces body and validators; a validator left out is gone.
        3. A 304 replaces the validators it names, and the answer is the cached one.
        4. Any other answer touches nothing.
        """
        kept = self.load(key) if key else None
        if kept is not None and kept.url != self.redactor.hide(request.address):
            kept = None
        known = {} if kept is None or conditions is Conditions.NONE else kept.headers
        for name in known:
            if not (conditions is Conditions.DATE and name == "ETag"):
                request.headers[CONDITIONS[name]] = self.redactor.show(known[name])
                request.is_conditional = True
        adapter, _ = self._adapters[address.server(request.address)]
        request.content = adapter.exchange(request)
        validators = self._choose_validators(request)
        if request.status == 304 and kept is not None:
            if kept.headers != kept.headers | validators:
                kept = replace(kept, headers=kept.headers | validators)
                self._keep(key, kept)
            return kept
        stored = self.redactor.hide(request.content) if request.rules.keeps_body else b""
        new = KeptResponse(
            url=self.redactor.hide(request.address),
            headers=validators,
            body_hash=hashlib.sha256(request.content).hexdigest(),
            # A tenth less than 1 gives, for a fiftieth of the time in which a feed is read.
            packed=zlib.compress(stored, 4),
        )
        if key and request.status in WHOLE and not request.cut_off:
            self._keep(key, new)
        return new

    def _choose_validators(self, request: FeedRequest) -> dict[str, str]:
        """Return the validators of an answer as they came, for the cache (R2)."""
        values = {name: request.received.get(name.lower(), "").strip(" \t") for name in CONDITIONS}
        modified = headers.parse_http_date(values["Last-Modified"])
        latest = headers.date(request.received, received_at=request.asked_at) + _PLAUSIBLE
        # A server that believes a later date says "not modified" until it comes.
        if modified is not None and modified > latest:
            del values["Last-Modified"]
        return {
            name: self.redactor.hide(value)
            for name, value in values.items()
            if 0 < len(value) <= MAX_VALIDATOR and re.search(_ONE_LINE, value)
        }

    def unpack(self, kept: KeptResponse) -> bytes:
        """Return the body of a cached answer; empty if damaged, too large, or kept elsewhere."""
        stream = zlib.decompressobj()
        with suppress(zlib.error):
            body = stream.decompress(kept.packed, _MAX_KEPT)
            return self.redactor.show(body) if stream.eof else b""
        return b""

    def load(self, key: str) -> KeptResponse | None:
        """Return the cached answer of the feed with this key, without a request.

        None also for a damaged answer, or one of another version.
        """
        with self._use_cache():
            response: KeptResponse | None = self._rows.get(self._hash(key))
            return response

    def _keep(self, key: str, response: KeptResponse) -> None:
        with self._use_cache():
            self._rows[self._hash(key)] = response

    def keep_only(self, keys: Iterable[str]) -> None:
        """Drop the answers of all other feeds, and give their space back in an SQLite file."""
        wanted = set(map(self._hash, keys))
        with self._use_cache():
            gone = [row for row in self._rows if row not in wanted]
            self._rows.bulk_delete(gone)
            if 2 * len(gone) > len(wanted) and isinstance(self._rows, SQLiteDict):
                self._rows.vacuum()  # type: ignore[no-untyped-call]  # as above

    def drop(self, keys: Iterable[str]) -> None:
        """Drop the answers of these feeds."""
        with self._use_cache():
            self._rows.bulk_delete([*map(self._hash, keys)])

    def rename(self, old: str, new: str) -> None:
        """Give the cached answer of the feed with the key `old` to the one with the key `new`."""
        if (response := self.load(old)) is not None:
            self._keep(new, response)
            self.drop([old])

    @contextmanager
    def _use_cache(self, verb: str = "used") -> Iterator[None]:
        """Hold the cache, for this thread alone, and end the run when the back end fails.

        Each has exceptions of its own. That of SQLite would read while other threads write over
        the same connection (issues #1190 and #1008 of requests-cache).
        """
        try:
            with self._turn:
                yield
        except Exception as error:
            words = f"the {self._backend} cache cannot be {verb}: {error}\n{self._remedy}"
            raise StateError(words) from error

    def _hash(self, key: str) -> str:
        # A digest, because a backend puts it into SQL or a file name; of the key without its
        # secrets, for from a digest a short one could be guessed.
        return hashlib.blake2b(self.redactor.hide(key).encode(), digest_size=16).hexdigest()
