"""What it costs to see posts soon: this program beside ones that ask on the dot.

Run by hand with `pytest tests/benchmarks/test_rhythm.py -s`; it takes less than a minute and prints
the tables of docs/rhythm.md. Recorded feeds are replayed where there are any.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import time, timedelta
from pathlib import Path
from random import Random
from statistics import median, quantiles
from zoneinfo import ZoneInfo

import pytest

from planet.model import Timetable
from tests.benchmarks.histories import CORPUS, HOUR, KINDS, History, made_up, recorded
from tests.benchmarks.replay import QUARTER, WRITTEN, Result, every, planet, replay

DOCS = Path(__file__).parents[2] / "docs" / "rhythm.md"
PHASES = 4
"""A recorded feed is replayed so many times, each with cron at other minutes."""
HEAD = """\
| feeds | requests a day | of hourly | delay: Planet | hourly | 6 h | 24 h | missed |
|---|--:|--:|--:|--:|--:|--:|--:|"""

RUNS_HEAD = """\
| a run every | requests a day for one that posts a dozen times | delay | for all | delay |
|---|--:|--:|--:|--:|"""
BUSY = "a dozen a day, at any hour"

CALM_HEAD = """\
| asked | requests a day | in the first release after they were posted | missed |
|---|--:|--:|--:|"""

ZONES = (
    *("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu"),
    *("Pacific/Kiritimati", "Pacific/Pago_Pago", "Australia/Lord_Howe"),
)
"""In which editions come out at midnight."""

Replayed = list[tuple[History, list[Result]]]
"""Of each history: by this program, hourly, every 6 and every 24 hours."""


def replayed(histories: Iterable[History], *, cron: timedelta) -> Replayed:
    found: Replayed = []
    for number, history in enumerate(histories):
        ours = replay(history, planet(history), chance=Random(number), cron=cron)
        others = [
            replay(history, every(wait), chance=Random(number))
            for wait in (HOUR, 6 * HOUR, 24 * HOUR)
        ]
        found.append((history, [ours, *others]))
    return found


def row(name: str, of: Replayed) -> str:
    """A line of the table; delays are those of all posts, median and 90th percentile."""
    programs = [[results[number] for _, results in of] for number in range(4)]
    asked = per_day(programs[0])
    delays = [told(delay for each in program for delay in each.delays) for program in programs]
    missed = sum(each.missed for each in programs[0])
    share = f"{asked / per_day(programs[1]):.1%}".replace("%", " %")
    return f"| {name} | {asked:.1f} | {share} | {' | '.join(delays)} | {missed} |"


def per_day(program: Sequence[Result]) -> float:
    return sum(each.requests for each in program) / sum(each.days for each in program)


def told(delays: Iterable[timedelta]) -> str:
    minutes = [delay / timedelta(minutes=1) for delay in delays]
    if len(minutes) < 2:
        return "–"
    return f"{length(median(minutes))}, {length(quantiles(minutes, n=10)[-1])}"


def length(minutes: float) -> str:
    return f"{minutes:.0f} min" if minutes < 100 else f"{minutes / 60:.1f} h"


def weekly(of: Replayed) -> Replayed:
    return [(history, results) for history, results in of if history.is_weekly]


def delay(of: Replayed, number: int) -> timedelta:
    """The median over all posts of feeds that post at least weekly."""
    delays = [delay for _, results in weekly(of) for delay in results[number].delays]
    return timedelta(seconds=median(delay.total_seconds() for delay in delays))


def summary(of: Replayed) -> Iterator[str]:
    yield row("**all**", of)
    yield row("**at least weekly**", weekly(of))


def test_made_up_feeds() -> None:
    found = replayed(made_up(), cron=WRITTEN)

    rows = [row(kind, [each for each in found if each[0].kind == kind]) for kind in KINDS]
    table = "\n".join([HEAD, *rows, *summary(found)])
    print(f"\n\n{table}")
    planets, hourly = ([results[number] for _, results in found] for number in (0, 1))
    assert per_day(planets) <= per_day(hourly) / 4
    assert delay(found, 0) <= 2 * delay(found, 1)
    _, _, section = DOCS.read_text(encoding="utf-8").partition("## What it costs")
    documented = re.findall(r"^\|.*", section.partition("\n## ")[0], re.MULTILINE)
    assert len(documented) > HEAD.count("\n") + 1
    assert set(documented) <= set(table.splitlines())


def test_how_often_it_runs() -> None:
    rows, asked = [], []
    for name, cron in (("hour", HOUR), ("72 minutes", WRITTEN), ("15 minutes", QUARTER)):
        results = [
            (history, replay(history, planet(history), chance=Random(number), cron=cron))
            for number, history in enumerate(made_up())
        ]
        busy = [result for history, result in results if history.kind == BUSY]
        everything = [result for _, result in results]
        cells = [
            cell
            for group in (busy, everything)
            for cell in (f"{per_day(group):.1f}", told(d for each in group for d in each.delays))
        ]
        asked.append(per_day(busy))
        rows.append(f"| {name} | {' | '.join(cells)} |")

    table = "\n".join([RUNS_HEAD, *rows])
    print(f"\n\n{table}")
    assert asked[1] >= 20 > 1.6 * asked[0]
    assert table in DOCS.read_text(encoding="utf-8")


def test_feeds_that_only_calm_editions_show() -> None:
    """They are asked about once for each release, and nothing is lost by it."""
    midnights = [Timetable(at=time(), zone=ZoneInfo(zone)) for zone in ZONES]
    rows, found = [], []
    for name, is_calm in (("as usual", False), ("for a daily release", True)):
        posts, results = [], []
        for number, history in enumerate(made_up()):
            midnight = midnights[number % len(midnights)]
            asker = planet(history, *([midnight] if is_calm else []))
            result = replay(history, asker, chance=Random(number), cron=WRITTEN)
            results.append(result)
            posts += [(midnight.next(post), midnight.next(seen)) for post, seen in result.seen]
        found.append(results)
        at_first = sum(release == shown_by for release, shown_by in posts)
        missed = sum(result.missed for result in results)
        rows.append(
            f"| {name} | {per_day(results):.1f} | {100 * at_first / len(posts):.0f} % | {missed} |"
        )
    table = "\n".join([CALM_HEAD, *rows])
    print(f"\n\n{table}")
    usual, calm = found
    assert per_day(calm) <= per_day(usual) / 2
    assert sum(result.missed for result in calm) == 0
    assert table in DOCS.read_text(encoding="utf-8")


@pytest.mark.skipif(not CORPUS.is_dir(), reason="there are no recorded feeds")
def test_recorded_feeds() -> None:
    found = replayed((history for history in recorded() for _ in range(PHASES)), cron=WRITTEN)

    print(f"\n\n{len(found) // PHASES} recorded feeds")
    print("\n".join([HEAD, *summary(found)]))
    planets, hourly = ([results[number] for _, results in found] for number in (0, 1))
    assert per_day(planets) <= per_day(hourly) / 4
