"""How long tests wait: the one place where the speed of the machine is taken into account.

No test is judged by the clock on the wall. What computes is judged by its CPU time, and what
happens at the same time by events and barriers. Two things are left: a wait for what is sure to
come, which is so long that it ends a broken test only, and a time limit of Planet that has to run
out in a test, or must not. Both are longer by `PLANET_TEST_PATIENCE` times.
"""

from __future__ import annotations

import os
from typing import Final

_FACTOR: Final = float(os.environ.get("PLANET_TEST_PATIENCE") or 1)

PATIENCE: Final = 600.0 * _FACTOR
"""Seconds to wait for what is sure to come."""


def patient(seconds: float) -> float:
    """Return a time limit that suits a quiet machine, made longer for a busy one."""
    return seconds * _FACTOR
