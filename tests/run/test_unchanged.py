"""Items that are the same byte for byte are not read again, and nothing comes out otherwise.

`python -m tests.run.test_unchanged` takes the corpus.
"""

import json
import random
import re
import sys
import zlib

import pytest

from planet.errors import ParseError
from planet.model import ParsedEntry, ParseResult
from planet.run import ingest
from planet.text.html import Cleaning, digest
from tests.cases import case, cases
from tests.parse.changes import CASES, documents, mutated
from tests.parse.corpus import CORPUS

URL = "https://feed.example/feed.xml"
ITEM = re.compile(r"<(item|entry)[\s>].*?</\1>", re.DOTALL)


def read(text: str, before: ParseResult | None = None, *, in_full: bool = False) -> ParseResult:
    known = None if before is None else {draft.id: draft.digest for draft in before.drafts}
    return ingest.read(
        text.encode(),
        url=URL,
        content_type=None,
        stored=known,
        clean_first=0,
        cleaning=Cleaning(),
        items=before.items if before and not in_full else None,
    )


def next_version(text: str, seed: int) -> str:
    """A feed as it might be later: an item less, one more, one edited, something else said."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 3)):
        items = list(ITEM.finditer(text))
        if not items:
            return mutated(text, seed)
        item, other = chance.choice(items), chance.choice(items)
        match chance.randrange(6):
            case 0:
                text = text[: item.start()] + text[item.end() :]
            case 1:
                text = text[: item.start()] + mutated(other[0], seed) + text[item.start() :]
            case 2:
                text = text[: item.start()] + mutated(item[0], seed) + text[item.end() :]
            case 3:
                text = text[: item.start()] + f"<!--{other[0]}-->" + text[item.start() :]
            case 4:
                text = text[: item.start()] + other[0] + text[item.end() :]
            case _:
                text = mutated(text, seed)
    return text


def compare(text: str, seed: int) -> bool | None:
    """Whether a later version of a feed is read alike both ways; None when it cannot be read."""
    try:
        before = read(text)
        later = next_version(text, seed)
        return read(later, before) == read(later, before, in_full=True)
    except ParseError:
        return None


def test_what_is_left_out_changes_nothing() -> None:
    feeds = [text for _, text in documents(CASES)]
    results = {seed: compare(feeds[seed % len(feeds)], seed) for seed in range(500)}

    assert [seed for seed, result in results.items() if result is False] == []
    assert sum(result is True for result in results.values()) > 400


FEED = (
    '<rss version="2.0"><channel><title>T</title><link>https://a.example/</link>{}</channel></rss>'
)
POST = "<item><guid>{0}</guid><title>Post</title><pubDate>0{0} Nov 2026 08:00 GMT</pubDate></item>"


def watched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the entries that are looked at from now on."""
    digested: list[str] = []

    def watch(entry: ParsedEntry) -> str:
        digested.append(entry.id)
        return digest(entry)

    monkeypatch.setattr(ingest, "digest", watch)
    return digested


def names(result: ParseResult) -> list[str]:
    """The ids of the items that can be left out."""
    _, _, items = json.loads(zlib.decompress(result.items or b""))
    return [item_id for _, item_id, *_ in items]


def test_one_new_entry_costs_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    before = read(FEED.format(POST.format(1) + POST.format(2)))
    digested = watched(monkeypatch)

    result = read(FEED.format(POST.format(3) + POST.format(1) + POST.format(2)), before)

    assert (result.ids, digested) == (("3", "1", "2"), ["3"])
    assert names(result) == ["3", "1", "2"]


@cases(
    "change",
    case("the link of the feed", ("https://a.example/", "https://b.example/")),
    case("the language", ("<rss ", "<rss xml:lang='de' ")),
    case("the base", ("<rss ", "<rss xml:base='https://c.example/' ")),
    case("a namespace", ("<rss ", "<rss xmlns:dc='urn:not-dc' ")),
    case("the format", ("2.0", "0.91")),
)
def test_all_is_read_again_when_what_stands_around_differs(
    change: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = FEED.format(POST.format(1))
    before = read(text)
    digested = watched(monkeypatch)

    read(text.replace(*change), before)

    assert len(digested) == 1


def main(seeds: int) -> None:
    counts: dict[bool | None, int] = {True: 0, False: 0, None: 0}
    for file, text in documents(CORPUS / "feeds"):
        for seed in range(seeds):
            result = compare(text, seed)
            counts[result] += 1
            if result is False:
                print(file, seed)
    print("alike", counts[True], "different", counts[False], "unreadable", counts[None])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
