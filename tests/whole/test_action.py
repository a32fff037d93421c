"""The action and the workflow that publishes: their shell steps, played over real repositories."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cases import case, cases
from tests.processes import files
from tests.server import Response, Server
from tests.whole.conftest import CHECKOUT, rss
from tests.whole.playing import GitHub, Job, needs_tools, read

pytestmark = needs_tools
ACTION = read("action.yml").get("runs", {}).get("steps", [])
JOBS = read(".github/workflows/publish.yml").get("jobs", {})
WELL = ("well", "well", "well")
UNCHANGED = ("well", "well", None)
QUIET = ("well", None, None)
STATE = {"planet.sqlite", "http.sqlite", "published-by"}


class Ended(NamedTuple):
    """How the jobs of a run ended; None where one was left out."""

    build: str | None
    save: str | None
    deploy: str | None


def _end(job: Job | None) -> str | None:
    if job is None:
        return None
    return "well" if job.well else "failed"


def step(name: str, steps: list[dict[str, object]] = ACTION) -> list[dict[str, object]]:
    return [each for each in steps if each.get("name") == name]


class Planet:
    """Somebody's planet: its repository, its site, and a blog it reads."""

    def __init__(self, folder: Path, publisher: Server) -> None:
        self.github = GitHub(folder)
        self.github.answer("pages", "workflow")
        self.publisher = publisher
        self.site = folder / "pages"
        self.runs = 0
        self.jobs: dict[str, Job] = {}
        self.publish("two", "one")
        self.push()

    def publish(self, *titles: str) -> None:
        """Let the blog have these posts, newest first."""
        self.publisher.feed("/blog.xml", rss(*titles), etag=json.dumps(" ".join(titles)))

    def push(self, text: str | None = None) -> None:
        settings = {
            "title": "The Planet",
            "link": self.publisher.url("/"),
            "fetch": {"host_gap": "0s"},
            "feeds": [self.publisher.url("/blog.xml")],
        }
        self.github.push({"config.yaml": text or json.dumps(settings)})

    def run(
        self,
        *,
        force: str = "false",
        retry: str = "",
        deploys: bool = True,
        built: Callable[[], object] | None = None,
    ) -> Ended:
        """A run of the workflow; `built` is called between its first two jobs."""
        self.runs += 1
        given = {"force": force, "retry": retry, "pages": "true", "secrets": ""}
        known = {f"inputs.{name}": value for name, value in given.items()}
        self.github.run_id = str(self.runs)
        self.github.checkout()
        work = self.github.work
        build = self.jobs["build"] = self.github.play(ACTION, known)
        saved = deployed = None
        state, site = self.github.folder / "state", self.github.folder / "built"
        for target, source in ((state, work / "state"), (site, work / "public")):
            shutil.rmtree(target, ignore_errors=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("lock"))
        if built is not None:
            built()
        if build.said("decide", "state_changed") != "false" and (state / "planet.sqlite").exists():
            saved = self.save(force=force, before=build.said("restore", "before"))
        if build.said("decide", "deploy") == "true" and saved and saved.well:
            deployed = self.jobs["deploy"] = Job(well=deploys)
            if deployed.well:
                shutil.rmtree(self.site, ignore_errors=True)
                shutil.copytree(site, self.site)
        jobs = [job for job in (build, saved, deployed) if job is not None]
        conclusion = "success" if all(job.well for job in jobs) else "failure"
        self.github.answer(f"actions/runs/{self.runs}", conclusion)
        return Ended(*map(_end, (build, saved, deployed)))

    def save(self, *, before: str, force: str = "false", largest: str = "45000000") -> Job:
        """The job that pushes the state, in a folder of its own."""
        size = self.jobs["build"].said("restore", "size")
        self.github.checkout()
        shutil.copytree(self.github.folder / "state", self.github.work / "state")
        (one,) = step("Save the state", JOBS["save-state"]["steps"])
        environ = {**one["env"], "LARGEST": largest}  # type: ignore[dict-item]
        job = self.jobs["save"] = self.github.play(
            [{**one, "env": environ}],
            {
                "needs.build.outputs.before": before,
                "needs.build.outputs.size": size,
                "inputs.force": force,
            },
        )
        return job

    def asked(self) -> int:
        return self.publisher.paths.count("/blog.xml")

    def shown(self) -> list[str]:
        """The titles on the published front page that are posts of the blog."""
        front = (self.site / "index.html").read_text(encoding="utf-8")
        return [title for title in ("one", "two", "three") if f">{title}<" in front]

    def branch(self) -> tuple[str, set[str]] | None:
        """The commit at the end of feed-state and the files in it; None when there is none."""
        git = f"git -C {self.github.remote}"
        if not self.github.sh(f"{git} branch --list feed-state"):
            return None
        assert self.github.sh(f"{git} rev-list --count feed-state") == "1\n"
        found = self.github.sh(f"{git} ls-tree -r --name-only feed-state").split()
        return self.github.sh(f"{git} rev-parse feed-state").strip(), set(found)


