"""`planet episodes`, `planet pick` and `planet unpick`: single episodes out of many podcasts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.cli.options import clock
from planet.errors import UsageError
from planet.model import Pick, handle
from planet.report import find_keys, printable

if TYPE_CHECKING:
    from pathlib import Path
    from zoneinfo import ZoneInfo

    from planet.config import Config
    from planet.picks import Offer


@click.command("episodes")
@options.pass_config
@click.argument("name", required=False, metavar="[FEED]")
@click.option("--search", default="", metavar="WORDS", help="Only those with all of these words.")
def command(config: Config, name: str | None, search: str) -> None:
    """List the episodes to pick from, newest first, of all feeds or of one.

    FEED is a name from `planet status`, an address, an id, or a folder on the site.
    """
    from planet.picks import open_offers

    with open_offers(config) as on_offer:
        keys = find_keys([name] if name else [], on_offer.feeds, on_offer.store.states())
        offers = [offer for offer in on_offer.offers(keys) if offer.matches(search.split())]
    if offers:
        lines = [_format_offer(offer, config.timezone) for offer in offers]
        click.echo_via_pager("\n".join(lines))
    else:
        click.echo("there is no such episode" if search else "there is nothing to pick", err=True)


def _format_offer(offer: Offer, zone: ZoneInfo) -> str:
    """Format an episode as a line: ID, date, length, show, title, and a mark when picked."""
    from planet.site.pages.labels import duration as format_duration

    date = f"{offer.when.astimezone(zone):%Y-%m-%d}"
    length = format_duration(offer.enclosure.duration) or ""
    title = f"{printable(offer.source.title)}: {printable(offer.entry.heading)}"
    mark = "  (picked)" if offer.is_picked else ""
    return f"{offer.handle}  {date}  {length:>8}  {title}{mark}"


@click.command("pick")
@options.pass_config
@click.argument("names", nargs=-1, metavar="ID|URL|TITLE...")
@click.option("--note", metavar="TEXT", help="Why: a word to those who listen.")
@options.form_option("Pick an episode")
def pick(config: Config, names: tuple[str, ...], note: str | None, form_path: Path | None) -> None:
    """Pick episodes: write them into picks.yaml, with everything to publish them.

    ID is one from `planet episodes`, or at least the first four digits. URL is the address of an
    episode's page, or of the file. TITLE is words of the title. When one episode cannot be found,
    none is picked.
    """
    from planet.picks import pick

    if form_path is not None:
        if names or note:
            raise UsageError("--form says what to pick, and why; say no more")
        episode, note = options.read_fields(form_path, "Pick an episode", ("Episode", "Note"))
        names = (episode,) if episode else ()
    if not names:
        raise UsageError("say what to pick; `planet episodes` lists what there is")
    for new in pick(config, names, note=note, now=clock()):
        click.echo(f"picked {_format_pick(new)}")
    click.echo("The next `planet build` publishes it.", err=True)


def _format_pick(pick: Pick) -> str:
    """Format a pick as a line: ID, show, title."""
    return printable(f"{handle(pick.feed, pick.id)} {pick.show.title}: {pick.title}")


@click.command("unpick")
@options.pass_config
@click.argument("names", nargs=-1, required=True, metavar="ID|URL|TITLE...")
def unpick(config: Config, names: tuple[str, ...]) -> None:
    """Remove episodes from picks.yaml, also those whose source is gone.

    Name them as for `planet pick`.
    """
    from planet.picks import unpick

    for gone in unpick(config, names):
        click.echo(f"unpicked {_format_pick(gone)}")
    click.echo("The next `planet build` takes it off the site.", err=True)
