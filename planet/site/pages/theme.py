"""Folders → Theme: the looks of a site, from own files, the theme, and the themes below."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from planet.config import yaml
from planet.config.sections import Checker
from planet.errors import ConfigError, Place, Problem, ThemeError, suggestion
from planet.model import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planet.model import OptionValue, Pages


DEFAULT = "default"
"""The name of the theme that lies below all others."""
SLOTS = ("head", "top", "end")
"""Where HTML of the operator's own can stand on every page."""
FILM = "film.svg"
"""Of a theme's files, the picture that films show before they are loaded."""
_SETTINGS: Mapping[str, type] = {
    **dict.fromkeys(("name", "description", "version", "extends"), str),
    "full_text": bool,
    "options": dict,
}
_NEEDED = ("name", "description", "version")
_COVERS = ("cover.png", "cover.jpg")
# What the site itself puts at its root: a theme's file there would replace a page or a feed.
_TAKEN = re.compile(
    r"(index\.html|404\.html|atom\.xml|feed\.json"
    r"|podcast\.xml|opml\.xml|digest\.xml|health\.json|planet\.json|planet\.js)$"
    r"|(about|archive|digest|faces|links|pictures|podcast|search|source|sources|subscribe|tag"
    r"|[0-9]{4})(/|$)"
)
_PAGE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\.(md|html)")
_FRONT_MATTER = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*$\r?\n?", re.DOTALL | re.MULTILINE
)
_EXAMPLE = 'the page must begin with a line "---", a line such as "title: Rules", and a line "---"'
_NO_PAGE = (
    'is no page: these are files such as "rules.md" or "rules.html", with names of a-z, 0-9 and '
    '"-"; pictures and other files belong into static/'
)
_DIGITS = 10
"""Of the hash in the name of a style sheet or a script."""


class Layer(NamedTuple):
    """The looks in one folder: a theme's, or the site's own."""

    name: str
    """The name for templates: `default` in `!default/base.html`; empty without."""
    path: Path
    templates: Mapping[str, str]
    """The text of each template by the path below `templates/`."""
    static: Mapping[str, bytes]


class PageSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings with which a page of the operator's own begins, between two lines of dashes."""

    title: str
    description: str | None = None
    navigation: bool = False


class OwnPage(PageSettings, frozen=True, kw_only=True):
    """A page of the operator's own: front matter, and a text, trusted as templates are."""

    path: str
    """The address, relative to the site's root."""
    text: str
    is_markdown: bool
    """Whether the text is Markdown; else it is HTML."""


class Theme(msgspec.Struct, frozen=True, kw_only=True):
    """How a site looks."""

    name: str
    full_text: bool
    """Whether posts on the front page and on those of months come with their text."""
    options: Mapping[str, OptionValue]
    """Every option, as chosen or by default."""
    layers: tuple[Layer, ...]
    """The folders whose templates make the pages, those that go before the others first."""
    static: Mapping[str, bytes]
    """By the path below `static/`, which is the path on the site."""
    sheets: tuple[str, ...]
    """The templates that are style sheets, by the path on the site; they see the options alone."""
    slots: Mapping[str, str]
    """HTML of the operator's own, for all of `SLOTS`, empty without."""
    pages: tuple[OwnPage, ...]
    """Pages of the operator's own."""
    fingerprint: str
    """A hash of all files and options, but for pages, which have their own."""

    def templates(self) -> Iterator[tuple[Path, str, str]]:
        """Yield the file, the name and the text of each template, by the order of the folders."""
        for layer in self.layers:
            for name, text in layer.templates.items():
                yield layer.path / "templates" / name, name, text

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
    options: Mapping[str, OptionValue] | None = None,
    site: Path | None = None,
) -> Theme:
    """Read a theme: one that comes with Planet by its name, one's own by its folder.

    Missing files come from the theme below, at last from `default`. From the folder `site` come the
    site's own `templates/`, `static/`, `slots/` and `pages/`, if there are any. Templates are only
    read here, and compiled when a page is drawn, or by `check_theme`.

    Raises:
        ThemeError: a file cannot be read or may not be there, or `theme.toml` is wrong. The message
            has the file, and the line where there is one.
        ConfigError: the theme named at `place` is not there, or lacks one of the options, or wants
            another value; or a file of `pages/` is no page.
    """
    themes = _find_themes()
    if isinstance(name_or_folder, str) and name_or_folder not in themes:
        raise ConfigError([Problem(place, _unknown(name_or_folder, themes))])
    if isinstance(name_or_folder, Path) and not name_or_folder.is_dir():
        way_out = f"`planet init --theme {name_or_folder}` begins a theme there"
        raise ConfigError([Problem(place, f"there is no folder {name_or_folder}; {way_out}")])
    chain = list(_chain(name_or_folder, themes))
    abouts = [about for _, about in chain]
    layers = [_layer("", site)] if site else []
    layers += [layer for layer, _ in chain]
    values = {name: value for about in abouts[::-1] for name, value in about["options"].items()}
    problems = _find_wrong_options(values, options or {}, theme=f'"{name_or_folder}"')
    if problems:
        raise ConfigError([Problem(place, words) for words in problems])
    values |= options or {}
    slots = dict.fromkeys(SLOTS, "") | (_slots(site) if site else {})
    static, sheets = _files(layers)
    return Theme(
        name=abouts[0]["name"],
        full_text=next((about["full_text"] for about in abouts if "full_text" in about), False),
        options=values,
        layers=tuple(layers),
        static={path: body for path, body in static.items() if path not in sheets},
        sheets=sheets,
        slots=slots,
        pages=_own_pages(site, static) if site else (),
        fingerprint=fingerprint(
            abouts, values, slots, *((layer.templates, layer.static) for layer in layers)
        ),
    )


