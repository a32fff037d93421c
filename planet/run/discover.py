"""An address → the feed that is there: its own, or the one that the page there names.

A page that names none is one itself, if it has posts that are marked as such. One request, and one
more where it leads to a page. What came is in the cache afterwards, so that the next run asks
whether there is more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from planet.errors import FeedError, FetchError, ParseError
from planet.model import PAGE, Feed, ParsedFeed, PollRequest
from planet.parse import parse
from planet.parse.discovery import alternates, own_address
from planet.run.poll import PollJournal, poll
from planet.schedule import named
from planet.text import account, address

if TYPE_CHECKING:
    from collections.abc import Callable

    from planet.config import Config
    from planet.model import Fetched
    from planet.parse.discovery import Alternate
    from planet.run.runtime import Run


_NONE_NAMED: Final = (
    ', and it names no feed in a <link rel="alternate"> of the type RSS, Atom or JSON Feed; '
    "give the address of the feed itself"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """A feed that was found."""

    url: str
    """Where to ask for it from now on."""
    feed: ParsedFeed
    also_at: frozenset[str]
    """The other addresses that led to it."""
    page: str | None = None
    """The page that names it, if it was found there."""
    others: tuple[Alternate, ...] = ()
    """The feeds that the page names besides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    """What is at an address."""

    fetched: Fetched
    feed: ParsedFeed | FeedError
    """What it says, or why it is no feed."""
    named: tuple[Alternate, ...]
    """The feeds that it names, if it may be that one of them is better than itself."""
    own: str | None
    """Where it says that it is."""


def discover(url: str, config: Config, run: Run) -> Discovery:
    """The feed at a web address, or the best of those that the page there names.

    It is to be asked where permanent redirects lead, unless they give TLS up, and where it says
    that it is, if that is on the same server and the same feed is there.

    Raises:
        FeedError: there is none; with what was tried, in words for the operator.
    """
    url = address.same(url)
    feed = Feed(key=url, url=url, slug="", asking=config.defaults.asking)
    # What is there is looked at, also when it came before.
    request = PollRequest(feed=feed, reread=True)
    page = _asked(request, run)
    if not page.named:
        if isinstance(page.feed, ParsedFeed):
            return _settled(request, page, page.feed, run)
        if found := _of_account(url, config, run):
            return found
        more = _NONE_NAMED if page.feed.kind == "not_a_feed" else ""
        words = f"{address.redacted(page.fetched.url)}: {page.feed}{more}"
        raise ParseError(page.feed.kind, words)
    best, *others = page.named
    # As if the page had redirected there: what a public page names has to be public.
    led = replace(feed, key=best.url, is_led=not page.fetched.is_inside)
    there = _asked(replace(request, feed=led, adopted_url=best.url), run)
    if isinstance(there.feed, FeedError):
        words = f"{there.feed}; {address.redacted(page.fetched.url)} names it as its feed"
        raise ParseError(there.feed.kind, f"{address.redacted(best.url)}: {words}")
    found = _settled(replace(request, feed=replace(led, url=best.url)), there, there.feed, run)
    return replace(found, page=page.fetched.url, others=tuple(others))


def look(
    body: bytes, *, url: str, content_type: str | None
) -> tuple[ParsedFeed | ParseError, tuple[Alternate, ...], str | None]:
    """The feed that a document is, those that it names, and the address that it calls its own.

    Of a feed that is no page it does not matter which others it names.
    """
    try:
        parsed = parse(body, url=url, content_type=content_type)
    except ParseError as error:
        return error, alternates(body, url=url, content_type=content_type), None
    # The posts on a page are often the last few, and cut short.
    is_page = parsed.profile.format == PAGE
    named = alternates(body, url=url, content_type=content_type) if is_page else ()
    return parsed, named, own_address(body, url=url, content_type=content_type)


def _reading(
    _: Feed, fetched: Fetched
) -> Callable[[], tuple[ParsedFeed | ParseError, tuple[Alternate, ...], str | None]]:
    kind = fetched.headers.get("content-type")
    return partial(look, fetched.body or b"", url=fetched.url, content_type=kind)


def _asked(request: PollRequest, run: Run) -> _Document:
    """What is at an address."""
    shown = address.redacted(request.url)
    journal = PollJournal(run, of_feeds=False)
    for _, fetched, result in poll([request], journal, run, read=_reading):
        if fetched.error is not None or result is None:
            kind = fetched.error.kind if fetched.error else "empty"
            raise FetchError(kind, f"{shown}: {fetched.error or 'nothing came'}")
        if isinstance(result, FeedError):
            return _Document(fetched=fetched, feed=result, named=(), own=None)
        feed, named_feeds, own = result
        if isinstance(feed, ParsedFeed):
            feed = replace(feed, profile=named(feed.profile, fetched.resolved))
        return _Document(fetched=fetched, feed=feed, named=named_feeds, own=own)
    raise FetchError("host_rests", f"{shown}: its server asked to be left alone; try again later")


def _of_account(url: str, config: Config, run: Run) -> Discovery | None:
    """The feed of the account whose profile is at an address, if it looks like one and is."""
    known_as = account.of_profile(url)
    if known_as is None:
        return None
    try:
        return discover(known_as, config, run)
    except FeedError:
        return None


def _settled(request: PollRequest, document: _Document, feed: ParsedFeed, run: Run) -> Discovery:
    """The feed that came, with the address to ask for it; the body on disk is that feed's."""
    asked, fetched = request.feed.url, document.fetched
    moved = fetched.permanent_url
    url = moved if moved and not (_is_secure(asked) and not _is_secure(moved)) else asked
    if document.own and _is_found_at(document.own, fetched, feed, request, run):
        url = document.own
    url = address.same(url)
    if url != request.feed.key:
        run.web.rename(request.feed.key, replace(request.feed, key=url, url=url))
    also_at = frozenset({asked, fetched.url, moved or asked} - {url})
    return Discovery(url=url, feed=feed, also_at=also_at)


def _is_found_at(
    own: str, fetched: Fetched, feed: ParsedFeed, request: PollRequest, run: Run
) -> bool:
    """Whether the feed is at the address that it calls its own, on the server that it is on."""
    here = address.same(fetched.url)
    is_upgrade = own == here.replace("http:", "https:", 1)
    is_same_server = address.origin(own) == address.origin(here)
    if own in {here, request.feed.url} or not (is_same_server or is_upgrade):
        return False
    try:
        there = _asked(replace(request, feed=replace(request.feed, url=own)), run).feed
    except FetchError:
        return False
    return isinstance(there, ParsedFeed) and _ids(there) == _ids(feed)


def _ids(feed: ParsedFeed) -> list[str]:
    return [entry.id for entry in feed.entries]


def _is_secure(url: str) -> bool:
    return url.startswith("https:")
