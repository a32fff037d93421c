"""An address → the feed that is there: its own, or the one that the page there names.

`peek` gives what the feed says, through a cache of its own, and needs no config. It is as polite as
a run: a feed is asked with validators, no more than once an hour, less often when it or its server
wants that, and not at all while its server is to be left alone. In between, what it said last comes
from the cache.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from planet.config import Cache, Config, texts
from planet.errors import FeedError, FetchError, ParseError, UsageError
from planet.model import PAGE, Feed, FeedState, Fetched, FetchPolicy, NewEntry, ParseResult, Profile
from planet.parse import PARSER
from planet.parse.discovery import Alternate, find_alternates
from planet.peek.results import Results, StoredResult
from planet.run.ingest import last_format
from planet.run.open import Run, Scope, cleaning, load_feed_states, open_run
from planet.run.poll import PollPlan, plan_polls, poll
from planet.run.read import ReadOptions, read, read_answer
from planet.run.workers import Workers
from planet.schedule import (
    KnownFeeds,
    apply_policy,
    fill_profile_gaps,
    find_host,
    next_poll,
    record_attempt,
)
from planet.text import address
from planet.text.address import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from planet.run.journal import PollJournal


KEPT: Final = timedelta(days=90)
"""What is known of an address that nobody has asked about for so long goes."""
READERS: Final = Workers()
"""What reads bodies for all users of this module in a program, and ends with it."""
atexit.register(READERS.rest)
if sys.platform != "win32":  # pragma: no branch
    os.register_at_fork(after_in_child=READERS.leave_to_parent)
_MOMENT: Final = 0.05
"""Seconds after which one looks again whether another has an answer."""


def cache_folder() -> Path:
    """Return the user's folder for this cache (XDG Base Directory Specification)."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The specification: a relative path is not valid, and to be ignored.
    return (base if base.is_absolute() else Path.home() / ".cache") / "planet"


@contextmanager
def open_cache(
    folder: Path | None,
    clock: Callable[[], datetime],
    *,
    cache: Cache | None = None,
    host_gap: timedelta | None = None,
    agent: str | None = None,
) -> Iterator[Run]:
    """Use a cache folder, together with others who do; None is `cache_folder`.

    Raises:
        StateError: it cannot be used, or a run holds it.
    """
    config = config_of((folder or cache_folder()).absolute())
    if cache is not None:
        config = replace(config, cache=cache)
    if host_gap is not None:
        config = replace(config, fetch=replace(config.fetch, host_gap=host_gap))
    with open_run(config, clock, shared=True, agent=agent, workers=READERS) as run:
        purge(run, results=results_in(config.state))
        yield run


def results_in(folder: Path | None) -> Results:
    """Open what was made of the bodies of a cache folder; None is `cache_folder`."""
    return Results((folder or cache_folder()) / "results")


def config_of(state: Path) -> Config:
    """Return a planet that has nothing but a state."""
    return Config(path=state / "config.yaml", title="", output=state / "public", state=state)


def purge(run: Run, *, older_than: timedelta = KEPT, results: Results | None = None) -> int:
    """Let go of what nobody has asked about for long; how many addresses went."""
    limit = run.clock() - older_than
    old = {
        key: state
        for key, state in run.store.states().items()
        if state.attempted_at and state.attempted_at < limit
    }
    for key, state in old.items():
        run.web.drop(Feed(key=key, url=state.url, slug=""), state.answered_url)
        if results:
            results.drop(key)
    if old:
        run.store.upkeep.forget(old)
        for turns in (run.feed_locks, run.web.turns):
            if turns:
                turns.tidy()
    return len(old)


