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


ALIKE = "title: T\nfeeds:\n  - {}\n  - f.xml\n  - {}\n"
OURS = "title: T\nfeeds: [f.xml]\n"


@cases(
    "text, told",
    case(
        "an address by http and by https",
        ALIKE.format("http://one.example/f", "https://one.example/f"),
        '5:5  feeds[2] is the address of feeds[0] in line 3 but for "https"; keep one',
    ),
    case(
        "an address by https and by http",
        ALIKE.format("HTTPS://One.example:443", "http://one.example/"),
        '5:5  feeds[2] is the address of feeds[0] in line 3 but for "http"; keep one',
    ),
    case(
        "two feeds with one name",
        ALIKE.format("{url: one.xml, name: Ada}", "{url: two.xml, name: ada}"),
        "5:26  feeds[2].name is the name of feeds[0] in line 3, too; nobody can tell them apart",
    ),
    case(
        "a library that gets no more fixes",
        f"{OURS}sanitizer: bleach\n",
        '3:12  sanitizer "bleach" gets no more fixes; leave the line out, and nh3 cleans',
    ),
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

    assert complaints(tmp_path, f"{OURS}{setting}\n") == [problem]


@cases(
    "setting, language",
    case("of the planet", "language: zh-Hant", "zh-Hant"),
    case("of an edition", "editions: {one: {}, two: {language: JA}}", "JA"),
)
def test_for_a_language_without_blanks_a_search_needs_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, language: str
) -> None:
    pytest.importorskip("pagefind", reason="Pagefind is not installed")
    monkeypatch.setitem(sys.modules, "pagefind_bin_extended", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    text = f"{OURS}pages: {{search: true}}\n"

    assert loaded(tmp_path, text).pages.search
    assert complaints(tmp_path, text + setting) == [
        f"3:17  pages.search needs the larger Pagefind for the language {language}; "
        "pip install 'pagefind[extended]'"
    ]

    (tmp_path / "pagefind_extended").write_text("#!/bin/sh\n")
    (tmp_path / "pagefind_extended").chmod(0o755)
    assert complaints(tmp_path, text + setting) == []


def containing(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


COVER, FACE = "podcast: {{cover: {}}}\n", "feeds: [{{url: f.xml, image: {}}}]\n"
SQUARE = "pixels; a cover must be square, 1400 to 3000 pixels wide"
DAMAGED = "is no JPEG or PNG, or damaged; export it as one (an SVG may hold scripts)"
NO_PICTURE = DAMAGED.replace("JPEG or PNG", "PNG, JPEG, GIF, WebP or ICO")


@cases(
    "setting, make, said",
    case(
        "is missing",
        COVER,
        Path,
        "is not there; put a JPEG or PNG in its place, or leave the setting out",
    ),
    case(
        "is a pipe",
        COVER,
        os.mkfifo,
        "is no file; put a JPEG or PNG in its place, or leave the setting out",
    ),
    case("is not square", COVER, containing(png(2000, 1999)), f"is 2000 × 1999 {SQUARE}"),
    case("is small", COVER, containing(png(1399, 1399)), f"is 1399 × 1399 {SQUARE}"),
    case("is large", COVER, containing(jpeg(frame(3001, 3001))), f"is 3001 × 3001 {SQUARE}"),
    case("is a GIF", COVER, containing(b"GIF89a\x78\x05\x78\x05"), DAMAGED),
    case(
        "has too many bytes",
        COVER,
        containing(png(1400, 1400) + bytes(6 * 1024**2)),
        "has more than 5000 kB, which is plenty for a picture of its kind",
    ),
    case("is an SVG", FACE, containing(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), NO_PICTURE),
    case("is damaged", FACE, containing(png(9, 9)[:20]), NO_PICTURE),
    case(
        "has too many pixels",
        FACE,
        containing(png(9, 2049)),
        "is 9 × 2049 pixels; it may be 2048 pixels wide and high, and pages show it small",
    ),
    case(
        "has too many bytes for a face",
        FACE,
        containing(png(9, 9) + bytes(100_000)),
        "has more than 100 kB, which is plenty for a picture of its kind",
    ),
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
