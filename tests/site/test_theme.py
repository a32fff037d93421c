"""Themes: read from a folder, refused with file and line, drawn in a sandbox."""

import shutil
import struct
from contextlib import nullcontext
from pathlib import Path

import pytest

from planet.errors import ConfigError, Place, ThemeError
from planet.model import Pages
from planet.site.pages import check_theme, load_theme, render
from tests.cases import case, cases
from tests.docs import EXAMPLE_THEMES
from tests.site.editions import make_edition, make_post

SHIPPED = Path(__file__).parents[2] / "themes"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A theme of one's own, begun as a copy."""
    return Path(shutil.copytree(SHIPPED / "default", tmp_path / "mine"))


def front(folder: Path) -> bytes:
    files = render(
        make_edition(make_post()),
        theme=load_theme(folder),
        pages=Pages(),
        contents=lambda numbers: {},
    )
    return next(file for file in files if file.path == "index.html").make()


@pytest.mark.parametrize(
    "name",
    [
        *sorted(file.parent.name for file in SHIPPED.glob("*/theme.toml")),
        *(pytest.param(folder, id=name) for name, folder in EXAMPLE_THEMES.items()),
    ],
)
def test_themes_of_planet_and_of_its_documentation_have_no_mistakes(name: str | Path) -> None:
    theme = load_theme(name)

    check_theme(theme)

    assert theme.name


def test_static_files_are_published_as_they_are(folder: Path) -> None:
    (folder / "static/fonts").mkdir()
    (folder / "static/fonts/a.woff2").write_bytes(b"\x00\xff")
    (folder / "static/.draft").write_text("hidden")
    (folder / "static/style.css~").write_text("a copy")

    theme = load_theme(folder)

    assert sorted(theme.static) == [
        "archive.css",
        "cover.png",
        "film.svg",
        "fonts/a.woff2",
        "icon.png",
        "icon.svg",
        "pick.css",
        "search.css",
        "sources.css",
    ]
    assert theme.sheets == ("style.css",)
    assert theme.static["fonts/a.woff2"] == b"\x00\xff"


@cases(
    "files, cover",
    case("none", [], None),
    case("PNG", ["cover.png"], "cover.png"),
    case("JPEG", ["cover.jpg"], "cover.jpg"),
    case("elsewhere, or another kind", ["art/cover.png", "cover.gif"], None),
)
def test_a_theme_may_bring_a_cover_for_podcasts(
    folder: Path, files: list[str], cover: str | None
) -> None:
    (folder / "static/cover.png").unlink()
    for name in files:
        (folder / "static" / name).parent.mkdir(exist_ok=True)
        (folder / "static" / name).write_bytes(b"")

    assert load_theme(folder).cover == cover


def test_the_cover_of_the_default_theme_is_as_directories_of_podcasts_want_it() -> None:
    image = load_theme("default").static["cover.png"]

    # PNG, third edition, 11.2.1: width, height, depth, and colour type 2 (no transparency).
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">4sIIBB", image[12:26]) == (b"IHDR", 1400, 1400, 8, 2)
    assert len(image) < 100_000


@pytest.mark.parametrize("changed", ["theme.toml", "templates/entry.html", "templates/style.css"])
def test_the_fingerprint_covers_every_file(folder: Path, changed: str) -> None:
    before = load_theme(folder).fingerprint
    file = folder / changed
    file.write_text(file.read_text() + "full_text = true\n")

    assert load_theme(folder).fingerprint != before


def test_the_fingerprint_does_not_depend_on_where_the_theme_is(folder: Path) -> None:
    assert load_theme(folder).fingerprint == load_theme("default").fingerprint


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError) as raised:
        load_theme("defualt", place=Place(file="config.yaml", line=2, column=8))

    assert str(raised.value) == (
        'config.yaml:2:8  there is no theme "defualt"; did you mean "default"?; the themes that '
        "come with Planet: classic, default, headlines; one of your own is named by its folder: "
        '"./defualt"'
    )


def test_a_folder_that_is_not_there_is_told_with_the_place_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        load_theme(tmp_path / "mine", place=Place(file="config.yaml", line=2, column=8))

    assert str(raised.value) == (
        f"config.yaml:2:8  there is no folder {tmp_path}/mine; "
        f"`planet init --theme {tmp_path}/mine` begins a theme there"
    )


@cases(
    "path, text, message",
    case("broken TOML", "theme.toml", b'name = "x', ":1  Unterminated string"),
    case(
        "unknown setting",
        "theme.toml",
        b'name = "x"\n\ncolour = 1\n',
        ':3  has no setting "colour"; it has name, description, version',
    ),
    case("number", "theme.toml", b'name = "x"\nversion = 1\n', ":2  version must be a text"),
    case("incomplete", "theme.toml", b'name = "x"\n', "  description is missing"),
    case("no theme.toml", "theme.toml", None, "  is missing"),
    case("no template", "templates/month.html", None, "  is missing"),
    case("other encoding", "templates/new.html", b"a\nb\xff", ":2  is not UTF-8"),
    case("page replaced", "static/index.html", b"", "  would replace a file of the site"),
    case("month replaced", "static/2026/x", b"", "  would replace a file"),
    case("tag replaced", "static/tag/x", b"", "  would replace a file"),
    case("list replaced", "static/lists/x", b"", "  would replace a file"),
    case("podcast replaced", "static/podcast/x", b"", "  would replace a file"),
    case("search replaced", "static/search/x", b"", "  would replace a file"),
    case("digest replaced", "static/digest/x", b"", "  would replace a file"),
    case("feed replaced", "static/feed.json", b"", "  would replace a file"),
    case("health replaced", "static/health.json", b"", "  would replace a file"),
)
def test_a_wrong_theme_is_refused(
    folder: Path, path: str, text: bytes | None, message: str
) -> None:
    file = folder / path
    if text is None:
        file.unlink()
    else:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text)

    with pytest.raises(ThemeError) as raised:
        load_theme(folder)

    assert str(raised.value).startswith(f"{file}{message}")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "theme.toml").mkdir()

    with pytest.raises(ThemeError, match=r"theme\.toml  cannot be read: Is a directory"):
        load_theme(tmp_path)


