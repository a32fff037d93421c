"""`planet preview`: what becomes of each entry of a feed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from planet.cli import options
from planet.cli.options import clock, keys_of, looked_at
from planet.model import handle
from planet.report import Exit, printable, printable_json
from planet.text.address import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from zoneinfo import ZoneInfo

    from planet.timeline.explain import Explanation


@click.command("preview")
@options.config_option
@options.state_option
@click.argument("name", metavar="FEED")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="So many at the most.")
@click.option("--edition", metavar="NAME", help="In this edition; without, in the first one.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(
    config_path: Path,
    state: Path | None,
    name: str,
    limit: int | None,
    edition: str | None,
    as_json: bool,
) -> int:
    """List the entries of a feed, newest first, each with what becomes of it; nobody is asked.

    FEED is what `planet status` calls a feed, its address, its id, or its folder on the site.
    `planet why ID` tells more of an entry.
    """
    from planet.timeline.explain import look

    config = options.read_config(config_path, state=state)
    site = options.site_of(config, edition)
    with looked_at(config) as shelf:
        keys = keys_of(shelf.feeds, [name], shelf.store) or frozenset()
        known = look(site, shelf.feeds, store=shelf.store, episodes=shelf.episodes, now=clock())
    found = [verdict for verdict in known.verdicts if verdict.entry.feed in keys]
    if as_json:
        click.echo(printable_json([_record(verdict) for verdict in found[:limit]]))
        return Exit.DONE
    for verdict in found[:limit]:
        click.echo(_line(verdict, site.timezone))
    click.echo(_summary(found), err=True)
    return Exit.DONE


def _record(verdict: Explanation) -> dict[str, Any]:
    """A verdict for machines; what is not known, or not so, is left out."""
    entry, decision, post = verdict.entry, verdict.decision, verdict.post
    instead = post if post and not verdict.is_shown else None
    until = decision.until if decision else None
    said = {
        "id": entry.id,
        "handle": handle(entry.feed, entry.id),
        "title": entry.heading,
        "link": entry.link,
        "when": verdict.when.isoformat(),
        "shown": verdict.is_shown,
        "reason": verdict.reason,
        "detail": decision.detail if decision else None,
        "by": ("planet" if verdict.by_planet else "feed")
        if verdict.reason != verdict.fate
        else None,
        "until": until.isoformat() if until else None,
        "place": verdict.place,
        "duplicate_of": {
            "feed": redacted(instead.source.key),
            "id": instead.entry.id,
            "title": instead.entry.heading,
        }
        if instead
        else None,
        "listed": verdict.listed,
    }
    return {name: value for name, value in said.items() if value is not None}


def _line(verdict: Explanation, zone: ZoneInfo) -> str:
    """What becomes of an entry, on one line."""
    entry = verdict.entry
    mark = "+" if verdict.is_shown else "-"
    date = f"{verdict.when.astimezone(zone):%Y-%m-%d}"
    title = printable(entry.heading)
    return f"{mark} {handle(entry.feed, entry.id)}  {date}  {title}{_why(verdict, zone)}"


def _why(verdict: Explanation, zone: ZoneInfo) -> str:
    """Why an entry is not shown, or what there is to say of one that is."""
    decision, post = verdict.decision, verdict.post
    detail = f": {decision.detail}" if decision and decision.detail else ""
    said = f"{_named(verdict)}{detail}"
    if verdict.fate == "duplicate" and post:
        said = f"the same as “{post.entry.heading}” of {post.source.title}"
    elif verdict.fate == "picked":
        said = "picked"
    elif verdict.is_shown:
        also = ", ".join(source.title for source in post.also_in) if post else ""
        said = f"also in {also}" if also else ""
    if decision and decision.until and verdict.fate != "picked":
        said = f"{said}, until {decision.until.astimezone(zone):%Y-%m-%d}".removeprefix(", ")
    return f"  ({printable(said)})" if said else ""


def _named(verdict: Explanation) -> str:
    """What speaks against an entry, as it is called in the config."""
    name = "enabled: false" if verdict.fate == "disabled" else verdict.reason
    return f"{name} of the planet" if verdict.by_planet else name


def _summary(verdicts: Iterable[Explanation]) -> str:
    """How many entries there are, and what becomes of how many."""
    counts = Counter("shown" if each.is_shown else _named(each) for each in verdicts)
    total = sum(counts.values())
    if not total:
        return "no entry is known of it; `planet why` with its address tells more"
    words = ", ".join(f"{count:,} {name}" for name, count in counts.most_common())
    return f"{total:,} {'entry' if total == 1 else 'entries'}: {words}"
