"""`planet pick`: episodes that are to be shown for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.cli.forms import read_form
from planet.cli.running import clock, looked_at
from planet.errors import UsageError
from planet.model import OWN_LIST, handle
from planet.report import Exit, printable

if TYPE_CHECKING:
    from pathlib import Path

    from planet.model import Pick


@click.command("pick")
@options.config_option
@options.state_option
@click.argument("names", nargs=-1, metavar="ID-or-URL...")
@click.option("--note", metavar="TEXT", help="Why: a word to those who listen.")
@click.option("--list", "to", default=OWN_LIST, metavar="NAME", help="For this list of picks.")
@click.option(
    "--form",
    "form_path",
    type=options.FILE,
    help='The text of an issue that was made with the form "Pick an episode" says it all.',
)
def command(
    config_path: Path,
    state: Path | None,
    names: tuple[str, ...],
    note: str | None,
    to: str,
    form_path: Path | None,
) -> int:
    """Pick episodes: they are written into picks.yaml, with all it takes to show them for ever.

    ID is what `planet episodes` shows, or its first four digits and more; URL is the address of an
    episode's page, or of its file. All that are named are picked, or none.
    """
    from planet.picking import pick

    if form_path is not None:
        if names or note or to != OWN_LIST:
            raise UsageError("--form says what to pick, for which list, and why; say no more")
        said = read_form(form_path)
        names, to, note = (said.episode,), said.list, said.note
    if not names:
        raise UsageError("say what to pick; `planet episodes` lists what there is")
    config = options.read_config(config_path, state=state)
    with looked_at(config) as shelf:
        for each in pick(shelf, names, to=to, note=note, now=clock()):
            click.echo(f"picked {told(each)}")
    click.echo("The next `planet build` publishes it.", err=True)
    return Exit.DONE


def told(pick: Pick) -> str:
    """A pick in a line: its ID, its show, its title, its list."""
    where = f" (for {pick.list})" if pick.list != OWN_LIST else ""
    return printable(f"{handle(pick.feed, pick.id)} {pick.show.title}: {pick.title}{where}")
