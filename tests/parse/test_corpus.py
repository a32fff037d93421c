"""Feeds that others recorded or wrote: every one is read, or refused with a reason.

The corpus is not part of the repository; without it, these tests are skipped. Where Planet finds
something else than others do, `differences.md` says why: a case that is new there fails, and so
does one that is listed and differs no more.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from planet.errors import ParseError
from planet.model import ParsedFeed
from planet.parse import parse
from planet.parse.dates import parse_date
from planet.social import FORMATS
from tests.parse.claims import Case, Claim, claims
from tests.parse.corpus import CORPUS, URL, Outcome, outcomes

DIFFERENT = Path(__file__).parent / "differences.md"
FEEDPARSER = "feeds/kurtmckee+feedparser/tests/"
# Where feedparser's tests serve their files; the path is below FEEDPARSER.
SERVER = "http://127.0.0.1:8097/"
SECONDS = 2
MEGABYTES = 60

_SECTION = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_LISTED = re.compile(r"^- `(.+?)`(?:: (.+))?$", re.MULTILINE)
_ENTRY = re.compile(rb"<((?:[\w.-]+:)?)(entry|item)(?:\s[^>]*)?>", re.IGNORECASE)

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not there")


def listed(section: str) -> dict[str, str]:
    """What `differences.md` lists in a section, with the value where there is one."""
    sections = dict(_SECTION.findall(DIFFERENT.read_text(encoding="utf-8")))
    return dict(_LISTED.findall(sections[section]))


def table(name: str) -> Iterator[dict[str, str]]:
    with (CORPUS / name).open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def read(body: bytes, url: str = URL, content_type: str | None = None) -> ParsedFeed | ParseError:
    try:
        return parse(body, url=url, content_type=content_type, formats=FORMATS)
    except ParseError as error:
        return error


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

    different = {
        file: str(ours[file]) for file in ours.keys() & theirs if ours[file] != theirs[file]
    }

    assert different == listed("Numbers of entries")


def test_what_feedparser_s_tests_expect_is_found() -> None:
    held, failed = 0, set()

    for line in table("feedparser_expect.tsv"):
        path = line["path"].removeprefix(FEEDPARSER)
        ours, _ = claims(line["expect"])
        case = case_of(line, ours)
        unmet = [claim for claim in ours if case is None or not holds(claim, case)]
        held += len(ours) - len(unmet)
        if unmet:
            failed.add(path)

    assert held > 3_200
    assert failed == listed("What feedparser's tests expect").keys()


def case_of(line: dict[str, str], ours: list[Claim]) -> Case | None:
    body = (CORPUS / line["path"]).read_bytes()
    name, _, value = line["headers"].partition(":")
    content_type = value.strip() if name.lower() == "content-type" else None
    url = SERVER + line["path"].removeprefix(FEEDPARSER)
    feed = read(body, url, content_type)
    entries = len(feed.entries) if isinstance(feed, ParsedFeed) else 0
    if any(claim.path[0] == "entries" and claim.path[1] in range(entries, 9) for claim in ours):
        # Nothing but what is tested is in them, such as an author: for Planet, no entries.
        feed = read(with_ids(body), url, content_type)
    if isinstance(feed, ParseError):
        return None
    return Case(body=body, content_type=content_type, feed=feed)


def with_ids(body: bytes) -> bytes:
    """The same feed, with an id first in each entry."""

    def named(start: re.Match[bytes]) -> bytes:
        name = start[1] + (b"id" if start[2].lower() == b"entry" else b"guid")
        return b"%b<%b>urn:entry:%d</%b>" % (start[0], name, start.start(), name)

    return _ENTRY.sub(named, body)


def holds(claim: Claim, case: Case) -> bool:
    try:
        return claim.holds(case, claim.expected)
    except IndexError:
        return False


def test_dates_are_read_as_other_readers_read_them() -> None:
    dates = json.loads((CORPUS / "dates.json").read_text(encoding="utf-8"))
    forms = [*dates["gofeed_strings"], *dates["miniflux_strings"], *dates["go_layouts"]]
    different = {form for form in forms if parse_date(form) is None}

    for _, written, expected in dates["feedparser_pairs_utc"]:
        when = parse_date(written)
        if (when and list(when.timetuple()[:6])) != (expected and expected[:6]):
            different.add(written)

    assert different == listed("Dates").keys()
