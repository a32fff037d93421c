"""`planet unpick`: picks that are to be shown no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.cli.pick import told
from planet.report import Exit

if TYPE_CHECKING:
    from pathlib import Path


@click.command("unpick")
@options.config_option
@click.argument("names", nargs=-1, required=True, metavar="ID-or-URL...")
@click.option("--list", "to", metavar="NAME", help="From this list of picks.")
def command(config_path: Path, names: tuple[str, ...], to: str | None) -> int:
    """Take episodes out of picks.yaml, also those whose source is gone.

    They are named as for `planet pick`. Without --list, they are taken from the planet's own picks,
    or where they are not among these, from the only list they are on.
    """
    from planet.run.picking import unpick

    config = options.read_config(config_path)
    for each in unpick(config, names, to=to):
        click.echo(f"unpicked {told(each)}")
    click.echo("The next `planet build` takes it off the site.", err=True)
    return Exit.DONE
