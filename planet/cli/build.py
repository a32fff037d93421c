"""`planet build`: fetch what is due, then make the site."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.cli.runner import put_out
from planet.cli.running import clock, keys_of, opened, tell_recovery
from planet.cli.voice import speaking
from planet.report import Report

if TYPE_CHECKING:
    from pathlib import Path

    from planet.report import FailOn


@click.command("build")
@options.config_option
@options.folder_options
@click.option("--offline", is_flag=True, help="Ask nobody; read files and what is on disk.")
@click.option("--force", is_flag=True, help="Ask before time; nobody who asked to be left alone.")
@click.option("--feed", "names", multiple=True, metavar="NAME", help="Ask only this feed.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked and made; change nothing.")
@options.fail_on_option
@options.voice_options
def command(
    config_path: Path,
    output: Path | None,
    state: Path | None,
    offline: bool,
    force: bool,
    names: tuple[str, ...],
    dry_run: bool,
    fail_on: FailOn,
    quiet: bool,
    verbose: bool,
    as_json: bool,
) -> int:
    """Fetch what is due, then make the site. This is the command to run on a schedule."""
    from planet.build import build
    from planet.look import theme_of
    from planet.run import Scope
    from planet.site import check_folders
    from planet.subscriptions import subscribed

    if dry_run:
        from planet.cli.dry import tell_plan

        config = options.read_config(config_path, output=output, state=state)
        return tell_plan(config, offline=offline, force=force, names=names, as_json=as_json)
    report, scope = Report(started=clock()), Scope(offline=offline, force=force)
    with put_out(report):
        config = options.read_config(config_path, output=output, state=state)
        # A mistake in how the site is to look, or where, is told before anybody is asked.
        for site in config.sites:
            theme_of(site)
        with (
            opened(config) as run,
            speaking(report, quiet=quiet, verbose=verbose, as_json=as_json),
        ):
            report.notices = run.notices
            check_folders(config, run=run)
            feeds = subscribed(config, run=run, scope=scope, report=report)
            tell_recovery(config, feeds, run=run, scope=scope, report=report)
            scope = replace(scope, only=keys_of(feeds, names, run.store))
            build(config, feeds, run=run, scope=scope, report=report)
    return report.exit_code(fail_on)
