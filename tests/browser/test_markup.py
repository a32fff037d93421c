"""Pages and styles as the Nu HTML checker reads them."""

import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.gallery import Site
from tests.patience import PATIENCE

VNU = os.environ.get("PLANET_VNU")
"""Where vnu.jar is."""
# Warnings that are none: what the checker reads is a file, which has no origin that could be
# 'self'; the words of a planet need not be in the language of its pages, nor tables be whole; and
# a note has no title.
PASSED_OVER = (
    "Resource violates Content Security Policy (meta tag): ",
    "This document appears to be written in ",
    "A table row was ",
    "Article lacks heading.",
)


@pytest.mark.skipif(VNU is None, reason="PLANET_VNU does not say where vnu.jar is")
def test_the_checker_finds_nothing(sites: dict[str, Site], tmp_path: Path) -> None:
    written = list(_write(sites, tmp_path))
    pages = [path for path in written if path.suffix == ".html"]
    styles = [path for path in written if path.suffix == ".css"]

    found = [*_checked("--html", pages), *_checked("--css", styles)]

    told = [each for each in found if not each["message"].startswith(PASSED_OVER)]
    assert [(each["url"], each["message"], each.get("extract")) for each in told] == []


def test_the_checker_would_find_something(tmp_path: Path) -> None:
    if VNU is None:
        pytest.skip("PLANET_VNU does not say where vnu.jar is")
    page, style = tmp_path / "page.html", tmp_path / "style.css"
    page.write_text("<!doctype html><html lang=en><title>x</title><p><li>y", encoding="utf-8")
    style.write_text("p { colour: red; }", encoding="utf-8")

    kinds = {each["type"] for each in [*_checked("--html", [page]), *_checked("--css", [style])]}

    assert "error" in kinds


def _write(sites: dict[str, Site], folder: Path) -> Iterable[Path]:
    for name, site in sites.items():
        for path, body in site.items():
            file = folder / name / path
            if file.suffix in {".html", ".css"}:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(body)
                yield file


def _checked(kind: str, files: list[Path]) -> list[dict[str, Any]]:
    done = subprocess.run(
        ["java", "-jar", str(VNU), kind, "--format", "json", "--stdout", "--exit-zero-always"]
        + [str(file) for file in files],
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    messages: list[dict[str, Any]] = json.loads(done.stdout)["messages"]
    return messages
