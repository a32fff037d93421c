"""Settings that are right each by itself, and contradict others, or are probably not meant."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from planet.cli import main
from planet.cli.options import ConfigFile
from planet.errors import UsageError
from tests.cases import case, cases
from tests.config.files import complaints, loaded
from tests.config.images import JFIF, frame, jpeg, png, segment


def warned(folder: Path, text: str, **environ: str) -> list[str]:
    """What is told of a config that can be used, each as "line:column  message"."""
    config = loaded(folder, text, **environ)
    return [str(warning).replace(f"{config.path}:", "") for warning in config.warnings]


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


CONFIG = "title: A planet\nfeeds: [feed.xml]\npages:\n  search: {}\n"


def test_a_search_without_pagefind_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pagefind", None)

    assert complaints(tmp_path, CONFIG.format("true")) == [
        "4:11  pages.search needs pagefind, which is not installed; "
        "pip install 'planet-digest[search]'"
    ]


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


WITH_COVER = "title: A planet\nfeeds: [feed.xml]\npodcast:\n  cover: art.png\n"


DAMAGED = "is no JPEG or PNG, or damaged; export it as one (an SVG may hold scripts)"


def test_whatever_is_damaged_in_an_image_it_is_told_in_words(tmp_path: Path) -> None:
    chance = Random(1)
    images = [png(1600, 1500), jpeg(JFIF, segment(0xDB, bytes(65)), frame(1600, 1500))]
    told = set()
    for _ in range(200):
        image = bytearray(chance.choice(images))
        for _ in range(chance.randrange(1, 4)):
            image[chance.randrange(len(image))] = chance.choice((0, 0xFF, chance.randrange(256)))
        (tmp_path / "art.png").write_bytes(image[: chance.randrange(len(image))])
        (said,) = complaints(tmp_path, WITH_COVER)
        told.add(re.sub(r"is \d+ × \d+", "is 1 × 2", said.partition('"art.png" ')[2]))

    assert told == {DAMAGED, f"is 1 × 2 pixels; {SQUARE}"}


def nothing(path: Path) -> None:
    """There is no such file."""


def containing(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


SQUARE = "a cover must be square, 1400 to 3000 pixels wide"
PUT = "put a JPEG or PNG in its place, or leave the setting out"


@cases(
    "make, said",
    case("is missing", nothing, f"is not there; {PUT}"),
    case("is a folder", Path.mkdir, f"is no file; {PUT}"),
    case("is a pipe", os.mkfifo, f"is no file; {PUT}"),
    case("is too small", containing(png(1200, 800)), f"is 1200 × 800 pixels; {SQUARE}"),
    case("is not quite square", containing(png(2000, 1999)), f"is 2000 × 1999 pixels; {SQUARE}"),
    case("is a little small", containing(png(1399, 1399)), f"is 1399 × 1399 pixels; {SQUARE}"),
    case(
        "is a little large", containing(jpeg(frame(3001, 3001))), f"is 3001 × 3001 pixels; {SQUARE}"
    ),
    case("is another kind of image", containing(b"<svg/>"), DAMAGED),
    case("is a GIF", containing(b"GIF89a\x78\x05\x78\x05"), DAMAGED),
    case("is damaged", containing(png(9, 9)[:20]), DAMAGED),
    case(
        "has too many bytes",
        containing(png(1400, 1400) + bytes(6 * 1024**2)),
        "has more than 5000 kB, which is plenty for a picture of its kind",
    ),
)
def test_a_cover_that_players_would_not_take_is_refused(
    make: Callable[[Path], object], said: str, tmp_path: Path
) -> None:
    make(tmp_path / "art.png")

    assert complaints(tmp_path, WITH_COVER) == [f'4:10  podcast.cover "art.png" {said}']


@cases(
    "image",
    case("PNG of the least size", png(1400, 1400)),
    case("JPEG of the greatest size", jpeg(JFIF, frame(3000, 3000))),
)
def test_covers_of_the_least_and_the_greatest_size_are_taken(image: bytes, tmp_path: Path) -> None:
    (tmp_path / "art.png").write_bytes(image)

    assert loaded(tmp_path, WITH_COVER).podcast.cover == tmp_path / "art.png"


# The picture of a source


SMALL = "it may be 2048 pixels wide and high, and pages show it small"
NO_PICTURE = (
    "is no PNG, JPEG, GIF, WebP or ICO, or damaged; export it as one (an SVG may hold scripts)"
)


@cases(
    "make, said",
    case(
        "is missing",
        nothing,
        "is not there; put a PNG, JPEG, GIF, WebP or ICO in its place, or leave the setting out",
    ),
    case("is an SVG", containing(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), NO_PICTURE),
    case("is damaged", containing(png(9, 9)[:20]), NO_PICTURE),
    case("has too many pixels", containing(png(9, 2049)), f"is 9 × 2049 pixels; {SMALL}"),
    case(
        "has too many bytes",
        containing(png(9, 9) + bytes(100_000)),
        "has more than 100 kB, which is plenty for a picture of its kind",
    ),
)
def test_a_face_that_is_no_picture_is_refused(
    make: Callable[[Path], object], said: str, tmp_path: Path
) -> None:
    make(tmp_path / "ann.png")
    text = "title: A planet\nfeeds:\n  - {url: feed.xml, image: ann.png}\n"

    assert complaints(tmp_path, text) == [f'3:28  feeds[0].image "ann.png" {said}']


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


PLAIN = "title: A planet\nfeeds: [feed.xml]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a config, and the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(PLAIN)
    return tmp_path


def test_folders_from_the_command_line_are_laid_over_the_config(folder: Path) -> None:
    config = ConfigFile(
        path=folder / "config.yaml", output=folder / "site", state=folder / "known"
    ).read()

    assert (config.output, config.state) == (folder / "site", folder / "known")


@cases(
    "output, state",
    case("state in output", None, "public/x"),
    case("the same folder", None, "x/../public"),
    case("output around the state", ".", None),
    case("both", "site", "site/known"),
)
def test_a_state_that_would_be_published_is_refused(
    folder: Path, output: str | None, state: str | None
) -> None:
    into = folder / (output or "public")
    known = folder / (state or "state")

    with pytest.raises(UsageError) as caught:
        ConfigFile(
            path=folder / "config.yaml",
            output=into if output else None,
            state=known if state else None,
        ).read()

    assert str(caught.value) == (
        f"the state folder {known} would be published: it must not lie in the output folder {into}"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--state", "public/x"], "would be published"),
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
