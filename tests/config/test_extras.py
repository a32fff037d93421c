"""Settings that need a library which may be missing."""

import sys
from pathlib import Path

import pytest

from tests.cases import case, cases
from tests.config.files import complaints, loaded

CONFIG = "title: A planet\nfeeds: [feed.xml]\npages:\n  search: {}\n"


def test_a_search_without_pagefind_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pagefind", None)

    assert complaints(tmp_path, CONFIG.format("true")) == [
        "4:11  pages.search needs pagefind, which is not installed; "
        "pip install 'planet-digest[search]'"
    ]


def test_without_a_search_pagefind_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pagefind", None)

    assert not loaded(tmp_path, CONFIG.format("false")).pages.search


KEY = """"-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n\""""


@cases(
    "library, setting, problem",
    case(
        "a server",
        "redis",
        "cache: {backend: redis}",
        "3:18  cache.backend needs redis, which is not installed; "
        "pip install 'planet-digest[redis]'",
    ),
    case(
        "a key",
        "cryptography",
        f"fetch:\n  signature:\n    key_id: https://one.example/actor\n    key: {KEY}",
        "5:5  fetch.signature needs cryptography, which is not installed; "
        "pip install 'planet-digest[fediverse]'",
    ),
)
def test_what_a_setting_needs_and_is_not_there_is_told_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, setting: str, problem: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)

    assert complaints(tmp_path, f"title: A planet\nfeeds: [feed.xml]\n{setting}\n") == [problem]


def test_a_search_is_had_where_pagefind_is(tmp_path: Path) -> None:
    pytest.importorskip("pagefind", reason="Pagefind is not installed")

    assert loaded(tmp_path, CONFIG.format("true")).pages.search


@pytest.mark.parametrize("language", ["ja", "th", "zh-Hant", "ZH"])
@pytest.mark.parametrize(
    "setting",
    ["language: {}\n", "editions:\n  one: {{}}\n  two: {{language: {}}}\n"],
    ids=["planet", "edition"],
)
def test_for_a_language_without_blanks_a_search_needs_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, language: str
) -> None:
    pytest.importorskip("pagefind", reason="Pagefind is not installed")
    monkeypatch.setitem(sys.modules, "pagefind_bin_extended", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    config = CONFIG.format("true") + setting.format(language)

    assert complaints(tmp_path, config) == [
        f"4:11  pages.search needs the larger Pagefind for the language {language}; "
        "pip install 'pagefind[extended]'"
    ]

    (tmp_path / "pagefind_extended").write_text("#!/bin/sh\n")
    (tmp_path / "pagefind_extended").chmod(0o755)
    assert complaints(tmp_path, config) == []
