"""Planet keeps its promises to publishers: every scenario, and every invariant in it."""

import re
from pathlib import Path

import pytest

from planet.run.workers import Workers
from tests.conformance.document import PAGE, PATH, document
from tests.conformance.expectations import differences, story
from tests.conformance.invariants import broken
from tests.conformance.notation import Scenario
from tests.conformance.runner import play
from tests.conformance.scenarios import SCENARIOS


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])
def test_planet(scenario: Scenario, tmp_path: Path, workers: Workers) -> None:
    seen = play(scenario, tmp_path, workers)

    assert (differences(scenario, seen), broken(scenario, seen)) == ([], []), story(seen)


def test_the_page_for_publishers_is_up_to_date() -> None:
    assert PATH.read_text(encoding="utf-8") == document(), (
        "python -m tests.conformance > docs/politeness.md"
    )


def test_the_page_has_each_rule_once_and_each_scenario_a_rule() -> None:
    rules = re.findall(r"^\| (R\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    assert len(rules) == len(set(rules))
    assert {scenario.rule for scenario in SCENARIOS} <= set(rules)
