"""`planet check`: find mistakes before they cost a run."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import click

from planet.cli import options
from planet.cli.options import new_report, opened
from planet.cli.voice import runner
from planet.errors import ConfigError, Problem, UsageError, folded
from planet.model import Picks
from planet.report import (
    GIVEN_UP,
    Exit,
    called,
    counted,
    printable,
    printable_json,
    printable_line,
    remarks,
    summary,
)
from planet.report.summary import words
from planet.schedule.advice import advice
from planet.text.address import redacted
from planet.text.plain import plain
from planet.timeline.select import Search

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.cli.moves import Correction
    from planet.config import Config
    from planet.model import Entry, Feed, FeedState, Filters
    from planet.report import FeedOutcome
    from planet.report.summary import Linked
    from planet.run.runtime import Run


@click.command("check")
@options.config_option
@options.state_option
@click.option(
    "--fix", is_flag=True, help="Write the new addresses of feeds that moved into the config."
)
@click.option("--online", is_flag=True, help="Ask each feed, too, and tell what came of it.")
@click.option(
    "--against",
    type=options.FILE,
    metavar="OLD.yaml",
    help="With --online: ask only feeds that are not in this other config.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the mistakes as JSON.")
def command(
    config_path: Path,
    state: Path | None,
    fix: bool,
    online: bool,
    against: Path | None,
    as_json: bool,
) -> int:
    """Find every mistake in the config and in the theme's templates; nobody is asked.

    With --online each feed is asked once, politely, and what it says is kept as in any run; the
    exit code is 3 when one of them does not work.
    """
    from planet.run.publication import theme_of
    from planet.site.pages import check_theme

    if against and not online:
        raise UsageError("--against says whom --online leaves alone; say --online as well")
    try:
        config = options.read_config(config_path, state=state)
        problems = [*_missing_files(config)]
        themes = []
        with _added_to(problems):
            _check_asking(config)
        for site in config.sites:
            with _added_to(problems):
                themes.append(theme_of(site))
        if problems:
            raise ConfigError(sorted(problems, key=_by_place))
    except ConfigError as error:
        if not as_json:
            raise
        _print(problems=_as_json(error.problems))
        runner().refused(error, err=True)
        return Exit.USAGE
    for theme in themes:
        check_theme(theme)
    found = _asked(config, against) if online else None
    fixed = _fixed(config) if fix else None
    enabled = sum(feed.enabled for feed in config.feeds)
    well = f"{config_path}: no mistake found; {counted(enabled, 'feed')}"
    if as_json:
        _print(
            problems=[],
            warnings=_as_json(config.warnings),
            feeds=enabled,
            **(_fixed_as_json(fixed) if fixed else {}),
            **(_found_as_json(found) if found else {}),
        )
    else:
        click.echo(well)
        for line in folded(config.warnings):
            click.echo(printable_line(f"  {line}"))
        _tell_all(found, fixed)
    _tell_runner(well, config.warnings, found, err=as_json)
    return found.exit_code if found else Exit.DONE


@contextmanager
def _added_to(problems: list[Problem]) -> Iterator[None]:
    """Go on after mistakes, so that all of them are told."""
    try:
        yield
    except ConfigError as error:
        problems += error.problems


def _by_place(problem: Problem) -> tuple[int, int]:
    return (problem.place.line, problem.place.column) if problem.place else (0, 0)


def _missing_files(config: Config) -> Iterator[Problem]:
    """Feeds that are files, and are not there."""
    for feed in config.feeds:
        path = Path(unquote(urlsplit(feed.url).path))
        if feed.enabled and feed.is_file and not path.exists():
            words = f"there is no file {path}; a feed on the web begins with https://"
            yield Problem(feed.place, words)


def _check_asking(config: Config) -> None:
    """Look at the options of the cache, and at the key that requests are signed with.

    Raises:
        ConfigError: one is of no use.
    """
    if config.cache.options or config.fetch.signature:
        from planet.run.runtime import check_cache, signer

        check_cache(config)
        signer(config)


def _asked(config: Config, against: Path | None) -> Found:

    return asked(config, against=_earlier(against, config) if against else None)


def _earlier(path: Path, config: Config) -> Config:
    """Another config, as if it stood where this one does; what is wrong in it does not matter.

    Raises:
        UsageError: it cannot be read.
    """
    from planet.config.loading import earlier

    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    return earlier(data, path=config.path, environ=os.environ)


def _found_as_json(found: Found) -> dict[str, Any]:

    return record(found)


def _tell_all(found: Found | None, fixed: Correction | None) -> None:
    if found:
        tell(found)
    if fixed:
        _tell(fixed)


def _tell_runner(well: str, warnings: Sequence[Problem], found: Found | None, *, err: bool) -> None:
    here = runner()
    annotations = remarks.of_warnings(warnings)
    page = summary.of_words(f"{well}.")
    if found is not None:
        annotations += remarks_on(found)
        page = online_page(well, found, here.link)
    here.annotate(annotations, err=err)
    here.summarize(page)


def _fixed(config: Config) -> Correction:
    """The correction of the config, after it was written into it, and into its picks."""
    from planet.cli.moves import correction, write_feedfile
    from planet.run.picking import follow

    found = correction(config)
    if found.moves:
        write_feedfile(found.path, found.after, before=found.before)
        follow(config, {move.old: move.new for move in found.moves})
    return found


def _tell(fixed: Correction) -> None:
    from planet.cli.moves import NOTHING

    for move in fixed.moves:
        where = f"{move.place.file}:{move.place.line}"
        click.echo(f"{where}  {redacted(move.old)} → {redacted(move.new)}")
    for problem in fixed.by_hand:
        click.echo(problem)
    if not fixed.moves and not fixed.by_hand:
        click.echo(NOTHING)


def _fixed_as_json(fixed: Correction) -> dict[str, Any]:
    changed = [
        {
            "file": move.place.file,
            "line": move.place.line,
            "from": redacted(move.old),
            "to": redacted(move.new),
        }
        for move in fixed.moves
    ]
    return {"changed": changed, "by_hand": _as_json(fixed.by_hand)}


def _print(**said: Any) -> None:
    click.echo(printable_json(said))


def _as_json(problems: Iterable[Problem]) -> list[dict[str, str | int]]:
    return [
        {"message": problem.message}
        if problem.place is None
        else {
            "file": problem.place.file,
            "line": problem.place.line,
            "column": problem.place.column,
            "message": problem.message,
        }
        for problem in problems
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What is known of a feed once it was asked."""

    feed: Feed
    memory: FeedState | None
    heard: FeedOutcome | None
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
    from planet.run.lists import subscribed
    from planet.run.poll import update
    from planet.run.runtime import Scope

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
    from planet.run.lists import known

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


