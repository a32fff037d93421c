"""`planet status` and `retry`: how each feed is, and to ask again."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec
from msgspec.structs import replace

from planet.cli import options
from planet.cli.options import clock
from planet.errors import ConfigError, UsageError
from planet.explain.status import PlanetState, describe_feed, load_planet_state, status
from planet.report import feed_name, format_count, printable, printable_cell, printable_json
from planet.schedule import current_state
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from planet.config import Config
    from planet.model import Feed, FeedState
    from planet.store import Store


_TABLE_WIDTH = 72
"""Columns of a terminal; on a narrower one each feed has lines of its own."""


@click.command("status")
@options.pass_config
@click.argument("names", nargs=-1, metavar="[FEED]...")
@click.option("--failing", is_flag=True, help="Only feeds in trouble, and those that need you.")
@options.json_option
@click.option("--fix", is_flag=True, help="Write the new addresses of feeds that have moved.")
def command(
    config: Config, names: tuple[str, ...], failing: bool, as_json: bool, fix: bool
) -> None:
    """Tell how each feed is, when it is asked next, why then, and what to do about it.

    FEED is the name that this command shows, the address, the id, or the folder on the site.
    """
    if fix:
        if names or failing:
            raise UsageError("--fix is for all feeds; leave out FEED and --failing")
        _fix_addresses(config)
        return
    planet = _select(load_planet_state(config), names, failing=failing)
    if as_json:
        click.echo(printable_json(status(planet, now=clock())))
    else:
        _print_status(config, planet, clock())


def _select(planet: PlanetState, names: Sequence[str], *, failing: bool) -> PlanetState:
    """Return what is known of the feeds and lists that were asked for; without names, of all.

    Raises:
        UsageError: no feed is called so.
    """
    everything = (*planet.lists, *planet.feeds)
    keys = {feed.key for feed in everything}
    if names:
        found = (options.find_feeds(name, everything, planet.states) for name in names)
        keys = {feed.key for feed in chain.from_iterable(found)}
    if failing:
        keys = {
            feed.key
            for feed in everything
            if feed.key in keys and _rank(describe_feed(feed, planet)) < _WELL
        }
    return replace(
        planet,
        feeds=tuple(feed for feed in planet.feeds if feed.key in keys),
        lists=tuple(feed for feed in planet.lists if feed.key in keys),
    )


_WELL: Final = 2


def _rank(row: Mapping[str, Any]) -> int:
    """Return the place of a feed in the table: 0 needs the operator, 1 is not as it should be."""
    if row["concern"] and not row["concern"].can_wait:
        return 0
    is_well = row["state"] in ("ok", "archived", "disabled", "never asked") and not row["advice"]
    return _WELL if is_well else 1


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    """The line of a feed in the table."""

    rank: int
    cells: tuple[str, ...]
    trouble: str
    """What is wrong with it, or its name."""
    advice: str
    """What to do about that; empty where nothing is to be done."""


def _make_line(row: Mapping[str, Any], now: datetime) -> _Line:
    times = format_distance(row["succeeded_at"], now), format_distance(row["due_at"], now)
    reader = f"read by {row['reader']}" if row["reader"] else None
    because = "; ".join(filter(None, (row["because"], reader)))
    cells = row["state"], *times, because, row["name"]
    message, advice = row["message"], row["advice"] or ""
    # Some messages are part of the advice.
    is_repeated = not message or advice.casefold().startswith(message.casefold())
    trouble = row["name"] if is_repeated else f"{row['name']}: {message.removesuffix('.')}."
    return _Line(
        rank=_rank(row),
        cells=tuple(map(printable_cell, cells)),
        trouble=printable(trouble),
        advice=printable(advice),
    )


def _print_status(config: Config, planet: PlanetState, now: datetime) -> None:
    from rich.console import Console

    from planet.schedule.health import check_alarm

    alarming = check_alarm((*planet.lists, *planet.feeds), planet.states, now=now)
    # Only what is shown of a feed stays in memory: there may be a hundred thousand.
    lines: list[_Line] = []
    states, month = Counter[str](), Counter[str]()
    for number, feed in enumerate((*planet.lists, *planet.feeds)):
        row = describe_feed(feed, planet)
        lines.append(_make_line(row, now))
        if number >= len(planet.lists):
            states[row["state"]] += 1
            month.update({name: row["last_30_days"][name] for name in ("asked", "failed", "bytes")})
    # In the config's order where nothing is wrong.
    lines.sort(key=lambda line: line.rank)
    console = Console(highlight=False)
    for line in lines:
        if line.advice:
            _print_advice(console, line.trouble, line.advice, _COLORS.get(line.cells[0], ""))
    if any(line.advice for line in lines):
        click.echo()
    if lines:
        _print_table(console, [line.cells for line in lines])
    click.echo()
    _print_text(console, _summarize(states, len(planet.lists), month))
    if alarming:
        _print_text(console, alarming, "red")
    if planet.name and config.cache.backend == "redis":
        _print_text(console, f"answers are kept in redis, under planet-{planet.name}")


def _summarize(states: Counter[str], lists: int, month: Counter[str]) -> str:
    counts = [f"{count} {state}" for state, count in states.most_common()]
    if lists:
        counts.append(format_count(lists, "list") + " of feeds")
    summary = ", ".join(counts) or "no feed is in trouble"
    if asked := month["asked"]:
        came = month["bytes"]
        size = f"{came / 1e6:,.1f} MB" if came >= 1_000_000 else f"{came / 1000:,.0f} kB"
        went_well = f"{1 - month['failed'] / asked:.1%} of {asked:,} requests"
        summary += f"; {went_well} in 30 days went well, {size} came"
    return summary


def _fix_addresses(config: Config) -> None:
    """Write the new addresses of feeds that have moved for good into config and picks.

    What cannot be changed is told, with what to write.
    """
    from planet.cli.add import parse_text, read_text, write_config
    from planet.config import yaml
    from planet.config.edits import find_addresses, replace_texts
    from planet.config.picks import FILE
    from planet.picks.picks_file import replace_feeds

    planet, path, picks = load_planet_state(config), config.path, config.path.with_name(FILE)
    before = after = read_text(path)
    picks_before = picks_after = read_text(picks) if picks.exists() else ""
    places = find_addresses(yaml.read(before, file=str(path)))
    taken = {feed.url for feed in (*planet.lists, *planet.feeds)}
    for feed in (*planet.lists, *planet.feeds):
        state = current_state(feed, planet.states.get(feed.key))
        if state.adopted_url is None:
            continue
        new = address.normalize(state.adopted_url)
        shown = (
            f"{address.redact(feed.written_url)} has moved to {address.redact(feed.redact(new))}"
        )
        if feed.place not in places or feed.is_hidden or new in taken:
            why = "which is a feed here already" if new in taken else "write that where it stands"
            click.echo(f"{feed.place}  {printable(shown)}; {why}", err=True)
            continue
        try:
            changed = replace_texts(after, {places[feed.place]: new}, file=str(path))
            parse_text(path, changed)
            picks_after = replace_feeds(picks_after, {feed.url: new}, file=str(picks))
        except ConfigError as error:
            click.echo(f"{feed.place}  {printable(shown)}; change it by hand: {error}", err=True)
            continue
        after = changed
        taken.add(new)
        click.echo(f"{feed.place}  {printable(shown)}")
    if after == before:
        click.echo("no address was changed", err=True)
        return
    write_config(path, after, before=before)
    if picks_after != picks_before:
        write_config(picks, picks_after, before=picks_before)


_COLORS: Final = {
    "ok": "green",
    "failing": "red",
    "given up": "red",
    "interrupted": "yellow",
    "merged": "yellow",
    "never read": "yellow",
}


def _print_text(console: Console, text: str, color: str = "") -> None:
    """Print a text: on a terminal in lines that end between words, elsewhere on one line."""
    from rich.text import Text

    console.print(Text(text, color), soft_wrap=not console.is_terminal)


def _print_advice(console: Console, trouble: str, advice: str, color: str) -> None:
    from rich.padding import Padding
    from rich.text import Text

    if not console.is_terminal:
        click.echo(f"{trouble}{'' if trouble.endswith('.') else ':'} {advice}")
        return
    _print_text(console, trouble, color)
    console.print(Padding.indent(Text(advice), 2))


def _print_table(console: Console, rows: Sequence[tuple[str, ...]]) -> None:
    """Print a table; on a narrow terminal each feed has lines of its own."""
    from rich.cells import cell_len, set_cell_size
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    if not console.is_terminal:
        # A table of rich takes a minute for a hundred thousand feeds, and breaks long lines.
        lines = (_HEADINGS, *rows)
        widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            click.echo("  ".join(map(set_cell_size, line, widths)).rstrip())
    elif console.width < _TABLE_WIDTH:
        for state, good, due, why, name in rows:
            others = filter(None, (good and f"last good {good}", due and f"next {due}", why))
            words = Text.assemble(
                (state, _COLORS.get(state, "")), *(f", {text}" for text in others)
            )
            _print_text(console, name)
            console.print(Padding.indent(words, 2))
    else:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for number, heading in enumerate(_HEADINGS):
            table.add_column(heading, no_wrap=number < 3, overflow="fold")
        for state, *cells in rows:
            table.add_row(Text(state, _COLORS.get(state, "")), *map(Text, cells))
        console.print(table)


_HEADINGS = ("state", "last good", "next", "because", "feed")
_UNITS = ((24 * 60, "d"), (60, "h"), (1, "min"))


def format_distance(moment: str | None, now: datetime) -> str:
    """Format how long ago a moment was, or how far ahead it is, as in "2 d ago"."""
    if moment is None:
        return ""
    passed = now - datetime.fromisoformat(moment)
    minutes = round(abs(passed).total_seconds() / 60)
    if minutes == 0:
        return "now"
    size, unit = next(unit for unit in _UNITS if minutes >= 2 * unit[0] or unit[0] == 1)
    words = f"{round(minutes / size)} {unit}"
    return f"{words} ago" if passed > timedelta(0) else f"in {words}"


@click.command("retry")
@options.pass_config
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def retry(config: Config, names: tuple[str, ...]) -> None:
    """Have feeds that were given up, or cannot be read, asked again in the next run.

    For a feed that cannot be read, the next run asks for the whole answer, even if the server says
    "not modified". A feed that was in the public Internet, and now leads into a private network, is
    asked there.

    NAME is what `planet status` calls a feed, its address, its id, or its folder on the site.
    """
    from planet.config.opml import list_feeds
    from planet.store import Store

    with Store.open(config.state, config.redactor) as store:
        feeds = (*config.subscriptions, *list_feeds(config, store.lists.read()))
        wanted, states = options.find_keys(feeds, names, store) or (), store.states()
        for feed in (feed for feed in feeds if feed.key in wanted):
            state = states.get(feed.key)
            click.echo(printable(f"{feed_name(feed, state)}: {_retry_feed(feed, state, store)}"))


def _retry_feed(feed: Feed, state: FeedState | None, store: Store) -> str:
    """Have a feed asked again, and return in words what was done."""
    from planet.schedule import changes_pages, revive

    if not feed.enabled:
        return "is not enabled in the config"
    if feed.is_archived:
        return "is archived in the config (`enabled: archived`)"
    # It leads into a private network now, and did not before.
    is_inside = state and state.was_public and state.error_kind == "private_address"
    if state is None or not (state.given_up or state.unreadable or is_inside):
        return "was not given up; `planet status` tells when it is asked next"
    after = revive(state)
    store.keep(after, shows=changes_pages(state, after))
    if after.due_at is None:
        return "is asked again in the next run"
    return "is asked again once an hour has passed since the last time"