def test_a_theme_publishes_nothing_from_outside_its_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (folder / "static/secret").symlink_to(tmp_path / "secret")

    with pytest.raises(ThemeError, match="static/secret  is a link that leads out of the theme"):
        load_theme(folder)


MISTAKES = [
    pytest.param("front", "\n{{ sote.title }}", ":2  'sote' is undefined", True, id="variable"),
    pytest.param(
        "entry",
        "\n\n{{ post.titel }}",
        ":3  'Post' has no attribute 'titel'",
        True,
        id="field, in a part",
    ),
    pytest.param("days", "{% if %}", ":1  Expected an expression", True, id="syntax"),
    pytest.param("front", "\n{{ 1|nope }}", ":2  No filter named 'nope'", True, id="filter"),
    pytest.param(
        "front", "{% include 'x.html' %}", ":1  the template 'x.html' is not there", True, id="part"
    ),
    pytest.param(
        "front",
        "{% include page.kind %}",
        ":1  the template 'front' is not there",
        False,
        id="part by variable",
    ),
    pytest.param("front", "\n{{ 1 / 0 }}", ":2  division by zero", False, id="arithmetic"),
    pytest.param(
        "front",
        "{{ ''.__class__ }}",
        ":1  access to attribute '__class__' of 'str' object is unsafe",
        True,
        id="out of the sandbox",
    ),
    pytest.param(
        "front",
        "{{ site.__class__ }}",
        ":1  access to attribute '__class__' of 'SiteView' object is unsafe",
        True,
        id="out of our own nouns",
    ),
    pytest.param(
        "front",
        "{% include '../theme.toml' %}",
        ":1  the template '../theme.toml' is not there",
        True,
        id="out of the folder",
    ),
]


@pytest.mark.parametrize(("template", "text", "message", "found_early"), MISTAKES)
def test_a_mistake_in_a_template_is_told_with_file_and_line(
    folder: Path, template: str, text: str, message: str, found_early: bool
) -> None:
    file = folder / "templates" / f"{template}.html"
    file.write_text(text)

    with pytest.raises(ThemeError) as raised:
        front(folder)
    with pytest.raises(ThemeError) if found_early else nullcontext() as early:
        check_theme(load_theme(folder))

    assert str(raised.value).startswith(f"{file}{message}")
    assert early is None or str(early.value).startswith(f"{file}{message}")


@cases(
    "template, text, message",
    case(
        "where it is rare",
        "enclosure.html",
        "{% if not enclosure.duration and enclosure.size %}\n{{ enclosure.nome }}{% endif %}",
        ":2  'Enclosure' has no attribute 'nome'",
    ),
    case(
        "on a page that few planets have",
        "digests.html",
        "{% for link in earlier %}{{ link.titel }}{% endfor %}",
        ":1  'DigestLink' has no attribute 'titel'",
    ),
    case("a word", "by.html", "\n{{ words.read_mor }}", ":2  'Words' has no attribute 'read_mor'"),
    case("a variable of a part", "when.html", "{{ whem }}", ":1  'whem' is undefined"),
    case("a style sheet", "style.css", "p { width: {{ 1 / 0 }}", ":1  division by zero"),
)
def test_a_name_that_is_mistyped_anywhere_is_found_without_a_post(
    folder: Path, template: str, text: str, message: str
) -> None:
    file = folder / "templates" / template
    file.write_text(text)

    with pytest.raises(ThemeError) as raised:
        check_theme(load_theme(folder))

    assert str(raised.value).startswith(f"{file}{message}")


@cases(
    "text",
    case("asked for first", "{{ site.subtitle is defined }}"),
    case("made of a value", "{{ words[page.title] }}"),
    case("set where values lead", "{% if page.image == 'x' %}{% set a = 1 %}{% endif %}{{ a }}"),
    case("of what is not there", "{{ site.owner.name }}"),
    case("what only values can say", "{{ 100 // (page.title | length - 11) }}"),
)
def test_what_samples_cannot_know_is_no_mistake(folder: Path, text: str) -> None:
    (folder / "templates/front.html").write_text(text)

    check_theme(load_theme(folder))


@pytest.mark.parametrize(
    "above",
    [
        "{% set said = 'ok' %}",
        "{% macro said() %}ok{% endmacro %}",
        "{% import 'say.html' as said %}",
        "{% from 'say.html' import said %}",
        "{% from 'say.html' import other as said %}",
    ],
)
def test_what_a_template_makes_above_its_blocks_is_no_mistake_in_them(
    folder: Path, above: str
) -> None:
    macros = "{% macro said() %}{% endmacro %}{% macro other() %}{% endmacro %}"
    (folder / "templates/say.html").write_text(macros)
    own = "{% extends 'base.html' %}" + above + "{% block main %}{{ said }}{% endblock %}"
    (folder / "templates/front.html").write_text(own)

    check_theme(load_theme(folder))

    assert front(folder)


def test_a_part_that_may_be_missing_is_no_mistake(folder: Path) -> None:
    (folder / "templates/front.html").write_text("{% include 'x.html' ignore missing %}ok")

    check_theme(load_theme(folder))

    assert front(folder) == b"ok"
