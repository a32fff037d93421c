"""An address → the feed that is there: its own, or the one that the page there names.

A page that names none is one itself, if it has posts that are marked as such. One request, and one
more where it leads to a page. What came is in the cache afterwards, so that the next run asks
whether there is more.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from planet.errors import FeedError, FetchError, ParseError
from planet.model import PAGE, Feed, ParsedFeed, PollRequest
from planet.parse import parse
from planet.parse.discovery import alternates, own_address
from planet.run.runtime import HostJournal
from planet.schedule.rhythm import named
from planet.text import account, address

if TYPE_CHECKING:
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
    said: ParsedFeed
    also_at: frozenset[str]
    """The other addresses that led to it."""
    page: str | None = None
    """The page that names it, if it was found there."""
    others: tuple[Alternate, ...] = ()
    """The feeds that the page names besides."""


def discover(url: str, config: Config, run: Run) -> Discovery:
    """The feed at a web address, or the best of those that the page there names.

    It is to be asked where permanent redirects lead, unless they give TLS up, and where it says
    that it is, if that is on the same server and the same feed is there.

    Raises:
        FeedError: there is none; with what was tried, in words for the operator.
    """
    ledger = HostJournal(run, host_gap=config.fetch.host_gap)
    turn = _turn(address.same(url), config)
    fetched = _asked(turn, run, ledger)
    said = _parsed(fetched, run)
    named = _named(fetched, run) if _is_page(said) else ()
    if not named:
        if isinstance(said, ParsedFeed):
            return _settled(turn, fetched, said, run, ledger)
        if found := _of_account(url, config, run):
            return found
        more = _NONE_NAMED if said.kind == "not_a_feed" else ""
        raise ParseError(said.kind, f"{address.redacted(fetched.url)}: {said}{more}")
    best, *others = named
    # As if the page had redirected there: what a public page names has to be public.
    led = replace(turn.feed, key=best.url, is_led=not fetched.is_inside)
    to = replace(turn, feed=led, adopted_url=best.url)
    fetched, page = _asked(to, run, ledger), fetched
    said = _parsed(fetched, run)
    if isinstance(said, ParseError):
        words = f"{said}; {address.redacted(page.url)} names it as its feed"
        raise ParseError(said.kind, f"{address.redacted(best.url)}: {words}")
    to = replace(to, feed=replace(to.feed, url=best.url), adopted_url=None)
    found = _settled(to, fetched, said, run, ledger)
    return replace(found, page=page.url, others=tuple(others))


def _turn(url: str, config: Config) -> PollRequest:
    feed = Feed(key=url, url=url, slug="", asking=config.defaults.asking)
    # What is there is looked at, also when it came before.
    return PollRequest(feed=feed, reread=True)


def _asked(turn: PollRequest, run: Run, ledger: HostJournal) -> Fetched:
    """What is at an address.

    Raises:
        FetchError: nothing came.
    """
    shown = address.redacted(turn.url)
    with closing(run.web.fetch([turn], ledger)) as coming:
        _, fetched = next(coming, (turn.feed, None))
    if fetched is None:
        words = "its server asked to be left alone; try again later"
        raise FetchError("host_rests", f"{shown}: {words}")
    if fetched.error is not None:
        raise FetchError(fetched.error.kind, f"{shown}: {fetched.error}")
    return fetched


def _parsed(fetched: Fetched, run: Run) -> ParsedFeed | ParseError:
    kind = fetched.headers.get("content-type")
    call = run.workers.call(parse, fetched.body or b"", url=fetched.url, content_type=kind)
    said = call.result()
    assert isinstance(said, ParsedFeed | ParseError), "`parse` raises nothing else"
    if isinstance(said, ParseError):
        return said
    return replace(said, profile=named(said.profile, fetched.resolved))


def _of_account(url: str, config: Config, run: Run) -> Discovery | None:
    """The feed of the account whose profile is at an address, if it looks like one and is."""
    known_as = account.of_profile(url)
    if known_as is None:
        return None
    try:
        return discover(known_as, config, run)
    except FeedError:
        return None


def _is_page(said: ParsedFeed | ParseError) -> bool:
    """Whether it may be that what came names a feed that is better than itself.

    The posts on a page are often the last few, and cut short.
    """
    return isinstance(said, ParseError) or said.profile.format == PAGE


def _named(fetched: Fetched, run: Run) -> tuple[Alternate, ...]:
    kind = fetched.headers.get("content-type")
    call = run.workers.call(alternates, fetched.body or b"", url=fetched.url, content_type=kind)
    named = call.result()
    return () if isinstance(named, FeedError) else named


def _settled(
    turn: PollRequest, fetched: Fetched, said: ParsedFeed, run: Run, ledger: HostJournal
) -> Discovery:
    """The feed that came, with the address to ask for it; the body on disk is that feed's."""
    asked = turn.feed.url
    moved = fetched.permanent_url
    url = moved if moved and not (_is_secure(asked) and not _is_secure(moved)) else asked
    own = _own(fetched, run)
    if own and _is_found_at(own, fetched, said, turn, run, ledger):
        url = own
    url = address.same(url)
    if url != turn.feed.key:
        run.web.rename(turn.feed.key, replace(turn.feed, key=url, url=url))
    also_at = frozenset({asked, fetched.url, moved or asked} - {url})
    return Discovery(url=url, said=said, also_at=also_at)


def _own(fetched: Fetched, run: Run) -> str | None:
    kind = fetched.headers.get("content-type")
    call = run.workers.call(own_address, fetched.body or b"", url=fetched.url, content_type=kind)
    own = call.result()
    return own if isinstance(own, str) else None


def _is_found_at(
    own: str, fetched: Fetched, said: ParsedFeed, turn: PollRequest, run: Run, ledger: HostJournal
) -> bool:
    """Whether the feed is at the address that it calls its own, on the server that it is on."""
    here = address.same(fetched.url)
    is_upgrade = own == here.replace("http:", "https:", 1)
    is_same_server = address.origin(own) == address.origin(here)
    if own in {here, turn.feed.url} or not (is_same_server or is_upgrade):
        return False
    try:
        there = _asked(replace(turn, feed=replace(turn.feed, url=own)), run, ledger)
    except FetchError:
        return False
    again = _parsed(there, run)
    return isinstance(again, ParsedFeed) and _ids(again) == _ids(said)


def _ids(feed: ParsedFeed) -> list[str]:
    return [entry.id for entry in feed.entries]


def _is_secure(url: str) -> bool:
    return url.startswith("https:")
