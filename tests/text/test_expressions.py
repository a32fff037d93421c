"""No regular expression takes more than linear time, whatever text it sees."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice

import pytest

from planet.model.secrets import Secret, _tables
from planet.text import policy
from planet.text.fallbacks import use_fallbacks
from tests.text.expressions import Expression, expressions, slow_inputs, unread

# Places and why nobody else's text comes there.
TRUSTED: Mapping[str, str] = {
    "planet.cli.init._REQUIREMENT": "reads what the installed packages say that they need",
    "planet.config.checks._PUBLISHES": "reads the workflows beside the operator's config",
}

# Expressions that are made at run time, and why nothing here sees them, or what makes them.
MADE: Mapping[str, str | Callable[[], re.Pattern[str] | re.Pattern[bytes]]] = {
    "planet.cli.serve: fields": "looks into tags that this program writes",
    "planet.config.edits": "reads the operator's own config",
    "planet.config.value_kinds: before + body + after": "a filter, which ends after a time",
    "planet.config.value_kinds: text": "a filter, which ends after a time",
    "planet.config.value_kinds: expression": "reads the operator's own config",
    "planet.model.secrets": lambda: _tables((("KEY", Secret("s/1 ä+")),)).spelled,
    "planet.site.pages.theme": "reads the operator's own theme",
    "planet.site.pages.renderer": "reads the operator's own templates",
    "planet.text.policy": policy._clean,
}

# What its module calls by another name, and of which no place but the first is tried.
WHOLE: Mapping[str, str] = {
    "planet.parse.discovery._ENTRIES": "matches names of elements as a whole",
}


def _named(place: str, table: Mapping[str, object]) -> str | None:
    return next((name for name in table if place.startswith(name)), None)


def _first(expression: Expression) -> list[str]:
    return list(islice(slow_inputs(expression), 1))


@pytest.fixture(scope="module")
def found() -> list[Expression]:
    """All expressions of the package: to look for them takes seconds."""
    return list(expressions())


# In parts, so that several processes can share what takes a minute.
@pytest.mark.parametrize("part", range(4))
def test_no_expression_takes_more_than_linear_time(found: list[Expression], part: int) -> None:
    strangers = [one for one in found if _named(one.place, TRUSTED) is None]
    tried = [
        replace(one, methods=frozenset({"fullmatch"})) if one.place in WHOLE else one
        for one in strangers
    ]

    assert {one.place: slow for one in tried[part::4] if (slow := _first(one))} == {}
    assert len(tried) > 200


@pytest.mark.parametrize("place", [place for place, made in MADE.items() if callable(made)])
def test_an_expression_that_is_made_at_run_time_takes_linear_time(place: str) -> None:
    made = MADE[place]
    assert callable(made)

    assert _first(Expression(place, made(), frozenset())) == []


def test_each_expression_that_is_made_at_run_time_is_known_here() -> None:
    calls = list(unread())

    assert [call for call in calls if _named(call, MADE) is None] == []
    assert [name for name in MADE if not any(call.startswith(name) for call in calls)] == []


def test_each_exception_is_there(found: list[Expression]) -> None:
    places = [expression.place for expression in found]

    exceptions = [*TRUSTED, *WHOLE]

    assert [name for name in exceptions if not any(one.startswith(name) for one in places)] == []


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        pytest.param(r"%?\s*(?:<!\[CDATA\[|\]\]>)", "sub", id="blanks read from each of them"),
        pytest.param(r"<img [^>]*>", "findall", id="tags that do not end"),
        pytest.param(r"a\s*=\s*\"?\s*b", "search", id="blanks twice"),
        pytest.param(r"(.*)x(.*)y", "fullmatch", id="anything twice"),
    ],
)
def test_a_careless_expression_is_seen_to_be_one(pattern: str, method: str) -> None:
    assert _first(Expression("careless", re.compile(pattern), frozenset({method}))) != []


def test_a_formula_in_a_script_with_many_lines_is_read_in_linear_time() -> None:
    def seconds(lines: int) -> float:
        html = "<script type='math/tex'>" + "\n" * lines + "</script>"
        started = time.thread_time()
        use_fallbacks(html)
        return time.thread_time() - started

    assert min(seconds(20_000) for _ in range(3)) < 10 * min(seconds(5_000) for _ in range(3))
