"""`planet build --dry-run`: what a run would do, without doing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planet.address import redacted
from planet.cli.running import clock, keys_of, new_report, opened
from planet.report import Exit, printable_json

if TYPE_CHECKING:
    from planet.config import Config


def tell_plan(
    config: Config, *, offline: bool, force: bool, names: tuple[str, ...], as_json: bool
) -> int:
    """Print which feeds would be asked, and which files would be made from what is known now."""
    from planet.run import Scope
    from planet.site import plan
    from planet.subscriptions import subscribed, turns_of_lists
    from planet.update import turns_of

    with opened(config, dry=True) as run:
        known = subscribed(config, run=run, scope=Scope(offline=True), report=new_report(run))
        scope = Scope(offline=offline, force=force, only=keys_of(known, names, run.store))
        memories, hosts, now = run.store.memories(), run.store.hosts(), clock()
        turns, _ = turns_of(known, memories, hosts, scope=scope, now=now)
        if not offline:
            turns += turns_of_lists(config, memories, hosts, scope=scope, now=now)
        made, deleted = plan(config, known, run=run)
    addresses = [redacted(turn.feed.key if turn.feed.is_hidden else turn.url) for turn in turns]
    if as_json:
        click.echo(printable_json({"ask": addresses, "make": made, "delete": deleted}))
        return Exit.DONE
    for address in addresses:
        click.echo(f"would ask {address}")
    for path in made:
        click.echo(f"would make {path}")
    for path in deleted:
        click.echo(f"would delete {path}")
    if not addresses and not made and not deleted:
        click.echo("nothing is due, and the site is up to date")
    return Exit.DONE