def read_scripts(pages: Pages) -> dict[str, bytes]:
    """Return the scripts of Planet for these pages, by their paths on the site."""
    here = Path(__file__).parents[1]
    scripts = {}
    if pages.script:
        scripts["planet.js"] = (here / "planet.js").read_bytes()
    if pages.search:
        scripts["search/search.js"] = (here / "search.js").read_bytes()
    return scripts


def name_assets(theme: Theme, pages: Pages) -> dict[str, str]:
    """Return the name with a part of a hash for each style sheet and script, by the plain name.

    So a browser may keep each for ever: another content has another name. Each is published under
    the plain name as well. The hash of a drawn sheet is of the options, and of all templates but
    those of pages.
    """
    files = {**theme.static, **read_scripts(pages)}
    hashes = {
        path: fingerprint(body) for path, body in files.items() if path.endswith((".css", ".js"))
    }
    drawn_from = [text for _, name, text in theme.templates() if not name.endswith(".html")]
    hashes |= {path: fingerprint(path, theme.options, drawn_from) for path in theme.sheets}
    return {
        path: "{0}.{2}.{1}".format(*path.rsplit(".", 1), hash_[:_DIGITS])
        for path, hash_ in sorted(hashes.items())
    }


def is_sheet(name: str) -> bool:
    """Return whether a template is a style sheet, and no page or part of one."""
    return name.endswith(".css")


# Folders


def _find_themes() -> dict[str, Path]:
    """Return the folders of the themes of Planet, by name."""
    package = Path(__file__).parents[2]
    # A wheel has the themes in the package, a checkout beside it.
    home = package if (package / "themes").is_dir() else package.parent
    files = sorted((home / "themes").glob("*/theme.toml"))
    return {file.parent.name: file.parent for file in files}


def _unknown(name: str, themes: Mapping[str, Path]) -> str:
    choices = ", ".join(themes) or "none"
    return (
        f'there is no theme "{name}"{suggestion(name, themes)}; the themes that come with Planet: '
        f'{choices}; one of your own is named by its folder: "./{name}"'
    )


def _chain(theme: str | Path, themes: Mapping[str, Path]) -> Iterator[tuple[Layer, dict[str, Any]]]:
    """Yield the folder and the `theme.toml` of a theme, then those of each theme below."""
    name, folder = ("", theme) if isinstance(theme, Path) else (theme, themes[theme])
    about = _read_about(folder)
    yield _layer(name, folder), about
    if name != DEFAULT:
        below = about.get("extends", DEFAULT)
        if below not in themes:
            raise ThemeError(f"{folder / 'theme.toml'}  extends: {_unknown(below, themes)}")
        yield from _chain(below, themes)


def _layer(name: str, folder: Path) -> Layer:
    templates = read_files(folder, "templates").items()
    texts = {path: decode(folder / "templates" / path, body) for path, body in templates}
    return Layer(name, folder, texts, read_files(folder, "static"))


def read_files(folder: Path, below: str) -> dict[str, bytes]:
    """Return the files of a folder below this one, by their paths there, in a fixed order.

    Hidden files and copies (`style.css~`) are left out. A missing folder counts as empty.

    Raises:
        ThemeError: a file cannot be read, or is a link out of the folder.
    """
    files = {}
    for file in sorted((folder / below).rglob("*")):
        path = file.relative_to(folder / below)
        is_hidden = any(part.startswith(".") for part in path.parts) or file.name.endswith("~")
        if file.is_file() and not is_hidden:
            files[path.as_posix()] = _read_file(folder, f"{below}/{path.as_posix()}")
    return files


def _read_file(folder: Path, path: str) -> bytes:
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
        ThemeError: the file is not UTF-8; the message has the line.
    """
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise ThemeError(f"{file}:{line}  is not UTF-8") from error


def _files(layers: Sequence[Layer]) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the files to publish, and the templates of style sheets without a file before them."""
    static: dict[str, bytes] = {}
    sheets: set[str] = set()
    for layer in reversed(layers):
        for path in (*layer.static, *filter(is_sheet, layer.templates)):
            if _TAKEN.match(path):
                kind = "static" if path in layer.static else "templates"
                raise ThemeError(f"{layer.path / kind / path}  would replace a file of the site")
        # A cover in another format replaces that of the theme below all the same.
        if layer.static.keys() & set(_COVERS):
            static = {path: body for path, body in static.items() if path not in _COVERS}
        static |= layer.static
        sheets = (sheets - layer.static.keys()) | set(filter(is_sheet, layer.templates))
    return static, tuple(sorted(sheets))


