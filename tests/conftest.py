"""What the whole suite needs to know.

With importlib mode pytest puts no folder on the path, so that `import planet` finds the installed
package. Functions that run in worker processes are found by module name: for them, the checkout
comes last.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1]))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """How many processes share the suite; what measures has the machine to itself, and prints."""
    if any("benchmarks" in argument for argument in config.args):
        return 0
    # One more than there are cores: half the time is spent waiting.
    return min(4, (os.cpu_count() or 1) + 1)
