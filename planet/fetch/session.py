"""The requests-cache session: bodies and validators on disk, exactly as they came.

The only door to requests-cache. Its settings, and why:

- `expire_after` in the past: every request revalidates; whether to ask at all is `schedule`'s
  decision. A fixed date, because a moving one makes each 304 rewrite its body, and zero keeps the
  old validators when a 200 comes without any.
- `cache_control=False`: with it on, `immutable` freezes a feed, and some `Expires` raise.
- `allowable_codes=(200,)`: nothing else may touch a stored body or its validators.
- `stale_if_error=False`: a feed that is down must show.
- our own key: the default one drops and sorts parts of the query, so that two private feeds
  can share a body. A digest, because a backend puts it into SQL or a file name.
- our own serialiser: the default one is pickle, and whoever could write the file could run code.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from contextlib import contextmanager
from datetime import UTC, datetime
from http.cookiejar import DefaultCookiePolicy
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from requests.structures import CaseInsensitiveDict
from requests_cache import CachedSession
from requests_cache.backends import init_backend
from requests_cache.backends.sqlite import SQLiteCache, SQLiteDict
from requests_cache.models.request import CachedRequest
from requests_cache.models.response import CachedResponse
from requests_cache.policy.directives import CacheDirectives
from requests_cache.serializers.pipeline import SerializerPipeline, Stage

from planet import __version__
from planet.errors import StateError
from planet.fetch.adapter import FeedAdapter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from requests import PreparedRequest
    from requests_cache.backends.base import BaseCache

    from planet.fetch.exchange import FeedRequest

# requests-cache inspects this signature three times for every request; one that is already there
# is not worked out again, which saves a tenth of what a 304 costs.
CacheDirectives.__init__.__signature__ = signature(CacheDirectives.__init__)  # type: ignore[attr-defined]

_PAST = datetime(2000, 1, 1, tzinfo=UTC)
_ABOUT = "https://github.com/planet-digest/planet/blob/main/docs/politeness.md"
_MAGIC = b"P1"
_FILE = "http.sqlite"


def user_agent(contact: str | None) -> str:
    """The same for every request (R46): what it is, which version, and a page about it."""
    return f"Planet/{__version__} (+{contact or _ABOUT})"


class FeedSession(CachedSession):
    """A session that sends `FeedRequest`s only, and keeps nothing but bodies and validators."""

    adapter: FeedAdapter

    def cached(self, name: str) -> CachedResponse | None:
        """The answer that is kept under a name (`exchange.kept_as`), without asking anyone."""
        return self.cache.get_response(_key_of(name))

    def keep_only(self, names: Iterable[str]) -> None:
        """Drop all other answers."""
        wanted = {_key_of(name) for name in names}
        gone = [key for key in self.cache.responses if key not in wanted]
        if gone:
            self.cache.responses.bulk_delete(gone)


def open_session(folder: Path, *, backend: str, options: Mapping[str, Any]) -> FeedSession:
    """The session whose cache is in `folder`; `options` go to requests-cache's backend.

    Raises:
        StateError: the cache cannot be opened, or the backend's library is not installed.
    """
    try:
        cache = _backend(folder, backend, options)
    except Exception as error:  # each backend has exceptions of its own
        if backend == "sqlite":
            raise _unusable(folder / _FILE, error) from error
        raise StateError(f"the {backend} cache cannot be opened: {error}") from error
    session = FeedSession(
        backend=cache,
        expire_after=_PAST,
        cache_control=False,
        allowable_codes=(200,),
        allowable_methods=("GET",),
        ignored_parameters=(),
        match_headers=False,
        stale_if_error=False,
        key_fn=_key,
    )
    session.trust_env = False  # no .netrc, no proxies that nobody configured
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    session.adapters.clear()
    session.adapter = FeedAdapter()
    session.mount("http://", session.adapter)
    session.mount("https://", session.adapter)
    return session


def _key(request: PreparedRequest, **_: Any) -> str:
    return _key_of(cast("FeedRequest", request).exchange.kept_as)


def _key_of(name: str) -> str:
    return hashlib.blake2b(name.encode(), digest_size=16).hexdigest()


def _backend(folder: Path, backend: str, options: Mapping[str, Any]) -> BaseCache:
    if backend == "sqlite":
        return _Cache(folder / _FILE, **options)
    if backend == "filesystem":
        options = {"decode_content": False, **options}
    return init_backend(folder / "http", backend, serializer=_SERIALIZER, **options)


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
            StateError: SQLite failed.
        """
        try:
            with self._lock, super().connection() as connection:
                yield connection
        except KeyError:  # how requests-cache says that a row is not there
            raise
        except Exception as error:
            raise _unusable(Path(self.db_path), error) from error


def _unusable(path: Path, error: Exception) -> StateError:
    return StateError(
        f"the HTTP cache {path} cannot be used: {error}; "
        "it may be deleted at the cost of one full answer from each feed"
    )


class _Cache(SQLiteCache):
    """requests-cache's SQLite backend over `_Table`."""

    def __init__(self, path: Path, **options: Any) -> None:
        options |= {"wal": True, "busy_timeout": 5000}
        super().__init__(path, serializer=_SERIALIZER, **options)
        self.close()  # type: ignore[no-untyped-call]  # requests-cache has no types here
        self.responses = _Table(path, table_name="responses", serializer=_SERIALIZER, **options)
        self.redirects = _Table(path, table_name="redirects", serializer=None, **options)


def _dumps(response: CachedResponse) -> bytes:
    """A line of JSON and the packed body: nothing in it can be run."""
    head = {
        "url": response.url,
        "created": response.created_at.timestamp(),
        "headers": dict(response.headers),
    }
    body = zlib.compress(response._content, 1)
    return b"\n".join((_MAGIC, json.dumps(head).encode(), body))


def _loads(packed: bytes) -> CachedResponse:
    """What `_dumps` packed.

    Raises:
        ValueError: it did not; requests-cache takes that for a row that is not there.
    """
    magic, head_line, body = packed.split(b"\n", 2)
    if magic != _MAGIC:
        raise ValueError("not an answer that this version stored")
    try:
        head = json.loads(head_line)
        return CachedResponse(
            status_code=200,
            url=head["url"],
            request=CachedRequest(method="GET", url=head["url"]),
            headers=CaseInsensitiveDict(head["headers"]),
            content=zlib.decompress(body),
            created_at=datetime.fromtimestamp(head["created"], UTC),
            expires=_PAST,
        )
    except Exception as error:  # damage has no one kind
        raise ValueError("an answer that is damaged") from error


_SERIALIZER = SerializerPipeline([Stage(dumps=_dumps, loads=_loads)], name="planet", is_binary=True)
