"""Folders → Theme: how a site looks, from its theme, the themes below that, and its own files."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from planet.errors import ConfigError, Problem, ThemeError, suggestion
from planet.model import fingerprint
from planet.site.pages.own_pages import OwnPage, parse_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence

    from planet.errors import Place
    from planet.model import OptionValue, ThemeOption


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The text of a template, and where it was read."""

    file: Path = field(repr=False)
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """What one folder says of how a site looks: a theme's, or the site's own."""

    # Its `repr` goes into the fingerprint, which does not depend on where the folder is.

    name: str = field(repr=False)
    """What templates call it: `default` in `!default/base.html`; empty where they do not."""
    path: Path = field(repr=False)
    templates: Mapping[str, Template]
    """By name, which is the path below `templates/` with forward slashes."""
    static: Mapping[str, bytes]


class FoundTemplate(NamedTuple):
    """A template, and the number of the layer that it is from."""

    layer: int
    template: Template


@dataclass(frozen=True, slots=True)
class Layers:
    """The templates of a site, those that go before the others first."""

    layers: tuple[Layer, ...]

    def find(self, name: str) -> FoundTemplate | None:
        """Return the template of a name, `absolute` or not."""
        start = 0
        if name.startswith("!"):
            number, _, name = name[1:].partition("/")
            if not number.isdecimal():
                return None
            start = int(number)
        for number_, layer in enumerate(self.layers[start:], start):
            if name in layer.templates:
                return FoundTemplate(number_, layer.templates[name])
        return None

    def absolute(self, name: str, used_in: str) -> str:
        """Return a name that means everywhere what this one means in a template.

        `!theme/x.html` is what `x.html` would be without the layer of the template in which this is
        written, and `!default/x.html` what it is in the theme `default`. A name that leads nowhere
        stays as it is.
        """
        if not name.startswith("!"):
            return name
        layer, _, rest = name[1:].partition("/")
        if layer == "theme":
            user = self.find(used_in)
            start = user.layer + 1 if user else 0
        else:
            names = [layer.name for layer in self.layers]
            if not layer or layer not in names:
                return name
            start = names.index(layer)
        meant = f"!{start}/{rest}"
        return meant if self.find(meant) else name


def read_files(folder: Path, below: str) -> dict[str, bytes]:
    """Return the files of a folder below this one, by their paths there, in a fixed order.

    Hidden files and copies (`style.css~`) are left out. A folder that is not there is empty.

    Raises:
        ThemeError: a file cannot be read, or is a link that leads out of the folder.
    """
    return {path: read_file(folder, f"{below}/{path}") for path in _paths(folder / below)}


def read_file(folder: Path, path: str) -> bytes:
    """Read one file in a folder.

    Raises:
        ThemeError: it is not there, cannot be read, or is a link that leads out of the folder.
    """
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


def decode(file: Path, body: bytes) -> str:
    """Return the text of a file.

    Raises:
        ThemeError: it is not UTF-8; the message names the line.
    """
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise ThemeError(f"{file}:{line}  is not UTF-8") from error


def _paths(folder: Path) -> Iterator[str]:
    for file in sorted(folder.rglob("*")):
        path = file.relative_to(folder)
        hidden = any(part.startswith(".") for part in path.parts) or file.name.endswith("~")
        if file.is_file() and not hidden:
            yield path.as_posix()


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """An option as a theme declares it; what may be chosen is of the kind of its default."""

    default: OptionValue
    one_of: tuple[str, ...] = ()
    """The only texts that may be chosen; empty where every value of its kind may be."""

    @property
    def choices_in_words(self) -> str:
        """Return what may be chosen, in words."""
        if self.one_of:
            return "one of " + ", ".join(f'"{text}"' for text in self.one_of)
        return _kind(self.default)

    def allows(self, value: OptionValue) -> bool:
        """Return whether a value may be chosen."""
        return value in self.one_of if self.one_of else _kind(value) == _kind(self.default)


def _kind(value: OptionValue) -> str:
    # To Python true and false are numbers, too.
    if isinstance(value, bool):
        return "true or false"
    return "a text" if isinstance(value, str) else "a number"


def choose_options(
    declared: Mapping[str, Option], choices: Sequence[ThemeOption], *, theme: str
) -> dict[str, OptionValue]:
    """Return the value of every option; `theme` is what the theme is called in a message.

    Raises:
        ConfigError: the theme has no such option, or it may not be this; every such mistake, with
            its place in the config.
    """
    problems = []
    for choice in choices:
        option = declared.get(choice.name)
        if option is None:
            names = ", ".join(f'"{name}"' for name in declared) or "none"
            words = f'the theme {theme} has no option "{choice.name}"; its options: {names}'
            problems.append(Problem(choice.place, words))
        elif not option.allows(choice.value):
            words = f"theme.options.{choice.name} must be {option.choices_in_words}"
            problems.append(Problem(choice.place, words))
    if problems:
        raise ConfigError(problems)
    values = {name: option.default for name, option in declared.items()}
    return values | {choice.name: choice.value for choice in choices}


