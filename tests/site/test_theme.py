"""Themes in layers: read from folders, refused with file and line, drawn in a sandbox."""

from pathlib import Path

import pytest

from planet.errors import ConfigError, Place, ThemeError
from planet.model import OptionValue, Owner, Pages
from planet.site.pages import Theme, load_theme, render
from planet.site.pages.check import check_theme
from tests.cases import case, cases
from tests.docs import EXAMPLE_THEMES
from tests.site.editions import Document, drawn, make_edition, make_post, make_source

SHIPPED = Path(__file__).parents[2] / "themes"
TOML = 'name = "Mine"\ndescription = "x"\nversion = "1"\n[options]\nflag = false\nword = "so"\n'
AT = Place(file="config.yaml", line=9, column=3)
RULES = """---
title: "Rules & more"
description: How we write
navigation: true
---
Be *kind*, see [the blogs](../sources/).

| a | b |
|---|---|
| 1 | 2 |

<p class="own">As it is: {{ page.title }}</p>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A theme of one's own that says its options, and has nothing else."""
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


@pytest.mark.parametrize(
    "name",
    [
        *sorted(file.parent.name for file in SHIPPED.glob("*/theme.toml")),
        *(pytest.param(folder, id=name) for name, folder in EXAMPLE_THEMES.items()),
    ],
)
def test_themes_of_planet_and_of_its_documentation_have_no_mistakes(name: str | Path) -> None:
    check_theme(load_theme(name))