class FetchedFeed(msgspec.Struct, frozen=True, kw_only=True):
    """A feed as it is now, or as it was when it last could be asked; everything in it is clean."""

    url: str
    """The address that answered."""
    profile: Profile
    """What the feed says of itself: title, link, description, language, and more."""
    entries: tuple[NewEntry, ...]
    """In the order of the document. Titles and summaries are plain text, `content` is clean HTML,
    `raw` is what the feed sent; moments are UTC."""
    asked: bool
    """Whether its server was asked; if not, this is from the cache."""
    status: int | None = None
    """The HTTP status of the answer, which is 304 where nothing has changed; from the cache, of the
    one that the feed came with. None of a file."""
    headers: Mapping[str, str] = {}
    """The headers of that answer; names in lower case."""
    notes: tuple[str, ...] = ()
    """What was odd about it, in words."""
    page: str | None = None
    """The web page that names this feed, if its address was given."""
    others: tuple[str, ...] = ()
    """The addresses of the feeds that the page names besides."""

    @property
    def title(self) -> str:
        """What the feed is called: its title, else its address."""
        return self.profile.title or redact(self.url)


class Peek(msgspec.Struct, frozen=True, kw_only=True):
    """What came of looking at one address."""

    given: str
    """The address as it was given; it may hold secrets."""
    result: FetchedFeed | FeedError
    next_at: datetime | None = None
    """When it is asked again at the earliest; None: nothing stands in the way."""


POLICY: Final = FetchPolicy(max_interval=timedelta(hours=1))
_NEVER: Final = "never"
"""No parser has this version: whatever is on disk is to be read."""


def parse_address(name: str) -> str:
    """Return the address that somebody gave, or that of the file that is meant.

    Raises:
        UsageError: it is none.
    """
    try:
        return texts.resolve_address(texts.check_address(name), Path.cwd())
    except ValueError as error:
        raise UsageError(f"{redact(name)} {error}") from None


def peek(
    names: Iterable[str],
    *,
    run: Run,
    texts: bool = True,
    scope: Scope = Scope(),  # noqa: B008 - it is frozen
    policy: FetchPolicy = POLICY,
    results: Results | None = None,
) -> Generator[Peek, None, None]:
    """Yield what the feeds at these addresses say, each as soon as it is known.

    Addresses may hold any Unicode; paths of files will do, too. A page is asked for the feed that
    it names, which then is asked for itself. Without `texts` the texts of entries are not cleaned,
    which takes most of the time. What is in `results` is not read again.

    Raises:
        UsageError: one of them is no address.
    """
    feeds: dict[str, Feed] = {}
    given: dict[str, str] = {}
    for name in names:
        url = parse_address(name)
        feed = Feed(key=url, url=url, slug="", policy=policy)
        feeds.setdefault(feed.key, feed)
        given.setdefault(feed.key, name)
    look_at = partial(_look_at, run=run, scope=scope, texts=texts, results=results)
    pages: list[tuple[str, FetchedFeed]] = []
    named_by: dict[str, Feed] = {}
    for look in look_at([*feeds.values()]):
        name, result = given[look.feed.key], look.result
        if isinstance(result, FetchedFeed) and result.page:
            pages.append((name, result))
            named_by.setdefault(result.url, _name_feed(result, look.feed, policy, run))
        else:
            yield Peek(given=name, result=result, next_at=look.next_at)
    for look in look_at([*named_by.values()]):
        for name, page in pages:
            if page.url == look.feed.url:
                result = _add_page(page, look.result)
                yield Peek(given=name, result=result, next_at=look.next_at)


class _Look(NamedTuple):
    """What is at the address of a feed."""

    feed: Feed
    result: FetchedFeed | FeedError
    next_at: datetime | None
    """When it is asked again at the earliest."""


def _name_feed(page: FetchedFeed, feed: Feed, policy: FetchPolicy, run: Run) -> Feed:
    """Return the feed that a page names: what a public page names has to be public."""
    state = run.store.states([feed.key]).get(feed.key)
    is_inside = state is not None and state.is_inside
    return Feed(key=page.url, url=page.url, slug="", policy=policy, is_led=not is_inside)


def _add_page(page: FetchedFeed, result: FetchedFeed | FeedError) -> FetchedFeed | FeedError:
    """Return what came of the feed that a page names, with that page."""
    if isinstance(result, FetchedFeed):
        asked = result.asked or page.asked
        return replace(result, page=page.page, others=page.others, asked=asked)
    words = f"{result}; {redact(page.page or '')} names {redact(page.url)} as its feed"
    return type(result)(result.kind, words)


