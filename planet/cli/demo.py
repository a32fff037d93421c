"""`planet demo`: a real site from the demonstration feeds, without a network."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

import planet
from planet.cli import options
from planet.cli.options import Verbosity, clock
from planet.cli.output import show_report
from planet.cli.serve import FolderHandler, run_server
from planet.config import ThemeSettings, load
from planet.model.secrets import NO_REDACTOR
from planet.report import Report

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


def serve_folder(folder: Path, *, port: int = 0) -> AbstractContextManager[int]:
    """Serve a folder on 127.0.0.1 and yield the port, as `run_server` does."""
    return run_server(partial(FolderHandler, directory=str(folder)), port)


_FEEDS = Path(planet.__file__).parent / "demo"


@click.command("demo")
@click.option(
    "--folder",
    type=options.FOLDER,
    default="planet-demo",
    show_default=True,
    help="Where to put site and state.",
)
@click.option("--serve", is_flag=True, help="Keep a web server on the site, until Ctrl-C.")
@click.option("--theme", default="default", show_default=True, help="How the site looks.")
@options.pass_verbosity
def command(folder: Path, serve: bool, theme: str, verbosity: Verbosity) -> int:
    """Make a site from demonstration feeds, which are served on this machine.

    No request leaves the machine. Run it twice: the second time, two feeds are not asked, because
    they say how often to ask, the others answer "not modified", and no file is written. With
    `--theme classic` and `--theme headlines` the command makes two more sites beside the first.
    """
    site = folder.absolute() / ("public" if theme == "default" else theme)
    report = _build(folder.absolute(), site, theme, verbosity)
    if not verbosity.quiet:
        click.echo(f"The site is {site / 'index.html'}", err=verbosity.as_json)
        click.echo(_ON, err=verbosity.as_json)
    if serve:
        with serve_folder(site) as port:
            click.echo(f"Serving it at http://127.0.0.1:{port}/ until Ctrl-C", err=True)
            threading.Event().wait()
    return report.exit_code()


_ON = """A planet of your own:
  planet init && planet add https://blog.example/
  planet build"""
_TODAY = datetime(2026, 11, 20, 18, 30, tzinfo=UTC)
"""The present of the demonstration, for posts that are always recent."""


def _build(folder: Path, site: Path, theme: str, verbosity: Verbosity) -> Report:
    from planet.run.build import build
    from planet.run.open import Scope, open_run

    state = folder / "state"
    port, began = _read_first_run(state / _FILE)
    with serve_folder(_FEEDS / "feeds", port=port) as port:
        address = f"http://127.0.0.1:{port}"
        config = load(_FEEDS / "config.yaml", environ={**os.environ, "PLANET_DEMO": address})
        # Its address comes from the environment, and is no secret.
        feeds = tuple(replace(feed, is_hidden=False, redactor=NO_REDACTOR) for feed in config.feeds)
        config = replace(config, feeds=feeds, redactor=NO_REDACTOR)
        config = replace(config, output=site, state=state, theme=ThemeSettings(name=theme))

        def then() -> datetime:
            return _TODAY + (clock() - began)

        report = Report(started=then())
        with open_run(config, then) as run, show_report(report, verbosity):
            (state / _FILE).write_text(f"{port} {began.isoformat()}")
            build(config, run=run, scope=Scope(), report=report)
    return report


_FILE = "demo"


def _read_first_run(file: Path) -> tuple[int, datetime]:
    """Return the port and the start of the first demonstration in a folder.

    The port must stay the same: validators belong to an address with a port.
    """
    try:
        port, began = file.read_text().split()
        return int(port), datetime.fromisoformat(began)
    except (OSError, ValueError):
        return 0, clock()
