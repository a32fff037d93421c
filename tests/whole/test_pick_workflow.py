"""`.github/workflows/pick.yml`, played step by step as a runner does, with a `gh` that takes notes.

Not played are the steps that use an action, and the one that installs Planet: the checkout is a
clone made here, and `planet` on the PATH is the one that this test uses.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

import planet
from planet.cli import main
from planet.cli.forms import Form, read_form
from planet.errors import UsageError
from planet.model import handle
from tests.server import Server

if TYPE_CHECKING:
    from collections.abc import Mapping

CHECKOUT = Path(__file__).parents[2]
WORKFLOW = CHECKOUT / ".github" / "workflows" / "pick.yml"
TEMPLATE = CHECKOUT / ".github" / "ISSUE_TEMPLATE" / "pick.yml"
SAID: dict[str, Any] = yaml.safe_load(WORKFLOW.read_text()) if WORKFLOW.is_file() else {}
CONFIG: str = SAID["jobs"]["pick"]["env"]["PLANET_CONFIG"] if SAID else ""
NOT_PLAYED = {"Install Planet"}
MAY_THEY = ["api", "repos/somebody/planet/collaborators/somebody/permission"]

played = pytest.mark.skipif(
    not SAID or shutil.which("git") is None or shutil.which("bash") is None,
    reason="played where the repository, git and bash are",
)

PODCAST = b"""\
<rss version="2.0"><channel><title>Radio Bench</title><link>https://bench.example/</link>
<item><title>Joints</title><guid isPermaLink="false">joints</guid>
<link>https://bench.example/joints</link><pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate>
<enclosure url="https://bench.example/joints.mp3" type="audio/mpeg" length="1000"/></item>
</channel></rss>"""

GH = """\
import json, os, sys
words = sys.argv[1:]
said = sys.stdin.read() if "--body-file" in words else None
with open(os.environ["GH_NOTES"], "a", encoding="utf-8") as notes:
    print(json.dumps({"words": words, "said": said}), file=notes)
if words[0] == "api":
    print(os.environ["GH_PERMISSION"])
"""

# What would be something else to a shell, to the runner, to Markdown, or to YAML.
HOSTILE = """\
`touch HACKED` $(touch HACKED) '; touch HACKED; ' "; touch HACKED; " $HOME %s %n \\n \\"""
LINES = f"""{HOSTILE}
::set-output name=answer::yes
${{{{ github.token }}}} @everybody #1 <img src=x onerror=alert(1)>
--list trips

### Episode

0000000000

