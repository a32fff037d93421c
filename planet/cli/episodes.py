"""`planet episodes`: what there is to pick."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from planet.cli import options
from planet.cli.options import keys_of, looked_at
from planet.model import OWN_LIST
from planet.report import Exit, printable, printable_json
from planet.text.address import redacted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from zoneinfo import ZoneInfo

    from planet.run.picking import Offer


_LIMIT = 30


@click.command("episodes")
@options.config_option
@options.state_option
@click.argument("name", required=False, metavar="[FEED]")
@click.option("--search", default="", metavar="WORDS", help="Only those with all of these words.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"So many at the most; without it {_LIMIT}, as JSON all.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all that is known, as JSON.")
def command(
    config_path: Path,
    state: Path | None,
    name: str | None,
    search: str,
    limit: int | None,
    as_json: bool,
) -> int:
    """List the episodes that can be picked, of all feeds or of one, the newest first.

    FEED is what `planet status` calls a feed, its address, its id, or its folder on the site.
    """
    config = options.read_config(config_path, state=state)
    with looked_at(config) as shelf:
        keys = keys_of(shelf.feeds, [name] if name else [], shelf.store)
        offers = [offer for offer in shelf.offers(keys) if offer.matches(search.split())]
    if as_json:
        click.echo(printable_json([_record(offer) for offer in offers[:limit]]))
        return Exit.DONE
    shown = offers[: limit or _LIMIT]
    rows = [_row(offer, config.timezone) for offer in shown]
    if sys.stdout.isatty():
        _table(rows)
    else:
        for row in rows:
            click.echo(_line(*row))
    if not offers:
        click.echo("there is no such episode" if search else "there is nothing to pick", err=True)
    elif len(offers) > len(shown):
        more = len(offers) - len(shown)
        click.echo(f"and {more:,} more; --search finds some, --limit shows more", err=True)
    return Exit.DONE


def _record(offer: Offer) -> dict[str, Any]:
    """All that is known of an episode; what is not known is left out."""
    source = offer.source
    entry = {name: said for name, said in asdict(offer.entry).items() if name != "number"}
    said: dict[str, Any] = _known(
        {
            "handle": offer.handle,
            "show": {"title": source.title, "link": source.link, "image": source.image},
            "when": offer.when,
            "duration": offer.enclosure.duration,
            **entry,
            "feed": redacted(offer.entry.feed),
        }
    )
    return {**said, "picked": [_list(name) for name in offer.lists]}


def _known(value: Any) -> Any:
    """A value as JSON has it, without what is None or empty in it."""
    if isinstance(value, dict):
        found = {name: _known(each) for name, each in value.items()}
        return {name: each for name, each in found.items() if each not in (None, [], {})}
    if isinstance(value, list | tuple):
        return [_known(each) for each in value]
    return value.isoformat() if isinstance(value, datetime) else value


def _row(offer: Offer, zone: ZoneInfo) -> tuple[str, ...]:
    """What is shown of an episode: ID, date, length, show, title, and where it is picked."""
    return (
        offer.handle,
        f"{offer.when.astimezone(zone):%Y-%m-%d}",
        _length(offer.enclosure.duration),
        printable(offer.source.title),
        printable(offer.entry.heading),
        f"picked for {', '.join(map(_list, offer.lists))}" if offer.lists else "",
    )


def _line(handle: str, date: str, length: str, show: str, title: str, picked: str) -> str:
    mark = f"  ({picked})" if picked else ""
    return f"{handle}  {date}  {length:>8}  {show}: {title}{mark}"


def _table(rows: Sequence[tuple[str, ...]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("ID", "date", "length"):
        table.add_column(heading, no_wrap=True, justify="right" if heading == "length" else "left")
    for heading in ("show", "title", "picked"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        # Text, not str: a feed's words must not be taken for markup.
        table.add_row(*map(Text, row))
    Console().print(table)


def _length(seconds: int | None) -> str:
    """A duration as players show it: 1:02:03, 2:03."""
    if seconds is None:
        return ""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _list(name: str) -> str:
    return "the planet" if name == OWN_LIST else name
