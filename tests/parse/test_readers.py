"""Well-formed feeds are read by ElementTree as feedparser reads them, but where that is on purpose.

Over the cases of this repository, over the corpus where that is there, and over both with
elements moved, copied, renamed and given attributes that count. `python -m
tests.parse.test_readers` takes every file of the corpus, with some mutations each, and prints how
often each purpose counts.
"""

import ast
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

import planet
from planet.parse.elementtree import parse_tree, read_tree
from planet.parse.repair import repair
from tests.parse.changes import CASES, documents, mutated
from tests.parse.corpus import CORPUS
from tests.parse.purposes import PURPOSES, differences, explanations, read_both_ways, unexplained

TABLE = Path(__file__).parent / "differences.md"
PACKAGE = Path(planet.__file__).parent


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
    pairs = {file: read_both_ways(text) for file, text in documents(folder)}

    assert {file: unexplained(pair) for file, pair in pairs.items() if unexplained(pair)} == {}
    assert sum(pair is not None for pair in pairs.values()) > 20


def test_changed_feeds_are_read_as_feedparser_reads_them() -> None:
    feeds = list(documents(CASES))
    texts = {seed: mutated(feeds[seed % len(feeds)][1], seed) for seed in range(500)}
    pairs = {seed: read_both_ways(text) for seed, text in texts.items()}

    assert {seed: unexplained(pair) for seed, pair in pairs.items() if unexplained(pair)} == {}
    assert sum(pair is not None and not any(differences(pair)) for pair in pairs.values()) > 180


def test_the_table_of_differences_is_the_one_that_is_tested() -> None:
    section = TABLE.read_text(encoding="utf-8").partition("## The two readers of XML\n")[2]
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", section.partition("\n## ")[0], re.MULTILINE)

    assert rows[1:] == [(purpose.name, purpose.why) for purpose in PURPOSES]


def test_nothing_of_feedparser_is_used_but_its_public_interface() -> None:
    used: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            names = []
            if isinstance(node, ast.Import):
                names = [name.name for name in node.names if name.name.startswith("feedparser")]
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("feedparser"):
                names = [f"from {node.module}"]
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                names = [f"feedparser.{node.attr}"] if node.value.id == "feedparser" else []
            if names:
                used.setdefault(path.relative_to(PACKAGE).as_posix(), set()).update(names)

    assert used == {"parse/feedparser.py": {"feedparser", "feedparser.parse"}}


def is_read_by_elementtree(text: str) -> bool:
    return read_tree(parse_tree(repair(text).encode())) is not None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<rss><channel><item/></channel></rss>", True, id="RSS"),
        pytest.param("<feed><entry/></feed>", True, id="Atom without its namespace"),
        pytest.param("<entry xmlns='http://www.w3.org/2005/Atom'/>", False, id="an entry alone"),
        pytest.param("<channel><item/></channel>", False, id="a channel alone"),
        pytest.param("<rss><news><item/></news></rss>", False, id="items somewhere else"),
    ],
)
def test_what_elementtree_s_reader_does_not_know_is_left_to_feedparser(
    text: str, expected: bool
) -> None:
    assert is_read_by_elementtree(text) == expected


def main(mutations: int) -> None:
    feeds = same = 0
    by_purpose: Counter[str] = Counter()
    for place, (file, text) in enumerate(documents(CORPUS / "feeds")):
        for seed in range(mutations + 1):
            pair = read_both_ways(mutated(text, place + 10_000 * seed) if seed else text)
            if pair is None:
                continue
            feeds += 1
            found = list(differences(pair))
            same += not found
            by_purpose.update(
                {purpose.name for each in found for purpose in explanations(each, pair)[:1]}
            )
            if unknown := unexplained(pair):
                print(file, place + 10_000 * seed if seed else 0, unknown)
    print(f"| feeds read both ways | {feeds:,} |\n|---|---|\n| the same | {same:,} |")
    for purpose in PURPOSES:
        print(f"| {purpose.name} | {by_purpose[purpose.name]:,} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
