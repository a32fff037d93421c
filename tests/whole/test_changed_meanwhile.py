"""Commands that change the config, while somebody else changes it, too."""

from pathlib import Path

import pytest

from planet.cli import add
from planet.errors import OutputError, UsageError


@pytest.mark.parametrize("before", ["title: Before\n", ""], ids=["changed", "made"])
def test_no_config_is_touched_that_somebody_else_has(before: str, tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("title: Theirs\n")

    words = r"config\.yaml was changed meanwhile; nothing was written"
    with pytest.raises(UsageError, match=words):
        add.write_feedfile(path, "title: Ours\n", before=before)

    assert path.read_text() == "title: Theirs\n"


def test_one_that_is_as_it_was_is_written(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("title: Before\n")

    add.write_feedfile(path, "title: Ours\n", before="title: Before\n")

    assert path.read_text() == "title: Ours\n"


def test_one_that_cannot_be_written_stays_as_it_was(tmp_path: Path) -> None:
    # The longest name there can be: no file with a longer one can be put beside it.
    path = tmp_path / ("c" * 255)
    path.write_text("title: Before\n")

    with pytest.raises(OutputError, match="cannot be written: File name too long"):
        add.write_feedfile(path, "title: Ours\n", before="title: Before\n")

    assert path.read_text() == "title: Before\n"
