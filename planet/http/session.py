"""The session: requests that are sent with their validators; bodies and validators on disk.

The only door to requests-cache. Its backends keep what came, exactly as it came; its `send` is
ours, because what it would decide by headers and lifetimes is decided already: every request
revalidates (whether to ask at all is `schedule`'s decision), only a complete 200 replaces a body,
and a feed that is down must show.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from requests_cache import CachedSession
from requests_cache.backends import init_backend
from requests_cache.backends.base import BaseCache
from requests_cache.backends.sqlite import SQLiteDict
from requests_cache.serializers.pipeline import SerializerPipeline, Stage

from planet import __version__, documentation
from planet.errors import StateError
from planet.http.connection import FeedAdapter, Network
from planet.http.guard import is_public
from planet.http.request import cache_name
from planet.model import WHOLE, Conditions
from planet.model.secrets import NO_REDACTOR, Redactor
from planet.text import address, headers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from requests import PreparedRequest

    from planet.http.request import FeedRequest


MAX_VALIDATOR = 4096
"""Characters of an ETag or Last-Modified that are worth echoing."""
_MAGIC = b"P3"
_FILE = "http.sqlite"
_MAX_KEPT = 256 * 1024 * 1024
"""Bytes of a body that is unpacked; answers are limited to much less when they come."""
_UNSAFE = re.compile("[\r\n\0]")
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
"""How the names of such errors begin, https://www.sqlite.org/rescode.html."""


def _open_cache(
    folder: Path, name: str, backend: str, options: Mapping[str, Any], redactor: Redactor
) -> BaseCache:
    serializer = _serializer(redactor)
    way_out = "see to cache.backend and cache.options in the config"
    try:
        if backend == "sqlite":
            return _ResponseCache(folder / _FILE, serializer, **options)
        if backend == "redis":
            way_out = f"start its server, or {way_out}"
            return _open_redis(f"planet-{name}", options, serializer)
        if backend == "filesystem":
            options = {"decode_content": False, **options}
        return init_backend(folder / "http", backend, serializer=serializer, **options)
    except StateError:
        raise
    except Exception as error:  # each backend has exceptions of its own
        raise StateError(
            f"the {backend} cache cannot be opened: {error}\n{way_out}; nobody was asked"
        ) from error


def _open_redis(name: str, options: Mapping[str, Any], serializer: SerializerPipeline) -> BaseCache:
    """Connect to a Redis, and check that it answers: requests-cache would do so at first use."""
    # It needs the library of that server, and its names have no types.
    module: Any = import_module("requests_cache.backends.redis")
    client = module.Redis(**{"socket_connect_timeout": 5, "socket_timeout": 20} | dict(options))
    client.ping()
    cache: BaseCache = module.RedisCache(name, connection=client, serializer=serializer)
    return cache


class _ResponseTable(SQLiteDict):
    """requests-cache's table, one statement at a time, each there whole or not at all.

    Left to itself, it reads while other threads write over the same connection (its issues #1190,
    #1008); its transactions stay open after an error, so that the next one waits for ever; and a
    full disk it swallows.
    """

    @contextmanager
    def connection(self, commit: bool = False) -> Iterator[Any]:
        """Hold the one connection for this thread alone, in no transaction, whatever `commit` is.

        Raises:
            StateError: SQLite failed. A file that is damaged is set aside, and a new one begun.
        """
        with self._lock:
            try:
                with super().connection() as connection:
                    yield connection
            except KeyError:  # how requests-cache says that a row is not there
                raise
            except Exception as error:
                if getattr(error, "sqlite_errorname", "").startswith(_DAMAGED):
                    self._set_aside(error)
                raise StateError(
                    f"the HTTP cache {self.db_path} cannot be used: {error}; "
                    "it may be deleted at the cost of one full answer from each feed"
                ) from error

    def _set_aside(self, error: Exception) -> None:
        """Rename a damaged file, over one that was set aside before, and begin a new one.

        Raises:
            StateError: always, unless the file has to stay where it is.
        """
        path = Path(self.db_path)
        # First: closing it deletes the log that has its name.
        self.close()  # type: ignore[no-untyped-call]  # requests-cache has no types here
        with suppress(OSError):
            aside = path.replace(path.with_name(f"{path.name}.damaged"))
            for log in ("-wal", "-shm"):
                path.with_name(f"{path.name}{log}").unlink(missing_ok=True)
            self.init_db()  # type: ignore[no-untyped-call]  # as above
            self.close()  # type: ignore[no-untyped-call]  # as above
            raise StateError(
                f"the HTTP cache {path} was damaged ({error}) and is set aside as {aside.name}; "
                "run again: it costs one full answer from each feed"
            ) from error


class _ResponseCache(BaseCache):
    """requests-cache's SQLite backend over `_ResponseTable`; redirects are never cached."""

    def __init__(self, path: Path, serializer: SerializerPipeline, **options: Any) -> None:
        super().__init__(cache_name=str(path))
        options |= {"wal": True, "busy_timeout": 5000}
        self.responses = _ResponseTable(
            path, table_name="responses", serializer=serializer, **options
        )


