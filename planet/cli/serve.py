"""`planet serve`: the site on this machine, with a button to pick episodes."""

from __future__ import annotations

import secrets
import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.errors import UsageError
from planet.report import Exit, printable_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from planet.serving import Preview

_PORT = 8000


@click.command("serve")
@options.config_option
@options.state_option
@click.option(
    "--port",
    type=click.IntRange(1024, 65535),
    help=f"Where to listen; {_PORT}, or any other port when that is taken.",
)
def command(config_path: Path, state: Path | None, port: int | None) -> int:
    """Show the site as it would be now, on this machine only, until Ctrl-C.

    Nobody is asked and nothing is published. What you change in the config, in picks.yaml or in
    the theme, and what `planet build` fetches meanwhile, is there when you reload a page. On the
    pages of sources you can pick episodes.
    """
    from planet.cli.drawing import SiteDrawing
    from planet.serving import Preview

    drawing = SiteDrawing(config_path, state)
    click.echo("Making the site, which takes a while when it is large …", err=True)
    preview = Preview(drawing, token=secrets.token_urlsafe(), tell=_tell)
    with _listening(preview, port) as taken:
        click.echo(f"Serving http://127.0.0.1:{taken}/ until Ctrl-C")
        threading.Event().wait()
    return Exit.DONE


@contextmanager
def _listening(preview: Preview, port: int | None) -> Iterator[int]:
    from planet.cli.loopback import answering

    with ExitStack() as stack:
        try:
            taken = stack.enter_context(answering(preview.answer, port=port or _PORT))
        except OSError as error:
            if port is not None:
                raise UsageError(f"nobody can listen at port {port}: {error.strerror}") from error
            taken = stack.enter_context(answering(preview.answer))
        yield taken


def _tell(words: str) -> None:
    for line in words.splitlines():
        click.echo(printable_line(line), err=True)
