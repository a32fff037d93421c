"""Commands that change the config, while somebody else changes it, too."""

from pathlib import Path

import pytest

from planet.cli import moves
from planet.errors import UsageError


def test_a_config_that_was_changed_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("title: Theirs\n")

    with pytest.raises(
        UsageError, match=r"config\.yaml was changed meanwhile; nothing was written"
    ):
        moves.write_feedfile(path, "title: Ours\n", before="title: Before\n")

    assert path.read_text() == "title: Theirs\n"


def test_a_config_that_somebody_else_has_made_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("title: Theirs\n")

    with pytest.raises(UsageError, match="was changed meanwhile"):
        moves.write_feedfile(path, "title: Ours\n", before="")


def test_one_that_is_as_it_was_is_written(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("title: Before\n")

    moves.write_feedfile(path, "title: Ours\n", before="title: Before\n")

    assert path.read_text() == "title: Ours\n"
