"""`planet check`: find mistakes before they cost a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.cli.options import Verbosity, clock
from planet.cli.output import append_summary, print_annotations, show_report
from planet.errors import ConfigError, Problem, fold_problems
from planet.report import Exit, Report, format_count, printable_line, workflow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.config import Config
    from planet.model import Feed
    from planet.site.pages.theme import Theme


@click.command("check")
@options.output_option
@options.pass_config
@click.option("--online", is_flag=True, help="Ask each feed that was never asked, too.")
def command(config: Config, online: bool) -> int:
    """Find every mistake in the config and in the theme's templates, without a request.

    With --online the command also asks each feed that was never asked, as `planet fetch` does, and
    keeps the answers. The exit code is 3 when one of these does not work.
    """
    from planet.site.pages.check import check_theme

    for theme in _load_themes(config):
        check_theme(theme)
    report = _ask_new_feeds(config) if online else Report(started=clock())
    enabled = sum(feed.enabled for feed in config.feeds)
    well = f"{config.path}: no mistake found; {format_count(enabled, 'feed')}"
    click.echo(well)
    for line in fold_problems(config.warnings):
        click.echo(printable_line(f"  {line}"))
    print_annotations(config.warnings)
    append_summary(workflow.render_page([f"{well}."]))
    if report.outage:
        return Exit.UNTRUSTWORTHY
    return Exit.TOO_MANY_FAILED if report.failed else Exit.DONE


def _ask_new_feeds(config: Config) -> Report:
    """Ask new feeds and new lists of feeds, and print the outcomes.

    The answers are kept, and count as in any run.
    """
    from planet.run.build import update
    from planet.run.lists import load_feeds
    from planet.run.open import Scope, open_run
    from planet.run.recover import recover

    report = Report(started=clock())
    verbosity = Verbosity(quiet=False, verbose=True, as_json=False)
    with open_run(config, clock) as run, show_report(report, verbosity):
        asked = {key for key, state in run.store.states().items() if state.attempted_at}

        def find_new(feeds: Iterable[Feed]) -> Scope:
            return Scope(only=frozenset(feed.key for feed in feeds if feed.key not in asked))

        scope = find_new(config.subscriptions)
        feeds = load_feeds(config, run=run, scope=scope, report=report)
        recover(config, feeds, run=run, scope=scope, report=report)
        update(config, feeds, run=run, scope=find_new(feeds), report=report)
    return report


def _load_themes(config: Config) -> list[Theme]:
    """Load the theme of each site; look for the files of feeds, and for the key of signatures.

    Raises:
        ConfigError: with all missing files and the mistakes of all themes, or with the mistake of
            the key.
    """
    from planet.config.loading import sort_problems
    from planet.run.edition import load_site_theme

    if config.fetch.signature:
        from planet.run.open import make_signer

        make_signer(config)
    problems = [
        Problem(feed.place, f"there is no file {feed.path}; a feed on the web begins with https://")
        for feed in config.feeds
        if feed.is_asked and feed.is_file and not feed.path.is_file()
    ]
    themes: list[Theme] = []
    for site in config.sites:
        try:
            themes.append(load_site_theme(site))
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(sort_problems(problems, first=str(config.path)))
    return themes
