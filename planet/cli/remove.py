"""`planet remove`: feeds out of the config."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.errors import UsageError
from planet.report import Exit, printable
from planet.text import address

if TYPE_CHECKING:
    from pathlib import Path

    from planet.cli.moves import Known
    from planet.model import Feed


@click.command("remove")
@options.config_option
@options.state_option
@click.argument("names", nargs=-1, required=True, metavar="NAME-or-URL...")
@click.option("--dry-run", is_flag=True, help="Tell what would go, and leave the config as it is.")
def command(config_path: Path, state: Path | None, names: tuple[str, ...], dry_run: bool) -> int:
    """Take feeds out of the config, which stays as it is otherwise: all that are named, or none.

    NAME is what `planet status` calls a feed, its id, or its folder on the site.
    """
    from planet.cli.moves import known_to, read_as, text_of, write_feedfile
    from planet.config.edits import numbers, removed

    config = options.read_config(config_path, state=state)
    known = known_to(config)
    feeds = {feed.key: feed for feed in (_named(name, known, config_path) for name in names)}
    before = text_of(config_path)
    places = numbers(before, file=str(config_path))
    gone = {places[feed.place] for feed in feeds.values() if feed.place is not None}
    after = removed(before, gone, file=str(config_path))
    if len(gone) == len(places) and not config.subscriptions and len(known.feeds) == len(gone):
        raise UsageError("nothing would be left to read; add another feed first")
    read_as(config_path, after)
    if not dry_run:
        write_feedfile(config_path, after, before=before)
    for feed in feeds.values():
        line = feed.place.line if feed.place else 0
        verb = "would go" if dry_run else "is gone"
        shown = printable(f"{known.name_of(feed)} ({address.redacted(feed.written_url)}) {verb}")
        click.echo(f"{config_path}:{line}  {shown}")
    if not dry_run:
        click.echo(
            "The next `planet build` takes what it posted off the site; picks of it stay. "
            f"What is known of it stays in {config.state} for now, so that nothing is lost if it "
            "comes back; `planet purge` forgets it in time.",
            err=True,
        )
    return Exit.DONE


def _named(name: str, known: Known, config_path: Path) -> Feed:
    """The feed of the config that is called so.

    Raises:
        UsageError: there is none, more than one, or it comes from a list.
    """
    found = known.named(name)
    if not found:
        raise UsageError(f"there is no feed {name!r} in the config; `planet status` lists them")
    if len(found) > 1:
        urls = ", ".join(address.redacted(feed.written_url) for feed in found)
        raise UsageError(f"{name!r} may be any of these: {urls}; say which")
    (feed,) = found
    if feed.place is not None and feed.place.file != str(config_path):
        raise UsageError(
            f"{name!r} is not in {config_path}: it comes from a list; take it out there: "
            f"{feed.place}"
        )
    return feed
