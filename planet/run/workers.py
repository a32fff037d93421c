"""A pure function → its result, from another process that may be killed.

Parsers hang and eat memory on hostile input. Each call has limits of computing, of time and of
memory; past them its process is killed and replaced, the call fails with a ParseError, and nothing
else notices. What a call may compute does not depend on what else the machine does.
Nothing is started before the first call: a run in which nothing is new starts no process.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from errno import EAGAIN, ENOMEM
from math import ceil
from multiprocessing import forkserver, resource_tracker
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from planet.errors import FeedError, ParseError, StateError, not_allowed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from multiprocessing.synchronize import RLock

    from pebble import ProcessPool


if sys.platform == "win32":  # pragma: no cover
    from multiprocessing.context import SpawnContext as _Method
else:
    from multiprocessing.context import ForkServerContext as _Method

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
TOO_SLOW = "this machine was busy, or the feed is heavy: it is read again next time"
NO_PROCESS = "no process can be started to read feeds"
_CALLS_EACH = 500
"""Calls after which a worker is replaced, so that what libraries leak stays small."""
_SECONDS_TO_END = 15.0
_starting = Lock()
"""Held while the environment is another: who began meanwhile would put that one back for good."""


class Workers:
    """Runs functions in `count` processes. A context manager: leaving it ends them.

    `preload` names modules whose libraries a new process had better find loaded.
    """

    def __init__(
        self,
        *,
        count: int,
        preload: Sequence[str] = (),
        cpu_limit: int = CPU_LIMIT,
        time_limit: float = TIME_LIMIT,
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        self._count = count
        self._preload = list(preload)
        self._cpu_limit = cpu_limit
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._pool: ProcessPool | None = None
        self._context: _Context | None = None
        self._ended = False

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        self.rest()

    @property
    def is_here(self) -> bool:
        """Whether there are to be no processes, and calls are made in the thread that asks."""
        return not self._count

    def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Call[R]:
        """Start a call of a module's function; its arguments and its result are pickled.

        Where there are to be no processes it is made at once, here, without any limit.

        Raises:
            StateError: no process can be started.
        """
        return Call(lambda: self._schedule(function, args, kwargs))

    def _schedule(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Future[bytes]:
        if self._ended:
            raise RuntimeError("these workers have ended")
        if not self._count:
            here: Future[bytes] = Future()
            here.set_result(_call_guarded(function, args, kwargs))
            return here
        if self._pool is None or not self._pool.active:
            # A process that is killed while it is idle breaks the whole pool.
            self.rest()
            # Not in this thread, which a signal may end: a process half started would be nobody's.
            try:
                with ThreadPoolExecutor(1, "planet-workers") as starter:
                    starter.submit(self._start).result()
            except (RuntimeError, EOFError) as error:
                # To end what was started of the pool may take a thread, too.
                with suppress(RuntimeError):
                    self.rest()
                self._pool = self._context = None
                raise not_allowed(NO_PROCESS) from error
            assert self._pool is not None
        future: Future[bytes] = self._pool.schedule(
            call_within_limits,
            args=[self._cpu_limit, function, args, kwargs],
            timeout=self._time_limit,
        )
        return future

    def rest(self) -> None:
        """End the processes until the next call: what comes meanwhile may have their memory."""
        if self._pool is not None:
            self._pool.stop()  # type: ignore[no-untyped-call]  # pebble has no type here
            # A worker that was killed with the lock of their pipe in its hands would leave pebble
            # waiting for ever; what is left of it then ends with this process.
            ending = Thread(target=self._pool.join, daemon=True)
            ending.start()
            ending.join(_SECONDS_TO_END)
            self._pool = self._context = None

    def _start(self) -> None:
        from pebble import ProcessPool

        # Not "fork": by now there are threads, whose locks a child would inherit held. The
        # server is forked from once the libraries are loaded, so a new worker costs little.
        context = self._context = _Context()
        try:
            if sys.platform != "win32":  # pragma: no branch
                # Each process would load the library of the pool by itself.
                context.set_forkserver_preload(["pebble", *self._preload])
                _start_forkserver()
            self._pool = ProcessPool(
                max_workers=self._count,
                max_tasks=_CALLS_EACH,
                initializer=limit_memory,
                initargs=[self._memory_limit],
                context=context,
            )
            # This is what starts the processes.
            self._pool.active  # noqa: B018
        except (OSError, BrokenProcessPool) as error:
            cause = error.__cause__ or error
            if isinstance(cause, EOFError) or getattr(cause, "errno", None) in (EAGAIN, ENOMEM):
                raise not_allowed(NO_PROCESS) from error
            reason = getattr(cause, "strerror", None) or cause
            raise StateError(
                f"{NO_PROCESS}: {reason}\n"
                "Make room for temporary files (TMPDIR, /dev/shm), and run again: nothing is lost."
            ) from error


class _Context(_Method):
    """Makes locks that last as long as it does.

    Pebble drops them before it ends the processes, of which one that just begins looks for them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._locks: list[RLock] = []

    def RLock(self) -> RLock:  # noqa: N802 - what multiprocessing calls
        lock = super().RLock()
        self._locks.append(lock)
        return lock


