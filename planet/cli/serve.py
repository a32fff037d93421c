"""`planet serve`: the site on this machine, with a button to pick episodes."""

from __future__ import annotations

import secrets
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from planet.cli import options
from planet.cli.options import clock, looked_at, opened
from planet.config.picks import FILE as PICKS
from planet.errors import ConfigError, ThemeError, UsageError
from planet.model import Picking
from planet.report import Exit, Report, printable_line
from planet.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from planet.config import Config
    from planet.model import File
    from planet.site.serve import PickRequest, Preview


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
    from planet.site.serve import Preview

    drawing = SiteDrawing(config_path, state)
    click.echo("Making the site, which takes a while when it is large …", err=True)
    preview = Preview(drawing, token=secrets.token_urlsafe(), tell=_tell)
    with _listening(preview, port) as taken:
        click.echo(f"Serving http://127.0.0.1:{taken}/ until Ctrl-C")
        threading.Event().wait()
    return Exit.DONE


@contextmanager
def _listening(preview: Preview, port: int | None) -> Iterator[int]:
    from planet.cli.demo import answering

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


_Marks: TypeAlias = "dict[object, object]"


class SiteDrawing:
    """The site as the config, the theme and the state have it at the moment (`serving.Drawing`)."""

    def __init__(self, config_path: Path, state: Path | None) -> None:
        """`state` is the folder from the command line, if one was named there.

        Raises:
            ConfigError: the config has mistakes.
        """
        self._config_path = config_path
        self._state = state
        self._config = self._read()
        self._marks: _Marks = {}
        self._keeps_until: datetime | None = None
        self._files: dict[str, tuple[str, bytes]] = {}

    def is_fresh(self) -> bool:
        """Whether nothing has changed since the site was drawn, or since that failed."""
        is_due = self._keeps_until is not None and self._keeps_until <= clock()
        return not is_due and self._marks == _marks(self._config_path, self._config)

    def draw(self) -> Mapping[str, bytes]:
        """The site as it is now; see `serving.Drawing.draw`."""
        from planet.run.lists import subscribed
        from planet.run.publication import draw
        from planet.run.runtime import Scope

        # Looked at before it is read: what changes meanwhile is read again.
        self._marks = before = _marks(self._config_path, self._config)
        self._keeps_until = None
        self._config = config = self._read()
        found = _marks(self._config_path, config)
        self._marks = {what: before.get(what, mark) for what, mark in found.items()}
        with opened(config) as run:
            report = Report(started=clock())
            feeds = subscribed(config, run=run, scope=Scope(offline=True), report=report)
            files, self._keeps_until = draw(config, feeds, run=run)
            self._files = {file.path: self._made(file) for file in files}
        return {path: body for path, (_, body) in self._files.items()}

    def pick(self, wish: PickRequest) -> None:
        """Put an episode on a list; see `serving.Drawing.pick`."""
        from planet.run.picking import pick

        with looked_at(self._read()) as shelf:
            pick(shelf, [wish.episode], to=wish.list, note=wish.note, now=clock())

    def unpick(self, wish: PickRequest) -> None:
        """Take an episode off a list; see `serving.Drawing.unpick`."""
        from planet.run.picking import unpick

        unpick(self._read(), [wish.episode], to=wish.list)

    def _read(self) -> Config:
        config = options.read_config(self._config_path, state=self._state)
        return replace(config, pages=replace(config.pages, picking=Picking.FORM))

    def _made(self, file: File) -> tuple[str, bytes]:
        """The fingerprint and the bytes of a file, which is not made twice."""
        known = self._files.get(file.path)
        return known if known and known[0] == file.fingerprint else (file.fingerprint, file.make())


def _marks(config_path: Path, config: Config) -> _Marks:
    """What tells whether anything changed of what a site is made from."""
    covers = (podcast.cover for podcast in (config.podcast, *config.lists.values()))
    # Subscription lists that are files are where the feeds on them have their places.
    lists = {feed.place.file for feed in config.feeds if feed.place}
    files = {
        config_path,
        config_path.with_name(PICKS),
        *map(Path, lists),
        *(cover for cover in covers if isinstance(cover, Path)),
    }
    return {
        **{file: _mark(file) for file in files},
        **{("theme", site.theme): _theme(site) for site in config.sites},
        ("state", config.state): _generation(config.state),
    }


def _mark(file: Path) -> tuple[int, ...] | None:
    """Another one for another file; None without one."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _theme(config: Config) -> str:
    from planet.run.publication import theme_of

    try:
        return theme_of(config).fingerprint
    except (ThemeError, ConfigError) as error:
        return str(error)


def _generation(state: Path) -> int:
    with Store.look(state) as store:
        return store.generation if store else 0
