"""One feed by itself: an address → the feed there, or the address a planet asks from then on.

`peek` reads feeds through a cache and needs no config. `peek` is as polite as a run: a feed is
asked with validators, no more than once an hour, less often when the feed or the server wants so,
and not at all while the server is to be left alone. In between, the last answer comes from the
cache. `discover` finds the feed at an address, or behind a page or an account.
"""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from planet.config import Cache, Config
from planet.config.feeds import resolve_address
from planet.config.kinds import check_address
from planet.errors import FeedError, FetchError, ParseError, UsageError
from planet.model import (
    PAGE,
    Feed,
    FeedState,
    Fetched,
    FetchPolicy,
    NewEntry,
    ParseResult,
    PollRequest,
    Profile,
)
from planet.parse import PARSER
from planet.parse.discovery import Alternate, find_alternates
from planet.run.ingest import last_format
from planet.run.open import Run, Scope, cleaning, load_feed_states, open_run
from planet.run.poll import PollJournal, ask_once, plan_polls, poll
from planet.run.read import ReadOptions
from planet.run.read import read as read_body
from planet.run.workers import Workers
from planet.schedule import (
    KnownFeeds,
    earliest_request,
    fill_profile_gaps,
    next_poll,
    record_attempt,
)
from planet.text import account, address
from planet.text.address import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

    from planet.model import PollResult


KEPT: Final = timedelta(days=90)
"""The state of an address is dropped after so long without a call."""
READERS: Final = Workers()
"""The processes that read bodies for all calls in a program; they end with the program."""
atexit.register(READERS.rest)
if sys.platform != "win32":  # pragma: no branch
    os.register_at_fork(after_in_child=READERS.leave_to_parent)


