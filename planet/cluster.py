"""Answers → entries, read by the workers of a Dask cluster. The only door to Dask.

Servers are asked from this machine alone: every rule of politeness holds as in any run. The workers
do the slow work, parsing and cleaning, each in another process, with the limits of any run. The
answer of a dying worker is read by another one.
"""

from __future__ import annotations

import atexit
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

import planet
from planet.errors import FeedError, ParseError, StateError
from planet.run.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable


P = ParamSpec("P")
R = TypeVar("R")

_PATIENCE: Final = 30.0
"""Seconds in which a scheduler has to answer, and the first worker to be there."""
_AT_ONCE: Final = 64
"""Calls that wait for the cluster at the same time: enough for as many workers."""


class ClusterWorkers(Workers):
    """Runs functions on the workers of a cluster; nothing is connected before the first call."""

    def __init__(self, scheduler: str) -> None:
        super().__init__(count=0)
        self._scheduler = scheduler
        self._client: Any = None
        self._waiting: ThreadPoolExecutor | None = None

    def call(
        self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
    ) -> Future[R | FeedError]:
        """Start a call of a module's function; arguments and result are pickled.

        Raises:
            StateError: there is no scheduler, or no worker with this version of Planet.
        """
        if self._client is None:
            self._client = _connect(self._scheduler)
            self._waiting = ThreadPoolExecutor(_AT_ONCE, "planet-cluster")
        assert self._waiting is not None
        task = self._client.submit(_read, function, args, kwargs, pure=False)
        return self._waiting.submit(_wait_for, task)

    def rest(self) -> None:
        """Let go of the cluster until the next call."""
        client, self._client = self._client, None
        if client is not None:
            client.close()


def _connect(scheduler: str) -> Any:
    from distributed import Client

    try:
        client: Any = Client(scheduler, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
        client.wait_for_workers(1, timeout=_PATIENCE)
        others = {*client.run(_find_version).values()} - {planet.__version__}
    except Exception as error:  # Dask promises no set of them
        raise StateError(
            f"no worker of the cluster at {scheduler} can be reached ({error or type(error)}). "
            "Start its scheduler, and workers that have Planet; or take `workers` out of the config"
        ) from error
    if others:
        client.close()
        raise StateError(
            f"workers of the cluster at {scheduler} have Planet {' and '.join(sorted(others))}, "
            f"and this is {planet.__version__}: install the same version on all machines"
        )
    return client


def _wait_for(task: Any) -> Any:
    try:
        return task.result()
    except Exception as error:  # noqa: BLE001 - whatever a worker dies of
        # Held against nobody: the body on disk is read in the next run.
        words = f"no worker of the cluster read it ({type(error).__name__}); the next run does"
        return ParseError("too_slow", words)


# On a worker


def _find_version() -> str:
    return planet.__version__


def _read(function: Callable[..., R], args: Any, kwargs: Any) -> R | FeedError:
    return _READERS.call(function, *args, **kwargs).result()


_READERS: Final = Workers(count=1)
"""The process of a worker in which answers are read."""
atexit.register(_READERS.rest)