def _slots(site: Path) -> dict[str, str]:
    slots = {}
    for path, body in read_files(site, "slots").items():
        file, slot = site / "slots" / path, path.removesuffix(".html")
        if slot not in SLOTS:
            known = ", ".join(f"{name}.html" for name in SLOTS)
            raise ThemeError(f"{file}  is no slot; there are {known}")
        slots[slot] = decode(file, body)
    return slots


# theme.toml and options


def _read_about(folder: Path) -> dict[str, Any]:
    """Return the settings of a `theme.toml`.

    Raises:
        ThemeError: the file is not TOML, lacks a setting, or has a wrong one; the message has the
            line.
    """
    file = folder / "theme.toml"
    text = decode(file, _read_file(folder, "theme.toml"))
    try:
        about = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"at line (\d+)", str(error))
        line = at[1] if at else text.count("\n") + 1
        raise ThemeError(f"{file}:{line}  {error}") from error
    for name, words in _find_wrong_settings(about):
        begins = re.search(rf"^[ \t]*\[*[ \t]*[\"']?{re.escape(name)}\b", text, re.MULTILINE)
        # What is missing stands on no line.
        line = f":{text.count(chr(10), 0, begins.start()) + 1}" if begins else ""
        raise ThemeError(f"{file}{line}  {words}")
    return about


def _find_wrong_settings(about: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the name of each wrong setting and option, with the mistake."""
    for name, value in about.items():
        kind = _SETTINGS.get(name)
        if kind is None:
            yield name, f'has no setting "{name}"; it has {", ".join(_SETTINGS)}'
        elif not isinstance(value, kind):
            yield name, f"{name} must be {_kind(kind())}"
    for name in (name for name in _NEEDED if name not in about):
        yield name, f"{name} is missing"
    for name, value in about.setdefault("options", {}).items():
        # In a template it is written `options.name`, which must find the option and nothing else.
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or hasattr(dict, name):
            yield name, f'an option cannot be called "{name}"'
        if not isinstance(value, str | bool | int | float):
            yield name, f"the option {name} must be a text, true or false, or a number"


def _kind(value: object) -> str:
    """Name the kind of a value."""
    # To Python true and false are numbers, too.
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, dict):
        return "a table: [options]"
    return "a text" if isinstance(value, str) else "a number"


def _find_wrong_options(
    defaults: Mapping[str, OptionValue], options: Mapping[str, OptionValue], *, theme: str
) -> list[str]:
    """Return the mistakes in options; each has to be of the kind of the default."""
    problems = []
    for name, value in options.items():
        if name not in defaults:
            names = ", ".join(f'"{name}"' for name in defaults)
            problems.append(f'the theme {theme} has no option "{name}"; its options: {names}')
        elif _kind(value) != (kind := _kind(defaults[name])):
            problems.append(f"theme.options.{name} must be {kind}")
    return problems


# Pages of the operator's own


def _own_pages(site: Path, static: Mapping[str, bytes]) -> tuple[OwnPage, ...]:
    """Return the pages in `pages/` of a site, in the order of their names.

    Raises:
        ConfigError: files are no pages; every mistake is told, with file and line.
    """
    problems: list[Problem] = []
    pages: dict[str, OwnPage] = {}
    for path, body in read_files(site, "pages").items():
        file, name = site / "pages" / path, path.rpartition(".")[0]
        text = decode(file, body)
        settings, wrong = _read_front_matter(file, text)
        if not _PAGE.fullmatch(path):
            wrong = [_no_page(file, _NO_PAGE)]
        elif _TAKEN.match(f"{name}/") or {name, f"{name}/index.html"} & static.keys():
            words = f'Planet has a page "{name}/" of its own; give the file another name'
            wrong = [_no_page(file, words)]
        elif name in pages:
            words = f'there is {name}.html, too, and both would be the page "{name}/"'
            wrong = [_no_page(file, words)]
        problems += wrong
        if settings:
            pages[name] = OwnPage(
                **msgspec.structs.asdict(settings),
                path=f"{name}/index.html",
                text=_FRONT_MATTER.sub("", text, count=1),
                is_markdown=path.endswith(".md"),
            )
    if problems:
        raise ConfigError(problems)
    return tuple(pages.values())


def _no_page(file: Path, words: str) -> Problem:
    return Problem(Place(file=str(file), line=1, column=1), words)


def _read_front_matter(file: Path, text: str) -> tuple[PageSettings | None, list[Problem]]:
    """Return the settings of a page, or None, and the mistakes in them."""
    front_matter = _FRONT_MATTER.match(text)
    if front_matter is None:
        return None, [_no_page(file, _EXAMPLE)]
    try:
        # The first line is the one of dashes.
        document = yaml.read(f"\n{front_matter[1]}", file=str(file))
    except ConfigError as error:
        return None, [*error.problems]
    checker = Checker(document, PageSettings)
    settings: PageSettings | None = checker.check(PageSettings, document.data, ())
    return settings, [*document.problems, *checker.problems.values()]
