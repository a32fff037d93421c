"""A pure function → its result, from another process, which may be killed.

Parsers hang and eat memory on hostile input. Each call has limits of computing, of time and of
memory; past them the process is killed, the call fails with a ParseError, and nothing else notices.
The limit of computing does not depend on the other programs of the machine. Nothing is started
before the first call: a run without news starts no process. A process imports the called function,
and never the main program, which may not be ours: the pools of the standard library import both.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from errno import EAGAIN, ENOMEM
from math import ceil
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple, ParamSpec, TypeVar

from planet.errors import FeedError, ParseError, StateError, not_allowed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Future, ThreadPoolExecutor
    from multiprocessing.connection import Connection


P = ParamSpec("P")
R = TypeVar("R")

CPU_LIMIT = 20
"""Whole seconds of computing for one call: ten times the heaviest feed met in the wild (1.9),
because a small machine computes more slowly."""
TIME_LIMIT = 300.0
"""Seconds by the clock for one call, for one that waits without computing. So far apart from
`CPU_LIMIT` that a machine with forty busy processes to two cores reads every feed in time."""
MEMORY_LIMIT = 1024**3
"""Bytes of address space for one process."""
_NO_PROCESS: Final = "no process can be started to read feeds"
_CANNOT_BEGIN: Final = 1
"""The exit status of Python for a module that cannot be imported."""
_CANNOT_GO_ON: Final = 3
"""The exit status of a process without memory."""


class _Process(NamedTuple):
    """A process with a pipe for questions, one after the other."""

    program: subprocess.Popen[bytes]
    pipe: Connection

    def end(self) -> int:
        """End the process, if still running; return the exit status."""
        self.program.kill()
        self.pipe.close()
        return self.program.wait()


class Workers:
    """Runs functions in `count` processes, by default in one for each core, at most four.

    A context manager, whose end ends the processes. Any thread may call.
    """

    def __init__(
        self,
        *,
        count: int | None = None,
        cpu_limit: int = CPU_LIMIT,
        time_limit: float = TIME_LIMIT,
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        self._count = count or min(4, os.cpu_count() or 1)
        self._cpu_limit, self._time_limit = cpu_limit, time_limit
        self._memory_limit = memory_limit
        self._begin()

    def _begin(self) -> None:
        self._lock = Lock()
        self._threads: ThreadPoolExecutor | None = None
        """As many as there may be processes: in them, calls wait for their results."""
        self._started: list[_Process] = []
        self._idle: list[_Process] = []

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.rest()

    def call(
        self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
    ) -> Future[R | FeedError]:
        """Start a call of a module's function; arguments and result are pickled.

        A failed call has the error as result, because the error belongs to one feed.

        Raises:
            StateError: no process can be started; `result` of the future may raise the same.
        """
        # A run without news needs no threads, and does not load them.
        from concurrent.futures import ThreadPoolExecutor

        with self._lock:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(self._count, "planet-worker")
            try:
                return self._threads.submit(self._ask, (self._cpu_limit, function, args, kwargs))
            except RuntimeError as error:
                raise not_allowed(_NO_PROCESS) from error

    def rest(self) -> None:
        """End the processes until the next call, so that the rest of the run has their memory.

        Calls under way fail, and no other is begun.
        """
        with self._lock:
            threads, self._threads = self._threads, None
        if threads is not None:
            for process in [*self._started]:
                process.program.kill()
            threads.shutdown(cancel_futures=True)
            for process in self._started:
                process.end()
            self._begin()

    def leave_to_parent(self) -> None:
        """Begin anew after a fork: processes and locks belong to the other program."""
        for process in self._started:
            # No child of this program, which would look for it.
            process.program.returncode = 0
        self._begin()

    def _ask(self, question: object) -> Any:
        """Return the answer of an idle process, or of a new one.

        Raises:
            StateError: no process can be started.
        """
        try:
            process, is_new = self._idle.pop(), False
        except IndexError:
            process, is_new = self._start(), True
        try:
            process.pipe.send(question)
            if process.pipe.poll(self._time_limit):
                answer = pickle.loads(process.pipe.recv_bytes())  # noqa: S301 - from ours
                self._idle.append(process)
                return answer
            is_slow = True
        except (EOFError, OSError):
            is_slow = process.program.wait() == -signal.SIGXCPU
        self._started.remove(process)
        status = process.end()
        if is_slow:
            words = "this machine was busy, or the feed is heavy: it is read again next time"
            return ParseError("too_slow", words)
        if status == _CANNOT_BEGIN:
            raise StateError(f"{_NO_PROCESS}: Python ended with exit status {status}")
        if not is_new and self._threads is not None:
            # Calls before may have left it no memory, or the kernel has ended it.
            return self._ask(question)
        return ParseError("too_greedy", "the feed takes too much memory to read")

    def _start(self) -> _Process:
        from multiprocessing.connection import Pipe

        path = os.pathsep.join(map(os.path.abspath, sys.path))
        code = "from planet.run.workers import serve; serve()"
        pipe, theirs = Pipe()
        number = theirs.fileno()
        with theirs:
            try:
                program = subprocess.Popen(  # noqa: S603 - Python itself
                    [sys.executable, "-P", "-c", code, str(number), str(self._memory_limit)],
                    stdin=subprocess.DEVNULL,
                    # Words of a parser are no output of this program: they go where errors do.
                    stdout=2,
                    pass_fds=[number],
                    env={**os.environ, "PYTHONPATH": path},
                    # Ctrl-C, which a terminal sends to all, is for this program, which ends.
                    start_new_session=True,
                )
            except OSError as error:
                pipe.close()
                if error.errno in (EAGAIN, ENOMEM):
                    raise not_allowed(_NO_PROCESS) from error
                raise StateError(f"{_NO_PROCESS}: {error.strerror or error}") from error
        process = _Process(program, pipe)
        self._started.append(process)
        return process


# In the process


def serve() -> None:  # pragma: no cover - runs in a process of its own
    """Answer the questions from the pipe of the command line, until the end of the pipe."""
    import resource
    from multiprocessing.connection import Connection

    pipe, memory = Connection(int(sys.argv[1])), int(sys.argv[2])
    _limit(resource.RLIMIT_AS, memory)
    while True:
        try:
            cpu, function, args, kwargs = pipe.recv()
            # No handler for the signal: a parser written in C never comes back to where Python
            # looks for one.
            _limit(resource.RLIMIT_CPU, ceil(time.process_time() + cpu))
            pipe.send_bytes(_call(function, args, kwargs))
        except EOFError:
            return
        except (OSError, MemoryError):
            # There is nobody to answer, or no room to end in good order.
            os._exit(_CANNOT_GO_ON)


def _limit(kind: int, most: int) -> None:  # pragma: no cover - runs in a process of its own
    """Limit a resource of this process, within the limit of the system."""
    import resource

    _, hard = resource.getrlimit(kind)
    soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (soft, hard))


def _call(  # pragma: no cover - runs in a process of its own
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> bytes:
    """Return the result of a call, pickled: nothing else can go wrong on the way."""
    try:
        return pickle.dumps(function(*args, **kwargs))
    except FeedError as error:
        return pickle.dumps(error)
    except (MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - parsers promise no set of exceptions
        reason = f"the feed cannot be read ({type(error).__name__})"
        return pickle.dumps(ParseError("unreadable", reason))
