"""The requests-cache session: bodies and validators on disk, exactly as they came.

The only door to requests-cache, and all that tames it. Its settings, and why:

- `expire_after` in the past: every request revalidates; whether to ask at all is `schedule`'s
  decision. A fixed date, because a moving one makes each 304 rewrite its body, and zero keeps the
  old validators when a 200 comes without any.
- `cache_control=False`: with it on, `immutable` freezes a feed, and some `Expires` raise.
- `allowable_codes=(200,)`: nothing else may touch a stored body or its validators.
- `stale_if_error=False`: a feed that is down must show.
- our own key: the default one drops and sorts parts of the query, so that two private feeds
  can share a body. A digest, because a backend puts it into SQL or a file name.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from http.cookiejar import DefaultCookiePolicy
from importlib import import_module
from inspect import isclass, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from requests.structures import CaseInsensitiveDict
from requests_cache import CachedSession
from requests_cache.backends import init_backend
from requests_cache.backends.sqlite import SQLiteCache, SQLiteDict, sqlite_template
from requests_cache.models.request import CachedRequest
from requests_cache.models.response import CachedResponse
from requests_cache.policy.directives import CacheDirectives
from requests_cache.serializers.pipeline import SerializerPipeline, Stage

from planet import __version__
from planet.errors import StateError
from planet.http.adapter import FeedAdapter
from planet.http.exchange import MAX_VALIDATOR, is_public, kept_as
from planet.model import Conditions
from planet.model.secrets import NO_REDACTOR, Redactor
from planet.project import page
from planet.text import headers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from requests import PreparedRequest, Response
    from requests_cache.backends.base import BaseCache

    from planet.http.exchange import Exchange, FeedRequest


PAST = datetime(2000, 1, 1, tzinfo=UTC)
"""When every stored answer has expired (see `session`)."""
_MAGIC = b"P2"
_FILE = "http.sqlite"
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
"""How the names of such errors begin, https://www.sqlite.org/rescode.html."""


