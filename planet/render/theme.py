"""Folders → Theme: how a site looks, from its theme, the themes below that, and its own files."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from planet.errors import ConfigError, Problem, ThemeError, suggestion
from planet.render.bodies import PAGES
from planet.render.folder import decoded, files, read
from planet.render.layers import Layer, Layers, Template
from planet.render.options import Option, chosen
from planet.render.themefile import ThemeFile, themefile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planet.model import OptionValue, Place, ThemeOption

SLOTS = ("head", "top", "end")
"""Where HTML of the operator's own can stand on every page."""

_SLOT_FILES = tuple(f"{slot}.html" for slot in SLOTS)
_COVERS = ("cover.png", "cover.jpg")
# What the site itself puts at its root: a theme's file there would replace a page or a feed.
_TAKEN = re.compile(
    r"(index\.html|404\.html|robots\.txt|sitemap(-[0-9]+)?\.xml|atom\.xml|feed\.json"
    r"|podcast\.xml|opml\.xml|digest\.xml|digest\.txt|health\.json|planet\.json|planet\.js)$"
    r"|(about|archive|digest|links|lists|podcast|search|source|sources|subscribe|tag|[0-9]{4})(/|$)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """How a site looks."""

    name: str
    description: str
    version: str
    full_text: bool
    """Whether posts on the front page and on those of months come with their text."""
    options: Mapping[str, OptionValue]
    """Every option there is, as it was chosen or by default."""
    layers: Layers
    static: Mapping[str, bytes]
    """By the path below `static/`, which is the path on the site."""
    slots: Mapping[str, str]
    """HTML of the operator's own, by where it stands: for all of `SLOTS`, empty without."""
    fingerprint: str
    """A hash of all its files and options."""

    @property
    def cover(self) -> str | None:
        """The path on the site of the square image for podcasts that bring none of their own."""
        return next((path for path in _COVERS if path in self.static), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    """What is in a folder that a site looks like: a theme's, or the site's own."""

    name: str
    """What a theme that comes with Planet is called; empty for others."""
    path: Path
    templates: Mapping[str, bytes]
    static: Mapping[str, bytes]
    slots: Mapping[str, bytes]


def load_theme(
    name_or_folder: str | Path,
    *,
    place: Place | None = None,
    options: Sequence[ThemeOption] = (),
    site: Path | None = None,
) -> Theme:
    """Read a theme: one that comes with Planet by its name, one's own by its folder.

    With it come the themes it extends, and from the folder `site` the site's own `templates/`,
    `static/` and `slots/`, as far as they are there. Templates are only read here; they are
    understood when a page is drawn, or by `check_theme`.

    Raises:
        ThemeError: it lacks a file, has one it may not have, or its `theme.toml` is wrong. The
            message names the file, and the line where there is one.
        ConfigError: it is not there, though it is named at `place`; or it does not have one of the
            options, or not with that value.
    """
    if isinstance(name_or_folder, str) and name_or_folder not in _shipped_themes():
        raise ConfigError([Problem(place, _unknown(name_or_folder))])
    if isinstance(name_or_folder, Path) and not name_or_folder.is_dir():
        way_out = f"`planet init --theme {name_or_folder}` begins a theme there"
        raise ConfigError([Problem(place, f"there is no folder {name_or_folder}; {way_out}")])
    themes = tuple(_chain(name_or_folder))
    abouts = [about for about, _ in themes]
    folders = [*([_own(site)] if site else ()), *(folder for _, folder in themes)]
    top, top_folder = themes[0]
    layers = Layers(tuple(map(_layer, folders)))
    for page in PAGES:
        if layers.find(f"{page}.html") is None:
            raise ThemeError(f"{top_folder.path / 'templates' / page}.html  is missing")
    declared: dict[str, Option] = {}
    for about in reversed(abouts):
        declared |= about.options
    values = chosen(declared, options, theme=f'"{name_or_folder}"')
    return Theme(
        name=top.name,
        description=top.description,
        version=top.version,
        full_text=next((wish for each in abouts if (wish := each.full_text) is not None), False),
        options=values,
        layers=layers,
        static=_static(folders),
        slots=_slots(folders),
        fingerprint=_fingerprint(folders, (abouts, values)),
    )


def _chain(name_or_folder: str | Path) -> Iterator[tuple[ThemeFile, _Folder]]:
    """A theme, below it the one that it extends, and so on."""
    folder = name_or_folder if isinstance(name_or_folder, Path) else _shipped(name_or_folder)
    file = folder / "theme.toml"
    about = themefile(file, read(folder, "theme.toml"))
    yield (
        about,
        _Folder(
            name="" if isinstance(name_or_folder, Path) else name_or_folder,
            path=folder,
            templates=files(folder, "templates"),
            static=files(folder, "static"),
            slots={},
        ),
    )
    if about.extends is not None:
        try:
            yield from _chain(about.extends)
        except ThemeError as error:
            raise ThemeError(f"{file}  extends: {error}") from error


def _shipped(name: str) -> Path:
    """The folder of a theme that comes with Planet."""
    themes = _shipped_themes()
    if name not in themes:
        raise ThemeError(_unknown(name))
    return themes[name]


def _shipped_themes() -> dict[str, Path]:
    """The folders of the themes that come with Planet, by name."""
    package = Path(__file__).parents[1]
    # A wheel has the themes in the package, a checkout beside it.
    themes = next(
        (place for place in (package / "themes", package.parent / "themes") if place.is_dir()),
        package / "themes",
    )
    return {file.parent.name: file.parent for file in sorted(themes.glob("*/theme.toml"))}


def _unknown(name: str) -> str:
    names = _shipped_themes()
    known = ", ".join(names) or "none"
    return (
        f'there is no theme "{name}"{suggestion(name, names)}; the themes that come with Planet: '
        f'{known}; one of your own is named by its folder: "./{name}"'
    )


def _own(site: Path) -> _Folder:
    slots = files(site, "slots")
    for path in slots:
        if path not in _SLOT_FILES:
            known = ", ".join(_SLOT_FILES)
            raise ThemeError(f"{site / 'slots' / path}  is no slot; there are {known}")
    return _Folder(
        name="",
        path=site,
        templates=files(site, "templates"),
        static=files(site, "static"),
        slots=slots,
    )


def _layer(folder: _Folder) -> Layer:
    within = folder.path / "templates"
    templates = {
        path: Template(file=within / path, text=decoded(within / path, body))
        for path, body in folder.templates.items()
    }
    return Layer(name=folder.name, templates=templates)


def _static(folders: Sequence[_Folder]) -> dict[str, bytes]:
    """The files to publish: where two folders have the same, that of the first."""
    static: dict[str, bytes] = {}
    for folder in reversed(folders):
        for path in folder.static:
            if _TAKEN.match(path):
                file = folder.path / "static" / path
                raise ThemeError(f"{file}  would replace a file of the site")
        # A cover in another format replaces that of the theme below all the same.
        if folder.static.keys() & set(_COVERS):
            static = {path: body for path, body in static.items() if path not in _COVERS}
        static |= folder.static
    return static


def _slots(folders: Sequence[_Folder]) -> dict[str, str]:
    slots = dict.fromkeys(SLOTS, "")
    for folder in folders:
        for path, body in folder.slots.items():
            slots[path.removesuffix(".html")] = decoded(folder.path / "slots" / path, body)
    return slots


def _fingerprint(folders: Sequence[_Folder], also: object) -> str:
    hashed = hashlib.sha256(repr(also).encode())
    for folder in folders:
        for kind in (folder.templates, folder.static, folder.slots):
            hashed.update(f"{len(kind)}\0".encode())
            for path, body in kind.items():
                hashed.update(f"{path}\0{len(body)}\0".encode("utf-8", "surrogateescape"))
                hashed.update(body)
    return hashed.hexdigest()
