"""What holds for every request of every scenario, whatever the scenario is about."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from tests.conformance.notation import M, Scenario
from tests.conformance.publishers import Seen

_USER_AGENT = re.compile(r"Planet/\d+\.\d+\.\d+ \(\+https://\S+\)")
_NEVER = ("Cookie", "Referer", "Origin", "Pragma", "Cache-Control", "A-IM", "Range", "From")
_REDIRECTS = (301, 302, 303, 307, 308)


class Invariant(NamedTuple):
    promise: str
    """In words."""
    broken: Callable[[Scenario, Sequence[Seen]], Iterator[str]]
    """Each way in which requests break it."""


def broken(scenario: Scenario, seen: Sequence[Seen]) -> list[str]:
    """Every invariant that these requests break, in words."""
    return [
        f"{invariant.promise}: {words}"
        for invariant in INVARIANTS
        for words in invariant.broken(scenario, seen)
    ]


def _other_methods(_: Scenario, seen: Sequence[Seen]) -> Iterator[str]:
    for one in seen:
        start = one.request.raw.split(b"\r\n", 1)[0]
        if start != f"GET {one.request.path} HTTP/1.1".encode():
            yield repr(start)


def _needless_fields(_: Scenario, seen: Sequence[Seen]) -> Iterator[str]:
    for one in seen:
        for name in _NEVER:
            if (value := one.request.header(name)) is not None:
                yield f"{name}: {value}"


def _repeated_fields(_: Scenario, seen: Sequence[Seen]) -> Iterator[str]:
    for one in seen:
        counted = Counter(name.lower() for name, _ in one.request.headers)
        yield from (name for name, count in counted.items() if count > 1)


def _agents(_: Scenario, seen: Sequence[Seen]) -> Iterator[str]:
    agents = {one.request.header("User-Agent") or "nobody" for one in seen}
    if len(agents) > 1:
        yield f"{len(agents)} different ones"
    yield from (agent for agent in agents if not _USER_AGENT.fullmatch(agent))


def _wishes(_: Scenario, seen: Sequence[Seen]) -> Iterator[str]:
    for name in ("Accept", "Accept-Encoding"):
        if len(said := {one.request.header(name) for one in seen}) > 1:
            yield f"{name} is {said}"
    for one in seen:
        if one.request.header("Accept-Encoding") != "gzip":
            yield f"Accept-Encoding is {one.request.header('Accept-Encoding')}"


def _unknown_addresses(_: Scenario, seen: Sequence[Seen]) -> Iterator[str]:
    yield from (one.address for one in seen if one.response is None)


def _foreign_validators(_: Scenario, seen: Sequence[Seen]) -> Iterator[str]:
    given: dict[str, set[str | None]] = {}
    for one in seen:
        known = given.setdefault(one.address, {None})
        yield from (f"{validator}" for validator in one.validators if validator not in known)
        if one.response and one.response.status in (200, 203, 304):
            known.update(
                value.strip(" \t")
                for name, value in one.response.headers
                if name in ("ETag", "Last-Modified")
            )


def _starts(seen: Sequence[Seen]) -> Iterator[Seen]:
    """Requests that no redirect of the same run led to, nor a kept connection that had ended."""
    used: set[int] = set()
    for _, run in groupby(seen, key=lambda one: one.run):
        targets: list[str] = []
        for one in run:
            led = next((target for target in targets if _last(target) == _last(one.address)), None)
            if led is None:
                yield one
            else:
                targets.remove(led)
            if one.response and one.response.status in _REDIRECTS:
                targets += [to for name, to in one.response.headers if name == "Location"]
            if one.request.connection in used and one.response and one.response.raw == b"":
                # It is sent once more, over a new one (RFC 9112 §9.3.1).
                targets.append(one.address)
            used.add(one.request.connection)


def _last(address: str) -> str:
    """The last part of an address, which a relative one has, too."""
    return address.partition("#")[0].rpartition("/")[2]


def _second_requests(_: Scenario, seen: Sequence[Seen]) -> Iterator[str]:
    counted = Counter((one.run, one.address) for one in _starts(seen))
    yield from (f"{address} in run {run}" for (run, address), count in counted.items() if count > 1)


def _long_chains(scenario: Scenario, seen: Sequence[Seen]) -> Iterator[str]:
    fed = len(scenario.feeds) + len(scenario.lists)
    for run, requests in groupby(seen, key=lambda one: one.run):
        if (count := len(list(requests))) > 6 * max(fed, 1):
            yield f"{count} requests in run {run}"


def _hurry(scenario: Scenario, seen: Sequence[Seen]) -> Iterator[str]:
    by_address: dict[str, list[Seen]] = {}
    for one in _starts(seen):
        by_address.setdefault(one.address, []).append(one)
    for address, asked in by_address.items():
        for earlier, later in pairwise(asked):
            least = M if later.forced else scenario.least_gap
            if later.at - earlier.at < least:
                yield f"{address} after {later.at - earlier.at}"


INVARIANTS = (
    Invariant("Every request is a plain `GET`.", _other_methods),
    Invariant(
        "None has a cookie, a referrer, an origin, a range, `Cache-Control`, `Pragma` or `A-IM`.",
        _needless_fields,
    ),
    Invariant("No field of a request is sent twice.", _repeated_fields),
    Invariant(
        "All say the same `User-Agent`: the name, the real version, and a page to read.", _agents
    ),
    Invariant("`Accept` and `Accept-Encoding: gzip` are the same on all.", _wishes),
    Invariant(
        "Only addresses are asked for that were subscribed to or redirected to, and nothing is "
        "added to them.",
        _unknown_addresses,
    ),
    Invariant(
        "Every validator is one that this very address sent, byte for byte.", _foreign_validators
    ),
    Invariant(
        "A run asks for an address once, unless a redirect leads there again.", _second_requests
    ),
    Invariant("A feed costs one request for each run, and five redirects at most.", _long_chains),
    Invariant(
        "An hour lies between two requests for a feed, unless its publisher agreed to less or the "
        "operator asked by hand.",
        _hurry,
    ),
)
