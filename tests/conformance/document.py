"""Promises and scenarios → `docs/politeness.md`, the page that the User-Agent names."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from planet.schedule import constants
from tests.conformance.invariants import INVARIANTS
from tests.conformance.numbers import NUMBERS
from tests.conformance.promises import THEMES
from tests.conformance.scenarios import MODULES, SCENARIOS
from tests.conformance.spoken import spoken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conformance.promises import Promise, Theme

ROOT = Path(__file__).parents[2]
PATH = ROOT / "docs/politeness.md"
_FRAME = Template((Path(__file__).parent / "page.md").read_text(encoding="utf-8"))
_TESTS = "../tests"


def document() -> str:
    """The whole page."""
    numbers = (f"| {number.meaning} | {number.value} | `{number.name}` |" for number in NUMBERS)
    return _FRAME.substitute(
        retry_after=spoken(constants.RETRY_AFTER_MAX),
        learned_for=spoken(constants.LEARNED_FOR),
        invariants="\n".join(f"- {invariant.promise}" for invariant in INVARIANTS),
        themes="\n\n".join(map(_theme, THEMES)),
        numbers="\n".join(numbers),
        count=len(SCENARIOS),
        tests=_TESTS,
        example=SCENARIOS[0].name,
    )


def _theme(theme: Theme) -> str:
    return "\n\n".join([f"## {theme.title}", theme.words, *map(_promise, theme.promises)])


def _promise(promise: Promise) -> str:
    """A promise, and folded away below it the tests that show it."""
    shown = list(_shown(promise))
    return "\n\n".join(
        [
            f"### {promise.title}",
            promise.words,
            f"<details><summary>{_summary(promise)}</summary>",
            *shown,
            "</details>",
        ]
    )


def _summary(promise: Promise) -> str:
    count = len(promise.elsewhere)
    count += sum(scenario.rule == promise.rule for scenario in SCENARIOS)
    return f"{promise.rule}, 1 test" if count == 1 else f"{promise.rule}, {count} tests"


def _shown(promise: Promise) -> Iterator[str]:
    for module in MODULES:
        shown = [each.promise for each in module.SCENARIOS if each.rule == promise.rule]
        if shown:
            file = module.__name__.removeprefix("tests.").replace(".", "/") + ".py"
            yield f"By {_link(file)}, Planet"
            yield "\n".join(f"- {sentence}" for sentence in shown)
    for each in promise.elsewhere:
        yield f"By {_link(each.file)}, Planet"
        yield f"- {each.promise}"


def _link(file: str) -> str:
    """A link to a file of tests."""
    return f"[{file}]({_TESTS}/{file})"
