"""Runs a command and prints what it and all its processes cost, as one line of JSON.

`python measure.py OUTPUT COMMAND…` writes the command's stdout to OUTPUT. Linux only.
"""

import ctypes
import json
import os
import resource
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


def measure(output: Path, command: list[str]) -> dict[str, float]:
    """CPU and wall seconds, peak memory in MB, and the exit code."""
    # Processes that outlive the command become children of this one instead of init's, so that
    # their time is counted, too: workers and the server they are forked from.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    stopping = threading.Event()
    peaks: list[int] = []
    sampler = threading.Thread(target=_sample, args=(stopping, peaks))
    sampler.start()
    started = time.monotonic()
    with output.open("wb") as stdout:
        code = subprocess.run(command, stdout=stdout, check=False).returncode
    wall = time.monotonic() - started
    with suppress(ChildProcessError):
        while True:
            os.wait()
    stopping.set()
    sampler.join()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    return {"cpu": cpu, "wall": wall, "memory": max(peaks) / 1024, "code": code}


def _sample(stopping: threading.Event, peaks: list[int]) -> None:
    while True:
        peaks.append(sum(_memory(process) for process in _descendants(os.getpid())))
        if stopping.wait(0.05):
            return


def _descendants(process: int) -> list[int]:
    found = []
    with suppress(OSError):  # it has ended meanwhile
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *_descendants(child)]
    return found


def _memory(process: int) -> int:
    """What a process adds to the memory in use, in KB; shared pages are divided (PSS)."""
    with suppress(OSError, ValueError):  # it has ended meanwhile
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
        return int(rollup.partition("\nPss:")[2].split()[0])
    return 0


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), sys.argv[2:])))
