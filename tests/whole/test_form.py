"""The workflow that answers forms: its shell steps, played over real repositories."""

import re
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml

from planet.model import handle
from tests.cases import case, cases
from tests.server import Server
from tests.whole.conftest import CHECKOUT, rss
from tests.whole.playing import GitHub, Job, needs_tools, read

pytestmark = needs_tools
JOBS = read(".github/workflows/form.yml").get("jobs", {})
STARTER = CHECKOUT / "planet" / "starter"
EPISODE = (
    b"<item><title>Joints</title><guid>joints</guid>"
    b"<enclosure url='https://bench.example/joints.mp3' type='audio/mpeg' length='1000'/></item>"
)


def form(**fields: str) -> str:
    """The text of an issue, as GitHub writes it."""
    parts = (f"### {label.capitalize()}\r\n\r\n{text}" for label, text in fields.items())
    return "\r\n\r\n".join(parts)


def blog(address: str, name: str = "_No response_", note: str = "_No response_") -> str:
    return form(address=address, name=name, note=note)


class Repository:
    """A planet's repository in which issues are opened and get labels."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.github, self._folder = GitHub(folder), folder
        self.bench = server.feed(
            "/bench.xml", rss("a").replace(b"</channel>", EPISODE + b"</channel>")
        )
        feeds = [{"url": self.bench, "picks": "also"}]
        settings = {"title": "A planet", "fetch": {"host_gap": "0s"}, "feeds": feeds}
        self.github.push({"config.yaml": yaml.safe_dump(settings, sort_keys=False)})
        for who, may in {"editor": "write", "stranger": "read"}.items():
            self.github.answer(f"collaborators/{who}/permission", may)
        self.github.answer("issues/7/comments", "")

    def event(
        self,
        body: str,
        *,
        action: str = "opened",
        title: str = "Add: my blog",
        by: str = "stranger",
        edited: str = "null",
        label: str = "",
        meanwhile: Callable[[], object] | None = None,
    ) -> list[Job]:
        """Let something happen to the issue; the jobs that ran."""
        known = {
            "github.repository": self.github.repository,
            "github.event.action": action,
            "github.event.issue.body": body,
            "toJSON(github.event.changes.body)": edited,
            "github.event.issue.number": "7",
            "github.event.issue.title": title,
            "github.event.label.name": label,
            "github.event.sender.login": by,
        }
        self.github.checkout()
        ask = self.github.play(JOBS["ask"]["steps"], known)
        known["needs.ask.outputs.task"] = ask.said("ask", "task")
        if not known["needs.ask.outputs.task"]:
            return [ask]
        reading = self.github.play(JOBS["read"]["steps"], known)
        if not reading.well:
            return [ask, reading]
        shutil.move(self.github.work / "result", self._folder / "result")
        if meanwhile is not None:
            meanwhile()
        # A new machine, without a checkout.
        shutil.rmtree(self.github.work)
        self.github.work.mkdir()
        shutil.move(self._folder / "result", self.github.work / "result")
        writing = self.github.play(JOBS["write"]["steps"], known)
        return [ask, reading, writing]

    def accept(self, body: str, by: str = "editor", **how: Any) -> list[Job]:
        return self.event(body, action="labeled", label="accepted", by=by, **how)

    def answered(self, *marks: str) -> None:
        """Let the comments of the planet in the issue have these marks."""
        self.github.answer(
            "issues/7/comments", "\n".join(f"<!-- planet {mark} -->" for mark in marks)
        )

    def file(self, name: str = "config.yaml", branch: str = "main") -> Any:
        """What is in a file of the repository; None when it is not there."""
        git = f"git -C {self.github.remote}"
        if not self.github.sh(f"{git} ls-tree {branch} {name}"):
            return None
        return yaml.safe_load(self.github.sh(f"{git} show {branch}:{name}"))

    def feeds(self, branch: str = "main") -> list[Any]:
        """The feeds that were added."""
        return list(self.file(branch=branch)["feeds"][1:])


def mark(body: str) -> str:
    return sha256(body.encode()).hexdigest()


@pytest.fixture
def repository(tmp_path: Path, server: Server) -> Repository:
    return Repository(tmp_path, server)


def test_a_blog_is_answered_and_added_with_a_label(repository: Repository, server: Server) -> None:
    body = blog(server.feed("/new", rss("a", name="Two"), etag='"1"'), name="Ann")

    first = repository.event(body)
    answer = repository.github.calls()
    others = [
        repository.event(body, action="edited"),
        repository.event(body, action="labeled", label="question"),
    ]
    repository.answered(mark(body))
    second = repository.accept(body)

    assert [job.well for job in first + second] == [True] * 6
    assert [len(jobs) for jobs in others] == [1, 1]
    assert f"    config.yaml:7:8  {server.url('/new')} would be added as Ann\n" in answer
    assert f"with the label `accepted`.\n<!-- planet {mark(body)} -->" in answer
    added = {"url": server.url("/new"), "name": "Ann", "public": True}
    assert repository.feeds() == [added]
    assert "/new is added as Ann\n" in repository.github.calls()
    assert "issue close 7" in repository.github.calls()
    assert server.paths == ["/new", "/new"]


@cases(
    "by, marks, words",
    case("who may not write", "stranger", ["{}"], "Only those who may write"),
    case("without an answer", "editor", [], "does not say that this form can be added"),
    case("after an answer to another form", "editor", ["a1"], "does not say"),
    case("after a later answer that says no", "editor", ["{}", "no"], "does not say"),
)
def test_nothing_is_added_by_a_label(
    repository: Repository, server: Server, by: str, marks: list[str], words: str
) -> None:
    body = blog(server.feed("/new", rss("a")))
    repository.answered(*(each.format(mark(body)) for each in marks))

    jobs = repository.accept(body, by=by)

    assert (len(jobs), words in repository.github.calls()) == (1, True)
    assert (repository.feeds(), server.paths) == ([], [])


# What would be something else to a shell, to the runner, to Markdown, or to YAML.
ATTACK = """`touch HACKED` $(touch HACKED) '; touch HACKED; ' "; touch HACKED; " $HOME %s \\n"""
LINES = f"""{ATTACK}
::set-output name=answer::yes
${{{{ github.token }}}} @everybody <img src=x onerror=alert(1)> <!-- planet a1 -->
### Address

