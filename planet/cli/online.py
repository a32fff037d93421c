"""`planet check --online`: every feed of the config, asked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from planet.address import redacted
from planet.cli.running import new_report, opened
from planet.content import plain
from planet.model import Picks
from planet.report import GIVEN_UP, Exit, called, counted, printable
from planet.schedule.advice import advice
from planet.select import Search

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.model import Entry, Feed, Filters, Memory
    from planet.report import Heard
    from planet.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What is known of a feed once it was asked."""

    feed: Feed
    memory: Memory | None
    heard: Heard | None
    """None when it was not asked in this run."""
    entries: tuple[Entry, ...]
    """Those it lists."""
    matched: dict[str, int]
    """For each pattern of its filters, how many of these it is found in."""

    @property
    def works(self) -> bool:
        """Whether nothing is wrong with it, as far as anyone knows."""
        memory = self.memory
        return memory is None or not (memory.failures or memory.given_up)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What came of asking every feed."""

    feeds: tuple[Checked, ...]
    matched: dict[str, int]
    """As in `Checked`, for the planet's filters, of the entries of all feeds."""
    refused: str | None
    """Why nothing can be said: nobody could be reached from here."""

    @property
    def summary(self) -> str:
        """How many feeds do not work, in a line."""
        if not self.feeds:
            return "there is no feed to ask"
        broken = sum(not each.works for each in self.feeds)
        return f"{broken:,} of {counted(len(self.feeds), 'feed')} not working"

    @property
    def exit_code(self) -> Exit:
        """How the command ends."""
        if self.refused is not None:
            return Exit.UNTRUSTWORTHY
        return Exit.DONE if all(each.works for each in self.feeds) else Exit.TOO_MANY_FAILED


def asked(config: Config, *, against: Config | None = None) -> Found:
    """Ask each feed of a config once, as `planet fetch --force` does.

    With `against`, only those that are not in that other config. The answers are kept and the
    attempts count, as in any run: no feed is asked twice within a minute, and nobody who is to be
    left alone.
    """
    from planet.run import Scope
    from planet.subscriptions import subscribed
    from planet.update import update

    with opened(config) as run:
        report = new_report(run)
        old = _known_to(against, run) if against else frozenset()
        lists = [feed for feed in config.subscriptions if feed.url not in old]
        scope = Scope(force=True, only=frozenset(feed.key for feed in lists))
        # Disabled ones, too: the update lets go of what is of no feed.
        feeds = subscribed(config, run=run, scope=scope, report=report)
        new = [feed for feed in feeds if feed.url not in old]
        scope = Scope(force=True, only=frozenset(feed.key for feed in new))
        update(config, feeds, run=run, scope=scope, report=report)
        heard = {each.feed.key: each for each in report.heard}
        lists = [feed for feed in lists if feed.key in heard]
        checked = _checked([*lists, *(feed for feed in new if feed.enabled)], heard, run)
        entries = [(each.feed, entry) for each in checked for entry in each.entries]
        return Found(
            feeds=tuple(checked),
            matched=_matched(config.filters, entries, run),
            refused=report.refused if report.outage else None,
        )


def _known_to(config: Config, run: Run) -> frozenset[str]:
    """The addresses of the feeds and lists that another config asks, as far as that is known."""
    from planet.subscriptions import known

    feeds = (*config.subscriptions, *known(config, run.store.lists()))
    return frozenset(feed.url for feed in feeds if feed.enabled)


def record(found: Found) -> dict[str, Any]:
    """All of it, for machines."""
    return {
        "checked": [_record(each) for each in found.feeds],
        "filters": found.matched,
        "refused": found.refused,
    }


def tell(found: Found) -> None:
    """Print it: a line for each feed, with lines below it on what to look at."""
    for each in found.feeds:
        name = called(each.feed, each.memory)
        click.echo(printable(f"{name}: {outcome(each)}"))
        for line in (*hints(each), *matches_in(each.matched, len(each.entries))):
            click.echo(f"  {printable(line)}")
    if found.matched:
        click.echo("The planet's filters:")
    for line in matches_in(found.matched, sum(len(each.entries) for each in found.feeds)):
        click.echo(f"  {printable(line)}")
    if found.refused:
        click.echo(found.refused, err=True)
    click.echo(found.summary, err=True)


