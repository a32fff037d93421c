"""The file → Config, or every mistake in it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from planet.config import mistakes, settings, values, yaml
from planet.config.picks import FILE, picks
from planet.config.resolve import resolve
from planet.config.secrets import veil
from planet.errors import ConfigError, Problem
from planet.model import Place

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from planet.config.nouns import Config
    from planet.veil import Veil


def load(path: Path, *, environ: Mapping[str, str]) -> Config:
    """See `planet.config.load`."""
    return understood(_bytes(path), path=path, environ=environ)


def understood(data: bytes, *, path: Path, environ: Mapping[str, str]) -> Config:
    """What `data` would say as the file at `path`; `load` has the rest."""
    expand = partial(values.expanded, environ=environ)
    document, faults = yaml.read(data, file=str(path), expand=expand)
    checked = settings.check(document.root.value)
    config, at_odds = resolve(checked, document, path=path)
    # A value that is no YAML value fits no setting either: once is enough.
    known = {problem.place for problem in faults}
    unfit = [
        problem
        for problem in mistakes.problems(checked.mistakes, document)
        if problem.place not in known
    ]
    beside = path.with_name(FILE)
    picked, mispicked = picks(_bytes(beside, needed=False), file=str(beside))
    found = sorted([*faults, *unfit, *at_odds, *mispicked], key=partial(order, str(path)))
    if wrong := [problem for problem in found if not problem.is_warning]:
        raise ConfigError(wrong)
    config = replace(config, picks=picked, warnings=tuple(found))
    return _veiled(config, veil(document, environ))


def _veiled(config: Config, over: Veil) -> Config:
    """The config, whose feeds and lists can hide its secrets: any may repeat those of another."""
    if not over.secrets:
        return config
    feeds = (replace(feed, veil=over) for feed in config.feeds)
    lists = (replace(each, veil=over) for each in config.subscriptions)
    return replace(config, veil=over, feeds=tuple(feeds), subscriptions=tuple(lists))


def order(file: str, problem: Problem) -> tuple[bool, str, int, int]:
    """To sort problems by: those of `file` first, each file's from top to bottom."""
    place = problem.place
    assert place is not None, "only a file that is not there has no places"
    return place.file != file, place.file, place.line, place.column


def _bytes(path: Path, *, needed: bool = True) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        if not needed:
            return b""
        way_out = "`planet init` writes one, and `--config` names another"
        raise ConfigError([Problem(None, f"there is no {path}; {way_out}")]) from None
    except IsADirectoryError:
        words = "is a folder, and has to be a file"
        inside = path / "config.yaml"
        way_out = f"say `--config {inside}`" if inside.is_file() else "give the folder another name"
        raise ConfigError([Problem(_top(path), f"{words}; {way_out}")]) from None
    except OSError as error:
        raise ConfigError([Problem(_top(path), f"cannot be read: {error.strerror}")]) from error


def _top(path: Path) -> Place:
    return Place(file=str(path), line=1, column=1)
