"""Feeds that others recorded or wrote: every one is read, or refused with a reason.

The corpus is not part of the repository; without it, these tests are skipped.
"""

from __future__ import annotations

import csv
import time
from collections import Counter
from pathlib import Path

import pytest

from planet.errors import ParseError
from planet.model import ParsedFeed
from planet.parse import parse

CORPUS = Path(__file__).parents[2] / "../shared/corpus"
SECONDS = 20
"""For all files: those that come after that are left for the next, faster machine."""

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not there")

# Where our count of entries is not the one on which other parsers agree, and why.
OTHER_COUNTS = {
    "feeds/kagisearch+fastfeedparser/benchmark_data/72d1083fa3130282": (62, "2 are there twice"),
    "feeds/kagisearch+fastfeedparser/benchmark_data/72fea1ebfd02e90a": (
        11,
        "3 are there four times",
    ),
    "feeds/nicolus+picoFeed/tests/fixtures/rss_0.92.xml": (21, "1 is there twice"),
    "feeds/miniflux+v2/internal/reader/parser/testdata/no_encoding_ISO-8859-1.xml": (
        9,
        "1 says nothing",
    ),
}


def read(file: Path) -> ParsedFeed | ParseError:
    try:
        return parse(file.read_bytes(), url="https://feed.example/feed.xml")
    except ParseError as error:
        return error


def test_every_file_is_read_or_refused_with_a_reason() -> None:
    outcomes: Counter[str] = Counter()
    deadline = time.monotonic() + SECONDS

    for file in sorted(path for path in (CORPUS / "feeds").rglob("*") if path.is_file()):
        if time.monotonic() > deadline:
            break
        feed = read(file)
        if isinstance(feed, ParseError):
            outcomes[feed.kind] += 1
        else:
            outcomes["read"] += 1
            ids = [entry.id for entry in feed.entries]
            assert all(ids), file
            assert len(set(ids)) == len(ids), file

    assert outcomes.keys() <= {"read", "empty", "not_a_feed", "unreadable"}
    assert outcomes["read"] > 0.9 * outcomes.total()


def test_there_are_as_many_entries_as_other_parsers_find() -> None:
    found = {}
    with (CORPUS / "oracle_counts.tsv").open(encoding="utf-8", newline="") as lines:
        agreed = {
            line["path"]: int(line["consensus"])
            for line in csv.DictReader(lines, delimiter="\t")
            if line["consensus"] and (CORPUS / line["path"]).is_file()
        }

    for path, count in agreed.items():
        feed = read(CORPUS / path)
        ours = len(feed.entries) if isinstance(feed, ParsedFeed) else None
        if ours != count:
            found[path] = ours

    assert found == {path: count for path, (count, _) in OTHER_COUNTS.items()}
