"""The requests-cache session: bodies and validators on disk, exactly as they came.

With `cache` the only door to requests-cache. Its settings, and why:

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
from functools import partial
from http.cookiejar import DefaultCookiePolicy
from inspect import signature
from typing import TYPE_CHECKING, Any, cast

from requests_cache import CachedSession
from requests_cache.backends.sqlite import SQLiteDict
from requests_cache.policy.directives import CacheDirectives

from planet import __version__
from planet.fetch.adapter import FeedAdapter
from planet.fetch.cache import PAST, open_cache
from planet.fetch.exchange import kept_as
from planet.fetch.peers import is_public
from planet.project import page
from planet.veil import NO_VEIL, Veil

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from requests import PreparedRequest
    from requests_cache.models.response import CachedResponse

    from planet.fetch.exchange import FeedRequest

# requests-cache inspects this signature three times for every request; one that is already there
# is not worked out again, which saves a tenth of what a 304 costs.
CacheDirectives.__init__.__signature__ = signature(CacheDirectives.__init__)  # type: ignore[attr-defined]


def user_agent(contact: str | None) -> str:
    """The same for every request (R46): what it is, which version, and a page about it.

    That is the operator's if they have one, else one of the project's.
    """
    return f"Planet/{__version__} (+{contact or page('politeness.md')})"


class FeedSession(CachedSession):
    """A session that sends `FeedRequest`s only, and keeps nothing but bodies and validators."""

    adapter: FeedAdapter
    is_public: Callable[[str], bool]
    """Whether an IP address is one of the public Internet."""
    notice: str | None
    """What became of the cache that was there, if it was damaged."""
    veil: Veil
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
    veil: Veil = NO_VEIL,
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
    session.adapter = FeedAdapter()
    session.mount("http://", session.adapter)
    session.mount("https://", session.adapter)
    return session


def _key(veil: Veil, request: PreparedRequest, **_: Any) -> str:
    return _key_of(cast("FeedRequest", request).exchange.kept_as, veil)


def _key_of(name: str, veil: Veil) -> str:
    # From a digest of it, a short secret could be guessed.
    return hashlib.blake2b(veil.hide(name).encode(), digest_size=16).hexdigest()
