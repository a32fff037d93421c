"""What the commands tell the runner of GitHub Actions: outputs, a page, and remarks on lines."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from planet.model import FeedState
from planet.store import Store
from tests.cases import case, cases
from tests.server import Response, Server
from tests.whole.conftest import NOON, call, rss

LONG_AGO = NOON.replace(year=2020)
HOSTILE = "::error::a | <b>@me</b> ![x](https://evil.example/x)"


@dataclass(frozen=True, slots=True)
class Runner:
    """A repository on a runner, in which the commands are called."""

    folder: Path

    def configure(self, *feeds: object, **settings: Any) -> None:
        """A config with a feed on each line, beginning with the second one."""
        said = {"title": "A planet", "fetch": {"host_gap": "0s"}, **settings}
        lines = ",\n".join(json.dumps(feed) for feed in feeds)
        text = f'{json.dumps(said)[:-1]}, "feeds": [\n{lines}\n]}}'
        (self.folder / "config.yaml").write_text(text, encoding="utf-8")

    def call(self, *argv: str) -> tuple[int, list[str], str]:
        """A command: how it ended, the remarks it made, and all it printed."""
        code, out, err = call(*argv)
        return code, [line for line in err.splitlines() if line.startswith("::")], out + err

    def outputs(self) -> str:
        file = self.folder / "output"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def page(self) -> str:
        return (self.folder / "summary").read_text(encoding="utf-8")

    def known(self, url: str, **changes: Any) -> None:
        """What the state is to know of a feed."""
        state = FeedState(key=url, url=url, attempted_at=LONG_AGO, settled_at=LONG_AGO, **changes)
        with Store.open(self.folder / "state") as store:
            store.keep(state)


@pytest.fixture
def runner(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    files = {"OUTPUT": "output", "STEP_SUMMARY": "summary", "WORKSPACE": str(folder)}
    for name, value in {"ACTIONS": "true", **files}.items():
        monkeypatch.setenv(f"GITHUB_{name}", value)
    return Runner(folder)


def outputs(*, changed: str = "false", new: int = 0, failed: int = 0) -> str:
    return f"changed={changed}\nnew_entries={new}\nfailed_feeds={failed}\n"


# Outputs


def test_a_run_tells_the_next_steps_what_came_of_it(runner: Runner, server: Server) -> None:
    bad = server.script("/bad", Response(status=500))
    runner.configure(server.feed("/one", rss("a", "b", name="One")), bad)

    first, *_ = runner.call("build")
    second, *_ = runner.call("build")

    assert (first, second) == (0, 0)
    assert runner.outputs() == outputs(changed="true", new=2, failed=1) + outputs()


def test_a_run_in_which_all_feeds_fail_changes_nothing(runner: Runner, server: Server) -> None:
    runner.configure(server.script("/bad", Response(status=500)))

    code, said, _ = runner.call("build")

    assert (code, runner.outputs()) == (4, outputs(failed=1))
    assert "::error::every feed failed; the site stays as it was" in said
    assert "every feed failed; the site stays as it was." in runner.page()


def test_a_run_that_cannot_begin_has_changed_nothing(runner: Runner, server: Server) -> None:
    runner.configure(server.url("/one"))

    with Store.open(runner.folder / "state"):
        code, said, _ = runner.call("build")

    assert (code, runner.outputs(), server.requests) == (5, outputs(), [])
    assert [line.partition(" ")[0] for line in said] == ["::error::another"]
    assert "another" in runner.page()


@pytest.mark.parametrize("name", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"])
def test_a_file_of_the_runner_that_cannot_be_written_is_told(
    runner: Runner, server: Server, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, str(runner.folder))
    runner.configure(server.feed("/one", rss("a", name="One")))

    code, _, printed = runner.call("build")

    assert code == 5
    assert f"{name} cannot be written: {runner.folder}: Is a directory" in printed


# Remarks


def test_a_feed_is_remarked_on_at_its_third_failure_only(runner: Runner, server: Server) -> None:
    bad = server.script("/bad", Response(status=500))
    runner.configure(server.feed("/one", rss("a", name="One")), {"url": bad, "name": HOSTILE})
    trouble = {"error_kind": "http_500", "error": "500", "succeeded_at": LONG_AGO}
    said = []

    for failures in (1, 2, 3):
        runner.known(bad, failures=failures, failing_since=LONG_AGO, **trouble)
        said.append(runner.call("build")[1])

    assert [len(each) for each in said] == [0, 1, 0]
    assert said[1][0].startswith(
        "::warning file=config.yaml,line=3,col=9::: :error::a | <b>@me</b>"
    )
    assert "(3 times in a row). It is asked less and less often" in said[1][0]


def test_a_feed_that_is_gone_is_remarked_on_at_once(runner: Runner, server: Server) -> None:
    gone = server.script("/gone", Response(status=410))
    runner.configure(server.feed("/one", rss("a", name="One")), gone)

    _, said, _ = runner.call("build")

    assert len(said) == 1
    assert said[0].startswith("::warning file=config.yaml,line=3,col=1::http://127")
    assert "Its publisher took it away" in said[0]


def test_feeds_in_trouble_stay_on_the_page_meanwhile(runner: Runner, server: Server) -> None:
    bad = {"url": server.url("/bad"), "name": HOSTILE}
    runner.configure(server.feed("/one", rss("a", name="One")), bad)
    waits = {"due_at": LONG_AGO.replace(year=2999), "failures": 9}
    runner.known(server.url("/bad"), error_kind="http_500", error="500 <b>", **waits)

    _, said, _ = runner.call("build")

    assert said == []
    page = runner.page()
    name = "&#58; :error::a &#124; &#60;b&#62;@\u200bme&#60;/b&#62; !&#91;x"
    assert f"\n- {name}" in page
    assert "500 &#60;b&#62; (9 times in a row)" in page


# Of the config


@pytest.mark.parametrize("command", ["check", "build", "fetch", "render", "status", "export"])
def test_mistakes_are_remarked_on_by_every_command_that_reads(runner: Runner, command: str) -> None:
    runner.configure(*({"url": f"https://{number}.example/", "x": 1} for number in range(11)))

    code, said, printed = runner.call(command)

    assert code == 2
    assert [line.partition(",col=")[0] for line in said] == [
        f"::error file=config.yaml,line={number + 2}" for number in range(10)
    ]
    assert printed.count("has no setting") == 10 + 3
    assert "config.yaml:5:31  and 8 more like the one above" in printed
    assert runner.page().count("has no setting") == 11
    told = {"build": outputs(), "render": "changed=false\n"}
    assert runner.outputs() == told.get(command, "")


@cases(
    "theme, words",
    case("theme", "baroque", 'there is no theme "baroque"'),
    case("option", {"name": "default", "options": {"gilded": True}}, 'no option "gilded"'),
)
def test_nobody_is_asked_when_there_is_no_such_theme_or_option(
    runner: Runner, server: Server, theme: object, words: str
) -> None:
    runner.configure(server.url("/one"), theme=theme)

    code, said, _ = runner.call("build")

    assert (code, server.requests, runner.outputs()) == (2, [], outputs())
    assert said[0].startswith("::error file=config.yaml,line=1,")
    assert words in said[0]


# On a pull request


def test_a_config_without_mistakes_is_told_on_the_page(runner: Runner) -> None:
    runner.configure("https://one.example/")

    code, said, _ = runner.call("check")

    assert (code, said) == (0, [])
    assert runner.page() == "### Planet\n\nconfig.yaml: no mistake found; 1 feed.\n\n"


def test_feeds_that_were_asked_are_told_on_their_lines(runner: Runner, server: Server) -> None:
    bad = server.feed("/bad", b"<!doctype html><title>A page</title>")
    runner.configure(server.feed("/well", rss("a", "b", name="Well")), bad)

    code, said, _ = runner.call("check", "--online")

    assert code == 3
    places = [line.partition("::http")[0] for line in said]
    assert places == ["::warning file=config.yaml,line=3,col=1"]
    page = runner.page()
    assert page.startswith("### Planet\n\n2 of 2 feeds looked at, 1 with news, ")
    assert ": this is a web page, not a feed" in page
    assert "config.yaml: no mistake found; 2 feeds.\n" in page
