"""`planet demo`: a real site from feeds that come with Planet, without a network."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

import planet
from planet.cli import options
from planet.cli.loopback import served
from planet.cli.running import new_report, opened
from planet.cli.voice import speaking
from planet.config import load
from planet.report import FailOn

if TYPE_CHECKING:
    from planet.report import Report

_FEEDS = Path(planet.__file__).parent / "demo"


@click.command("demo")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default="planet-demo",
    show_default=True,
    help="Where to put site and state.",
)
@click.option("--serve", is_flag=True, help="Keep a web server on the site, until Ctrl-C.")
@options.voice_options
def command(folder: Path, serve: bool, quiet: bool, verbose: bool, as_json: bool) -> int:
    """Make a site from feeds that come with Planet, served on this machine.

    Nothing leaves the machine. Run it twice: the second time two feeds are left alone, because
    they say how often to ask, the others answer "not modified", and no file is written.
    """
    site = folder.absolute() / "public"
    report = _build(folder.absolute(), quiet=quiet, verbose=verbose, as_json=as_json)
    if not quiet:
        click.echo(f"The site is {site / 'index.html'}", err=as_json)
    if serve:
        with served(site) as port:
            click.echo(f"Serving it at http://127.0.0.1:{port}/ until Ctrl-C", err=as_json)
            threading.Event().wait()
    return report.exit_code(FailOn())


def _build(folder: Path, *, quiet: bool, verbose: bool, as_json: bool) -> Report:
    from planet.build import build
    from planet.run import Scope

    state = folder / "state"
    with served(_FEEDS / "feeds", port=_last_port(state)) as port:
        address = f"http://127.0.0.1:{port}"
        config = load(_FEEDS / "config.yaml", environ={**os.environ, "PLANET_DEMO": address})
        # Its address comes from the environment, and is no secret.
        feeds = tuple(replace(feed, is_hidden=False) for feed in config.feeds)
        config = replace(config, feeds=feeds, output=folder / "public", state=state)
        with opened(config) as run:
            report = new_report(run)
            report.feeds = len(config.feeds)
            (state / _PORT).write_text(str(port))
            with speaking(report, quiet=quiet, verbose=verbose, as_json=as_json):
                build(config, config.feeds, run=run, scope=Scope(), report=report)
    return report


_PORT = "demo-port"


def _last_port(state: Path) -> int:
    """The port of the last demo: validators belong to an address, and the port is part of it."""
    try:
        return int((state / _PORT).read_text())
    except (OSError, ValueError):
        return 0
