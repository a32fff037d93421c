"""Chance that can be repeated: the same feed at the same moment always draws the same.

So decisions stay pure and tests need no seed, while feeds that were asked together still drift
apart, and one feed draws anew after each request.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

_BITS = 53
"""As many as a float below 1 tells apart; with more, the largest numbers would round up to it."""


def share(key: str, at: datetime, purpose: str) -> float:
    """A number from 0 up to, but not including, 1, spread evenly over feeds and moments.

    `purpose` tells apart what one feed draws at one moment.
    """
    said = f"{purpose}\n{at.timestamp()}\n{key}"
    drawn = int.from_bytes(blake2b(said.encode(), digest_size=8).digest(), "big")
    return (drawn >> (64 - _BITS)) / (1 << _BITS)
