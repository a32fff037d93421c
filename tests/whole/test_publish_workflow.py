"""The workflow that publishes: that of this repository, which a planet calls, and a planet's own.

Each is played on this machine (`tests/whole/playing.py`): its steps in their order, against a
repository, a publisher and a GitHub Pages that are all here.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cases import case, cases
from tests.processes import files
from tests.server import Response, Server
from tests.whole.conftest import CHECKOUT, rss
from tests.whole.hosting import begin
from tests.whole.playing import GitHub, needs_tools
from tests.whole.runner import Job

pytestmark = needs_tools
WORKFLOW = "publish.yml"
of_both = pytest.mark.parametrize("kind", ["pages", "own"])
of_own = pytest.mark.parametrize("kind", ["own"])
"""For tests that change the workflow."""


class Planet:
    """Somebody's planet: a folder of their own, its repository, and a blog it reads."""

    def __init__(self, folder: Path, kind: str, publisher: Server) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.github = GitHub(folder / "world")
        self.github.api("pages", "workflow")
        self.config = self.home / "config.yaml"
        begin(self.home, kind, planet=self.github.planet)
        self.publisher = publisher

    def publish(self, *titles: str) -> None:
        """Let the blog have these posts, newest first."""
        self.publisher.feed("/blog.xml", rss(*titles), etag=json.dumps(" ".join(titles)))

    def push(self, text: str | None = None, more: dict[str, str] | None = None) -> None:
        """Push a config, and all that belongs to it."""
        settings = {
            **(more or {}),
            "title": "The Planet",
            "fetch": {"host_gap": "0s"},
            "feeds": [self.publisher.url("/blog.xml")],
        }
        self.config.write_text(text or json.dumps(settings), encoding="utf-8")
        self.github.push(self.home)

    def run(self, **how: Any) -> dict[str, Job]:
        return self.github.run(WORKFLOW, **how)

    def shown(self) -> list[str]:
        """The titles on the published front page that are posts of the blog."""
        front = (self.github.site / "index.html").read_text(encoding="utf-8")
        return [title for title in ("one", "two", "three") if f">{title}<" in front]

    def published(self, path: str) -> bytes:
        return (self.github.site / path).read_bytes()

    def statuses(self) -> int:
        return len(self.publisher.requests)

    @contextmanager
    def wrapped(self, script: str) -> Iterator[None]:
        """Have a script run in place of the command, which it can call as `$PLANET "$@"`."""
        command = self.github.folder / "bin" / "planet"
        real = command.rename(command.with_name("real-planet"))
        command.write_text(f"#!/bin/bash\nPLANET={real}\n{script}\n", encoding="utf-8")
        command.chmod(0o755)
        yield
        real.rename(command)

    def branch(self) -> tuple[str, set[str]] | None:
        """The commit at the end of feed-state and the files in it; None when there is none."""
        git = f"git -C {self.github.remote}"
        if not self.github.sh(f"{git} branch --list feed-state"):
            return None
        assert self.github.sh(f"{git} rev-list --count feed-state") == "1\n"
        files = self.github.sh(f"{git} ls-tree -r --name-only feed-state").split()
        return self.github.sh(f"{git} rev-parse feed-state").strip(), set(files)


@pytest.fixture
def kind() -> str:
    """Which workflow is played; the other one is the same but for names."""
    return "pages"


@pytest.fixture
def planet(tmp_path: Path, kind: str, server: Server) -> Planet:
    made = Planet(tmp_path, kind, server)
    made.publish("two", "one")
    made.push()
    return made


def read(workflow: Path) -> dict[str, Any]:
    """The jobs of a workflow."""
    jobs: dict[str, Any] = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    return jobs


def ended(jobs: dict[str, Job]) -> list[str]:
    """How each job ended: those that build, save the state, and deploy."""
    assert list(jobs) == ["build", "save-state", "deploy"]
    return [job.result for job in jobs.values()]


WELL = ["success", "success", "success"]
UNCHANGED = ["success", "success", "skipped"]
QUIET = ["success", "skipped", "skipped"]
STATE = {"planet.sqlite", "http.sqlite", "polling.json", "published-by"}


