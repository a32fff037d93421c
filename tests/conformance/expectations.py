"""What a scenario expects, against what its servers saw."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise

from tests.conformance.notation import Asked, Scenario, Tally
from tests.conformance.publishers import Seen

USUAL = frozenset(
    {
        *("host", "connection", "user-agent", "accept", "accept-encoding"),
        *("if-none-match", "if-modified-since"),
    }
)
"""The fields that a request may have; whatever else there is, a scenario has to say."""


def differences(scenario: Scenario, seen: Sequence[Seen]) -> list[str]:
    """Everything that came otherwise than expected, in words."""
    return [
        *_unexpected(scenario, seen),
        *(
            difference
            for address, expected in scenario.expected.items()
            for difference in _at(
                address, expected, [one for one in seen if one.address == address], scenario
            )
        ),
        *_about_all(scenario, seen),
    ]


def story(seen: Sequence[Seen]) -> str:
    """What happened, a line for each request."""
    return "\n".join(["", *map(_told, seen)])


def _unexpected(scenario: Scenario, seen: Sequence[Seen]) -> Iterator[str]:
    for one in seen:
        if one.address not in scenario.expected:
            yield f"nobody should be asked for {one.address}: {_told(one)}"


def _at(
    address: str, expected: Sequence[Asked] | Tally, seen: Sequence[Seen], scenario: Scenario
) -> Iterator[str]:
    if isinstance(expected, Tally):
        yield from _counted(address, expected, seen)
        return
    if len(seen) != len(expected):
        yield f"{address} should be asked for {len(expected)} times, not {len(seen)}"
    previous = scenario.start - scenario.start
    for number, (asked, one) in enumerate(zip(expected, seen, strict=False), 1):
        where = f"request {number} for {address}"
        yield from _validated(where, asked, one)
        yield from _timed(where, asked, one.at - previous, scenario.cron)
        previous = one.at


def _counted(address: str, tally: Tally, seen: Sequence[Seen]) -> Iterator[str]:
    if not tally.least <= len(seen) <= tally.most:
        counted = f"{tally.least} to {tally.most} times, not {len(seen)}"
        yield f"{address} should be asked for {counted}"
    if tally.last and seen and not tally.last[0] <= seen[-1].at <= tally.last[1]:
        yield (
            f"the last request for {address} should come between {_span(tally.last[0])} and "
            f"{_span(tally.last[1])}, not at {_span(seen[-1].at)}"
        )


def _validated(where: str, asked: Asked, one: Seen) -> Iterator[str]:
    if asked.validators is not None and one.validators != asked.validators:
        yield f"{where} should name {asked.validators}, not {one.validators}"
    for name, value in asked.extra:
        if one.request.header(name) != value:
            yield f"{where} should say {name}: {value}, not {one.request.header(name)}"
    known = USUAL | {name for name, _ in asked.extra}
    if other := [name for name, _ in one.request.headers if name.lower() not in known]:
        yield f"{where} should not say {', '.join(other)}"


def _timed(where: str, asked: Asked, waited: timedelta, cron: timedelta | None) -> Iterator[str]:
    latest = asked.latest
    if asked.most is not None and cron is not None:
        # A request is late by as much as cron is slow.
        latest = asked.most + cron
    if waited < asked.least or (latest is not None and waited > latest):
        until = f" to {_span(latest)}" if latest is not None else " or later"
        yield f"{where} should come after {_span(asked.least)}{until}, not after {_span(waited)}"


def _about_all(scenario: Scenario, seen: Sequence[Seen]) -> Iterator[str]:
    if scenario.connections is not None:
        used = len({one.request.connection for one in seen})
        if used != scenario.connections:
            yield f"there should be {scenario.connections} connections, not {used}"
    if scenario.gap is not None:
        (gap,) = [later.moment - one.moment for one, later in pairwise(seen)][-1:] or [0.0]
        if gap < scenario.gap:
            yield f"there should be {scenario.gap} s between the last requests, not {gap:.3f}"


def _told(one: Seen) -> str:
    etag, modified = one.validators
    named = f" If-None-Match: {etag}" if etag else ""
    named += f" If-Modified-Since: {modified}" if modified else ""
    forced = " (forced)" if one.forced else ""
    status = one.response.status if one.response else "nobody's"
    return f"{_span(one.at)}{forced} {one.address}{named} → {status}"


def _span(length: timedelta) -> str:
    """A span of time as `3d 04:05:06`."""
    minutes, seconds = divmod(round(length.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{days}d {hours:02}:{minutes:02}:{seconds:02}"
