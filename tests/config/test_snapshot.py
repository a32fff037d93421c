"""A config that has not changed is not checked again, and is the same."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import planet
from planet.config import Config, loading, nouns, snapshot
from tests.cases import case, cases
from tests.config.images import png
from tests.config.test_meaning import EVERYTHING

CHECKOUT = Path(__file__).parents[2]
SECRETS = ("    headers:", "    auth:", "cache:")
PUBLIC = "".join(
    line
    for line in EVERYTHING.replace("../memory", "memory").splitlines(keepends=True)
    if not line.startswith(SECRETS)
)
PICKS = """\
picks:
  - title: One
    picked: 2026-11-20T08:00:00Z
    note: Good.
    enclosure: {url: https://show.example/1.mp3, type: audio/mpeg, duration: 90}
    persons: [Ada]
    transcripts: {url: https://show.example/1.vtt, type: text/vtt}
    notes: <p>Notes
    source: {id: x}
    season: 3
"""
MORE = """\
title: More
podcast: {cover: cover.png}
digest: {every: week, at: "6:30"}
theme: {name: default, options: {days: 3, wide: true}}
editions:
  all: {folder: .}
  some:
    tags: a
    timezone: Asia/Tokyo
    theme: ./mine
    filters: {exclude: '/spa[[m]/i', languages: de}
    release: {every: week, days: [mon], at: "7:00"}
subscriptions: [list.opml, https://example.org/list.opml]
feeds:
  - {url: feed.xml, tags: a, include: [boosts, replies], picks: only}
  - "https://example.org/feed?key=0123456789abcdef0123456789abcdef"
"""
OPML = (
    '<opml version="2.0"><body><outline type="rss" text="O" xmlUrl="https://o.example/f"/>'
    "</body></opml>"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("state", "memory"):
        (tmp_path / name).mkdir()
    (tmp_path / "list.opml").write_text(OPML)
    (tmp_path / "picks.yaml").write_text(PICKS)
    (tmp_path / "cover.png").write_bytes(png(1400, 1400))
    return tmp_path


def read(folder: Path, text: str | None = None, *, state: Path | None = None) -> Config:
    path = folder / "config.yaml"
    if text is not None:
        path.write_text(text)
    return snapshot.load(path, environ={"NAME": "s3cret"}, state=state, keep=True)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The configs that are checked."""
    checked = []
    check = loading.load

    def load(path: Path, **rest: object) -> Config:
        checked.append(path)
        return check(path, **rest)  # type: ignore[arg-type]  # handed on

    monkeypatch.setattr(loading, "load", load)
    return checked


@cases(
    "text",
    case("short", "title: A\nfeeds: [feed.xml]\n"),
    case("every setting", PUBLIC),
    case("editions and lists", MORE),
)
def test_a_config_that_is_as_it_was_is_not_checked_again_and_is_the_same(
    folder: Path, checks: list[Path], text: str
) -> None:
    checked = read(folder, text)
    again = read(folder)

    assert again == checked
    assert len(checks) == 1
    assert again.files == checked.files
    assert again.theme_place == checked.theme_place
    assert [site.theme_place for site in again.sites] == [
        site.theme_place for site in checked.sites
    ]
    # Equal is not enough: "full" equals ContentMode.FULL.
    assert repr(again) == repr(checked)


@pytest.mark.parametrize("name", ["config.example.yaml", "planet/demo/config.yaml"])
def test_the_examples_are_the_same(tmp_path: Path, checks: list[Path], name: str) -> None:
    text = (CHECKOUT / name).read_text()
    text = text.replace("${PLANET_DEMO}", "https://demo.example")
    text = re.sub(r"\n +headers:\n.*", "", text)
    (tmp_path / "state").mkdir()

    assert repr(read(tmp_path, text)) == repr(read(tmp_path))
    assert len(checks) == 1


def test_the_state_may_be_elsewhere(folder: Path, checks: list[Path]) -> None:
    text = "title: A\nstate: 'memory' # here\nfeeds: [feed.xml]\n"

    assert read(folder, text) == read(folder)
    assert len(checks) == 1
    assert read(folder, state=folder / "state") == read(folder, state=folder / "state")
    assert len(checks) == 2


CHANGES = [
    pytest.param(lambda it: (it / "config.yaml").write_text(MORE + "#"), id="a byte of the file"),
    pytest.param(lambda it: (it / "list.opml").write_text(OPML + " "), id="a list"),
    pytest.param(lambda it: (it / "picks.yaml").unlink(), id="the picks"),
    pytest.param(lambda it: (it / "cover.png").write_bytes(png(3000, 3000)), id="a cover"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_checked_again(
    folder: Path, checks: list[Path], change: Callable[[Path], object]
) -> None:
    read(folder, MORE)
    change(folder)

    read(folder)

    assert len(checks) == 2


def test_another_planet_checks_again(
    folder: Path, checks: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    read(folder, MORE)
    monkeypatch.setattr(planet, "__version__", "99")

    read(folder)

    assert len(checks) == 2


def test_what_is_not_installed_any_more_is_checked_again(
    folder: Path, checks: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    read(folder, MORE)
    monkeypatch.setattr(nouns, "needs", lambda config: iter([(("cache", "backend"), "redis")]))

    read(folder)

    assert len(checks) == 2


@cases(
    "damage",
    case("empty", lambda text: b""),
    case("cut off", lambda text: text[:-40]),
    case("an unknown noun", lambda text: text.replace(b'"Feed"', b'"Fed"')),
    case("an unknown field", lambda text: text.replace(b'"slug"', b'"slog"')),
    case("no config", lambda text: text.split(b"\n")[0] + b"\n[]"),
    case("no key", lambda text: b"[]\n" + text),
    case("no such zone", lambda text: text.replace(b"Asia/Tokyo", b"Asia/Atlantis")),
)
def test_a_damaged_snapshot_is_passed_over(
    folder: Path, checks: list[Path], damage: Callable[[bytes], bytes]
) -> None:
    config = read(folder, MORE)
    kept = folder / "state/config.json"
    kept.write_bytes(damage(kept.read_bytes()))

    assert read(folder) == config
    assert len(checks) == 2
    assert read(folder) == config
    assert len(checks) == 2


@cases(
    "line",
    case("the environment", "description: of ${NAME}"),
    case("an option of the cache", "cache: {options: {password: s3cret}}"),
    case(
        "a key",
        "fetch: {signature: {key_id: https://a.example/key, key: "
        '"-----BEGIN PRIVATE KEY-----\\ns3cret\\n-----END PRIVATE KEY-----"}}',
    ),
    case("a password", "feeds: [{url: https://a.example/, auth: {user: a, password: s3cret}}]"),
    case("a header", "feeds: [{url: https://a.example/, headers: {X: s3cret}}]"),
)
def test_a_config_with_secrets_is_read_anew(folder: Path, checks: list[Path], line: str) -> None:
    pytest.importorskip("cryptography")
    feeds = "" if "feeds" in line else "feeds: [feed.xml]\n"

    assert read(folder, f"title: A\n{line}\n{feeds}") == read(folder)

    assert len(checks) == 2
    assert list((folder / "state").iterdir()) == []


def test_without_a_state_folder_none_is_made(tmp_path: Path, checks: list[Path]) -> None:
    read(tmp_path, "title: A\nfeeds: [feed.xml]\n")
    read(tmp_path)

    assert len(checks) == 2
    assert not (tmp_path / "state").exists()


def test_a_state_that_cannot_be_written_costs_time_alone(folder: Path, checks: list[Path]) -> None:
    (folder / "state/config.json").mkdir()

    config = read(folder, MORE)

    assert read(folder) == replace(config)
    assert len(checks) == 2
