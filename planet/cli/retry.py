"""`planet retry`: ask again for a feed that was given up, or whose answer cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.report import Exit, called, printable

if TYPE_CHECKING:
    from pathlib import Path

    from planet.model import Feed
    from planet.store import Store


@click.command("retry")
@options.config_option
@options.state_option
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def command(config_path: Path, state: Path | None, names: tuple[str, ...]) -> int:
    """Have feeds that were given up, or cannot be read, asked again in the next run.

    Of one that cannot be read the whole is asked for, even if its server says it is not modified.

    NAME is what `planet status` calls a feed, its address, its id, or its folder on the site.
    """
    from planet.cli.options import keys_of
    from planet.run.lists import known
    from planet.store import Store

    config = options.read_config(config_path, state=state)
    with Store.open(config.state, config.veil) as store:
        feeds = (*config.subscriptions, *known(config, store.lists()))
        wanted = keys_of(feeds, names, store) or ()
        for feed in feeds:
            if feed.key in wanted:
                click.echo(printable(_retry(feed, store)))
    return Exit.DONE


def _retry(feed: Feed, store: Store) -> str:
    """What was done about a feed, in words."""
    from planet.schedule import revived, shows

    memory = store.memories().get(feed.key)
    name = called(feed, memory)
    if not feed.enabled:
        return f"{name}: is not enabled in the config"
    if memory is None or (memory.given_up is None and memory.unreadable is None):
        return f"{name}: was not given up; `planet status` tells when it is asked next"
    after = revived(memory)
    store.put_memory(after, shows=shows(memory, after))
    when = (
        "in the next run" if after.due_at is None else "once an hour has passed since the last time"
    )
    return f"{name}: is asked again {when}"
