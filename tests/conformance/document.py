"""Promises and scenarios → `docs/politeness.md`, the page that the User-Agent names."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from string import Template

from planet.schedule import constants
from tests.conformance.numbers import NUMBERS
from tests.conformance.promises import THEMES, Promise, Theme
from tests.conformance.scenarios import MODULES, SCENARIOS
from tests.conformance.spoken import spoken

ROOT = Path(__file__).parents[2]
PATH = ROOT / "docs/politeness.md"
_FRAME = Template((Path(__file__).parent / "page.md").read_text(encoding="utf-8"))
_TESTS = "../tests"


def document() -> str:
    numbers = (f"| {number.meaning} | {number.value} | `{number.name}` |" for number in NUMBERS)
    return _FRAME.substitute(
        retry_after=spoken(constants.RETRY_AFTER_MAX),
        learned_for=spoken(constants.LEARNED_FOR),
        themes="\n\n".join(map(_theme, THEMES)),
        numbers="\n".join(numbers),
        count=len(SCENARIOS),
        example=SCENARIOS[0].name,
    )


def _theme(theme: Theme) -> str:
    """Rules that belong together: a row for each."""
    rows = ["| Rule | What it says | Tests |", "|---|---|---|", *map(_row, theme.promises)]
    return "\n\n".join([f"### {theme.title}", theme.words, "\n".join(rows)])


def _row(promise: Promise) -> str:
    """A promise, with the files of the tests that show it."""
    shown = Counter(_shown(promise))
    tests = ", ".join(f"[{count}]({_TESTS}/{file})" for file, count in shown.items())
    words = promise.words.replace("\n", " ")
    return f"| {promise.rule} | **{promise.title}.** {words} | {tests} |"


def _shown(promise: Promise) -> Iterator[str]:
    """The file of each test."""
    for module in MODULES:
        path = f"conformance/scenarios/{module.__name__.rpartition('.')[2]}.py"
        yield from (path for scenario in module.SCENARIOS if scenario.rule == promise.rule)
    yield from (test.file for test in promise.elsewhere)
