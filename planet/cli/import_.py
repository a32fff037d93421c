"""`planet import`: the feeds of a subscription list, or of another planet, into the config."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from planet.cli import options
from planet.errors import Place, Problem, UsageError
from planet.report import Exit, counted, printable
from planet.run.overview import PlanetState, bare, planet_state
from planet.text import address

if TYPE_CHECKING:
    from pathlib import Path

    from planet.config.elsewhere import Elsewhere


@dataclass(slots=True)
class _Harvest:
    """What becomes of the feeds that were found."""

    feeds: list[dict[str, Any]] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    there: list[Problem] = field(default_factory=list)
    """Those that the config has already."""
    lost: list[tuple[Problem, ...]] = field(default_factory=list)
    """Of each feed and list that is not taken, why."""
    left: list[Problem] = field(default_factory=list)
    """Settings that are not taken."""
    mended: list[Problem] = field(default_factory=list)


@click.command("import")
@options.config_option
@options.state_option
@click.argument("opml", required=False, type=options.FILE, metavar="[FILE.opml]")
@click.option("--venus", type=options.FILE, help="A config.ini of Planet 2.0 or Venus.")
@click.option("--pluto", type=options.FILE, help="A planet.ini of Pluto.")
@click.option("--to", type=options.FILE, help="A config to make, in place of adding to one.")
@click.option("--dry-run", is_flag=True, help="Tell what would be taken over, and write nothing.")
def command(
    config_path: Path, state: Path | None, to: Path | None, dry_run: bool, **sources: Path | None
) -> int:
    """Add the feeds of a subscription list, or of another planet, to the config.

    The config stays as it is otherwise; where there is none, one is made. What cannot be taken
    over is told, line by line, with the reason.
    """
    from planet.cli.add import read_to_add, text_of, write_feedfile

    named = {name: file for name, file in sources.items() if file is not None}
    if len(named) != 1:
        raise UsageError("name one file: a list in OPML, or what --venus or --pluto is to read")
    ((kind, file),) = named.items()
    elsewhere = _elsewhere(kind, file)
    if to is not None and to.exists():
        raise UsageError(f"{to} is there already; to add to it, say --config {to}")
    path = to or config_path
    is_new = not path.exists()
    harvest = _Harvest(
        lost=[(problem,) for problem in elsewhere.lost],
        left=[*elsewhere.left],
        mended=[*elsewhere.mended],
    )
    if is_new:
        before, planet = _first_config(elsewhere, file, harvest), PlanetState()
    else:
        planet, before = planet_state(read_to_add(path, state)), text_of(path)
        words = f"of the planet is left as it is in {path}: only feeds are added to a config"
        for name, place in elsewhere.planet_places.items():
            harvest.left.append(Problem(place, f"{name} {words}"))
    _gather(elsewhere, planet, harvest)
    after = _written(path, before, harvest)
    if not dry_run and after != before:
        write_feedfile(path, after, before="" if is_new else before)
    _tell(harvest, path, is_new=is_new, dry_run=dry_run)
    return Exit.DONE


def _elsewhere(kind: str, file: Path) -> Elsewhere:
    """What the file says that was named."""
    from planet.config.elsewhere import Elsewhere, Wanted, planet_ini
    from planet.config.opml import outlines
    from planet.errors import ConfigError

    data = options.read_file(file)
    if kind != "opml":
        return planet_ini(data, file=str(file))
    listed, problems, mended = outlines(data, file=str(file), partly=True)
    if problems and not listed:
        raise ConfigError(problems)
    feeds = tuple(Wanted(settings=item.settings, place=item.place) for item in listed)
    return Elsewhere(feeds=feeds, lost=problems, mended=mended)


def _first_config(elsewhere: Elsewhere, file: Path, harvest: _Harvest) -> str:
    """A config that has no feeds yet, with what the other program says of its planet."""
    from planet import project
    from planet.config.elsewhere import fitting_planet
    from planet.config.yaml import written

    planet, problems = fitting_planet(elsewhere, Place(file=str(file), line=1, column=1))
    harvest.left += problems
    # A mapping is an item of a list without its dash.
    settings = re.sub(r"^(?:- |  )", "", written([planet]), flags=re.MULTILINE)
    words = "`planet check` finds mistakes in this file, `planet build` makes the site."
    head = f"# yaml-language-server: $schema={project.address('Config schema')}"
    return f"{head}\n#\n# {words}\n\n{settings}\n"


def _gather(elsewhere: Elsewhere, planet: PlanetState, harvest: _Harvest) -> None:
    """Sort out which of the feeds and lists that were found are new."""
    from planet.config.elsewhere import fitting

    places = {url: feed.place for url, feed in planet.by_address().items()}
    for wanted in (*elsewhere.feeds, *elsewhere.lists):
        item, problems, mended = fitting(wanted)
        harvest.mended += mended
        if item is None:
            harvest.lost.append(problems)
            continue
        harvest.left += problems
        url = address.same(str(item["url"]))
        schemeless = bare(url)
        if address.web(url) is None:
            words = f"{url} is no web address; if it is a file, write its path into the config"
            harvest.lost.append((Problem(wanted.place, words),))
        elif schemeless in places:
            words = f"{address.redacted(url)} is there already: {places[schemeless]}"
            harvest.there.append(Problem(wanted.place, words))
        else:
            places[schemeless] = wanted.place
            if wanted in elsewhere.lists:
                harvest.lists.append(url)
            else:
                harvest.feeds.append(item)


def _written(path: Path, before: str, harvest: _Harvest) -> str:
    """The text of the config with what is new in it, which has no mistakes."""
    from planet.cli.add import read_as
    from planet.config.edits import added

    feeds = [feed["url"] if list(feed) == ["url"] else feed for feed in harvest.feeds]
    after = added(before, feeds, file=str(path)) if feeds else before
    if harvest.lists:
        after = added(after, harvest.lists, file=str(path), name="subscriptions")
    if after != before:
        read_as(path, after)
    elif not path.exists():
        reasons = [*chain.from_iterable(harvest.lost), *harvest.left]
        raise UsageError(_lines(reasons) + "there is no feed in it that could be taken over")
    return after


def _tell(harvest: _Harvest, path: Path, *, is_new: bool, dry_run: bool) -> None:
    for title, problems in (
        ("There already", harvest.there),
        ("Feeds not taken over", [*chain.from_iterable(harvest.lost)]),
        ("Settings not taken over", harvest.left),
        ("Read in another way than it is written", harvest.mended),
    ):
        if problems:
            click.echo(f"{title}:\n{_lines(problems)}", nl=False)
    what = counted(len(harvest.feeds), "feed")
    if lists := len(harvest.lists):
        what += f" and {counted(lists, 'subscription list')}"
    verb = "would be taken" if dry_run else "taken"
    where = f"a new {path}" if is_new else str(path)
    there, lost = len(harvest.there), len(harvest.lost)
    words = f"{what} {verb} into {where}, {there} there already, {lost} not taken"
    if left := len(dict.fromkeys(harvest.left)):
        words += f"; {counted(left, 'setting')} not taken"
    click.echo(words)


def _lines(problems: list[Problem]) -> str:
    def line(problem: Problem) -> int:
        return problem.place.line if problem.place else 0

    ordered = sorted(dict.fromkeys(problems), key=line)
    return "".join(f"  {problem.place}  {printable(problem.message)}\n" for problem in ordered)
