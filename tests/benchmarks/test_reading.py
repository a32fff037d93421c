"""What it costs to read feeds, beside feedparser on the same bodies with nothing switched on.

Run by hand with `pytest tests/benchmarks/test_reading.py`; it takes minutes and prints a table.
The feeds are a third of those recorded in the corpus; where that is absent, feeds of its own make.
"""

import csv
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from planet.errors import ParseError
from planet.model import NewEntry
from planet.run.read import ReadOptions, read
from planet.text.html import Cleaning
from tests.benchmarks.publisher import Feed
from tests.parse.corpus import CORPUS, URL

RUNS = 3
# In a process of its own, where nothing of it is replaced.
_FEEDPARSER = """
import feedparser, io, pathlib, sys, time
bodies = [path.read_bytes() for path in pathlib.Path(sys.argv[1]).iterdir()]
started = time.process_time()
for body in bodies:
    feedparser.parse(io.BytesIO(body), sanitize_html=False, resolve_relative_uris=False)
print(time.process_time() - started)
"""


def recorded() -> list[bytes]:
    """A third of the feeds that were recorded in the wild."""
    with (CORPUS / "inventory.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return [
        (CORPUS / row["path"]).read_bytes() for row in rows if row["captured_in_the_wild"] == "yes"
    ][::3]


def made(count: int) -> list[bytes]:
    """Feeds of twenty entries."""
    feeds = [Feed(number) for number in range(count)]
    for feed in feeds:
        feed.publish()
    return [feed.body for feed in feeds]


def digests(body: bytes) -> dict[str, str] | None:
    """What is known of a feed once it was read; None when it cannot be read."""
    try:
        feed = drafts_of(body, Cleaning(sanitizer="nh3"))
    except ParseError:
        return None
    return {draft.id: draft.digest for draft in feed}


def drafts_of(
    body: bytes, cleaning: Cleaning, known: dict[str, str] | None = None
) -> tuple[NewEntry, ...]:
    return read(
        body, url=URL, content_type=None, options=ReadOptions(stored=known, cleaning=cleaning)
    ).drafts


def fastest(measure: Callable[[], float]) -> float:
    return min(measure() for _ in range(RUNS))


def test_reading_beside_feedparser(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bodies = recorded() if CORPUS.is_dir() else made(100)
    feeds = [(body, known) for body in bodies if (known := digests(body))]
    for place, (body, _) in enumerate(feeds):
        (tmp_path / f"{place:04}").write_bytes(body)

    def feedparser() -> float:
        return float(subprocess.check_output([sys.executable, "-c", _FEEDPARSER, tmp_path]))

    def ours(cleaning: Cleaning, *, new: int | None) -> float:
        """Seconds, when all but the first `new` entries are known."""
        started = time.process_time()
        for body, known in feeds:
            kept = None if new is None else dict([*known.items()][new:])
            drafts_of(body, cleaning, kept)
        return time.process_time() - started

    plain = fastest(feedparser)
    figures = {
        "first time, nh3": fastest(lambda: ours(Cleaning(sanitizer="nh3"), new=None)),
        "first time, bleach": fastest(lambda: ours(Cleaning(sanitizer="bleach"), new=None)),
        "one new entry, nh3": fastest(lambda: ours(Cleaning(sanitizer="nh3"), new=1)),
        "nothing new": fastest(lambda: ours(Cleaning(sanitizer="nh3"), new=0)),
    }

    assert feeds
    with capsys.disabled():
        entries = sum(len(known) for _, known in feeds)
        print(f"\n{len(feeds)} feeds, {entries} entries, fastest of {RUNS}")
        print(f"{'feedparser alone':20}{plain:8.2f} s{1:8.2f}")
        for what, seconds in figures.items():
            print(f"{what:20}{seconds:8.2f} s{seconds / plain:8.2f}")
