"""`.github/workflows/add.yml`, played as a runner does, with a `gh` that takes notes."""

import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cases import case, cases
from tests.server import Server
from tests.whole.conftest import CHECKOUT, rss, write_config
from tests.whole.hosting import begin
from tests.whole.playing import Call, GitHub, needs_tools
from tests.whole.runner import REPOSITORY

pytestmark = [needs_tools, pytest.mark.usefixtures("loopback_is_public")]
STARTER = CHECKOUT / "planet" / "starter"
WRITER, READER = "editor", "stranger"
COMMENTS = f"repos/{REPOSITORY}/issues/7/comments"
JOBS = ("check", "answer", "ask", "add", "write", "add-again", "write-again")


def ended(*well: str, failed: str | None = None) -> dict[str, str]:
    """How each job ended: these well, one not, and all others were left out."""
    return {
        job: "success" if job in well else "failure" if job == failed else "skipped" for job in JOBS
    }


ANSWERED = ended("check", "answer")
ADDED = ended("ask", "add", "write")
ADDED_AGAIN = ended("ask", "add", "write", "add-again", "write-again")


class Repository:
    """A planet's repository in which issues are opened and get labels."""

    def __init__(self, folder: Path, old: str) -> None:
        self.github = GitHub(folder / "world")
        self._folder, self._home = folder, folder / "planet"
        begin(self._home, planet=self.github.planet)
        write_config(self._home, old)
        self.github.push(self._home)
        for who, may in {WRITER: "write", READER: "read"}.items():
            self.github.api(f"collaborators/{who}/permission", may)

    def opened(self, body: str) -> dict[str, str]:
        """Open an issue, and return how each job of its run ended."""
        return self._run("opened", body)

    def edited(self, body: str, changes: str) -> dict[str, str]:
        """Edit the issue; `changes` is what was in its text before, if that was changed."""
        return self._run("edited", body, changes=changes)

    def labeled(
        self,
        body: str,
        *,
        label: str = "accepted",
        by: str = WRITER,
        meanwhile: str = "",
        during: Collection[str] = (),
    ) -> dict[str, str]:
        """Give the issue a label; `meanwhile` is what is pushed from elsewhere during jobs."""

        def elsewhere(_: Path) -> None:
            self.github.sh(meanwhile, self._clone())

        between = dict.fromkeys(during, elsewhere)
        return self._run("labeled", body, label=label, by=by, between=between)

    def _run(
        self,
        action: str,
        body: str,
        *,
        label: str = "",
        by: str = READER,
        changes: str = "",
        between: Any = None,
    ) -> dict[str, str]:
        event = {
            "github.event.action": action,
            "github.event.changes.body": changes,
            "github.event.issue.title": "Add: my blog",
            "github.event.issue.state": "open",
            "github.event.issue.number": "7",
            "github.event.issue.body": body,
            "github.event.label.name": label,
            "github.event.sender.login": by,
        }
        self.github.answers[COMMENTS] = "\n".join(self.comments)
        jobs = self.github.run("add.yml", event=event, between=between)
        return {name: job.result for name, job in jobs.items()}

    @property
    def calls(self) -> list[Call]:
        """What `gh` was called for, but to ask."""
        return [call for call in self.github.calls if call.tool == "gh" and call.words[0] != "api"]

    @property
    def comments(self) -> list[str]:
        """What was said in the issue."""
        said = [call for call in self.calls if call.words[:3] == ["issue", "comment", "7"]]
        return [call.said if call.said is not None else call.words[-1] for call in said]

    def feeds(self) -> list[Any]:
        """The feeds of the config as it is in the repository now."""
        config = yaml.safe_load((self._clone() / "config.yaml").read_text(encoding="utf-8"))
        return list(config["feeds"])

    def _clone(self) -> Path:
        folder = self._folder / "clone"
        shutil.rmtree(folder, ignore_errors=True)
        self.github.sh(f"git clone --quiet --depth 1 file://{self.github.remote} {folder}")
        return folder


def body(address: str, name: str = "_No response_", note: str = "_No response_") -> str:
    """The text of an issue, as GitHub writes it."""
    return (
        f"### Address\r\n\r\n{address}\r\n\r\n### Name\r\n\r\n{name}\r\n\r\n### Note\r\n\r\n{note}"
    )


@pytest.fixture
def repository(tmp_path: Path, server: Server) -> Repository:
    return Repository(tmp_path, server.url("/old"))


