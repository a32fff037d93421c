"""Feeds that others recorded or wrote: every one is read, or refused with a reason.

The corpus is not part of the repository; without it, these tests are skipped. Where Planet finds
something else than others do, `differences.yaml` says why: a case that is new there fails, and so
does one that is listed and differs no more.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from planet.parse.dates import parse_date
from tests.parse.corpus import CORPUS, Outcome, outcomes

DIFFERENT = yaml.safe_load(Path(__file__).with_name("differences.yaml").read_text(encoding="utf-8"))
SECONDS = 2
MEGABYTES = 60

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not there")


def table(name: str) -> Iterator[dict[str, str]]:
    with (CORPUS / name).open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


@pytest.fixture(scope="module")
def files() -> list[Outcome]:
    """What becomes of every file."""
    return list(outcomes(clean=False))


def test_every_file_is_read_or_refused_with_a_reason_within_the_limits(
    files: list[Outcome],
) -> None:
    kinds = Counter(file.kind for file in files)
    assert kinds.keys() <= {"read", "empty", "not_a_feed", "unreadable"}
    assert kinds["read"] > 0.97 * kinds.total()
    assert [file.file for file in files if not all(file.ids)] == []
    assert [file.file for file in files if len(set(file.ids)) < len(file.ids)] == []
    assert [file.file for file in files if file.seconds > SECONDS] == []
    assert max(file.memory for file in files) < MEGABYTES


def test_there_are_as_many_entries_as_other_parsers_find(files: list[Outcome]) -> None:
    ours = {file.file: len(file.ids) if file.kind == "read" else None for file in files}
    theirs = {
        line["path"].removeprefix("feeds/"): int(line["consensus"])
        for line in table("oracle_counts.tsv")
        if line["consensus"]
    }

    different = {file: ours[file] for file in ours.keys() & theirs if ours[file] != theirs[file]}

    assert different == DIFFERENT["entries"]


def test_dates_are_read_as_other_readers_read_them() -> None:
    dates = json.loads((CORPUS / "dates.json").read_text(encoding="utf-8"))
    forms = [*dates["gofeed_strings"], *dates["miniflux_strings"], *dates["go_layouts"]]
    different = {form for form in forms if parse_date(form) is None}

    for _, written, expected in dates["feedparser_pairs_utc"]:
        when = parse_date(written)
        if (when and list(when.timetuple()[:6])) != (expected and expected[:6]):
            different.add(written)

    assert different == set(DIFFERENT["dates"])
