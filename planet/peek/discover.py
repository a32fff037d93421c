"""An address → the feed that a planet asks for from then on."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from planet.errors import FeedError, FetchError, ParseError
from planet.model import PAGE, Feed, Fetched, ParseResult, PollRequest
from planet.parse.discovery import Alternate, find_alternates
from planet.peek.peek import CLEANING
from planet.run.poll import PollJournal, poll
from planet.run.read import ReadOptions
from planet.schedule import fill_profile_gaps
from planet.text import account, address
from planet.text.address import redact

if TYPE_CHECKING:
    from planet.config import Config
    from planet.run.open import Run


_NONE_NAMED: Final = (
    ', and it names no feed in a <link rel="alternate"> of the type RSS, Atom or JSON Feed; '
    "give the address of the feed itself"
)


class Discovery(msgspec.Struct, frozen=True, kw_only=True):
    """A feed that was found."""

    url: str
    """The address to ask from now on."""
    feed: ParseResult
    also_at: frozenset[str]
    """The other addresses that led to the feed."""
    page: str | None = None
    """The page that names the feed, if found there."""
    others: tuple[Alternate, ...] = ()
    """The feeds that the page names besides."""


def discover(url: str, config: Config, run: Run, *, is_led: bool = False) -> Discovery:
    """Find the feed at a web address, or the best of those that the page there names.

    It is to be asked where permanent redirects lead, unless they give TLS up. What came is in the
    HTTP cache, so that the next run asks whether there is more. With `is_led` it is not the
    operator who gave the address, so it has to be public.

    Raises:
        FeedError: there is none; with what was tried, in words for the operator.
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
        if posts := _discover_account(url, config, run, is_led=is_led):
            return posts
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
    """Ask for what is at an address.

    Raises:
        FetchError: nothing came.
    """
    shown = redact(request.url)
    journal = PollJournal(run, of_feeds=False)
    options = ReadOptions(cleaning=CLEANING, clean_first=0)
    for _, fetched, result in poll([request], journal, read=lambda _: options):
        if fetched.error is not None or result is None:
            kind = fetched.error.kind if fetched.error else "empty"
            raise FetchError(kind, f"{shown}: {fetched.error or 'nothing came'}")
        if isinstance(result, ParseResult):
            profile = fill_profile_gaps(result.profile, fetched.resolved)
            result = replace(result, profile=profile)
        return result, fetched
    raise FetchError("host_rests", f"{shown}: its server asked to be left alone; try again later")


def _find_named(
    result: ParseResult | FeedError, fetched: Fetched, run: Run
) -> tuple[Alternate, ...]:
    """Return the feeds that a page names, which itself has few of the posts, if any."""
    if isinstance(result, ParseResult) and result.profile.format != PAGE:
        return ()
    kind = fetched.headers.get("content-type")
    # In a worker, like all that is read.
    named = run.workers.call(find_alternates, fetched.body or b"", fetched.url, kind).result()
    return () if isinstance(named, FeedError) else named


def _discover_account(url: str, config: Config, run: Run, *, is_led: bool) -> Discovery | None:
    """Find the feed of the account whose profile may be at an address; None if it is of none."""
    if known_as := account.guess_from_profile(url):
        with suppress(FeedError):
            return discover(known_as, config, run, is_led=is_led)
    return None


def _choose_address(feed: Feed, result: ParseResult, fetched: Fetched, run: Run) -> Discovery:
    """Return the feed that came, with the address to ask for it.

    From then on the body on disk is that feed's.
    """
    asked, moved = feed.url, fetched.permanent_url or feed.url
    gives_tls_up = asked.startswith("https:") and not moved.startswith("https:")
    url = address.normalize(asked if gives_tls_up else moved)
    if url != feed.key:
        run.web.session.rename(feed.key, url)
    return Discovery(url=url, feed=result, also_at=frozenset({asked, fetched.url, moved} - {url}))
