"""`planet init --github-pages`: what is written, what is left alone, and what is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

import planet
from planet.cli import main
from planet.cli.pages import files, minute_for, requirement

CHECKOUT = Path(__file__).parents[2]
FILES = [
    ".github/ISSUE_TEMPLATE/pick.yml",
    ".github/actions/planet/action.yml",
    ".github/dependabot.yml",
    ".github/workflows/check.yml",
    ".github/workflows/pick.yml",
    ".github/workflows/publish.yml",
    ".gitignore",
    "config.yaml",
    "requirements.txt",
]
LEFT = """\
Three things are left to do:
1. Put your feeds, and the address that the site will have (link), into config.yaml.
2. Push this folder to a repository on GitHub, as its branch main.
3. There, under Settings > Pages, choose the source "GitHub Actions"; then, under Actions,
   run the workflow "Publish". From then on it runs by itself.
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, with the commands called in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLANET_CONFIG", raising=False)
    return tmp_path


def written(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_all_it_takes_is_written_and_what_is_left_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--github-pages"]) == 0

    out = capsys.readouterr().out
    texts = written(folder)
    assert sorted(texts) == FILES
    assert sorted(out.removesuffix(LEFT).splitlines()) == [f"{path} is written." for path in FILES]
    assert out.endswith(LEFT)
    assert texts["config.yaml"].startswith("# yaml-language-server: $schema=https://")
    assert texts[".gitignore"] == "/state/\n/public/\n"
    assert main(["check"]) == 0


def test_a_list_of_feeds_begins_the_planet(folder: Path) -> None:
    (folder / "feeds.opml").write_text(
        "<opml version='2.0'><body><outline xmlUrl='https://a.example/feed'/></body></opml>"
    )

    assert main(["init", "--github-pages", "--opml", "feeds.opml"]) == 0

    config = yaml.safe_load((folder / "config.yaml").read_text())
    assert config["feeds"] == [{"url": "https://a.example/feed"}]


def test_what_is_in_the_way_is_named_at_once_and_nothing_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in ("requirements.txt", ".github/workflows/publish.yml"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("mine")
    before = written(folder)

    assert main(["init", "--github-pages"]) == 2

    assert capsys.readouterr().err == (
        "these are there already; --force writes over them:\n"
        "  requirements.txt\n"
        "  .github/workflows/publish.yml\n"
    )
    assert written(folder) == before


def test_what_is_in_the_way_is_written_over_when_asked_to(folder: Path) -> None:
    main(["init", "--github-pages"])
    before = written(folder)
    (folder / "requirements.txt").write_text("old")

    assert main(["init", "--github-pages", "--force"]) == 0

    assert written(folder) == before


@pytest.mark.parametrize("more", [[], ["--force"]], ids=["first", "again"])
def test_a_config_that_is_there_stays(folder: Path, more: list[str]) -> None:
    (folder / "config.yaml").write_text("title: Mine\n")

    assert main(["init", "--github-pages", *more]) == 0

    texts = written(folder)
    assert sorted(texts) == FILES
    assert texts["config.yaml"] == "title: Mine\n"


def test_a_config_that_is_there_is_in_the_way_of_a_list_of_feeds(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "config.yaml").write_text("title: Mine\n")
    (folder / "feeds.opml").write_text("<opml><body/></opml>")

    assert main(["init", "--github-pages", "--opml", "feeds.opml"]) == 2

    assert "config.yaml is there already" in capsys.readouterr().err
    assert sorted(written(folder)) == ["config.yaml", "feeds.opml"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("*.tmp\n", "*.tmp\n/state/\n/public/\n", id="others"),
        pytest.param("*.tmp", "*.tmp\n/state/\n/public/\n", id="no line end"),
        pytest.param("/public/\n", "/public/\n/state/\n", id="one of them"),
        pytest.param("/public/\n/state/\n", "/public/\n/state/\n", id="both"),
    ],
)
def test_a_gitignore_that_is_there_gets_what_it_lacks(
    folder: Path, before: str, after: str
) -> None:
    (folder / ".gitignore").write_text(before)

    main(["init", "--github-pages"])

    assert (folder / ".gitignore").read_text() == after


def test_workflows_name_the_config_as_it_is_called(folder: Path) -> None:
    main(["init", "--github-pages", "--config", "blogs/planet.yaml"])

    texts = written(folder / "blogs")
    assert "planet.yaml" in texts
    assert "PLANET_CONFIG: planet.yaml\n" in texts[".github/workflows/publish.yml"]
    assert not [path for path, text in texts.items() if "config.yaml" in text]


@pytest.mark.parametrize("name", ["my config.yaml", "a'b.yaml", "${{ github.token }}"])
def test_a_name_that_means_something_else_in_a_workflow_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main(["init", "--github-pages", "--config", name]) == 2

    assert "a workflow cannot name" in capsys.readouterr().err
    assert written(folder) == {}


def test_a_folder_inside_a_repository_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / ".git").mkdir()

    assert main(["init", "--github-pages", "--config", "deep/config.yaml"]) == 2

    assert "GitHub reads workflows only at its top" in capsys.readouterr().err
    assert not (folder / "deep").exists()
    assert main(["init", "--github-pages"]) == 0


def test_a_theme_and_workflows_are_two_things(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--theme", "mine", "--github-pages"]) == 2

    assert "so --github-pages cannot stand beside it" in capsys.readouterr().err
    assert written(folder) == {}


def test_planets_do_not_look_at_the_same_minute() -> None:
    minutes = [minute_for(Path(f"/home/{number}/planet")) for number in range(500)]

    assert minutes == [minute_for(Path(f"/home/{number}/planet")) for number in range(500)]
    assert set(minutes) == {minute for minute in range(60) if minute % 5}


def test_the_minute_stands_in_the_schedule() -> None:
    publish = files(config="config.yaml", minute=7)[".github/workflows/publish.yml"]

    # "on" is a yes to YAML 1.1.
    assert yaml.safe_load(publish)[True]["schedule"] == [{"cron": "7 * * * *"}]


GIT = {
    "url": "https://github.com/planet-digest/planet",
    "vcs_info": {"vcs": "git", "commit_id": "ab" * 20, "requested_revision": "main"},
}


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        pytest.param(None, f"planet-digest=={planet.__version__}", id="an index"),
        pytest.param(
            {"url": "file:///home/ada/planet", "dir_info": {}},
            f"planet-digest=={planet.__version__}",
            id="a folder",
        ),
        pytest.param(
            GIT,
            f"planet-digest @ git+https://github.com/planet-digest/planet@{'ab' * 20}",
            id="a repository",
        ),
    ],
)
def test_what_is_installed_there_is_what_wrote_it(origin: object, expected: str) -> None:
    assert requirement(json.dumps(origin) if origin else None) == expected


@pytest.mark.skipif(not (CHECKOUT / ".github").is_dir(), reason="needs the repository")
@pytest.mark.parametrize(
    "path",
    [
        ".github/ISSUE_TEMPLATE/pick.yml",
        ".github/actions/planet/action.yml",
        ".github/workflows/pick.yml",
        ".github/workflows/publish.yml",
    ],
)
def test_this_repository_uses_what_is_written(path: str) -> None:
    text = files(config="config.example.yaml", minute=41)[path]

    if path.startswith(".github/workflows/"):
        text = text.replace("--requirement=requirements.txt", ".")
        text = text.replace("- requirements.txt", "- planet/**")
    assert (CHECKOUT / path).read_text(encoding="utf-8") == text
