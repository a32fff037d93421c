"""A lost state ← the site: the moments at which the newest entries were first seen.

The planet's `feed.json` has these moments by the published id, so that entries still listed by
their feeds keep their places. The file has the number of all entries, too, so that no site of less
than half as many takes over. The published file counts, or else the one in the output folder.
"""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

from planet.errors import FeedError, ParseError
from planet.model import EntryDates, Feed, PollRequest, Timestamp
from planet.model.decoding import decoder_of
from planet.run.edition import name_output
from planet.run.poll import PollJournal, poll
from planet.store import LOST, Publication

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from planet.config import Config
    from planet.report import Report
    from planet.run.open import Run, Scope


_FILE: Final = "feed.json"
_NOT_THERE: Final = ("http_404", "http_410")
"""The kinds of errors of an address where nothing is published."""
_NOWHERE: Final = (".example", ".invalid", ".test")
"""Names that lead nowhere (RFC 2606 §2): the address of the site is not filled in yet."""


class PublishedSite(NamedTuple):
    """The entries of a published site."""

    dates: dict[str, EntryDates]
    """The dates of the newest entries, by their published ids."""
    total: int
    """The number of all entries."""


class _ItemSource(msgspec.Struct, frozen=True):
    slug: str | None = None
    via: str | None = None


class _ItemFacts(msgspec.Struct, frozen=True):
    first_seen: Timestamp
    source: _ItemSource


class _Item(msgspec.Struct, frozen=True, rename={"facts": "_planet"}):
    id: Annotated[str, msgspec.Meta(min_length=1)]
    date_published: Timestamp
    facts: _ItemFacts


class _SiteFacts(msgspec.Struct, frozen=True):
    posts: int = 0


class _PublishedFeed(msgspec.Struct, frozen=True, rename={"facts": "_planet"}):
    version: Annotated[str, msgspec.Meta(pattern="^https://jsonfeed.org/version/1")]
    facts: _SiteFacts
    items: list[object]


def recover(
    config: Config, feeds: Sequence[Feed], *, run: Run, scope: Scope, report: Report
) -> None:
    """Take back the dates of entries from the site, if the state is empty, and report the number.

    Each site is asked for `feed.json`, with the manners of a feed; without a usable answer, or
    offline, the file in the output folder is read. `feeds` are the ones of the config and of lists.
    The dates wait in the store for the readings of the feeds. Without any such file, the planet is
    new.

    Raises:
        StateError: the dates cannot be stored.
    """
    if not _is_empty(run):
        return
    slugs, now = {feed.slug for feed in feeds}, run.clock()
    answers: dict[str, PublishedSite | FeedError] = {}
    dates: dict[str, EntryDates] = {}
    for site in config.sites:
        places: dict[str, str] = {}
        if site.link and _may_exist(site.link) and not scope.offline:
            places[f"{site.link}{_FILE}"] = f"{site.link}{_FILE}"
        if (file := site.output / _FILE).is_file():
            places[str(file)] = file.absolute().as_uri()
        for place, url in places.items():
            answer = answers[place] = answers.get(place) or _ask(url, slugs, config, run)
            if isinstance(answer, FeedError):
                continue
            seen = {uid: one for uid, one in answer.dates.items() if one.first_seen <= now}
            if seen or not answer.total:
                # What has none of these feeds is the site of another planet.
                lost = Publication(config_hash=LOST, entries=answer.total)
                run.store.publications.record(name_output(site), lost, {})
            dates = seen | dates
            break
    run.store.seen.put(dates)
    if answers:
        report.notice(_describe(answers, len(dates)))


def _is_empty(run: Run) -> bool:
    """Return whether no feed was ever read."""
    if run.store.entries.exist():
        return False
    states = run.store.states().values()
    return not any(state.profile for state in states) and not run.store.seen.read()


def _may_exist(link: str) -> bool:
    """Return whether there can be anything at an address."""
    return not (urlsplit(link).hostname or "").endswith(_NOWHERE)


def _ask(url: str, slugs: Collection[str], config: Config, run: Run) -> PublishedSite | FeedError:
    """Return the entries of a site, or why they cannot be read."""
    feed = Feed(key=url, url=url, slug="", policy=config.policy)
    for _, fetched, _ in poll([PollRequest(feed=feed)], PollJournal(run, of_feeds=False)):
        try:
            return fetched.error or read_site(fetched.body or b"", slugs)
        except ParseError as error:
            return error
    return ParseError("retry_later", "its server is to be left alone")


def read_site(document: bytes, slugs: Collection[str]) -> PublishedSite:
    """Return the entries of sources with these slugs in a published `feed.json`.

    Raises:
        ParseError: the document is no JSON Feed of this program.
    """
    try:
        feed = decoder_of(_PublishedFeed)(document)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ParseError("not_a_feed", "it is not a feed that Planet made") from error
    dates: dict[str, EntryDates] = {}
    for item in feed.items:
        try:
            entry = msgspec.convert(item, _Item)
            seen, filed = entry.facts.first_seen.astimezone(UTC), entry.date_published
            moments = EntryDates(first_seen=seen, changed_at=seen, dated=filed.astimezone(UTC))
        except (msgspec.ValidationError, OverflowError):
            continue
        source = entry.facts.source
        if (source.via or source.slug) in slugs:
            dates.setdefault(entry.id, moments)
    return PublishedSite(dates, max(feed.facts.posts, len(feed.items)))


def _describe(answers: Mapping[str, PublishedSite | FeedError], count: int) -> str:
    """Describe the answers to the operator, each with the place."""
    errors = [answer for answer in answers.values() if isinstance(answer, FeedError)]
    is_known = len(errors) < len(answers)
    if not is_known and all(error.kind in _NOT_THERE for error in errors):
        # The first build of a planet that says where it will be, rather than a loss.
        urls = " and ".join(url.removesuffix(_FILE) for url in answers)
        return f"nothing is published at {urls} yet; this run begins the site"
    entries = "1 entry is" if count == 1 else f"{count:,} entries are"
    words = [f"the state is empty; {entries} known again"]
    if not is_known:
        # Which of both is for the operator to know.
        words = ["this planet is new, or its state was lost"]
    for place, answer in answers.items():
        if isinstance(answer, FeedError):
            why = "nothing is published there" if answer.kind == "http_404" else str(answer)
            words.append(f"nothing is known from {place}: {why}")
        else:
            words.append(f"from {place}")
    return ", ".join(words)