### Note
- two: [three
# four
..."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call of `gh`."""

    words: list[str]
    said: str | None


class Machine:
    """A folder to run in, as a runner gives it, with `gh`, `git` and `planet` on the PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Nothing of the repository and of the person that these tests are run in and by.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self._environ = {
            **kept,
            "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(Path(planet.__file__).parents[1]),
            "HOME": str(folder / "home"),
            "XDG_CONFIG_HOME": str(folder / "home"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": str(folder),
            "GH_NOTES": str(folder / "gh.jsonl"),
            "GITHUB_REF_NAME": "main",
            "RUNNER_TEMP": str(folder / "temp"),
        }
        for name in ("home", "temp", "bin"):
            (folder / name).mkdir()
        (folder / "home" / ".gitconfig").write_text("[user]\nname = A\nemail = a@a.example\n")
        self._command("gh", f"-c {shlex.quote(GH)}")
        self._command("planet", "-m planet")

    def run(self, script: str, folder: Path, **environ: str) -> int:
        """Run a script as a runner does, and give its exit code."""
        done = subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=folder,
            env={**self._environ, **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        print(done.stdout + done.stderr)
        return done.returncode

    def _command(self, name: str, arguments: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {arguments} "$@"\n')
        path.chmod(0o755)


class Repository:
    """A repository in which issues are opened."""

    def __init__(self, folder: Path, *, origin: Path, episode: str) -> None:
        self.folder = folder
        self.origin = folder / "origin.git"
        self.episode = episode
        """What `planet pick` calls the one episode there is."""
        self._machine = Machine(folder)
        shutil.copytree(origin, self.origin)

    def issue(
        self, body: str, *, permission: str = "write", meanwhile: str = ":"
    ) -> dict[str, int]:
        """Open an issue, and let the workflow run: the exit codes of its steps, by name.

        `meanwhile` is what somebody else does in a clone of the repository.
        """
        event = {
            "github.token": "a-token",
            "github.repository": "somebody/planet",
            "github.server_url": "https://github.example",
            "github.event.issue.user.login": "somebody",
            "github.event.issue.number": "7",
            "github.event.issue.body": body,
        }
        output = self.folder / "output.txt"
        output.write_text("")
        environ = {"GITHUB_OUTPUT": str(output), "GH_PERMISSION": permission}
        ended = self._job("ask", self.folder, event, environ)
        if output.read_text() == "answer=yes\n":
            workspace = self._clone("workspace")
            assert self._machine.run(meanwhile, self._clone("elsewhere")) == 0
            ended |= self._job("pick", workspace, event, environ)
        return ended

    @property
    def calls(self) -> list[Call]:
        """What `gh` was called for, but to ask who may do what."""
        lines = (self.folder / "gh.jsonl").read_text(encoding="utf-8").splitlines()
        calls = [Call(**json.loads(line)) for line in lines]
        return [call for call in calls if call.words[:2] != MAY_THEY]

    def pushed(self) -> list[dict[str, Any]] | None:
        """The picks that the repository has now; None when there are none."""
        fresh = self._clone("fresh")
        files = {path.name for path in fresh.iterdir()} - {".git", CONFIG, "more.txt"}
        if not files:
            return None
        assert files == {"picks.yaml"}
        picks: list[dict[str, Any]]
        picks = yaml.safe_load((fresh / "picks.yaml").read_text(encoding="utf-8"))["picks"]
        return picks

    def _job(
        self, name: str, folder: Path, event: Mapping[str, str], environ: Mapping[str, str]
    ) -> dict[str, int]:
        job, ended = SAID["jobs"][name], dict[str, int]()
        for step in job["steps"]:
            if "uses" in step or step["name"] in NOT_PLAYED or any(ended.values()):
                continue
            own = {**job.get("env", {}), **step.get("env", {})}
            values = {each: _filled_in(str(value), event) for each, value in own.items()}
            assert "${{" not in step["run"], "what an issue says would be run as a program"
            ended[step["name"]] = self._machine.run(step["run"], folder, **environ, **values)
        return ended

    def _clone(self, name: str) -> Path:
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        script = f"git clone --quiet --depth 1 file://{self.origin} {folder}"
        assert self._machine.run(script, self.folder) == 0
        return folder


def _filled_in(value: str, event: Mapping[str, str]) -> str:
    """A value with what the event says in it; an expression that is not known is an error."""
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: event[found[1]], value)


def body(*, episode: str, name: str = "_No response_", note: str = "_No response_") -> str:
    """The text of an issue, as GitHub writes it."""
    return f"### Episode\n\n{episode}\n\n### List\n\n{name}\n\n### Note\n\n{note}"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A repository with a branch of what its planet knows, and what its episode is called."""
    folder = tmp_path_factory.mktemp("known")
    home, origin, machine = folder / "planet", folder / "origin.git", Machine(folder)
    home.mkdir()
    with Server() as server:
        feed = server.feed("/bench.xml", PODCAST)
        settings = {"title": "A planet", "feeds": [{"url": feed, "picks": "only"}]}
        (home / CONFIG).write_text(json.dumps(settings), encoding="utf-8")
        assert machine.run(f"planet build --quiet --config {CONFIG}", home) == 0
    (home / "state" / "lock").unlink()
    script = f"""
        git init --quiet --initial-branch main
        git add {CONFIG}
        git commit --quiet --message Begin
        git init --quiet --bare --initial-branch main {origin}
        git push --quiet {origin} main
        git checkout --quiet --orphan feed-state
        git --work-tree=state add --all .
        git commit --quiet --message Know
        git push --quiet {origin} feed-state
    """
    assert machine.run(script, home) == 0
    return origin, handle(feed, "joints")


@pytest.fixture
def repository(tmp_path: Path, known: tuple[Path, str]) -> Repository:
    origin, episode = known
    return Repository(tmp_path, origin=origin, episode=episode)


@played
@pytest.mark.parametrize("permission", ["admin", "write"])
def test_whoever_may_write_picks_and_the_issue_is_closed(
    repository: Repository, permission: str
) -> None:
    said = body(episode=repository.episode, name="trips", note="For the long way home.")

    ended = repository.issue(said, permission=permission)

    picks = repository.pushed() or []
    assert list(ended.values()) == [0, 0, 0]
    assert [(pick["title"], pick["list"], pick["note"]) for pick in picks] == [
        ("Joints", "trips", "For the long way home.")
    ]
    assert [call.words[:4] for call in repository.calls] == [["issue", "close", "7", "--comment"]]


@played
@pytest.mark.parametrize("permission", ["read", "none", ""])
def test_whoever_may_only_read_picks_nothing(repository: Repository, permission: str) -> None:
    ended = repository.issue(body(episode=repository.episode), permission=permission)

    assert list(ended.values()) == [0]
    assert repository.pushed() is None
    assert [call.words[:4] for call in repository.calls] == [["issue", "close", "7", "--reason"]]


@played
@pytest.mark.parametrize(
    ("said", "words"),
    [
        pytest.param("Please pick something.", "this is not what the form", id="no form"),
        pytest.param("", "this is not what the form", id="nothing at all"),
        pytest.param(body(episode="0000000000"), "there is no episode", id="no such episode"),
        pytest.param(body(episode="--help"), "there is no episode", id="an option"),
        pytest.param(body(episode="0000000000", name="../up"), "../up", id="no name of a list"),
        pytest.param(body(episode=HOSTILE), "there is no episode", id="hostile words"),
    ],
)
def test_a_form_that_picks_nothing_is_answered(
    repository: Repository, said: str, words: str
) -> None:
    ended = repository.issue(said)

    (call,) = repository.calls
    assert list(ended.values()) == [0, 0, 1]
    assert repository.pushed() is None
    assert call.words == ["issue", "comment", "7", "--body-file", "-"]
    assert words in (call.said or "")
    assert all(line.startswith("    ") for line in (call.said or "").splitlines())
    assert list(repository.folder.rglob("HACKED")) == []


@played
def test_whatever_a_note_says_is_a_note(repository: Repository) -> None:
    said = body(episode=repository.episode, note=LINES)

    ended = repository.issue(said.replace("\n", "\r\n"))

    picks = repository.pushed() or []
    assert list(ended.values()) == [0, 0, 0]
    assert [pick["note"] for pick in picks] == [" ".join(LINES.split())]
    assert list(repository.folder.rglob("HACKED")) == []


@played
def test_what_is_picked_already_is_answered(repository: Repository) -> None:
    repository.issue(body(episode=repository.episode))
    before = repository.pushed()

    repository.issue(body(episode=repository.episode))

    assert before is not None
    assert repository.pushed() == before
    assert [call.words[1] for call in repository.calls] == ["close", "comment"]


@played
def test_what_somebody_else_pushes_meanwhile_stays(repository: Repository) -> None:
    meanwhile = """
        echo "# Mine" > picks.yaml
        touch more.txt
        git add --all
        git commit --quiet --message More
        git push --quiet origin main
    """

    ended = repository.issue(body(episode=repository.episode), meanwhile=meanwhile)

    picks = repository.pushed() or []
    assert list(ended.values()) == [0, 0, 0]
    assert [pick["title"] for pick in picks] == ["Joints"]
    assert (repository.folder / "fresh" / "more.txt").exists()
    assert (repository.folder / "fresh" / "picks.yaml").read_text().startswith("# Mine\n")
    assert [call.words[1] for call in repository.calls] == ["close"]


@played
def test_it_is_told_when_nothing_can_be_pushed(repository: Repository) -> None:
    hook = repository.origin / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)

    ended = repository.issue(body(episode=repository.episode))

    assert list(ended.values()) == [0, 0, 1]
    assert repository.pushed() is None
    assert [call.words[:4] for call in repository.calls] == [["issue", "comment", "7", "--body"]]