@of_both
def test_each_run_in_a_row_saves_and_publishes_what_is_new(planet: Planet) -> None:
    first = planet.run()

    assert ended(first) == WELL
    assert planet.shown() == ["one", "two"]
    site = files(planet.github.site)
    began, names = planet.branch() or ("", set())
    assert names == STATE
    assert "There is no branch feed-state" in first["build"].log
    assert "2 new" in first["build"].summary

    planet.github.later(minutes=10)
    asked = planet.statuses()
    early = planet.run()

    assert ended(early) == QUIET
    assert "Nothing in the state has changed." in early["build"].log
    assert (planet.branch(), planet.statuses()) == ((began, names), asked)

    planet.github.later(days=1)
    second = planet.run()

    assert ended(second) == UNCHANGED
    assert second["build"].outputs["deploy"] == "false"
    assert "site unchanged, so no file was made (2 entries)" in second["build"].log
    assert planet.statuses() == asked + 1
    assert planet.publisher.requests[-1].header("If-None-Match") == '"two one"'
    learned, names = planet.branch() or ("", set())
    assert (learned != began, names) == (True, STATE)

    planet.github.later(days=1)
    planet.publish("three", "two", "one")
    third = planet.run()

    assert ended(third) == WELL
    assert planet.shown() == ["one", "two", "three"]
    assert site.keys() <= files(planet.github.site).keys()


def test_a_planet_whose_state_is_gone_takes_its_dates_back_from_its_site(planet: Planet) -> None:
    planet.publisher.feed("/blog.xml", rss())
    planet.publisher.answer("/feed.json", lambda _: Response(body=planet.published("feed.json")))
    planet.push(more={"link": planet.publisher.url("/")})
    planet.run()
    planet.github.later(days=3)
    planet.publisher.feed("/blog.xml", rss("two", "one", dated=False))
    planet.run()
    before = json.loads(planet.published("feed.json"))["items"]
    planet.github.sh(f"git -C {planet.github.remote} branch --quiet -D feed-state")
    planet.github.later(days=1)

    jobs = planet.run()

    assert ended(jobs) == WELL
    assert planet.shown() == ["one", "two"]
    assert json.loads(planet.published("feed.json"))["items"] == before
    assert [item["date_published"][:10] for item in before] == ["2026-11-24"] * 2
    assert planet.branch() is not None


def test_nobody_is_asked_while_the_state_cannot_be_restored(planet: Planet) -> None:
    planet.run()
    before, asked = planet.branch(), planet.statuses()
    planet.github.later(days=1)

    def lose(workspace: Path) -> None:
        planet.github.sh("git remote set-url origin file:///nowhere", workspace)

    jobs = planet.run(between={"build": lose})

    assert ended(jobs) == ["failure", "skipped", "skipped"]
    assert jobs["build"].steps["Restore the state"] == "failure"
    assert "::error title=The state cannot be restored::" in jobs["build"].log
    assert (planet.branch(), planet.statuses()) == (before, asked)
    assert planet.shown() == ["one", "two"]


def test_a_broken_config_leaves_site_and_state_as_they_were(planet: Planet) -> None:
    planet.run()
    asked = planet.statuses()
    planet.github.later(days=1)
    planet.push(text="title: A\nfeds: []\n")

    jobs = planet.run()

    assert ended(jobs) == ["failure", "skipped", "skipped"]
    assert "did you mean" in jobs["build"].summary
    assert f"::error file={planet.config.name},line=2" in jobs["build"].log
    assert planet.statuses() == asked
    assert planet.shown() == ["one", "two"]
    planet.push()
    assert ended(planet.run()) == UNCHANGED


def test_what_was_asked_is_remembered_when_there_is_nothing_to_publish(planet: Planet) -> None:
    planet.run()
    planet.github.later(days=1)
    planet.publisher.script("/blog.xml", Response(status=500))

    jobs = planet.run()
    asked = planet.statuses()
    again = planet.run()

    assert ended(jobs) == ["failure", "success", "skipped"]
    assert "every feed failed; the site stays as it was" in jobs["build"].log
    assert ended(again) == QUIET
    assert planet.statuses() == asked
    assert planet.shown() == ["one", "two"]


