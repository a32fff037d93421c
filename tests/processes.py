"""Processes of their own that import the same Planet as the tests, installed or not."""

import os
import re
import subprocess
import sys
from pathlib import Path

import planet
from tests.patience import PATIENCE

PACKAGES = str(Path(planet.__file__).parents[1])
"""The folder that has the package."""


def environ(**changes: str) -> dict[str, str]:
    """The environment for such a process."""
    return {**os.environ, "PYTHONPATH": PACKAGES, **changes}


def python(*words: str, folder: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with these changes of the environment."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environ(**changes),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def without_check(site: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files of a site, whose front page does not say when feeds were last asked."""
    front = re.sub(rb" \xc2\xb7 Last checked <time .*</time>", b"", site["index.html"])
    return {**site, "index.html": front}


def files(folder: Path) -> dict[str, bytes]:
    """What a program has left in a folder: each file, by its path."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
