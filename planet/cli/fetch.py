"""`planet fetch`: the first half of `planet build`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.cli.options import keys_of, new_report, opened, tell_recovery
from planet.cli.voice import speaking

if TYPE_CHECKING:
    from pathlib import Path

    from planet.report import FailOn


@click.command("fetch")
@options.config_option
@options.state_option
@click.option("--force", is_flag=True, help="Ask before time; nobody who asked to be left alone.")
@click.option("--feed", "names", multiple=True, metavar="NAME", help="Ask only this feed.")
@options.fail_on_option
@options.voice_options
def command(
    config_path: Path,
    state: Path | None,
    force: bool,
    names: tuple[str, ...],
    fail_on: FailOn,
    quiet: bool,
    verbose: bool,
    as_json: bool,
) -> int:
    """Fetch what is due and keep it; the site stays as it is."""
    from planet.run.lists import subscribed
    from planet.run.poll import update
    from planet.run.runtime import Scope

    config = options.read_config(config_path, state=state)
    with opened(config) as run:
        report, scope = new_report(run), Scope(force=force)
        with speaking(report, quiet=quiet, verbose=verbose, as_json=as_json):
            feeds = subscribed(config, run=run, scope=scope, report=report)
            tell_recovery(config, feeds, run=run, scope=scope, report=report)
            scope = replace(scope, only=keys_of(feeds, names, run.store))
            update(config, feeds, run=run, scope=scope, report=report)
    return report.exit_code(fail_on)
