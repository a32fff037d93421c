"""What the whole suite needs to know.

With importlib mode pytest puts no folder on the path, so that `import planet` finds the installed
package. Functions that run in worker processes are found by module name: for them, the checkout
comes last.
"""

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import CodeType

import pytest
from hypothesis import HealthCheck, settings
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from planet.run.workers import Workers
from planet.site.pages import drawing

# On a runner, what the tests do is no news of the run that they are in.
for name in [name for name in os.environ if name.startswith("GITHUB_")]:
    del os.environ[name]

# Servers of the tests are on loopback, and have certificates of their own.
for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"):
    os.environ.pop(name, None)
for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
    del os.environ[name]

# `planet init` asks pip, which is to ask nobody.
os.environ |= {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1"}
os.environ.pop("PIP_FIND_LINKS", None)

# What is started in the background ignores signals, and so does all that it starts: some tests wait
# for what follows from one.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# How long an example takes says more about the machine than about Planet.
settings.register_profile("planet", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("planet")

sys.path.append(str(Path(__file__).parents[1]))
from tests.server import Server  # noqa: E402 - which is found there

# Folders of tests are in memory where there is room: most of a run is waiting for the disk.
_MEMORY = Path("/dev/shm")
if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > 4 * 1024**3:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """How many processes share the suite; what measures has the machine to itself, and prints."""
    if any("benchmarks" in argument for argument in config.args):
        return 0
    # More than there are cores, as some of the time is spent waiting; but each collects all tests.
    return min(4, (os.cpu_count() or 1) + 1)


class _Compiled(BytecodeCache):
    """The templates that were compiled in this process, by their place and their text."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key, bucket.checksum] = bucket.code


@pytest.fixture(scope="session", autouse=True)
def compiled() -> Iterator[None]:
    """Compile a theme once: to do so for each site takes longer than all else about most."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "_Sandbox", partial(drawing._Sandbox, bytecode_cache=_Compiled()))
        yield


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Those of all tests: to start some takes longer than most tests do."""
    with Workers(count=2) as started:
        yield started


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running
