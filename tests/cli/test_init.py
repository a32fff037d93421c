"""`planet init`: what is written, what is left alone, and what is said."""

import json
import re
from datetime import timedelta
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from planet import __version__
from planet.cli import main
from tests.cases import case, cases
from tests.processes import files
from tests.whole.conftest import CHECKOUT, call, rss

COMMIT = "ab" * 20
GIT = {"vcs": "git", "commit_id": COMMIT, "requested_revision": "main"}
REPOSITORY = {"url": "https://github.com/ada/planet", "vcs_info": GIT}
"""What pip notes about where Planet comes from."""
OURS = "planet-digest/planet"
WORKFLOW = ".github/workflows/publish.yml"
FILES = [".github/dependabot.yml", WORKFLOW, ".gitignore", "config.yaml"]
FORMS = [
    *(".github/ISSUE_TEMPLATE/add.yml", ".github/ISSUE_TEMPLATE/pick.yml"),
    *(".github/workflows/check.yml", ".github/workflows/form.yml"),
]
LEFT = """\
Four things are left to do:
1. Put the address that the site will have into config.yaml, as
   link: https://YOU.github.io/REPOSITORY/
2. Put your feeds into it, each with: planet add ADDRESS
3. Push this folder to a repository on GitHub, as its branch main.
4. There, under Settings > Pages, choose the source "GitHub Actions"; then, under Actions,
   run the workflow "Publish". From then on it runs by itself.
"""