class KeptResponse:
    """An answer in the cache: the body is unpacked at each reading."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        body_hash: str,
        packed: bytes,
        redactor: Redactor,
    ) -> None:
        self.url = url
        self.headers = dict(headers)
        """Its validators, by their names as written."""
        self.body_hash = body_hash
        """SHA-256 of the body, in hex."""
        self.packed = packed
        self._redactor = redactor

    @classmethod
    def make(
        cls, url: str, validators: Mapping[str, str], body: bytes, redactor: Redactor
    ) -> KeptResponse:
        """Make the cached form of a new answer."""
        # A tenth less than 1 gives, for a fiftieth of the time in which a feed is read.
        packed = zlib.compress(redactor.hide(body), 4)
        response = cls(url, validators, hashlib.sha256(body).hexdigest(), packed, redactor)
        response.content = body
        return response

    def without_body(self) -> KeptResponse:
        """Return the validators, and the hash of the body, alone."""
        packed = zlib.compress(b"")
        return KeptResponse(self.url, self.headers, self.body_hash, packed, self._redactor)

    @cached_property
    def content(self) -> bytes:
        """The body; empty where it is larger than any that is kept: somebody put it there."""
        stream = zlib.decompressobj()
        content = stream.decompress(self.packed, _MAX_KEPT)
        return self._redactor.show(content) if stream.eof else b""

    @property
    def validators(self) -> frozenset[str]:
        """The validators of the answer: `etag`, `last-modified`."""
        return frozenset(name.lower() for name in self.headers)


def _serializer(redactor: Redactor) -> SerializerPipeline:
    """Write answers as a line of JSON and the packed body, with nothing to run and no secrets."""

    def dumps(response: KeptResponse) -> bytes:
        head = {
            "url": response.url,
            "headers": response.headers,
            "hash": response.body_hash,
            "check": zlib.crc32(response.packed),
        }
        return b"\n".join((_MAGIC, redactor.hide(json.dumps(head).encode()), response.packed))

    def loads(row: bytes) -> KeptResponse:
        magic, head_line, packed = row.split(b"\n", 2)
        # requests-cache takes a ValueError for a row that is not there.
        if magic != _MAGIC:
            raise ValueError("not an answer that this version stored")
        try:
            head = json.loads(redactor.show(head_line))
            # Line ends would be further fields of a request.
            if head["check"] != zlib.crc32(packed) or _UNSAFE.search(
                "".join(head["headers"].values())
            ):
                raise ValueError("another answer")
            return KeptResponse(head["url"], head["headers"], head["hash"], packed, redactor)
        except Exception as error:  # damage has no one kind
            raise ValueError("an answer that is damaged") from error

    return SerializerPipeline([Stage(dumps=dumps, loads=loads)], name="planet", is_binary=True)


def make_user_agent(contact: str | None) -> str:
    """Return the User-Agent of every request (R46 in docs/politeness.md), with a page about it.

    That page is `contact`, the operator's, or else one of the project's.
    """
    return f"Planet/{__version__} (+{contact or documentation('politeness.md')})"


_VALIDATORS = {"etag": "ETag", "last-modified": "Last-Modified"}
_PLAUSIBLE = timedelta(hours=24)
"""How far a Last-Modified may be ahead of the answer it came with."""


def _validators(request: FeedRequest) -> dict[str, str]:
    """Return the validators of the answer, exactly as they came."""
    kept: dict[str, str] = {}
    for name, written in _VALIDATORS.items():
        value = request.received.get(name, "").strip(" \t")
        # Longer ones, and ones that could end a header line, are not sent (docs/politeness.md, R2).
        if 0 < len(value) <= MAX_VALIDATOR and not _UNSAFE.search(value):
            kept[written] = value
    modified = headers.parse_http_date(kept.get("Last-Modified", ""))
    latest = headers.date(request.received, received_at=request.asked_at) + _PLAUSIBLE
    # A server that believes a later date says "not modified" until it comes (R2, as above).
    if modified is not None and modified > latest:
        del kept["Last-Modified"]
    return kept


class FeedSession(CachedSession):
    """A session that sends `FeedRequest`s only, and keeps nothing but bodies and validators."""

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

        `options` go to the back end of requests-cache, or to the client of that server.
        `is_public` judges the IP addresses that redirects lead to: tests, whose servers are all on
        loopback, have another. An SQLite file that is damaged is set aside, and the next session
        has a new one.

        Raises:
            StateError: the cache cannot be opened, or the backend's library is not installed.
        """
        super().__init__(backend=_open_cache(folder, name, backend, options, redactor))
        self._backend = backend
        self.is_public = is_public
        """Whether an IP address is one of the public Internet."""
        self.redactor = redactor
        """Hides the secrets in what is kept."""
        self.network = Network()
        self._adapters: dict[str, FeedAdapter] = {}
        """By `address.server`; nobody asks a server twice at the same time."""

    def get_adapter(self, url: str) -> FeedAdapter:
        """Return what sends to the server of an address, over its one connection."""
        server = address.server(url)
        if server not in self._adapters:
            self._adapters[server] = FeedAdapter(self.network)
        return self._adapters[server]

    def forget(self, server: str) -> None:
        """Close the connection to a server."""
        if (adapter := self._adapters.pop(server, None)) is not None:
            adapter.close()

    def locate(self, url: str) -> str | None:
        """Return the IP address at which an address is asked for; None where nobody here knows."""
        parts = urlsplit(url)
        if self.network.choose_proxies(url):
            return None
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            found = self.network.names.find((parts.hostname or "").rstrip("."), port)
        except (OSError, UnicodeError):
            return None
        return str(found[0][4][0])

    def close(self) -> None:
        """Close all connections, and the cache."""
        for server in [*self._adapters]:
            self.forget(server)
        super().close()  # type: ignore[no-untyped-call]  # as above

    def send(self, request: PreparedRequest, **_: Any) -> KeptResponse:  # type: ignore[override]  # all that requests-cache lets one say is decided here
        """Send it with the validators that are kept, and keep what comes.

        1. What is kept is read, and its validators are named, as far as they are wanted.
        2. A complete 200 or 203 replaces body and validators; a validator it does not have is gone.
        3. A 304 replaces the validators that it has, and the answer is what is kept.
        4. Any other answer touches nothing.
        """
        request = cast("FeedRequest", request)
        key = self._key(request.cache_name)
        kept = self._find(key)
        if kept is not None:
            wanted = {} if request.conditions is Conditions.NONE else dict(kept.headers)
            if request.conditions is Conditions.DATE and "Last-Modified" in wanted:
                wanted.pop("ETag", None)
            if "ETag" in wanted:
                request.headers["If-None-Match"] = wanted["ETag"]
            if "Last-Modified" in wanted:
                request.headers["If-Modified-Since"] = wanted["Last-Modified"]
        response = self.get_adapter(request.address).send(request)
        validators = _validators(request)
        if response.status_code == 304 and kept is not None:
            if any(kept.headers.get(name) != value for name, value in validators.items()):
                kept.headers.update(validators)
                self._put(key, kept)
            return kept
        new = KeptResponse.make(request.address, validators, response.content, self.redactor)
        if response.status_code in WHOLE and not request.cut_off:
            self._put(key, new if request.rules.keeps_body else new.without_body())
        return new

    def load(self, name: str) -> KeptResponse | None:
        """Return the answer that is kept under a name (`request.cache_name`), without a request."""
        return self._find(self._key(name))

    def keep_only(self, names: Iterable[str]) -> None:
        """Drop all other answers, and give their space back where the cache is an SQLite file."""
        wanted = {self._key(name) for name in names}
        with self._open_rows() as rows:
            gone = [key for key in rows if key not in wanted]
            if gone:
                rows.bulk_delete(gone)
            if 2 * len(gone) > len(wanted) and isinstance(rows, SQLiteDict):
                with rows.connection() as connection:
                    connection.execute("VACUUM")

    def drop(self, names: Iterable[str]) -> None:
        """Drop these answers."""
        with self._open_rows() as rows:
            rows.bulk_delete([self._key(name) for name in names])

    def rename(self, old: str, new: str) -> None:
        """Rename the cached answers of the feed with the key `old` to `new`."""
        with self._open_rows() as rows:
            for key in [*rows]:
                response = rows.get(key)
                if response and self._key(cache_name(old, response.url)) == key:
                    rows[self._key(cache_name(new, response.url))] = response
                    del rows[key]

    def _find(self, key: str) -> KeptResponse | None:
        """Return what is kept; None also for what was damaged, or stored by another version."""
        with self._open_rows() as rows:
            response: KeptResponse | None = rows.get(key)
            return response

    def _put(self, key: str, response: KeptResponse) -> None:
        with self._open_rows() as rows:
            rows[key] = response

    @contextmanager
    def _open_rows(self) -> Iterator[Any]:
        """Yield what is kept in the back end, by key; when that fails, the run ends."""
        try:
            yield self.cache.responses
        except StateError:
            raise
        except Exception as error:  # each backend has exceptions of its own
            first = "start its server again, and run" if self._backend == "redis" else "Run"
            raise StateError(
                f"the {self._backend} cache cannot be used any more: {error}\n"
                f"{first} once more: what came so far is kept"
            ) from error

    def _key(self, name: str) -> str:
        # A digest, because a backend puts it into SQL or a file name; of the name without its
        # secrets, for from a digest a short one could be guessed.
        return hashlib.blake2b(self.redactor.hide(name).encode(), digest_size=16).hexdigest()
