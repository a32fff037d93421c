"""Numbers as people say them."""

from datetime import timedelta

_UNITS = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))
_TIMES = {1: "once", 2: "twice", 3: "three times"}


def spoken(length: timedelta | float) -> str:
    """A span of time, or a number of seconds: `1 hour`, `90 seconds`."""
    seconds = length.total_seconds() if isinstance(length, timedelta) else length
    # A day is one day, but a time of one day is 24 hours in everybody's mind.
    unit, worth = next(
        (name, worth)
        for name, worth in _UNITS
        if seconds % worth == 0 and (seconds > worth or name in ("hour", "second"))
    )
    count = round(seconds / worth)
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def size(count: int) -> str:
    """A number of bytes: `8 MiB`."""
    for unit, worth in (("MiB", 1024**2), ("KiB", 1024)):
        if count % worth == 0:
            return f"{count // worth} {unit}"
    return f"{count} bytes"


def times(count: int) -> str:
    """How many times: `twice`."""
    return _TIMES.get(count, f"{count} times")
