"""`.github/workflows/check.yml`, as `planet init` writes it, played for pull requests."""

import json
from pathlib import Path

import pytest

from tests.server import Server
from tests.whole.conftest import rss
from tests.whole.hosting import begin
from tests.whole.playing import GitHub, needs_tools
from tests.whole.runner import Job

pytestmark = needs_tools
EVENT = {"github.ref": "refs/pull/7/merge"}


class Proposal:
    """A planet of one feed, and pull requests that change its config."""

    def __init__(self, folder: Path, publisher: Server) -> None:
        self.home = folder / "home"
        self.publisher = publisher
        self.old = publisher.feed("/old.xml", rss("one"), etag='"1"')
        self.new = publisher.feed("/new.xml", rss("two", name="Two"), etag='"2"')
        self.github = GitHub(folder / "world")
        begin(self.home, planet=self.github.planet)
        self.push("main", {"feeds": [self.old]})

    def push(self, branch: str, settings: dict[str, object]) -> None:
        text = json.dumps({"title": "A", "fetch": {"host_gap": "0s"}, **settings})
        (self.home / "config.yaml").write_text(text, encoding="utf-8")
        self.github.push(self.home, branch)

    def check(self, settings: dict[str, object]) -> Job:
        """Open a pull request that makes this of the config."""
        self.push("pull", settings)
        return self.github.run("check.yml", event=EVENT, branch="pull")["check"]

    def asked(self) -> list[str]:
        return self.publisher.paths


@pytest.fixture
def proposal(tmp_path: Path, server: Server) -> Proposal:
    return Proposal(tmp_path, server)


def test_a_feed_that_is_new_is_asked_and_told_of(proposal: Proposal) -> None:
    job = proposal.check({"feeds": [proposal.old, proposal.new]})

    assert job.result == "success"
    assert proposal.asked() == ["/new.xml"]
    assert "Two" in job.summary


def test_a_feed_that_does_not_work_ends_the_check(proposal: Proposal) -> None:
    job = proposal.check({"feeds": [proposal.old, proposal.publisher.url("/none.xml")]})

    assert job.result == "failure"
    assert "404" in job.summary
    assert "file=config.yaml,line=1" in job.log


def test_a_mistake_is_told_on_its_line_and_nobody_is_asked(proposal: Proposal) -> None:
    job = proposal.check({"feeds": [proposal.new], "titel": "A"})

    assert job.result == "failure"
    assert "::error file=config.yaml,line=1" in job.log
    assert "titel" in job.summary
    assert proposal.asked() == []


def test_all_feeds_of_a_first_config_are_asked(proposal: Proposal) -> None:
    (proposal.home / "config.yaml").unlink()
    proposal.github.push(proposal.home)

    job = proposal.check({"feeds": [proposal.old, proposal.new]})

    assert job.result == "success"
    assert sorted(proposal.asked()) == ["/new.xml", "/old.xml"]


def test_a_change_that_empties_the_published_site_is_told(proposal: Proposal) -> None:
    proposal.github.run("publish.yml")

    job = proposal.check({"feeds": [proposal.old], "filters": {"exclude": "all about"}})

    assert job.result == "success"
    assert "the site would lose 1 of 1 entry" in job.summary
    assert "::warning::the site would lose 1 of 1 entry" in job.log
