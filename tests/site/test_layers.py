"""A theme may build on another, and a site on its theme: what is not there is taken from below."""

import re
from pathlib import Path

import pytest

from planet.errors import ConfigError, Place, ThemeError
from planet.model import OptionValue, Pages, ThemeOption
from planet.site.pages import Theme, check_theme, load_theme, render
from tests.cases import case, cases
from tests.site.editions import drawn, make_edition, make_post, make_source
from tests.site.html import Document

TOML = 'name = "Mine"\ndescription = "x"\nversion = "1"\nextends = "default"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
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


def test_a_theme_or_site_with_nothing_of_its_own_looks_like_what_is_below(
    folder: Path, site: Path
) -> None:
    drawn = {page(load_theme(theme, site=site)) for theme in (folder, "default")}

    assert drawn == {page(load_theme("default"))}


def test_templates_and_files_of_a_theme_go_before_those_it_extends(folder: Path) -> None:
    write(folder, {"templates/front.html": "mine", "static/style.css": "a{}", "static/b.css": "b"})

    theme = load_theme(folder)

    assert page(theme) == b"mine"
    assert (theme.static["style.css"], theme.static["b.css"]) == (b"a{}", b"b")
    assert theme.static["icon.svg"] == load_theme("default").static["icon.svg"]


@pytest.mark.parametrize("below", ["!theme", "!default"])
@pytest.mark.parametrize("how", ["extends", "include"])
@pytest.mark.parametrize("name", ["mine", "default"])
def test_a_template_may_name_the_one_it_goes_before(
    tmp_path: Path, name: str, below: str, how: str
) -> None:
    folder = write(tmp_path / name, {"theme.toml": TOML})
    write(folder, {"templates/404.html": f"{{% {how} '{below}/404.html' %}}"})

    theme = load_theme(folder)
    check_theme(theme)

    assert page(theme, "404.html") == page(load_theme("default"), "404.html")


def test_a_template_below_includes_the_topmost_part(folder: Path) -> None:
    write(folder, {"templates/entry.html": "an entry"})

    assert b"an entry" in page(load_theme(folder))


def test_what_a_site_has_of_its_own_goes_before_its_theme(folder: Path, site: Path) -> None:
    mine = "[theme {% include '!theme/404.html' %}]"
    write(folder, {"templates/404.html": mine, "templates/style.css": "a {}"})
    write(site, {"templates/404.html": "[site {% include '!theme/404.html' %}]"})
    write(site, {"static/style.css": "ours", "static/robots.txt": "Content-Signal: ai-train=no"})

    theme = load_theme(folder, site=site)
    check_theme(theme)
    drawn = page(theme, "404.html")
    robots = page(theme, "robots.txt")

    assert drawn.startswith(b"[site [theme <!doctype html>")
    assert drawn.endswith(b"</html>]]")
    assert page(theme, "style.css") == b"ours"
    assert robots == b"Content-Signal: ai-train=no"


def test_parts_in_folders_and_macros_are_found_below_too(folder: Path, site: Path) -> None:
    write(
        folder, {"templates/parts/say.html": "{% macro twice(word) %}{{ word * 2 }}{% endmacro %}"}
    )
    write(
        site,
        {
            "templates/parts/say.html": "nothing",
            "templates/404.html": "{% from '!theme/parts/say.html' import twice %}"
            "{{ twice('no') }}",
        },
    )

    assert page(load_theme(folder, site=site), "404.html") == b"nono"


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


def test_a_slot_nobody_knows_is_refused(site: Path) -> None:
    write(site, {"slots/foot.html": "x"})

    with pytest.raises(ThemeError) as raised:
        load_theme("default", site=site)

    known = "head.html, top.html, end.html"
    assert str(raised.value) == f"{site}/slots/foot.html  is no slot; there are {known}"


def test_a_file_of_the_site_cannot_replace_a_page(site: Path) -> None:
    write(site, {"static/index.html": "x"})

    with pytest.raises(ThemeError, match=r"site/static/index\.html  would replace a file of the"):
        load_theme("default", site=site)


@pytest.mark.parametrize(
    "path", ["templates/entry.html", "static/own.css", "slots/top.html", "slots/end.html"]
)
def test_what_a_site_has_of_its_own_is_in_the_fingerprint(site: Path, path: str) -> None:
    before = load_theme("default", site=site).fingerprint
    write(site, {path: "x"})
    one = load_theme("default", site=site).fingerprint
    write(site, {path: "y"})

    assert len({before, one, load_theme("default", site=site).fingerprint}) == 3


def test_the_cover_of_a_theme_replaces_one_in_another_format(folder: Path) -> None:
    write(folder, {"static/cover.jpg": "jpeg"})

    theme = load_theme(folder)

    assert (theme.cover, "cover.png" in theme.static) == ("cover.jpg", False)


