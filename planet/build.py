"""The whole run: bring every feed up to date, then publish what they say together. Start here."""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from planet import __version__
from planet.content import Cleaning
from planet.feeds import feeds as make_feeds
from planet.merge import merge, sources
from planet.model import Edition, Outcome, Reading
from planet.parse import PARSER
from planet.publish import changes, publish, stands
from planet.render import load_theme, render
from planet.schedule import due, forced, remember, shows, trouble, unread
from planet.select import Reason, select
from planet.store import Publication
from planet.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.fetch import Web
    from planet.model import Feed, Fetched, File, Memory, Turn
    from planet.render import Theme
    from planet.report import Report
    from planet.store import Store
    from planet.workers import Call, Workers

_AHEAD = 32
"""Bodies that may wait for a worker while others are still arriving."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which feeds a run asks for: those that are due, unless it says otherwise."""

    offline: bool = False
    """Nobody is asked; files, and bodies that are on disk already, are still read."""
    force: bool = False
    """Everybody is asked, due or not; still with validators."""
    only: frozenset[str] | None = None
    """The keys of the feeds to consider; None is all."""


def build(
    config: Config,
    feeds: Sequence[Feed],
    *,
    store: Store,
    web: Web,
    readers: Workers[..., Reading],
    clock: Callable[[], datetime],
    scope: Scope,
    report: Report,
) -> None:
    """Bring every feed up to date, then publish what they say together.

    One feed that fails stops no other, and what it said before stays on the page. When nothing
    trustworthy came together the report says so, and the site stays as it was; it does so too when
    an exception ends the run. A run that is killed at any moment has lost nothing, and the next
    one asks nobody again for what arrived.
    """
    update(
        config,
        feeds,
        store=store,
        web=web,
        readers=readers,
        clock=clock,
        scope=scope,
        report=report,
    )
    if report.refused is None:
        make_site(config, feeds, store=store, now=clock(), report=report, trusted=scope.force)


def update(
    config: Config,
    feeds: Sequence[Feed],
    *,
    store: Store,
    web: Web,
    readers: Workers[..., Reading],
    clock: Callable[[], datetime],
    scope: Scope,
    report: Report,
) -> None:
    """Ask the feeds whose turn it is, and keep what they say."""
    memories = store.memories()
    turns, left = _turns(feeds, memories, scope, clock())
    report.expect(len(turns))
    # First from disk, where an earlier run was cut short, then from the web.
    arrivals = chain(
        web.recall(left),
        web.fetch(turns, starting=lambda feed: store.attempt(feed, clock())),
    )
    for feed, fetched, call in _read_ahead(arrivals, config, store, memories, readers):
        result = call.result() if call else None
        before = memories.get(feed.key)
        memory = remember(before, feed, fetched, result, reader=PARSER)
        reading = result if isinstance(result, Reading) else None
        kept = store.keep(memory, reading, now=fetched.ended, shows=shows(before, memory))
        memories[feed.key] = memory
        report.hear(feed, fetched, memory, result, kept)
    now = clock()
    store.retire(
        entries_before=now - config.retention.entries, texts_before=now - config.retention.content
    )
    failing = [feed for feed in feeds if feed.enabled and _is_failing(memories.get(feed.key))]
    if report.heard and len(failing) == sum(feed.enabled for feed in feeds):
        report.refuse("every feed failed; the site stays as it was")


def make_site(
    config: Config,
    feeds: Sequence[Feed],
    *,
    store: Store,
    now: datetime,
    report: Report,
    trusted: bool = False,
) -> None:
    """Publish what the stored entries say together, unless the site says it already.

    A site that would lose more than half of its entries with nothing changed in the config is only
    published when the operator says that this is right (`trusted`).
    """
    output = str(config.output)
    theme = load_theme(config.theme)
    recipe = _recipe(config, feeds, theme)
    last = store.publications.last(output)
    files = store.publications.files(output)
    if last is not None and _is_current(last, recipe, store, now) and stands(config.output, files):
        report.entries = last.entries
        return
    texts = Texts(store, cleaning(config))
    edition, faded = make_edition(config, feeds, store=store, texts=texts, now=now)
    shown = len(edition.posts)
    shrinks = last is not None and last.recipe == recipe and 2 * (shown + faded) < last.entries
    if last is not None and shrinks and not trusted:
        report.entries = last.entries
        report.refuse(
            f"the site would lose {last.entries - shown} of {last.entries} entries with nothing "
            "changed in the config; it stays as it was (use --force if this is right)"
        )
        return
    site = _site(config, edition, theme, texts)
    published = publish(site, config.output, files)
    store.publications.record(
        output,
        Publication(
            recipe=recipe,
            generation=store.generation,
            keeps_until=edition.keeps_until,
            entries=shown,
        ),
        published.files,
    )
    report.entries = shown
    report.written, report.deleted = published.written, published.deleted