x
- two: [three
# four
..."""


@cases(
    "body",
    case("words in its fields", blog(ATTACK, name=ATTACK)),
    case("no form", LINES),
    case("options", blog("--form=/etc/passwd", name="--config=x")),
    case("an address with a password", blog("https://ann:secret@blog.example/feed")),
)
def test_what_cannot_be_added_is_answered_and_does_nothing(
    repository: Repository, body: str
) -> None:
    jobs = repository.event(body)

    answer = repository.github.calls()
    assert [job.well for job in jobs] == [True] * 3
    assert "\n    Error: " in answer
    assert "it is looked at again.\n<!-- planet no -->" in answer
    for word in ("<!-- planet a1", "\n::", "secret"):
        assert word not in answer
    for line in answer.splitlines():
        # Only as code, in which it mentions nobody.
        assert line.startswith("    ") or not re.search(r"@everybody|<img|\$\{\{|\$\(", line)
    assert list(repository.github.folder.rglob("HACKED")) == []


def test_what_somebody_else_writes_meanwhile_stays(repository: Repository, server: Server) -> None:
    body = blog(server.feed("/new", rss("a")))
    config = (repository.github.folder / "clone" / "config.yaml").read_text()
    repository.answered(mark(body))

    def change(before: str = "", after: str = "") -> None:
        repository.github.sh(f"git -C {repository.github.folder}/clone pull --quiet")
        repository.github.push({"config.yaml": f"{before}{config}{after}"})

    repository.accept(body, meanwhile=lambda: change(before="# Mine\n"))
    there = (
        repository.file(),
        "# Mine"
        in repository.github.sh(f"git -C {repository.github.remote} show main:config.yaml"),
    )
    change(before="# Again\n")
    repository.accept(body, meanwhile=lambda: change(after=f"- {server.url('/mine')}\n"))

    added = {"url": server.url("/new"), "public": True}
    assert (there[0]["feeds"][1:], there[1]) == ([added], True)
    # The same lines: somebody has to look at both.
    assert repository.feeds() == [server.url("/mine")]
    assert repository.feeds("form-7") == [{"url": server.url("/new"), "public": True}]


def test_where_nobody_may_push_it_is_proposed(repository: Repository, server: Server) -> None:
    hook = repository.github.remote / "hooks" / "update"
    hook.write_text('#!/bin/sh\n[ "$1" != refs/heads/main ]\n')
    hook.chmod(0o755)
    body = blog(server.feed("/new", rss("a", name="Two")))
    repository.answered(mark(body))

    jobs = repository.accept(body)

    assert jobs[-1].well
    added = {"url": server.url("/new"), "public": True}
    assert (repository.feeds(), repository.feeds("form-7")) == ([], [added])
    said = repository.github.calls()
    assert "pr create --base main --head form-7 --title Add a feed (#7) --body Closes #7." in said
    assert "It could not be written to main, so it is proposed: " in said
    assert "issue close" not in said


def test_an_episode_is_picked_by_those_who_may(repository: Repository) -> None:
    known = handle(repository.bench, "joints")
    state = repository.github.folder / "known"
    repository.github.checkout()
    repository.github.sh(f"cd {repository.github.work}; planet build --state {state}")
    pick = form(episode=known, note=LINES)
    title = "Pick: Joints"
    checkout = repository.github.checkout

    def restored() -> None:
        checkout()
        shutil.copytree(state, repository.github.work / "state")

    repository.github.checkout = restored  # type: ignore[method-assign]
    no = repository.event(pick, title=title)
    odd = repository.event(form(episode="../0", note="x"), title=title, by="editor")
    unpicked = repository.file("picks.yaml")
    yes = repository.event(pick, title=title, by="editor")

    assert (len(no), len(odd), unpicked) == (1, 3, None)
    assert "Only those who may write" in repository.github.calls()
    assert "\n\nNothing was written down." in repository.github.calls()
    assert [job.well for job in yes] == [True] * 3
    (picked,) = repository.file("picks.yaml")["picks"]
    assert picked["title"] == "Joints"
    assert picked["note"] == " ".join(LINES.split())
    assert "issue close 7" in repository.github.calls()
    assert list(repository.github.folder.rglob("HACKED")) == []


def test_what_reads_forms_writes_nothing_and_what_writes_runs_no_planet() -> None:
    for job in JOBS.values():
        reads = any(step.get("uses") == "./.planet" for step in job["steps"])
        assert reads == ("--form" in str(job["steps"]))
        assert reads != ("write" in job["permissions"].values())
        assert reads != ("GH_TOKEN" in str(job["steps"]))


@cases(
    "name, labels, title",
    case("a blog", "add", ["Address", "Name", "Note"], "Add:"),
    case("an episode", "pick", ["Episode", "Note"], "Pick:"),
)
def test_a_form_asks_for_what_is_read_of_it(name: str, labels: list[str], title: str) -> None:
    template = yaml.safe_load((STARTER / f"ISSUE_TEMPLATE/{name}.yml").read_text("utf-8"))

    asked = [field["attributes"]["label"] for field in template["body"] if "id" in field]

    assert (asked, template["title"].strip()) == (labels, title)
    assert f"'{title}'" in (STARTER / "workflows/form.yml").read_text("utf-8")