@played
def test_the_form_asks_for_what_is_read_of_it() -> None:
    template = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))

    asked = {each["id"]: each["attributes"]["label"] for each in template["body"] if "id" in each}

    assert asked == {"episode": "Episode", "list": "List", "note": "Note"}
    assert SAID["jobs"]["ask"]["if"] == (
        f"startsWith(github.event.issue.title, '{template['title'].strip()}')"
    )


# What a form says


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param(body(episode="a1"), Form(episode="a1"), id="nothing but the episode"),
        pytest.param(
            body(episode="https://a.example/1?b=c#d", name="trips", note="Hear!"),
            Form(episode="https://a.example/1?b=c#d", list="trips", note="Hear!"),
            id="all of it",
        ),
        pytest.param(
            body(episode=" a1 ", name="", note="\n\n"), Form(episode="a1"), id="empty lines"
        ),
        pytest.param(
            body(episode="a1", note="One\n\nTwo").replace("\n", "\r\n"),
            Form(episode="a1", note="One\n\nTwo"),
            id="line ends of Windows",
        ),
        pytest.param(
            body(episode="a1", note=body(episode="b2", note="mine")),
            Form(episode="a1", note=body(episode="b2", note="mine")),
            id="a form in the note",
        ),
    ],
)
def test_a_form_says_what_was_filled_in(tmp_path: Path, said: str, expected: Form) -> None:
    path = tmp_path / "form.md"
    path.write_bytes(said.encode())

    assert read_form(path) == expected