def test_what_could_not_be_deployed_is_deployed_by_the_next_run(planet: Planet) -> None:
    planet.github.deploys = False
    failed = planet.run()
    planet.github.deploys = True

    again = planet.run()
    after = planet.run()

    assert [ended(failed), ended(again)] == [["success", "success", "failure"], WELL]
    assert "files written (2 entries)" in again["build"].log
    assert ended(after) == QUIET
    assert planet.shown() == ["one", "two"]
    assert planet.statuses() == 1


def test_what_is_on_the_branch_already_is_not_sent_again(planet: Planet) -> None:
    planet.run()
    hook = planet.github.remote / "hooks" / "pre-receive"
    names = planet.github.folder / "sent"
    hook.write_text(
        "#!/bin/sh\nread before after name\n"
        f'find "$GIT_QUARANTINE_PATH" -type f | wc -l > {names}\n'
    )
    hook.chmod(0o755)
    planet.github.later(days=1)

    jobs = planet.run()

    # A commit, its tree, planet.sqlite and polling.json; not http.sqlite and published-by.
    assert ended(jobs) == UNCHANGED
    assert names.read_text().strip() == "4"


def test_a_site_whose_build_was_cut_off_is_published_by_the_next_run(planet: Planet) -> None:
    planet.run()
    planet.github.later(days=1)
    planet.publish("three", "two", "one")
    with planet.wrapped('env --unset=GITHUB_OUTPUT "$PLANET" "$@"; exit 137'):
        cut_off = planet.run()

    again = planet.run()

    assert ended(cut_off) == ["failure", "success", "skipped"]
    assert ended(again) == WELL
    assert "files written (3 entries)" in again["build"].log
    assert planet.shown() == ["one", "two", "three"]


def test_that_pages_is_off_fails_one_run_and_the_site_comes_once_it_is_on(planet: Planet) -> None:
    planet.github.api("pages", None)

    first = planet.run()
    planet.github.api("pages", "legacy")  # from a branch, so that no workflow can deploy
    quiet = planet.run()
    planet.github.later(days=1)
    planet.publish("three", "two", "one")
    news = planet.run()
    planet.github.api("pages", "workflow")
    on = planet.run()
    after = planet.run()

    assert ended(first) == ["success", "success", "failure"]
    (error,) = [line for line in first["deploy"].log.splitlines() if line.startswith("::error")]
    assert "GitHub Pages is off" in error
    assert "/somebody/planet/settings/pages" in error
    assert first["deploy"].steps["Deploy"] == "skipped"
    assert [ended(quiet), ended(news)] == [QUIET, UNCHANGED]
    assert "::warning title=GitHub Pages is off::" in quiet["build"].log
    assert "so no file was made" in quiet["build"].log
    assert [ended(on), ended(after)] == [WELL, QUIET]
    assert planet.shown() == ["one", "two", "three"]


def test_a_site_is_published_by_hand_without_news_and_when_every_feed_failed(
    planet: Planet,
) -> None:
    planet.run()

    unchanged = planet.run(inputs={"force": "true"})
    planet.github.later(days=1)
    planet.publisher.script("/blog.xml", Response(status=500))
    failed = planet.run(inputs={"force": "true"})

    assert (ended(unchanged), ended(failed)) == (WELL, WELL)
    assert planet.shown() == ["one", "two"]


def test_what_another_run_has_saved_meanwhile_stays(planet: Planet) -> None:
    planet.run()
    planet.github.later(days=1)
    planet.publish("three", "two", "one")

    def meanwhile(_: Path) -> None:
        git = f"git -C {planet.github.remote}"
        other = f"$({git} commit-tree -m Other 'feed-state^{{tree}}')"
        planet.github.sh(f"{git} update-ref refs/heads/feed-state {other}")

    jobs = planet.run(between={"save-state": meanwhile})

    assert ended(jobs) == ["success", "failure", "skipped"]
    assert "::error title=The state is not saved::" in jobs["save-state"].log
    git = f"git -C {planet.github.remote}"
    assert planet.github.sh(f"{git} log -1 --format=%s feed-state") == "Other\n"


