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
    from planet.model import Feed, FeedState
    from planet.store import Store


_TABLE_WIDTH = 72
"""Columns of a terminal; on a narrower one each feed has lines of its own."""


@click.command("status")
@options.takes_config
@options.json_option
@click.option(
    "--patch", is_flag=True, help="Print the new addresses of feeds that moved, as a patch."
)
def command(config: Config, as_json: bool, patch: bool) -> None:
    """Tell how each feed is, when it is asked next, why then, and what to do about it."""
    if patch:
        _tell_patch(config)
    elif as_json:
        for piece in printable_json_pieces(status(planet_state(config), now=clock())):
            click.echo(piece, nl=False)
        click.echo()
    else:
        _tell(config, clock())


def _tell(config: Config, now: datetime) -> None:
    from planet.schedule.health import alarm

    planet = planet_state(config)
    alarming = alarm((*planet.lists, *planet.feeds), planet.states, now=now)
    # Of each feed only what is shown stays in memory: a list may be long.
    table: list[tuple[str, ...]] = []
    todo: list[str] = []
    states, month = Counter[str](), Counter[str]()
    for number, feed in enumerate((*planet.lists, *planet.feeds)):
        row = row_of(feed, planet)
        times = distance(row["succeeded_at"], now), distance(row["due_at"], now)
        # A feed's words must not move the cursor.
        cells = row["state"], *times, row["because"] or "", row["name"]
        table.append(tuple(map(foldable, cells)))
        if row["advice"]:
            trouble = f" {row['message']}" if row["message"] else ""
            todo += [f"\n{printable(row['name'] + ':' + trouble)}", f"  {printable(row['advice'])}"]
        if number >= len(planet.lists):
            states[row["state"]] += 1
            month.update({name: row["last_30_days"][name] for name in ("asked", "failed", "bytes")})
    for line in chain(_lines(table), todo):
        click.echo(line)
    counts = [f"{count} {state}" for state, count in states.most_common()]
    if planet.lists:
        counts.append(counted(len(planet.lists), "list") + " of feeds")
    summary = ", ".join(counts)
    if asked := month["asked"]:
        came = month["bytes"]
        size = f"{came / 1e6:,.1f} MB" if came >= 1_000_000 else f"{came / 1000:,.0f} kB"
        went_well = f"{1 - month['failed'] / asked:.1%} of {asked:,} requests"
        summary += f"; {went_well} in 30 days went well, {size} came"
    click.echo(f"\n{summary}")
    if alarming:
        click.echo(alarming)
    if planet.name and config.cache.backend not in ("sqlite", "filesystem", "memory"):
        click.echo(f"answers are kept in {config.cache.backend}, under planet-{planet.name}")


def _tell_patch(config: Config) -> None:
    """Print what config and picks should say of feeds that are asked at another address by now.

    That is a patch, for the folder of the config. What cannot be in it goes to standard error.
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


def _diff(name: str, before: str, after: str) -> str:
    """A unified diff; empty when nothing is different."""
    # Without a tab after it, a name with a blank in it ends there for `patch`.
    end = "\t" if " " in name else ""
    # Only what ends a line for `patch`, too: YAML and Python know more line ends.
    old, new = list(StringIO(before)), list(StringIO(after))
    lines = difflib.unified_diff(old, new, f"a/{name}{end}", f"b/{name}{end}")
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
        for cells in zip_longest(*map(folded, row, widths), fillvalue=""):
            line = "  ".join(map(set_cell_size, cells, widths)).rstrip()
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


@click.command("retry")
@options.takes_config
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def retry(config: Config, names: tuple[str, ...]) -> None:
    """Have feeds that were given up, or cannot be read, asked again in the next run.

    Of one that cannot be read the whole is asked for, even if its server says it is not modified.
    One that leads into a private network, and was in the public Internet before, may be there now.

    NAME is what `planet status` calls a feed, its address, its id, or its folder on the site.
    """
    from planet.run.lists import feeds_of
    from planet.store import Store

    with Store.open(config.state, config.redactor) as store:
        feeds = (*config.subscriptions, *feeds_of(config, store.lists()))
        wanted, states = options.keys_of(feeds, names, store) or (), store.states()
        for feed in (feed for feed in feeds if feed.key in wanted):
            state = states.get(feed.key)
            click.echo(printable(f"{called(feed, state)}: {_retry(feed, state, store)}"))


def _retry(feed: Feed, state: FeedState | None, store: Store) -> str:
    """What was done about a feed, in words."""
    from planet.schedule import revived, shows

    if not feed.enabled:
        return "is not enabled in the config"
    if state is None or not (state.given_up or state.unreadable or _has_gone_inside(state)):
        return "was not given up; `planet status` tells when it is asked next"
    after = revived(state)
    store.keep(after, shows=shows(state, after))
    if after.due_at is None:
        return "is asked again in the next run"
    return "is asked again once an hour has passed since the last time"


def _has_gone_inside(state: FeedState) -> bool:
    """Whether a feed is not asked because it leads into a private network, as it did not before."""
    return state.was_public and state.error_kind == "private_address"


@click.command("purge")
@options.takes_config
@click.option("--dry-run", is_flag=True, help="Say what would be dropped; change nothing.")
@options.json_option
def purge(config: Config, dry_run: bool, as_json: bool) -> None:
    """Drop what `retention` no longer keeps and feeds that left the config long ago; make room.

    Every run drops what is too old by itself; this gives the room back to the disk as well. Nobody
    is asked, and nothing is dropped that a run would need.
    """
    from planet.run import maintain

    done = (maintain.rehearsed if dry_run else maintain.purge)(config, clock=clock)
    if as_json:
        click.echo(printable_json({**asdict(done), "dry_run": dry_run}))
        return
    would = "would be " if dry_run else ""
    kinds = (
        (done.entries, counted(done.entries, "entry", "entries")),
        (done.texts, counted(done.texts, "text")),
        (done.feeds, counted(done.feeds, "feed")),
        (done.bodies, counted(done.bodies, "cached answer")),
    )
    gone = ", ".join(words for number, words in kinds if number)
    click.echo(f"{gone or 'nothing'} {would}dropped; {done.freed / 1000:,.0f} kB {would}freed")
