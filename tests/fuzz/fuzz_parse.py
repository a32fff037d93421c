"""Bytes that atheris thinks of → a feed or a ParseError; anything else it reports.

By hand: `pip install atheris`, then `python tests/fuzz/fuzz_parse.py -max_total_time=300 FOLDER`
(a new folder, where it keeps what led it to new code; options are those of libFuzzer). What it
finds becomes a file in `tests/feeds`.
"""

import sys
from pathlib import Path

import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]  # may be missing

with atheris.instrument_imports(include=["planet", "feedparser", "sgmllib"]):
    # These readers would come in later, and what comes in later is not looked into.
    from planet.errors import ParseError
    from planet.run.read import ReadOptions, read
    from planet.text.html import Cleaning

FEEDS = Path(__file__).parents[1] / "feeds"
CLEANING = Cleaning()


def once(data: bytes) -> None:
    """Read these bytes as a feed, texts cleaned. The first byte tells what they are declared as."""
    declared = (None, "text/html", "application/feed+json", "text/xml; charset=koi8-r")
    try:
        reading = read(
            data[1:],
            url="https://feed.example/feed.xml",
            content_type=declared[data[0] % 4] if data else None,
            options=ReadOptions(cleaning=CLEANING),
        )
    except ParseError:
        return
    assert all(reading.ids)
    assert len(set(reading.ids)) == len(reading.ids)


def main() -> None:
    """Start from the feeds of the test suite, each declared as nothing."""
    seeds = Path(sys.argv[-1])
    if not sys.argv[-1].startswith("-") and len(sys.argv) > 1:
        seeds.mkdir(exist_ok=True)
        for feed in FEEDS.iterdir():
            if not feed.name.endswith(".expected.json"):
                (seeds / feed.name).write_bytes(b"\0" + feed.read_bytes())
    atheris.Setup(sys.argv, once)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
