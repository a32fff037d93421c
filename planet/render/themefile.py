"""`theme.toml` → what a theme says of itself."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planet.errors import ThemeError
from planet.render.folder import decoded
from planet.render.options import Option

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_KINDS: Mapping[str, tuple[type, str]] = {
    "name": (str, "a text in quotes"),
    "description": (str, "a text in quotes"),
    "version": (str, "a text in quotes"),
    "extends": (str, "the name of a theme that comes with Planet, in quotes"),
    "full_text": (bool, "true or false"),
    "options": (dict, "a table: [options]"),
}
_NEEDED = ("name", "description", "version")


@dataclass(frozen=True, slots=True, kw_only=True)
class ThemeFile:
    """What a theme says of itself."""

    name: str
    description: str
    version: str
    extends: str | None
    """The name of another theme that comes with Planet."""
    full_text: bool | None
    """Whether posts on pages by day come with their text; None is as the theme extended says."""
    options: Mapping[str, Option]


def themefile(file: Path, body: bytes) -> ThemeFile:
    """What a `theme.toml` says.

    Raises:
        ThemeError: it is not TOML, lacks a setting, or has a wrong one; the message names the line.
    """
    text = decoded(file, body)
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"at line (\d+)", str(error))
        line = at.group(1) if at else text.count("\n") + 1
        raise ThemeError(f"{file}:{line}  {error}") from error

    def refuse(name: str, words: str) -> ThemeError:
        return ThemeError(f"{file}:{_line(text, name)}  {words}")

    for name, value in settings.items():
        if name not in _KINDS:
            raise refuse(name, f'has no setting "{name}"; it has {", ".join(_KINDS)}')
        kind, wanted = _KINDS[name]
        if not isinstance(value, kind):
            raise refuse(name, f"{name} must be {wanted}")
    for name in _NEEDED:
        if name not in settings:
            raise ThemeError(f"{file}  {name} is missing")
    return ThemeFile(
        name=settings["name"],
        description=settings["description"],
        version=settings["version"],
        extends=settings.get("extends"),
        full_text=settings.get("full_text"),
        options={
            name: _option(name, default, refuse)
            for name, default in settings.get("options", {}).items()
        },
    )


def _option(name: str, default: Any, refuse: Callable[[str, str], ThemeError]) -> Option:
    # In a template it is written `options.name`, which must find the option and nothing else.
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or hasattr(dict, name):
        raise refuse(name, f'an option cannot be called "{name}"')
    if isinstance(default, str | bool | int | float):
        return Option(default=default)
    if isinstance(default, list) and default and all(isinstance(each, str) for each in default):
        return Option(default=default[0], one_of=tuple(default))
    kinds = "a text, true or false, a number, or a list of the texts it may be"
    raise refuse(name, f"the option {name} must be {kinds}")


def _line(text: str, name: str) -> int:
    found = re.search(rf"^[ \t]*\[*[ \t]*[\"']?{re.escape(name)}\b", text, re.MULTILINE)
    return text.count("\n", 0, found.start() if found else len(text)) + 1