_KINDS: Mapping[str, tuple[type, str]] = {
    "name": (str, "a text in quotes"),
    "description": (str, "a text in quotes"),
    "version": (str, "a text in quotes"),
    "extends": (str, "the name of a theme that comes with Planet, in quotes"),
    "full_text": (bool, "true or false"),
    "options": (dict, "a table: [options]"),
}
_NEEDED = ("name", "description", "version")


class ThemeFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a theme says of itself, as far as a site shows it."""

    name: str
    extends: str | None
    """The name of another theme that comes with Planet."""
    full_text: bool | None
    """Whether posts on pages by day come with their text; None is as the theme extended says."""
    options: Mapping[str, Option]


def parse_theme_file(file: Path, body: bytes) -> ThemeFile:
    """Read a `theme.toml`.

    Raises:
        ThemeError: it is not TOML, lacks a setting, or has a wrong one; the message names the line.
    """
    text = decode(file, body)
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
    if isinstance(default, list) and default and all(isinstance(item, str) for item in default):
        return Option(default=default[0], one_of=tuple(default))
    kinds = "a text, true or false, a number, or a list of the texts it may be"
    raise refuse(name, f"the option {name} must be {kinds}")


def _line(text: str, name: str) -> int:
    match = re.search(rf"^[ \t]*\[*[ \t]*[\"']?{re.escape(name)}\b", text, re.MULTILINE)
    return text.count("\n", 0, match.start() if match else len(text)) + 1


SLOTS = ("head", "top", "end")
"""Where HTML of the operator's own can stand on every page."""

_COVERS = ("cover.png", "cover.jpg")
# What the site itself puts at its root: a theme's file there would replace a page or a feed.
_TAKEN = re.compile(
    r"(index\.html|404\.html|atom\.xml|feed\.json"
    r"|podcast\.xml|rss\.xml|opml\.xml|digest\.xml|health\.json|planet\.json|planet\.js)$"
    r"|(about|archive|digest|faces|links|lists|pictures|podcast|search|source|sources|subscribe|tag|[0-9]{4})(/|$)"
)


class Theme(msgspec.Struct, frozen=True, kw_only=True):
    """How a site looks."""

    name: str
    full_text: bool
    """Whether posts on the front page and on those of months come with their text."""
    options: Mapping[str, OptionValue]
    """Every option there is, as it was chosen or by default."""
    layers: Layers
    static: Mapping[str, bytes]
    """By the path below `static/`, which is the path on the site."""
    sheets: tuple[str, ...]
    """The templates that are style sheets, by the path on the site; they see the options alone."""
    slots: Mapping[str, str]
    """HTML of the operator's own, by where it stands: for all of `SLOTS`, empty without."""
    pages: tuple[OwnPage, ...]
    """Pages of the operator's own."""
    fingerprint: str
    """A hash of all its files and options; each of the pages stands for itself."""

    @property
    def cover(self) -> str | None:
        """Return the path on the site of the theme's cover for podcasts."""
        return next((path for path in _COVERS if path in self.static), None)

    @property
    def icon(self) -> str | None:
        """Return the path on the site of the theme's icon for phones, and for readers of feeds."""
        return "icon.png" if "icon.png" in self.static else None


def load_theme(
    name_or_folder: str | Path,
    *,
    place: Place | None = None,
    options: Sequence[ThemeOption] = (),
    site: Path | None = None,
) -> Theme:
    """Read a theme: one that comes with Planet by its name, one's own by its folder.

    With it come the themes it extends, and from the folder `site` the site's own `templates/`,
    `static/`, `slots/` and `pages/`, as far as they are there. Templates are only read here; they
    are understood when a page is drawn, or by `check_theme`.

    Raises:
        ThemeError: it lacks a file, has one it may not have, or its `theme.toml` is wrong. The
            message names the file, and the line where there is one.
        ConfigError: it is not there, though it is named at `place`; or it does not have one of the
            options, or not with that value; or a file of `pages/` is no page.
    """
    if isinstance(name_or_folder, str) and name_or_folder not in _find_own_themes():
        raise ConfigError([Problem(place, _unknown(name_or_folder))])
    if isinstance(name_or_folder, Path) and not name_or_folder.is_dir():
        way_out = f"`planet init --theme {name_or_folder}` begins a theme there"
        raise ConfigError([Problem(place, f"there is no folder {name_or_folder}; {way_out}")])
    abouts, themes = zip(*_chain(name_or_folder), strict=True)
    layers = Layers((*([_layer(site, name="")] if site else ()), *themes))
    # Those that come with Planet have a template for every page.
    if not themes[-1].name:
        from planet.site.pages.page_kinds import KINDS

        for page in KINDS:
            if layers.find(f"{page}.html") is None:
                raise ThemeError(f"{themes[0].path / 'templates' / page}.html  is missing")
    declared: dict[str, Option] = {}
    for about in reversed(abouts):
        declared |= about.options
    values = choose_options(declared, options, theme=f'"{name_or_folder}"')
    slots = dict.fromkeys(SLOTS, "") | (_slots(site) if site else {})
    static, sheets = _static(layers.layers), _sheets(layers.layers)
    return Theme(
        name=abouts[0].name,
        full_text=next((wish for about in abouts if (wish := about.full_text) is not None), False),
        options=values,
        layers=layers,
        static={path: body for path, body in static.items() if path not in sheets},
        sheets=sheets,
        slots=slots,
        pages=_pages(site, static) if site else (),
        fingerprint=fingerprint(abouts, values, slots, layers),
    )


