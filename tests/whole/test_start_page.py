"""docs/start.md, followed to the letter in a new folder, up to what needs GitHub itself."""

import re
from pathlib import Path

import pytest
import yaml

from tests.cli.installed import REPOSITORY, new_machine
from tests.docs import blocks, page, section
from tests.server import Server
from tests.whole.conftest import rss
from tests.whole.hosting import name_planet
from tests.whole.playing import GitHub, needs_tools

pytestmark = needs_tools
START, ACTIONS = page("start.md"), page("github-actions.md")
BLOG = "https://blog.example/"
REMOTE = "https://github.com/YOU/my-planet.git"


@pytest.fixture
def blog(server: Server) -> Server:
    server.feed("/", rss("one", "two"), etag='"1"')
    return server


def test_ten_minutes_lead_to_a_published_planet(
    tmp_path: Path, blog: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_machine(tmp_path, monkeypatch).install_planet(REPOSITORY)
    install, begin, add, look, push = blocks(START, "console")
    github = GitHub(tmp_path / "world")
    desk = tmp_path / "desk"
    home = desk / "my-planet"
    (desk / "venv/bin").mkdir(parents=True)
    (desk / "venv/bin/activate").write_text("# Where the page makes an environment of its own.\n")
    made, *installed = install.splitlines(keepends=True)
    assert made == "python3 -m venv venv\n"

    said = github.sh("".join(installed) + begin, desk)
    assert blocks(START, "text") == [said]

    config = home / "config.yaml"
    text = config.read_text(encoding="utf-8")
    assert "# link: " in text
    text = re.sub(r"(?m)^# link: .*$", "link: https://YOU.github.io/my-planet/", text)
    config.write_text(text, encoding="utf-8")
    github.sh(add.replace(BLOG, blog.url("/")), home)
    github.later(hours=2)
    github.sh(look, home)
    assert (home / "public/index.html").is_file()

    name_planet(home, github.planet)
    github.sh(f"git init --quiet --bare --initial-branch main {github.remote}")
    github.sh(push.replace(REMOTE, str(github.remote)), home)
    early = github.run("publish.yml")
    assert early["deploy"].result == "failure"
    assert "GitHub Pages is off" in early["deploy"].log
    github.api("pages", "workflow")
    jobs = github.run("publish.yml")

    assert [job.result for job in jobs.values()] == ["success"] * 3
    assert ">two<" in (github.site / "index.html").read_text(encoding="utf-8")
    tracked = github.sh(f"git -C {github.remote} ls-tree -r --name-only main").split()
    assert sorted(tracked) == sorted(re.findall(r"^(\S+) is written", said, re.MULTILINE))


def test_the_state_is_deleted_put_back_and_taken_along(tmp_path: Path, blog: Server) -> None:
    delete, back = blocks(section(ACTIONS, "Recovery"), "console")
    away, join = blocks(section(ACTIONS, "Moving away"), "console")
    github = GitHub(tmp_path / "world")
    home, clone = tmp_path / "home", tmp_path / "clone"
    github.sh(f"mkdir {home} && cd {home} && planet init --github-pages")
    name_planet(home, github.planet)
    settings = {"title": "A", "feeds": [blog.url("/")]}
    (home / "config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    github.push(home)
    github.run("publish.yml")
    commit = github.sh(f"git -C {github.remote} rev-parse feed-state").strip()
    github.later(hours=2)
    run = github.run("publish.yml")
    github.sh(f"git -C {github.remote} config uploadpack.allowAnySHA1InWant true")
    github.sh(f"git clone --quiet file://{github.remote} {clone}")

    github.sh(back.replace("COMMIT", commit), clone)

    assert commit in run["build"].log
    assert github.sh(f"git -C {github.remote} rev-parse feed-state").strip() == commit

    asked = len(blog.requests)
    github.now = github.now.replace(hour=12)
    github.sh(away, clone)

    assert len(blog.requests) == asked
    assert (clone / "public/index.html").is_file()

    state = clone / "state/planet.sqlite"
    whole = state.read_bytes()
    github.sh(f"sha256sum < {state} > {state}.sha256; split -b 9999 -d -a 3 {state} {state}.part")
    state.unlink()
    github.sh(join, clone)

    assert state.read_bytes() == whole
    assert list(state.parent.glob("planet.sqlite.*")) == []

    github.sh(delete, clone)

    assert github.sh(f"git -C {github.remote} branch --list feed-state") == ""


def test_the_readme_shows_a_planet_and_runs_the_tests_and_leads_here_for_the_rest() -> None:
    readme = page("../README.md")

    commands = "pip install . && planet demo\n", "pip install '.[test]' && pytest\n"
    assert tuple(blocks(readme, "console")) == commands
    assert "](docs/start.md)" in readme


def test_the_files_that_are_written_are_told_one_by_one() -> None:
    (said,) = blocks(START, "text")

    written = set(re.findall(r"^(\S+) is written", said, re.MULTILINE))

    table = ACTIONS[: ACTIONS.index("\n## ")]
    rows = "".join(re.findall(r"^\| (`.*?) \|", table, re.M))
    assert set(re.findall(r"`([\w./-]+)`", rows)) == written
