"""The numbers of politeness for publishers, each with the value that it has in the program."""

from collections.abc import Callable
from typing import Any, NamedTuple

from planet.http import exchange
from planet.schedule import constants
from tests.conformance.promises import ASKING, FETCH
from tests.conformance.spoken import size, spoken


class Number(NamedTuple):
    """A row of the table."""

    meaning: str
    value: str
    name: str
    """Where it is in the program, or what the operator's setting is called."""


def constant(meaning: str, name: str, told: Callable[[Any], str] = spoken) -> Number:
    """A number that is a constant of `planet.schedule`."""
    return Number(meaning, told(getattr(constants, name)), name)


NUMBERS = (
    constant("least time between two requests for a feed", "FLOOR"),
    Number(
        "the same, where every answer is a whole one",
        spoken(ASKING.whole_interval),
        "FetchPolicy.whole_interval",
    ),
    constant("the same, where validators do not work", "FLOOR_IGNORED"),
    Number(
        "longest wait for a feed in good order that says nothing of it",
        spoken(ASKING.max_interval),
        "fetch.max_interval",
    ),
    Number(
        "the same, after half a year of silence",
        spoken(constants.LONG_QUIET_FACTOR * ASKING.max_interval),
        "LONG_QUIET_FACTOR",
    ),
    constant("longest lifetime that is honoured in full", "LIFETIME_PLAUSIBLE"),
    constant("wait in place of one that is longer", "LIFETIME_DEFAULT"),
    constant("longest wait for `ttl` and the like", "HINT_MAX"),
    constant("longest `Retry-After`", "RETRY_AFTER_MAX"),
    constant("the same, on a `200` or `304`", "RETRY_AFTER_WELL_MAX"),
    Number(
        f"added at random to what a wait has beyond {spoken(constants.FLOOR)}, at most",
        f"{constants.JITTER:.0%}, but {spoken(constants.JITTER_MAX)}",
        "JITTER, JITTER_MAX",
    ),
    Number("the same, after a failure", f"{constants.JITTER_BACKOFF:.0%}", "JITTER_BACKOFF"),
    constant("longest wait after failures", "BACKOFF_MAX"),
    Number(
        f"the same, after {spoken(constants.BACKOFF_PATIENCE)} of them",
        spoken(constants.BACKOFF_MAX_LATER),
        "BACKOFF_MAX_LATER",
    ),
    constant("longest wait after a `429` that names none", "THROTTLED_MAX"),
    constant("time for which a `429` is remembered", "LEARNED_FOR"),
    constant("first wait after a `403`", "FORBIDDEN"),
    constant("first wait after another `4xx`, or an answer that is too large", "REJECTED"),
    constant("longest wait after these", "LADDER_MAX"),
    constant("least time before a feed is given up", "PATIENCE"),
    constant("`404`s before a feed is given up", "NOT_FOUND_STRIKES", str),
    constant("`403`s before a feed is given up", "FORBIDDEN_STRIKES", str),
    Number(
        "polls that must lead to a new address, and over which time",
        f"{constants.ADOPT_TIMES}, {spoken(constants.ADOPT_SPAN)}",
        "ADOPT_TIMES, ADOPT_SPAN",
    ),
    Number("redirects that are followed in a row", str(exchange.MAX_REDIRECTS), "MAX_REDIRECTS"),
    constant("time without anything but `304` before a whole answer is asked for", "AUDIT"),
    Number("least time between two requests to a server", spoken(FETCH.host_gap), "fetch.host_gap"),
    constant("the same, after several `429`s", "GAP_MAX"),
    Number("servers asked at the same time", str(FETCH.workers), "fetch.workers"),
    Number("largest answer, as sent", size(ASKING.max_size), "fetch.max_size"),
    Number(
        "largest answer, unpacked",
        size(exchange.DECODED_FACTOR * ASKING.max_size),
        "DECODED_FACTOR",
    ),
    Number(
        "header fields of an answer",
        f"{exchange.MAX_HEAD_LINES}, {size(exchange.MAX_HEAD)}",
        "MAX_HEAD_LINES, MAX_HEAD",
    ),
    Number("time for a connection to stand", spoken(exchange.CONNECT_TIMEOUT), "CONNECT_TIMEOUT"),
    Number("time without a byte", spoken(exchange.IDLE_TIMEOUT), "IDLE_TIMEOUT"),
    Number("time for the whole exchange", spoken(ASKING.timeout), "fetch.timeout"),
)