@cases(
    "path, text, message",
    case(
        "not below",
        "templates/404.html",
        "\n{% extends '!theme/none.html' %}",
        ":2  the template '!theme/none.html' is not there",
    ),
    case(
        "of a theme that is not extended",
        "templates/404.html",
        "{% extends '!classic/404.html' %}",
        ":1  the template '!classic/404.html' is not there",
    ),
    case(
        "of itself",
        "templates/404.html",
        "{% extends '404.html' %}",
        ":1  the template '404.html' is this one; the one below is '!theme/404.html'",
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
        ":2  the theme has no option 'x'",
    ),
    case(
        "of pages, in a style sheet",
        "templates/style.css",
        "a {\n color: {{ site.title }}; }",
        ":2  'site' is undefined",
    ),
    case("page of the site", "templates/about/x.css", "", "  would replace a file of the site"),
    case("syntax", "templates/404.html", "{% if %}", ":1  Expected an expression"),
)
def test_a_mistake_in_any_layer_is_told_with_file_and_line(
    folder: Path, site: Path, path: str, text: str, message: str
) -> None:
    for place in (folder, site):
        (folder / path).unlink(missing_ok=True)
        write(place, {path: text})

        with pytest.raises(ThemeError) as raised:
            check_theme(load_theme(folder, site=site))

        assert str(raised.value).startswith(f"{place / path}{message}")


def test_a_mistake_is_found_while_a_page_is_drawn_through_all_layers(
    folder: Path, site: Path
) -> None:
    write(folder, {"templates/entry.html": "{% extends '!theme/entry.html' %}"})
    own = "{% extends '!theme/entry.html' %}\n{% block meta %}\n{{ post.heding }}{% endblock %}"
    write(site, {"templates/entry.html": own})

    with pytest.raises(ThemeError) as raised:
        page(load_theme(folder, site=site))

    assert str(raised.value).startswith(f"{site}/templates/entry.html:3  ")
    assert str(raised.value).endswith(
        "  'Post' has no attribute 'heding'; did you mean \"heading\"?"
    )


@cases(
    "templates",
    case("extends itself", {"base.html": "{% extends 'base.html' %}"}),
    case("includes itself", {"base.html": "{% include 'base.html' %}"}),
    case(
        "goes round", {"base.html": "{% extends 'x.html' %}", "x.html": "{% extends 'base.html' %}"}
    ),
)
def test_a_template_that_leads_back_to_itself_is_told(
    folder: Path, site: Path, templates: dict[str, str]
) -> None:
    write(site, {f"templates/{name}": text for name, text in templates.items()})

    with pytest.raises(ThemeError) as raised:
        page(load_theme(folder, site=site))

    assert re.fullmatch(
        rf"{site}/templates/(base|x)\.html:1  this template leads back to itself; "
        r"what lies below it is '!theme/…'",
        str(raised.value),
    )


@cases(
    "name, meant",
    case("like no page", "zzz.html", ""),
    case("mistyped", "fornt.html", '; did you mean "front.html"?'),
    case("with another ending", "base.htm", '; did you mean "base.html"?'),
)
@pytest.mark.parametrize("of_the_site", [True, False], ids=["beside the config", "in the theme"])
def test_a_template_that_nothing_uses_is_found_by_a_check(
    folder: Path, site: Path, name: str, meant: str, of_the_site: bool
) -> None:
    place = site if of_the_site else folder
    write(place, {f"templates/{name}": "{% extends '!theme/front.html' %}"})

    with pytest.raises(ThemeError) as raised:
        check_theme(load_theme(folder, site=site))

    assert str(raised.value) == f"{place}/templates/{name}  no page is made with it{meant}"


@pytest.mark.parametrize(
    "use",
    [
        "{% include 'mine/x.html' %}",
        "{% include ['none.html', 'mine/x.html'] %}",
        "{% import 'mine/x.html' as x %}",
        "{% from 'mine/x.html' import x %}",
        "{% set name = 'mine/x.html' %}{% include name %}",
    ],
)
def test_a_template_that_another_uses_is_no_mistake(folder: Path, site: Path, use: str) -> None:
    own = "{% extends '!theme/front.html' %}{% block main %}" + use + "{% endblock %}"
    macro = "{% macro x() %}{% endmacro %}"
    write(site, {"templates/front.html": own, "templates/mine/x.html": macro})

    check_theme(load_theme(folder, site=site))


OF_ALL_THEMES = '"measure", "size", "accent", "serif", "pictures", "faces"'
OPTIONS = TOML + '[options]\nflag = false\nwidth = ["narrow", "wide"]\nsize = 3\nword = "so"\n'


def test_a_style_sheet_among_the_templates_is_drawn_with_the_options(folder: Path) -> None:
    own = "{% extends '!theme/style.css' %}{% block look %}h3 { color: red; }{% endblock %}"
    write(folder, {"templates/style.css": own})

    style = page(
        load_theme(folder, options=choices(measure=50, size=20, serif="'Charter'")), "style.css"
    )

    assert b"--measure: 42.5ch;" in style
    assert b"--size: 1.25rem;" in style
    assert b"--serif: 'Charter';" in style
    assert b"h3 { color: red; }" in style


def test_an_accent_is_light_on_dark_and_dark_on_light() -> None:
    style = page(load_theme("default", options=choices(accent="#0a7")), "style.css").decode()

    light, dark = style.split("prefers-color-scheme: dark")
    assert "--accent: oklch(from #0a7 min(l, .48) c h);" in light
    assert "--accent: oklch(from #0a7 max(l, .75) c h);" in dark


