"""`planet peek`: what feeds say, without a config."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.cli.options import clock
from planet.report import Exit, printable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from planet.model import NewEntry
    from planet.run.peek import Peek


@click.command("peek")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="So many of each feed.")
@click.option(
    "--cache",
    type=options.FOLDER,
    help="Where to keep what came, until next time.",
)
def command(urls: tuple[str, ...], limit: int | None, cache: Path | None) -> int:
    """Print the entries of feeds, newest first, as they arrive: "feed: entry".

    No config is needed. What came is kept, so that a second call asks whether there is anything
    new, and one within the hour asks nobody. URL may be the path of a file, too.
    """
    from planet.run.peek import opened_cache, peek

    failed = False
    with opened_cache(cache, clock) as run:
        for each in peek(urls, run=run, texts=False):
            failed |= _tell(each, limit)
    return Exit.TOO_MANY_FAILED if failed else Exit.DONE


def _tell(found: Peek, limit: int | None) -> bool:
    """Print a feed; whether it has failed."""
    feed = found.result
    if isinstance(feed, Exception):
        click.echo(printable(f"{found.shown}: {feed}"), err=True)
        return True
    for entry in _newest_first(feed.entries)[:limit]:
        click.echo(printable(f"{feed.title}: {_heading(entry)}"))
    if not feed.asked:
        until = f" until {found.next_at:%Y-%m-%d %H:%M} UTC" if found.next_at else ""
        click.echo(printable(f"{found.shown}: not asked{until}; this is from the cache"), err=True)
    return False


def _newest_first(entries: Iterable[NewEntry]) -> list[NewEntry]:
    return sorted(entries, key=lambda entry: entry.rank or 0)


def _heading(entry: NewEntry) -> str:
    return entry.title or (entry.summary or "")[:80] or entry.link or entry.id
