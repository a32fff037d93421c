"""The index for searching: what it has of a post, and what becomes of a failure."""

import gzip
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from planet.errors import OutputError
from planet.model import ContentMode, Edition, Html
from planet.site.search import FOLDER, index
from tests.cases import case, cases
from tests.site.editions import make_edition, make_post, make_source

pytest.importorskip("pagefind", reason="Pagefind is not installed")

SCRIPT = "</p><script>alert(1)</script>\"'><img src=x onerror=alert(1)>&lt;b&gt;"


def contents(numbers: Sequence[int]) -> Mapping[int, Html]:
    return {number: Html(f"<p>Text of <b>{number}</b> &amp; more</p>") for number in numbers}


def told(edition: Edition) -> list[dict[str, Any]]:
    """What an index can tell of each post, by title."""
    fragments = [
        json.loads(gzip.decompress(body).removeprefix(b"pagefind_dcd"))
        for path, body in index(edition, contents).items()
        if path.startswith(f"{FOLDER}fragment/")
    ]
    said = [{"text": fragment["content"], **fragment["meta"]} for fragment in fragments]
    return sorted(said, key=lambda each: str(each["title"]))


def texts(edition: Edition) -> list[str]:
    return [str(each["text"]) for each in told(edition)]


def test_a_post_is_told_with_its_title_its_source_and_its_day() -> None:
    source = make_source("one", title="One & all")

    said = told(make_edition(make_post(7, source, title="Boats"), language="de"))

    assert said == [
        {
            "title": "Boats",
            "text": "Text of 7 & more.",
            "url": "https://one.example/7",
            "source": "One & all",
            "date": "20. November 2026",
        }
    ]


@cases(
    "mode, text",
    case("full", ContentMode.FULL, "Text of 1 & more."),
    case("summary", ContentMode.SUMMARY, "In short."),
    # What has no words would not be found at all.
    case("title", ContentMode.TITLE, "Post 1."),
)
def test_no_more_of_a_text_is_in_the_index_than_may_be_shown(mode: ContentMode, text: str) -> None:
    source = make_source(content=mode)

    assert texts(make_edition(make_post(1, source, summary="In short"))) == [text]


def test_text_is_told_as_text_whatever_is_in_it() -> None:
    source = make_source(title=SCRIPT, language=SCRIPT, content=ContentMode.SUMMARY)

    (said,) = told(make_edition(make_post(1, source, title=SCRIPT, summary=SCRIPT)))

    assert (said["title"], said["source"], said["text"]) == (SCRIPT, SCRIPT, SCRIPT)


def test_all_posts_are_in_the_index_of_the_planets_language() -> None:
    posts = [make_post(1, language="de-AT"), make_post(2, language="ja")]

    entry = json.loads(
        index(make_edition(*posts, language="pt-BR"), contents)[f"{FOLDER}pagefind-entry.json"]
    )

    assert {tag: known["page_count"] for tag, known in entry["languages"].items()} == {"pt": 2}


@cases(
    "program, reason",
    case("slow", "#!/bin/sh\nexec sleep 60", "Pagefind took longer than 0.1 seconds"),
    case("no", "#!/bin/sh\nprintf 'no\\033[31m room' >&2; exit 1", "Pagefind failed: no[31m room"),
    case("says nothing", "#!/bin/sh\nexit 3", "Pagefind failed: exit code 3"),
    case("is killed", "#!/bin/sh\nkill -9 $$", "Pagefind was killed, perhaps for want of memory"),
    case("is not there", None, os.strerror(2)),
)
def test_an_indexer_that_fails_is_told_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str | None, reason: str
) -> None:
    path = tmp_path / "pagefind"
    if program is not None:
        path.write_text(program)
        path.chmod(0o755)
    monkeypatch.setenv("PAGEFIND_BINARY_PATH", str(path))

    with pytest.raises(OutputError) as raised:
        index(make_edition(make_post()), contents, time_limit=0.1)

    assert str(raised.value) == (
        f"the index for searching could not be made: {reason}\n"
        "(`search: false` under `pages` makes a site without one.)"
    )