def cache_folder() -> Path:
    """Return the user's folder for this cache (XDG Base Directory Specification)."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The specification: a relative path is not valid, and to be ignored.
    return (base if base.is_absolute() else Path.home() / ".cache") / "planet"


_ON_DISK: Final = Cache()
_GAP: Final = timedelta(seconds=1)


@contextmanager
def open_cache(
    folder: Path | None,
    clock: Callable[[], datetime],
    *,
    cache: Cache = _ON_DISK,
    host_gap: timedelta = _GAP,
    agent: str | None = None,
) -> Iterator[Run]:
    """Use a cache folder when nobody else does; None is `cache_folder`.

    Raises:
        StateError: the folder cannot be used, or was held by others for minutes.
    """
    config = config_of((folder or cache_folder()).absolute())
    config = replace(config, cache=cache, fetch=replace(config.fetch, host_gap=host_gap))
    with open_run(config, clock, waits=True, agent=agent, workers=READERS) as run:
        purge(run)
        yield run


def config_of(state: Path) -> Config:
    """Return a planet with a state and no feeds."""
    return Config(path=state / "config.yaml", title="", output=state / "public", state=state)


def purge(run: Run, *, older_than: timedelta = KEPT) -> int:
    """Drop addresses without a call for so long, and return their number."""
    limit, states = run.clock() - older_than, run.store.states()
    old = {key for key, state in states.items() if (state.attempted_at or limit) < limit}
    if old:
        run.web.session.drop(old)
        run.store.forget(old)
    return len(old)


class FetchedFeed(msgspec.Struct, frozen=True, kw_only=True):
    """A feed, now or at the last answer; everything in the feed is clean."""

    url: str
    """The address of the answer."""
    profile: Profile
    """The facts of the feed: title, link, description, language, and more."""
    entries: tuple[NewEntry, ...]
    """In the order of the document. Titles and summaries are plain text, `content` is clean HTML,
    `raw` is the HTML of the feed; moments are UTC."""
    asked: bool
    """Whether the server was asked; if not, the feed is from the cache."""
    status: int | None = None
    """The HTTP status of the answer, which is 304 where nothing has changed; None of a file, and
    from the cache."""
    headers: Mapping[str, str] = {}
    """The headers of the answer; names in lower case."""
    next_at: datetime | None = None
    """The earliest moment of the next request; None: at once."""
    notes: tuple[str, ...] = ()
    """Oddities, in words."""

    @property
    def title(self) -> str:
        """Return the name of the feed: the title, else the address."""
        return self.profile.title or redact(self.url)


POLICY: Final = FetchPolicy(max_interval=timedelta(hours=1))
CLEANING: Final = cleaning(config_of(Path()))
"""How texts are cleaned without a config."""
_NEVER: Final = "never"
"""No parser has this version: whatever is on disk is to be read."""


def parse_address(name: str) -> str:
    """Return the address behind a word of a caller: an address, or the path of a file.

    Raises:
        UsageError: the word is neither.
    """
    try:
        return resolve_address(check_address(name), Path.cwd())
    except ValueError as error:
        raise UsageError(f"{redact(name)} {error}") from None


def peek(
    names: Iterable[str],
    *,
    run: Run,
    scope: Scope = Scope(),  # noqa: B008 - it is frozen
    policy: FetchPolicy = POLICY,
) -> Generator[tuple[str, FetchedFeed | FeedError], None, None]:
    """Yield each address, as given, with the feed or the error, as soon as possible.

    Addresses may hold any Unicode; paths of files will do, too.

    Raises:
        UsageError: one of them is no address.
    """
    given: dict[str, str] = {}
    for name in names:
        given.setdefault(parse_address(name), name)
    feeds = [Feed(key=url, url=url, slug="", policy=policy) for url in given]
    left = {feed.key: feed for feed in feeds}
    states = load_feed_states(run, left)
    journal = PollJournal(run)
    # Another call may have had another policy.
    own = {
        key: replace(state, due_at=earliest_request(state, left[key].policy))
        for key, state in states.items()
    }
    known = KnownFeeds(feeds, own, journal.hosts, lambda _: _NEVER)
    plan = plan_polls(known, scope=scope, now=run.clock())

    def read(feed: Feed) -> ReadOptions:
        return ReadOptions(cleaning=CLEANING, last_format=last_format(feed, states.get(feed.key)))

    # What could not be asked after all comes from the disk as well.
    for requests, on_disk in ((plan.requests, plan.on_disk), ([], plan.requests)):
        rest = [request for request in on_disk if request.feed.key in left]
        for polled in poll(requests, journal, read=read, on_disk=rest):
            left.pop(polled.feed.key)
            yield given[polled.feed.key], _record(polled, states.get(polled.feed.key), journal)
    # If it is the network here that is down, nothing is held against anyone.
    journal.undo(states)
    unreached = {feed.key: fetched.error for feed, fetched in run.reach.deferred}
    run.reach.deferred.clear()
    for feed in left.values():
        last_error = _last_error(states.get(feed.key))
        yield given[feed.key], unreached.get(feed.key) or last_error or _nothing_yet(feed, scope)


def _record(
    polled: PollResult[ParseResult], before: FeedState | None, journal: PollJournal
) -> FetchedFeed | FeedError:
    """Store the result of a poll, and return the feed or the error."""
    feed, fetched, result = polled
    news = result
    if isinstance(result, ParseResult):
        # All entries come anew each time.
        news = replace(result, drafts=())
    state = record_attempt(before, feed, fetched, news, reader=PARSER)
    journal.run.store.keep(state)
    if not isinstance(result, ParseResult) or state.failures:
        error = fetched.error or _last_error(state) or result
        assert isinstance(error, FeedError), "without a body there is an error"
        return error
    return FetchedFeed(
        url=fetched.url,
        profile=fill_profile_gaps(result.profile, state.resolved),
        entries=result.drafts,
        asked=fetched.asked,
        status=fetched.status,
        headers=fetched.headers,
        next_at=next_poll(feed, state, journal.hosts).at,
        notes=result.notes,
    )


def parse_feed(body: bytes, *, url: str, content_type: str | None = None) -> FetchedFeed:
    """Read the body of a feed; no request is sent, and nothing is kept.

    `url` is the base of relative addresses; `content_type` is the header of the answer.

    Raises:
        FeedError: the body is no feed; of a page with a link to one, with the address.
        UsageError: `url` is no address.
        StateError: no process can be started to read the body.
    """
    name, options = parse_address(url), ReadOptions(cleaning=CLEANING)
    call = READERS.call(read_body, body, url=name, content_type=content_type, options=options)
    if isinstance(result := call.result(), FeedError):
        raise result
    return FetchedFeed(
        url=name,
        profile=result.profile,
        entries=result.drafts,
        asked=False,
        headers={"content-type": content_type} if content_type else {},
        notes=result.notes,
    )


def _last_error(state: FeedState | None) -> FeedError | None:
    """Return the last failure of a feed."""
    if state is None or state.error_kind is None:
        return None
    return FeedError(state.error_kind, state.error or state.error_kind)


def _nothing_yet(feed: Feed, scope: Scope) -> FetchError:
    reason = "no request was to be sent" if scope.offline else "its server is not to be asked yet"
    words = f"nothing of {redact(feed.url)} is in the cache, and {reason}"
    return FetchError("not_cached" if scope.offline else "host_cooldown", words)


# The feed at an address, or behind a page

_NONE_NAMED: Final = (
    ', and it names no feed in a <link rel="alternate"> of the type RSS, Atom or JSON Feed; '
    "give the address of the feed itself"
)


class Discovery(msgspec.Struct, frozen=True, kw_only=True):
    """A feed, found at an address."""

    url: str
    """The address to ask from now on."""
    feed: ParseResult
    also_at: frozenset[str]
    """The other addresses on the way to the feed."""
    page: str | None = None
    """The page with a link to the feed, if found there."""
    others: tuple[Alternate, ...] = ()
    """The other feeds of the page."""


def discover(url: str, config: Config, run: Run, *, is_led: bool = False) -> Discovery:
    """Find the feed at a web address, or the best feed of the page there.

    The address is the end of permanent redirects, unless they give TLS up. The answer is in the
    HTTP cache, and the next run asks for changes. With `is_led` a stranger gave the address, which
    has to be public then.

    Raises:
        FeedError: there is none; with the reason, in words for the operator.
    """
    url = address.normalize(url)
    feed = Feed(key=url, url=url, slug="", policy=config.policy, is_led=is_led)
    # What is there is looked at, also when it came before: no hash is named.
    request = PollRequest(feed=feed)
    result, answer = _ask(request, run)
    named = _find_named(result, answer, run)
    if not named:
        if isinstance(result, ParseResult):
            return _choose_address(feed, result, answer, run)
        # The profile of an account may be there.
        if known_as := account.guess_from_profile(url):
            with suppress(FeedError):
                return discover(known_as, config, run, is_led=is_led)
        more = _NONE_NAMED if result.kind == "not_a_feed" else ""
        raise ParseError(result.kind, f"{redact(answer.url)}: {result}{more}")
    best, *others = named
    # As if the page had redirected there: what a public page names has to be public.
    led = replace(feed, key=best.url, is_led=answer.is_public is not False)
    result, fetched = _ask(replace(request, feed=led, adopted_url=best.url), run)
    if isinstance(result, FeedError):
        words = f"{result}; {redact(answer.url)} names it as its feed"
        raise ParseError(result.kind, f"{redact(best.url)}: {words}")
    found = _choose_address(replace(led, url=best.url), result, fetched, run)
    return replace(found, page=answer.url, others=tuple(others))


def _ask(request: PollRequest, run: Run) -> tuple[ParseResult | FeedError, Fetched]:
    """Ask for the document at an address.

    Raises:
        FetchError: nothing came.
    """
    options = ReadOptions(cleaning=CLEANING, clean_first=0)
    try:
        _, fetched, result = ask_once(request, run, read=lambda _: options)
    except FetchError as error:
        raise FetchError(error.kind, f"{redact(request.url)}: {error}") from error
    assert result is not None, "of a new request, every body is read"
    if isinstance(result, ParseResult):
        profile = fill_profile_gaps(result.profile, fetched.resolved)
        result = replace(result, profile=profile)
    return result, fetched


def _find_named(
    result: ParseResult | FeedError, fetched: Fetched, run: Run
) -> tuple[Alternate, ...]:
    """Return the feeds of a page, which itself has few of the posts, if any."""
    if isinstance(result, ParseResult) and result.profile.format != PAGE:
        return ()
    kind = fetched.headers.get("content-type")
    # In a worker, like all that is read.
    named = run.workers.call(find_alternates, fetched.body or b"", fetched.url, kind).result()
    return () if isinstance(named, FeedError) else named


def _choose_address(feed: Feed, result: ParseResult, fetched: Fetched, run: Run) -> Discovery:
    """Return a feed with the address to ask from now on.

    The body on disk is renamed to this address.
    """
    asked, moved = feed.url, fetched.permanent_url or feed.url
    gives_tls_up = asked.startswith("https:") and not moved.startswith("https:")
    url = address.normalize(asked if gives_tls_up else moved)
    if url != feed.key:
        run.web.session.rename(feed.key, url)
    return Discovery(url=url, feed=result, also_at=frozenset({asked, fetched.url, moved} - {url}))