class _ThemeFolder(NamedTuple):
    """A theme in the chain of those that one extends."""

    about: ThemeFile
    layer: Layer


def _chain(name_or_folder: str | Path) -> Iterator[_ThemeFolder]:
    """Yield a theme, the one that it extends, and so on."""
    if isinstance(name_or_folder, Path):
        name, folder = "", name_or_folder
    elif name_or_folder in (themes := _find_own_themes()):
        name, folder = name_or_folder, themes[name_or_folder]
    else:
        raise ThemeError(_unknown(name_or_folder))
    file = folder / "theme.toml"
    about = parse_theme_file(file, read_file(folder, "theme.toml"))
    yield _ThemeFolder(about, _layer(folder, name=name))
    if about.extends is not None:
        try:
            yield from _chain(about.extends)
        except ThemeError as error:
            raise ThemeError(f"{file}  extends: {error}") from error


def _find_own_themes() -> dict[str, Path]:
    """Return the folders of the themes that come with Planet, by name."""
    package = Path(__file__).parents[2]
    # A wheel has the themes in the package, a checkout beside it.
    themes = next(
        (place for place in (package / "themes", package.parent / "themes") if place.is_dir()),
        package / "themes",
    )
    return {file.parent.name: file.parent for file in sorted(themes.glob("*/theme.toml"))}


def _unknown(name: str) -> str:
    names = _find_own_themes()
    choices = ", ".join(names) or "none"
    return (
        f'there is no theme "{name}"{suggestion(name, names)}; the themes that come with Planet: '
        f'{choices}; one of your own is named by its folder: "./{name}"'
    )


def _slots(site: Path) -> dict[str, str]:
    places = {f"{slot}.html": slot for slot in SLOTS}
    slots = {}
    for path, body in read_files(site, "slots").items():
        file = site / "slots" / path
        if path not in places:
            raise ThemeError(f"{file}  is no slot; there are {', '.join(places)}")
        slots[places[path]] = decode(file, body)
    return slots


def _pages(site: Path, static: Container[str]) -> tuple[OwnPage, ...]:
    folder = site / "pages"
    texts = {path: decode(folder / path, body) for path, body in read_files(site, "pages").items()}

    def is_taken(path: str) -> bool:
        """Tell whether a page, or a file in the place of its folder, is there already."""
        return bool(_TAKEN.match(path)) or path in static or path.partition("/")[0] in static

    return parse_pages(folder, texts, is_taken)


def _layer(folder: Path, *, name: str) -> Layer:
    within = folder / "templates"
    templates = {
        path: Template(file=within / path, text=decode(within / path, body))
        for path, body in read_files(folder, "templates").items()
    }
    static = read_files(folder, "static")
    return Layer(name=name, path=folder, templates=templates, static=static)


def _static(layers: Sequence[Layer]) -> dict[str, bytes]:
    """Return the files to publish: where two folders have the same, that of the first."""
    static: dict[str, bytes] = {}
    for layer in reversed(layers):
        for path in (*layer.static, *filter(is_sheet, layer.templates)):
            if _TAKEN.match(path):
                file = layer.path / ("static" if path in layer.static else "templates") / path
                raise ThemeError(f"{file}  would replace a file of the site")
        # A cover in another format replaces that of the theme below all the same.
        if layer.static.keys() & set(_COVERS):
            static = {path: body for path, body in static.items() if path not in _COVERS}
        static |= layer.static
    return static


def is_sheet(name: str) -> bool:
    """Return whether a template is a style sheet, and no page or part of one."""
    return name.endswith(".css")


def _sheets(layers: Sequence[Layer]) -> tuple[str, ...]:
    """Return the templates of style sheets for which no folder above has a file."""
    sheets: set[str] = set()
    for layer in reversed(layers):
        sheets = (sheets - layer.static.keys()) | set(filter(is_sheet, layer.templates))
    return tuple(sorted(sheets))
