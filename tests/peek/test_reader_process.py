"""One process for a program that is not ours: what it runs, and what it survives."""

import os
import sys
from collections.abc import Iterator

import pytest

from planet.errors import FeedError, ParseError, StateError
from planet.peek.reader_process import ReaderProcess
from tests.cases import case, cases

unix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")


@pytest.fixture
def process() -> Iterator[ReaderProcess]:
    reader = ReaderProcess(cpu_limit=1, memory_limit=512 * 1024**2)
    yield reader
    reader.stop()


def double(number: int) -> tuple[int, int]:
    print("a parser talks")
    return 2 * number, os.getpid()


def spin() -> None:
    while True:
        pass


def eat() -> int:
    return len(bytearray(1024**3))


def end() -> None:
    os._exit(3)


def fail() -> None:
    raise ParseError("empty", "nothing there")


def break_down() -> None:
    raise RuntimeError("oh")


def test_a_function_runs_in_another_process_which_serves_the_next_call_too(
    process: ReaderProcess,
) -> None:
    (four, first), (six, second) = process.call(double, 2), process.call(double, 3)

    assert (four, six) == (4, 6)
    assert first == second != os.getpid()


@unix
@cases(
    "function, kind",
    case("computes without an end", spin, "too_slow"),
    case("takes all memory", eat, "too_greedy"),
    case("ends its process", end, "too_greedy"),
    case("fails", fail, "empty"),
    case("breaks down", break_down, "unreadable"),
)
def test_a_function_that_fails_is_an_error_of_its_feed_and_the_next_call_works(
    process: ReaderProcess, function: object, kind: str
) -> None:
    with pytest.raises(FeedError) as raised:
        process.call(function)  # type: ignore[arg-type]  # mypy joins them to object

    assert raised.value.kind == kind
    assert process.call(double, 2)[0] == 4


def test_what_only_waits_is_given_up_by_the_clock() -> None:
    process = ReaderProcess(time_limit=0.01)

    with pytest.raises(ParseError) as raised:
        process.call(input)

    assert raised.value.kind == "too_slow"


def test_a_process_that_cannot_be_started_is_told(
    process: ReaderProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")

    with pytest.raises(StateError, match="No such file"):
        process.call(double, 2)


@unix
def test_after_a_fork_the_child_has_a_process_of_its_own(process: ReaderProcess) -> None:
    _, first = process.call(double, 1)

    process.leave_to_parent()
    _, second = process.call(double, 1)

    assert first != second