def _look_at(
    feeds: Sequence[Feed], *, run: Run, scope: Scope, texts: bool, results: Results | None
) -> Iterator[_Look]:
    """Yield what is at the address of each feed."""
    assert run.feed_locks is not None, "a cache is shared"
    left = {feed.key: feed for feed in feeds}
    states = load_feed_states(run, left)
    journal = run.journal(states=states)

    def look(feed: Feed, fetched: Fetched) -> _Look:
        before = states.get(feed.key)
        document = None
        if fetched.body is not None:
            reader = choose_reader(feed, before, texts=texts)
            document = _read_once(reader, fetched, run, results=results if texts else None)
        return _record(feed, fetched, document, before, journal, run)

    def select(states: Mapping[str, FeedState]) -> PollPlan:
        # Another call may have had another policy.
        own = {
            feed.key: apply_policy(state, feed.policy)
            for feed in feeds
            if (state := states.get(feed.key))
        }
        known = KnownFeeds(feeds, own, journal.hosts, _NEVER)
        return plan_polls(known, scope=scope, now=run.clock())

    plan = select(states)
    here = [request for request in plan.on_disk if not run.feed_locks.is_taken(request.feed.key)]
    try:
        for feed, fetched, _ in poll(plan.requests, journal, run, on_disk=here):
            del left[feed.key]
            yield look(feed, fetched)
    finally:
        run.feed_locks.leave_all()
    # What others ask for meanwhile, and what cannot be asked now.
    while any(map(run.feed_locks.is_taken, left)):
        time.sleep(_MOMENT)
    states = run.store.states(feed.key for feed in feeds)
    later = select(states)
    rest = (*later.requests, *later.on_disk)
    on_disk = [request for request in rest if request.feed.key in left]
    for feed, fetched, _ in poll([], journal, run, on_disk=on_disk):
        del left[feed.key]
        yield look(feed, fetched)
    # If it is the network here that is down, nothing is held against anyone.
    journal.undo(states)
    unreached = {feed.key: fetched.error for feed, fetched in run.reach.held}
    run.reach.held.clear()
    for feed in left.values():
        before = states.get(feed.key)
        error = unreached.get(feed.key) or _last_error(before) or _nothing_yet(feed, scope)
        yield _Look(feed, error, _next_at(feed, before, journal))


def _record(
    feed: Feed,
    fetched: Fetched,
    document: AnswerContent | None,
    before: FeedState | None,
    journal: PollJournal,
    run: Run,
) -> _Look:
    """Store what came of asking for a feed, and return it."""
    news = document.result if document else None
    if isinstance(news, ParseResult):
        # All entries come anew each time; only when it posted tells how often it does.
        posted = tuple(moment for moment in news.posted if moment and moment <= fetched.ended)
        news = replace(news, drafts=(), posted=posted)
    state = record_attempt(before, feed, fetched, news, reader=PARSER)
    # What was only read again may be older than what another has written meanwhile.
    if fetched.asked or feed.is_file:
        run.store.keep(state)
    if run.feed_locks:
        run.feed_locks.leave(feed.key, asked=False)
    return _Look(feed, _describe(fetched, document, state), _next_at(feed, state, journal))


def _next_at(feed: Feed, state: FeedState | None, journal: PollJournal) -> datetime | None:
    return next_poll(feed, state, find_host(feed, state, journal.hosts))[0]


class AnswerContent(NamedTuple):
    """What an answer says, and with what it came."""

    result: ParseResult | FeedError
    named: tuple[Alternate, ...] = ()
    """The feeds that it names, if it may be that one of them is better than itself."""
    status: int | None = None
    """The HTTP status with which it came."""
    headers: Mapping[str, str] | None = None


class _BodyReader(NamedTuple):
    """What reads an answer of a feed."""

    key: str
    read: Callable[[Fetched], AnswerContent]
    is_page: bool
    """Whether it takes a page for a feed."""


def choose_reader(feed: Feed, state: FeedState | None, *, texts: bool) -> _BodyReader:
    """Return what reads an answer of a feed, of which `state` is known."""
    options = ReadOptions(
        clean_first=None if texts else 0,
        cleaning=cleaning(config_of(Path())),
        last_format=last_format(feed, state),
    )
    is_page = options.last_format in (None, PAGE)
    return _BodyReader(feed.key, partial(_read, options=options), is_page)


