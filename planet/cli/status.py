"""`planet status`: how each feed is, and when it is asked next."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from planet.address import redacted
from planet.cli import options
from planet.report import Exit, printable

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from planet.model import Feed, Memory


@click.command("status")
@options.config_option
@options.state_option
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(config_path: Path, state: Path | None, as_json: bool) -> int:
    """Tell how each feed is, when it is asked next, and why then."""
    from planet.store import Store
    from planet.subscriptions import known

    config = options.read_config(config_path, state=state)
    with Store.look(config.state) as store:
        memories = store.memories() if store else {}
        feeds = known(config, store.lists() if store else {})
    rows = [_row(feed, memories.get(feed.key)) for feed in (*config.subscriptions, *feeds)]
    if as_json:
        click.echo(json.dumps({"feeds": rows}, ensure_ascii=False, indent=2))
    else:
        _table(rows)
    return Exit.DONE


def _row(feed: Feed, memory: Memory | None) -> dict[str, Any]:
    """What is known of a feed; what is not known is None."""
    title = memory.profile.title if memory and memory.profile else None
    said: dict[str, Any] = {
        "feed": redacted(feed.key),
        "name": feed.name or title or redacted(feed.url),
        "url": redacted(feed.url),
        "state": _state(feed, memory),
        "status": memory.status if memory else None,
        "failures": memory.failures if memory else 0,
        "failing_since": _moment(memory.failing_since if memory else None),
        "error": memory.error_kind if memory else None,
        "message": memory.error if memory else None,
        "succeeded_at": _moment(memory.succeeded_at if memory else None),
        "changed_at": _moment(memory.changed_at if memory else None),
        "due_at": None if feed.is_file else _moment(memory.due_at if memory else None),
        "due_reason": memory.due_reason if memory and not feed.is_file else None,
        "moved_to": redacted(memory.moved_to) if memory and memory.moved_to else None,
    }
    return said


def _state(feed: Feed, memory: Memory | None) -> str:
    if not feed.enabled:
        return "disabled"
    if memory is None or memory.attempted_at is None:
        return "never asked"
    if memory.interrupted:
        return "interrupted"
    return "failing" if memory.failures else "ok"


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None


def _table(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("state", "last good", "next", "because"):
        table.add_column(heading, no_wrap=True)
    table.add_column("feed", overflow="fold")
    for row in rows:
        feed = row["name"] if not row["message"] else f"{row['name']}: {row['message']}"
        words = [
            row["state"],
            _short(row["succeeded_at"]),
            _short(row["due_at"]),
            row["due_reason"] or "",
            feed,
        ]
        # Text, not str: a feed's words must not be taken for markup, nor move the cursor.
        table.add_row(*(Text(printable(word)) for word in words))
    Console().print(table)


def _short(moment: str | None) -> str:
    return moment[:16].replace("T", " ") if moment else ""