def test_a_form_of_anybody_is_answered_and_added_with_a_label(
    repository: Repository, server: Server
) -> None:
    form = body(server.feed("/new", rss("a", name="Two"), etag='"1"'), name="Ann")

    first = repository.edited(form, changes="### Address")
    (answer,) = repository.comments
    others = [repository.edited(form, changes=""), repository.labeled(form, label="question")]
    second = repository.labeled(form)

    assert [first, *others, second] == [ANSWERED, ended(), ended(), ADDED]
    assert answer.startswith("**Two** can be added.\n")
    assert "adds it with the label `accepted`" in answer
    assert repository.feeds()[1:] == [{"url": server.url("/new"), "name": "Ann"}]
    assert repository.comments[1].startswith("**Two** is added.\n")
    assert repository.calls[-1].words[:3] == ["issue", "close", "7"]
    assert server.paths == ["/new", "/new"]


def test_only_those_who_may_write_add_what_was_answered(
    repository: Repository, server: Server
) -> None:
    form, other = (body(server.feed(path, rss("a"))) for path in ("/new", "/other"))

    early = repository.labeled(form)
    repository.opened(form)
    by_reader = repository.labeled(form, by=READER)
    edited = repository.labeled(other)

    assert [early, by_reader, edited] == [ended("ask")] * 3
    told = [repository.comments[number] for number in (0, 2, 3)]
    words = ["has no answer yet", "Only those who may write", "was edited after that"]
    assert [word in comment for word, comment in zip(words, told, strict=True)] == [True] * 3
    assert len(repository.feeds()) == 1
    assert server.paths == ["/new"]


ATTACKS = """\
`touch HACKED` $(touch HACKED) '; touch HACKED; ' "; touch HACKED; " $HOME %s \\n
::set-output name=answer::yes
${{ github.token }} @everybody <img src=x onerror=alert(1)> <!-- planet -->"""


@cases(
    "form",
    case("in its fields", body(*[ATTACKS.replace("\n", " ")] * 2)),
    case("in place of a form", ATTACKS),
    case("as options", body("--form=/etc/passwd", name="--config=x")),
)
def test_an_attack_is_answered_and_does_nothing(
    repository: Repository, form: str, tmp_path: Path
) -> None:
    result = repository.opened(form)
    labeled = repository.labeled(form)

    answer = repository.comments[0]
    assert [result, labeled] == [ANSWERED, ended("ask")]
    assert answer.startswith("This feed cannot be added as it is.\n")
    assert answer.endswith("\nEdit the form above, and it is looked at again.\n")
    for word in ("@everybody", "<img", "<!--", "${{", "$(", "\n::"):
        assert word not in answer
    assert list(tmp_path.rglob("HACKED")) == []


def test_what_a_note_says_changes_nothing(
    repository: Repository, server: Server, tmp_path: Path
) -> None:
    form = body(server.feed("/new", rss("a")), note=f"{ATTACKS}\n### Address\n\nx")

    repository.opened(form)
    result = repository.labeled(form)

    assert result == ADDED
    assert repository.feeds()[1:] == [server.url("/new")]
    assert list(tmp_path.rglob("HACKED")) == []


COMMENTED = """
    echo "# Mine" >> config.yaml
    git commit --quiet --all --message Mine
    git push --quiet origin main
"""


def test_a_config_that_others_change_meanwhile_is_added_to_again(
    repository: Repository, server: Server
) -> None:
    form = body(server.feed("/new", rss("a")))
    repository.opened(form)

    once = repository.labeled(form, meanwhile=COMMENTED, during=["add"])
    config = (repository._clone() / "config.yaml").read_text(encoding="utf-8")

    assert once == ADDED_AGAIN
    assert server.url("/new") in config
    assert config.endswith("# Mine\n")


def test_a_mistake_in_the_config_ends_the_run_without_an_answer(
    repository: Repository, server: Server
) -> None:
    repository.github.sh(COMMENTED.replace("# Mine", "titel: x"), repository._clone())

    result = repository.opened(body(server.feed("/new", rss("a"))))

    assert result == ended(failed="check")
    assert repository.comments == []


def test_what_reads_forms_writes_nothing_and_what_writes_runs_no_planet() -> None:
    workflow = CHECKOUT / ".github/workflows/add.yml"
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]

    for job in jobs.values():
        reads = any(step.get("uses") == "./.planet" for step in job["steps"])
        assert reads == ("planet add" in str(job["steps"]))
        assert reads != ("write" in job["permissions"].values())
        assert reads != ("GH_TOKEN" in str(job["steps"]))


def test_the_form_asks_for_what_is_read_of_it() -> None:
    template, caller = (
        yaml.safe_load((STARTER / name).read_text(encoding="utf-8"))
        for name in ("add-form.yml", "callers/add.yml")
    )

    labels = [field["attributes"]["label"] for field in template["body"] if "id" in field]

    assert labels == ["Address", "Name", "Note"]
    adds = f"startsWith(github.event.issue.title, '{template['title'].strip()}')"
    assert caller["jobs"]["planet"]["if"].startswith(adds)
