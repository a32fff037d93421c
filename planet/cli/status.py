"""`planet status` and `retry`: how each feed is, and to ask again."""

from __future__ import annotations

import os
import sys
from collections import Counter
from datetime import datetime, timedelta
from functools import partial
from shutil import get_terminal_size
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any, Final

import click

from planet.cli import options
from planet.cli.options import ConfigFile, clock
from planet.errors import ConfigError, UsageError
from planet.explain.status import load_planet_state, status
from planet.model import CAN_WAIT
from planet.report import feed_name, find_keys, format_count, printable, printable_json
from planet.schedule import current_state
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.config import Config
    from planet.model import Feed, FeedState
    from planet.store import Store


@click.command("status")
@options.pass_config
@click.argument("names", nargs=-1, metavar="[FEED]...")
@click.option("--failing", is_flag=True, help="Only feeds in trouble, and those that need you.")
@options.json_option
@click.option("--fix", is_flag=True, help="Write the new addresses of feeds that have moved.")
def command(
    config: Config, names: tuple[str, ...], failing: bool, as_json: bool, fix: bool
) -> None:
    """Tell the health of each feed, the next request, the reason, and advice.

    FEED is a name from this table, an address, an id, or a folder on the site.
    """
    if fix:
        if names or failing:
            raise UsageError("--fix is for all feeds; leave out FEED and --failing")
        _fix_addresses(config)
        return
    planet = load_planet_state(config)
    everything = (*planet.lists, *planet.feeds)
    keys = find_keys(names, everything, planet.states)
    record = status(planet, now=clock())
    for kind, feeds in (("lists", planet.lists), ("feeds", planet.feeds)):
        record[kind] = [
            row
            for feed, row in zip(feeds, record[kind], strict=True)
            if keys is None or feed.key in keys
            if not failing or _rank(row) < _WELL
        ]
    if as_json:
        click.echo(printable_json(record))
        return
    _print_status(record)
    if record["planet"]["name"] and config.cache.backend == "redis":
        _print_words(f"answers are kept in redis, under planet-{record['planet']['name']}")


_WELL: Final = 2


def _rank(row: Mapping[str, Any]) -> int:
    """Return the place of a feed in the table: 0 needs the operator, 1 is in trouble."""
    if row["concern"] not in {None, *CAN_WAIT}:
        return 0
    is_well = row["state"] in ("ok", "archived", "disabled", "never asked") and not row["advice"]
    return _WELL if is_well else 1


_LINE: Final = "{:11}  {:9}  {:9}  {}"


def _print_status(record: Mapping[str, Any]) -> None:
    """Print a line for each feed, those in trouble first and with advice, and a summary."""
    now, planet = clock(), record["planet"]
    # In the config's order where nothing is wrong.
    rows = sorted((*record["lists"], *record["feeds"]), key=_rank)
    if rows:
        _print_words(_LINE.format("state", "last good", "next", "feed"))
    for row in rows:
        times = format_distance(row["succeeded_at"], now), format_distance(row["due_at"], now)
        reader = f"read by {row['reader']}" if row["reader"] else None
        because = "; ".join(filter(None, (row["because"], reader)))
        name = row["name"] + (f" ({because})" if because else "")
        line = _LINE.format(row["state"], *times, printable(name))
        _print_words(line, color=_COLORS.get(row["state"]))
        message, advice = row["message"] or "", row["advice"] or ""
        # Some messages are part of the advice.
        if advice and message and not advice.casefold().startswith(message.casefold()):
            advice = f"{message.removesuffix('.')}. {advice}"
        if advice:
            _print_words(f"    {printable(advice)}")
    click.echo()
    _print_words(_summarize(record))
    if planet["alarm"]:
        _print_words(planet["alarm"], color="red")


_COLORS: Final = {"ok": "green", "failing": "red", "given up": "red"}


def _print_words(words: str, *, color: str | None = None) -> None:
    """Print a line, the first column in a color; on a terminal, break between words."""
    if sys.stdout.isatty():
        width = get_terminal_size().columns
        wrapper = TextWrapper(width, subsequent_indent="    ", break_on_hyphens=False)
        words = wrapper.fill(words)
    first, gap, rest = words.partition("  ")
    if color and not os.environ.get("NO_COLOR"):
        first = click.style(first, fg=color)
    click.echo(first + gap + rest)


