"""Well-formed feeds come to the same dicts as with feedparser's own parser.

Over the cases of this repository, over the corpus where that is there, and over both with
elements moved, copied, renamed and given attributes that count. `python -m tests.parse.test_same`
takes every file of the corpus, with many mutations each.
"""

import sys
from pathlib import Path
from xml.parsers.expat import ExpatError

import pytest

from planet.errors import ParseError
from planet.parse.feedparser import parsed, repaired
from tests.parse import theirs
from tests.parse.changes import CASES, documents, mutated
from tests.parse.corpus import CORPUS


def is_same(text: str) -> bool | None:
    """Whether a document comes to the same dicts; None when it is not well-formed or too deep."""
    document = repaired(text.encode("utf-8", "replace"))
    try:
        feed, entries, version, fault, _ = parsed(document, None)
    except ParseError:
        return None
    try:
        expected = theirs.dicts(document)
    except ExpatError:
        return None if fault else False
    return not fault and (feed, entries, version) == expected


@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(CASES, id="cases"),
        pytest.param(
            CORPUS / "feeds" / "kurtmckee+feedparser",
            id="feedparser's tests",
            marks=pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not there"),
        ),
    ],
)
def test_well_formed_feeds_are_read_as_feedparser_reads_them(folder: Path) -> None:
    results = {file: is_same(text) for file, text in documents(folder)}

    assert [file for file, result in results.items() if result is False] == []
    assert sum(result is True for result in results.values()) > 20


def test_changed_feeds_are_read_as_feedparser_reads_them() -> None:
    feeds = list(documents(CASES))
    results = {seed: is_same(mutated(feeds[seed % len(feeds)][1], seed)) for seed in range(1000)}

    assert [seed for seed, result in results.items() if result is False] == []
    assert sum(result is True for result in results.values()) > 400


def main(mutations: int) -> None:
    counts = {True: 0, False: 0, None: 0}
    for file, text in documents(CORPUS / "feeds"):
        for seed in range(mutations + 1):
            result = is_same(mutated(text, seed) if seed else text)
            counts[result] += 1
            if result is False:
                print(file, seed)
    print("the same", counts[True], "different", counts[False], "not well-formed", counts[None])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
