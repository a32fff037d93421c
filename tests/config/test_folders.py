"""Folders from the command line are held to what the config is held to."""

from pathlib import Path

import pytest

from planet.cli import main
from planet.cli.options import ConfigFile
from planet.errors import UsageError
from tests.cases import case, cases

CONFIG = "title: A planet\nfeeds: [feed.xml]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a config, and the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(CONFIG)
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