@pytest.mark.parametrize(
    ("said", "words"),
    [
        pytest.param(b"", "not what the form", id="nothing"),
        pytest.param(b"### Episode\n\na1", "not what the form", id="half of it"),
        pytest.param(b"\xff\xfe", "not what the form", id="no text"),
        pytest.param(b"Hello\n" + body(episode="a1").encode(), "not what", id="words before it"),
        pytest.param(body(episode="").encode(), "names no episode", id="no episode"),
        pytest.param(body(episode="_No response_").encode(), "names no", id="an empty episode"),
        pytest.param(body(episode="a1\nb2").encode(), '"Episode" of the form has', id="two lines"),
        pytest.param(
            body(episode="a1", name="a\nb").encode(), '"List" of the form has', id="two lists"
        ),
        pytest.param(None, "cannot be read", id="no file"),
    ],
)
def test_what_is_no_form_is_refused(tmp_path: Path, said: bytes | None, words: str) -> None:
    path = tmp_path / "form.md"
    if said is not None:
        path.write_bytes(said)

    with pytest.raises(UsageError, match=words):
        read_form(path)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        pytest.param(["--form", "form.md", "a1b2c3d4e5"], "say no more", id="episodes as well"),
        pytest.param(["--form", "form.md", "--note", "Hear!"], "say no more", id="a note as well"),
        pytest.param(["--form", "form.md", "--list", "trips"], "say no more", id="a list as well"),
        pytest.param([], "say what to pick", id="nothing"),
    ],
)
def test_what_to_pick_is_said_once(
    capsys: pytest.CaptureFixture[str], more: list[str], words: str
) -> None:
    code = main(["pick", *more])

    assert code == 2
    assert words in capsys.readouterr().err
