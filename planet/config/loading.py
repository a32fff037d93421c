"""The file → Config, or every mistake in it."""

from __future__ import annotations

import gc
import re
from base64 import b64encode
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from planet.config import mistakes, values, yaml
from planet.config.picks import FILE, picks
from planet.config.resolve import resolve
from planet.config.values import VARIABLE
from planet.errors import ConfigError, Place, Problem
from planet.model.secrets import Redactor

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from planet.config.nouns import Config
    from planet.config.yaml import Document, Node


_PLACES: Final = ("url", "headers")
"""The settings of a feed that are for its server alone, besides `auth`."""
_SHORTEST: Final = 4
"""What is shorter can be guessed, and stands in the state for other reasons."""
_SHORTEST_USER: Final = 12
"""A user name that is shorter is no key, but a name: texts may have it."""


def redactor_of(document: Document, environ: Mapping[str, str]) -> Redactor:
    """Hides what the addresses, headers and credentials of this file take from `environ`."""
    secrets: dict[str, str] = {}
    for section in ("feeds", "subscriptions"):
        node = document.root.parts.get(section)
        for feed in node.parts.values() if node else ():
            secrets |= _of_feed(feed, environ)
    return Redactor(secrets=tuple(sorted(secrets.items())))


def _of_feed(feed: Node, environ: Mapping[str, str]) -> dict[str, str]:
    auth = feed.parts.get("auth")
    nodes = [feed, *(feed.parts[name] for name in _PLACES if name in feed.parts)]
    named = [
        (name, _SHORTEST) for node in nodes for name in _variables(node, deep=node is not feed)
    ]
    if auth:
        named += [(name, _SHORTEST) for name in _variables(auth.parts["password"], deep=False)]
        named += [(name, _SHORTEST_USER) for name in _variables(auth.parts["user"], deep=False)]
    secrets = {
        name: environ[name] for name, shortest in named if len(environ.get(name, "")) >= shortest
    }
    return secrets | _basic(auth)


def _basic(auth: Node | None) -> dict[str, str]:
    """User and password as they go over the wire (RFC 7617 §2)."""
    names = list(_variables(auth, deep=True)) if auth else []
    if auth is None or not names:
        return {}
    pair = f"{auth.parts['user'].value}:{auth.parts['password'].value}"
    return {f"{names[-1]}.basic": b64encode(pair.encode()).decode()}


def _variables(node: Node, *, deep: bool) -> Iterator[str]:
    """The names of the variables in a value, and in those it holds."""
    yield from re.findall(VARIABLE, node.text or "")
    for part in node.parts.values() if deep else ():
        yield from _variables(part, deep=True)


def load(path: Path, *, environ: Mapping[str, str]) -> Config:
    """See `planet.config.load`."""
    collects = gc.isenabled()
    # A file is read into trees; to look for circles in them would be a quarter of the time.
    gc.disable()
    try:
        return understood(_bytes(path), path=path, environ=environ)
    finally:
        if collects:
            gc.enable()


def understood(data: bytes, *, path: Path, environ: Mapping[str, str]) -> Config:
    """What `data` would say as the file at `path`; `load` has the rest."""
    expand = partial(values.expanded, environ=environ)
    document, faults = yaml.read(data, file=str(path), expand=expand)
    config, unmet, at_odds = resolve(document, path=path)
    # A value that is no YAML value fits no setting either: once is enough.
    places = {problem.place for problem in faults}
    unfit = mistakes.problems(unmet, document)
    unfit = (problem for problem in unfit if problem.place not in places)
    beside = path.with_name(FILE)
    picked, mispicked = picks(_bytes(beside, needed=False), file=str(beside))
    problems = sorted([*faults, *unfit, *at_odds, *mispicked], key=partial(order, str(path)))
    if wrong := [problem for problem in problems if not problem.is_warning]:
        raise ConfigError(wrong)
    has_variables = b"${" in data and any(_variables(document.root, deep=True))
    config = replace(config, picks=picked, warnings=tuple(problems), has_variables=has_variables)
    return _with_redactor(config, redactor_of(document, environ)) if has_variables else config


def _with_redactor(config: Config, over: Redactor) -> Config:
    """The config, whose feeds and lists can hide its secrets: any may repeat those of another."""
    if not over.secrets:
        return config
    feeds = (replace(feed, redactor=over) for feed in config.feeds)
    lists = (replace(feed, redactor=over) for feed in config.subscriptions)
    return replace(config, redactor=over, feeds=tuple(feeds), subscriptions=tuple(lists))


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


def earlier(data: bytes, *, path: Path, environ: Mapping[str, str]) -> Config:
    """What `data` would say as the file at `path`, without all in it that is wrong."""
    expand = partial(values.expanded, environ=environ)
    document, _ = yaml.read(data, file=str(path), expand=expand)
    return resolve(document, path=path)[0]
