"""The numbers of politeness that no promise says, with the values that they have in the program."""

from typing import NamedTuple

from planet.http import limits
from planet.schedule import constants
from tests.conformance.promises import ASKING, FETCH
from tests.conformance.spoken import size, spoken


class Number(NamedTuple):
    meaning: str
    value: str
    name: str
    """Where it is in the program, or what the operator's setting is called."""


NUMBERS = (
    Number(
        "longest wait for a feed in good order that says nothing of it",
        spoken(ASKING.max_interval),
        "fetch.max_interval",
    ),
    Number(
        f"added at random to what a wait has beyond {spoken(constants.FLOOR)}, at most",
        f"{constants.JITTER:.0%}, but {spoken(constants.JITTER_MAX)}",
        "JITTER, JITTER_MAX",
    ),
    Number("the same, after a failure", f"{constants.JITTER_BACKOFF:.0%}", "JITTER_BACKOFF"),
    Number(
        "longest wait after a `429` that names none",
        spoken(constants.THROTTLED_MAX),
        "THROTTLED_MAX",
    ),
    Number("least time between two requests to a server", spoken(FETCH.host_gap), "fetch.host_gap"),
    Number("servers asked at the same time", str(FETCH.workers), "fetch.workers"),
    Number("largest answer, as sent", size(ASKING.max_size), "fetch.max_size"),
    Number(
        "header fields of an answer",
        f"{limits.MAX_HEAD_LINES}, {size(limits.MAX_HEAD)}",
        "MAX_HEAD_LINES, MAX_HEAD",
    ),
    Number("time for a connection to stand", spoken(limits.CONNECT_TIMEOUT), "CONNECT_TIMEOUT"),
    Number("time without a byte", spoken(limits.IDLE_TIMEOUT), "IDLE_TIMEOUT"),
    Number("time for the whole exchange", spoken(ASKING.timeout), "fetch.timeout"),
)
