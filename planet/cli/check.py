"""`planet check`: find mistakes before they cost a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.errors import ConfigError
from planet.report import Exit

if TYPE_CHECKING:
    from pathlib import Path


@click.command("check")
@options.config_option
@click.option("--json", "as_json", is_flag=True, help="Print the mistakes as JSON.")
def command(config_path: Path, as_json: bool) -> int:
    """Find every mistake in the config and in the theme's templates; nobody is asked."""
    from planet.render import check_theme, load_theme

    try:
        config = options.read_config(config_path)
    except ConfigError as error:
        if not as_json:
            raise
        click.echo(json.dumps({"problems": _as_json(error)}, ensure_ascii=False, indent=2))
        return Exit.USAGE
    check_theme(load_theme(config.theme))
    enabled = sum(feed.enabled for feed in config.feeds)
    if as_json:
        click.echo(json.dumps({"problems": [], "feeds": enabled}, indent=2))
    else:
        click.echo(f"{config_path}: no mistake found; {enabled} feeds")
    return Exit.DONE


def _as_json(error: ConfigError) -> list[dict[str, str | int]]:
    return [
        {"message": problem.message}
        if problem.place is None
        else {
            "file": problem.place.file,
            "line": problem.place.line,
            "column": problem.place.column,
            "message": problem.message,
        }
        for problem in error.problems
    ]
