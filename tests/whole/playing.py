"""The `run:` steps of jobs, played with bash over git repositories in a folder of the test.

Actions of others (`uses:`) and conditions of steps are not played: a step runs while all is well
before it, or `always()`. `gh` answers from files, and `planet` is the one under test, at a time
that the test sets.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.patience import PATIENCE
from tests.processes import environ
from tests.whole.conftest import CHECKOUT, NOON

needs_tools = pytest.mark.skipif(
    not (CHECKOUT / ".github").is_dir() or not all(map(shutil.which, ("git", "bash", "tar"))),
    reason="played where the repository and these tools are",
)
INSTALLS = ("Choose what is to be installed", "Install Planet")
"""Steps that `.ci/run pins` plays, as they need an index."""
COMMANDS = {
    "planet": """\
#!{python}
import os, sys
from datetime import datetime
from planet import http
from planet.cli import main, options
options.clock = lambda: datetime.fromisoformat(os.environ["NOW"])
# What a form names has to be public, and the servers of tests are not.
opened = http.FeedSession
http.FeedSession = lambda *args, **said: opened(*args, **{{**said, "is_public": lambda _: True}})
sys.exit(main())
""",
    "gh": """\
#!/bin/bash
if [[ $1 == api ]]; then
  cat "$ANSWERS/${{2//\\//_}}" 2> /dev/null || {{ echo "gh: Not Found (HTTP 404)" >&2; exit 1; }}
else
  {{ echo "$*"; [[ "$*" != *"--body-file -"* ]] || cat; }} >> "$ANSWERS/calls"
fi
""",
}


def read(path: str) -> dict[str, Any]:
    """A workflow or an action of this repository."""
    file = CHECKOUT / path
    found: dict[str, Any] = yaml.safe_load(file.read_text("utf-8")) if file.is_file() else {}
    return found


@dataclass(kw_only=True)
class Job:
    well: bool = True
    log: str = ""
    summary: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    """Those of all steps, as expressions name them."""

    def said(self, step: str, name: str) -> str:
        return self.outputs.get(f"steps.{step}.outputs.{name}", "")


class GitHub:
    """A repository of a planet, and the machine on which its jobs run."""

    repository = "somebody/planet"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = NOON
        self.run_id = "1"
        self.remote = folder / "github" / self.repository
        self.work = folder / "work" / "planet"
        for each in ("bin", "home", "answers"):
            (folder / each).mkdir(parents=True)
        for name, script in COMMANDS.items():
            path = folder / "bin" / name
            path.write_text(script.format(python=sys.executable), encoding="utf-8")
            path.chmod(0o755)
        (folder / "home" / ".gitconfig").write_text("[user]\nname = A\nemail = a@a.example\n")
        self.sh(f"git init --quiet --bare --initial-branch main {self.remote}")
        self.sh(f"git clone --quiet {self.remote} {folder / 'clone'} 2> /dev/null")

    def answer(self, path: str, text: str | None) -> None:
        """Have `gh api` say this of a path of the repository; 404 with None."""
        name = f"repos/{self.repository}/{path}".replace("/", "_")
        file = self.folder / "answers" / name
        if text is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(text, encoding="utf-8")

    def calls(self) -> str:
        """What `gh` was called for but to ask, and what it was handed."""
        file = self.folder / "answers" / "calls"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def push(self, files: Mapping[str, str]) -> None:
        """Push these files to the main branch."""
        clone = self.folder / "clone"
        for path, text in files.items():
            (clone / path).parent.mkdir(parents=True, exist_ok=True)
            (clone / path).write_text(text, encoding="utf-8")
        self.sh(
            f"cd {clone}; git add --all; git commit --quiet --message Change;"
            " git push --quiet origin HEAD:main"
        )

    def checkout(self) -> None:
        """Have a new machine with what the repository holds."""
        shutil.rmtree(self.work.parent, ignore_errors=True)
        (self.work.parent / "temp").mkdir(parents=True)
        self.sh(f"git clone --quiet --depth 1 file://{self.remote} {self.work}")

    def later(self, **passed: float) -> None:
        self.now += timedelta(**passed)

    def sh(self, script: str) -> str:
        """What a script of the test prints; it has to end well."""
        done = self._bash(script, self.folder, {})
        assert done.returncode == 0, done.stdout
        return done.stdout

    def play(self, steps: Iterable[Mapping[str, Any]], known: Mapping[str, str]) -> Job:
        """Run the steps of a job; `known` is what expressions name."""
        job = Job()
        for step in steps:
            if "run" not in step or step.get("name") in INSTALLS:
                continue
            if job.well or "always()" in step.get("if", ""):
                self._step(step, {"github.token": "a-token", **known, **job.outputs}, job)
        print(job.log)
        return job

    def _step(self, step: Mapping[str, Any], known: Mapping[str, str], job: Job) -> None:
        assert "${{" not in step["run"], "what an event says would be run as a program"
        files = {name: self.work.parent / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        said = {name: _fill(value, known) for name, value in step.get("env", {}).items()}
        done = self._bash(step["run"], self.work, {**said, **{k: str(v) for k, v in files.items()}})
        job.log += done.stdout
        job.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        for line in files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            job.outputs[f"steps.{step.get('id')}.outputs.{name}"] = value
        job.outputs[f"steps.{step.get('id')}.outcome"] = "failure" if done.returncode else "success"
        job.well = job.well and done.returncode == 0

    def _bash(
        self, script: str, folder: Path, more: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        kept = {
            name: value
            for name, value in environ().items()
            if not name.startswith(("GIT_", "GITHUB_", "RUNNER_", "PLANET_", "COV_"))
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=folder,
            env={
                **kept,
                "PATH": f"{self.folder / 'bin'}:{kept['PATH']}",
                "HOME": str(self.folder / "home"),
                "NOW": self.now.isoformat(),
                "ANSWERS": str(self.folder / "answers"),
                "PLANET_CONFIG": "config.yaml",
                "GITHUB_ACTIONS": "true",
                "GITHUB_REF_NAME": "main",
                "GITHUB_REPOSITORY": self.repository,
                "GITHUB_RUN_ID": self.run_id,
                "GITHUB_SERVER_URL": f"file://{self.folder / 'github'}",
                "GITHUB_WORKSPACE": str(self.work),
                "RUNNER_TEMP": str(self.work.parent / "temp"),
                **more,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )


def _fill(value: str, known: Mapping[str, str]) -> str:
    """Put what expressions name in their place; a step that did not run has no output."""

    def named(match: re.Match[str]) -> str:
        name = match[1]
        return known.get(name, "") if name.startswith("steps.") else known[name]

    return re.sub(r"\$\{\{ (\S+) \}\}", named, str(value))
