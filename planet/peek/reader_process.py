"""A pure function → its result, from one process for a program that is not ours.

`Workers` start processes that import the program's own script again, which has to be made for that.
This one imports Planet only, and has the same limits.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
from contextlib import suppress
from threading import Event, Lock, Timer
from typing import IO, TYPE_CHECKING, Final, ParamSpec, TypeVar

from planet.errors import FeedError, ParseError, StateError, not_allowed
from planet.run.workers import (
    CPU_LIMIT,
    MEMORY_LIMIT,
    NO_PROCESS,
    TIME_LIMIT,
    TOO_SLOW,
    call_within_limits,
    limit_memory,
)

if TYPE_CHECKING:
    from collections.abc import Callable


P = ParamSpec("P")
R = TypeVar("R")

_START: Final = "from planet.peek.reader_process import serve; serve()"
_SIGXCPU: Final = 0 if sys.platform == "win32" else signal.SIGXCPU


class ReaderProcess:
    """Runs functions in one process, one after the other, from any thread.

    The first call starts it; past the limits it is killed, and the next call starts another.
    """

    def __init__(
        self,
        *,
        cpu_limit: int = CPU_LIMIT,
        time_limit: float = TIME_LIMIT,
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        self._cpu_limit = cpu_limit
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()

    def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call a module's function; its arguments and its result are pickled.

        Raises:
            FeedError: the function raised it, or was past the limits.
            StateError: no process can be started.
        """
        question = pickle.dumps((self._cpu_limit, function, args, kwargs))
        with self._lock:
            answer = self._answer(self._running(), question)
        result: R | FeedError = pickle.loads(answer)  # noqa: S301 - from a process of ours
        if isinstance(result, FeedError):
            raise result
        return result

    def stop(self) -> None:
        """End the process until the next call."""
        if (process := self._let_go()) is not None:
            process.kill()
            process.wait()

    def leave_to_parent(self) -> None:
        """Begin anew after a fork: the process is the other program's, and so is the lock."""
        self._lock = Lock()
        if (process := self._let_go()) is not None:
            # It is no child of this program, which would look for it.
            process.returncode = 0

    def _let_go(self) -> subprocess.Popen[bytes] | None:
        process, self._process = self._process, None
        for pipe in filter(None, (process.stdin, process.stdout) if process else ()):
            # What was not sent yet is for nobody.
            with suppress(OSError):
                pipe.close()
        return process

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process and self._process.poll() is None:
            return self._process
        self.stop()
        # Where this program found Planet, which may be the current folder: `-P` leaves that out.
        path = os.pathsep.join(map(os.path.abspath, sys.path))
        try:
            self._process = subprocess.Popen(  # noqa: S603 - Python itself
                [sys.executable, "-P", "-c", _START, str(self._memory_limit)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": path},
                # What a terminal sends to all, as for Ctrl-C, is for the program, which ends it.
                start_new_session=True,
            )
        except OSError as error:
            reason = error.strerror or str(error)
            raise StateError(f"{NO_PROCESS}: {reason}") from error
        return self._process

    def _answer(self, process: subprocess.Popen[bytes], question: bytes) -> bytes:
        assert process.stdin is not None
        assert process.stdout is not None
        is_late, is_answered = Event(), False

        def give_up() -> None:
            is_late.set()
            process.kill()

        timer = Timer(self._time_limit, give_up)
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError as error:
            raise not_allowed(NO_PROCESS) from error
        try:
            _send(process.stdin, question)
            answer = _receive(process.stdout)
            is_answered = True
        except (EOFError, OSError):
            if is_late.is_set() or process.wait() == -_SIGXCPU:
                raise ParseError("too_slow", TOO_SLOW) from None
            words = "the feed takes too much memory to read"
            raise ParseError("too_greedy", words) from None
        finally:
            timer.cancel()
            if not is_answered:
                # Also when this thread was interrupted: what it still says is for nobody.
                self.stop()
        return answer


_SHARED: Final = ReaderProcess()
atexit.register(_SHARED.stop)
if sys.platform != "win32":  # pragma: no branch
    os.register_at_fork(after_in_child=_SHARED.leave_to_parent)


def call(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function in the process that all of this program share, which ends with it.

    Raises: as `ReaderProcess.call`.
    """
    return _SHARED.call(function, *args, **kwargs)


def serve() -> None:  # pragma: no cover - runs in the process
    """Answer what is asked on standard input, one after the other, until it is closed."""
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Whatever a parser prints is no answer.
    os.dup2(2, 1)
    limit_memory(int(sys.argv[1]))
    while True:
        try:
            cpu_limit, function, args, kwargs = pickle.loads(_receive(questions))  # noqa: S301 - from our program
            _send(answers, call_within_limits(cpu_limit, function, args, kwargs))
        except EOFError:
            return
        except (OSError, MemoryError):
            # There is nobody to answer, or no room to end in good order.
            os._exit(1)


def _send(pipe: IO[bytes], message: bytes) -> None:
    pipe.write(len(message).to_bytes(8, "big") + message)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes:
    size = int.from_bytes(_whole(pipe, 8), "big")
    return _whole(pipe, size)


def _whole(pipe: IO[bytes], size: int) -> bytes:
    message = pipe.read(size)
    if len(message) < size:
        raise EOFError
    return message
