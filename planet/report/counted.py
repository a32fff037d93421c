"""A number and what is counted, in words."""

from __future__ import annotations


def counted(number: int, one: str, many: str | None = None) -> str:
    """As in "1 feed" and "2,000 feeds"; without `many`, that is `one` with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
