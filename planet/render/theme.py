"""A theme's folder → Theme: its templates and its static files, read whole."""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from planet.errors import ThemeError
from planet.render.bodies import PAGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_COVERS = ("cover.png", "cover.jpg")
_SETTINGS = ("name", "description", "version")
# What the site itself puts at its root: a theme's file there would replace a page or a feed.
_TAKEN = re.compile(
    r"(index\.html|404\.html|robots\.txt|atom\.xml|feed\.json|podcast\.xml|opml\.xml"
    r"|digest\.xml|digest\.txt|health\.json)$"
    r"|(archive|digest|lists|podcast|source|sources|subscribe|tag|[0-9]{4})(/|$)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The text of a template, and where it was read."""

    file: Path
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """How a site looks."""

    name: str
    description: str
    version: str
    templates: Mapping[str, Template]
    """By name, which is the path below `templates/` with forward slashes."""
    static: Mapping[str, bytes]
    """By the path below `static/`, which is the path on the site."""
    fingerprint: str
    """A hash of all its files."""

    @property
    def cover(self) -> str | None:
        """The path on the site of the square image for podcasts that bring none of their own."""
        return next((path for path in _COVERS if path in self.static), None)


def load_theme(name_or_folder: str | Path) -> Theme:
    """Read a theme: one that comes with Planet by its name, one's own by its folder.

    Templates are only read here; they are understood when a page is drawn, or by `check_theme`.

    Raises:
        ThemeError: it is not there, lacks a file, has one it may not have, or its `theme.toml` is
            wrong. The message names the file, and the line where there is one.
    """
    folder = name_or_folder if isinstance(name_or_folder, Path) else _shipped(name_or_folder)
    files = {
        path: _read(folder, path) for path in ("theme.toml", *_files(folder, "templates", "static"))
    }
    settings = _settings(folder / "theme.toml", files["theme.toml"])
    templates = {
        path.removeprefix("templates/"): Template(
            file=folder / path, text=_decoded(folder / path, body)
        )
        for path, body in files.items()
        if path.startswith("templates/")
    }
    static = {
        path.removeprefix("static/"): body
        for path, body in files.items()
        if path.startswith("static/")
    }
    for page in PAGES:
        if f"{page}.html" not in templates:
            raise ThemeError(f"{folder / 'templates' / page}.html  is missing")
    for path in static:
        if _TAKEN.match(path):
            raise ThemeError(f"{folder / 'static' / path}  would replace a file of the site")
    return Theme(
        name=settings["name"],
        description=settings["description"],
        version=settings["version"],
        templates=templates,
        static=static,
        fingerprint=_fingerprint(files),
    )


def _shipped(name: str) -> Path:
    """The folder of a theme that comes with Planet."""
    package = Path(__file__).parents[1]
    # A wheel has the themes in the package, a checkout beside it.
    themes = next(
        (place for place in (package / "themes", package.parent / "themes") if place.is_dir()),
        package / "themes",
    )
    names = sorted(file.parent.name for file in themes.glob("*/theme.toml"))
    if name not in names:
        known = ", ".join(names) or "none"
        raise ThemeError(f'there is no theme "{name}"; the themes that come with Planet: {known}')
    return themes / name


def _files(folder: Path, *below: str) -> Iterator[str]:
    """Paths in some of a theme's folders, in a fixed order; hidden files and copies left out."""
    for name in below:
        for file in sorted((folder / name).rglob("*")):
            path = file.relative_to(folder)
            hidden = any(part.startswith(".") for part in path.parts) or file.name.endswith("~")
            if file.is_file() and not hidden:
                yield path.as_posix()


def _read(folder: Path, path: str) -> bytes:
    file = folder / path
    # What a theme links to would be published.
    if not file.resolve().is_relative_to(folder.resolve()):
        raise ThemeError(f"{file}  is a link that leads out of the theme")
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        raise ThemeError(f"{file}  is missing") from error
    except OSError as error:
        raise ThemeError(f"{file}  cannot be read: {error.strerror}") from error


def _decoded(file: Path, body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise ThemeError(f"{file}:{line}  is not UTF-8") from error


def _settings(file: Path, body: bytes) -> dict[str, str]:
    """What `theme.toml` says: exactly the settings it must have, each a text."""
    text = _decoded(file, body)
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"at line (\d+)", str(error))
        line = at.group(1) if at else text.count("\n") + 1
        raise ThemeError(f"{file}:{line}  {error}") from error
    for name, value in settings.items():
        place = f"{file}:{_line(text, name)}"
        if name not in _SETTINGS:
            raise ThemeError(f'{place}  has no setting "{name}"; it has {", ".join(_SETTINGS)}')
        if not isinstance(value, str):
            raise ThemeError(f"{place}  {name} must be a text in quotes")
    for name in _SETTINGS:
        if name not in settings:
            raise ThemeError(f"{file}  {name} is missing")
    return settings


def _line(text: str, name: str) -> int:
    found = re.search(rf"^[ \t]*\[*[ \t]*[\"']?{re.escape(name)}\b", text, re.MULTILINE)
    return text.count("\n", 0, found.start() if found else len(text)) + 1


def _fingerprint(files: Mapping[str, bytes]) -> str:
    hashed = hashlib.sha256()
    for path, body in files.items():
        hashed.update(f"{path}\0{len(body)}\0".encode("utf-8", "surrogateescape"))
        hashed.update(body)
    return hashed.hexdigest()
