"""What the operator decides about a site, and what of the config is no such decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from planet.run.publication import recipe, theme_of
from tests.config.files import loaded

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = """\
title: A planet
feeds:
  - url: https://one.example/feed
    name: One
editions:
  calm:
    release: {at: "07:00"}
    theme: {name: classic, options: {faces: true}}
"""


def made_from(folder: Path, text: str) -> str:
    (site,) = loaded(folder, text).sites
    return recipe(site, theme_of(site), cleaning="1")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("title:", "# Read by friends.\ntitle:", id="where it is in the file"),
        pytest.param(
            "name: One", "name: One\n    include: [replies, boosts]", id="what to ask for"
        ),
        pytest.param("name: One", "name: One\n    fetch: {min_interval: 2h}", id="when to ask"),
    ],
)
def test_what_no_page_shows_makes_no_other_site(tmp_path: Path, before: str, after: str) -> None:
    assert made_from(tmp_path, CONFIG.replace(before, after)) == made_from(tmp_path, CONFIG)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("A planet", "Another", id="title"),
        pytest.param("name: One", "name: The one", id="name of a feed"),
        pytest.param("07:00", "08:00", id="time of a release"),
        pytest.param("faces: true", "faces: false", id="option of a theme"),
        pytest.param("{name: classic, options: {faces: true}}", "default", id="theme"),
    ],
)
def test_what_shows_makes_another_site(tmp_path: Path, before: str, after: str) -> None:
    assert made_from(tmp_path, CONFIG.replace(before, after)) != made_from(tmp_path, CONFIG)
