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

# On a runner, what the tests do is no news of the run that they are in.
for name in [name for name in os.environ if name.startswith("GITHUB_")]:
    del os.environ[name]

sys.path.append(str(Path(__file__).parents[1]))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """How many processes share the suite; what measures has the machine to itself, and prints."""
    if any("benchmarks" in argument for argument in config.args):
        return 0
    # One more than there are cores: half the time is spent waiting.
    return min(4, (os.cpu_count() or 1) + 1)