def test_a_small_state_wins_by_hand_only_and_an_empty_one_never(planet: Planet) -> None:
    planet.run()
    before = planet.branch()
    planet.github.later(days=1)

    def save(size: int, forced: str) -> str:
        def shrink(workspace: Path) -> None:
            (workspace / "state" / "planet.sqlite").write_bytes(b"." * size)

        return planet.run(between={"save-state": shrink}, inputs={"force": forced})[
            "save-state"
        ].result

    refused = [save(0, "true"), save(1, "")]
    kept = planet.branch()
    taken = save(1, "true")

    assert (refused, kept) == (["failure", "failure"], before)
    assert (taken, planet.branch() == before) == ("success", False)


@pytest.fixture
def in_parts(planet: Planet) -> Planet:
    """A planet whose state is too large for one file, because few bytes count as large."""
    workflow = planet.home / ".github/workflows" / WORKFLOW
    text = workflow.read_text(encoding="utf-8")
    assert '"45000000"' in text
    workflow.write_text(text.replace('"45000000"', '"8192"'), encoding="utf-8")
    planet.push()
    return planet


def parts_of(planet: Planet, name: str) -> list[str]:
    _, files = planet.branch() or ("", set())
    return sorted(file for file in files if file.startswith(name))


@of_own
def test_a_large_state_is_saved_in_parts_and_comes_back_whole(in_parts: Planet) -> None:
    saved: list[dict[str, bytes]] = []
    restored: list[dict[str, bytes]] = []

    def look(into: list[dict[str, bytes]]) -> Callable[[Path], None]:
        def looking(workspace: Path) -> None:
            files = (workspace / "state").glob("*")
            into.append({file.name: file.read_bytes() for file in files})

        return looking

    first = in_parts.run(between={"save-state": look(saved)})
    in_parts.github.later(days=1)
    script = 'touch state/another; echo changed=false >> "$GITHUB_OUTPUT"; exit 5'
    with in_parts.wrapped(script):
        broken = in_parts.run(between={"save-state": look(restored)})

    parts = parts_of(in_parts, "planet.sqlite")
    assert ended(first) == WELL
    assert parts[:3] == ["planet.sqlite.part000", "planet.sqlite.part001", "planet.sqlite.part002"]
    assert parts[-1] == "planet.sqlite.sha256"
    assert broken["build"].steps["Restore the state"] == "success"
    assert len(restored) == 1
    assert saved == [{name: body for name, body in restored[0].items() if name != "another"}]
    assert ended(in_parts.run()) == UNCHANGED


DAMAGES = {
    "a part is missing": "git rm -q --cached planet.sqlite.part001",
    "all parts are missing": "git rm -q --cached 'planet.sqlite.part*'",
    "the checksum is missing": "git rm -q --cached planet.sqlite.sha256",
    "a part is another": (
        "blob=$(git rev-parse :planet.sqlite.part000);"
        "git update-index --cacheinfo 100644,$blob,planet.sqlite.part001"
    ),
    "a part of the cache is missing": "git rm -q --cached http.sqlite.part001",
    "the checksum of the cache is missing": "git rm -q --cached http.sqlite.sha256",
}


@of_own
def test_a_state_that_is_not_whole_is_not_taken_for_one(in_parts: Planet) -> None:
    in_parts.run()
    whole, _ = in_parts.branch() or ("", set())
    index = in_parts.github.folder / "index"
    in_parts.github.later(days=1)
    for name, damage in DAMAGES.items():
        in_parts.github.sh(
            f"cd {in_parts.github.remote}; export GIT_INDEX_FILE={index};"
            f"git read-tree {whole}; {damage};"
            "git update-ref refs/heads/feed-state $(git commit-tree -m Damaged $(git write-tree))"
        )
        before, asked = in_parts.branch(), in_parts.statuses()

        jobs = in_parts.run()

        assert ended(jobs) == ["failure", "skipped", "skipped"], name
        assert "::error title=The state cannot be restored::" in jobs["build"].log, name
        assert (in_parts.branch(), in_parts.statuses()) == (before, asked), name


