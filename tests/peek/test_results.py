"""What was read of a feed is the same when it comes back from disk."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from planet import __version__
from planet.errors import ParseError
from planet.model import ParseResult
from planet.parse import PARSER
from planet.parse.discovery import Alternate
from planet.peek.results import Results, StoredResult
from planet.run.read import ReadOptions, read_answer
from planet.text.html import Cleaning
from tests.builders import make_fetched

FEEDS = Path(__file__).parents[1] / "feeds"
FILES = sorted(
    FEEDS / path.name.removesuffix(".expected.json") for path in FEEDS.glob("*.expected.json")
)


def read(path: Path) -> ParseResult | ParseError:
    try:
        return read_answer(
            make_fetched(body=path.read_bytes()), options=ReadOptions(cleaning=Cleaning())
        )
    except ParseError as error:
        return error


@pytest.mark.parametrize("group", range(8))
def test_all_that_was_read_of_a_feed_comes_back(group: int, tmp_path: Path) -> None:
    results = Results(tmp_path)
    stored = {
        path.name: StoredResult(
            body_hash="0",
            url="https://one.example/feed",
            result=result,
            status=200,
            headers={"content-type": "text/xml"},
            is_page=False,
        )
        for path in FILES[group::8]
        if isinstance(result := read(path), ParseResult)
    }

    for name, one in stored.items():
        results.put(name, one)

    assert {name: results.get(name) for name in stored} == {
        name: replace(one, made_by=f"{__version__} {PARSER}") for name, one in stored.items()
    }
    assert stored


def test_why_a_body_could_not_be_read_comes_back(tmp_path: Path) -> None:
    named = (Alternate(url="https://one.example/a", title=None, media_type="text/xml"),)
    error = ParseError("not_a_feed", "it is a web page")
    stored = StoredResult(
        body_hash="0",
        url="https://one.example/",
        error_kind=error.kind,
        error=str(error),
        named=named,
    )
    results = Results(tmp_path)

    results.put("one", stored)

    back = results.get("one")
    assert back is not None
    assert (back.named, repr(back.outcome)) == (named, repr(error))
