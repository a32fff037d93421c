"""`planet purge`: drop what nobody needs any more."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.cli.options import clock
from planet.report import Exit

if TYPE_CHECKING:
    from pathlib import Path

    from planet.run.maintain import PurgeReport


@click.command("purge")
@options.config_option
@options.state_option
@click.option("--dry-run", is_flag=True, help="Say what would be dropped; change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(config_path: Path, state: Path | None, dry_run: bool, as_json: bool) -> int:
    """Drop what `retention` no longer keeps and feeds that left the config long ago; make room.

    Every run drops what is too old by itself; this gives the room back to the disk as well. Nobody
    is asked, and nothing is dropped that a run would need.
    """
    from planet.run.maintain import purge, rehearsed

    config = options.read_config(config_path, state=state)
    done = rehearsed(config, clock=clock) if dry_run else purge(config, clock=clock)
    if as_json:
        click.echo(json.dumps({**asdict(done), "dry_run": dry_run}, indent=2))
    else:
        click.echo(_words(done, would="would be " if dry_run else ""))
    return Exit.DONE


def _words(done: PurgeReport, *, would: str) -> str:
    counted = {
        ("entry", "entries"): done.entries,
        ("text", "texts"): done.texts,
        ("feed", "feeds"): done.feeds,
        ("cached answer", "cached answers"): done.bodies,
    }
    gone = [
        f"{count:,} {one if count == 1 else many}"
        for (one, many), count in counted.items()
        if count
    ]
    what = f"{', '.join(gone)} {would}dropped" if gone else f"nothing {would}dropped"
    return f"{what}; {done.freed / 1000:,.0f} kB {would}freed"
