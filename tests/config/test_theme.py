"""The theme: its name alone, or with options, each with its place."""

from pathlib import Path

import pytest

from planet.config import Config, load
from planet.errors import ConfigError
from tests.cases import case, cases


def loaded(folder: Path, *lines: str) -> Config:
    text = "\n".join(("title: A", "feeds: [f.xml]", *lines))
    (folder / "config.yaml").write_text(text)
    return load(folder / "config.yaml", environ={})


def test_a_theme_is_a_name(tmp_path: Path) -> None:
    config = loaded(tmp_path, "theme: classic")

    assert (config.theme, config.theme_options) == ("classic", ())


def test_a_theme_may_have_options_which_know_where_they_stand(tmp_path: Path) -> None:
    lines = ("theme:", "  name: ./mine", "  options:", "    size: 3", "    on: true")

    config = loaded(tmp_path, *lines)

    said = [(option.name, option.value, str(option.place)) for option in config.theme_options]
    file = tmp_path / "config.yaml"
    assert config.theme == tmp_path / "mine"
    assert said == [("size", 3, f"{file}:6:5"), ("on", True, f"{file}:7:5")]


def test_options_without_a_name_are_for_the_default_theme(tmp_path: Path) -> None:
    assert loaded(tmp_path, "theme: {options: {a: b}}").theme == "default"


@cases(
    "line, message",
    case("setting", "theme: {nam: x}", '3:9  theme has no setting "nam"; did you mean "name"?'),
    case("list", "theme: [a]", "3:8  theme must be a mapping"),
    case(
        "list as option",
        "theme: {options: {a: [1]}}",
        "3:22  theme.options.a must be text",
    ),
    case(
        "output in static",
        "output: static/site",
        "3:9  the folder of the site must not lie in static/, where the site's own files are",
    ),
    case(
        "output is slots", "output: ./slots", "3:9  the folder of the site must not lie in slots/"
    ),
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        loaded(tmp_path, line)

    assert str(raised.value).startswith(f"{tmp_path}/config.yaml:{message}")
