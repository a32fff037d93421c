"""Threads of a system that allows few of them."""

import threading
from types import ModuleType

import pytest


def allow(number: int, module: ModuleType, patch: pytest.MonkeyPatch) -> None:
    """Have the system allow a module this many threads, and no more."""
    left = iter(range(number))

    class Rare(threading.Thread):
        def start(self) -> None:
            if next(left, None) is None:
                raise RuntimeError("can't start new thread")
            super().start()

    patch.setattr(module, "Thread", Rare)