def test_options_are_what_was_chosen_or_the_default(folder: Path) -> None:
    write(
        folder,
        {"theme.toml": OPTIONS, "templates/404.html": "{{ options.flag }} {{ options.size }}"},
    )

    theme = load_theme(folder, options=choices(flag=True, width="wide", size=2.5))

    assert theme.options == {
        **load_theme("default").options,
        "flag": True,
        "width": "wide",
        "size": 2.5,
        "word": "so",
    }
    assert page(theme, "404.html") == b"True 2.5"


def test_a_theme_has_the_options_of_the_one_it_extends_with_defaults_of_its_own(
    folder: Path,
) -> None:
    toml = TOML.replace('"default"', '"classic"')
    write(folder, {"theme.toml": toml + "[options]\nfaces = true\n"})

    theme = load_theme(folder)

    assert (theme.options, theme.full_text) == (
        {**load_theme("classic").options, "faces": True},
        True,
    )


def test_full_text_may_be_turned_off_again(folder: Path) -> None:
    toml = TOML.replace('"default"', '"classic"')
    write(folder, {"theme.toml": toml + "full_text = false\n"})

    assert not load_theme(folder).full_text


@cases(
    "chosen, message",
    case(
        "unknown",
        {"flug": True},
        'the theme "{}" has no option "flug"; its options: '
        f'{OF_ALL_THEMES}, "flag", "width", "word"',
    ),
    case("text", {"flag": "yes"}, "theme.options.flag must be true or false"),
    case("number", {"flag": 1}, "theme.options.flag must be true or false"),
    case("choice", {"width": "wyde"}, 'theme.options.width must be one of "narrow", "wide"'),
    case("truth", {"size": True}, "theme.options.size must be a number"),
    case("digits", {"size": "3"}, "theme.options.size must be a number"),
    case("no text", {"word": 3}, "theme.options.word must be a text"),
)
def test_a_wrong_option_is_told_with_its_place_in_the_config(
    folder: Path, chosen: dict[str, OptionValue], message: str
) -> None:
    write(folder, {"theme.toml": OPTIONS})

    with pytest.raises(ConfigError) as raised:
        load_theme(folder, options=choices(**chosen))

    assert str(raised.value) == f"config.yaml:9:3  {message.format(folder)}"


def test_every_wrong_option_is_told_at_once() -> None:
    with pytest.raises(ConfigError) as raised:
        load_theme("headlines", options=choices(a=1, b=2))

    assert [problem.message for problem in raised.value.problems] == [
        f'the theme "headlines" has no option "{name}"; its options: {OF_ALL_THEMES}'
        for name in ("a", "b")
    ]


def test_the_options_are_in_the_fingerprint() -> None:
    chosen = load_theme("classic", options=choices(faces=True)).fingerprint

    assert chosen != load_theme("classic").fingerprint
    assert load_theme("classic", options=choices(faces=False)).fingerprint != chosen


@cases(
    "toml, message",
    case(
        "unknown theme",
        TOML.replace('"default"', '"deflaut"'),
        '  extends: there is no theme "deflaut"; did you mean "default"?; the ',
    ),
    case("number", TOML.replace('"default"', "1"), ":4  extends must be the name of a theme"),
    case("wish", TOML + "full_text = 1\n", ":5  full_text must be true or false"),
    case("no table", TOML + "options = 1\n", ":5  options must be a table"),
    case("odd name", TOML + "[options]\nA-b = 1\n", ':6  an option cannot be called "A-b"'),
    case("taken", TOML + "[options]\nitems = 1\n", ':6  an option cannot be called "items"'),
    case("date", TOML + "[options]\nday = 2026-11-22\n", ":6  the option day must be a text, "),
    case("no choice", TOML + "[options]\nof = []\n", ":6  the option of must be a"),
    case("mixture", TOML + "[options]\nof = ['a', 1]\n", ":6  the option of must be a text, "),
)
def test_a_wrong_theme_toml_is_told_with_its_line(folder: Path, toml: str, message: str) -> None:
    write(folder, {"theme.toml": toml})

    with pytest.raises(ThemeError) as raised:
        load_theme(folder)

    assert str(raised.value).startswith(f"{folder}/theme.toml{message}")


def test_a_theme_that_extends_none_needs_every_page(folder: Path) -> None:
    write(folder, {"theme.toml": TOML.replace('extends = "default"\n', "")})

    with pytest.raises(ThemeError, match=r"mine/templates/front\.html  is missing"):
        load_theme(folder)


@pytest.mark.parametrize(("theme", "times"), [("default", 1), ("classic", 2)])
def test_faces_are_pictures_that_the_site_has(theme: str, times: int) -> None:
    given = make_source("one", face="faces/one.png", image="https://one.example/x")
    other = make_source("two", image="https://two.example/x.png")
    edition = make_edition(make_post(1, given), make_post(2, other))

    front = Document(drawn(edition, theme=load_theme(theme))["index.html"])

    assert [image["src"] for image in front.all("img")] == ["faces/one.png"] * times
