"""A run of a workflow: its jobs and their steps, as a runner runs them.

What `GitHub` has around it (`tests/whole/playing.py`) comes in; only folders of the test are used.
"""

from __future__ import annotations

import re
import shutil
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

if TYPE_CHECKING:
    from tests.whole.playing import GitHub

REPOSITORY = "somebody/planet"
PLANET = "planet-digest/planet"
LOCAL = "./"
"""How an action in a folder of the workspace begins."""


@dataclass(kw_only=True)
class Job:
    result: str
    outputs: dict[str, str] = field(default_factory=dict)
    steps: dict[str, str] = field(default_factory=dict)
    """How each step ended, by its name, else by what it uses."""
    log: str = ""
    summary: str = ""


Between: TypeAlias = Callable[[Path], None]
"""What happens in a job's workspace after its first step."""


class Run:
    """A run of a workflow, or of one that is called by a job of another."""

    def __init__(
        self,
        github: GitHub,
        workflow: Mapping[str, Any],
        *,
        known: Mapping[str, Any],
        between: Mapping[str, Between],
        artifacts: dict[str, Path],
    ) -> None:
        self._github = github
        self._workflow = workflow
        self._between = between
        self._jobs: dict[str, Job] = {}
        self._calls: dict[str, Job] = {}
        """The jobs that call a workflow; its own jobs are among the others."""
        self.artifacts = artifacts
        self.folder = github.folder / f"run-{github.runs}"
        self._known = {
            "github.token": "a-token",
            "github.repository": REPOSITORY,
            "github.run_id": str(github.runs),
            "github.run_attempt": "1",
            "github.ref_name": github.branch,
            "github.server_url": self._server,
            "runner.os": "Linux",
            "runner.arch": "X64",
            "runner.temp": str(github.folder / "work" / "temp"),
            **known,
        }

    @property
    def _server(self) -> str:
        return f"file://{self._github.folder / 'github'}"

    def play(self) -> dict[str, Job]:
        for name, job in self._workflow["jobs"].items():
            needs = job.get("needs", [])
            known = dict(self._known)
            before = [needs] if isinstance(needs, str) else needs
            for each in before:
                outputs = self._workflow["jobs"][each].get("outputs", {})
                known |= {
                    f"needs.{each}.outputs.{key}": self._jobs[each].outputs.get(key, "")
                    for key in outputs
                }
            well = all({**self._jobs, **self._calls}[each].result == "success" for each in before)
            if not holds(job.get("if"), known, well=well, workspace=self.folder):
                self._jobs[name] = Job(result="skipped")
            elif "uses" in job:
                called = self._call(job, known)
                failed = any(inner.result == "failure" for inner in called.values())
                self._calls[name] = Job(result="failure" if failed else "success")
                self._jobs |= called
            else:
                self._jobs[name] = self._job(name, job, known)
        return self._jobs

    def _call(self, job: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Job]:
        """Run the workflow that a job calls; its jobs, by their names in that workflow."""
        address = re.fullmatch(r"([^/]+/[^/]+)/([^@]+)@([0-9a-f]{40})", job["uses"])
        assert address is not None, job["uses"]
        repository, path, commit = address.groups()
        assert path.startswith(".github/workflows/")
        called = self._github.workflow(repository, commit, path)
        declared = called["on"]["workflow_call"]
        given = filled_in(job.get("with", {}), known)
        secrets = filled_in(job.get("secrets", {}), known)
        assert given.keys() <= declared["inputs"].keys()
        assert secrets.keys() <= declared.get("secrets", {}).keys()
        for inner in called["jobs"].values():
            for what, how in inner["permissions"].items():
                granted = job["permissions"].get(what)
                assert granted in (how, "write"), f"the caller grants no {what}: {how}"
        inputs: dict[str, Any] = {}
        for name, each in declared["inputs"].items():
            inputs[name] = given.get(name, each["default"])
            if each["type"] == "boolean":
                assert inputs[name] in (True, False, "true", "false")
                inputs[name] = inputs[name] in (True, "true")
        inside = {
            **{name: value for name, value in known.items() if name.startswith("github.")},
            **{f"inputs.{name}": value for name, value in inputs.items()},
            **{f"secrets.{name}": secrets.get(name, "") for name in declared.get("secrets", {})},
            "job.workflow_repository": repository,
            "job.workflow_sha": commit,
        }
        return Run(
            self._github, called, known=inside, between=self._between, artifacts=self.artifacts
        ).play()

    def _job(self, name: str, job: Mapping[str, Any], known: dict[str, Any]) -> Job:
        assert job["timeout-minutes"] <= 60
        # Always the same on a runner, and always new.
        work = self._github.folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        workspace = work / "planet"
        for folder in (work / "temp", workspace):
            folder.mkdir(parents=True)
        ended = Job(result="success")
        environ = {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_REF_NAME": "main",
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ID": str(self._github.runs),
            "GITHUB_SERVER_URL": self._server,
            "GITHUB_SHA": "0" * 40,
            "GITHUB_WORKSPACE": str(workspace),
            "RUNNER_TEMP": str(workspace.parent / "temp"),
            **filled_in(self._workflow.get("env", {}), known),
            **filled_in(job.get("env", {}), known),
        }
        shell = {**self._workflow, **job}.get("defaults", {}).get("run", {}).get("shell")
        steps = Steps(self, self._github, ended, workspace, environ, known, shell)
        for number, step in enumerate(job["steps"]):
            steps.play(step)
            if number == 0 and name in self._between:
                self._between[name](workspace)
        ended.outputs = filled_in(job.get("outputs", {}), steps.known_with(job["steps"]))
        print(f"--- {name}: {ended.result}\n{ended.log}")
        return ended


