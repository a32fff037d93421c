"""Calls → futures, in as many threads as are wanted, or as the system allows."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Generic, TypeVar

from planet.errors import not_allowed

if TYPE_CHECKING:
    from collections.abc import Callable


R = TypeVar("R")


class Threads(Generic[R]):
    """Make calls at the same time, in up to `most` threads of this name.

    A thread is started when a call would have to wait for one, and lives until `close`. Where the
    system allows no more of them, half of those that there are end when they have nothing to do:
    the rest of the program needs room, too.

    `concurrent.futures.ThreadPoolExecutor` raises then, and makes the call all the same.
    """

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._calls: SimpleQueue[tuple[Future[R], Callable[[], R]] | None] = SimpleQueue()
        self._started = 0
        self._count = 0
        """Those that were not told to end."""
        self._open = 0
        """Calls that have not ended."""
        self._lock = Lock()

    def submit(self, call: Callable[[], R]) -> Future[R]:
        """Make a call as soon as a thread is free.

        Raises:
            StateError: the system does not allow a single thread.
        """
        with self._lock:
            if self._open >= self._count and self._count < self._most:
                self._grow()
            self._open += 1
        future: Future[R] = Future()
        self._calls.put((future, call))
        return future

    def close(self) -> None:
        """End the threads once the calls under way have ended; the others are cancelled."""
        with suppress(Empty):
            while item := self._calls.get_nowait():
                item[0].cancel()
        for _ in range(self._started):
            self._calls.put(None)

    def _grow(self) -> None:
        try:
            # A daemon: a program that fails before `close` ends all the same.
            Thread(target=self._work, name=f"{self._name}_{self._started}", daemon=True).start()
        except RuntimeError as error:
            if not self._count:
                raise not_allowed("no thread can be started") from error
            self._most = (self._count + 1) // 2
            for _ in range(self._count - self._most):
                self._calls.put(None)
            self._count = self._most
        else:
            self._started += 1
            self._count += 1

    def _work(self) -> None:
        while item := self._calls.get():
            future, call = item
            try:
                result = call()
            except BaseException as error:  # noqa: BLE001 - raised again where the result is taken
                self._end_of_call()
                future.set_exception(error)
            else:
                self._end_of_call()
                future.set_result(result)
                del result
            # They may be large, and this thread may wait long for the next.
            del item, future, call

    def _end_of_call(self) -> None:
        # First, so that whoever has the result finds this thread free.
        with self._lock:
            self._open -= 1
