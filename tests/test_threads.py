"""Calls → futures, in as many threads as the system allows."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

import planet.threads
from planet.errors import StateError
from planet.threads import Threads
from tests.patience import PATIENCE
from tests.processes import python
from tests.threads import allow


@pytest.fixture
def some() -> Iterator[Threads[str]]:
    threads: Threads[str] = Threads(3, "some")
    yield threads
    threads.close()


def name() -> str:
    return threading.current_thread().name


def test_calls_are_made_at_the_same_time_in_up_to_so_many_threads(some: Threads[str]) -> None:
    meeting = threading.Barrier(3, timeout=PATIENCE)

    def meet() -> str:
        meeting.wait()
        return name()

    names = {future.result() for future in [some.submit(meet) for _ in range(9)]}

    assert names == {"some_0", "some_1", "some_2"}


def test_a_thread_that_is_free_takes_the_next_call(some: Threads[str]) -> None:
    names = {some.submit(name).result() for _ in range(9)}

    assert names == {"some_0"}


def test_what_a_call_raises_is_raised_where_its_result_is_taken(some: Threads[str]) -> None:
    def fail() -> NoReturn:
        raise LookupError("nothing there")

    failed, well = some.submit(fail), some.submit(lambda: "well")

    with pytest.raises(LookupError, match="nothing there"):
        failed.result()
    assert well.result() == "well"


def test_where_the_system_allows_few_threads_half_of_them_make_all_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    allow(4, planet.threads, monkeypatch)
    threads: Threads[str] = Threads(60, "few")
    first = threading.Barrier(4, timeout=PATIENCE)
    later = threading.Barrier(2, timeout=PATIENCE)

    def meet(barrier: threading.Barrier) -> str:
        barrier.wait()
        return name()

    begun = [threads.submit(lambda: meet(first)) for _ in range(3)]
    begun += [threads.submit(lambda: meet(first)), threads.submit(lambda: "waits")]
    results = [future.result() for future in begun]
    others = {future.result() for future in [threads.submit(lambda: meet(later)) for _ in range(8)]}
    threads.close()

    assert (len(set(results[:4])), results[4]) == (4, "waits")
    assert len(others) == 2


def test_without_a_single_thread_the_limits_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    allow(0, planet.threads, monkeypatch)
    threads: Threads[str] = Threads(60, "none")

    with pytest.raises(StateError, match="no thread can be started") as raised:
        threads.submit(name)

    assert raised.value.exit_code == 5


_PROGRAM = """
import resource
from planet.errors import StateError
from planet.threads import Threads
from planet.run.workers import Workers
pages = int(open("/proc/self/statm").read().split()[0])
size = (pages * resource.getpagesize() // 1024 + 1024) * 1024
resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))
for begin in (Threads(2, "two").submit, Workers(count=1).call):
    try:
        begin(int)
    except StateError as error:
        print(f"ulimit -v: {size // 1024}" in str(error), str(error).partition("\\n")[0])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_limit_of_memory_is_named_where_no_thread_fits_into_it(tmp_path: Path) -> None:
    program = python("-c", _PROGRAM, folder=tmp_path)

    assert (program.stdout, program.stderr) == (
        "True no thread can be started: the system allows no more\n" * 2,
        "",
    )


def test_closed_threads_begin_no_other_call_and_end() -> None:
    before = set(threading.enumerate())
    threads: Threads[str] = Threads(1, "last")
    begun, may_end = threading.Event(), threading.Event()

    def hold() -> str:
        begun.set()
        may_end.wait(PATIENCE)
        return "done"

    first, second = threads.submit(hold), threads.submit(name)
    assert begun.wait(PATIENCE)
    threads.close()
    may_end.set()

    assert first.result() == "done"
    for thread in set(threading.enumerate()) - before:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert second.cancelled()