def _answer(heard: FeedOutcome | None) -> str:
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


def _checked(feeds: Iterable[Feed], heard: Mapping[str, FeedOutcome], run: Run) -> list[Checked]:
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


_COLUMNS = ("Feed", "Status", "Format", "Entries", "Newest", "Remarks", "Filters")


def online_page(said: str, found: Found, linked: Linked) -> str:
    """All of it, in Markdown, below what was said of the config: what does not work comes first."""
    broken = [each for each in found.feeds if not each.works]
    well = [each for each in found.feeds if each.works]
    tables = [
        summary.Table(title=title, columns=_COLUMNS, rows=[_row(each, linked) for each in feeds])
        for title, feeds in (("Feeds that do not work", broken), ("Feeds that work", well))
    ]
    entries = sum(len(each.entries) for each in found.feeds)
    filters = [f"The planet's filters: {each}" for each in matches_in(found.matched, entries)]
    told = filter(None, [said, found.summary, found.refused, *filters])
    return summary.page([summary.HEADING, *(f"{words(each)}." for each in told)], tables)


def remarks_on(found: Found) -> Iterator[remarks.Annotation]:
    """What is to be shown on the lines of the config."""
    for each in found.feeds:
        said = ". ".join(hint.rstrip(".") for hint in hints(each))
        if each.works and not said:
            continue
        yield remarks.Annotation(
            level=remarks.Level.WARNING if each.works else remarks.Level.ERROR,
            title=called(each.feed, each.memory),
            words=said if each.works else remarks.told(outcome(each), said),
            place=each.feed.place,
        )


def _row(checked: Checked, linked: Linked) -> tuple[str, ...]:
    memory, heard, last = checked.memory, checked.heard, newest(checked)
    profile = memory.profile if memory else None
    said = [] if checked.works and profile else [outcome(checked)]
    return (
        summary.named(called(checked.feed, memory), checked.feed, linked),
        f"{heard.status or ''}" if heard else "",
        words(profile.format if profile else ""),
        f"{len(checked.entries):,}" if profile else "",
        f"{last:%Y-%m-%d}" if last else "",
        "<br>".join(map(words, [*said, *hints(checked)])),
        "<br>".join(map(words, matches_in(checked.matched, len(checked.entries)))),
    )
