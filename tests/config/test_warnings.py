"""Settings that can be used, but are probably not meant: `planet check` tells of them."""

from pathlib import Path

import pytest

from tests.cases import case, cases
from tests.config.files import loaded


def warned(folder: Path, text: str, **environ: str) -> list[str]:
    """What is told of a config that can be used, each as "line:column  message"."""
    config = loaded(folder, text, **environ)
    return [str(warning).replace(f"{config.path}:", "") for warning in config.warnings]


SHELL = (
    'has a "$" before a name, which is taken as it is written; to take it from the environment, '
    'write "${NAME}"'
)


@cases(
    "first, second, scheme",
    case("upgraded", "http://one.example/f", "https://one.example/f", "https"),
    case("downgraded", "HTTPS://One.example:443", "http://one.example/", "http"),
)
def test_one_address_by_http_and_https_is_told_with_both_lines(
    tmp_path: Path, first: str, second: str, scheme: str
) -> None:
    text = f"title: T\nfeeds:\n  - {first}\n  - f.xml\n  - {second}\n"

    assert warned(tmp_path, text) == [
        f'5:5  feeds[2] is the address of feeds[0] in line 3 but for "{scheme}"; keep one'
    ]


def test_two_feeds_with_one_name_are_told_with_both_lines(tmp_path: Path) -> None:
    text = """\
title: T
feeds:
  - {url: https://one.example/f, name: Ada}
  - {url: https://two.example/f, name: ada}
"""

    assert warned(tmp_path, text) == [
        "4:40  feeds[1].name is the name of feeds[0] in line 3, too; nobody can tell them apart"
    ]


def test_a_library_that_gets_no_more_fixes_is_told(tmp_path: Path) -> None:
    assert warned(tmp_path, "title: T\nfeeds: [f.xml]\nsanitizer: bleach\n") == [
        '3:12  sanitizer "bleach" gets no more fixes; leave the line out, and nh3 cleans'
    ]


def test_nothing_is_told_of_the_library_that_cleans_by_default(tmp_path: Path) -> None:
    assert warned(tmp_path, "title: T\nfeeds: [f.xml]\nsanitizer: nh3\n") == []


NO_LINK = (
    '1:1  there is no "link", and .github/workflows/publish.yml publishes the site: without its '
    "address, feed readers and other sites cannot follow it; "
    "write link: https://YOU.github.io/REPOSITORY/"
)


@pytest.fixture
def workflows(tmp_path: Path) -> Path:
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    (folder / "check.yml").write_text("jobs: {check: {}}\n")
    return folder


@cases(
    "step",
    case("GitHub Pages", "uses: actions/deploy-pages@v5"),
    case("Cloudflare", "run: npx --yes wrangler@4 pages deploy site"),
    case("Netlify", "run: npx --yes netlify-cli@17 deploy --prod"),
    case("the workflow of Planet", "uses: o/planet/.github/workflows/publish.yml@abc"),
)
def test_no_link_beside_a_workflow_that_publishes_is_told(
    tmp_path: Path, workflows: Path, step: str
) -> None:
    (workflows / "publish.yml").write_text(f"jobs: {{a: {{steps: [{step}]}}}}\n")

    assert warned(tmp_path, "title: T\nfeeds: [f.xml]\n") == [NO_LINK]


@cases(
    "settings",
    case("of the planet", "link: https://site.example/"),
    case("of each edition", "editions: {one: {link: 'https://site.example/'}}"),
)
def test_a_workflow_may_publish_with_a_link(tmp_path: Path, workflows: Path, settings: str) -> None:
    (workflows / "publish.yml").write_text("uses: actions/deploy-pages@v5\n")

    assert warned(tmp_path, f"title: T\nfeeds: [f.xml]\n{settings}\n") == []


def test_a_workflow_that_publishes_nothing_needs_no_link(tmp_path: Path, workflows: Path) -> None:
    (workflows / "folder.yml").mkdir()

    assert warned(tmp_path, "title: T\nfeeds: [f.xml]\n") == []
