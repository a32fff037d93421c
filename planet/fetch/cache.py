"""Bodies and validators on disk: requests-cache's backends, in a form in which nothing can be run.

With `session` the door to requests-cache. Its default form is pickle, and whoever could write the
file could run code.
"""

from __future__ import annotations

import json
import zlib
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib import import_module
from inspect import isclass, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from requests.structures import CaseInsensitiveDict
from requests_cache.backends import init_backend
from requests_cache.backends.sqlite import SQLiteCache, SQLiteDict, sqlite_template
from requests_cache.models.request import CachedRequest
from requests_cache.models.response import CachedResponse
from requests_cache.serializers.pipeline import SerializerPipeline, Stage

from planet.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from requests_cache.backends.base import BaseCache

    from planet.veil import Veil

PAST = datetime(2000, 1, 1, tzinfo=UTC)
"""When every stored answer has expired (see `session`)."""
_MAGIC = b"P2"
_FILE = "http.sqlite"
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
"""How the names of such errors begin, https://www.sqlite.org/rescode.html."""


def open_cache(
    folder: Path, backend: str, options: Mapping[str, Any], veil: Veil
) -> tuple[BaseCache, str | None]:
    """The cache in a folder; and in words what became of the last one, if that was damaged.

    What it keeps is behind `veil`.

    Raises:
        StateError: it cannot be opened, or the backend's library is not installed.
    """
    try:
        return _backend(folder, backend, options, veil), None
    except _SetAsideError as error:
        notice = str(error)
    except StateError:
        raise
    except Exception as error:  # each backend has exceptions of its own
        raise StateError(f"the {backend} cache cannot be opened: {error}") from error
    return _backend(folder, backend, options, veil), notice


def accepted_options(backend: str) -> frozenset[str] | None:
    """The options that have an effect; None when the back end's library is not installed.

    requests-cache passes over all others without a word.
    """
    try:
        module = import_module(f"requests_cache.backends.{_MODULES.get(backend, backend)}")
    except ImportError:
        return None
    takers = [
        member.__init__
        for name, member in vars(module).items()
        if isclass(member) and (member.__module__ == module.__name__ or name in _CLIENTS)
    ]
    if backend == "dynamodb":
        takers.append(module.boto3.Session.__init__)
    found = {name for taker in takers for name in signature(taker).parameters}
    if backend == "sqlite":
        found |= signature(sqlite_template).parameters.keys()
    return frozenset(found | _EXTRA.get(backend, set())) - _OURS


_MODULES = {"memory": "base"}
_CLIENTS = ("Redis", "MongoClient")
_EXTRA = {"dynamodb": {"endpoint_url"}}
# What is set here, what is no text or number, and what is a name for all other arguments.
_OURS = frozenset({"self", "args", "kwargs", "lock", "connection", "factory", "serializer"}) | {
    *("cache_name", "db_path", "db_name", "table_name", "namespace", "collection_name"),
    *("wal", "busy_timeout", "isolation_level", "check_same_thread", "uri", "decode_content"),
}


def _backend(folder: Path, backend: str, options: Mapping[str, Any], veil: Veil) -> BaseCache:
    serializer = _serializer(veil)
    if backend == "sqlite":
        return _Cache(folder / _FILE, serializer, **options)
    if backend == "filesystem":
        options = {"decode_content": False, **options}
    return init_backend(folder / "http", backend, serializer=serializer, **options)


class _Table(SQLiteDict):
    """requests-cache's table, one statement at a time, each there whole or not at all.

    Left to itself, it reads while other threads write over the same connection (its issues #1190,
    #1008); its transactions stay open after an error, so that the next one waits for ever; and a
    full disk it swallows.
    """

    @contextmanager
    def connection(self, commit: bool = False) -> Iterator[Any]:
        """The one connection, for this thread alone; without a transaction, whatever `commit` says.

        Raises:
            StateError: SQLite failed. A file that is damaged is not in its place any more, so that
                whoever opens it next begins a new one.
        """
        path = Path(self.db_path)
        try:
            with self._lock, super().connection() as connection:
                yield connection
        except KeyError:  # how requests-cache says that a row is not there
            raise
        except Exception as error:
            if getattr(error, "sqlite_errorname", "").startswith(_DAMAGED):
                # Closed first: closing it deletes the log that has its name.
                self.close()  # type: ignore[no-untyped-call]  # requests-cache has no types here
                # Where it cannot be moved, it is told like any other fault.
                with suppress(OSError):
                    raise _set_aside(path, error) from error
            raise StateError(
                f"the HTTP cache {path} cannot be used: {error}; "
                "it may be deleted at the cost of one full answer from each feed"
            ) from error


class _SetAsideError(StateError):
    """The cache was damaged, and is not in its place any more."""


def _set_aside(path: Path, error: Exception) -> _SetAsideError:
    """Give the file another name, over the one that was set aside before; what to say about it.

    Raises:
        OSError: it has to stay where it is.
    """
    aside = path.replace(path.with_name(f"{path.name}.damaged"))
    for log in ("-wal", "-shm"):
        path.with_name(f"{path.name}{log}").unlink(missing_ok=True)
    return _SetAsideError(
        f"the HTTP cache {path} was damaged ({error}) and is set aside as {aside.name}; "
        "a new one costs one full answer from each feed"
    )


class _Cache(SQLiteCache):
    """requests-cache's SQLite backend over `_Table`."""

    def __init__(self, path: Path, serializer: SerializerPipeline, **options: Any) -> None:
        options |= {"wal": True, "busy_timeout": 5000}
        # Not SQLiteCache's own, which opens tables of its kind.
        super(SQLiteCache, self).__init__(cache_name=str(path), **options)
        self.responses = _Table(path, table_name="responses", serializer=serializer, **options)
        self.redirects = _Table(path, table_name="redirects", serializer=None, **options)


def _serializer(veil: Veil) -> SerializerPipeline:
    def dumps(response: CachedResponse) -> bytes:
        return _packed(response, veil)

    def loads(packed: bytes) -> CachedResponse:
        return _unpacked(packed, veil)

    return SerializerPipeline([Stage(dumps=dumps, loads=loads)], name="planet", is_binary=True)


def _packed(response: CachedResponse, veil: Veil) -> bytes:
    """A line of JSON and the packed body: nothing in it can be run, and no secret is in it."""
    head = {
        "url": response.url,
        "created": response.created_at.timestamp(),
        "headers": dict(response.headers),
    }
    body = zlib.compress(veil.hide_bytes(response._content), 1)
    return b"\n".join((_MAGIC, veil.hide_bytes(json.dumps(head).encode()), body))


def _unpacked(packed: bytes, veil: Veil) -> CachedResponse:
    """What `_packed` packed.

    Raises:
        ValueError: it did not; requests-cache takes that for a row that is not there.
    """
    magic, head_line, body = packed.split(b"\n", 2)
    if magic != _MAGIC:
        raise ValueError("not an answer that this version stored")
    try:
        head = json.loads(veil.show_bytes(head_line))
        return CachedResponse(
            status_code=200,
            url=head["url"],
            request=CachedRequest(method="GET", url=head["url"]),
            headers=CaseInsensitiveDict(head["headers"]),
            content=veil.show_bytes(zlib.decompress(body)),
            created_at=datetime.fromtimestamp(head["created"], UTC),
            expires=PAST,
        )
    except Exception as error:  # damage has no one kind
        raise ValueError("an answer that is damaged") from error
