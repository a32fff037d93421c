"""A lost state ← the site: when its newest entries were first seen.

The planet's `feed.json` says so of each of its entries, by the id that is published: with that, an
entry that its feed still lists keeps its place. It says, too, how many entries there are in all, so
that no site of less than half of them takes their place. What is published counts; where it cannot
be had, what still lies in the output folder.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from planet.errors import FeedError, ParseError
from planet.model import Feed, PollRequest, PublishedEntry
from planet.run.journal import PollJournal
from planet.run.poll import poll
from planet.run.publish import name_output
from planet.store import LOST, Publication

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from planet.config import Config
    from planet.model import Fetched
    from planet.report import Report
    from planet.run.open import Run, Scope


_FILE: Final = "feed.json"
_VERSIONS: Final = "https://jsonfeed.org/version/1"
_MOST: Final = 1_000
"""Items of a document that are looked at; a planet that shows more is none to read."""
_MOST_POSTS: Final = 10_000_000
_NOT_THERE: Final = ("http_404", "http_410")
"""The kinds of errors of an address where nothing is published."""
_NOWHERE: Final = (".example", ".invalid", ".test")
"""Names that lead nowhere (RFC 2606 §2): the address of the site is not filled in yet."""


class PublishedSite(NamedTuple):
    """The entries of a published site."""

    entries: tuple[PublishedEntry, ...]
    """The newest."""
    total: int
    """How many there are."""


def recover(
    config: Config, feeds: Sequence[Feed], *, run: Run, scope: Scope, report: Report
) -> None:
    """Take back what the site says, if the state is empty, and tell of it.

    Each site of the config is asked for its `feed.json`, with the manners of a feed; when that
    brings nothing, or nobody is to be asked, the one in its output folder is read. `feeds` are
    those of the config and of its lists. What is taken back waits in the store for its feeds. Where
    neither is a file of this program's, there is nothing to take back: the run begins like that of
    a new planet.

    Raises:
        StateError: what came cannot be stored.
    """
    if not _is_empty(run):
        return
    answers: dict[str, PublishedSite | FeedError] = {}
    totals: dict[str, int] = {}
    for site in config.sites:
        url, file = f"{site.link}{_FILE}", site.output / _FILE
        is_online = bool(site.link) and _may_exist(site.link or "") and not scope.offline
        if is_online and url not in answers:
            answers[url] = _ask(url, config, run)
        if not isinstance(answers.get(url), PublishedSite) and file.is_file():
            url = str(file)
            answers[url] = _ask(file.absolute().as_uri(), config, run)
        if isinstance(answer := answers.get(url), PublishedSite):
            totals[name_output(site)] = answer.total
    if not answers:
        return
    sites = [answer for answer in answers.values() if isinstance(answer, PublishedSite)]
    published = [entry for site in sites for entry in site.entries]
    entries = _drop_implausible(published, {feed.slug for feed in feeds}, run.clock())
    if entries or not published:
        # What has none of these feeds is the site of another planet.
        for output, total in totals.items():
            lost = Publication(config_hash=LOST, entries=total)
            run.store.publications.record(output, lost, {})
    run.store.seen.note(entries)
    report.notice(_words(answers, len(entries)))


def read_site(document: bytes) -> PublishedSite:
    """Return what a published `feed.json` says of its entries, in its order.

    Those of which it does not say everything are left out.

    Raises:
        ParseError: it is no JSON Feed of this program's.
    """
    try:
        feed = json.loads(document)
    except (ValueError, RecursionError) as error:
        raise ParseError("not_a_feed", "it is not JSON") from error
    is_ours = (
        isinstance(feed, dict)
        and str(feed.get("version")).startswith(_VERSIONS)
        and isinstance(feed.get("_planet"), dict)
        and isinstance(feed.get("items"), list)
    )
    if not is_ours:
        raise ParseError("not_a_feed", "it is not a feed that Planet made")
    items = [item for item in feed["items"][:_MOST] if isinstance(item, dict)]
    entries = tuple(entry for item in items if (entry := _entry(item)))
    total = feed["_planet"].get("posts")
    is_total = type(total) is int and len(entries) <= total <= _MOST_POSTS
    return PublishedSite(entries, total if is_total else len(entries))


def _is_empty(run: Run) -> bool:
    """Whether no feed was ever read."""
    if run.store.entries.exist():
        return False
    states = run.store.states().values()
    return not any(state.profile for state in states) and not run.store.seen.read()


def _may_exist(link: str) -> bool:
    """Return whether there can be anything at an address."""
    return not (urlsplit(link).hostname or "").endswith(_NOWHERE)


def _words(answers: Mapping[str, PublishedSite | FeedError], count: int) -> str:
    """Return what the operator should know of the answers, by the address they came from."""
    if not count and all(getattr(answer, "kind", "") in _NOT_THERE for answer in answers.values()):
        # The first build of a planet that says where it will be, rather than a loss.
        urls = " and ".join(url.removesuffix(_FILE) for url in answers)
        return f"nothing is published at {urls} yet; this run begins the site"
    entries = "1 entry is" if count == 1 else f"{count:,} entries are"
    words = [f"the state is empty; {entries} known again"]
    if all(isinstance(answer, FeedError) for answer in answers.values()):
        # Which of both is for the operator to know.
        words = ["this planet is new, or its state was lost"]
    for url, answer in answers.items():
        if isinstance(answer, PublishedSite):
            words.append(f"from {url}")
        else:
            why = "nothing is published there" if answer.kind == "http_404" else str(answer)
            words.append(f"nothing is known from {url}: {why}")
    return ", ".join(words)


def _ask(url: str, config: Config, run: Run) -> PublishedSite | FeedError:
    """Return what a site says, or why it cannot be read."""
    feed = Feed(key=url, url=url, slug="", policy=config.policy)
    journal = PollJournal(run, of_feeds=False)
    # In a worker: whoever has the site may have written anything.
    for _, fetched, result in poll([PollRequest(feed=feed)], journal, read=lambda _: _read):
        return fetched.error or result or ParseError("empty", "the answer is empty")
    return ParseError("retry_later", "its server is to be left alone")


def _read(fetched: Fetched) -> PublishedSite:
    return read_site(fetched.body or b"")


def _drop_implausible(
    published: Sequence[PublishedEntry], slugs: Collection[str], now: datetime
) -> list[PublishedEntry]:
    """Return the entries that can be true, each once."""
    once: dict[str, PublishedEntry] = {}
    for entry in published:
        if entry.slug in slugs and entry.first_seen <= now:
            once.setdefault(entry.uid, entry)
    return [*once.values()]


def _entry(item: dict[str, Any]) -> PublishedEntry | None:
    """Return what an item says, if it says everything that is needed."""
    more = item.get("_planet")
    source = more.get("source") if isinstance(more, dict) else None
    slug = source.get("via") or source.get("slug") if isinstance(source, dict) else None
    uid = item.get("id")
    first_seen = _moment(more.get("first_seen")) if isinstance(more, dict) else None
    filed = _moment(item.get("date_published"))
    if not (isinstance(uid, str) and uid and isinstance(slug, str) and first_seen and filed):
        return None
    return PublishedEntry(slug=slug, uid=uid, first_seen=first_seen, filed=filed)


def _moment(value: object) -> datetime | None:
    """Return a moment that the feed gives, in UTC; None when that is none."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        return moment.astimezone(UTC) if moment and moment.tzinfo else None
    except (ValueError, OverflowError):
        return None
