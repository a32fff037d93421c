"""`planet demo`: a real site from feeds that come with Planet, without a network."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING

import click

import planet
from planet.cli import options
from planet.cli.options import clock, opened
from planet.cli.serve import Quiet, Server, running
from planet.cli.voice import speaking
from planet.config import load
from planet.report import FailOn, Report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.cli.options import Voice


@contextmanager
def served(folder: Path, *, port: int = 0) -> Iterator[int]:
    """Serve a folder on 127.0.0.1 while inside, and give the port.

    The port asked for is taken if it is free, else another one.
    """
    handler = partial(_Folder, directory=str(folder))
    try:
        server = Server(("127.0.0.1", port), handler)
    except OSError:
        server = Server(("127.0.0.1", 0), handler)
    with running(server) as taken:
        yield taken


class _Folder(Quiet, SimpleHTTPRequestHandler):
    extensions_map = {  # noqa: RUF012 - as the base class has it
        **SimpleHTTPRequestHandler.extensions_map,
        ".json": "application/feed+json",
        ".rdf": "application/rdf+xml",
    }


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
@options.takes_voice
def command(folder: Path, serve: bool, voice: Voice) -> int:
    """Make a site from feeds that come with Planet, served on this machine.

    Nothing leaves the machine. Run it twice: the second time two feeds are left alone, because
    they say how often to ask, the others answer "not modified", and no file is written.
    """
    site = folder.absolute() / "public"
    report = _build(folder.absolute(), voice)
    if not voice.quiet:
        click.echo(f"The site is {site / 'index.html'}", err=voice.as_json)
    if serve:
        with served(site) as port:
            click.echo(f"Serving it at http://127.0.0.1:{port}/ until Ctrl-C", err=voice.as_json)
            threading.Event().wait()
    return report.exit_code(FailOn())


def _build(folder: Path, voice: Voice) -> Report:
    from planet.run.build import build
    from planet.run.runtime import Scope

    state = folder / "state"
    with served(_FEEDS / "feeds", port=_last_port(state)) as port:
        address = f"http://127.0.0.1:{port}"
        config = load(_FEEDS / "config.yaml", environ={**os.environ, "PLANET_DEMO": address})
        # Its address comes from the environment, and is no secret.
        feeds = tuple(replace(feed, is_hidden=False) for feed in config.feeds)
        config = replace(config, feeds=feeds, output=folder / "public", state=state)
        report = Report(started=clock(), feeds=len(feeds))
        with opened(config) as run, speaking(report, voice):
            (state / _PORT).write_text(str(port))
            build(config, feeds, run=run, scope=Scope(), report=report)
    return report


_PORT = "demo-port"


def _last_port(state: Path) -> int:
    """The port of the last demo: validators belong to an address, and the port is part of it."""
    try:
        return int((state / _PORT).read_text())
    except (OSError, ValueError):
        return 0
