"""Every file of the corpus, read in a worker: what becomes of it, how long it takes and how much.

`python -m tests.parse.corpus` cleans all texts as well, and prints the table.
"""

import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from planet.errors import FeedError, ParseError
from planet.run.read import ReadOptions, read
from planet.run.workers import Workers
from planet.text.html import Cleaning

CORPUS = (Path(__file__).parents[2] / "../shared/corpus").resolve()
"""Not part of the repository."""
URL = "https://feed.example/feed.xml"


def _peak() -> float:
    # Not `ru_maxrss`: there, a new program begins with what the one that started it had.
    line = re.search(r"^VmHWM:\s*(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert line
    return int(line[1]) / 1024


_AT_START = _peak()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one file."""

    file: str
    kind: str
    """`read`, or the kind of the error."""
    ids: tuple[str, ...] = ()
    seconds: float
    """Of the processor, not of the clock: other programs count for nothing."""
    memory: float
    """Megabytes that the process came to have at the most so far, beyond those of its libraries."""


def outcomes(*, clean: bool) -> Iterator[Outcome]:
    """What becomes of every file, folder by folder.

    Raises:
        FeedError: a folder took a worker past its limits.
    """
    folders = sorted(path for path in (CORPUS / "feeds").iterdir() if path.is_dir())
    with Workers(count=2, cpu_limit=600, time_limit=3600.0) as workers:
        calls = [workers.call(read_all, folder, clean=clean) for folder in folders]
        for call in calls:
            result = call.result()
            if isinstance(result, FeedError):
                raise result
            yield from result


def read_all(folder: Path, *, clean: bool) -> list[Outcome]:
    """What becomes of the files in a folder; runs in a worker."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [_outcome(file, clean=clean) for file in files]


def _outcome(file: Path, *, clean: bool) -> Outcome:
    ids: tuple[str, ...] = ()
    body = file.read_bytes()
    start = time.process_time()
    try:
        ids = read(
            body,
            url=URL,
            content_type=None,
            options=ReadOptions(clean_first=None if clean else 0, cleaning=Cleaning()),
        ).ids
        kind = "read"
    except ParseError as error:
        kind = error.kind
    return Outcome(
        file=str(file.relative_to(CORPUS / "feeds")),
        kind=kind,
        ids=ids,
        seconds=time.process_time() - start,
        memory=_peak() - _AT_START,
    )


def main() -> None:
    every = list(outcomes(clean=True))
    slowest = max(every, key=lambda outcome: outcome.seconds)
    largest = max(outcome.memory for outcome in every)
    first = next(outcome for outcome in every if outcome.memory == largest)
    print("| | |\n|---|---|")
    print(f"| files | {len(every):,} |")
    print(f"| entries | {sum(len(outcome.ids) for outcome in every):,} |")
    for kind, count in Counter(outcome.kind for outcome in every).most_common():
        print(f"| {kind} | {count:,} |")
    print(f"| slowest | {slowest.seconds:.2f} s ({slowest.file}) |")
    print(f"| largest memory | {largest:.0f} MB ({first.file}) |")


if __name__ == "__main__":
    main()
