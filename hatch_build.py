"""Note in every wheel and sdist the commit that it is built from, as `planet/commit.txt`.

`planet init --github-pages` names Planet by that commit.
"""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitHook(BuildHookInterface[Any]):
    """Where there is no repository (in an unpacked sdist), what the sdist says stays."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file to what is built."""
        self._folder = TemporaryDirectory()
        if version != "editable" and (commit := head(Path(self.root))):
            file = Path(self._folder.name, "commit.txt")
            file.write_text(f"{commit}\n", encoding="utf-8")
            build_data["force_include"][str(file)] = "planet/commit.txt"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what `initialize` has written."""
        self._folder.cleanup()


def head(folder: Path) -> str | None:
    """Return the commit that is checked out, if this folder is the top of a repository."""
    try:
        answer = subprocess.run(
            ["git", "rev-parse", "--show-cdup", "HEAD"],  # noqa: S607
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    # The way up to the top, which is empty there, and the commit.
    way_up, commit = answer.stdout.split("\n")[:2]
    return None if way_up else commit
