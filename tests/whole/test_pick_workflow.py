"""`.github/workflows/pick.yml`, played as a runner does, with a `gh` that takes notes."""

import json
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from planet.model import handle
from tests.server import Server
from tests.whole.conftest import CHECKOUT
from tests.whole.hosting import begin
from tests.whole.playing import Call, GitHub, needs_tools
from tests.whole.runner import REPOSITORY

WORKFLOW = CHECKOUT / ".github" / "workflows" / "pick.yml"
STARTER = CHECKOUT / "planet" / "starter"
SAID: dict[str, Any] = yaml.safe_load(WORKFLOW.read_text()) if WORKFLOW.is_file() else {}
CONFIG = "config.yaml"
MAY_THEY = f"repos/{REPOSITORY}/collaborators/somebody/permission"
ONCE = {"pick-again": "skipped", "write-again": "skipped"}
WELL = {"ask": "success", "pick": "success", "write": "success", **ONCE}
TWICE = dict.fromkeys(WELL, "success")
ANSWERED = {**WELL, "write": "failure"}
REFUSED = {"ask": "success", "pick": "skipped", "write": "skipped", **ONCE}

pytestmark = needs_tools

PODCAST = b"""\
<rss version="2.0"><channel><title>Radio Bench</title><link>https://bench.example/</link>
<item><title>Joints</title><guid isPermaLink="false">joints</guid>
<link>https://bench.example/joints</link><pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate>
<enclosure url="https://bench.example/joints.mp3" type="audio/mpeg" length="1000"/></item>
</channel></rss>"""

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


class Repository:
    """A repository in which issues are opened."""

    def __init__(self, folder: Path, *, origin: Path, episode: str) -> None:
        self.folder = folder
        self.episode = episode
        """What `planet pick` calls the one episode there is."""
        self._github = GitHub(folder / "world")
        self.origin = self._github.remote
        shutil.copytree(origin, self.origin)

    def issue(
        self,
        body: str,
        *,
        permission: str = "write",
        meanwhile: str = ":",
        during: Collection[str] = ("pick",),
    ) -> dict[str, str]:
        """Open an issue, and let the workflow run: how each of its jobs ended.

        `meanwhile` is what somebody else does in a clone of the repository, during these jobs.
        """
        event = {
            "github.event.issue.title": "Pick: The night train",
            "github.event.issue.user.login": "somebody",
            "github.event.issue.number": "7",
            "github.event.issue.body": body,
        }
        self._github.answers[MAY_THEY] = permission

        def elsewhere(_: Path) -> None:
            self._github.sh(meanwhile, self._clone("elsewhere"))

        jobs = self._github.run("pick.yml", event=event, between=dict.fromkeys(during, elsewhere))
        return {name: job.result for name, job in jobs.items()}

    @property
    def calls(self) -> list[Call]:
        """What `gh` was called for, but to ask who may do what."""
        calls = [call for call in self._github.calls if call.tool == "gh"]
        return [call for call in calls if call.words[:2] != ["api", MAY_THEY]]

    def pushed(self) -> list[dict[str, Any]] | None:
        """The picks that the repository has now; None when there are none."""
        fresh = self._clone("fresh")
        files = {path.name for path in fresh.iterdir()}
        files -= {".git", ".github", ".gitignore", CONFIG, "more.txt"}
        if not files:
            return None
        assert files == {"picks.yaml"}
        picks: list[dict[str, Any]]
        picks = yaml.safe_load((fresh / "picks.yaml").read_text(encoding="utf-8"))["picks"]
        return picks

    def _clone(self, name: str) -> Path:
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        self._github.sh(f"git clone --quiet --depth 1 file://{self.origin} {folder}")
        return folder