@of_own
def test_nothing_that_the_build_says_is_run(planet: Planet) -> None:
    workflow = planet.home / ".github/workflows" / WORKFLOW
    text = workflow.read_text(encoding="utf-8")
    said = "${{ steps.planet.outputs.size }}"
    assert said in text
    workflow.write_text(text.replace(said, '"a[$(touch $HOME/HACKED)]"'), encoding="utf-8")
    planet.push()

    jobs = planet.run()

    assert jobs["save-state"].result == "success"
    assert list(planet.github.folder.rglob("HACKED")) == []


@pytest.mark.parametrize("kind", ["secret"])
def test_a_secret_of_the_config_comes_from_the_settings_of_the_repository(planet: Planet) -> None:
    settings = {"title": "${MEMBERS_PASSWORD}", "feeds": [planet.publisher.url("/blog.xml")]}
    planet.push(text=json.dumps(settings))

    jobs = planet.run(event={"secrets.MEMBERS_PASSWORD": "an=open 100% secret"})

    assert ended(jobs) == WELL
    lines = [line for line in jobs["build"].log.splitlines() if "open" in line]
    assert lines == ["::add-mask::an=open 100%25 secret"]


@pytest.mark.parametrize("kind", ["secret"])
def test_a_secret_of_several_lines_is_refused_before_anybody_is_asked(planet: Planet) -> None:
    jobs = planet.run(event={"secrets.MEMBERS_PASSWORD": "one\ntwo"})

    assert ended(jobs) == ["failure", "skipped", "skipped"]
    assert "::error title=A secret is not a line NAME=value::" in jobs["build"].log
    assert planet.statuses() == 0


def installs(planet: Planet) -> list[str]:
    """What is installed by a run, with files and folders named from where the steps run."""
    planet.run()
    work = planet.github.folder / "work/planet"
    called = [" ".join([call.tool, *call.words]) for call in planet.github.calls]
    return [line.replace(f"{work}/", "") for line in called if line.startswith(("pip", "uv"))]


@pytest.mark.parametrize("kind", ["pages"])
def test_planet_is_installed_from_its_own_checkout_with_hashes(planet: Planet) -> None:
    cache = planet.github.folder / "work/temp/planet"

    assert installs(planet) == [
        f"pip install --quiet --require-hashes --target {cache}"
        " --requirement .planet/planet/starter/uv.txt",
        "uv pip install --quiet --require-hashes --requirement .planet/requirements.txt",
        "uv pip install --quiet --offline --no-deps --no-build-isolation .planet",
    ]


@of_own
@cases(
    "requirement, more",
    case("hashes", "planet-digest==0.1.0 --hash=sha256:ab", " --require-hashes"),
    case("a commit, which has none", "planet-digest @ git+https://a.example/@ab", ""),
)
def test_workflows_of_its_own_install_what_the_planet_pins(
    planet: Planet, requirement: str, more: str
) -> None:
    (planet.home / "requirements.txt").write_text(f"{requirement}\n", encoding="utf-8")
    planet.push()
    cache = planet.github.folder / "work/temp/planet"

    assert installs(planet) == [
        f"pip install --quiet --require-hashes --target {cache}"
        " --requirement .github/actions/planet/uv.txt",
        f"uv pip install --quiet{more} --requirement requirements.txt",
    ]


def test_each_job_may_do_what_it_needs_in_one_run_at_a_time_and_callers_grant_no_more(
    tmp_path: Path,
) -> None:
    jobs = read(CHECKOUT / ".github/workflows/publish.yml")
    written = {}
    for kind in ("pages", "own"):
        begin(tmp_path / kind, kind)
        text = (tmp_path / kind / ".github/workflows/publish.yml").read_text()
        written[kind] = yaml.safe_load(text)

    (caller,) = written["pages"]["jobs"].values()
    needed = {"contents": "write", "actions": "read", "pages": "write", "id-token": "write"}
    assert caller["permissions"] == needed
    for workflow in written.values():
        assert workflow["permissions"] == {}
        assert workflow["concurrency"] == {"group": "pages", "cancel-in-progress": False}
    assert {name: job["permissions"] for name, job in jobs.items()} == {
        "build": {"contents": "read", "actions": "read", "pages": "read"},
        "save-state": {"contents": "write"},
        "deploy": {"pages": "write", "id-token": "write"},
    }
