"""`planet check`: find mistakes before they cost a run."""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import click
import msgspec
from msgspec.structs import asdict

from planet.cli import options
from planet.cli.options import ConfigFile, clock, open_run
from planet.cli.output import append_summary, print_annotations, report_refusal
from planet.errors import ConfigError, FeedError, Problem, StateError, UsageError, fold_problems
from planet.model import Entry, Feed, FeedState, Filters, Picks, Source
from planet.report import (
    GIVEN_UP,
    Exit,
    FeedOutcome,
    Report,
    feed_name,
    format_count,
    printable,
    printable_json,
    printable_line,
    workflow,
)
from planet.report.workflow import escape_words
from planet.schedule.health import advise
from planet.store import Store
from planet.text.address import redact
from planet.timeline.edition import sources
from planet.timeline.select import Search

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.run.open import Run
    from planet.site.pages.theme import Theme


@click.command("check")
@options.output_option
@options.pass_file
@click.argument("url", required=False)
@click.option("--online", is_flag=True, help="Ask each feed, too, and tell what came of it.")
@click.option(
    "--against",
    type=options.FILE,
    metavar="OLD.yaml",
    help="With --online: ask only feeds that are not in this other config.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the mistakes as JSON.")
def command(
    config_file: ConfigFile, url: str | None, online: bool, against: Path | None, as_json: bool
) -> int:
    """Find every mistake in the config and in the theme's templates, without a request.

    It warns when a change of the config would take most of the entries from the site.

    With --online it also asks each feed once, by the same rules as a run, and keeps the answers.
    The exit code is 3 when one of the feeds does not work.

    With URL it asks for the feed there instead, and tells what the planet would show of it and
    what could be better; no config is needed for that. The exit code is 3 when there is no feed.
    """
    if url is not None:
        if online or against:
            raise UsageError("an address is asked by itself; --online asks the feeds of the config")
        if Path(url).is_file():
            raise UsageError(f"{url} is a file; to check a config, say --config {url}")
        return _check_address(url, config_file, as_json=as_json)
    if against and not online:
        raise UsageError("--against says whom --online leaves alone; say --online as well")
    return _check_config(config_file, online=online, against=against, as_json=as_json)


def _check_config(
    config_file: ConfigFile, *, online: bool, against: Path | None, as_json: bool
) -> Exit:
    """Tell every mistake in the config, and with `online` what came of each feed."""
    from planet.config.loading import parse_leniently
    from planet.http import check_environment
    from planet.site.pages import check_theme

    try:
        config = config_file.read()
        themes = _load_themes(config)
    except ConfigError as error:
        if not as_json:
            raise
        click.echo(printable_json({"problems": _problems_to_json(error.problems)}))
        report_refusal(error, err=True)
        return Exit.USAGE
    for theme in themes:
        check_theme(theme)
    other = None
    if against:
        # As if it were in the place of this one; mistakes in it do not matter.
        other = parse_leniently(options.read_file(against), path=config.path, environ=os.environ)
    online_check = _check_online(config, against=other) if online else None
    # After new feeds were read, because their entries count.
    losses = _warn_of_losses(config)
    warnings = [*config.warnings, *losses]
    # A proxy changes what is promised.
    if words := check_environment():
        warnings.append(Problem(None, words, is_warning=True))
    enabled = sum(feed.enabled for feed in config.feeds)
    well = f"{config_file.path}: no mistake found; {format_count(enabled, 'feed')}"
    if as_json:
        record = {"problems": [], "warnings": _problems_to_json(warnings), "feeds": enabled}
        record |= online_check.as_json() if online_check else {}
        click.echo(printable_json(record))
    else:
        click.echo(well)
        for line in fold_problems(warnings):
            click.echo(printable_line(f"  {line}"))
        if online_check:
            online_check.tell()
    annotations = workflow.annotate_problems(warnings)
    # Warnings with a place are shown on their lines.
    head = [well, *(problem.message for problem in losses)]
    page = workflow.render_page([f"{line}." for line in head])
    if online_check:
        annotations += online_check.annotations()
        page = online_check.page(head)
    print_annotations(annotations, err=as_json)
    append_summary(page)
    return online_check.exit_code if online_check else Exit.DONE