def test_static_files_are_published_as_they_are(folder: Path) -> None:
    write(folder, {"static/fonts/a.woff2": "\x00", "static/.draft": "", "static/style.css~": ""})

    theme = load_theme(folder)

    assert theme.static["fonts/a.woff2"] == b"\x00"
    assert theme.static["icon.svg"] == load_theme("default").static["icon.svg"]
    assert not {".draft", "style.css~"} & theme.static.keys()
    assert theme.sheets == ("style.css",)


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
    "name, message",
    case(
        "unknown",
        "defualt",
        'there is no theme "defualt"; did you mean "default"?; the themes that come with Planet: '
        'classic, default, headlines, serif; one of your own is named by its folder: "./defualt"',
    ),
    case(
        "not there",
        Path("/none/mine"),
        "there is no folder /none/mine; `planet init --theme /none/mine` begins a theme there",
    ),
)
def test_a_theme_that_is_not_there_is_told_with_the_place_that_names_it(
    name: str | Path, message: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        load_theme(name, place=AT)

    assert str(raised.value) == f"config.yaml:9:3  {message}"


@cases(
    "path, text, message",
    case("broken TOML", "theme.toml", 'name = "x', ":1  Unterminated string"),
    case("unknown setting", "theme.toml", TOML + "\n[colour]\n", ':8  has no setting "colour"; it'),
    case("incomplete", "theme.toml", 'name = "x"\n', "  description is missing"),
    case("odd option", "theme.toml", TOML + "items = 1\n", ':7  an option cannot be called "ite'),
    case("page replaced", "static/index.html", "", "  would replace a file of the site"),
    case("page replaced by a template", "templates/about/x.css", "", "  would replace a file of"),
)
def test_a_wrong_theme_is_refused(folder: Path, path: str, text: str, message: str) -> None:
    write(folder, {path: text})

    with pytest.raises(ThemeError) as raised:
        load_theme(folder)

    assert str(raised.value).startswith(f"{folder / path}{message}")


def test_a_theme_publishes_nothing_from_outside_its_folder(folder: Path, tmp_path: Path) -> None:
    write(tmp_path, {"secret": "secret", "mine/static/a": ""})
    (folder / "static/secret").symlink_to(tmp_path / "secret")

    with pytest.raises(ThemeError, match="static/secret  is a link that leads out of the theme"):
        load_theme(folder)


OWN = "{{% extends '!theme/404.html' %}}\n{{% block main %}}{}{{% endblock %}}"


@cases(
    "path, text, message",
    case("variable", "404.html", OWN.format("{{ sote }}"), ":2  'sote' is undefined"),
    case("field, in a part", "entry.html", "\n\n{{ post.titel }}", ":3  'Post' has no attribute"),
    case("field, of a noun", "404.html", OWN.format("{{ page.kin }}"), ":2  'Page' has no attri"),
    case("option", "404.html", OWN.format("{{ options.x }}"), ":2  there is no 'x' here"),
    case("syntax", "404.html", "{% if %}", ":1  Expected an expression"),
    case("filter", "404.html", "\n{{ 1|nope }}", ":2  No filter named 'nope'"),
    case("of pages, in a sheet", "style.css", "a {\n{{ site }}", ":2  'site' is undefined"),
    case("part", "404.html", "{% include 'x.html' %}", ":1  the template 'x.html' is not there"),
    case(
        "not below",
        "404.html",
        "\n{% extends '!theme/none.html' %}",
        ":2  the template '!theme/none.html' is not there",
    ),
    case("itself", "404.html", "{% extends '404.html' %}", ":1  this template leads back to"),
    case(
        "out of the sandbox",
        "404.html",
        "{{ ''.__class__ }}",
        ":1  access to attribute '__class__' of 'str' object is unsafe",
    ),
    case(
        "behind our own nouns",
        "entry.html",
        "{{ post._post.source.url }}",
        ":1  access to attribute '_post' of 'Post' object is unsafe",
    ),
    case(
        "what a page is made of",
        "404.html",
        "{{ page.values }}",
        ":1  'Page' has no attribute 'values'",
    ),
    case(
        "out of the folder",
        "404.html",
        "{% include '../theme.toml' %}",
        ":1  the template '../theme.toml' is not there",
    ),
    case(
        "a block of no template",
        "front.html",
        "{% extends '!theme/front.html' %}\n{% block mian %}x{% endblock %}",
        ':2  no other template has a block "mian"; did you mean "main"?',
    ),
    case("of no page", "fornt.html", "x", '  no page is made with it; did you mean "front.html"?'),
)
def test_a_mistake_in_any_layer_is_told_with_file_and_line(
    folder: Path, site: Path, path: str, text: str, message: str
) -> None:
    for place in (folder, site):
        (folder / "templates" / path).unlink(missing_ok=True)
        write(place, {f"templates/{path}": text})

        with pytest.raises(ThemeError) as raised:
            check_theme(load_theme(folder, site=site))

        assert str(raised.value).startswith(f"{place / 'templates' / path}{message}")


@pytest.mark.parametrize("read", ["owner.url", "owner['url']", "owner | attr('url')"])
def test_no_template_can_show_an_address_that_is_none_of_the_web(folder: Path, read: str) -> None:
    write(folder, {"templates/404.html": f"{{% set owner = site.owner %}}{{{{ {read} }}}}"})
    edition = make_edition(owner=Owner(url="javascript:alert(1)"))

    assert drawn(edition, theme=load_theme(folder))["404.html"] == b"None"


@pytest.mark.parametrize("below", ["!theme", "!default"])
@pytest.mark.parametrize("how", ["extends", "include"])
def test_a_template_may_name_the_one_it_goes_before(folder: Path, below: str, how: str) -> None:
    before = page(load_theme(folder), "404.html")
    write(folder, {"templates/404.html": f"{{% {how} '{below}/404.html' %}}"})

    theme = load_theme(folder)

    check_theme(theme)
    assert page(theme, "404.html") == before


def test_what_a_site_has_of_its_own_goes_before_its_theme(folder: Path, site: Path) -> None:
    mine = "[theme {% include '!theme/404.html' %}]"
    write(folder, {"templates/404.html": mine, "templates/style.css": "a {}"})
    write(site, {"templates/404.html": "[site {% include '!theme/404.html' %}]"})
    write(site, {"static/style.css": "ours", "static/robots.txt": "Content-Signal: ai-train=no"})

    theme = load_theme(folder, site=site)

    check_theme(theme)
    drawn = page(theme, "404.html")
    assert drawn.startswith(b"[site [theme <!doctype html>")
    assert drawn.endswith(b"</html>]]")
    assert page(theme, "style.css") == b"ours"
    assert page(theme, "robots.txt") == b"Content-Signal: ai-train=no"


def test_slots_stand_in_the_head_before_the_page_and_in_the_footer(site: Path) -> None:
    head = '<link rel="me" href="https://a.example/">'
    write(site, {"slots/head.html": head, "slots/top.html": "<p>Top & {{ bottom }}</p>"})
    write(site, {"slots/end.html": "<p>End</p>"})

    body = page(load_theme("default", site=site)).decode()

    parts = [head, "</head>", "Top & {{ bottom }}", "<main", "</main>", "<p>End</p>", "</footer>"]
    places = [body.index(part) for part in parts]
    assert places == sorted(places)


def test_a_style_sheet_among_the_templates_is_drawn_with_the_options(folder: Path) -> None:
    own = "{% extends '!theme/style.css' %}{% block look %}h3 { color: red; }{% endblock %}"
    write(folder, {"templates/style.css": own})
    chosen: dict[str, OptionValue] = {
        "measure": 50,
        "size": 20,
        "serif": "'Charter'",
        "accent": "#0a7",
        "flag": True,
    }

    theme = load_theme(folder, options=chosen)

    style = page(theme, "style.css").decode()
    assert (theme.options["flag"], theme.options["word"]) == (True, "so")
    assert "--measure: calc(50 * var(--letter) * 1ch);\n  --size: 1.25rem;" in style
    assert "--serif: 'Charter';" in style
    light, dark = style.split("prefers-color-scheme: dark")
    assert "--accent: oklch(from #0a7 min(l, .48) c h);" in light
    assert "--accent: oklch(from #0a7 max(l, .75) c h);" in dark
    # Behind all of default but what holds on paper, so that it wins.
    assert dark.index("/* Other pages */") < dark.index("h3 { color: red; }")


@cases(
    "chosen, message",
    case("unknown", {"flug": True}, 'the theme "{}" has no option "flug"; its options: "meas'),
    case("text", {"flag": "yes"}, "theme.options.flag must be true or false"),
    case("number", {"word": 1}, "theme.options.word must be a text"),
)
def test_a_wrong_option_is_told_with_its_place_in_the_config(
    folder: Path, chosen: dict[str, OptionValue], message: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        load_theme(folder, place=AT, options=chosen)

    assert str(raised.value).startswith(f"config.yaml:9:3  {message.format(folder)}")


@pytest.mark.parametrize(("theme", "times"), [("default", 1), ("classic", 2)])
def test_faces_are_pictures_that_the_site_has(theme: str, times: int) -> None:
    given = make_source("one", face="faces/one.png", image="https://one.example/x")
    other = make_source("two", image="https://two.example/x.png")
    edition = make_edition(make_post(1, given), make_post(2, other))

    front = Document(drawn(edition, theme=load_theme(theme))["index.html"])

    assert [image["src"] for image in front.all("img")] == ["faces/one.png"] * times


def test_a_page_of_ones_own_stands_in_the_frame_and_in_the_navigation(site: Path) -> None:
    team = "---\ntitle: 2026\n---\n<p>Us &amp; <b>them</b></p>\n"
    write(site, {"pages/rules.md": RULES, "pages/team.html": team})

    made = drawn(make_edition(), theme=load_theme("default", site=site))

    page, front = Document(made["rules/index.html"]), Document(made["index.html"])
    assert page.texts("h1", "em", "td") == ["Rules & more", "kind", "1", "2"]
    assert b'<p class="own">As it is: {{ page.title }}</p>' in made["rules/index.html"]
    assert page.all("title")[0].text == "Rules & more · Planet Example"
    assert page.all("meta", name="description")[0]["content"] == "How we write"
    (own,) = [link for link in page.all("a") if link.attributes.get("aria-current") == "page"]
    assert (own.text, own["href"]) == ("Rules & more", "../rules/index.html")
    assert ("Rules & more", "rules/index.html") in [(a.text, a["href"]) for a in front.all("a")]
    assert b"<p>Us &amp; <b>them</b></p>" in made["team/index.html"]
    assert "team/index.html" not in [a["href"] for a in front.all("a")]


def test_of_pages_of_ones_own_those_after_four_links_are_in_the_footer(site: Path) -> None:
    write(site, {"pages/a.md": RULES, "pages/b.md": RULES.replace("Rules", "Guests")})

    page = Document(drawn(make_edition(), theme=load_theme("default", site=site))["index.html"])

    assert page.texts("nav") == ["Sources Archive Subscribe Rules & more"]
    assert [text.partition(" · ")[0] for text in page.texts("footer")] == ["Guests & more"]


def test_another_text_draws_its_own_page_alone_anew_and_another_title_all(site: Path) -> None:
    texts = (RULES, RULES.replace("kind", "calm"), RULES.replace("more", "less"))

    folders = (write(site, {"pages/rules.md": text}) for text in texts)
    sites = [drawn(make_edition(), theme=load_theme("default", site=each)) for each in folders]

    changed = [{path for path in made if made[path] != sites[0][path]} for made in sites[1:]]
    assert changed[0] == {"rules/index.html"}
    assert {path for path in sites[0] if path.endswith(".html")} <= changed[1]


@cases(
    "name, text, message",
    case("a picture", "team.png", "x", "1:1  is no page: "),
    case("a page of Planet's", "about.md", RULES, '1:1  Planet has a page "about/" of its own; '),
    case("no front matter", "a.md", "# Rules\n", '1:1  the page must begin with a line "---", '),
    case(
        "a mistyped setting",
        "a.md",
        "---\ntitel: Rules\ntitle: R\n---\n",
        '2:1  there is no setting "titel"; did you mean "title"?',
    ),
    case("no title", "a.md", "---\nnavigation: true\n---\n", '2:1  the file needs "title"'),
    case(
        "a navigation that is a number",
        "a.md",
        "---\ntitle: a\nnavigation: 3\n---\n",
        "3:13  navigation must be true or false",
    ),
)
def test_a_file_that_is_no_page_is_refused(site: Path, name: str, text: str, message: str) -> None:
    write(site, {f"pages/{name}": text})

    with pytest.raises(ConfigError) as raised:
        load_theme("default", site=site)

    (problem,) = raised.value.problems
    assert str(problem).startswith(f"{site}/pages/{name}:{message}")