@pytest.fixture
def planet(tmp_path: Path, server: Server) -> Planet:
    return Planet(tmp_path, server)


def test_the_template_publishes_once_a_feed_is_written_into_its_config(planet: Planet) -> None:
    template = {path: body.decode() for path, body in files(CHECKOUT / "template").items()}
    config = template["config.yaml"].replace(
        "  # - https://blog.example/feed.xml", f"  - {planet.publisher.url('/blog.xml')}"
    )

    planet.github.push({**template, "config.yaml": config})

    assert (planet.run(), planet.shown()) == (WELL, ["one", "two"])


def test_each_run_in_a_row_saves_and_publishes_what_is_new(planet: Planet, server: Server) -> None:
    first = planet.run()

    assert (first, planet.shown()) == (WELL, ["one", "two"])
    assert "There is no branch feed-state" in planet.jobs["build"].log
    assert "2 new" in planet.jobs["build"].summary
    began, names = planet.branch() or ("", set())
    assert names == STATE
    site = files(planet.site)

    planet.github.later(minutes=10)
    early = planet.run()

    assert early == QUIET
    assert "Nothing in the state has changed." in planet.jobs["build"].log
    assert ((planet.branch() or [""])[0], planet.asked()) == (began, 1)

    planet.github.later(days=1)
    second = planet.run()

    assert second == UNCHANGED
    assert "site unchanged" in planet.jobs["build"].log
    assert server.requests[-1].header("If-None-Match") == '"two one"'
    assert (planet.branch() or [""])[0] != began

    planet.github.later(days=1)
    planet.publish("three", "two", "one")
    third = planet.run()

    assert (third, planet.shown()) == (WELL, ["one", "two", "three"])
    assert site.keys() <= files(planet.site).keys()

    dates = {item["id"]: item["date_published"] for item in _items(planet)}
    planet.github.sh(f"git -C {planet.github.remote} branch --quiet -D feed-state")
    server.answer("/feed.json", lambda _: Response(body=(planet.site / "feed.json").read_bytes()))
    planet.github.later(days=1)
    lost = planet.run()

    assert (lost, planet.shown()) == (WELL, ["one", "two", "three"])
    assert {item["id"]: item["date_published"] for item in _items(planet)} == dates
    assert planet.branch() is not None


def _items(planet: Planet) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads((planet.site / "feed.json").read_bytes())["items"]
    return found


def test_what_went_wrong_leaves_site_and_branch_as_they_were(
    planet: Planet, server: Server
) -> None:
    planet.run()
    before, asked = planet.branch(), planet.asked()

    # A mistake in the config.
    planet.github.later(days=1)
    planet.push("title: A\nfeds: []\n")
    assert planet.run() == ("failed", None, None)
    assert "did you mean" in planet.jobs["build"].summary
    assert "::error file=config.yaml,line=2" in planet.jobs["build"].log
    assert planet.asked() == asked

    # A branch that cannot be fetched.
    planet.push()
    git = f"git -C {planet.github.remote}"
    planet.github.checkout()
    planet.github.sh(f"git -C {planet.github.work} remote set-url origin file:///nowhere")
    restored = planet.github.play(step("Restore the state"), {})
    assert (restored.well, (planet.github.work / "state").exists()) == (False, False)
    assert "::error title=The state cannot be restored::" in restored.log

    # A branch with a state that is damaged.
    damaged = planet.github.folder / "state" / "planet.sqlite"
    whole = damaged.read_bytes()
    damaged.write_bytes(b"damaged" * 9999)
    assert planet.save(before=before[0] if before else "", force="true").well
    assert planet.run() == ("failed", None, None)
    assert "delete the branch, and the next run begins" in planet.jobs["build"].log
    assert planet.asked() == asked
    damaged.write_bytes(whole)
    assert planet.save(before=(planet.branch() or [""])[0], force="true").well

    # Somebody else who writes the branch meanwhile.
    def elsewhere() -> None:
        other = f"$({git} commit-tree -m Other 'feed-state^{{tree}}')"
        planet.github.sh(f"{git} update-ref refs/heads/feed-state {other}")

    planet.publish("three", "two", "one")
    assert planet.run(built=elsewhere) == ("well", "failed", None)
    assert "::error title=The state is not saved::" in planet.jobs["save"].log
    assert planet.github.sh(f"{git} log -1 --format=%s feed-state") == "Other\n"
    assert (planet.shown(), before is None) == (["one", "two"], False)


BUILD = """\
#!/bin/bash
[[ $1 == build ]] || exit 0
changed=true
[[ "$*" != *--if-changed* || ! -s state/planet.sqlite ]] || changed=false
echo "changed=$changed" >> "$GITHUB_OUTPUT"
mkdir -p public && echo "<i>one</i>" > public/index.html
echo state > state/planet.sqlite
"""
"""A build of which only the end matters to the steps around it."""


