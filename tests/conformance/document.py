"""Promises and scenarios → `docs/politeness.md`, the page that the User-Agent names."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from string import Template

from planet.schedule import constants
from tests.conformance.invariants import INVARIANTS
from tests.conformance.numbers import NUMBERS
from tests.conformance.promises import THEMES, Promise, Theme
from tests.conformance.scenarios import SCENARIOS
from tests.conformance.spoken import spoken

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
    """Rules that belong together: a row for each."""
    rows = ["| Rule | What it says | Shown by |", "|---|---|---|", *map(_row, theme.promises)]
    return "\n\n".join([f"### {theme.title}", theme.words, "\n".join(rows)])


def _row(promise: Promise) -> str:
    """A promise, with the tests that show it folded away."""
    shown = list(_shown(promise))
    count = "1 test" if len(shown) == 1 else f"{len(shown)} tests"
    tests = f"<details><summary>{count}</summary>Planet<ul>{''.join(shown)}</ul></details>"
    words = promise.words.replace("\n", " ")
    return f"| {promise.rule} | **{promise.title}.** {words} | {tests} |"


def _shown(promise: Promise) -> Iterator[str]:
    for scenario in SCENARIOS:
        if scenario.rule == promise.rule:
            yield f"<li>{escape(scenario.promise, quote=False)}</li>"
    for test in promise.elsewhere:
        yield f'<li><a href="{_TESTS}/{test.file}">{escape(test.promise, quote=False)}</a></li>'
