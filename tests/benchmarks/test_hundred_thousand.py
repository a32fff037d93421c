"""What it costs to bring a large site to ten new entries, or to nothing new.

Run by hand with `pytest tests/benchmarks/test_hundred_thousand.py`; it takes minutes for a hundred
thousand entries, an hour for a million, and prints a table for each number. Nothing here fails
because of a time: only when the site is not the one that is made anew.

PLANET_BENCHMARK_ENTRIES ("100000 1000000"), PLANET_BENCHMARK_SOURCES (1000) and
PLANET_BENCHMARK_RUNS (3) set its size. CPU time says more than wall time on a machine that has
other things to do; so each figure stands beside a fixed loop, measured in the same run.

The planet has an archive of ten years: a thousand feeds have written so many entries, evenly. Every
twentieth feed repeats what others wrote, every tenth is a podcast. Nothing is asked: what a run
would have read is handed to the store as a run hands it over.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import pytest
from msgspec.structs import replace

import planet
from planet.model import Enclosure, NewEntry, Person, Text, TextKind
from planet.store import Store
from planet.text.html import Cleaning, clean, find_links
from tests.benchmarks.texts import sentence
from tests.builders import make_digest, make_profile, make_reading, make_state
from tests.stored import keep_reading, listed_ids

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
YEARS = timedelta(days=3652)
_CLEANING = Cleaning()


def write_config(folder: Path, feeds: int) -> Path:
    """A config with so many feeds, in ten groups."""
    config = folder / "config.yaml"
    settings = {
        "title": "Ten years",
        "link": "https://planet.example/",
        "feeds": [
            {"url": _address(feed), "id": _key(feed), "tags": [f"group {feed % 10}"]}
            for feed in range(feeds)
        ],
    }
    config.write_text(json.dumps(settings), encoding="utf-8")
    return config


def fill(folder: Path, feeds: int, entries: int) -> None:
    """Store so many entries of so many feeds, the oldest first."""
    step = YEARS / entries
    numbers: dict[int, list[int]] = {}
    for number in range(entries):
        numbers.setdefault(_writer(number, feeds), []).append(number)
    with Store.open(folder / "state") as store:
        for feed, of_feed in numbers.items():
            drafts = [
                _draft(feed, number, feeds, NOW - YEARS + step * number)
                for number in reversed(of_feed)
            ]
            _keep(store, feed, drafts, NOW - timedelta(hours=1))


def add_new(folder: Path, feeds: int, count: int, round_: int) -> None:
    """Store so many new entries of half as many feeds, as a run does that found them."""
    now = NOW + timedelta(hours=round_)
    with Store.open(folder / "state") as store:
        for place in range(count // 2):
            feed = (round_ * 131 + place * 37) % feeds
            number = 10_000_000 + round_ * 1000 + place * 2
            drafts = [_draft(feed, number + one, feeds, now) for one in (1, 0)]
            _keep(store, feed, drafts, now)


def _keep(store: Store, feed: int, drafts: list[NewEntry], now: datetime) -> None:
    memory = make_state(
        _key(feed),
        url=_address(feed),
        settled_at=now,
        succeeded_at=now,
        attempted_at=now,
        profile=make_profile(title=f"Feed {feed}", link=f"https://{_key(feed)}.example/"),
    )
    # A feed that lists all it ever had: so nothing goes while something comes.
    listed = [draft.id for draft in drafts] + sorted(listed_ids(store, _key(feed)))
    keep_reading(store, memory, make_reading(*drafts, ids=tuple(listed)), now=now, shows=True)


def _draft(feed: int, number: int, feeds: int, when: datetime) -> NewEntry:
    # What a feed repeats is the post before, which another feed wrote.
    said = number - 1 if feed % 20 == 19 else number
    link = f"https://{_key(_writer(said, feeds))}.example/post-{said}"
    html = _text(number)
    raw = Text(value=html, kind=TextKind.HTML, base=link)
    cleaned = clean(raw, _CLEANING)
    draft = NewEntry(
        id=link,
        digest=make_digest(feed, number),
        link=link,
        title=f"{_word(number).title()} and {_word(number * 3)} {number}",
        summary=f"About the {_word(number)} of the {_word(number * 7)}. " * 4,
        published=when,
        updated=when + timedelta(minutes=5) if feed % 2 else None,
        content=cleaned,
        links=find_links(cleaned),
        raw=raw,
        cleaning=_CLEANING.version,
    )
    if number % 3 == 0:
        draft = replace(
            draft, authors=(Person(name=_word(feed).title()),), categories=(_word(number),)
        )
    if feed % 10 == 7:
        sound = Enclosure(url=f"{link}.mp3", media_type="audio/mpeg", length=number, duration=1800)
        draft = replace(draft, enclosures=(sound,))
    return draft


def _writer(number: int, feeds: int) -> int:
    """The feed that has an entry."""
    return number * 7919 % feeds


def _text(number: int) -> str:
    paragraphs = "".join(
        f"<p>{' '.join(_word(number * 31 + place * part) for place in range(40))}.</p>"
        for part in range(1, 5)
    )
    target = f"https://{_key(number * 13 % 1000)}.example/{number % 50}"
    return f'{paragraphs}<p>See <a href="{target}">{_word(number)}</a>.</p>'


def _word(number: int) -> str:
    return sentence(number, 1)


def _key(feed: int) -> str:
    return f"feed{feed:04}"


def _address(feed: int) -> str:
    return f"https://{_key(feed)}.example/feed.xml"


_ENTRIES = os.environ.get("PLANET_BENCHMARK_ENTRIES", "100000 1000000")
ENTRIES = [int(count) for count in _ENTRIES.split()]
SOURCES = int(os.environ.get("PLANET_BENCHMARK_SOURCES", "1000"))
RUNS = int(os.environ.get("PLANET_BENCHMARK_RUNS", "3"))
NEW = 10
CHECKOUT = Path(__file__).parents[2]
HERE = Path(__file__).parent

Figures = dict[str, float]


def started(folder: Path, *command: str | Path) -> Figures:
    """Run a Python program, and take the figures that it prints."""
    environment = {**os.environ, "PYTHONPATH": f"{Path(planet.__file__).parents[1]}:{CHECKOUT}"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, stdout=subprocess.PIPE, check=True
    )
    figures: Figures = json.loads(done.stdout)
    return figures


def render(folder: Path, config: Path) -> Figures:
    """What `planet render` costs as a whole."""
    command = [sys.executable, "-m", "planet", "render", "--config", str(config)]
    return started(folder, HERE / "measure.py", folder / "output.txt", *command)


def site(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def loop() -> float:
    begun = time.process_time()
    for _ in range(10_000_000):
        pass
    return time.process_time() - begun


def table(entries: int, all_figures: dict[str, list[Figures]]) -> Iterator[str]:
    unit = loop()
    yield f"\n{entries:,} entries of {SOURCES} sources, medians of {RUNS} runs"
    yield f"a loop of ten million steps takes {unit:.2f} s"
    yield f"{'':34}{'CPU s':>8}{'wall s':>8}{'MB':>6}{'/loop':>8}"
    costs = {
        what: {name: median(figure[name] for figure in figures) for name in _COLUMNS}
        for what, figures in all_figures.items()
    }
    new, nothing = costs["ten new entries"], costs["nothing new"]
    costs["ten over nothing"] = {name: new[name] - nothing[name] for name in _COLUMNS}
    for what, cost in costs.items():
        cpu, wall, memory = (cost[name] for name in _COLUMNS)
        yield f"{what:34}{cpu:8.2f}{wall:8.2f}{memory:6.0f}{cpu / unit:8.2f}"


_COLUMNS = ("cpu", "wall", "memory")


@pytest.mark.parametrize("entries", ENTRIES)
def test_a_large_site_and_ten_new_entries(
    entries: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_config(tmp_path, SOURCES)
    fill(tmp_path, SOURCES, entries)
    figures = {"everything": [render(tmp_path, config)]}

    for number in range(1, RUNS + 1):
        add_new(tmp_path, SOURCES, NEW, number)
        figures.setdefault("ten new entries", []).append(render(tmp_path, config))
        figures.setdefault("nothing new", []).append(render(tmp_path, config))

    grown = site(tmp_path / "public")
    (tmp_path / "public").rename(tmp_path / "grown")
    render(tmp_path, config)
    assert site(tmp_path / "public") == grown
    with capsys.disabled():
        print("\n".join(table(entries, figures)))