def plan(
    config: Config, feeds: Sequence[Feed], *, store: Store, scope: Scope, now: datetime
) -> tuple[list[Feed], list[str], list[str]]:
    """What a run would do: the feeds to ask, the files to make, the files to delete.

    The files are those of a site made from what is known now; news would add to them.
    """
    turns, _ = _turns(feeds, store.memories(), scope, now)
    theme = load_theme(config.theme)
    texts = Texts(store, cleaning(config))
    edition, _ = make_edition(config, feeds, store=store, texts=texts, now=now)
    before = store.publications.files(str(config.output))
    made, deleted = changes(_site(config, edition, theme, texts), config.output, before)
    return [turn.feed for turn in turns], made, deleted


def make_edition(
    config: Config, feeds: Sequence[Feed], *, store: Store, texts: Texts, now: datetime
) -> tuple[Edition, int]:
    """What the planet shows now, and how many entries it does not because they are too old."""
    wanted = {feed.key: feed for feed in feeds if feed.enabled}
    memories = store.memories()
    troubles = {key: words for key in wanted if (words := trouble(memories.get(key)))}
    decisions = select(
        store.entries(wanted), wanted, planet=config.filters, texts=texts.plain, now=now
    )
    changes = [item.until for item in decisions if item.until is not None and item.until > now]
    edition = merge(
        [decision.entry for decision in decisions if decision.kept],
        wanted,
        sources(wanted.values(), memories, troubles),
        edition=Edition(
            title=config.title,
            link=config.link,
            description=config.description,
            owner=config.owner,
            language=config.language,
            timezone=config.timezone,
            keeps_until=min(changes, default=None),
        ),
    )
    return edition, sum(decision.reason is Reason.TOO_OLD for decision in decisions)


def cleaning(config: Config) -> Cleaning:
    """How this planet's texts are cleaned."""
    return Cleaning(sanitizer=config.sanitizer, images=config.pages.images)


def _turns(
    feeds: Sequence[Feed], memories: Mapping[str, Memory], scope: Scope, now: datetime
) -> tuple[list[Turn], list[Turn]]:
    """The feeds to ask, and those of the others whose body on disk is to be read."""
    wanted = [feed for feed in feeds if scope.only is None or feed.key in scope.only]
    if scope.force:
        turns = forced(wanted, memories, reader=PARSER)
    else:
        turns = due(wanted, memories, reader=PARSER, now=now)
    if scope.offline:
        turns = [turn for turn in turns if turn.feed.is_file]
    asked = {turn.feed.key for turn in turns}
    left = [turn for turn in unread(wanted, memories, reader=PARSER) if turn.feed.key not in asked]
    return turns, left


def _read_ahead(
    arrivals: Iterable[tuple[Feed, Fetched]],
    config: Config,
    store: Store,
    memories: Mapping[str, Memory],
    readers: Workers[..., Reading],
) -> Iterator[tuple[Feed, Fetched, Call[Reading] | None]]:
    """The arrivals in their order, while workers read those with news that come after."""
    waiting: deque[tuple[Feed, Fetched, Call[Reading] | None]] = deque()
    for feed, fetched in arrivals:
        call: Call[Reading] | None = None
        if fetched.outcome is Outcome.NEW:
            memory = memories.get(feed.key)
            read_before = memory is not None and memory.profile is not None
            call = readers.call(
                fetched.body,
                url=fetched.url,
                content_type=fetched.headers.get("content-type"),
                known=store.digests(feed.key) if read_before else None,
                clean_first=feed.new_feed_entries,
                cleaning=cleaning(config),
            )
        waiting.append((feed, fetched, call))
        while waiting and (_is_ready(waiting[0][2]) or len(waiting) > _AHEAD):
            yield waiting.popleft()
    yield from waiting


def _is_ready(call: Call[Reading] | None) -> bool:
    return call is None or call.done()


def _is_failing(memory: Memory | None) -> bool:
    return memory is not None and memory.failures > 0


def _is_current(last: Publication, recipe: str, store: Store, now: datetime) -> bool:
    """Whether the same site would come out again."""
    return (last.recipe, last.generation) == (recipe, store.generation) and (
        last.keeps_until is None or now < last.keeps_until
    )


def _recipe(config: Config, feeds: Sequence[Feed], theme: Theme) -> str:
    """A fingerprint of everything but the state that a site is made from."""
    parts = (__version__, theme.fingerprint, cleaning(config).version, config, feeds)
    text = repr(parts).encode(errors="backslashreplace")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def _site(config: Config, edition: Edition, theme: Theme, texts: Texts) -> list[File]:
    pages = config.pages
    site = [
        *render(edition, theme=theme, pages=pages, contents=texts),
        *make_feeds(edition, pages=pages, contents=texts),
    ]
    # A source's page and feeds one after the other: they show the same texts.
    return sorted(site, key=lambda file: file.path)
