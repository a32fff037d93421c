"""`planet render`: the second half of `planet build`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.cli.options import clock, opened
from planet.cli.voice import put_out, speaking
from planet.report import FailOn, Report

if TYPE_CHECKING:
    from pathlib import Path


@click.command("render")
@options.config_option
@options.folder_options
@click.option("--force", is_flag=True, help="Publish even if most entries are gone.")
@options.voice_options
def command(
    config_path: Path,
    output: Path | None,
    state: Path | None,
    force: bool,
    quiet: bool,
    verbose: bool,
    as_json: bool,
) -> int:
    """Make the site from what is known; nobody is asked, and no file is read as a feed."""
    from planet.run.lists import subscribed
    from planet.run.poll import retire
    from planet.run.publication import make_sites
    from planet.run.runtime import Scope

    report = Report(started=clock())
    with put_out(report, asks=False):
        config = options.read_config(config_path, output=output, state=state)
        with (
            opened(config) as run,
            speaking(report, quiet=quiet, verbose=verbose, as_json=as_json),
        ):
            report.notices = run.notices
            feeds = subscribed(config, run=run, scope=Scope(offline=True), report=report)
            make_sites(config, feeds, run=run, report=report, trusted=force)
            if report.refused is None:
                retire(config, feeds, run=run)
    return report.exit_code(FailOn())