def _summarize(record: Mapping[str, Any]) -> str:
    states = Counter(row["state"] for row in record["feeds"])
    counts = [f"{count} {state}" for state, count in states.most_common()]
    if lists := len(record["lists"]):
        counts.append(format_count(lists, "list") + " of feeds")
    summary = ", ".join(counts) or "no feed is in trouble"
    month = record["planet"]["last_30_days"]
    if month["asked"]:
        went_well = f"{month['success_rate']:.1%} of {month['asked']:,} requests"
        size = f"{month['bytes'] / 1e6:,.1f} MB"
        summary += f"; {went_well} in 30 days went well, {size} came"
    return summary


_UNITS = ((24 * 60, "d"), (60, "h"), (1, "min"))


def format_distance(moment: str | None, now: datetime) -> str:
    """Format the time since a moment, or until then, as in "2 d ago"."""
    if moment is None:
        return ""
    passed = now - datetime.fromisoformat(moment)
    minutes = round(abs(passed).total_seconds() / 60)
    if minutes == 0:
        return "now"
    size, unit = next(unit for unit in _UNITS if minutes >= 2 * unit[0] or unit[0] == 1)
    words = f"{round(minutes / size)} {unit}"
    return f"{words} ago" if passed > timedelta(0) else f"in {words}"


def _fix_addresses(config: Config) -> None:
    """Write the new addresses of moved feeds into config and picks.

    For a place that only a person can change, the command prints the text to write.
    """
    from planet.config import yaml
    from planet.config.edits import (
        find_addresses,
        lock_folder,
        read_text,
        replace_file,
        replace_texts,
    )
    from planet.config.picks import FILE
    from planet.picks import replace_feeds

    planet, path, picks = load_planet_state(config), config.path, config.path.with_name(FILE)
    paths = find_addresses(yaml.read(read_text(path), file=str(path)))
    everything = (*planet.lists, *planet.feeds)
    taken, is_changed = {feed.url for feed in everything}, False
    for feed in everything:
        moved_to = current_state(feed, planet.states.get(feed.key)).adopted_url
        if moved_to is None:
            continue
        new, left = address.normalize(moved_to), ""
        if new in taken:
            left = "; which is a feed here already"
        elif feed.place not in paths or feed.is_hidden:
            left = "; write that where it stands"
        else:
            change = partial(replace_texts, new={paths[feed.place]: new}, file=str(path))
            try:
                ConfigFile(path=path).edit(change)
                taken.add(new)
                is_changed = True
                with lock_folder(picks):
                    before = read_text(picks)
                    after = replace_feeds(before, {feed.url: new}, file=str(picks))
                    if after != before:
                        replace_file(picks, after.encode())
            except ConfigError as error:
                left = f"; change it by hand: {error}"
        old, shown = address.redact(feed.written_url), address.redact(feed.redact(new))
        click.echo(
            f"{feed.place}  {printable(f'{old} has moved to {shown}')}{left}", err=bool(left)
        )
    if not is_changed:
        click.echo("no address was changed", err=True)


@click.command("retry")
@options.pass_config
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def retry(config: Config, names: tuple[str, ...]) -> None:
    """Have feeds asked again in the next run that were given up or cannot be read.

    For a feed that cannot be read, the next run asks for the whole answer, even if the server says
    "not modified". A feed that has gone from the public Internet into a private network is asked
    there.

    NAME is a name from `planet status`, an address, an id, or a folder on the site.
    """
    from planet.config.feeds import list_feeds
    from planet.store import Store

    with Store.open(config.state, config.redactor) as store:
        feeds = (*config.subscriptions, *list_feeds(config, store.feeds.body))
        states = store.states()
        wanted = find_keys(names, feeds, states) or ()
        for feed in (feed for feed in feeds if feed.key in wanted):
            state = states.get(feed.key)
            click.echo(printable(f"{feed_name(feed, state)}: {_retry_feed(feed, state, store)}"))


def _retry_feed(feed: Feed, state: FeedState | None, store: Store) -> str:
    """Have a feed asked again, and return the effect in words."""
    from planet.schedule import changes_pages, revive

    if not feed.is_asked:
        return "is not asked, by `enabled` in the config"
    # It leads into a private network now, and did not before.
    is_inside = state and state.was_public and state.error_kind == "private_address"
    if state is None or not (state.given_up or state.unreadable or is_inside):
        return "was not given up; `planet status` tells when it is asked next"
    after = revive(state)
    store.keep(after, shows=changes_pages(state, after))
    if after.due_at is None:
        return "is asked again in the next run"
    return "is asked again once an hour has passed since the last time"
