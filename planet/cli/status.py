"""`planet status`, `retry` and `purge`: how each feed is, to ask again, and to make room."""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import partial
from io import StringIO
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.cli.options import clock
from planet.errors import ConfigError, Problem
from planet.report import (
    Exit,
    called,
    counted,
    foldable,
    printable,
    printable_json,
    printable_json_pieces,
)
from planet.run.overview import planet_state, row_of, status
from planet.schedule import state_of
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planet.config import Config
    from planet.model import Feed
    from planet.store import Store


_TABLE_WIDTH = 72
"""Columns of a terminal; on a narrower one each feed has lines of its own."""


@click.command("status")
@options.takes_config
@options.json_option
@click.option(
    "--patch", is_flag=True, help="Print the new addresses of feeds that moved, as a patch."
)
def command(config: Config, as_json: bool, patch: bool) -> int:
    """Tell how each feed is, when it is asked next, why then, and what to do about it."""
    from planet.schedule.advice import alarm

    if patch:
        return _tell_patch(config)
    planet, now = planet_state(config), clock()
    if as_json:
        for piece in printable_json_pieces(status(planet, now=now)):
            click.echo(piece, nl=False)
        click.echo()
        return Exit.DONE
    alarming = alarm((*planet.lists, *planet.feeds), planet.states, now=now)
    # Of each feed only what is shown stays in memory: a list may be long.
    table: list[tuple[str, ...]] = []
    todo: list[str] = []
    states: Counter[str] = Counter()
    month: Counter[str] = Counter()
    for number, feed in enumerate((*planet.lists, *planet.feeds)):
        row = row_of(feed, planet)
        times = distance(row["succeeded_at"], now), distance(row["due_at"], now)
        # A feed's words must not move the cursor.
        table.append(
            tuple(map(foldable, (row["state"], *times, row["because"] or "", row["name"])))
        )
        if row["advice"]:
            trouble = f" {row['message']}" if row["message"] else ""
            todo += [f"\n{printable(row['name'] + ':' + trouble)}", f"  {printable(row['advice'])}"]
        if number >= len(planet.lists):
            states[row["state"]] += 1
            month.update({name: row["last_30_days"][name] for name in ("asked", "failed", "bytes")})
    for line in chain(_lines(table), todo):
        click.echo(line)
    click.echo(f"\n{_summary(states, month, len(planet.lists))}")
    if alarming:
        click.echo(alarming)
    if planet.name and config.cache.backend not in ("sqlite", "filesystem", "memory"):
        click.echo(f"answers are kept in {config.cache.backend}, under planet-{planet.name}")
    return Exit.DONE


def _tell_patch(config: Config) -> int:
    """Print what config and picks should say of feeds that are asked at another address by now.

    That is a patch, for the folder of the config. What cannot be in it goes to standard error.

    Raises:
        ConfigError: the config would have mistakes; nothing is to be changed.
        StateError: what is known of the feeds cannot be read.
    """
    from planet.cli.add import read_as, text_of
    from planet.config.edits import LeftError, readdressed
    from planet.config.loading import order
    from planet.config.picks import FILE, followed

    file, planet = str(config.path), planet_state(config)
    before = after = text_of(config.path)
    picks = config.path.with_name(FILE)
    picked_before = picked = text_of(picks) if picks.exists() else ""
    feeds = (*planet.lists, *planet.feeds)
    taken = {feed.url for feed in feeds}
    problems: list[Problem] = []
    for feed in feeds:
        adopted_url = state_of(feed, planet.states.get(feed.key)).adopted_url
        if adopted_url is None:
            continue
        new = address.same(adopted_url)
        try:
            if feed.place is None or feed.place.file != file:
                raise LeftError("; change it in the list that it comes from")
            if new in taken:
                raise LeftError(", which is a feed here already; remove one of the two")
            after = readdressed(after, feed.place, new, file=file)
            taken.add(new)
            picked = followed(picked, {feed.url: new}, file=str(picks))
        except LeftError as left:
            moved = f"{address.redacted(feed.written_url)} has moved to"
            shown = address.redacted(feed.redact(new))
            problems.append(Problem(feed.place, f"{moved} {shown}{left}"))
        except ConfigError as error:
            problems += error.problems
    read_as(config.path, after)
    patch = _diff(config.path.name, before, after) + _diff(FILE, picked_before, picked)
    if not patch and not problems:
        click.echo("no feed has moved for good", err=True)
    for problem in sorted(problems, key=partial(order, file)):
        click.echo(problem, err=True)
    # As bytes: a patch must be what the file is, whatever the terminal can show.
    click.echo(patch.encode(), nl=False)
    return Exit.DONE


def _diff(name: str, before: str, after: str) -> str:
    """A unified diff; empty when nothing is different."""
    # Without a tab after it, a name with a blank in it ends there for `patch`.
    end = "\t" if " " in name else ""
    lines = difflib.unified_diff(
        # Only what ends a line for `patch`, too: YAML and Python know more line ends.
        list(StringIO(before)),
        list(StringIO(after)),
        f"a/{name}{end}",
        f"b/{name}{end}",
    )
    unended = "\n\\ No newline at end of file\n"
    return "".join(line if line.endswith("\n") else line + unended for line in lines)