def body(*, episode: str, name: str = "_No response_", note: str = "_No response_") -> str:
    """The text of an issue, as GitHub writes it."""
    return f"### Episode\n\n{episode}\n\n### List\n\n{name}\n\n### Note\n\n{note}"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A repository with a branch of what its planet knows, and what its episode is called."""
    folder = tmp_path_factory.mktemp("known")
    home, github = folder / "planet", GitHub(folder / "world")
    begin(home, planet=github.planet)
    with Server() as server:
        feed = server.feed("/bench.xml", PODCAST)
        settings = {"title": "A planet", "feeds": [{"url": feed, "picks": "only"}]}
        (home / CONFIG).write_text(json.dumps(settings), encoding="utf-8")
        github.push(home)
        jobs = github.run("publish.yml")
        assert jobs["save-state"].result == "success"
        yield github.remote, handle(feed, "joints")


@pytest.fixture
def repository(tmp_path: Path, known: tuple[Path, str]) -> Repository:
    origin, episode = known
    return Repository(tmp_path, origin=origin, episode=episode)


@pytest.mark.parametrize("permission", ["admin", "write"])
def test_whoever_may_write_picks_and_is_done(repository: Repository, permission: str) -> None:
    said = body(episode=repository.episode, name="trips", note="For the long way home.")

    ended = repository.issue(said, permission=permission)

    picks = repository.pushed() or []
    assert ended == WELL
    assert [(pick["title"], pick["list"], pick["note"]) for pick in picks] == [
        ("Joints", "trips", "For the long way home.")
    ]
    assert [call.words[:4] for call in repository.calls] == [["issue", "close", "7", "--comment"]]


def test_whoever_may_only_read_picks_nothing(repository: Repository) -> None:
    permissions = ("read", "none", "")
    said = body(episode=repository.episode)

    ended = [repository.issue(said, permission=permission) for permission in permissions]

    assert ended == [REFUSED] * 3
    assert repository.pushed() is None
    closed = ["issue", "close", "7", "--reason"]
    assert [call.words[:4] for call in repository.calls] == [closed] * 3


ODD_FORMS = (
    ("Please pick something.", "this is not what the form"),
    ("", "this is not what the form"),
    (body(episode="0000000000"), "there is no episode"),
    (body(episode="--help"), "there is no episode"),
    (body(episode="0000000000", name="../up"), "../up"),
    (body(episode=HOSTILE), "there is no episode"),
)


def test_a_form_without_a_pick_is_answered(repository: Repository) -> None:
    for said, words in ODD_FORMS:
        ended = repository.issue(said)

        call = repository.calls[-1]
        assert ended == ANSWERED, said
        assert call.words == ["issue", "comment", "7", "--body-file", "-"]
        assert words in (call.said or "")
        assert all(line.startswith("    ") for line in (call.said or "").splitlines())

    assert len(repository.calls) == len(ODD_FORMS)
    assert repository.pushed() is None
    assert list(repository.folder.rglob("HACKED")) == []


def test_whatever_a_note_says_is_a_note(repository: Repository) -> None:
    said = body(episode=repository.episode, note=LINES)

    ended = repository.issue(said.replace("\n", "\r\n"))

    picks = repository.pushed() or []
    assert ended == WELL
    assert [pick["note"] for pick in picks] == [" ".join(LINES.split())]
    assert list(repository.folder.rglob("HACKED")) == []


def test_what_is_picked_already_is_answered(repository: Repository) -> None:
    repository.issue(body(episode=repository.episode))
    before = repository.pushed()

    repository.issue(body(episode=repository.episode))

    assert before is not None
    assert repository.pushed() == before
    assert [call.words[1] for call in repository.calls] == ["close", "comment"]


MORE = """
    echo $RANDOM > more.txt
    git add --all
    git commit --quiet --message More
    git push --quiet origin main
"""
MINE = f"""
    echo "# Mine" >> picks.yaml
    {MORE}
"""


@pytest.mark.parametrize("during", ["pick", "write"])
def test_what_somebody_else_pushes_meanwhile_stays(repository: Repository, during: str) -> None:
    ended = repository.issue(body(episode=repository.episode), meanwhile=MORE, during=[during])

    picks = repository.pushed() or []
    assert ended == WELL
    assert [pick["title"] for pick in picks] == ["Joints"]
    assert (repository.folder / "fresh" / "more.txt").exists()
    assert [call.words[1] for call in repository.calls] == ["close"]


def test_what_somebody_else_picks_stays_and_it_is_picked_again(repository: Repository) -> None:
    ended = repository.issue(body(episode=repository.episode), meanwhile=MINE)

    picks = repository.pushed() or []
    assert ended == TWICE
    assert [pick["title"] for pick in picks] == ["Joints"]
    assert (repository.folder / "fresh" / "picks.yaml").read_text().startswith("# Mine\n")
    assert [call.words[1] for call in repository.calls] == ["close"]


def test_if_picks_always_change_it_is_told_that_nothing_is_written(repository: Repository) -> None:
    ended = repository.issue(
        body(episode=repository.episode), meanwhile=MINE, during=["pick", "pick-again"]
    )

    assert ended == {**TWICE, "write-again": "failure"}
    assert [call.words[:4] for call in repository.calls] == [["issue", "comment", "7", "--body"]]


def test_what_reads_the_state_writes_nothing_and_what_writes_runs_no_planet() -> None:
    jobs = SAID["jobs"]

    for job in jobs.values():
        reads = any(step.get("uses") == "./.planet" for step in job["steps"])
        assert reads == ("planet pick" in str(job["steps"]))
        assert reads != ("write" in job["permissions"].values())
        assert reads != ("GH_TOKEN" in str(job["steps"]))


def test_it_is_told_when_nothing_can_be_pushed(repository: Repository) -> None:
    hook = repository.origin / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)

    ended = repository.issue(body(episode=repository.episode))

    assert ended == ANSWERED
    assert repository.pushed() is None
    assert [call.words[:4] for call in repository.calls] == [["issue", "comment", "7", "--body"]]


def test_the_form_asks_for_what_is_read_of_it() -> None:
    template = yaml.safe_load((STARTER / "pick-form.yml").read_text(encoding="utf-8"))
    caller = yaml.safe_load((STARTER / "callers/pick.yml").read_text(encoding="utf-8"))

    asked = {each["id"]: each["attributes"]["label"] for each in template["body"] if "id" in each}

    assert asked == {"episode": "Episode", "list": "List", "note": "Note"}
    picks = f"startsWith(github.event.issue.title, '{template['title'].strip()}')"
    assert SAID["jobs"]["ask"]["if"] == caller["jobs"]["planet"]["if"] == picks
