"""Planet keeps its promises to publishers: every scenario, and every invariant in it."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from planet.config.settings import Fetch
from planet.http.connection import CONNECT_TIMEOUT, DECODED_FACTOR, IDLE_TIMEOUT
from planet.http.redirects import MAX_REDIRECTS, REDIRECT_WAIT
from planet.http.session import ADDRESS_CONNECTIONS, MAX_VALIDATOR
from planet.model import FetchPolicy
from planet.run.pictures import AGAIN
from planet.run.workers import Workers
from planet.schedule import waits
from tests.conformance.expectations import differences, story
from tests.conformance.invariants import broken
from tests.conformance.notation import Scenario
from tests.conformance.runner import play
from tests.conformance.scenarios import SCENARIOS
from tests.docs import page

RULES = re.findall(r"^- (R\d+) (.+)$", page("politeness.md"), re.MULTILINE)
ELSEWHERE = {"R49"}
"""Held by tests that the page names."""
POLICY = FetchPolicy()
NUMBERS: dict[str, set[object]] = {
    "R2": {MAX_VALIDATOR},
    "R6": {waits.AUDIT, waits.AUDIT_GAPS},
    "R7": {waits.LONG},
    "R9": {waits.IGNORED_AFTER, waits.FLOOR_IGNORED},
    "R11": {waits.LIFETIME_PLAUSIBLE, waits.HINT_MAX},
    "R15": {waits.HINT_MAX},
    "R16": {waits.HINT_MAX},
    "R17": {waits.SKIP_PATIENCE},
    "R20": {waits.RECENT_POSTS, waits.LONG_QUIET},
    "R23": {waits.FLOOR, POLICY.whole_interval},
    "R25": {waits.LEARNED_FOR},
    "R26": {waits.BACKOFF_MAX, waits.PATIENCE, waits.LADDER_MAX, waits.OVERLOAD},
    "R27": {waits.RETRY_AFTER_MAX, waits.HINT_MAX, REDIRECT_WAIT},
    "R28": {waits.FORBIDDEN, waits.LADDER_MAX, waits.FORBIDDEN_STRIKES, waits.PATIENCE},
    "R29": {waits.NOT_FOUND_STRIKES, waits.PATIENCE, waits.LONG},
    "R31": {waits.LONG, waits.PATIENCE},
    "R34": {MAX_REDIRECTS},
    "R35": {waits.ADOPT_TIMES, waits.ADOPT_SPAN},
    "R38": {
        *(POLICY.max_size, DECODED_FACTOR, waits.LONG, POLICY.timeout),
        *(timedelta(seconds=CONNECT_TIMEOUT), timedelta(seconds=IDLE_TIMEOUT)),
    },
    "R47": {AGAIN},
    "R50": {Fetch().host_gap, waits.GAP_MAX, ADDRESS_CONNECTIONS},
    "R51": {waits.FORCE_GAP, waits.WHOLE_AGAIN},
}
"""Every number that a rule names in figures."""


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])
def test_planet(scenario: Scenario, tmp_path: Path, workers: Workers) -> None:
    seen = play(scenario, tmp_path, workers)

    assert (differences(scenario, seen), broken(scenario, seen)) == ([], []), story(seen)


def test_each_rule_of_the_page_is_there_once_and_has_a_scenario() -> None:
    rules = [rule for rule, _ in RULES]

    assert sorted(rules) == sorted({scenario.rule for scenario in SCENARIOS} | ELSEWHERE)


def test_the_numbers_of_the_page_are_those_of_the_program() -> None:
    told = {rule: numbers for rule, words in RULES if (numbers := _numbers(words))}

    assert told == NUMBERS


def _numbers(words: str) -> set[object]:
    """The numbers outside of code: `7 days` as a span of time, `8 MiB` in bytes."""
    found = re.findall(r"(\d+)(?: (second|minute|hour|day|MiB)s?\b)?", re.sub(r"`.*?`", "", words))
    return {_value(int(number), unit) for number, unit in found}


def _value(number: int, unit: str) -> object:
    if unit == "MiB":
        return number * 1024**2
    return timedelta(**{f"{unit}s": number}) if unit else number
