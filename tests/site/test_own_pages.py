"""Pages of the operator's own: front matter and text → a page in the frame of the theme."""

from pathlib import Path

import pytest

from planet.errors import ConfigError
from planet.site.pages import Theme, load_theme
from tests.cases import case, cases
from tests.site.editions import drawn, make_edition
from tests.site.html import Document

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
    case("a name with blanks", "our rules.md", RULES, "1:1  is no page: "),
    case("a page of Planet's", "about.md", RULES, '1:1  Planet has a page "about/" of its own; '),
    case("a year", "2026.md", RULES, '1:1  Planet has a page "2026/" of its own; '),
    case(
        "no front matter", "rules.md", "# Rules\n", '1:1  the page must begin with a line "---", '
    ),
    case("an empty one", "rules.md", "---\n---\nText\n", "1:1  the page must begin with a line "),
    case("one without an end", "rules.md", "---\ntitle: Rules\n", '1:1  no second line "---" ends'),
    case(
        "a mistyped setting",
        "rules.md",
        "---\ntitel: Rules\ntitle: R\n---\n",
        '2:1  a page has no setting "titel"; did you mean "title"?',
    ),
    case("no title", "rules.md", "---\nnavigation: true\n---\n", "1:1  title is missing"),
    case(
        "two titles", "rules.md", "---\ntitle: a\ntitle: b\n---\n", '3:1  "title" stands here again'
    ),
    case(
        "a title that is a list", "rules.md", "---\ntitle: [a]\n---\n", "2:8  title must be a text"
    ),
    case(
        "a navigation that is a number",
        "rules.md",
        "---\ntitle: a\nnavigation: 3\n---\n",
        "3:13  navigation must be true or false",
    ),
    case("no YAML", "rules.md", '---\ntitle: "a\n---\n', "2:8  "),
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


def test_two_files_cannot_be_one_page_and_every_mistake_is_told(tmp_path: Path) -> None:
    files = {"rules_md": RULES, "rules_html": RULES, "tag_md": RULES}

    with pytest.raises(ConfigError) as raised:
        load(tmp_path, **files)

    told = [problem.message.partition(",")[0] for problem in raised.value.problems]
    assert told == [
        "there is rules.html",
        'Planet has a page "tag/" of its own; give the file another name',
    ]


def test_a_file_of_the_theme_is_replaced_by_no_page(tmp_path: Path) -> None:
    (tmp_path / "static/rules").mkdir(parents=True)
    (tmp_path / "static/rules/index.html").write_text("mine")

    with pytest.raises(ConfigError, match='Planet has a page "rules/" of its own'):
        load(tmp_path, rules_md=RULES)
