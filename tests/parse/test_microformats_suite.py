"""The h-feed and h-entry cases of the microformats test suite, where it is at hand.

It is not part of this repository: https://github.com/microformats/tests, or the package
`microformat-tests` of npm. MICROFORMATS_TESTS names the folder with its `microformats-v2`. A case
is a piece of HTML with the items in it, as JSON; what is compared is what an entry has of them.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from planet.model import ParsedEntry
from planet.parse import dates, parse
from planet.text.plain import one_line, plain

SUITE = os.environ.get("MICROFORMATS_TESTS")
URL = "http://example.com/"
_FOLDERS = (
    *["microformats-v2/h-feed", "microformats-v2/h-entry", "microformats-mixed/h-entry"],
    *["microformats-v1/hfeed", "microformats-v1/hentry"],
)
# It expects a name that is implied, where the specification by now has none: in an item with others
# in it (https://microformats.org/wiki/microformats2-parsing, "parsing for implied properties").
_OUTDATED = frozenset({"impliedvalue-nested"})


def cases() -> list[Path]:
    folders = [Path(SUITE) / folder for folder in _FOLDERS] if SUITE else []
    files = [file for folder in folders for file in sorted(folder.glob("*.html"))]
    return [
        file for file in files if file.with_suffix(".json").is_file() and file.stem not in _OUTDATED
    ]


@pytest.mark.skipif(SUITE is None, reason="MICROFORMATS_TESTS names no folder")
@pytest.mark.parametrize(
    "file", [pytest.param(file, id=f"{file.parent.name}/{file.stem}") for file in cases()]
)
def test_a_case_of_the_suite_is_read_as_it_expects(file: Path) -> None:
    items = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))["items"]
    expected = [_expected(item) for item in _entries(items)]

    # A piece of a page is not looked at by itself: it could be a piece of anything.
    feed = parse(b"<!doctype html>" + file.read_bytes(), url=URL)

    entries = [_fields(entry) for entry in feed.entries]
    # An entry may have more: its feed's author, and what was made of its pictures.
    assert [
        {name: entry[name] for name in item} for entry, item in zip(entries, expected, strict=True)
    ] == expected


def _fields(entry: ParsedEntry) -> dict[str, Any]:
    texts = {"name": entry.title, "summary": entry.summary, "content": entry.content}
    return {
        **{name: plain(text) if text else None for name, text in texts.items()},
        "url": entry.link,
        "published": entry.published,
        "updated": entry.updated,
        "authors": [author.name for author in entry.authors],
        "categories": list(entry.categories),
    }


def _entries(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    entries = []
    for item in items:
        if "h-entry" in item["type"]:
            entries.append(item)
        else:
            entries += _entries(item.get("children", []))
    return entries


def _expected(item: dict[str, Any]) -> dict[str, Any]:
    """What an entry has of an item: a name that begins the text is none."""
    name, content, summary = (_first(item, key) for key in ("name", "content", "summary"))
    is_begin = bool(content or summary) and (content or summary or "").startswith(name or "")
    fields = {
        "name": None if is_begin else name,
        "url": _first(item, "url"),
        "summary": summary,
        "content": content,
        "published": dates.parse_date(_first(item, "published") or ""),
        "updated": dates.parse_date(_first(item, "updated") or ""),
        "authors": [
            _first(author, "name") if isinstance(author, dict) else author
            for author in item["properties"].get("author", [])
        ],
        "categories": [_plain(category) for category in item["properties"].get("category", [])],
    }
    return {name: value for name, value in fields.items() if value or name == "name"}


def _first(item: dict[str, Any], name: str) -> str | None:
    values = item["properties"].get(name, [])
    return _plain(values[0]) if values else None


def _plain(value: Any) -> str:
    return one_line(value["value"] if isinstance(value, dict) else value)
