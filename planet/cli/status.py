"""`planet status` and `planet retry`: how each feed is, and to have it asked again."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from planet.cli import options
from planet.cli.options import clock
from planet.report import Exit, because, called, counted, foldable, printable, printable_json
from planet.text.address import host, redacted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from planet.model import Feed, FeedState, HostState
    from planet.store import Store


_TABLE_WIDTH = 72
"""Columns of a terminal; on a narrower one each feed has lines of its own."""


@click.command("status")
@options.config_option
@options.state_option
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option(
    "--patch", is_flag=True, help="Print the new addresses of feeds that moved, as a patch."
)
def command(config_path: Path, state: Path | None, as_json: bool, patch: bool) -> int:
    """Tell how each feed is, when it is asked next, why then, and what to do about it."""
    from planet.run.lists import known
    from planet.schedule.advice import alarm
    from planet.schedule.record import overview
    from planet.store import Store

    config = options.read_config(config_path, state=state)
    if patch:
        from planet.cli.moves import tell_patch

        return tell_patch(config)
    with Store.look(config.state, config.veil) as store:
        memories = store.memories() if store else {}
        hosts = store.hosts() if store else {}
        feeds = known(config, store.lists() if store else {})
    now = clock()
    lists = [_row(each, memories.get(each.key), hosts) for each in config.subscriptions]
    rows = [_row(feed, memories.get(feed.key), hosts) for feed in feeds]
    alarming = alarm((*config.subscriptions, *feeds), memories, now=now)
    planet = {**overview(rows), "alarm": alarming}
    if as_json:
        click.echo(printable_json({"feeds": rows, "lists": lists, "planet": planet}))
        return Exit.DONE
    _table([*lists, *rows], now)
    for row in (*lists, *rows):
        if row["advice"]:
            click.echo(f"\n{printable(_with_words(row))}\n  {printable(row['advice'])}")
    click.echo(f"\n{_summary(rows, planet, len(lists))}")
    if planet["alarm"]:
        click.echo(planet["alarm"])
    return Exit.DONE


def _row(feed: Feed, memory: FeedState | None, hosts: Mapping[str, HostState]) -> dict[str, Any]:
    """What is known of a feed; what is not known is None."""
    from planet.schedule.advice import advice
    from planet.schedule.record import record

    asked_url = (memory.asked_url if memory else None) or feed.url
    found = record(feed, memory, hosts.get(host(asked_url)))
    said = advice(feed, memory)
    return {
        "feed": redacted(feed.key),
        "name": called(feed, memory),
        **found,
        "posted_at": _told(memory.posts[-1] if memory and memory.posts else None),
        "because": because(memory, found["due_reason"]) if memory and found["due_reason"] else None,
        "concern": said.concern if said else None,
        "advice": said.words if said else None,
    }


def _told(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None


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


def distance(moment: str | None, now: datetime) -> str:
    """How long ago a moment was, or how far ahead it is, in a few letters."""
    if moment is None:
        return ""
    passed = now - datetime.fromisoformat(moment)
    minutes = round(abs(passed).total_seconds() / 60)
    if minutes == 0:
        return "now"
    words = f"{minutes} min"
    for size, unit in ((24 * 60, "d"), (60, "h")):
        if minutes >= 2 * size:
            words = f"{round(minutes / size)} {unit}"
            break
    return f"{words} ago" if passed > timedelta(0) else f"in {words}"


def _with_words(row: Mapping[str, Any]) -> str:
    """A feed's name, and what is wrong with it if it fails."""
    if not row["message"]:
        return f"{row['name']}:"
    return f"{row['name']}: {row['message']}"


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
@options.config_option
@options.state_option
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def retry(config_path: Path, state: Path | None, names: tuple[str, ...]) -> int:
    """Have feeds that were given up, or cannot be read, asked again in the next run.

    Of one that cannot be read the whole is asked for, even if its server says it is not modified.

    NAME is what `planet status` calls a feed, its address, its id, or its folder on the site.
    """
    from planet.cli.options import keys_of
    from planet.run.lists import known
    from planet.store import Store

    config = options.read_config(config_path, state=state)
    with Store.open(config.state, config.veil) as store:
        feeds = (*config.subscriptions, *known(config, store.lists()))
        wanted = keys_of(feeds, names, store) or ()
        for feed in feeds:
            if feed.key in wanted:
                click.echo(printable(_retry(feed, store)))
    return Exit.DONE


def _retry(feed: Feed, store: Store) -> str:
    """What was done about a feed, in words."""
    from planet.schedule import revived, shows

    memory = store.memories().get(feed.key)
    name = called(feed, memory)
    if not feed.enabled:
        return f"{name}: is not enabled in the config"
    if memory is None or (memory.given_up is None and memory.unreadable is None):
        return f"{name}: was not given up; `planet status` tells when it is asked next"
    after = revived(memory)
    store.put_memory(after, shows=shows(memory, after))
    when = (
        "in the next run" if after.due_at is None else "once an hour has passed since the last time"
    )
    return f"{name}: is asked again {when}"
