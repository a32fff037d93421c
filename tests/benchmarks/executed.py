"""The files of Planet with a function that runs for a feed, and for a build, in all processes.

Run by hand: `python -m tests.benchmarks.executed`.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.server import Server
from tests.whole.conftest import rss

ROOT = f"{Path(__file__).parents[2]}{os.sep}"
WATCH = """\
import os, sys, threading
seen = set()
def watch(frame, event, _):
    code = frame.f_code
    # Flag 1: neither a module nor the body of a class; a comprehension begins with "<".
    if code.co_flags & 1 and code.co_name[0] != "<" and code.co_filename not in seen:
        seen.add(code.co_filename)
        with open(os.environ["SEEN"], "a") as notes:
            print(code.co_filename, file=notes)
threading.setprofile(watch)
sys.setprofile(watch)
"""
FEED = "import os, planet; planet.read_feed(os.environ['FEED'], cache='cache')"


def executed(*arguments: str, url: str) -> list[str]:
    with TemporaryDirectory() as name:
        Path(name, "sitecustomize.py").write_text(WATCH)
        Path(name, "config.yaml").write_text(f"title: A planet\nfeeds: [{url!r}]\n")
        said = {"PYTHONPATH": f"{name}{os.pathsep}{ROOT}", "SEEN": f"{name}/seen", "FEED": url}
        subprocess.run([sys.executable, *arguments], cwd=name, env=os.environ | said, check=True)
        seen = set(Path(name, "seen").read_text().splitlines())
    return sorted(path[len(ROOT) :] for path in seen if path.startswith(f"{ROOT}planet{os.sep}"))


if __name__ == "__main__":
    with Server() as server:
        address = server.feed("/feed", rss("a", "b"), etag='"1"')
        for arguments in (["-c", FEED], ["-m", "planet", "build", "--quiet"]):
            files = executed(*arguments, url=address)
            print(f"{len(files)} files: planet {arguments[-1]}", *files, sep="\n  ")
