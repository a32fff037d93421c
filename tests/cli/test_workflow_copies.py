"""The workflows that are called, and the copies that `planet init --github-pages --own` writes."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from planet.cli import init
from tests.whole.conftest import CHECKOUT

pytestmark = pytest.mark.skipif(
    not (CHECKOUT / ".github").is_dir(), reason="compared where the repository is"
)
OWN = init.make_copies(config="config.yaml", minute=17, python="3.13")
CALLED = """\
      # Planet itself, at the commit of this workflow.
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          repository: ${{ job.workflow_repository }}
          ref: ${{ job.workflow_sha }}
          path: .planet
          persist-credentials: false
"""
"""What stands before the action is used in a workflow that is called."""
INSTALLS = ("Hash what is to be installed", "Install Planet")


def body(workflow: str) -> str:
    """What a workflow does, without when it does it."""
    return workflow[workflow.index("\npermissions: {}\n") :]


@pytest.mark.parametrize("name", ["publish", "check", "pick", "add"])
def test_a_workflow_that_is_called_does_what_its_copy_does(name: str) -> None:
    path = f".github/workflows/{name}.yml"
    called = body((CHECKOUT / path).read_text(encoding="utf-8"))

    own = body(OWN[path])

    own = re.sub(r"(?:# .*\n)?concurrency:\n(?: .*\n)+\n", "", own, count=1)
    called = called.replace(CALLED, "").replace("./.planet", "./.github/actions/planet")
    called = called.replace("${{ inputs.config }}", "config.yaml")
    assert called.replace("          secrets: ${{ secrets.environment }}\n", "") == own


def test_the_action_does_what_its_copy_does_but_for_where_planet_comes_from() -> None:
    ours = read((CHECKOUT / "action.yml").read_text(encoding="utf-8"))
    copy = read(OWN[".github/actions/planet/action.yml"])

    assert ours == copy


def read(action: str) -> dict[str, Any]:
    """An action without the steps that install Planet."""
    found: dict[str, Any] = yaml.safe_load(action)
    steps = found["runs"]["steps"]
    assert {step.get("name") for step in steps} >= set(INSTALLS)
    found["runs"]["steps"] = [step for step in steps if step.get("name") not in INSTALLS]
    return found


def test_the_example_of_this_repository_calls_what_others_call() -> None:
    text = (CHECKOUT / ".github/workflows/example.yml").read_text(encoding="utf-8")
    caller = (Path(init.__file__).parents[1] / "starter/callers/publish.yml").read_text()

    (example,), (written,) = (yaml.safe_load(each)["jobs"].values() for each in (text, caller))

    assert example["uses"] == "./.github/workflows/publish.yml"
    assert example["permissions"] == written["permissions"]
