"""A pure function → its result, from another process that may be killed.

Parsers hang and eat memory on hostile input. Each call has limits of computing, of time and of
memory; past them its process is killed and replaced, the call fails with a ParseError, and nothing
else notices. What a call may compute does not depend on what else the machine does.
Nothing is started before the first call: a run in which nothing is new starts no process. A process
imports what it calls, and never the program that started it, which may not be ours.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import suppress
from errno import EAGAIN, ENOMEM
from functools import partial
from math import ceil
from pathlib import Path
from threading import Event, Lock, Timer
from typing import IO, TYPE_CHECKING, Any, Final, Generic, NamedTuple, ParamSpec, TypeVar

import planet
from planet.errors import FeedError, ParseError, StateError, not_allowed
from planet.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Future


P = ParamSpec("P")
R = TypeVar("R")

CPU_LIMIT = 20
"""Whole seconds of computing for one call: ten times what the heaviest feed met in the wild takes
(1.9), because a small machine computes more slowly. Windows has no such limit."""
TIME_LIMIT = 300.0
"""Seconds by the clock for one call, for one that waits without computing. So far apart from
`CPU_LIMIT` that a machine with forty busy processes to two cores reads every feed in time."""
MEMORY_LIMIT = 1024**3
"""Bytes of address space for one worker."""
_CALLS_EACH: Final = 500
"""Calls after which a process is replaced, so that what libraries leak stays small."""
_NO_PROCESS: Final = "no process can be started to read feeds"
_START: Final = """
try:
    from planet.run.workers import serve
except BaseException as error:
    print(f"{type(error).__name__}: {error}".splitlines()[0])
else:
    serve()
"""
_READY: Final = b"ready\n"
"""What a process says first; whatever else it says is why it cannot start."""
_SIGXCPU: Final = 0 if sys.platform == "win32" else signal.SIGXCPU


class _Limits(NamedTuple):
    """What a call may take."""

    cpu: int
    time: float
    memory: int


class Workers:
    """Runs functions in `count` processes, by default as many as are good.

    A context manager: leaving it ends them. Any thread may use it.
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
        self._pool: _Pool | None = None
        self._lock = Lock()
        self._ended = False

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        self.rest()

    def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Call[R]:
        """Start a call of a module's function; its arguments and its result are pickled.

        Raises:
            StateError: no process can be started; `Call.result` may raise it as well.
        """
        if self._ended:
            raise RuntimeError("these workers have ended")
        with self._lock:
            if self._pool is None:
                self._pool = _Pool(self._count, self._limits)
            return Call(self._pool.submit((self._limits.cpu, function, args, kwargs)))

    def rest(self) -> None:
        """End the processes until the next call: what comes meanwhile may have their memory."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def leave_to_parent(self) -> None:
        """Begin anew after a fork: the processes are the other program's, and so is the lock."""
        self._lock = Lock()
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.leave()


class Call(Generic[R]):
    """A call under way."""

    def __init__(self, future: Future[bytes]) -> None:
        self._future = future

    def done(self) -> bool:
        """Return whether its result can be had without waiting."""
        return self._future.done()

    def result(self) -> R | FeedError:
        """Wait for it. A call that failed is a value, because it belongs to one feed."""
        try:
            packed = self._future.result()
        except FeedError as error:
            return error
        result: R | FeedError | StateError = pickle.loads(packed)  # noqa: S301 - from a process of ours
        if isinstance(result, StateError):
            raise result
        return result


class _Pool:
    """Processes, and as many threads, in which calls wait for their answers."""

    def __init__(self, most: int, limits: _Limits) -> None:
        self._threads: Threads[bytes] = Threads(most, "planet-worker")
        self._processes = [_Process(limits) for _ in range(most)]
        self._free = [*self._processes]

    def submit(self, question: object) -> Future[bytes]:
        """Ask a process as soon as one is free."""
        return self._threads.submit(partial(self._ask, question))

    def close(self) -> None:
        """End the processes; calls under way fail, and no other is begun."""
        self._threads.close()
        for process in self._processes:
            process.stop(for_good=True)

    def leave(self) -> None:
        """Let go of the processes without ending them."""
        for process in self._processes:
            process.leave()

    def _ask(self, question: object) -> bytes:
        process = self._free.pop()  # the last one used: the others need not be started
        try:
            return process.ask(pickle.dumps(question))
        finally:
            self._free.append(process)


