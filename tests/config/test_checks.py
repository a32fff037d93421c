"""Settings that are right each by itself, and contradict others, or are probably not meant."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planet.cli import main
from planet.cli.options import ConfigFile
from tests.cases import case, cases
from tests.config.files import complaints, loaded
from tests.config.images import JFIF, frame, jpeg, png


def warned(folder: Path, text: str, **environ: str) -> list[str]:
    """What is told of a config that can be used, each as "line:column  message"."""
    config = loaded(folder, text, **environ)
    return [str(warning).replace(f"{config.path}:", "") for warning in config.warnings]


OURS = "title: T\nfeeds: [f.xml]\n"


@cases(
    "text, told",
    case(
        "the address of an example",
        f"{OURS}link: https://YOU.github.io/planet/\n",
        "3:7  link still has the address of an example; write that of your site",
    ),
    case(
        "the address of an example, of an edition",
        f"{OURS}editions: {{one: {{link: https://a.github.io/REPOSITORY}}}}\n",
        "3:24  editions.one.link still has the address of an example; write that of your site",
    ),
)
def test_what_is_probably_not_meant_is_told(tmp_path: Path, text: str, told: str) -> None:
    assert warned(tmp_path, text) == [told]


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


KEY = """"-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n\""""


@cases(
    "library, setting, problem",
    case(
        "searching",
        "pagefind",
        "pages: {search: true}",
        "3:17  pages.search needs pagefind, which is not installed; "
        "pip install 'planet-digest[search]'",
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

    assert complaints(tmp_path, f"{OURS}{setting}\n") == [problem]


def containing(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


COVER, FACE = "podcast: {{cover: {}}}\n", "feeds: [{{url: f.xml, image: {}}}]\n"
NOT_THERE = "is no file that can be read; its path starts at the folder of this file"
NO_COVER = "is no JPEG or PNG, square, 1400 to 3000 pixels wide, of up to 5000 kB"
NO_FACE = (
    "is no PNG, JPEG, GIF, WebP or ICO (an SVG may hold scripts) of up to 100 kB and 2048 pixels "
    "wide and high"
)


@cases(
    "setting, make, said",
    case("is missing", COVER, Path, NOT_THERE),
    case("is a pipe", COVER, os.mkfifo, NOT_THERE),
    case("is not square", COVER, containing(png(2000, 1999)), NO_COVER),
    case("has too many bytes", COVER, containing(png(1400, 1400) + bytes(6 * 1024**2)), NO_COVER),
    case("is an SVG", FACE, containing(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), NO_FACE),
    case("is damaged", FACE, containing(png(9, 9)[:20]), NO_FACE),
    case("has too many pixels", FACE, containing(png(9, 2049)), NO_FACE),
)
def test_a_picture_that_players_or_pages_would_not_take_is_refused(
    setting: str, make: Callable[[Path], object], said: str, tmp_path: Path
) -> None:
    make(tmp_path / "art.png")
    rest = "subscriptions: [https://a.example/list.opml]\n"

    (told,) = complaints(tmp_path, f"title: T\n{rest}{setting.format('art.png')}")

    assert told.partition("  ")[2] in (
        f'podcast.cover "art.png" {said}',
        f'feeds[0].image "art.png" {said}',
    )


@cases(
    "image",
    case("PNG of the least size", png(1400, 1400)),
    case("JPEG of the greatest size", jpeg(JFIF, frame(3000, 3000))),
)
def test_covers_of_the_least_and_the_greatest_size_are_taken(image: bytes, tmp_path: Path) -> None:
    (tmp_path / "art.png").write_bytes(image)

    assert loaded(tmp_path, OURS + COVER.format("art.png")).podcast.cover == tmp_path / "art.png"


def test_a_picture_of_a_source_is_a_file_from_the_folder_of_the_config_or_an_address(
    tmp_path: Path,
) -> None:
    (tmp_path / "ann.png").write_bytes(png(9, 9))
    feeds = "{url: a.xml, image: ann.png}, {url: b.xml, image: 'https://b.example/b.png'}"

    config = loaded(tmp_path, f"title: A planet\nfeeds: [{feeds}]\n")

    assert [(feed.image, feed.face) for feed in config.feeds] == [
        (None, tmp_path / "ann.png"),
        ("https://b.example/b.png", None),
    ]
    assert tmp_path / "ann.png" in config.files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a config, and the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(OURS)
    return tmp_path


PUBLISHED = "would be published: it must not lie in the output folder"


def test_folders_from_the_command_line_are_laid_over_the_config(folder: Path) -> None:
    config = ConfigFile(
        path=folder / "config.yaml", output=folder / "site", state=folder / "known"
    ).read()

    assert (config.output, config.state) == (folder / "site", folder / "known")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--state", "public/x"], f"public/x {PUBLISHED} "),
        (["--state", "x/../public"], f"x/../public {PUBLISHED} "),
        (["--output", "."], f"state {PUBLISHED} "),
        (["--output", "site", "--state", "site/known"], f"site/known {PUBLISHED} "),
        (["--state", ""], "must not be empty"),
        (["--output", ""], "must not be empty"),
    ],
    ids=str,
)
def test_folders_that_cannot_be_meant_end_a_command_with_2(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    code = main(["build", "--offline", *options])

    assert code == 2
    assert said in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["config.yaml"]
