"""Config ⇄ JSON: a config is not checked again while nothing that it came from has changed.

The snapshot lies in the state folder. It holds no secret: a config with a value from the
environment, or with anything else that is for a server alone, is read anew each time.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime, time, timedelta
from enum import EnumType
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

import planet
from planet import model
from planet.config import nouns
from planet.errors import OutputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planet.config.nouns import Config


_FILE: Final = "config.json"
_TYPE: Final = ""
"""The key under which an object says its type: no name in the config is empty."""
_TYPES: Final = (*vars(model).values(), *vars(nouns).values(), Problem)
_NOUNS: Final[Mapping[str, Any]] = {
    noun.__name__: noun for noun in _TYPES if isinstance(noun, type) and is_dataclass(noun)
}
_VALUES: Final[Mapping[str, Any]] = {
    **{word.__name__: word for word in _TYPES if isinstance(word, EnumType)},
    "Path": Path,
    "ZoneInfo": ZoneInfo,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda seconds: timedelta(seconds=seconds),
    "frozenset": frozenset,
    "regex": lambda fields: _pattern(*fields),
}


def load(
    path: Path, *, environ: Mapping[str, str], state: Path | None = None, keep: bool = False
) -> Config:
    """As `planet.config.load`, from the snapshot where that still holds.

    `state` is the state folder where another one is meant than the config says. With `keep`, there
    is a snapshot from now on, if there is that folder.
    """
    with suppress(OSError):
        before = path.read_bytes()
        folder = state or path.parent / _state_in(before)
        if config := _read(folder / _FILE, path):
            return config
    from planet.config.loading import load

    config = load(path, environ=environ)
    folder = state or config.state
    if keep and folder.is_dir() and not _holds_secrets(config):
        key = _key(path, config.files)
        if key["files"][str(path)] == sha256(before).hexdigest():
            from planet.config.edits import write_whole

            text = f"{json.dumps(key)}\n{json.dumps(_plain(config), separators=(',', ':'))}\n"
            # Without it, the next run has more to do.
            with suppress(OutputError):
                write_whole(folder / _FILE, text.encode())
    return config


def _state_in(data: bytes) -> str:
    """The state folder, as far as can be told without YAML: in a wrong one, no snapshot fits."""
    match = re.search(rb"""^state:[ \t]*(["']?)([^"'#\n]*?)\1[ \t\r]*(?:#|$)""", data, re.MULTILINE)
    return match[2].decode(errors="replace") if match else "state"


def _holds_secrets(config: Config) -> bool:
    return (
        config.has_variables
        or bool(config.cache.options)
        or config.fetch.signature is not None
        or any(feed.policy.headers or feed.policy.auth for feed in config.feeds)
    )


def _key(path: Path, files: Iterable[Path]) -> dict[str, Any]:
    """What must be as it was."""
    return {
        "planet": planet.__version__,
        "nouns": [[name, *(field.name for field in fields(noun))] for name, noun in _NOUNS.items()],
        # Relative paths are not the same in another folder.
        "path": [str(path), str(path.absolute())],
        "files": {str(file): _hash(file) for file in files},
    }


def _hash(file: Path) -> str:
    try:
        return sha256(file.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def _read(file: Path, path: Path) -> Config | None:
    try:
        key, _, text = file.read_bytes().partition(b"\n")
        expected = json.loads(key)
        if expected != _key(path, map(Path, expected["files"])):
            return None
        config = json.loads(text, object_hook=_made)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, re.error):
        return None
    # What is not installed any more is a mistake.
    return config if isinstance(config, nouns.Config) and not any(nouns.needs(config)) else None


def _plain(value: Any) -> Any:
    """As JSON has it; what has its default is left out."""
    kind: Any = type(value)
    if value is None or kind in (str, int, float, bool):
        return value
    if kind is dict:
        return {name: _plain(item) for name, item in value.items()}
    if kind is tuple:
        return [_plain(item) for item in value]
    if isinstance(value, model.Pattern):
        regex: Any = value.regex
        text = [regex.pattern, regex.flags & re.IGNORECASE]
        plain: Any = [type(regex).__module__, value.written, _plain(value.field), *text]
        return {_TYPE: "regex", "is": plain}
    if kind.__name__ in _NOUNS:
        own = {name: getattr(value, name) for name in _defaults(kind)}
        given = {name: own[name] for name, usual in _defaults(kind).items() if own[name] != usual}
        return {_TYPE: kind.__name__, **_plain(given)}
    if isinstance(value, frozenset):
        plain = sorted(map(_plain, value), key=str)
    else:
        plain = value.total_seconds() if kind is timedelta else str(value)
    return {_TYPE: "Path" if isinstance(value, Path) else kind.__name__, "is": plain}


@cache
def _defaults(noun: type) -> dict[str, Any]:
    """By field; of one that has none, what equals nothing."""
    return {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(noun)
    }


def _made(written: dict[str, Any]) -> Any:
    kind = written.pop(_TYPE, None)
    if noun := _NOUNS.get(kind):
        lists = {name: tuple(value) for name, value in written.items() if type(value) is list}
        return noun(**{**written, **lists})
    return _VALUES[kind](written["is"]) if kind else written


def _pattern(
    module: str, written: str, field: model.Field | None, text: str, flags: int
) -> model.Pattern:
    if module == "re":
        return model.Pattern(written=written, field=field, regex=re.compile(text, flags))
    # Few configs have one.
    from planet.config.kinds import expression

    return model.Pattern(written=written, field=field, regex=expression(text, flags))