def _check_address(url: str, config_file: ConfigFile, *, as_json: bool) -> Exit:
    """Tell what is at an address, and what the planet would show of it."""
    from planet.cli.add import examine
    from planet.cli.candidates import explain_refusal

    try:
        candidate = examine(url, config_file)
    except FeedError as error:
        words = explain_refusal(error, url)
        if as_json:
            record = {"url": redact(url), "error": error.kind, "remarks": words}
            click.echo(printable_json(record))
        for line in words if not as_json else ():
            click.echo(printable(line), err=True)
        return Exit.TOO_MANY_FAILED
    if as_json:
        click.echo(printable_json(candidate.as_json()))
    for line in candidate.as_lines() if not as_json else ():
        click.echo(printable_line(line))
    return Exit.DONE


def _warn_of_losses(config: Config) -> list[Problem]:
    """Return a warning for each site that this config takes most entries from; nobody is asked."""
    from planet.config.opml import list_feeds
    from planet.run.publish import config_losses, has_new_config

    try:
        with Store.look(config.state, config.redactor) as store:
            if store is None:
                return []
            feeds = list_feeds(config, store.lists.read())
            # Only then is there anything to compare that is worth a copy of the state.
            if not has_new_config(config, feeds, store=store, now=clock()):
                return []
        with open_run(config, dry=True) as run:
            losses = config_losses(config, feeds, run=run)
    except StateError as error:
        words = f"whether the site would lose entries is not known: {error}"
        return [Problem(None, words, is_warning=True)]
    refused = "; `planet build` does not publish that, `planet render --force` does"
    return [
        Problem(None, loss.words + (refused if loss.is_refused else ""), is_warning=True)
        for loss in losses
    ]


def _load_themes(config: Config) -> list[Theme]:
    """Load the theme of each site.

    Raises:
        ConfigError: with every mistake in themes, files and signature.
    """
    from planet.config.loading import sort_problems
    from planet.run.drawing import load_site_theme

    problems, themes = [*_find_missing_files(config)], []
    if config.fetch.signature:
        from planet.run.open import signer

        with _collect_problems(problems):
            signer(config)
    for site in config.sites:
        with _collect_problems(problems):
            themes.append(load_site_theme(site))
    if problems:
        raise ConfigError(sort_problems(problems, first=str(config.path)))
    return themes


@contextmanager
def _collect_problems(problems: list[Problem]) -> Iterator[None]:
    try:
        yield
    except ConfigError as error:
        problems += error.problems


def _find_missing_files(config: Config) -> Iterator[Problem]:
    """Yield a problem for each feed that is a file, and is missing or is a folder."""
    for feed in config.feeds:
        path = Path(unquote(urlsplit(feed.url).path))
        if feed.is_asked and feed.is_file and not path.exists():
            words = f"there is no file {path}; a feed on the web begins with https://"
            yield Problem(feed.place, words)
        elif feed.is_asked and feed.is_file and path.is_dir():
            words = f"{path} is a folder; name the file of the feed in it"
            yield Problem(feed.place, words)


