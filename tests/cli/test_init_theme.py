"""`planet init --theme`, and how themes show up in the other commands."""

import json
import re
from pathlib import Path

from planet.cli import main
from tests.cases import case, cases
from tests.processes import files
from tests.whole.conftest import call, rss

FILES = ["static/own.css", "templates/base.html", "templates/front.html", "theme.toml"]


def with_theme(folder: Path, theme: object) -> None:
    (folder / "list.opml").write_text("<opml><body/></opml>")
    (folder / "feed.xml").write_bytes(rss("a"))
    config = {"title": "A", "feeds": ["feed.xml"], "theme": theme}
    (folder / "config.yaml").write_text(json.dumps(config))


def test_a_theme_is_started_that_can_be_used_at_once(folder: Path) -> None:
    code, out, _ = call("init", "--theme", "mine")

    assert code == 0

    said = 'mine is written. Put "theme: ./mine" into config.yaml, then: planet serve\n'
    assert out == said
    assert [*files(folder / "mine")] == FILES
    with_theme(folder, {"name": "./mine", "options": {"welcome": "Hello"}})
    assert main(["check"]) == 0
    assert main(["render"]) == 0
    front = (folder / "public/index.html").read_text()
    assert re.search(r'href="own\.[0-9a-f]{10}\.css"', front)
    assert '<p class="lead">Hello</p>' in front


@cases(
    "theme, config, named",
    case("config below", "mine", "deep/config.yaml", "../mine"),
    case("theme below", "looks/mine", "config.yaml", "looks/mine"),
)
def test_a_theme_is_named_from_the_folder_of_the_config(
    folder: Path, theme: str, config: str, named: str
) -> None:
    out = call("init", "--theme", theme, "--config", config).out

    assert f'Put "theme: {named}" into {config}' in out


def test_a_theme_that_is_there_is_left_alone(folder: Path) -> None:
    (folder / "mine/static").mkdir(parents=True)
    (folder / "mine/static/own.css").write_text("precious")

    code, _, err = call("init", "--theme", "mine")

    assert code == 2
    assert "mine/static/own.css is there already; --force writes over it" in err
    assert [*files(folder / "mine")] == ["static/own.css"]
    assert (folder / "mine/static/own.css").read_text() == "precious"


def test_a_theme_that_is_there_is_written_over_when_asked_to(folder: Path) -> None:
    main(["init", "--theme", "mine"])
    (folder / "mine/theme.toml").write_text("old")

    assert main(["init", "--theme", "mine", "--force"]) == 0

    assert (folder / "mine/theme.toml").read_text().startswith("name = ")


def test_a_folder_that_cannot_be_made_is_told(folder: Path) -> None:
    (folder / "looks").write_text("a file")

    code, _, err = call("init", "--theme", "looks/mine")

    assert code == 5
    assert "looks/mine/theme.toml cannot be written: Not a directory" in err


def test_the_files_beside_the_config_are_part_of_the_site(folder: Path) -> None:
    with_theme(folder, "headlines")
    for path, text in {
        "static/own.css": "a{}",
        "slots/head.html": "<link rel=stylesheet href=own.css>",
        "templates/404.html": "mine",
    }.items():
        (folder / path).parent.mkdir()
        (folder / path).write_text(text)

    main(["render"])

    assert (folder / "public/own.css").read_text() == "a{}"
    assert "<link rel=stylesheet href=own.css>" in (folder / "public/index.html").read_text()
    assert (folder / "public/404.html").read_text() == "mine"


def test_the_documentation_shows_what_is_said(folder: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/commands.md").read_text()

    out = call("init", "--theme", "my-theme").out

    assert f"$ planet init --theme my-theme\n{out}```" in page


def test_pages_of_ones_own_are_published_checked_and_renewed(folder: Path) -> None:
    with_theme(folder, "default")
    rules = folder / "pages/rules.md"
    rules.parent.mkdir()
    rules.write_text("---\ntitle: Rules\nnavigation: true\n---\nBe **kind**.\n")

    first, page = call("build"), folder / "public/rules/index.html"
    kind = page.read_text()
    rules.write_text("---\ntitle: Rules\n---\nBe **calm**.\n")
    second, calm = call("build", "--offline", "--if-changed"), page.read_text()
    rules.write_text("---\nnavigation: true\n---\nBe **calm**.\n")
    check, third = call("check"), call("build")
    rules.unlink()
    last = call("build")

    assert "<strong>kind</strong>" in kind
    assert '<a href="rules/index.html">Rules</a>' not in (folder / "public/index.html").read_text()
    assert "<strong>calm</strong>" in calm
    assert "pages/rules.md:1:1  title is missing" in check.err
    assert [done.code for done in (first, second, check, third, last)] == [0, 0, 2, 2, 0]
    assert not page.exists()