class Steps:
    """The steps of a job, or of a composite action in it."""

    def __init__(
        self,
        run: Run,
        github: GitHub,
        job: Job,
        workspace: Path,
        environ: Mapping[str, str],
        known: Mapping[str, Any],
        shell: str | None,
    ) -> None:
        self._run, self._github, self._job = run, github, job
        self._workspace, self._environ, self._known = workspace, environ, known
        self._shell = shell
        self._outputs: dict[str, dict[str, str]] = {}
        self._well = True

    def known_with(self, steps: list[Mapping[str, Any]]) -> dict[str, Any]:
        """What expressions can name; a step that did not run has no output."""
        return {
            **{f"steps.{step['id']}.outputs.*": "" for step in steps if "id" in step},
            **self._known,
            **{
                f"steps.{step}.outputs.{name}": value
                for step, outputs in self._outputs.items()
                for name, value in outputs.items()
            },
        }

    def play(
        self, step: Mapping[str, Any], siblings: list[Mapping[str, Any]] | None = None
    ) -> bool:
        """Run a step, if its condition holds; whether all is well after it."""
        known = self.known_with(siblings or self._all(step))
        name = step.get("name") or step.get("uses", "").partition("@")[0]
        if not holds(step.get("if"), known, well=self._well, workspace=self._workspace):
            self._job.steps[name] = "skipped"
            return self._well
        environ = {**self._environ, **filled_in(step.get("env", {}), known)}
        outputs: dict[str, str] = {}
        if "run" in step:
            well = self._bash(step, environ, outputs)
        else:
            given = filled_in(step.get("with", {}), known)
            well = self._use(step["uses"], given, environ, outputs)
        if "id" in step:
            self._outputs[step["id"]] = outputs
        self._job.steps[name] = "success" if well else "failure"
        if not well:
            self._well, self._job.result = False, "failure"
        return self._well

    def _all(self, step: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        for job in self._run._workflow["jobs"].values():
            if step in job.get("steps", []):
                return list(job["steps"])
        raise AssertionError(step)

    def _bash(self, step: Mapping[str, Any], environ: dict[str, str], outputs: Any) -> bool:
        assert "${{" not in step["run"], "what an event says would be run as a program"
        output = self._workspace.parent / "output"
        summary = self._workspace.parent / "summary"
        for file in (output, summary):
            file.write_text("")
        # https://docs.github.com/actions: what a step that names its shell runs in, and any other.
        named = step.get("shell", self._shell) == "bash"
        options = ["--noprofile", "--norc", "-eo", "pipefail"] if named else ["-e"]
        files = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
        done = self._github.bash(step["run"], self._workspace, options, {**environ, **files})
        self._job.log += done.stdout
        self._job.summary += summary.read_text(encoding="utf-8")
        for line in output.read_text(encoding="utf-8").splitlines():
            name, equals, value = line.partition("=")
            assert equals, line
            outputs[name] = value
        return bool(done.returncode == 0)

    def _use(
        self, uses: str, given: dict[str, str], environ: dict[str, str], outputs: dict[str, str]
    ) -> bool:
        if uses.startswith(LOCAL):
            return self._composite(uses, given, environ, outputs)
        action, _, commit = uses.partition("@")
        assert re.fullmatch(r"[0-9a-f]{40}", commit), uses
        if action == PLANET:
            return self._composite(self._fetched(action, commit), given, environ, outputs)
        return bool(_ACTIONS[action](self, given, outputs))

    def _fetched(self, action: str, commit: str) -> str:
        """Where the repository of an action is, at a commit; outside the workspace."""
        folder = self._workspace.parent / "actions"
        folder.mkdir()
        self._github.sh(
            f"git init --quiet; git fetch --quiet file://{self._github.address(action)} {commit};"
            " git checkout --quiet FETCH_HEAD",
            folder,
        )
        return str(folder)

    def _composite(
        self, uses: str, given: dict[str, str], environ: dict[str, str], outputs: dict[str, str]
    ) -> bool:
        folder = self._workspace / uses
        action = yaml.safe_load((folder / "action.yml").read_text(encoding="utf-8"))
        declared = {name: str(each["default"]) for name, each in action["inputs"].items()}
        assert given.keys() <= declared.keys()
        outside = ("github.", "runner.")
        known = {name: value for name, value in self._known.items() if name.startswith(outside)}
        known["github.action_path"] = str(folder)
        known |= {f"inputs.{name}": value for name, value in {**declared, **given}.items()}
        inner = Steps(self._run, self._github, self._job, self._workspace, environ, known, None)
        steps = action["runs"]["steps"]
        well = True
        for step in steps:
            assert "uses" in step or step["shell"] == "bash"
            well = inner.play(step, steps)
        # As the runner does it, also when a step failed.
        said = {name: each["value"] for name, each in action["outputs"].items()}
        outputs |= filled_in(said, inner.known_with(steps))
        return well

    # Actions of others, by what they do to folders.

    def _checkout(self, given: dict[str, str], _: dict[str, str]) -> bool:
        assert given["persist-credentials"] == "false"
        remote = f"file://{self._github.address(given.get('repository', REPOSITORY))}"
        if "repository" in given:
            git = f"git -C {given['path']}"
            self._github.sh(
                f"git init --quiet {given['path']}; {git} fetch --quiet --depth 1 {remote}"
                f" {given['ref']}; {git} checkout --quiet FETCH_HEAD",
                self._workspace,
            )
        else:
            how = f"--depth {given.get('fetch-depth', '1')} --branch {self._github.branch}"
            self._github.sh(f"git clone --quiet {how} {remote} .", self._workspace)
        return True

    def _nothing(self, _: dict[str, str], __: dict[str, str]) -> bool:
        return True

    def _upload(self, given: dict[str, str], outputs: dict[str, str]) -> bool:
        wanted = [line for line in given["path"].splitlines() if not line.startswith("!")]
        left_out = {line[1:] for line in given["path"].splitlines() if line.startswith("!")}
        (top,) = wanted
        target = self._run.folder / "artifacts" / given["name"]
        if given.get("overwrite") == "true":
            shutil.rmtree(target, ignore_errors=True)
        assert not target.exists(), "an artifact is never uploaded twice"
        for file in _visible(self._workspace / top):
            path = file.relative_to(self._workspace)
            if path.as_posix() not in left_out:
                to = target / path.relative_to(Path(top))
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, to)
        self._run.artifacts[given["name"]] = target
        outputs["artifact-id"] = str(len(self._run.artifacts))
        return True

    def _download(self, given: dict[str, str], _: dict[str, str]) -> bool:
        to = self._workspace / given.get("path", ".")
        shutil.copytree(self._run.artifacts[given["name"]], to, dirs_exist_ok=True)
        return True

    def _upload_pages(self, given: dict[str, str], _: dict[str, str]) -> bool:
        target = self._run.folder / "artifacts" / "github-pages"
        target.mkdir(parents=True)
        top = self._workspace / given["path"]
        with tarfile.open(target / "artifact.tar", "w") as archive:
            for file in _visible(top):
                archive.add(file, file.relative_to(top))
        self._run.artifacts["github-pages"] = target
        return True

    def _deploy_pages(self, _: dict[str, str], outputs: dict[str, str]) -> bool:
        if not self._github.deploys:
            return False
        shutil.rmtree(self._github.site, ignore_errors=True)
        with tarfile.open(self._run.artifacts["github-pages"] / "artifact.tar") as archive:
            archive.extractall(self._github.site, filter="data")
        outputs["page_url"] = "https://somebody.github.example/planet/"
        return True

    def _restore_cache(self, given: dict[str, str], outputs: dict[str, str]) -> bool:
        # The newest whose key begins so.
        beginnings = given.get("restore-keys", given["key"]).split()
        for key, folder in reversed(self._github.caches.items()):
            if key.startswith((given["key"], *beginnings)):
                shutil.copytree(folder, self._workspace / given["path"])
                outputs["cache-hit"] = str(key == given["key"]).lower()
                break
        return True

    def _save_cache(self, given: dict[str, str], _: dict[str, str]) -> bool:
        assert given["key"] not in self._github.caches, "a key is never written twice"
        if (self._workspace / given["path"]).is_dir():
            target = self._github.folder / "caches" / given["key"]
            shutil.copytree(self._workspace / given["path"], target)
            self._github.caches[given["key"]] = target
        return True


