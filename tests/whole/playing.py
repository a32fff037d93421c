"""GitHub, as far as a workflow can tell: its steps run one after the other, as a runner runs them.

What is played: every `run:` with bash and the environment of a runner, the conditions and outputs
of steps and jobs, workflows that are called, and composite actions in the workspace. An action of
somebody else's is played by copying folders; one that is not known here is an error, and so is an
expression that names what is not declared. `pip` and `uv` install nothing, `gh` answers from a
table, and `planet` is the one under test, at a time that the test sets.

There are two repositories: somebody's planet, and Planet's own with what this checkout has of
its action and its workflows.
"""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
import yaml

from tests.whole import inside
from tests.whole.conftest import CHECKOUT, NOON
from tests.whole.runner import PLANET, REPOSITORY, Between, Job, Run

OF_PLANET = (".github", "action.yml", "requirements.txt", "planet/starter/uv.txt")
"""What the repository of Planet is played with."""
needs_tools = pytest.mark.skipif(
    not (CHECKOUT / ".github").is_dir()
    or not all(map(shutil.which, ("git", "bash", "tar", "base64"))),
    reason="played where the repository and these tools are",
)

TOOL = """\
import json, os, sys
words = sys.argv[2:]
said = None
for option, value in zip(words, words[1:]):
    if option in ("--body-file", "--data-binary", "--upload-file"):
        path = value.removeprefix("@")
        said = sys.stdin.read() if path == "-" else open(path, encoding="utf-8").read()
with open(os.environ["NOTES"], "a", encoding="utf-8") as notes:
    print(json.dumps({"tool": sys.argv[1], "words": words, "said": said}), file=notes)
if sys.argv[1] == "gh" and not os.environ.get("GH_TOKEN"):
    sys.exit("gh: To use GitHub CLI in a GitHub Actions workflow, set the GH_TOKEN.")
with open(os.environ["ANSWERS"], encoding="utf-8") as answers:
    answers = json.load(answers)
if sys.argv[1] == "curl":
    answer = answers.get(words[-1], "")
    failed = answer.startswith("curl: ")
    if "--write-out" in words:
        print(answer.split()[-1] if failed else 200)
    if failed:
        print(answer, file=sys.stderr)
        sys.exit(int(answer.removeprefix("curl: (").partition(")")[0]))
    print(answer)
if sys.argv[1] == "gh" and words[0] == "api":
    answer = answers.get(words[1])
    if answer is None:
        print('{"message":"Not Found","status":"404"}')
        sys.exit("gh: Not Found (HTTP 404)")
    print(answer)
"""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call of a tool that only takes notes."""

    tool: str
    words: list[str]
    said: str | None


class GitHub:
    """A repository on GitHub, with runners, artifacts, a cache and Pages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.remote = self.address(REPOSITORY)
        self.now = NOON
        self.answers: dict[str, str] = {}
        """What `gh api` says, by path, and `curl`, by address; without one, 404 and nothing.

        Where `curl` is to fail, it begins as its message does, with the exit code, and ends with
        the status of HTTP.
        """
        self.caches: dict[str, Path] = {}
        self.deploys = True
        """Whether GitHub Pages takes what it is given."""
        self.runs = 0
        self.branch = "main"
        for name in ("home", "bin", "github"):
            (folder / name).mkdir(parents=True)
        (folder / "home" / ".gitconfig").write_text("[user]\nname = A\nemail = a@a.example\n")
        (folder / "command.py").write_text(inside.COMMAND)
        (folder / "tool.py").write_text(TOOL)
        (folder / "answers.json").write_text("{}")
        self._command("planet", "command.py")
        for tool in ("curl", "gh", "pip", "uv", "npx"):
            self._command(tool, "tool.py", tool)
        self.planet = self._planet_commit()
        """The one commit of Planet's repository, always the same."""

    def _planet_commit(self) -> str:
        copy = self.folder / "planet"
        for name in OF_PLANET:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            if (CHECKOUT / name).is_dir():
                shutil.copytree(CHECKOUT / name, copy / name)
            elif (CHECKOUT / name).is_file():
                shutil.copyfile(CHECKOUT / name, copy / name)
        return self.sh(
            f"""
            export GIT_AUTHOR_DATE=2026-11-01T00:00:00Z GIT_COMMITTER_DATE=2026-11-01T00:00:00Z
            git init --quiet
            git add --all
            git commit --quiet --allow-empty --message Planet
            git clone --quiet --bare . {shlex.quote(str(self.address(PLANET)))}
            git rev-parse HEAD
            """,
            copy,
        ).strip()

    def address(self, repository: str) -> Path:
        """Where a repository lies."""
        return self.folder / "github" / repository

    def workflow(self, repository: str, commit: str, path: str) -> dict[str, Any]:
        """A workflow of a repository as it is in a commit."""
        text = self.sh(f"git -C {self.address(repository)} show {commit}:{path}")
        workflow: dict[Any, Any] = yaml.safe_load(text)
        # "on" is a yes to YAML 1.1, and a word to GitHub.
        workflow["on"] = workflow.pop(True)
        return workflow

    @property
    def site(self) -> Path:
        """What GitHub Pages shows."""
        return self.folder / "pages"

    def api(self, path: str, answer: str | None) -> None:
        """Have `gh api` say this of a path of the repository."""
        key = f"repos/{REPOSITORY}/{path}"
        if answer is None:
            self.answers.pop(key, None)
        else:
            self.answers[key] = answer

    def push(self, home: Path, branch: str = "main") -> None:
        """Make the repository of what is in a folder, or push what is new there to a branch."""
        self.sh(
            f"""
            if ! test -d {shlex.quote(str(self.remote))}; then
              git init --quiet --bare --initial-branch main {shlex.quote(str(self.remote))}
            fi
            test -d .git || git init --quiet --initial-branch main
            git add --all
            git commit --quiet --message Change
            git push --quiet {shlex.quote(str(self.remote))} HEAD:{branch}
            """,
            home,
        )

    def later(self, **passed: float) -> None:
        self.now += timedelta(**passed)

    def sh(self, script: str, folder: Path | None = None) -> str:
        """What a script of the test says; it has to end well."""
        words = ["bash", "-euo", "pipefail", "-c", script]
        done = inside.run(words, folder or self.folder, self._environ({}), now=self.now)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def calls(self) -> list[Call]:
        """What `curl`, `gh`, `pip`, `uv` and `npx` were called for, in order."""
        notes = self.folder / "notes.jsonl"
        lines = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
        return [Call(**json.loads(line)) for line in lines]

    def run(
        self,
        workflow: str,
        *,
        event: Mapping[str, str] | None = None,
        inputs: Mapping[str, str] | None = None,
        between: Mapping[str, Between] | None = None,
        branch: str = "main",
    ) -> dict[str, Job]:
        """Run a workflow of the repository; its jobs in their order."""
        self.runs += 1
        self.branch = branch
        read = self.workflow(REPOSITORY, branch, f".github/workflows/{workflow}")
        declared = (read["on"].get("workflow_dispatch") or {}).get("inputs", {})
        given = dict(inputs or {})
        assert given.keys() <= declared.keys()
        known = {**(event or {}), **{f"inputs.{name}": given.get(name, "") for name in declared}}
        jobs = Run(self, read, known=known, between=between or {}, artifacts={}).play()
        ended = {job.result for job in jobs.values()}
        self.api(f"actions/runs/{self.runs}", "failure" if "failure" in ended else "success")
        steps = [step for job in jobs.values() for step in job.steps.items()]
        failed = [name for name, end in steps if end == "failure"]
        self.api(f"actions/runs/{self.runs}/jobs", "\n".join(failed))
        return jobs

    def bash(
        self, script: str, folder: Path, options: list[str], environ: dict[str, str]
    ) -> CompletedProcess[str]:
        """A script of a step, as the runner runs it; what it says is all on its output."""
        (self.folder / "answers.json").write_text(json.dumps(self.answers), encoding="utf-8")
        path = self.folder / "step.sh"
        path.write_text(script, encoding="utf-8")
        words = ["bash", *options, str(path)]
        return inside.run(words, folder, self._environ(environ), now=self.now, together=True)

    def _environ(self, more: Mapping[str, str]) -> dict[str, str]:
        # Nothing of the repository, the runner and the person that these tests are run in and by.
        strange = ("GIT_", "GITHUB_", "RUNNER_", "PLANET_", "PYTEST_", "COV_", "XDG_")
        kept = {name: said for name, said in os.environ.items() if not name.startswith(strange)}
        return {
            **kept,
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.folder / "home"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": str(self.folder),
            "NOTES": str(self.folder / "notes.jsonl"),
            "ANSWERS": str(self.folder / "answers.json"),
            **more,
        }

    def _command(self, name: str, *words: str) -> None:
        path = self.folder / "bin" / name
        # Without what is installed, which it takes long to look for.
        python = [sys.executable, "-I", "-S"]
        call = shlex.join([*python, str(self.folder / words[0]), *words[1:]])
        path.write_text(f'#!/bin/sh\nexec {call} "$@"\n')
        path.chmod(0o755)
