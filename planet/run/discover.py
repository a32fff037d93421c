"""An address → the feed that is there: its own, or the one that the page there names.

A page that names none is one itself, if it has posts that are marked as such. One request, and one
more where it leads to a page. What came is in the cache afterwards, so that the next run asks
whether there is more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from planet.errors import FeedError, FetchError, ParseError
from planet.model import PAGE, Feed, ParsedFeed, PollRequest
from planet.parse import parse
from planet.parse.discovery import alternates, own_address
from planet.run.journal import PollJournal
from planet.run.poll import poll
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


class _Document(NamedTuple):
    """What an answer says."""

    feed: ParsedFeed | FeedError
    """What it says, or why it is no feed."""
    named: tuple[Alternate, ...] = ()
    """The feeds that it names, if it may be that one of them is better than itself."""
    own: str | None = None
    """Where it says that it is."""


def discover(url: str, config: Config, run: Run) -> Discovery:
    """The feed at a web address, or the best of those that the page there names.

    It is to be asked where permanent redirects lead, unless they give TLS up, and where it says
    that it is, if that is on the same server and the same feed is there.

    Raises:
        FeedError: there is none; with what was tried, in words for the operator.
    """
    url = address.same(url)
    feed = Feed(key=url, url=url, slug="", policy=config.defaults.policy)
    # What is there is looked at, also when it came before: no hash is named.
    request = PollRequest(feed=feed)
    page, answer = _asked(request, run)
    if not page.named:
        if isinstance(page.feed, ParsedFeed):
            return _settled(request, page.feed, page.own, answer, run)
        if posts := _of_account(url, config, run):
            return posts
        more = _NONE_NAMED if page.feed.kind == "not_a_feed" else ""
        raise ParseError(page.feed.kind, f"{address.redacted(answer.url)}: {page.feed}{more}")
    best, *others = page.named
    # As if the page had redirected there: what a public page names has to be public.
    led = replace(feed, key=best.url, is_led=not answer.is_inside)
    there, fetched = _asked(replace(request, feed=led, adopted_url=best.url), run)
    if isinstance(there.feed, FeedError):
        words = f"{there.feed}; {address.redacted(answer.url)} names it as its feed"
        raise ParseError(there.feed.kind, f"{address.redacted(best.url)}: {words}")
    request = replace(request, feed=replace(led, url=best.url))
    settled = _settled(request, there.feed, there.own, fetched, run)
    return replace(settled, page=answer.url, others=tuple(others))


def _read(body: bytes, *, url: str, content_type: str | None) -> _Document:
    """What an answer says. Of a feed that is no page it does not matter which others it names."""
    try:
        feed = parse(body, url=url, content_type=content_type)
    except ParseError as error:
        return _Document(error, alternates(body, url=url, content_type=content_type))
    # The posts on a page are often the last few, and cut short.
    is_page = feed.profile.format == PAGE
    named = alternates(body, url=url, content_type=content_type) if is_page else ()
    return _Document(feed, named, own_address(body, url=url, content_type=content_type))


def _reading(_: Feed, fetched: Fetched) -> Callable[[], _Document]:
    kind = fetched.headers.get("content-type")
    return partial(_read, fetched.body or b"", url=fetched.url, content_type=kind)


def _asked(request: PollRequest, run: Run) -> tuple[_Document, Fetched]:
    """What is at an address, and how it came."""
    shown = address.redacted(request.url)
    journal = PollJournal(run, of_feeds=False)
    for _, fetched, result in poll([request], journal, run, read=_reading):
        if fetched.error is not None or result is None:
            kind = fetched.error.kind if fetched.error else "empty"
            raise FetchError(kind, f"{shown}: {fetched.error or 'nothing came'}")
        if isinstance(result, FeedError):
            return _Document(result), fetched
        if isinstance(result.feed, ParsedFeed):
            profile = named(result.feed.profile, fetched.resolved)
            result = result._replace(feed=replace(result.feed, profile=profile))
        return result, fetched
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


def _settled(
    request: PollRequest, feed: ParsedFeed, own: str | None, fetched: Fetched, run: Run
) -> Discovery:
    """The feed that came, with the address to ask for it; the body on disk is that feed's."""
    asked, moved = request.feed.url, fetched.permanent_url
    gives_tls_up = asked.startswith("https:") and not (moved or asked).startswith("https:")
    url = moved if moved and not gives_tls_up else asked
    if own and _is_found_at(own, fetched, feed, request, run):
        url = own
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
        (there, *_), _ = _asked(replace(request, feed=replace(request.feed, url=own)), run)
    except FetchError:
        return False
    ids = [entry.id for entry in feed.entries]
    return isinstance(there, ParsedFeed) and [entry.id for entry in there.entries] == ids
