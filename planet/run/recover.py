"""A lost state ← the site: the moments at which the newest entries were first seen.

The planet's `feed.json` has these moments by the published id, so that entries still listed by
their feeds keep their places. The file has the number of all entries, too, so that no site of less
than half as many takes over. The file in the output folder counts, or else the published one.
"""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

from planet.errors import FeedError, ParseError
from planet.model import EntryDates, Feed, PollRequest, Timestamp
from planet.model.decoding import decoder_of
from planet.report import format_count
from planet.run.edition import name_output
from planet.run.poll import ask_once
from planet.store import LOST, Publication

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

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
    items: list[_Item]


def recover(
    config: Config, feeds: Sequence[Feed], *, run: Run, scope: Scope, report: Report
) -> None:
    """Where the state is empty, store the dates of entries of the sites.

    `feeds` are the ones of the config and of lists. The dates wait in the store for the readings of
    the feeds. Without any such file, the planet is new.

    Raises:
        StateError: the dates cannot be stored.
    """
    if not _is_empty(run):
        return
    slugs, now = {feed.slug for feed in feeds}, run.clock()
    for site in config.sites:
        file, link = site.output / _FILE, site.link
        if file.is_file():
            place, url = str(file), file.absolute().as_uri()
        elif link and not scope.offline and _may_exist(link):
            place = url = f"{link}{_FILE}"
        else:
            continue
        feed = Feed(key=url, url=url, slug="", policy=config.policy)
        try:
            answer = ask_once(PollRequest(feed=feed), run)
            published = read_site(answer.fetched.body or b"", slugs)
        except FeedError as error:
            if error.kind not in _NOT_THERE:
                words = "this planet is new, or its state was lost"
                report.notice(f"{words}: nothing is known from {place}: {error}")
            continue
        dates = {uid: one for uid, one in published.dates.items() if one.first_seen <= now}
        # What has none of these feeds is the site of another planet.
        if dates:
            run.store.seen.put(dates)
            lost = Publication(config_hash=LOST, entries=published.total)
            run.store.publications.record(name_output(site), lost, {})
            entries = format_count(len(dates), "entry is", "entries are")
            report.notice(f"the state is empty; {entries} known again, from {place}")


def _is_empty(run: Run) -> bool:
    """Return whether no feed was ever read."""
    if run.store.entries.exist():
        return False
    states = run.store.states().values()
    return not any(state.profile for state in states) and not run.store.seen.read()


def _may_exist(link: str) -> bool:
    """Return whether there can be anything at an address."""
    return not (urlsplit(link).hostname or "").endswith(_NOWHERE)


def read_site(document: bytes, slugs: Collection[str]) -> PublishedSite:
    """Return the entries of sources with these slugs in a published `feed.json`.

    Raises:
        ParseError: the document is no JSON Feed of this program.
    """
    dates = {}
    try:
        feed = decoder_of(_PublishedFeed)(document)
        for item in feed.items:
            if (item.facts.source.via or item.facts.source.slug) in slugs:
                seen, filed = item.facts.first_seen, item.date_published
                seen, filed = seen.astimezone(UTC), filed.astimezone(UTC)
                dates[item.id] = EntryDates(first_seen=seen, changed_at=seen, dated=filed)
    except (msgspec.MsgspecError, RecursionError, OverflowError) as error:
        raise ParseError("not_a_feed", "it is not a feed that Planet made") from error
    return PublishedSite(dates, max(feed.facts.posts, len(feed.items)))
