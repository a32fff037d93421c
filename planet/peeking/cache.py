"""The folder in which what came is kept: a state like that of a planet, but nobody's config."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from planet.config import Config
from planet.model import Feed
from planet.opening import opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from planet.run import Run

_KEPT: Final = timedelta(days=90)
"""What is known of an address that nobody has asked about for so long goes."""
_LOCK: Final = threading.Lock()


def cache_folder() -> Path:
    """The user's folder for this cache (XDG Base Directory Specification)."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The specification: a relative path is not valid, and to be ignored.
    return (base if base.is_absolute() else Path.home() / ".cache") / "planet"


@contextmanager
def opened_cache(folder: Path | None, clock: Callable[[], datetime]) -> Iterator[Run]:
    """Hold a cache folder; None is `cache_folder`. Other threads wait until it is free.

    Raises:
        StateError: it cannot be used, or another process holds it.
    """
    state = (folder or cache_folder()).absolute()
    with _LOCK, opened(config_of(state), clock) as run:
        _tidy(run)
        yield run


def config_of(state: Path) -> Config:
    """A planet that has nothing but a state."""
    return Config(path=state / "config.yaml", title="", output=state / "public", state=state)


def _tidy(run: Run) -> None:
    """Let go of what nobody has asked about for long."""
    memories, now = run.store.memories(), run.clock()
    if any(memory.interrupted for memory in memories.values()):
        # A body may be there under an address that nobody lived to write down.
        return
    old = {
        key
        for key, memory in memories.items()
        if memory.attempted_at is not None and memory.attempted_at < now - _KEPT
    }
    if old:
        run.store.upkeep.forget(old)
        run.web.keep_only(
            (Feed(key=key, url=memory.url, slug=""), memory.answered_url)
            for key, memory in memories.items()
            if key not in old
        )
