"""The action, played: each `run:` of action.yml and publish.yml with bash, over real repositories.

Steps of others (checkout, artifacts, caches, Pages) are played by copying folders, `gh` answers
from files, and `planet` runs at a time that the test sets.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.processes import environ, files
from tests.server import Response, Server
from tests.whole.conftest import CHECKOUT, NOON, rss

pytestmark = pytest.mark.skipif(
    not (CHECKOUT / "action.yml").is_file() or not all(map(shutil.which, ("git", "bash", "tar"))),
    reason="played where the repository and these tools are",
)
PLANET: Final = """\
import os, pkgutil, sys
from datetime import datetime
from importlib import import_module
from planet import cli
from planet.cli import main, options
now, real = datetime.fromisoformat(os.environ["NOW"]), options.clock
for each in pkgutil.iter_modules(cli.__path__, "planet.cli."):
    module = import_module(each.name)
    if getattr(module, "clock", None) is real:
        module.clock = lambda: now
sys.exit(main(sys.argv[1:]))
"""
GH: Final = """\
#!/bin/bash
cat "$ANSWERS/${2//\\//_}" 2> /dev/null && exit
echo '{"message":"Not Found","status":"404"}'
echo "gh: Not Found (HTTP 404)" >&2
exit 1
"""


class Run:
    """One run of the workflow that publishes: its log, and the result of each job."""

    def __init__(self) -> None:
        self.log = ""
        self.jobs = {"build": "success", "save-state": "skipped", "deploy": "skipped"}

    @property
    def ended(self) -> list[str]:
        return list(self.jobs.values())


class GitHub:
    """Somebody's repository, what GitHub answers about it, and its Pages."""

    def __init__(self, folder: Path, publisher: Server) -> None:
        self.folder, self.publisher, self.now = folder, publisher, NOON
        self.remote, self.pages = folder / "ann/planet", folder / "pages"
        self.deploys, self.runs = True, 0
        self.known: dict[str, str] = {}
        """The values of expressions, by their words."""
        for name in ("bin", "answers", "home", "ann"):
            (folder / name).mkdir()
        (folder / "home/.gitconfig").write_text("[user]\nname = Ann\nemail = a@a.example\n")
        (folder / "planet.py").write_text(PLANET)
        call = f'#!/bin/sh\nexec {sys.executable} -P {folder}/planet.py "$@"\n'
        for name, script in (("planet", call), ("gh", GH)):
            (folder / "bin" / name).write_text(script)
            (folder / "bin" / name).chmod(0o755)
        self.sh(f"git init --quiet --bare --initial-branch main {self.remote}")
        self.answer("pages", "workflow")
        self.publish("two", "one")

    def answer(self, path: str, text: str | None) -> None:
        """Let `gh api` say this of a path of the repository; None is 404."""
        file = self.folder / "answers" / f"repos/ann/planet/{path}".replace("/", "_")
        file.unlink() if text is None else file.write_text(f"{text}\n")

    def publish(self, *titles: str, dated: bool = True) -> None:
        """Let the blog have these posts, newest first."""
        self.publisher.feed("/blog.xml", rss(*titles, dated=dated), etag=json.dumps(titles))

    def push(self, text: str | None = None, **settings: Any) -> None:
        """Push a config, by default one of a planet that reads the blog."""
        own = {"title": "The Planet", "fetch": {"host_gap": "0s"}}
        config = {**own, **settings, "feeds": [self.publisher.url("/blog.xml")]}
        (self.folder / "desk").mkdir(exist_ok=True)
        (self.folder / "desk/config.yaml").write_text(text or json.dumps(config))
        self.sh(
            f"git init --quiet --initial-branch main && git add --all && "
            f"git commit --quiet --message Change && git push --quiet {self.remote} main",
            self.folder / "desk",
        )

    def run(self, script: str = "true", *, meanwhile: str = "true", **inputs: str) -> Run:
        """Play a run; scripts run in its workspace before it, and between building and saving."""
        self.runs += 1
        space, temp = self.folder / "space", self.folder / "temp"
        for folder in (space, temp):
            shutil.rmtree(folder, ignore_errors=True)
        temp.mkdir()
        self.sh(f"git clone --quiet file://{self.remote} {space}")
        self.sh(script, space)
        action = yaml.safe_load((CHECKOUT / "action.yml").read_text())
        jobs = yaml.safe_load((CHECKOUT / ".github/workflows/publish.yml").read_text())["jobs"]
        given = {name: said.get("default", "") for name, said in action["inputs"].items()}
        self.known = {f"inputs.{name}": said for name, said in (given | inputs).items()}
        self.known["github.token"] = "token"
        run = Run()
        names = [step.get("name") for step in action["runs"]["steps"]]
        build = action["runs"]["steps"][names.index("Restore the state") :]
        run.jobs["build"] = self._play(build, space, temp, run)
        self.sh(meanwhile, space)
        outputs = {name: self._fill(said["value"]) for name, said in action["outputs"].items()}
        self.known |= {f"needs.build.outputs.{name}": said for name, said in outputs.items()}
        if outputs["state_changed"] != "false" and (space / "state/planet.sqlite").is_file():
            run.jobs["save-state"] = self._play(jobs["save-state"]["steps"], space, temp, run)
        if outputs["deploy"] == "true" and run.jobs["save-state"] != "failure":
            run.jobs["deploy"] = self._play(jobs["deploy"]["steps"], space, temp, run)
            if run.jobs["deploy"] == "success" and self.deploys:
                shutil.rmtree(self.pages, ignore_errors=True)
                shutil.copytree(space / "public", self.pages)
            elif not self.deploys:
                run.jobs["deploy"] = "failure"
        conclusion = "failure" if "failure" in run.ended else "success"
        self.answer(f"actions/runs/{self.runs}", conclusion)
        return run

    def _play(self, steps: list[dict[str, Any]], space: Path, temp: Path, run: Run) -> str:
        ended = "success"
        for step in steps:
            always = "always()" in str(step.get("if", ""))
            if "run" not in step or (ended == "failure" and not always):
                continue
            output, script = temp / f"output-{step.get('id')}", temp / "step.sh"
            output.touch()
            script.write_text(step["run"])
            env = {name: self._fill(str(said)) for name, said in step.get("env", {}).items()}
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
                cwd=space,
                env=self._environ(temp, GITHUB_OUTPUT=str(output), **env),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            run.log += done.stdout
            lines = output.read_text().splitlines()
            for name, _, said in (line.partition("=") for line in lines):
                self.known[f"steps.{step.get('id')}.outputs.{name}"] = said
            if done.returncode:
                ended = "failure"
        return ended

    def _fill(self, text: str) -> str:
        return re.sub(r"\$\{\{ (.+?) \}\}", lambda found: self.known.get(found[1], ""), text)

    def _environ(self, temp: Path, **more: str) -> dict[str, str]:
        strange = ("GIT_", "GITHUB_", "RUNNER_", "PLANET_", "COV_")
        kept = {name: said for name, said in environ().items() if not name.startswith(strange)}
        return kept | {
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.folder / "home"),
            "ANSWERS": str(self.folder / "answers"),
            "NOW": self.now.isoformat(),
            "GITHUB_ACTIONS": "true",
            "GITHUB_SERVER_URL": f"file://{self.folder}",
            "GITHUB_REPOSITORY": "ann/planet",
            "GITHUB_RUN_ID": str(self.runs),
            "GITHUB_WORKSPACE": str(self.folder / "space"),
            "GITHUB_STEP_SUMMARY": str(temp / "summary.md"),
            "RUNNER_TEMP": str(temp),
            **more,
        }

    def sh(self, script: str, folder: Path | None = None) -> str:
        """Return the output of a script; it has to end well."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=folder or self.folder,
            env=self._environ(self.folder),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def later(self, **passed: float) -> datetime:
        self.now += timedelta(**passed)
        return self.now

    def shown(self) -> list[str]:
        """The posts of the blog on the published front page."""
        front = (self.pages / "index.html").read_text(encoding="utf-8")
        return [title for title in ("one", "two", "three") if f">{title}<" in front]

    def items(self) -> Any:
        return json.loads((self.pages / "feed.json").read_text(encoding="utf-8"))["items"]

    def branch(self) -> str:
        """The commit at the end of feed-state, which has no other; empty when there is none."""
        git = f"git -C {self.remote}"
        if not self.sh(f"{git} branch --list feed-state"):
            return ""
        assert self.sh(f"{git} rev-list --count feed-state") == "1\n"
        return self.sh(f"{git} rev-parse feed-state").strip()

    def asked(self) -> list[str | None]:
        """The conditions of the requests for the blog."""
        requests = [one for one in self.publisher.requests if one.path == "/blog.xml"]
        return [one.header("If-None-Match") for one in requests]


WELL = ["success", "success", "success"]
UNCHANGED = ["success", "success", "skipped"]
QUIET = ["success", "skipped", "skipped"]
REFUSED = ["failure", "skipped", "skipped"]
UNSAVED = ["success", "failure", "skipped"]


@pytest.fixture
def github(tmp_path: Path, server: Server) -> GitHub:
    return GitHub(tmp_path, server)


def test_each_run_saves_and_publishes_what_is_new(github: GitHub) -> None:
    github.push()
    first = github.run()
    began, site = github.branch(), files(github.pages)

    assert (first.ended, github.shown()) == (WELL, ["one", "two"])
    assert "There is no branch feed-state" in first.log

    github.later(minutes=10)
    early = github.run()

    assert (early.ended, github.branch(), len(github.asked())) == (QUIET, began, 1)

    github.later(days=1)
    quiet = github.run()

    assert (quiet.ended, github.asked()[1:]) == (UNCHANGED, ['["two", "one"]'])
    assert "site unchanged" in quiet.log
    assert github.branch() != began

    github.later(days=1)
    github.publish("three", "two", "one")
    news = github.run()

    assert (news.ended, github.shown()) == (WELL, ["one", "two", "three"])
    assert site.keys() <= files(github.pages).keys()


def test_a_planet_whose_branch_is_lost_takes_its_dates_back_from_its_site(github: GitHub) -> None:
    github.publisher.answer(
        "/feed.json", lambda _: Response(body=(github.pages / "feed.json").read_bytes())
    )
    github.publish()
    github.push(link=github.publisher.url("/"))
    github.run()
    github.later(days=3)
    github.publish("two", "one", dated=False)
    github.run()
    before = github.items()
    github.sh(f"git -C {github.remote} branch --quiet -D feed-state")
    github.later(days=1)

    run = github.run()

    assert (run.ended, github.shown()) == (WELL, ["one", "two"])
    assert [item["date_published"][:10] for item in before] == ["2026-11-24"] * 2
    assert github.items() == before
    assert github.branch()


def test_nobody_is_asked_while_state_or_config_cannot_be_read(github: GitHub) -> None:
    github.push()
    github.run()
    before = github.branch()
    github.later(days=1)

    lost = github.run("git remote set-url origin file:///nowhere")
    github.push("title: A\nfeeds: []\n")
    broken = github.run()

    assert (lost.ended, broken.ended) == (REFUSED, REFUSED)
    assert "::error title=The state cannot be restored::" in lost.log
    assert "::error file=config.yaml,line=2" in broken.log
    assert (github.branch(), len(github.asked())) == (before, 1)
    assert github.shown() == ["one", "two"]


def test_a_run_without_a_trustworthy_site_saves_whom_it_asked(github: GitHub) -> None:
    github.push()
    github.run()
    github.later(days=1)
    github.publisher.script("/blog.xml", Response(status=500))

    failed, again = github.run(), github.run()
    forced = github.run(force="true")

    assert (failed.ended, again.ended) == (["failure", "success", "skipped"], QUIET)
    assert "every feed failed; the site stays as it was" in failed.log
    assert (forced.ended, github.shown(), len(github.asked())) == (WELL, ["one", "two"], 2)


def test_a_site_that_was_not_deployed_is_deployed_by_the_next_run(github: GitHub) -> None:
    github.push()
    github.answer("pages", None)
    off = github.run()
    github.answer("pages", "workflow")
    github.answer("actions/runs/1", "failure")
    github.deploys = False
    failed = github.run()
    github.deploys = True

    deployed, quiet = github.run(), github.run()

    assert "::error title=GitHub Pages is off::" in off.log
    assert [run.ended[2] for run in (off, failed)] == ["failure", "failure"]
    assert (deployed.ended, quiet.ended, github.shown()) == (WELL, QUIET, ["one", "two"])
    assert len(github.asked()) == 1


def test_a_state_that_is_older_or_smaller_than_the_saved_one_is_not_saved(github: GitHub) -> None:
    github.push()
    first = github.run(meanwhile=f"git -C {github.remote} branch feed-state main")
    elsewhere = github.sh(f"git -C {github.remote} rev-parse main feed-state").split()
    github.sh(f"git -C {github.remote} branch --quiet -D feed-state")
    github.run()
    whole = github.branch()
    wrapper = github.folder / "bin/planet"
    call = wrapper.read_text().replace("exec ", "").replace("#!/bin/sh\n", "")
    cut = "truncate --size 10K state/planet.sqlite"
    wrapper.write_text(f"#!/bin/sh\n{call}ended=$?\n{cut}\nexit $ended\n")
    github.later(days=1)
    halved = github.run()

    assert (first.ended, elsewhere[0]) == (UNSAVED, elsewhere[1])
    assert "somebody else has written it" in first.log
    assert (halved.ended[1], github.branch()) == ("failure", whole)
    assert "Half of the state is gone" in halved.log


def test_a_large_state_is_saved_in_parts_and_comes_back_whole_or_not_at_all(
    github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = yaml.safe_load

    def with_small_files(text: str) -> Any:
        return load(text.replace('"45000000"', '"20000"'))

    monkeypatch.setattr(yaml, "safe_load", with_small_files)
    github.push()
    github.run()
    saved = github.sh(f"git -C {github.remote} ls-tree --name-only feed-state").split()
    github.later(days=1)
    back = github.run()
    desk = github.folder / "damage"
    github.sh(f"git clone --quiet --branch feed-state file://{github.remote} {desk}")
    parts = sorted(desk.glob("planet.sqlite.part*"))
    parts[0].write_bytes(parts[0].read_bytes()[:-1])
    github.sh("git commit --quiet --all --amend --message x; git push --quiet --force", desk)
    github.later(days=1)

    damaged = github.run()

    assert len(parts) > 1
    assert {"planet.sqlite.sha256", "planet.sqlite.part000"} <= set(saved)
    assert (back.ended, len(github.asked())) == (UNCHANGED, 2)
    assert (damaged.ended, "is not whole" in damaged.log.replace("\n", " ")) == (REFUSED, True)


def test_secrets_reach_the_build_and_nothing_that_it_says_is_run(github: GitHub) -> None:
    blog = f"{github.publisher.url('/blog.xml')}?key=${{KEY}}"
    github.publisher.feed("/blog.xml", rss("one"))
    hostile = "$(touch pwned)`touch pwned`::set-output name=x::y"
    github.publisher.feed("/bad.xml", rss(hostile, name="$(touch pwned)"))
    settings = {"title": "A", "feeds": [blog, github.publisher.url("/bad.xml")]}
    github.push(json.dumps(settings))

    refused = github.run(secrets="-----BEGIN KEY-----\nabc")
    run = github.run(secrets="KEY=s3cret")

    assert refused.ended == REFUSED
    assert "A secret is not a line NAME=value" in refused.log
    assert run.ended == WELL
    assert "/blog.xml?key=s3cret" in [one.path for one in github.publisher.requests]
    assert "s3cret" not in run.log.replace("::add-mask::s3cret", "")
    assert not any(b"s3cret" in body for body in files(github.pages).values())
    assert list(github.folder.rglob("pwned")) == []


def test_each_job_may_do_what_it_needs_and_runs_one_at_a_time() -> None:
    text = (CHECKOUT / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    permissions = {name: job["permissions"] for name, job in workflow["jobs"].items()}

    assert workflow["permissions"] == {}
    assert permissions == {
        "build": {"contents": "read", "actions": "read", "pages": "read"},
        "save-state": {"contents": "write"},
        "deploy": {"pages": "write", "id-token": "write"},
    }
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert not any("${{" in step.get("run", "") for step in steps)
