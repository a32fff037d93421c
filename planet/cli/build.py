"""`planet build`, and the two halves `planet fetch` and `planet render`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from planet.cli import options
from planet.cli.options import ConfigFile, Verbosity, clock
from planet.cli.output import show_report, write_step_outputs
from planet.report import Exit, FailOn, Report, find_keys, printable_json
from planet.text.address import redact

if TYPE_CHECKING:
    from planet.config import Config
    from planet.run.open import Scope


_force_option = click.option(
    "--force",
    is_flag=True,
    help="Ask feeds that are not due yet, but no server that wants to be left alone.",
)


@click.command("build")
@options.output_option
@options.pass_file
@click.option("--offline", is_flag=True, help="Send no request; read only files and the state.")
@_force_option
@options.feeds_option
@click.option(
    "--if-changed",
    is_flag=True,
    help="Make no file when nothing has changed, not even in an empty output folder.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be asked and made; change nothing.")
@options.fail_on_option
@options.pass_verbosity
def command(
    config_file: ConfigFile,
    offline: bool,
    force: bool,
    names: tuple[str, ...],
    if_changed: bool,
    dry_run: bool,
    fail_on: FailOn,
    verbosity: Verbosity,
) -> int:
    """Ask the feeds that are due, then make the site: the command to run on a schedule."""
    from planet.config.checks import warn_of_missing_link
    from planet.run.build import build
    from planet.run.edition import load_site_theme
    from planet.run.open import Scope, open_run

    scope = Scope(offline=offline, force=force, names=names)
    if dry_run:
        _print_plan(config_file.read(), scope, as_json=verbosity.as_json)
        return Exit.DONE
    report = Report(started=clock())
    with write_step_outputs(report):
        config = config_file.read()
        # A mistake in the theme is told before any request.
        for site in config.sites:
            load_site_theme(site)
        with open_run(config, clock) as run, show_report(report, verbosity):
            if words := warn_of_missing_link(config):
                report.notice(f"{config_file.path}: {words}")
            build(config, run=run, scope=scope, report=report, if_changed=if_changed)
    return report.exit_code(fail_on)


def _print_plan(config: Config, scope: Scope, *, as_json: bool) -> None:
    """Print the feeds to ask now, and the files to make of the present state."""
    from planet.config.feeds import list_feeds
    from planet.parse import PARSER
    from planet.run.open import open_run
    from planet.run.poll import plan_polls
    from planet.run.publish import plan
    from planet.schedule import KnownFeeds

    with open_run(config, clock, is_rehearsal=True) as run:
        states, hosts = run.store.states(), run.store.hosts.read()
        feeds = list_feeds(config, run.store.feeds.body)
        if keys := find_keys(scope.names, feeds, states):
            scope = replace(scope, only=keys.union(feed.key for feed in config.subscriptions))
        known = KnownFeeds((*feeds, *config.subscriptions), states, hosts, lambda _: PARSER)
        requests = plan_polls(known, scope=scope, now=clock()).requests
        made, deleted = plan(config, feeds, run=run)
    addresses = [
        redact(request.feed.key if request.feed.is_hidden else request.url) for request in requests
    ]
    steps = {"ask": addresses, "make": made, "delete": deleted}
    if as_json:
        click.echo(printable_json(steps))
    elif any(steps.values()):
        for verb, objects in steps.items():
            for name in objects:
                click.echo(f"would {verb} {name}")
    else:
        click.echo("nothing is due, and the site is up to date")


@click.command("fetch")
@options.pass_config
@_force_option
@options.feeds_option
@options.fail_on_option
@options.pass_verbosity
def fetch(
    config: Config, force: bool, names: tuple[str, ...], fail_on: FailOn, verbosity: Verbosity
) -> int:
    """Ask the feeds that are due and store their entries. The site stays unchanged."""
    from planet.run.build import fetch as fetch_feeds
    from planet.run.open import Scope, open_run

    report, scope = Report(started=clock()), Scope(force=force, names=names)
    with open_run(config, clock) as run, show_report(report, verbosity):
        fetch_feeds(config, run=run, scope=scope, report=report)
    return report.exit_code(fail_on)


@click.command("render")
@options.output_option
@options.pass_file
@click.option("--force", is_flag=True, help="Publish even if most entries are gone.")
@options.pass_verbosity
def render(config_file: ConfigFile, force: bool, verbosity: Verbosity) -> int:
    """Make the site from the state. No request is sent, and no file is read as a feed."""
    from planet.run.build import retire
    from planet.run.lists import load_feeds
    from planet.run.open import Scope, open_run
    from planet.run.publish import publish_sites
    from planet.transform import transform

    report = Report(started=clock())
    with write_step_outputs(report, asks=False):
        config = config_file.read()
        with open_run(config, clock) as run, show_report(report, verbosity):
            feeds = load_feeds(config, run=run, scope=Scope(offline=True), report=report)
            transform(config, feeds, run=run, report=report)
            publish_sites(config, feeds, run=run, report=report, trusted=force)
            if report.refused is None:
                retire(config, feeds, run=run)
    return report.exit_code()