def _read_once(
    reader: _BodyReader, fetched: Fetched, run: Run, *, results: Results | None
) -> AnswerContent:
    """Return what a body says, from before if the very same was read already."""
    stored = results.get(reader.key) if results else None
    if (
        stored
        and fetched.body_hash == stored.body_hash
        and fetched.url == stored.url
        and stored.is_page in (None, reader.is_page)
    ):
        return AnswerContent(stored.outcome, stored.named, stored.status, stored.headers)
    document = run.workers.call(reader.read, fetched).result()
    if isinstance(document, FeedError):
        return AnswerContent(document)
    document = document._replace(status=fetched.status, headers=dict(fetched.headers))
    result = document.result
    if results and fetched.body_hash is not None and isinstance(result, ParseResult | ParseError):
        is_feed = isinstance(result, ParseResult) and result.profile.format != PAGE
        stored = StoredResult(
            body_hash=fetched.body_hash,
            url=fetched.url,
            result=result if isinstance(result, ParseResult) else None,
            error_kind=result.kind if isinstance(result, ParseError) else None,
            error=str(result) if isinstance(result, ParseError) else None,
            named=document.named,
            status=fetched.status,
            headers=dict(fetched.headers),
            is_page=None if is_feed else reader.is_page,
        )
        results.put(reader.key, stored)
    return document


def _read(fetched: Fetched, *, options: ReadOptions) -> AnswerContent:
    """Return what a body says, and which feeds it names: a page often has few of the posts."""
    result: ParseResult | ParseError
    try:
        result = read_answer(fetched, options=options)
    except ParseError as error:
        result = error
    is_page = isinstance(result, ParseError) or result.profile.format == PAGE
    # Where a feed was, a page is the sign of a fault.
    may_lead = is_page and options.last_format in (None, PAGE)
    body, kind = fetched.body or b"", fetched.headers.get("content-type")
    named = find_alternates(body, url=fetched.url, content_type=kind) if may_lead else ()
    return AnswerContent(result, named)


def _describe(
    fetched: Fetched, document: AnswerContent | None, state: FeedState
) -> FetchedFeed | FeedError:
    """Return what there is to tell of an answer, or of a body from disk."""
    result = document.result if document else None
    came = fetched if fetched.asked or document is None else document
    status, headers = came.status, came.headers or {}
    if document and document.named:
        best, *others = document.named
        return FetchedFeed(
            url=best.url,
            profile=Profile(format=PAGE),
            entries=(),
            asked=fetched.asked,
            status=status,
            headers=headers,
            page=fetched.url,
            others=tuple(other.url for other in others),
        )
    if isinstance(result, ParseResult) and not state.failures:
        return FetchedFeed(
            url=fetched.url,
            profile=fill_profile_gaps(result.profile, state.resolved),
            entries=result.drafts,
            asked=fetched.asked,
            status=status,
            headers=headers,
            notes=result.notes,
        )
    error = fetched.error or (result if isinstance(result, FeedError) else _last_error(state))
    assert error is not None, "without a body there is an error"
    return error


def read_body(body: bytes, *, url: str, content_type: str | None) -> FetchedFeed:
    """Read the feed in a body that the caller has already.

    Raises:
        FeedError: there is none.
        UsageError: `url` is no address.
        StateError: no process can be started to read it.
    """
    name = parse_address(url)
    options = ReadOptions(cleaning=cleaning(config_of(Path())))
    call = READERS.call(read, body, url=name, content_type=content_type, options=options)
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
    """Return why a feed failed that is not asked again yet."""
    if state is None or state.error_kind is None:
        return None
    return FeedError(state.error_kind, state.error or state.error_kind)


def _nothing_yet(feed: Feed, scope: Scope) -> FetchError:
    if scope.offline:
        words = f"nothing of {redact(feed.url)} is in the cache, and nobody was to be asked"
        return FetchError("not_cached", words)
    host = address.host(feed.url).rpartition(":")[0] or feed.url
    words = f"{host} is not to be asked yet, and nothing of this feed is in the cache"
    return FetchError("host_cooldown", words)