class _Process:
    """A process that answers one question after the other, past the limits another one."""

    def __init__(self, limits: _Limits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._calls = 0
        self._lock = Lock()
        """Held while the process is started or ended."""
        self._ended = False

    def ask(self, question: bytes) -> bytes:
        """Return the answer to a question.

        Raises:
            ParseError: it was past the limits.
            StateError: no process can be started, or it cannot begin to work.
        """
        if self._calls == _CALLS_EACH:
            self.stop()
        process, is_new = self._process, self._process is None
        if process is None or process.poll() is not None:
            process, is_new = self._start(), True
        self._calls += 1
        is_late, answer = Event(), None

        def give_up() -> None:
            is_late.set()
            process.kill()

        timer = _start_timer(self._limits.time, give_up)
        try:
            answer = _exchange(process, question, is_new=is_new)
        except (EOFError, OSError, ValueError, StateError) as error:
            if is_late.is_set() or process.wait() == -_SIGXCPU:
                words = "this machine was busy, or the feed is heavy: it is read again next time"
                raise ParseError("too_slow", words) from None
            if isinstance(error, StateError) and not self._ended:
                raise
            if is_new or self._ended:
                words = "the feed takes too much memory to read"
                raise ParseError("too_greedy", words) from None
        else:
            return answer
        finally:
            timer.cancel()
            if answer is None:
                self.stop()
        # It may have been killed before this question, as the kernel does when memory runs short.
        return self.ask(question)

    def stop(self, *, for_good: bool = False) -> None:
        """End the process, until the next question or `for_good`."""
        with self._lock:
            self._ended |= for_good
            process, self._process = self._process, None
            if process is not None:
                process.kill()
                process.wait()
                _close_pipes(process)

    def leave(self) -> None:
        """Let go of a process that is no child of this one, which would look for it."""
        if self._process is not None:
            self._process.returncode = 0
            _close_pipes(self._process)

    def _start(self) -> subprocess.Popen[bytes]:
        self.stop()
        # Where this program found Planet, before whatever else has that name by now. It may be the
        # current folder, which `-P` leaves out.
        home = Path(planet.__file__).parent.parent
        path = os.pathsep.join(map(os.path.abspath, (str(home), *sys.path)))
        with self._lock:
            if self._ended:
                raise ParseError("too_greedy", "it was ended")
            try:
                self._process = subprocess.Popen(  # noqa: S603 - Python itself
                    [sys.executable, "-P", "-c", _START, str(self._limits.memory)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env={**os.environ, "PYTHONPATH": path},
                    # What a terminal sends to all, as for Ctrl-C, is for this program, which ends.
                    start_new_session=True,
                )
            except OSError as error:
                if error.errno in (EAGAIN, ENOMEM):
                    raise not_allowed(_NO_PROCESS) from error
                raise StateError(f"{_NO_PROCESS}: {error.strerror or error}") from error
            self._calls = 0
            return self._process


def _start_timer(seconds: float, call: Callable[[], None]) -> Timer:
    timer = Timer(seconds, call)
    timer.daemon = True
    try:
        timer.start()
    except RuntimeError as error:
        raise not_allowed(_NO_PROCESS) from error
    return timer


def _exchange(process: subprocess.Popen[bytes], question: bytes, *, is_new: bool) -> bytes:
    """Return the answer of a process to a question, the first one where it is new.

    Raises:
        StateError: it cannot begin to work.
        EOFError, OSError, ValueError: it ended before it had answered.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    if is_new and (line := process.stdout.readline()) != _READY:
        reason = line.decode(errors="replace").strip()
        reason = reason or f"Python ended with exit status {process.wait()}"
        raise StateError(f"{_NO_PROCESS}: {reason}")
    _send(process.stdin, question)
    return _receive(process.stdout)


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in filter(None, (process.stdin, process.stdout)):
        # What was not sent yet is for nobody.
        with suppress(OSError):
            pipe.close()


# In the process


def serve() -> None:  # pragma: no cover - runs in a worker
    """Answer what is asked on standard input, one after the other, until it is closed."""
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Whatever a parser prints is no answer.
    os.dup2(2, 1)
    _limit_memory(int(sys.argv[1]))
    answers.write(_READY)
    answers.flush()
    while True:
        try:
            cpu_limit, function, args, kwargs = pickle.loads(_receive(questions))  # noqa: S301 - from our program
            _send(answers, _call_within_limit(cpu_limit, function, args, kwargs))
        except EOFError:
            return
        except (OSError, MemoryError):
            # There is nobody to answer, or no room to end in good order.
            os._exit(1)


def _call_within_limit(  # pragma: no cover - runs in a worker
    seconds: int, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> bytes:
    """Call a function as `_call_guarded` does; the system ends this process past so much CPU time.

    No handler for the signal: a parser written in C never comes back to where Python looks for one.
    """
    if sys.platform == "win32":
        return _call_guarded(function, args, kwargs)
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    end = ceil(time.process_time() + seconds)
    if soft == resource.RLIM_INFINITY or end < soft:
        resource.setrlimit(resource.RLIMIT_CPU, (end, hard))
    try:
        return _call_guarded(function, args, kwargs)
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _call_guarded(  # pragma: no cover - runs in a worker
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> bytes:
    """Return the result of a call, packed: nothing else can go wrong on its way."""
    try:
        return pickle.dumps(function(*args, **kwargs))
    except (FeedError, StateError) as error:
        return pickle.dumps(error)
    except (MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - parsers promise no set of exceptions
        reason = f"the feed cannot be read ({type(error).__name__})"
        return pickle.dumps(ParseError("unreadable", reason))


def _limit_memory(limit: int) -> None:  # pragma: no cover - runs in a worker
    """Limit the address space of this process, in bytes; not on Windows."""
    if sys.platform != "win32":
        import resource

        _, highest = resource.getrlimit(resource.RLIMIT_AS)
        if highest != resource.RLIM_INFINITY:
            limit = min(limit, highest)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _send(pipe: IO[bytes], message: bytes) -> None:
    pipe.write(len(message).to_bytes(8, "big") + message)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes:
    return _read_whole(pipe, int.from_bytes(_read_whole(pipe, 8), "big"))


def _read_whole(pipe: IO[bytes], size: int) -> bytes:
    message = pipe.read(size)
    if len(message) < size:
        raise EOFError
    return message