def open_cache(
    folder: Path, backend: str, options: Mapping[str, Any], veil: Redactor
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


def _backend(folder: Path, backend: str, options: Mapping[str, Any], veil: Redactor) -> BaseCache:
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


def _serializer(veil: Redactor) -> SerializerPipeline:
    def dumps(response: CachedResponse) -> bytes:
        return _packed(response, veil)

    def loads(packed: bytes) -> CachedResponse:
        return _unpacked(packed, veil)

    return SerializerPipeline([Stage(dumps=dumps, loads=loads)], name="planet", is_binary=True)


def _packed(response: CachedResponse, veil: Redactor) -> bytes:
    """A line of JSON and the packed body: nothing in it can be run, and no secret is in it."""
    head = {
        "url": response.url,
        "created": response.created_at.timestamp(),
        "headers": dict(response.headers),
    }
    body = zlib.compress(veil.hide_bytes(response._content), 1)
    return b"\n".join((_MAGIC, veil.hide_bytes(json.dumps(head).encode()), body))


def _unpacked(packed: bytes, veil: Redactor) -> CachedResponse:
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


# requests-cache inspects this signature three times for every request; one that is already there
# is not worked out again, which saves a tenth of what a 304 costs.
CacheDirectives.__init__.__signature__ = signature(CacheDirectives.__init__)  # type: ignore[attr-defined]


def user_agent(contact: str | None) -> str:
    """The same for every request (R46): what it is, which version, and a page about it.

    That is the operator's if they have one, else one of the project's.
    """
    return f"Planet/{__version__} (+{contact or page('politeness.md')})"


_CONDITIONS = frozenset({"If-None-Match", "If-Modified-Since"})
_VALIDATORS = ("ETag", "Last-Modified")
_PLAUSIBLE = timedelta(hours=24)
"""How far a Last-Modified may be ahead of the answer it came with."""


class _Adapter(FeedAdapter):
    """Between requests-cache and the wire.

    What it gets is a bare answer: status, body, validators; all other headers are kept on the
    request's `Exchange`. So the cache can neither be steered by a server (`Vary`, `Cache-Control`,
    `Expires` in forms that raise) nor be made to rewrite a body because a `Date` moved on; what it
    stores and echoes is exactly what the last 200 or 304 said.
    """

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        """As `FeedAdapter` does, with those validators only that are wanted."""
        request = cast("FeedRequest", request)
        _settle(request)
        response = super().send(request, *args, **kwargs)
        if request.exchange.cut_off:
            response.status_code = 206  # which is not stored, and leaves what is as it was
        response.headers = _bare(request.exchange)
        return response


def _settle(request: FeedRequest) -> None:
    """Name only those validators, of all that requests-cache put in, that are wanted."""
    wanted = request.exchange.conditions
    by_date = "If-Modified-Since" in request.headers
    if wanted is Conditions.NONE or (wanted is Conditions.DATE and by_date):
        request.headers.pop("If-None-Match", None)
    if wanted is Conditions.NONE:
        request.headers.pop("If-Modified-Since", None)
    request.exchange.etag = request.headers.get("If-None-Match")
    request.exchange.conditional = not _CONDITIONS.isdisjoint(request.headers)


def _bare(exchange: Exchange) -> CaseInsensitiveDict[str]:
    """What the cache may know of an answer: its validators, exactly as they came."""
    kept: CaseInsensitiveDict[str] = CaseInsensitiveDict()
    for name in _VALIDATORS:
        value = exchange.headers.get(name, "").strip(" \t")
        # Longer ones, and ones that could end a header line, are not worth echoing (R2).
        if 0 < len(value) <= MAX_VALIDATOR and not any(bad in value for bad in "\r\n\0"):
            kept[name] = value
    modified = headers.http_date(kept.get("Last-Modified", ""))
    if modified is not None:
        said = {"date": exchange.headers.get("Date", "")}
        # A server that means this date will say "not modified" until it has come (R2).
        if modified > headers.date(said, received=exchange.asked_at) + _PLAUSIBLE:
            del kept["Last-Modified"]
    return kept


class FeedSession(CachedSession):
    """A session that sends `FeedRequest`s only, and keeps nothing but bodies and validators."""

    adapter: FeedAdapter
    is_public: Callable[[str], bool]
    """Whether an IP address is one of the public Internet."""
    notice: str | None
    """What became of the cache that was there, if it was damaged."""
    veil: Redactor
    """Hides the secrets in what is kept."""

    def cached(self, name: str) -> CachedResponse | None:
        """The answer that is kept under a name (`exchange.kept_as`), without asking anyone."""
        return self.cache.get_response(self._key(name))

    def keep_only(self, names: Iterable[str]) -> None:
        """Drop all other answers."""
        wanted = {self._key(name) for name in names}
        gone = [key for key in self.cache.responses if key not in wanted]
        if gone:
            self.cache.responses.bulk_delete(gone)
            if 2 * len(gone) > len(wanted):
                self.compact()

    def kept(self) -> int:
        """How many answers are kept."""
        return len(self.cache.responses)

    def compact(self) -> None:
        """Give the room of what was dropped back to the disk, where the cache is an SQLite file."""
        if isinstance(self.cache.responses, SQLiteDict):
            with self.cache.responses.connection() as connection:
                connection.execute("VACUUM")

    def rename(self, old: str, new: str) -> None:
        """Keep for the feed with the key `new` what is kept for the one with the key `old`."""
        kept = self.cache.responses
        for key in list(kept):
            response = self.cache.get_response(key)
            if response is not None and self._key(kept_as(old, response.url)) == key:
                kept[self._key(kept_as(new, response.url))] = response
                del kept[key]

    def _key(self, name: str) -> str:
        return _key_of(name, self.veil)


def open_session(
    folder: Path,
    *,
    backend: str,
    options: Mapping[str, Any],
    is_public: Callable[[str], bool] = is_public,
    veil: Redactor = NO_REDACTOR,
) -> FeedSession:
    """The session whose cache is in `folder`; `options` go to requests-cache's backend.

    What is kept there is behind `veil`.
    `is_public` judges the IP addresses that redirects lead to. Tests, whose servers are all on
    loopback, say otherwise. An SQLite file that is damaged is set aside for a new one.

    Raises:
        StateError: the cache cannot be opened, or the backend's library is not installed.
    """
    cache, notice = open_cache(folder, backend, options, veil)
    session = FeedSession(
        backend=cache,
        expire_after=PAST,
        cache_control=False,
        allowable_codes=(200,),
        allowable_methods=("GET",),
        ignored_parameters=(),
        match_headers=False,
        stale_if_error=False,
        key_fn=partial(_key, veil),
    )
    session.veil = veil
    session.is_public = is_public
    session.notice = notice
    session.trust_env = False  # no .netrc, no proxies that nobody configured
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    session.adapters.clear()
    session.adapter = _Adapter()
    session.mount("http://", session.adapter)
    session.mount("https://", session.adapter)
    return session


def _key(veil: Redactor, request: PreparedRequest, **_: Any) -> str:
    return _key_of(cast("FeedRequest", request).exchange.kept_as, veil)


def _key_of(name: str, veil: Redactor) -> str:
    # From a digest of it, a short secret could be guessed.
    return hashlib.blake2b(veil.hide(name).encode(), digest_size=16).hexdigest()
