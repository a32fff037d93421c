"""What the operator decides about a site, and what of the config is no such decision."""

from pathlib import Path

from planet.run.drawing import config_hash, load_site_theme
from tests.cases import case, cases
from tests.config.files import loaded

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
    return config_hash(site, load_site_theme(site), cleaning="1")


@cases(
    "before, after",
    case("where it is in the file", "title:", "# Read by friends.\ntitle:"),
    case("what to ask for", "name: One", "name: One\n    include: [replies, boosts]"),
    case("when to ask", "name: One", "name: One\n    fetch: {min_interval: 2h}"),
)
def test_what_no_page_shows_makes_no_other_site(tmp_path: Path, before: str, after: str) -> None:
    assert made_from(tmp_path, CONFIG.replace(before, after)) == made_from(tmp_path, CONFIG)


@cases(
    "before, after",
    case("title", "A planet", "Another"),
    case("name of a feed", "name: One", "name: The one"),
    case("link of a feed", "name: One", "name: One\n    links: {github: one}"),
    case("a feed gets a program", "name: One", "name: One\n    transform: [/bin/cat]"),
    case("a feed gets a login", "name: One", "name: One\n    auth: {user: me, password: secret}"),
    case("time of a release", "07:00", "08:00"),
    case("option of a theme", "faces: true", "faces: false"),
    case("theme", "{name: classic, options: {faces: true}}", "default"),
)
def test_what_shows_makes_another_site(tmp_path: Path, before: str, after: str) -> None:
    assert made_from(tmp_path, CONFIG.replace(before, after)) != made_from(tmp_path, CONFIG)
