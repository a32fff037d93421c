"""`page.md`, its numbers and its tests filled in → `docs/politeness.md`, which User-Agent names."""

from collections import Counter
from datetime import timedelta
from pathlib import Path
from string import Template

from planet.config.resolved import Fetch
from planet.http import connection, crawl, redirects, session
from planet.model import FetchPolicy
from planet.schedule import constants
from tests.conformance.scenarios import MODULES, SCENARIOS

PAGE = Path(__file__).with_name("page.md")
PATH = Path(__file__).parents[2] / "docs/politeness.md"
_UNITS = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))
_SIZES = (("MiB", 1024**2), ("KiB", 1024))
_SETTINGS = ("host_gap", "max_interval", "max_size", "timeout", "whole_interval", "workers")


def document() -> str:
    """Return the page: `$NAME` is a number of the program, `$tests_R1` the scenarios of a rule."""
    defaults = (FetchPolicy(), Fetch())
    settings = {
        name: getattr(owner, name)
        for name in _SETTINGS
        for owner in defaults
        if hasattr(owner, name)
    }
    limits = vars(redirects) | vars(connection) | vars(session) | vars(crawl)
    numbers = {**limits, **vars(constants), **settings}
    words = {
        name: _words(value)
        for name, value in numbers.items()
        if isinstance(value, int | float | timedelta)
    }
    page = Template(PAGE.read_text(encoding="utf-8"))
    return page.substitute(words, **_tests(), count=len(SCENARIOS), example=SCENARIOS[0].name)


def _tests() -> dict[str, str]:
    """Return links to the scenarios of each rule, with their number."""
    counts = Counter(
        (scenario.rule, module.__name__.rpartition(".")[2])
        for module in MODULES
        for scenario in module.SCENARIOS
    )
    links: dict[str, list[str]] = {}
    for (rule, file), count in counts.items():
        link = f"[{count}](../tests/conformance/scenarios/{file}.py)"
        links.setdefault(f"tests_{rule}", []).append(link)
    return {name: ", ".join(each) for name, each in links.items()}


def _words(value: timedelta | float) -> str:
    """Return `1 hour` for a span or a float of seconds, `10%` for a share, `8 MiB` for a size."""
    if isinstance(value, int):
        sizes = (f"{value // worth} {unit}" for unit, worth in _SIZES if value % worth == 0)
        return next(sizes, str(value)) if value >= 2**16 else str(value)
    if isinstance(value, float) and value < 1:
        return f"{value:.0%}"
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    # A day is one day, but a time of one day is 24 hours in everybody's mind.
    unit, worth = next(
        (
            (name, worth)
            for name, worth in _UNITS
            if seconds % worth == 0 and (seconds > worth or name in ("hour", "second"))
        ),
        _UNITS[-1],
    )
    count = round(seconds / worth)
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