def _lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table as lines; on a narrow terminal each feed has lines of its own."""
    # Not rich's own table, which takes a minute for a hundred thousand feeds.
    from rich.cells import cell_len, set_cell_size
    from rich.console import Console
    from rich.text import Text

    console = Console()

    def folded(text: str, width: int) -> Sequence[str]:
        if cell_len(text) <= width:
            return (text,)
        return [line.plain for line in Text(text).wrap(console, width, overflow="fold")]

    if console.width < _TABLE_WIDTH:
        for state, good, due, why, name in rows:
            words = [state, good and f"last good {good}", due and f"next {due}", why]
            yield from folded(name, console.width)
            for line in folded(", ".join(filter(None, words)), console.width - 2):
                yield f"  {line}"
        return
    widths = [max(map(cell_len, column)) for column in zip(_HEADINGS, *rows, strict=True)]
    left = console.width - sum(widths[:3]) - 2 * 4
    widths[3] = min(widths[3], max(left // 2, left - widths[4]))
    widths[4] = min(widths[4], left - widths[3])
    for row in (_HEADINGS, *rows) if rows else ():
        columns = [folded(text, width) for text, width in zip(row, widths, strict=True)]
        for cells in zip_longest(*columns, fillvalue=""):
            padded = map(set_cell_size, cells, widths)
            line = "  ".join(padded).rstrip()
            yield click.style(line, bold=True) if row is _HEADINGS else line


_HEADINGS = ("state", "last good", "next", "because", "feed")


_UNITS = ((24 * 60, "d"), (60, "h"), (1, "min"))


def distance(moment: str | None, now: datetime) -> str:
    """How long ago a moment was, or how far ahead it is, in a few letters."""
    if moment is None:
        return ""
    passed = now - datetime.fromisoformat(moment)
    minutes = round(abs(passed).total_seconds() / 60)
    if minutes == 0:
        return "now"
    size, unit = next(unit for unit in _UNITS if minutes >= 2 * unit[0] or unit[0] == 1)
    words = f"{round(minutes / size)} {unit}"
    return f"{words} ago" if passed > timedelta(0) else f"in {words}"


def _summary(states: Counter[str], month: Counter[str], lists: int) -> str:
    """The planet in one line."""
    counts = [f"{count} {state}" for state, count in states.most_common()]
    words = ", ".join(counts + ([counted(lists, "list") + " of feeds"] if lists else []))
    if not month["asked"]:
        return words
    return (
        f"{words}; {1 - month['failed'] / month['asked']:.1%} of {month['asked']:,} requests in "
        f"30 days went well, {_size(month['bytes'])} came"
    )


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1_000_000 else f"{count / 1000:,.0f} kB"


@click.command("retry")
@options.takes_config
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def retry(config: Config, names: tuple[str, ...]) -> int:
    """Have feeds that were given up, or cannot be read, asked again in the next run.

    Of one that cannot be read the whole is asked for, even if its server says it is not modified.

    NAME is what `planet status` calls a feed, its address, its id, or its folder on the site.
    """
    from planet.run.lists import feeds_of
    from planet.store import Store

    with Store.open(config.state, config.redactor) as store:
        feeds = (*config.subscriptions, *feeds_of(config, store.lists()))
        wanted = options.keys_of(feeds, names, store) or ()
        for feed in feeds:
            if feed.key in wanted:
                click.echo(printable(_retry(feed, store)))
    return Exit.DONE


def _retry(feed: Feed, store: Store) -> str:
    """What was done about a feed, in words."""
    from planet.schedule import revived, shows

    state = store.states().get(feed.key)
    name = called(feed, state)
    if not feed.enabled:
        return f"{name}: is not enabled in the config"
    if state is None or (state.given_up is None and state.unreadable is None):
        return f"{name}: was not given up; `planet status` tells when it is asked next"
    after = revived(state)
    store.keep(after, shows=shows(state, after))
    when = (
        "in the next run" if after.due_at is None else "once an hour has passed since the last time"
    )
    return f"{name}: is asked again {when}"


@click.command("purge")
@options.takes_config
@click.option("--dry-run", is_flag=True, help="Say what would be dropped; change nothing.")
@options.json_option
def purge(config: Config, dry_run: bool, as_json: bool) -> int:
    """Drop what `retention` no longer keeps and feeds that left the config long ago; make room.

    Every run drops what is too old by itself; this gives the room back to the disk as well. Nobody
    is asked, and nothing is dropped that a run would need.
    """
    from planet.run import maintain

    done = (maintain.rehearsed if dry_run else maintain.purge)(config, clock=clock)
    if as_json:
        click.echo(printable_json({**asdict(done), "dry_run": dry_run}))
        return Exit.DONE
    would = "would be " if dry_run else ""
    kinds = (
        (done.entries, "entry", "entries"),
        (done.texts, "text", "texts"),
        (done.feeds, "feed", "feeds"),
        (done.bodies, "cached answer", "cached answers"),
    )
    gone = ", ".join(counted(number, one, many) for number, one, many in kinds if number)
    click.echo(f"{gone or 'nothing'} {would}dropped; {done.freed / 1000:,.0f} kB {would}freed")
    return Exit.DONE
