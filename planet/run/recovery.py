"""A lost state ← the site: when entries were first seen, and in which order.

The state has more than the site shows, but what is worth most is there: the planet's `feed.json`
says of each of its entries when it was first seen. With that, entries without a date do not rise
as new ones, and what was on the page stays there. What is published counts; where it cannot be had,
what still lies in the output folder.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from planet.errors import FeedError, ParseError
from planet.model import Feed, PollRequest, PublishedEntry
from planet.run.poll import poll

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.config import Config
    from planet.model import Fetched
    from planet.run.runtime import Run, Scope


_FILE: Final = "feed.json"
_VERSIONS: Final = "https://jsonfeed.org/version/1"
_MOST: Final = 1_000
"""Items of a document that are looked at; a planet that shows more is none to read."""
_NOT_THERE: Final = ("http_404", "http_410")
"""The kinds of errors of an address where nothing is published."""
_NOWHERE: Final = (".example", ".invalid", ".test")
"""Names that lead nowhere (RFC 2606 §2): the address of the site is not filled in yet."""


def recover(config: Config, feeds: Sequence[Feed], *, run: Run, scope: Scope) -> str | None:
    """Take back what the site says, if the state is empty; what to say about it.

    Each site of the config is asked for one file, with the manners of a feed; when that brings
    nothing, or nobody is to be asked, the one in its output folder is read. `feeds` are those of
    the config and of its lists. None when the state is not empty, and when there is no site.
    What is taken back waits in the store for its feeds. Where neither is a file of this program's,
    there is nothing to take back: the run begins like that of a new planet.

    Raises:
        StateError: what came cannot be stored.
    """
    if not _is_empty(run):
        return None
    answers: dict[str, tuple[PublishedEntry, ...] | FeedError] = {}
    for site in config.sites:
        url, file = f"{site.link}{_FILE}", site.output / _FILE
        if site.link and _leads(site.link) and not scope.offline and url not in answers:
            answers[url] = _asked(url, config, run)
        if not isinstance(answers.get(url), tuple) and file.is_file():
            answers[str(file)] = _asked(file.absolute().as_uri(), config, run)
    if not answers:
        return None
    published = [
        entry for answer in answers.values() if isinstance(answer, tuple) for entry in answer
    ]
    entries = _plausible(published, {feed.slug for feed in feeds}, run.clock())
    if entries:
        keys = {feed.slug: feed.key for feed in feeds}
        # By a second: what is not among them stands below the last of them.
        before = min(entry.filed for entry in entries) - timedelta(seconds=1)
        run.store.restored.put(entries, keys, others_before=before)
    return _words(answers, len(entries))


def published_entries(document: bytes) -> tuple[PublishedEntry, ...]:
    """What a published `feed.json` says of its entries, in its order.

    Those of which it does not say everything are left out. Slow on hostile input.

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
    items = (item for item in feed["items"][:_MOST] if isinstance(item, dict))
    return tuple(filter(None, map(_entry, items)))


def _is_empty(run: Run) -> bool:
    """Whether no feed was ever read."""
    if run.store.has_entries:
        return False
    states = run.store.states().values()
    return not any(state.profile for state in states) and not run.store.restored.are_there


def _leads(link: str) -> bool:
    """Whether there can be anything at an address."""
    return not (urlsplit(link).hostname or "").endswith(_NOWHERE)


def _words(answers: Mapping[str, tuple[PublishedEntry, ...] | FeedError], count: int) -> str:
    """What the operator should know of the answers, by the address they came from."""
    if not count and all(getattr(answer, "kind", "") in _NOT_THERE for answer in answers.values()):
        # The first build of a planet that says where it will be, rather than a loss.
        urls = " and ".join(url.removesuffix(_FILE) for url in answers)
        return f"nothing is published at {urls} yet; this run begins the site"
    entries = "1 entry is" if count == 1 else f"{count:,} entries are"
    words = [f"the state is empty; {entries} known again"]
    for url, answer in answers.items():
        if isinstance(answer, tuple):
            words.append(f"from {url}")
        else:
            why = "nothing is published there" if answer.kind == "http_404" else str(answer)
            words.append(f"none from {url}: {why}")
    return ", ".join(words)


def _asked(url: str, config: Config, run: Run) -> tuple[PublishedEntry, ...] | FeedError:
    """What a feed of the site says, or why it does not say anything."""
    feed = Feed(key=url, url=url, slug="", policy=config.defaults.policy)
    journal = run.journal(of_feeds=False)
    # In a worker: whoever has the site may have written anything.
    for _, fetched, result in poll([PollRequest(feed=feed)], journal, run, read=lambda _: _read):
        return fetched.error or result or ()
    return ParseError("retry_later", "its server is to be left alone")


def _read(fetched: Fetched) -> tuple[PublishedEntry, ...]:
    return published_entries(fetched.body or b"")


def _plausible(
    published: Sequence[PublishedEntry], slugs: set[str], now: datetime
) -> list[PublishedEntry]:
    """The entries that can be true, each once, newest first."""
    once: dict[tuple[str, str], PublishedEntry] = {}
    for entry in published:
        if entry.slug in slugs and entry.first_seen <= now:
            once.setdefault((entry.slug, entry.uid), entry)
    # Those of one moment stay in the order of their document.
    return sorted(once.values(), key=lambda entry: entry.filed, reverse=True)


def _entry(item: dict[str, Any]) -> PublishedEntry | None:
    """What an item says, if it says everything that is needed."""
    more = item.get("_planet")
    source = more.get("source") if isinstance(more, dict) else None
    slug = source.get("via") or source.get("slug") if isinstance(source, dict) else None
    uid = item.get("id")
    first_seen = _moment(more.get("first_seen")) if isinstance(more, dict) else None
    filed = _moment(item.get("date_published"))
    if not (isinstance(uid, str) and uid and isinstance(slug, str) and first_seen and filed):
        return None
    modified = _moment(item.get("date_modified")) or filed
    return PublishedEntry(slug=slug, uid=uid, first_seen=first_seen, filed=filed, modified=modified)


def _moment(value: object) -> datetime | None:
    """A moment that the feed gives, in UTC; None when that is none."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        return moment.astimezone(UTC) if moment and moment.tzinfo else None
    except (ValueError, OverflowError):
        return None
