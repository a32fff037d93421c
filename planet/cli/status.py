"""`planet status`, `retry` and `purge`: how each feed is, to ask again, and to make room."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from planet.cli import options
from planet.cli.options import clock
from planet.report import Exit, because, called, counted, foldable, printable, printable_json
from planet.text.address import host, redacted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from planet.cli.options import Known
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
    from planet.schedule.record import overview

    if patch:
        from planet.cli.moves import tell_patch

        return tell_patch(config)
    known, now = options.known_to(config), clock()
    lists, rows = ([_row(feed, known) for feed in feeds] for feeds in (known.lists, known.feeds))
    alarming = alarm((*known.lists, *known.feeds), known.states, now=now)
    planet = {**overview(rows), "alarm": alarming, "name": known.name}
    if as_json:
        click.echo(printable_json({"feeds": rows, "lists": lists, "planet": planet}))
        return Exit.DONE
    _table([*lists, *rows], now)
    for row in (*lists, *rows):
        if row["advice"]:
            trouble = f" {row['message']}" if row["message"] else ""
            click.echo(f"\n{printable(row['name'] + ':' + trouble)}\n  {printable(row['advice'])}")
    click.echo(f"\n{_summary(rows, planet, len(lists))}")
    if planet["alarm"]:
        click.echo(planet["alarm"])
    if known.name and config.cache.backend not in ("sqlite", "filesystem", "memory"):
        click.echo(f"answers are kept in {config.cache.backend}, under planet-{known.name}")
    return Exit.DONE


def _row(feed: Feed, known: Known) -> dict[str, Any]:
    """What is known of a feed; what is not known is None."""
    from planet.schedule.advice import advice
    from planet.schedule.record import record

    state = known.states.get(feed.key)
    asked_url = (state.asked_url if state else None) or feed.url
    health = record(feed, state, known.hosts.get(host(asked_url)))
    posted_at = state.posts[-1] if state and state.posts else None
    todo = advice(feed, state)
    return {
        "feed": redacted(feed.key),
        "name": called(feed, state),
        **health,
        "posted_at": posted_at.isoformat(timespec="seconds") if posted_at else None,
        "because": because(state, health["due_reason"]) if state and health["due_reason"] else None,
        "concern": todo.concern if todo else None,
        "advice": todo.words if todo else None,
    }


def _table(rows: Iterable[Mapping[str, Any]], now: datetime) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("state", "last good", "next"):
        table.add_column(heading, no_wrap=True)
    for heading in ("because", "feed"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        good, due = distance(row["succeeded_at"], now), distance(row["due_at"], now)
        words = [row["state"], good, due, row["because"] or "", row["name"]]
        # Text, not str: a feed's words must not be taken for markup, nor move the cursor.
        cells = [Text(foldable(word)) for word in words]
        if console.width >= _TABLE_WIDTH:
            table.add_row(*cells)
            continue
        stands = [row["state"], good and f"last good {good}", due and f"next {due}", words[3]]
        console.print(cells[-1])
        console.print(Padding(Text(", ".join(filter(None, stands))), (0, 0, 0, 2)))
    if table.rows:
        console.print(table)


_UNITS = ((24 * 60, "d"), (60, "h"), (1, "min"))


def distance(moment: str | None, now: datetime) -> str:
    """How long ago a moment was, or how far ahead it is, in a few letters."""
    if moment is None:
        return ""
    passed = now - datetime.fromisoformat(moment)
    minutes = round(abs(passed).total_seconds() / 60)
    if minutes == 0:
        return "now"
    size, unit = next(each for each in _UNITS if minutes >= 2 * each[0] or each[0] == 1)
    words = f"{round(minutes / size)} {unit}"
    return f"{words} ago" if passed > timedelta(0) else f"in {words}"


def _summary(rows: Sequence[Mapping[str, Any]], planet: Mapping[str, Any], lists: int) -> str:
    """The planet in one line."""
    states = Counter(row["state"] for row in rows)
    counts = [f"{count} {state}" for state, count in states.most_common()]
    words = ", ".join(counts + ([counted(lists, "list") + " of feeds"] if lists else []))
    days = planet["last_30_days"]
    if days["success_rate"] is None:
        return words
    return (
        f"{words}; {days['success_rate']:.1%} of {days['asked']:,} requests in 30 days went well, "
        f"{_size(days['bytes'])} came"
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
