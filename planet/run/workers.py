"""A pure function → its result, from another process that may be killed.

Parsers hang and eat memory on hostile input. Each call has limits of computing, of time and of
memory; past them its process is killed and replaced, the call fails with a ParseError, and nothing
else notices. The limit of computing does not depend on the other programs of the machine.
Nothing is started before the first call: a run without news starts no process. A process imports
the function that it calls, and never the program that started it, which may not be ours: the pools
of the standard library import that.
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
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple, ParamSpec, TypeVar

import planet
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


class _Limits(NamedTuple):
    """The most that a call may take."""

    cpu: int
    time: float
    memory: int


class Workers:
    """Runs functions in `count` processes, by default in one for each core, at most four.

    A context manager: leaving it ends the processes. Any thread may use it.
    """

    def __init__(
        self,
        *,
        count: int | None = None,
        cpu_limit: int = CPU_LIMIT,
        time_limit: float = TIME_LIMIT,
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        self._count = min(4, os.cpu_count() or 1) if count is None else count
        self._limits = _Limits(cpu_limit, time_limit, memory_limit)
        self._threads: ThreadPoolExecutor | None = None
        """As many as there are processes: in them, calls wait for their results."""
        self._processes: list[_Process] = []
        self._free: list[_Process] = []
        self._lock = Lock()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.rest()

    def call(
        self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
    ) -> Future[R | FeedError]:
        """Start a call of a module's function; arguments and result are pickled.

        A call that fails has its error as result, because the error belongs to one feed.

        Raises:
            StateError: no process can be started; the future's `result` may raise it as well.
        """
        # A run without news needs no threads, and does not load them.
        from concurrent.futures import ThreadPoolExecutor

        with self._lock:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(self._count, "planet-worker")
                self._processes = [_Process(self._limits) for _ in range(self._count)]
                self._free = [*self._processes]
            question = self._limits.cpu, function, args, kwargs
            try:
                return self._threads.submit(_ask, self._free, question)
            except RuntimeError as error:
                raise not_allowed(_NO_PROCESS) from error

    def rest(self) -> None:
        """End the processes until the next call, so that the rest of the run has their memory.

        Calls under way fail, and no other is begun.
        """
        with self._lock:
            threads, self._threads = self._threads, None
            processes = self._processes
        if threads is not None:
            for process in processes:
                process.kill()
            threads.shutdown(cancel_futures=True)
            for process in processes:
                process.stop()

    def leave_to_parent(self) -> None:
        """Begin anew after a fork: processes and lock belong to the other program."""
        self._lock, self._threads = Lock(), None
        for process in self._processes:
            process.leave()
        self._processes, self._free = [], []


def _ask(free: list[_Process], question: object) -> Any:
    """Ask one of the processes that are free, of which there is one for each thread."""
    process = free.pop()  # the last one used: the others need not be started
    try:
        answer = process.ask(question)
    except ParseError as error:
        return error
    finally:
        free.append(process)
    if isinstance(answer, StateError):
        raise answer
    return answer


class _Process:
    """A process that answers one question after the other; past a limit, another one."""

    def __init__(self, limits: _Limits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._ended = False
        self._lock = Lock()
        """Held while the process is started or killed."""

    def ask(self, question: object) -> object:
        """Return the answer to a question.

        Raises:
            ParseError: the answer takes more than the limits.
            StateError: no process can be started.
        """
        process, pipe, is_first = self._process, self._pipe, False
        # It may have been killed before, as the kernel does when memory runs short.
        if not process or not pipe or process.poll() is not None:
            (process, pipe), is_first = self._start(), True
        try:
            pipe.send(question)
            if pipe.poll(self._limits.time):
                return pickle.loads(pipe.recv_bytes())  # noqa: S301 - from a process of ours
            is_slow = True
        except (EOFError, OSError):
            is_slow = process.wait() == -signal.SIGXCPU
        self.stop()
        if is_slow:
            words = "this machine was busy, or the feed is heavy: it is read again next time"
            raise ParseError("too_slow", words)
        if process.returncode == _CANNOT_BEGIN:
            raise StateError(f"{_NO_PROCESS}: Python ended with exit status {process.returncode}")
        if not is_first and not self._ended:
            # Calls before may have left it no memory.
            return self.ask(question)
        raise ParseError("too_greedy", "the feed takes too much memory to read")

    def kill(self) -> None:
        """End the process for good: whoever waits for its answer goes on, and starts no other."""
        with self._lock:
            self._ended = True
            if self._process is not None:
                self._process.kill()

    def stop(self) -> None:
        """End the process until the next question."""
        if self._process is not None and self._pipe is not None:
            self._process.kill()
            self._process.wait()
            self._pipe.close()
        self._process = self._pipe = None

    def leave(self) -> None:
        """Let go of a process that is no child of this one, which would look for it."""
        if self._process is not None:
            self._process.returncode = 0

    def _start(self) -> tuple[subprocess.Popen[bytes], Connection]:
        from multiprocessing.connection import Pipe

        self.stop()
        # Where this program found Planet, before whatever else has that name by now. It may be the
        # current folder, which `-P` leaves out.
        home = Path(planet.__file__).parent.parent
        path = os.pathsep.join(map(os.path.abspath, (str(home), *sys.path)))
        start = "from planet.run.workers import serve; serve()"
        with self._lock:
            if self._ended:
                raise ParseError("too_greedy", "its process was ended")
            pipe, theirs = Pipe()
            number = theirs.fileno()
            try:
                process = subprocess.Popen(  # noqa: S603 - Python itself
                    [sys.executable, "-P", "-c", start, str(number), str(self._limits.memory)],
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
            finally:
                theirs.close()
            self._process, self._pipe = process, pipe
            return process, pipe


# In the process


def serve() -> None:  # pragma: no cover - runs in a process of its own
    """Answer the questions that come over the pipe of the command line, until it is closed."""
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
    """Limit what this process may take, within the limit of the system."""
    import resource

    _, hard = resource.getrlimit(kind)
    soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (soft, hard))


def _call(  # pragma: no cover - runs in a process of its own
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> bytes:
    """Return the result of a call, pickled: nothing else can go wrong on its way."""
    try:
        return pickle.dumps(function(*args, **kwargs))
    except (FeedError, StateError) as error:
        return pickle.dumps(error)
    except (MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - parsers promise no set of exceptions
        reason = f"the feed cannot be read ({type(error).__name__})"
        return pickle.dumps(ParseError("unreadable", reason))
