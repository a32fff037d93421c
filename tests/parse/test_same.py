"""Well-formed feeds come to the same dicts as with feedparser's own parser.

Over the cases of this repository, over the corpus where that is there, and over both with
elements moved, copied, renamed and given attributes that count. `python -m tests.parse.test_same`
takes every file of the corpus, with many mutations each.
"""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers.expat import ExpatError

import pytest

from planet.errors import ParseError
from planet.parse.feedparser import parsed, repaired
from planet.parse.sniff import decoded, feed_element, looks_like_xml
from tests.parse import theirs
from tests.parse.corpus import CORPUS

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = Path(__file__).parents[1] / "feeds"
LEAF = re.compile(r"<([\w:.-]+)((?:\s[^<>]*)?)>((?:<!\[CDATA\[.*?\]\]>|[^<])*)</\1>", re.DOTALL)
START = re.compile(r"<[\w:.-]+(?=[\s/>])")
# What a start tag may be given; namespaces among it, as they are declared in the wild.
ATTRIBUTES = [
    *('xml:base="https:///b.example/c/"', 'xml:base="d/"', 'base="e"', 'xml:base="javascript:x"'),
    *('xml:lang="pt_BR"', 'xml:lang=""', 'lang="nl"', 'TYPE="HTML"', 'type="xhtml"', 'type="text"'),
    *('type="application/octet-stream"', 'type="image/svg+xml"', 'mode="base64"', 'src="/x"'),
    *('href="/a"', 'url="/b"', 'lastmod="2026-11-01"', 'rel="Enclosure"', 'rel="self"', 'term="t"'),
    *('xmlns="http://www.w3.org/2005/Atom"', 'xmlns="http://www.w3.org/1999/xhtml"'),
    *('xmlns="http://www.w3.org/2000/svg"', 'xmlns=""', 'xmlns:q="urn:q" q:href="/q" q:lang="q"'),
    *('xmlns:xl="http://www.w3.org/1999/xlink" xl:href="/x"', 'isPermaLink="false"'),
    'xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" r:about="/about"',
    'xmlns:dc="urn:not-dc" xmlns:other="http://purl.org/dc/elements/1.1/"',
]
NAMES = """
title link description summary content subtitle author name uri email id guid category source image
url textInput item entry div svg math x links authors tags summary_detail language date copyright
published updated created media enclosure body channel comments width georssgeom dc:title dc:date
media:title media:description media:content itunes:image itunes:summary atom:link atom:author
content:encoded podcast:person
""".split()  # noqa: SIM905 - to be read as a text
TEXTS = ["", " ", "AT&amp;T", "&lt;b>x&lt;/b>", "&nbsp;caf&eacute;", "Â\x93", "â€™", "/r?a&amp;b;"]


def documents(folder: Path) -> Iterator[tuple[str, str]]:
    """The feeds in XML among the files of a folder, without what stands around them."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        text, _ = decoded(file.read_bytes())
        if looks_like_xml(text) and not text.startswith("{"):
            yield str(file), feed_element(text)


def mutated(text: str, seed: int) -> str:
    """A text with a few of its elements changed in a way that mostly leaves it well-formed."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 6)):
        leaves, starts = list(LEAF.finditer(text)), list(START.finditer(text))
        if not leaves:
            return text
        leaf, other, start = chance.choice(leaves), chance.choice(leaves), chance.choice(starts)
        name, attributes, inside = leaf.groups()
        match chance.randrange(6):
            case 0:  # copied
                text = text[: other.start()] + leaf[0] + text[other.start() :]
            case 1:  # put into another
                new = chance.choice([*NAMES, name])
                new = f"<{new}{attributes}>{inside}</{new}>"
                text = text[: other.end(2) + 1] + new + text[other.end(2) + 1 :]
            case 2:  # renamed
                new = chance.choice([*NAMES, other[1]])
                new = f"<{new}{attributes}>{inside}</{new}>"
                text = text[: leaf.start()] + new + text[leaf.end() :]
            case 3:  # said otherwise
                new = f"<{name}{attributes}>{chance.choice(TEXTS)}</{name}>"
                text = text[: leaf.start()] + new + text[leaf.end() :]
            case _:  # given an attribute
                new = f" {chance.choice(ATTRIBUTES)}"
                text = text[: start.end()] + new + text[start.end() :]
    return text


def is_same(text: str) -> bool | None:
    """Whether a document comes to the same dicts; None when it is not well-formed or too deep."""
    document = repaired(text.encode("utf-8", "replace"))
    try:
        feed, entries, version, fault = parsed(document)
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
