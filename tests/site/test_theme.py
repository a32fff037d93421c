"""Themes in layers: read from folders, refused with file and line, drawn in a sandbox."""

import shutil
from contextlib import nullcontext
from pathlib import Path

import pytest

from planet.errors import ConfigError, Place, ThemeError
from planet.model import OptionValue, Pages, ThemeOption
from planet.site.pages import Theme, check_theme, load_theme, render
from tests.cases import case, cases
from tests.docs import EXAMPLE_THEMES
from tests.site.editions import drawn, make_edition, make_post, make_source
from tests.site.html import Document

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


@pytest.mark.parametrize("changed", ["theme.toml", "templates/entry.html", "templates/style.css"])
def test_the_fingerprint_covers_every_file(folder: Path, changed: str) -> None:
    before = load_theme(folder).fingerprint
    file = folder / changed
    file.write_text(file.read_text() + "full_text = true\n")

    assert load_theme(folder).fingerprint != before


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
    case("incomplete", "theme.toml", b'name = "x"\n', "  description is missing"),
    case("no theme.toml", "theme.toml", None, "  is missing"),
    case("page replaced", "static/index.html", b"", "  would replace a file of the site"),
    case("feed replaced", "static/feed.json", b"", "  would replace a file"),
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
        "{{ ''.__class__ }}",
        ":1  access to attribute '__class__' of 'str' object is unsafe",
        True,
        id="out of the sandbox",
    ),
    pytest.param(
        "front",
        "{{ site.__class__ }}",
        ":1  access to attribute '__class__' of 'Site' object is unsafe",
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


TOML = 'name = "Mine"\ndescription = "x"\nversion = "1"\nextends = "default"\n'


@pytest.fixture
def thin(tmp_path: Path) -> Path:
    """A theme of one's own that only says what it extends."""
    return write(tmp_path / "mine", {"theme.toml": TOML})


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The folder of a config, with nothing beside it."""
    (tmp_path / "site").mkdir()
    return tmp_path / "site"


def write(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def page(theme: Theme, path: str = "index.html") -> bytes:
    edition = make_edition(make_post(1), title="Planet Example")
    made = render(edition, theme=theme, pages=Pages(), contents=lambda numbers: {})
    return next(file for file in made if file.path == path).make()


def choices(**changes: OptionValue) -> tuple[ThemeOption, ...]:
    return tuple(
        ThemeOption(name=name, value=value, place=Place(file="config.yaml", line=9, column=3))
        for name, value in changes.items()
    )


def test_templates_and_files_of_a_theme_go_before_those_it_extends(thin: Path) -> None:
    write(thin, {"templates/front.html": "mine", "static/style.css": "a{}", "static/b.css": "b"})

    theme = load_theme(thin)

    assert page(theme) == b"mine"
    assert (theme.static["style.css"], theme.static["b.css"]) == (b"a{}", b"b")
    assert theme.static["icon.svg"] == load_theme("default").static["icon.svg"]


@pytest.mark.parametrize("below", ["!theme", "!default"])
@pytest.mark.parametrize("how", ["extends", "include"])
@pytest.mark.parametrize("name", ["mine", "default"])
def test_a_template_may_name_the_one_it_goes_before(
    tmp_path: Path, name: str, below: str, how: str
) -> None:
    thin = write(tmp_path / name, {"theme.toml": TOML})
    write(thin, {"templates/404.html": f"{{% {how} '{below}/404.html' %}}"})

    theme = load_theme(thin)
    check_theme(theme)

    assert page(theme, "404.html") == page(load_theme("default"), "404.html")


def test_what_a_site_has_of_its_own_goes_before_its_theme(thin: Path, site: Path) -> None:
    mine = "[theme {% include '!theme/404.html' %}]"
    write(thin, {"templates/404.html": mine, "templates/style.css": "a {}"})
    write(site, {"templates/404.html": "[site {% include '!theme/404.html' %}]"})
    write(site, {"static/style.css": "ours", "static/robots.txt": "Content-Signal: ai-train=no"})

    theme = load_theme(thin, site=site)
    check_theme(theme)
    drawn = page(theme, "404.html")
    robots = page(theme, "robots.txt")

    assert drawn.startswith(b"[site [theme <!doctype html>")
    assert drawn.endswith(b"</html>]]")
    assert page(theme, "style.css") == b"ours"
    assert robots == b"Content-Signal: ai-train=no"


def test_slots_stand_in_the_head_before_the_page_and_in_the_footer(site: Path) -> None:
    write(
        site,
        {
            "slots/head.html": '<link rel="me" href="https://a.example/">',
            "slots/top.html": "<p>Top & {{ bottom }}</p>",
            "slots/end.html": "<p>End</p>",
        },
    )

    body = page(load_theme("default", site=site)).decode()

    parts = ['href="https://a.example/">', "</head>", "Top & {{ bottom }}", "<main", "</main>"]
    parts += ["<p>End</p>", "</footer>"]
    places = [body.index(part) for part in parts]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "path", ["templates/entry.html", "static/own.css", "slots/top.html", "slots/end.html"]
)
def test_what_a_site_has_of_its_own_is_in_the_fingerprint(site: Path, path: str) -> None:
    before = load_theme("default", site=site).fingerprint
    write(site, {path: "x"})
    one = load_theme("default", site=site).fingerprint
    write(site, {path: "y"})

    assert len({before, one, load_theme("default", site=site).fingerprint}) == 3


@cases(
    "path, text, message",
    case(
        "not below",
        "templates/404.html",
        "\n{% extends '!theme/none.html' %}",
        ":2  the template '!theme/none.html' is not there",
    ),
    case(
        "of itself",
        "templates/404.html",
        "{% extends '404.html' %}",
        ":1  this template leads back to itself; what lies below it is '!theme/…'",
    ),
    case(
        "variable",
        "templates/404.html",
        "{% extends '!theme/404.html' %}\n{% block main %}{{ sote.title }}{% endblock %}",
        ":2  'sote' is undefined",
    ),
    case(
        "option",
        "templates/base.html",
        "{% extends '!theme/base.html' %}\n{% block head %}{{ options.x }}{% endblock %}",
        ":2  there is no 'x' here",
    ),
    case(
        "of pages, in a style sheet",
        "templates/style.css",
        "a {\n color: {{ site.title }}; }",
        ":2  'site' is undefined",
    ),
    case("syntax", "templates/404.html", "{% if %}", ":1  Expected an expression"),
)
def test_a_mistake_in_any_layer_is_told_with_file_and_line(
    thin: Path, site: Path, path: str, text: str, message: str
) -> None:
    for place in (thin, site):
        (thin / path).unlink(missing_ok=True)
        write(place, {path: text})

        with pytest.raises(ThemeError) as raised:
            check_theme(load_theme(thin, site=site))

        assert str(raised.value).startswith(f"{place / path}{message}")


OF_ALL_THEMES = '"measure", "size", "accent", "serif", "pictures", "faces"'
OPTIONS = TOML + '[options]\nflag = false\nwidth = "narrow"\nsize = 3\nword = "so"\n'


def test_a_style_sheet_among_the_templates_is_drawn_with_the_options(thin: Path) -> None:
    own = "{% extends '!theme/style.css' %}{% block look %}h3 { color: red; }{% endblock %}"
    write(thin, {"templates/style.css": own})

    style = page(
        load_theme(thin, options=choices(measure=50, size=20, serif="'Charter'")), "style.css"
    )

    assert b"--measure: 42.5ch;" in style
    assert b"--size: 1.25rem;" in style
    assert b"--serif: 'Charter';" in style
    assert b"h3 { color: red; }" in style


@cases(
    "chosen, message",
    case(
        "unknown",
        {"flug": True},
        'the theme "{}" has no option "flug"; its options: '
        f'{OF_ALL_THEMES}, "flag", "width", "word"',
    ),
    case("text", {"flag": "yes"}, "theme.options.flag must be true or false"),
)
def test_a_wrong_option_is_told_with_its_place_in_the_config(
    thin: Path, chosen: dict[str, OptionValue], message: str
) -> None:
    write(thin, {"theme.toml": OPTIONS})

    with pytest.raises(ConfigError) as raised:
        load_theme(thin, options=choices(**chosen))

    assert str(raised.value) == f"config.yaml:9:3  {message.format(thin)}"


@pytest.mark.parametrize(("theme", "times"), [("default", 1), ("classic", 2)])
def test_faces_are_pictures_that_the_site_has(theme: str, times: int) -> None:
    given = make_source("one", face="faces/one.png", image="https://one.example/x")
    other = make_source("two", image="https://two.example/x.png")
    edition = make_edition(make_post(1, given), make_post(2, other))

    front = Document(drawn(edition, theme=load_theme(theme))["index.html"])

    assert [image["src"] for image in front.all("img")] == ["faces/one.png"] * times


RULES = """---
title: Rules & more
description: How we write
navigation: true
---
Be *kind*, see [the blogs](../sources/).

| a | b |
|---|---|
| 1 | 2 |

<p class="own">As it is: {{ page.title }}</p>
"""


def load(folder: Path, **files: str) -> Theme:
    """A theme with these files of `pages/`, whose names are written as `rules_md`."""
    (folder / "pages").mkdir()
    for name, text in files.items():
        (folder / "pages" / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return load_theme("default", site=folder)


def test_a_page_of_ones_own_stands_in_the_frame_and_in_the_navigation(tmp_path: Path) -> None:
    theme = load(
        tmp_path, rules_md=RULES, team_html="---\ntitle: 2026\n---\n<p>Us &amp; <b>them</b></p>\n"
    )

    site = drawn(make_edition(), theme=theme)

    page, front = Document(site["rules/index.html"]), Document(site["index.html"])
    assert page.texts("h1", "em", "td") == ["Rules & more", "kind", "1", "2"]
    assert b'<p class="own">As it is: {{ page.title }}</p>' in site["rules/index.html"]
    assert page.all("title")[0].text == "Rules & more · Planet Example"
    assert page.all("meta", name="description")[0]["content"] == "How we write"
    (own,) = [link for link in page.all("a") if link.attributes.get("aria-current") == "page"]
    assert (own.text, own["href"]) == ("Rules & more", "../rules/index.html")
    assert ("Rules & more", "rules/index.html") in [(a.text, a["href"]) for a in front.all("a")]
    assert b"<p>Us &amp; <b>them</b></p>" in site["team/index.html"]
    assert "team/index.html" not in [a["href"] for a in front.all("a")]


def test_another_text_draws_its_own_page_alone_anew_and_another_title_all(tmp_path: Path) -> None:
    before = load(tmp_path, rules_md=RULES)
    (tmp_path / "pages/rules.md").write_text(RULES.replace("kind", "calm"))
    text = load_theme("default", site=tmp_path)
    (tmp_path / "pages/rules.md").write_text(RULES.replace("more", "less"))
    title = load_theme("default", site=tmp_path)

    sites = [drawn(make_edition(), theme=theme) for theme in (before, text, title)]

    changed = [{path for path in site if site[path] != sites[0][path]} for site in sites[1:]]
    assert changed[0] == {"rules/index.html"}
    assert {path for path in sites[0] if path.endswith(".html")} <= changed[1]
    assert before.pages != text.pages


@cases(
    "name, text, message",
    case("a picture", "team.png", "x", "1:1  is no page: "),
    case("a page of Planet's", "about.md", RULES, '1:1  Planet has a page "about/" of its own; '),
    case(
        "no front matter", "rules.md", "# Rules\n", '1:1  the page must begin with a line "---", '
    ),
    case(
        "a mistyped setting",
        "rules.md",
        "---\ntitel: Rules\ntitle: R\n---\n",
        '2:1  a page has no setting "titel"; did you mean "title"?',
    ),
    case(
        "a navigation that is a number",
        "rules.md",
        "---\ntitle: a\nnavigation: 3\n---\n",
        "3:1  navigation must be true or false",
    ),
)
def test_a_file_that_is_no_page_is_refused(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / name).write_text(text, encoding="utf-8")

    with pytest.raises(ConfigError) as raised:
        load_theme("default", site=tmp_path)

    (problem,) = raised.value.problems
    assert str(problem).startswith(f"{tmp_path}/pages/{name}:{message}")
