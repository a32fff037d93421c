"""What is made in bulk, and holds no cycles → spared Python's search for these."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def unwatched() -> Iterator[None]:
    """Look for no cycles while the block runs, nor later in what it made.

    Python goes through everything there is whenever there is a quarter more of it. Among a hundred
    thousand posts, that takes longer than to make them; and what nobody refers to any more is freed
    without it. What was spared before is looked through again from now on.
    """
    was_watched = gc.isenabled()
    gc.disable()
    gc.unfreeze()
    try:
        yield
    finally:
        gc.freeze()
        if was_watched:
            gc.enable()
