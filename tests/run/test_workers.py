"""A pure function → its result, whatever it does to the process it runs in."""

import itertools
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from planet.errors import ParseError, StateError
from planet.run.workers import Workers
from tests.cases import case, cases
from tests.patience import patient
from tests.processes import python

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals and named pipes")

MIB = 1024**2


# What is called: functions of a module, because that is how they reach another process


def add(one: int, *, other: int = 0) -> int:
    return one + other


def process() -> int:
    return os.getpid()


def wait_for_ever() -> NoReturn:
    while True:
        signal.pause()


def hang_out_of_reach() -> bool:
    """Never comes back to where Python looks for signals, as a parser written in C may."""
    return 1 in itertools.repeat(0)


def allocate(size: int) -> int:
    return len(bytearray(size))


def refuse() -> NoReturn:
    raise ParseError("empty", "the feed is empty")


def break_off() -> NoReturn:
    raise LookupError("a hostile <text>")


def recurse() -> None:
    recurse()


def take_the_program_down() -> NoReturn:
    sys.exit(1)


def crash() -> NoReturn:
    os.kill(os.getpid(), signal.SIGSEGV)
    raise AssertionError


def leave() -> NoReturn:
    os._exit(0)


def give_what_cannot_be_sent() -> Callable[[], None]:
    return lambda: None


class StubbornError(Exception):
    """Can be sent to another process, but not be made again there."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(one + other)


def break_off_stubbornly() -> NoReturn:
    raise StubbornError(1, 2)


def make_workers(*, count: int = 1, **limits: Any) -> Workers:
    return Workers(count=count, **limits)


# Failures: each is a value, and the next call works


SLOW = ("too_slow", "this machine was busy, or the feed is heavy: it is read again next time")
GREEDY = ("too_greedy", "the feed takes too much memory to read")


def unreadable(error: str) -> tuple[str, str]:
    return "unreadable", f"the feed cannot be read ({error})"


@cases(
    "function, arguments, told",
    case("says that it cannot", refuse, (), ("empty", "the feed is empty")),
    case("raises anything else", break_off, (), unreadable("LookupError")),
    case("recurses without end", recurse, (), unreadable("RecursionError")),
    case("raises what cannot be made again", break_off_stubbornly, (), unreadable("StubbornError")),
    case("computes where no signal reaches it", hang_out_of_reach, (), SLOW),
    case("allocates too much", allocate, (900 * MIB,), GREEDY),
    case("crashes its process", crash, (), GREEDY),
)
def test_a_function_fails_alone_that(
    function: Callable[..., Any], arguments: tuple[Any, ...], told: tuple[str, str]
) -> None:
    with make_workers(cpu_limit=1, memory_limit=768 * MIB) as workers:
        calls = [workers.call(function, *arguments), workers.call(add, 1), workers.call(add, 2)]
        error, *others = (call.result() for call in calls)
        later = workers.call(add, 3).result()

    assert isinstance(error, ParseError)
    assert (error.kind, str(error)) == told
    assert (others, later) == ([1, 2], 3)


def test_a_function_that_waits_for_ever_without_computing_is_ended_by_the_clock() -> None:
    with make_workers(time_limit=patient(3.0)) as workers:
        error = workers.call(wait_for_ever).result()

    assert isinstance(error, ParseError)
    assert (error.kind, str(error)) == SLOW


@pytest.mark.parametrize("function", [take_the_program_down, leave, give_what_cannot_be_sent])
def test_nothing_a_function_does_ends_the_program(function: Callable[..., Any]) -> None:
    with make_workers() as workers:
        failed = workers.call(function).result()
        later = workers.call(add, 1).result()

    assert isinstance(failed, ParseError)
    assert later == 1


def test_a_process_that_is_killed_between_two_calls_is_replaced() -> None:
    # As the kernel does when memory runs short.
    with make_workers() as workers:
        first = workers.call(process).result()
        assert isinstance(first, int)
        os.kill(first, signal.SIGKILL)
        others = [workers.call(process).result() for _ in range(3)]

    assert all(isinstance(other, int) for other in others)
    assert first not in others


# Processes


_SCRIPT = """
import operator
from planet.run.workers import Workers
if __name__ == "__main__":
    with Workers(count=1) as workers:
        print(workers.call(operator.add, 1, 2).result())
"""


def test_a_process_loads_nothing_that_lies_in_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "selectors.py").write_text("raise ImportError('somebody left this here')")
    script = tmp_path / "elsewhere/script.py"
    script.parent.mkdir()
    script.write_text(_SCRIPT)

    program = python(str(script), folder=tmp_path)

    assert (program.stdout, program.stderr) == ("3\n", "")


def is_there(number: object) -> bool:
    """Whether there is a process of this number."""
    assert isinstance(number, int)
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_processes_that_rest_are_gone_until_the_next_call() -> None:
    with make_workers() as workers:
        first = workers.call(process).result()
        workers.rest()

        assert not is_there(first)
        assert workers.call(process).result() != first


def test_a_process_that_cannot_be_started_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")

    with make_workers() as workers, pytest.raises(StateError, match="No such file"):
        workers.call(add, 1).result()