def test_what_could_not_be_published_is_published_by_the_next_run(planet: Planet) -> None:
    (planet.github.folder / "bin" / "planet").write_text(BUILD)
    planet.github.answer("pages", None)
    first = planet.run()
    off = planet.jobs["build"].log
    quiet = planet.run()
    warned = planet.jobs["build"].log
    planet.github.answer("pages", "workflow")
    failed, again, after = planet.run(deploys=False), planet.run(), planet.run()
    forced = planet.run(force="true")

    assert (first, quiet) == (("failed", "well", None), QUIET)
    assert "::error title=GitHub Pages is off::" in off
    assert "/somebody/planet/settings/pages" in off
    assert "::warning title=GitHub Pages is off::" in warned
    assert [failed, again, after, forced] == [("well", "well", "failed"), WELL, QUIET, WELL]
    assert planet.shown() == ["one"]


def test_a_planet_is_looked_after_without_a_terminal(planet: Planet, server: Server) -> None:
    planet.run()
    server.script("/blog.xml", Response(status=410))
    planet.github.later(days=1)
    gone = planet.run()
    summary = planet.jobs["build"].summary
    planet.publish("three", "two", "one")
    planet.github.later(days=1)
    again = planet.run(retry="One")

    assert gone == ("failed", "well", None)
    table = summary.partition("#### planet status --failing\n\n")[2]
    assert "gone" in table
    assert all(line.startswith("    ") for line in table.splitlines() if line)
    assert (again, planet.shown()) == (WELL, ["one", "two", "three"])


DAMAGES = (
    "git rm -q --cached planet.sqlite.part001",
    "git rm -q --cached 'planet.sqlite.part*'",
    "git rm -q --cached planet.sqlite.sha256",
    "git rm -q --cached http.sqlite.part001",
)


def test_a_large_state_goes_in_parts_and_comes_back_whole_or_not_at_all(planet: Planet) -> None:
    state = planet.github.folder / "state"
    state.mkdir()
    whole = {name: bytes(range(256)) * 100 for name in ("planet.sqlite", "http.sqlite")}
    for name, body in whole.items():
        (state / name).write_bytes(body)
    planet.jobs["build"] = Job()
    assert planet.save(before="", largest="8192").well
    commit, names = planet.branch() or ("", set())
    assert {"planet.sqlite.part003", "planet.sqlite.sha256"} <= names
    assert "planet.sqlite" not in names

    planet.github.checkout()
    restored = planet.github.play(step("Restore the state"), {})
    assert restored.said("restore", "before") == commit
    assert restored.said("restore", "size") == "25600"
    assert files(planet.github.work / "state") == whole

    for damage in DAMAGES:
        planet.github.sh(
            f"cd {planet.github.remote}; export GIT_INDEX_FILE={planet.github.folder / 'index'};"
            f"git read-tree {commit}; {damage};"
            "git update-ref refs/heads/feed-state $(git commit-tree -m Damaged $(git write-tree))"
        )
        planet.github.checkout()
        job = planet.github.play(step("Restore the state"), {})
        assert (job.well, (planet.github.work / "state").exists()) == (False, False), damage
        assert "::error title=The state cannot be restored::" in job.log


@cases(
    "size, force, restored, saved",
    case("empty, by hand", 0, "true", "100", False),
    case("less than half", 1, "false", "100", False),
    case("less than half, by hand", 1, "true", "100", True),
    case("no size, but words to run", 1, "false", 'a[$(touch "$HOME/HACKED")]', True),
)
def test_a_small_state_wins_by_hand_only_and_an_empty_one_never(
    planet: Planet, size: int, force: str, restored: str, saved: bool
) -> None:
    state = planet.github.folder / "state"
    state.mkdir()
    (state / "planet.sqlite").write_bytes(b"." * size)
    planet.jobs["build"] = Job(outputs={"steps.restore.outputs.size": restored})

    assert planet.save(before="", force=force).well == saved
    assert (planet.branch() is not None) == saved
    assert list(planet.github.folder.rglob("HACKED")) == []


@cases(
    "secrets, well, log",
    case("lines", "A=an=open 100% secret", True, "::add-mask::an=open 100%25 secret\n"),
    case("something else", "A=one\ntwo", False, "::error title=A secret is not a line NAME=value"),
)
def test_secrets_are_hidden_before_anything_is_asked(
    planet: Planet, secrets: str, well: bool, log: str
) -> None:
    planet.push("title: ${A}\nfeeds: []\n")
    planet.github.checkout()

    known = {"inputs.force": "false", "inputs.retry": "", "inputs.secrets": secrets}
    job = planet.github.play(step("Build the site"), known)

    assert log in job.log
    assert (job.log.count("secret") == 1, planet.publisher.requests) == (True, [])
    assert ("config.yaml" in job.log) == well


def test_each_job_may_do_what_it_needs() -> None:
    assert {name: job["permissions"] for name, job in JOBS.items()} == {
        "build": {"contents": "read", "actions": "read", "pages": "read"},
        "save-state": {"contents": "write"},
        "deploy": {"pages": "write", "id-token": "write"},
    }
    # What opens the state of strangers' words cannot write, and what writes opens nothing.
    assert "./.planet" not in str(JOBS["save-state"]["steps"])