def _problems_to_json(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    return [
        {**(asdict(problem.place) if problem.place else {}), "message": problem.message}
        for problem in problems
    ]


class _CheckedFeed(msgspec.Struct, frozen=True, kw_only=True):
    """A feed after it was asked."""

    feed: Feed
    state: FeedState | None
    result: FeedOutcome | None
    """None if it was not asked in this run."""
    entries: Sequence[Entry]
    """Those that it lists."""
    matched: dict[str, int]
    """For each pattern of its filters, in how many of these it is found."""

    @property
    def name(self) -> str:
        return feed_name(self.feed, self.state)

    @property
    def works(self) -> bool:
        """Tell whether nothing is known to be wrong with it."""
        return self.state is None or not (self.state.failures or self.state.given_up)

    @property
    def newest(self) -> datetime | None:
        return max((entry.dated for entry in self.entries), default=None)

    @property
    def outcome(self) -> str:
        """Return how it is, in a line."""
        state, result = self.state, self.result
        if state and state.given_up:
            return f"not asked any more: {GIVEN_UP[state.given_up]}"
        is_unread = result is not None and result.is_unread
        if state is None or (state.profile is None and not state.failures and not is_unread):
            return "not asked: its server is to be left alone, or the time was up"
        if result and result.put_off:
            answer = f"{'not read' if is_unread else 'not asked'}: {result.put_off}"
        elif result is None or not result.was_asked:
            answer = "not asked again yet"
        else:
            answer = "a file" if result.feed.is_file else str(result.status or "")
        if state.failures or state.profile is None:
            return ", ".join(filter(None, [answer, state.error]))
        count = format_count(len(self.entries), "entry", "entries")
        newest = f", newest {self.newest:%Y-%m-%d}" if self.newest else ""
        return f"{answer}, {state.profile.format}, {count}{newest}"

    @property
    def hints(self) -> list[str]:
        """Return what to do about it, and what was odd."""
        hints = []
        if self.state and self.state.moved and not self.state.moved.adopted:
            to = redact(self.feed.redact(self.state.moved.to))
            words = "for good; it is asked there once that has been so for a day"
            hints.append(f"redirects to {to} {words}")
        if todo := advise(self.feed, self.state):
            hints.append(todo.words)
        return hints + list(self.result.notes if self.result else ())

    @property
    def matches(self) -> list[str]:
        return _describe_matches(self.matched, len(self.entries))

    def as_json(self) -> dict[str, Any]:
        """Return all of it, ready for JSON; what is not known is left out."""
        feed, state, result = self.feed, self.state, self.result
        record = {
            "feed": redact(feed.key),
            "name": self.name,
            "url": redact(feed.written_url),
            "place": str(feed.place) if feed.place else None,
            "works": self.works,
            "asked": result is not None and result.was_asked,
            "status": result.status if result else None,
            "error": state.error_kind if state else None,
            "message": state.error if state else None,
            "format": state.profile.format if state and state.profile else None,
            "entries": len(self.entries),
            "newest": self.newest.isoformat() if self.newest else None,
            "moved_to": redact(feed.redact(state.moved.to)) if state and state.moved else None,
            "matches": self.matched or None,
            "notes": list(result.notes) if result and result.notes else None,
        }
        return {name: value for name, value in record.items() if value is not None}


class _OnlineCheck(msgspec.Struct, frozen=True, kw_only=True):
    """The result of asking every feed."""

    feeds: Sequence[_CheckedFeed]
    matched: dict[str, int]
    """The same as in `_CheckedFeed`, for the filters of the planet and the entries of all feeds."""
    refused: str | None
    """Why there is no result, when nothing could be reached."""

    @property
    def summary(self) -> str:
        """Return how many feeds do not work, in a line."""
        if not self.feeds:
            return "there is no feed to ask"
        broken = sum(not feed.works for feed in self.feeds)
        return f"{broken:,} of {format_count(len(self.feeds), 'feed')} not working"

    @property
    def matches(self) -> list[str]:
        return _describe_matches(self.matched, sum(len(feed.entries) for feed in self.feeds))

    @property
    def exit_code(self) -> Exit:
        if self.refused is not None:
            return Exit.UNTRUSTWORTHY
        return Exit.DONE if all(feed.works for feed in self.feeds) else Exit.TOO_MANY_FAILED

    def as_json(self) -> dict[str, Any]:
        checked = [feed.as_json() for feed in self.feeds]
        return {"checked": checked, "filters": self.matched, "refused": self.refused}

    def tell(self) -> None:
        """Print a line for each feed, and hints below it."""
        for feed in self.feeds:
            click.echo(printable(f"{feed.name}: {feed.outcome}"))
            for line in (*feed.hints, *feed.matches):
                click.echo(f"  {printable(line)}")
        if self.matched:
            click.echo("The planet's filters:")
        for line in self.matches:
            click.echo(f"  {printable(line)}")
        if self.refused:
            click.echo(self.refused, err=True)
        click.echo(self.summary, err=True)

    def page(self, head: Sequence[str]) -> str:
        """Return the job summary, in Markdown: `head`, feeds that do not work, all others."""

        def row(feed: _CheckedFeed) -> tuple[str, str]:
            lines = [feed.outcome, *feed.hints, *feed.matches]
            return workflow.format_feed(feed.name, feed.feed), "<br>".join(map(escape_words, lines))

        columns = ("Feed", "What came of it")
        broken = [row(feed) for feed in self.feeds if not feed.works]
        working = [row(feed) for feed in self.feeds if feed.works]
        tables = [
            workflow.Table(title="Feeds that do not work", columns=columns, rows=broken),
            workflow.Table(title="Feeds that work", columns=columns, rows=working),
        ]
        filters = [f"The planet's filters: {match}" for match in self.matches]
        lines = filter(None, [*head, self.summary, self.refused, *filters])
        return workflow.render_page([f"{line}." for line in lines], tables)

    def annotations(self) -> Iterator[workflow.Annotation]:
        """Yield annotations for lines of the config."""
        for feed in self.feeds:
            hints = ". ".join(hint.rstrip(".") for hint in feed.hints)
            if hints or not feed.works:
                yield workflow.Annotation(
                    words=hints if feed.works else workflow.join_sentences(feed.outcome, hints),
                    is_error=not feed.works,
                    title=feed.name,
                    place=feed.feed.place,
                )


def _check_online(config: Config, *, against: Config | None) -> _OnlineCheck:
    """Ask each feed of a config once, as `planet fetch --force` does.

    With `against`, only those that are not in that other config. Answers are kept and attempts
    count as in any run: no feed is asked twice within a minute, nor one that is to be left alone.
    """
    from planet.config.opml import list_feeds
    from planet.run.lists import load_feeds
    from planet.run.open import Scope
    from planet.run.update import update

    with open_run(config) as run:
        report = Report(started=clock())
        old: set[str] = set()
        if against:
            others = (*against.subscriptions, *list_feeds(against, run.store.lists.read()))
            old = {feed.url for feed in others if feed.is_asked}
        lists = [feed for feed in config.subscriptions if feed.url not in old]
        scope = Scope(force=True, only=frozenset(feed.key for feed in lists))
        # Disabled ones, too: the update drops what is of no feed.
        feeds = load_feeds(config, run=run, scope=scope, report=report)
        new = [feed for feed in feeds if feed.url not in old]
        scope = Scope(force=True, only=frozenset(feed.key for feed in new))
        update(config, feeds, run=run, scope=scope, report=report)
        results = {outcome.feed.key: outcome for outcome in report.outcomes}
        lists = [feed for feed in lists if feed.key in results]
        asked_for = [*lists, *(feed for feed in new if feed.is_asked)]
        shown_as = sources(asked_for, run.store.states(), {}, run.store.entries.origins())
        states, entries = run.store.states(), _list_entries(asked_for, run)
        checked = [
            _CheckedFeed(
                feed=feed,
                state=states.get(feed.key),
                result=results.get(feed.key),
                entries=entries[feed.key],
                matched=_count_matches(
                    feed.filters, [(feed, entry) for entry in entries[feed.key]], shown_as, run
                ),
            )
            for feed in asked_for
        ]
        all_entries = [(one.feed, entry) for one in checked for entry in one.entries]
        matched = _count_matches(config.filters, all_entries, shown_as, run)
        refused = report.refused if report.outage else None
        return _OnlineCheck(feeds=checked, matched=matched, refused=refused)


def _list_entries(feeds: Sequence[Feed], run: Run) -> Mapping[str, list[Entry]]:
    """Return the entries that each feed lists, by its key."""
    unlisted = run.store.entries.unlisted()
    entries: dict[str, list[Entry]] = defaultdict(list)
    for picks in Picks:
        keys = [feed.key for feed in feeds if feed.picks is picks]
        for entry in run.store.entries.of_feeds(keys, picks=picks):
            # Where episodes are picked, earlier ones count as well.
            if picks is Picks.ONLY or entry.number not in unlisted:
                entries[entry.feed].append(entry)
    return entries


def _count_matches(
    filters: Filters,
    entries: Sequence[tuple[Feed, Entry]],
    shown_as: Mapping[str, Source],
    run: Run,
) -> dict[str, int]:
    """Count in how many entries each include and exclude pattern is found."""
    patterns = {
        f"{setting} {f'{pattern.field}: ' if pattern.field else ''}{pattern.written}": pattern
        for setting in ("include", "exclude")
        for pattern in getattr(filters, setting)
    }
    search = Search(shown_as, run.store.texts.read_plain)
    texts = search.read([entry for _, entry in entries], filters)
    return {
        name: sum(
            bool(search(pattern, entry, feed, texts.get(entry.number, "")))
            for feed, entry in entries
        )
        for name, pattern in patterns.items()
    }


def _describe_matches(matched: Mapping[str, int], entries: int) -> list[str]:
    return [
        f"{name}: {f'{count:,} of {entries:,}' if count else 'found nowhere'}"
        for name, count in matched.items()
    ]