class Call(Generic[R]):
    """A call under way."""

    def __init__(self, schedule: Callable[[], Future[bytes]]) -> None:
        self._schedule = schedule
        self._future = schedule()

    def done(self) -> bool:
        """Return whether its result can be had without waiting."""
        return bool(self._future.done())

    def result(self) -> R | FeedError:
        """Wait for it. A call that failed is a value, because it belongs to one feed."""
        try:
            packed = self._pack()
        except FutureTimeoutError:
            return ParseError("too_slow", TOO_SLOW)
        except (MemoryError, OSError, RuntimeError, CancelledError) as error:
            if _ran_out_of_cpu(error):
                return ParseError("too_slow", TOO_SLOW)
            return ParseError("too_greedy", "the feed takes too much memory to read")
        result: R | FeedError = pickle.loads(packed)  # noqa: S301 - from a process of ours
        return result

    def _pack(self) -> bytes:
        try:
            return self._future.result()
        except (RuntimeError, CancelledError):
            # The pool broke under it, and through no fault of its own: once more in a new one.
            self._future = self._schedule()
            return self._future.result()


def _ran_out_of_cpu(error: BaseException) -> bool:
    """Return whether the system ended a process for the time it computed."""
    from pebble import ProcessExpired

    if sys.platform == "win32" or not isinstance(error, ProcessExpired):
        return False
    return bool(error.exitcode == -signal.SIGXCPU)  # pebble has no type here


def call_within_limits(  # pragma: no cover - runs in a worker
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
        # While a result is sent the process holds a lock, with which it must not be ended.
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _call_guarded(  # pragma: no cover - runs in a worker
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> bytes:
    """Return the result of a call, packed in the worker: nothing else can go wrong on its way."""
    try:
        return pickle.dumps(function(*args, **kwargs))
    except FeedError as error:
        return pickle.dumps(error)
    except (MemoryError, StateError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - parsers promise no set of exceptions
        reason = f"the feed cannot be read ({type(error).__name__})"
        return pickle.dumps(ParseError("unreadable", reason))


def _start_forkserver() -> None:
    """Start it so that it loads nothing from the current folder, where anything may lie.

    What a terminal sends to all processes, as for Ctrl-C and when it is closed, is for the first of
    them alone, which ends the others: this thread blocks it, and they do as it does.
    """
    with _starting:
        before = os.environ.get("PYTHONSAFEPATH")
        os.environ["PYTHONSAFEPATH"] = "1"
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
        try:
            # First: it ignores SIGINT by itself, and unblocks it here.
            resource_tracker.ensure_running()
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
            forkserver.ensure_running()
        finally:
            if before is None:
                del os.environ["PYTHONSAFEPATH"]
            else:
                os.environ["PYTHONSAFEPATH"] = before


def limit_memory(limit: int) -> None:  # pragma: no cover - runs in a worker
    """Limit the address space of this process, in bytes; not on Windows."""
    if sys.platform != "win32":
        import resource

        _, highest = resource.getrlimit(resource.RLIMIT_AS)
        if highest != resource.RLIM_INFINITY:
            limit = min(limit, highest)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
