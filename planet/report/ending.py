"""How a command ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Exit(IntEnum):
    """How a command ends."""

    DONE = 0
    BUG = 1
    USAGE = 2
    TOO_MANY_FAILED = 3
    UNTRUSTWORTHY = 4
    STATE = 5
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class FailOn:
    """How many failed feeds make a run fail: `never`, `any`, a number, or a share in per cent."""

    number: int | None = None
    percent: float | None = None

    @classmethod
    def parse(cls, said: str) -> FailOn:
        """Understand what was said on the command line.

        Raises:
            ValueError: it is none of the four.
        """
        if said == "never":
            return cls()
        if said == "any":
            return cls(number=1)
        if said.endswith("%"):
            share = float(said[:-1])
            if not 0 < share <= 100:
                raise ValueError(said)
            return cls(percent=share)
        number = int(said)
        if number < 1:
            raise ValueError(said)
        return cls(number=number)

    def reached(self, *, failed: int, looked_at: int) -> bool:
        """Whether so many of the feeds looked at have failed."""
        if self.number is not None:
            return failed >= self.number
        if self.percent is not None and looked_at:
            return 100 * failed / looked_at >= self.percent
        return False
