"""`planet pick`: episodes that are to be shown for ever."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from planet.cli import options
from planet.cli.options import clock, looked_at
from planet.errors import UsageError
from planet.model import OWN_LIST, handle
from planet.report import Exit, printable

if TYPE_CHECKING:
    from pathlib import Path

    from planet.model import Pick


_FIELDS: Final = re.compile(
    r"\s*### Episode\n(?P<episode>.*?)\n### List\n(?P<list>.*?)\n### Note\n(?P<note>.*)", re.DOTALL
)
_EMPTY: Final = "_No response_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What was filled in."""

    episode: str
    """A handle or an address, as `planet pick` takes it."""
    list: str = OWN_LIST
    note: str | None = None


def read_form(path: Path) -> Form:
    """What the issue says whose text is in a file.

    Raises:
        UsageError: the file cannot be read, or is not the text of such an issue.
    """
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    return form(text)


def form(text: str) -> Form:
    """What the text of an issue says.

    Raises:
        UsageError: it is not the text of such an issue, or names no episode.
    """
    found = _FIELDS.fullmatch("\n".join(re.split(r"\r\n?|\n", text)))
    if found is None:
        raise UsageError(
            'this is not what the form "Pick an episode" makes: the lines "### Episode", '
            '"### List" and "### Note", each with what was filled in below it'
        )
    said = {name: value.strip() for name, value in found.groupdict().items()}
    episode, name, note = ("" if value == _EMPTY else value for value in said.values())
    if not episode:
        raise UsageError("the form names no episode")
    for label, value in (("Episode", episode), ("List", name)):
        if "\n" in value:
            raise UsageError(f'the field "{label}" of the form has more than one line')
    return Form(episode=episode, list=name or OWN_LIST, note=note or None)


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
    from planet.run.picking import pick

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
