"""`docs/politeness.md` says what is promised and shown, all of it, as it is now."""

import re

import pytest

from tests.conformance.document import PATH, ROOT, document
from tests.conformance.promises import PROMISES, Promise
from tests.conformance.scenarios import SCENARIOS


def test_the_page_is_up_to_date() -> None:
    assert PATH.read_text(encoding="utf-8") == document(), (
        "python -m tests.conformance > docs/politeness.md"
    )


def test_every_scenario_shows_a_promise_of_its_own() -> None:
    rules = [promise.rule for promise in PROMISES]
    names = [scenario.name for scenario in SCENARIOS]

    assert {scenario.rule for scenario in SCENARIOS} <= set(rules)
    assert (sorted(set(rules)), sorted(set(names))) == (sorted(rules), sorted(names))


def test_there_are_enough_scenarios() -> None:
    assert len(SCENARIOS) >= 120


@pytest.mark.parametrize("promise", PROMISES, ids=[promise.rule for promise in PROMISES])
def test_every_promise_is_shown(promise: Promise) -> None:
    for each in promise.elsewhere:
        assert f"def {each.name}(" in (ROOT / "tests" / each.file).read_text(encoding="utf-8")

    shown = [scenario for scenario in SCENARIOS if scenario.rule == promise.rule]
    assert shown or promise.elsewhere


def test_the_promises_stand_first_on_one_screen() -> None:
    promises, *_ = document().partition("\n## ")

    assert 8 <= len(re.findall(r"^- ", promises, re.MULTILINE)) <= 12
    assert len(promises.split()) <= 250