def comes_from(origin: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have pip's note say that Planet was installed from there."""
    package = SimpleNamespace(version=__version__, read_text=lambda _: json.dumps(origin))
    monkeypatch.setattr(metadata, "distribution", lambda _: package)


@pytest.fixture
def folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The empty folder, where Planet comes from a fork."""
    comes_from(REPOSITORY, monkeypatch)
    return folder


def written(folder: Path) -> dict[str, str]:
    return {path: body.decode(errors="replace") for path, body in files(folder).items()}


@cases(
    "option, paths",
    case("what publishes", "--github-pages", FILES),
    case("forms as well", "--forms", sorted(FILES + FORMS)),
)
def test_all_it_takes_is_written_and_what_is_left_is_said(
    folder: Path, option: str, paths: list[str]
) -> None:
    code, out, _ = call("init", option)

    texts = written(folder)
    assert (code, sorted(texts)) == (0, paths)
    assert sorted(out.removesuffix(LEFT).splitlines()) == [f"{path} is written." for path in paths]
    assert out.endswith(LEFT)
    assert texts["config.yaml"].startswith("# yaml-language-server: $schema=https://")
    assert texts[".gitignore"] == "/state/\n/public/\n"
    assert yaml.safe_load(texts["config.yaml"])["feeds"] is None
    for path in paths:
        if "/workflows/" in path:
            called = re.findall("uses: (.*)", texts[path])
            assert called == [f"ada/planet/{path}@{COMMIT}"]


def test_the_template_of_a_repository_is_what_is_written_at_minutes_of_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def settled(texts: dict[str, str]) -> dict[str, str]:
        """The files without their minutes."""
        return {path: re.sub("(?m)^    - cron: .*\\n", "", text) for path, text in texts.items()}

    comes_from({}, monkeypatch)
    call("init", "--github-pages")
    published = re.compile(r"(?<=@)v[\d.]+$", re.MULTILINE)

    expected = {
        path: published.sub(f"v{__version__}", text)
        for path, text in settled(written(folder)).items()
    }
    template = settled(written(CHECKOUT / "template"))

    assert "Use this template" in template.pop("README.md")
    assert template == expected


@cases(
    "origin, expected",
    case("a fork", REPOSITORY, f"ada/planet@{COMMIT}"),
    case(
        "a release of a fork",
        {**REPOSITORY, "vcs_info": {**GIT, "requested_revision": "v1.2.3"}},
        f"ada/planet@{COMMIT} # v1.2.3",
    ),
    case("an index", {}, f"{OURS}@v{__version__}"),
    case("a folder", {"url": "file:///planet", "dir_info": {}}, f"{OURS}@v{__version__}"),
)
def test_planet_is_named_by_the_commit_that_it_comes_from_or_by_its_version(
    folder: Path, monkeypatch: pytest.MonkeyPatch, origin: object, expected: str
) -> None:
    comes_from(origin, monkeypatch)

    call("init", "--github-pages")

    repository, _, ref = expected.partition("@")
    assert f"    uses: {repository}/{WORKFLOW}@{ref}\n" in (folder / WORKFLOW).read_text()


def test_a_config_that_is_there_is_not_left_to_do(folder: Path) -> None:
    (folder / "config.yaml").write_text("title: Mine\n")

    out = call("init", "--github-pages").out

    assert "\nTwo things are left to do:\n1. Push this folder" in out
    assert (folder / "config.yaml").read_text() == "title: Mine\n"


@cases(
    "text, code",
    case("has feeds on lines of their own", "feeds:\n  # mine\n  - f.xml\n", 2),
    case("is JSON", '{"feeds": ["f.xml"]}', 2),
    case("has a list of them", "subscriptions: [f.opml]\n", 2),
    case("has none yet", "title: Mine\nfeeds:\n", 0),
)
def test_no_force_writes_over_a_config_that(folder: Path, text: str, code: int) -> None:
    (folder / "config.yaml").write_text(text)

    assert call("init", "--force").code == code
    assert ((folder / "config.yaml").read_text() == text) == (code == 2)


def test_a_build_and_a_check_tell_that_there_is_no_link(folder: Path) -> None:
    main(["init", "--github-pages"])
    (folder / "f.xml").write_bytes(rss("a"))
    with (folder / "config.yaml").open("a") as config:
        config.write("  - f.xml\n")
    words = 'there is no "link", and .github/workflows/publish.yml publishes the site: '

    check, build, again = call("check"), call("build"), call("build")

    assert (check.code, build.code) == (0, 0)
    assert f"config.yaml:6:1  {words}" in check.out
    # Also from a config that was not read anew.
    assert build.err.startswith(f"config.yaml: {words}")
    assert again.err.startswith(f"config.yaml: {words}")


def test_what_is_there_is_named_at_once_and_written_over_by_force_but_for_a_config(
    folder: Path,
) -> None:
    theirs = {WORKFLOW: "mine", ".github/dependabot.yml": "mine", "config.yaml": "title: Mine\n"}
    for path, text in theirs.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)

    code, _, err = call("init", "--github-pages")
    before = written(folder)
    forced = main(["init", "--github-pages", "--force"])

    assert (code, before, forced) == (2, theirs, 0)
    assert err == (
        "Error: there already; --force writes over:\n"
        "  .github/dependabot.yml\n"
        "  .github/workflows/publish.yml\n"
    )
    texts = written(folder)
    assert sorted(texts) == FILES
    assert texts["config.yaml"] == "title: Mine\n"
    assert "mine" not in (texts[WORKFLOW], texts[".github/dependabot.yml"])


@cases(
    "before, after",
    case("others", "*.tmp\n", "*.tmp\n/state/\n/public/\n"),
    case("one of them, without a line end", "/public/", "/public/\n/state/\n"),
)
def test_a_gitignore_with_lines_gets_what_it_lacks(folder: Path, before: str, after: str) -> None:
    (folder / ".gitignore").write_text(before)

    main(["init", "--github-pages"])

    assert (folder / ".gitignore").read_text() == after


def test_workflows_name_the_config_as_it_is_called(folder: Path) -> None:
    main(["init", "--github-pages", "blogs", "--config", "planet.yaml"])

    texts = written(folder / "blogs")
    assert "with: {config: planet.yaml" in texts[WORKFLOW]
    assert not [path for path, text in texts.items() if "config.yaml" in text]


@cases(
    "more, words",
    *(
        case(name, ["--config", name], "a workflow cannot name")
        for name in ("my config.yaml", "${{ github.token }}")
    ),
    case("a theme", ["--theme", "mine"], "--theme writes no config"),
    case("a folder in a repository", ["deep"], "GitHub reads workflows only at its top"),
)
def test_nothing_is_written_where_it_cannot_work(folder: Path, more: list[str], words: str) -> None:
    (folder / ".git").mkdir()
    (folder / "config.yaml").write_text("title: Mine\n")
    before = written(folder)

    code, _, err = call("init", "--github-pages", *more)

    assert (code, words in err) == (2, True)
    assert written(folder) == before


def runs_a_day(folder: Path) -> list[timedelta]:
    """When the written schedule starts runs, from midnight."""
    call("init", "--github-pages", str(folder))
    # "on" is a yes to YAML 1.1.
    schedule = yaml.safe_load((folder / WORKFLOW).read_text())[True]["schedule"]
    lines = [line["cron"].split() for line in schedule]
    assert all(every == ["*"] * 3 for _, _, *every in lines)
    return sorted(
        timedelta(hours=int(hour), minutes=int(minute))
        for minute, hours, *_ in lines
        for hour in hours.split(",")
    )


def test_runs_are_as_far_apart_by_night_as_by_day_and_begin_when_others_do_not(
    folder: Path,
) -> None:
    days = [runs_a_day(folder / str(number)) for number in range(40)]

    for runs in days:
        following = [*runs, runs[0] + timedelta(days=1)]
        assert {after - before for before, after in pairwise(following)} == {timedelta(minutes=72)}
    assert len({runs[0] for runs in days}) > 4


# A theme

THEME = ["static/own.css", "templates/base.html", "templates/front.html", "theme.toml"]


def with_theme(folder: Path, theme: object) -> None:
    (folder / "feed.xml").write_bytes(rss("a"))
    config = {"title": "A", "feeds": ["feed.xml"], "theme": theme}
    (folder / "config.yaml").write_text(json.dumps(config))


def test_a_theme_is_started_that_can_be_used_at_once(folder: Path) -> None:
    code, out, _ = call("init", "--theme", "mine")

    said = 'mine is written. Put "theme: ./mine" into config.yaml, then: planet serve\n'
    assert (code, out, [*files(folder / "mine")]) == (0, said, THEME)
    with_theme(folder, {"name": "./mine", "options": {"welcome": "Hello"}})
    assert (main(["check"]), main(["render"])) == (0, 0)
    front = (folder / "public/index.html").read_text()
    assert re.search(r'href="own\.[0-9a-f]{10}\.css"', front)
    assert '<p class="lead">Hello</p>' in front

    (folder / "mine/theme.toml").write_text("precious")
    code, _, err = call("init", "--theme", "mine")
    assert (code, (folder / "mine/theme.toml").read_text()) == (2, "precious")
    assert "mine/theme.toml" in err
    assert main(["init", "--theme", "mine", "--force"]) == 0
    assert (folder / "mine/theme.toml").read_text().startswith("name = ")


@cases(
    "more, code, words",
    case(
        "config below", ["mine", "--config", "deep/config.yaml"], 0, '"theme: ../mine" into deep/'
    ),
    case("theme below", ["looks/mine"], 0, 'Put "theme: looks/mine" into config.yaml'),
    case("a file in the way", ["file/mine"], 5, "file/mine/theme.toml cannot be written: Not a di"),
)
def test_a_theme_is_named_from_the_config_or_what_is_wrong_is_said(
    folder: Path, more: list[str], code: int, words: str
) -> None:
    (folder / "file").write_text("a file")

    done = call("init", "--theme", *more)

    assert (done.code, words in done.out + done.err) == (code, True)