def outcome(checked: Checked) -> str:
    """How a feed is, in a line."""
    memory = checked.memory
    if memory and memory.given_up:
        return f"not asked any more: {GIVEN_UP[memory.given_up]}"
    if memory is None or (memory.profile is None and not memory.failures):
        return "not asked: its server is to be left alone, or the time was up"
    words = [_answer(checked.heard)]
    if memory.failures or memory.profile is None:
        return ", ".join(filter(None, [*words, memory.error]))
    count = len(checked.entries)
    words += [memory.profile.format, "1 entry" if count == 1 else f"{count:,} entries"]
    if last := newest(checked):
        words.append(f"newest {last:%Y-%m-%d}")
    return ", ".join(words)


def _answer(heard: Heard | None) -> str:
    if heard and heard.put_off:
        return f"not asked: {heard.put_off}"
    if heard is None or not heard.was_asked:
        return "not asked again yet"
    return "a file" if heard.feed.is_file else str(heard.status or "")


def hints(checked: Checked) -> Iterator[str]:
    """What to do, and what was odd."""
    memory, heard = checked.memory, checked.heard
    if memory and memory.moved and not memory.moved.adopted:
        to = redacted(checked.feed.told(memory.moved.to))
        yield f"redirects to {to} for good; it is asked there once that has been so for a day"
    if said := advice(checked.feed, memory):
        yield said.words
    if heard:
        yield from heard.notes


def matches_in(matched: Mapping[str, int], entries: int) -> Iterator[str]:
    """What each pattern is found in."""
    for name, count in matched.items():
        yield f"{name}: {f'{count:,} of {entries:,}' if count else 'found nowhere'}"


def newest(checked: Checked) -> datetime | None:
    """The date of its newest entry, if it has one."""
    return max((entry.dated for entry in checked.entries), default=None)


def _checked(feeds: Iterable[Feed], heard: Mapping[str, Heard], run: Run) -> list[Checked]:
    memories = run.store.memories()
    unlisted = run.store.upkeep.unlisted()
    found: dict[str, list[Entry]] = {}
    wanted = list(feeds)
    only = [feed.key for feed in wanted if feed.picks is Picks.ONLY]
    for entry in run.store.entries(feed.key for feed in wanted if feed.picks is Picks.ALSO):
        if entry.number not in unlisted:
            found.setdefault(entry.feed, []).append(entry)
    found |= {key: list(listed) for key, listed in run.episodes.newest(only).items()}
    return [
        Checked(
            feed=feed,
            memory=memories.get(feed.key),
            heard=heard.get(feed.key),
            entries=tuple(found.get(feed.key, ())),
            matched=_matched(
                feed.filters, [(feed, entry) for entry in found.get(feed.key, ())], run
            ),
        )
        for feed in wanted
    ]


def _matched(filters: Filters, entries: Sequence[tuple[Feed, Entry]], run: Run) -> dict[str, int]:
    """In how many entries each include and exclude pattern is found."""
    both = {"include": filters.include, "exclude": filters.exclude}
    patterns = {
        f"{setting} {f'{pattern.field}: ' if pattern.field else ''}{pattern.said}": pattern
        for setting, found in both.items()
        for pattern in found
    }
    numbers = [entry.number for _, entry in entries] if filters.reads_texts else []
    texts = {number: plain(text) for number, text in run.store.raw_texts(numbers).items()}
    search = Search()
    return {
        name: sum(
            bool(search(pattern, entry, feed, texts.get(entry.number, "")))
            for feed, entry in entries
        )
        for name, pattern in patterns.items()
    }


def _record(checked: Checked) -> dict[str, Any]:
    """What is known of a feed, for machines; what is not known is left out."""
    feed, memory, heard = checked.feed, checked.memory, checked.heard
    last = newest(checked)
    said = {
        "feed": redacted(feed.key),
        "name": called(feed, memory),
        "url": redacted(feed.written_url),
        "place": str(feed.place) if feed.place else None,
        "works": checked.works,
        "asked": heard is not None and heard.was_asked,
        "status": heard.status if heard else None,
        "error": memory.error_kind if memory else None,
        "message": memory.error if memory else None,
        "format": memory.profile.format if memory and memory.profile else None,
        "entries": len(checked.entries),
        "newest": last.isoformat() if last else None,
        "moved_to": redacted(feed.told(memory.moved.to)) if memory and memory.moved else None,
        "matches": checked.matched or None,
        "notes": list(heard.notes) if heard and heard.notes else None,
    }
    return {name: value for name, value in said.items() if value is not None}