_ACTIONS: dict[str, Callable[[Steps, dict[str, str], dict[str, str]], bool]] = {
    "actions/checkout": Steps._checkout,
    "actions/setup-python": Steps._nothing,
    "actions/upload-artifact": Steps._upload,
    "actions/download-artifact": Steps._download,
    "actions/upload-pages-artifact": Steps._upload_pages,
    "actions/deploy-pages": Steps._deploy_pages,
    "actions/cache/restore": Steps._restore_cache,
    "actions/cache/save": Steps._save_cache,
}


def _visible(top: Path) -> list[Path]:
    """The files that an artifact takes: none that is hidden, or in a folder that is."""
    return [
        file
        for file in sorted(top.rglob("*"))
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(top).parts)
    ]


# The expressions of workflows, `${{ … }}` and `if:`, as far as they are used here. A name that is
# not declared is an error, where GitHub would say nothing.

_WORD = re.compile(r"\s*('(?:[^']|'')*'|\|\||&&|==|!=|[(),]|[\w.*-]+)")
_OPERATORS = {"||": " or ", "&&": " and ", "==": "==", "!=": "!=", "(": "(", ")": ")", ",": ","}


def holds(condition: str | None, known: Mapping[str, Any], *, well: bool, workspace: Path) -> bool:
    """Whether a step or a job is run; if it says nothing of how it went before, only if well."""
    text = condition or "success()"
    functions = {
        "success": lambda: well,
        "always": lambda: True,
        "startsWith": lambda text, start: text.lower().startswith(start.lower()),
        "hashFiles": lambda path: "a-hash" if (workspace / path).is_file() else "",
    }
    found = bool(_value(text, known, functions))
    return found if "success()" in text or "always()" in text else found and well


def filled_in(values: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, str]:
    """Values with what their expressions come to."""
    return {
        name: re.sub(
            r"\$\{\{(.*?)\}\}", lambda found: _text(_value(found[1], known, {})), _text(value)
        )
        for name, value in values.items()
    }


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value or "")


def _value(text: str, known: Mapping[str, Any], functions: Mapping[str, Any]) -> Any:
    """What an expression comes to; a name that is not declared is an error."""

    def look_up(name: str) -> Any:
        if name in known:
            return known[name]
        # An output of a step that is there, but did not say it.
        return known[f"{name.rpartition('.')[0]}.*"]

    source, position = "", 0
    text = text.strip()
    while position < len(text):
        found = _WORD.match(text, position)
        assert found, f"what is {text[position:]!r}?"
        word, position = found[1], found.end()
        if word in _OPERATORS:
            source += _OPERATORS[word]
        elif word.startswith("'"):
            source += repr(word[1:-1].replace("''", "'"))
        elif word in ("true", "false"):
            source += word.title()
        elif text[position : position + 1] == "(":
            source += word
        else:
            source += f"look_up({word!r})"
    return eval(source, {"__builtins__": {}}, {"look_up": look_up, **functions})
