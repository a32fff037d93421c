"""The words scenarios are written in: a planet, what it is told, and what it must ask.

Addresses are short: `/feed` is on the first host, `b:/feed` on the second, and so on. Moments are
spans of time since the scenario began.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from tests.conformance.answers import Answer

S, M, H, D = (timedelta(**{unit: 1}) for unit in ("seconds", "minutes", "hours", "days"))
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
"""When scenarios begin: a Saturday noon."""
FEED = "/feed"
"""The address of the one feed of most scenarios."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that must arrive, counted from the one before it at the same address.

    The first at an address is counted from the beginning.
    """

    validators: tuple[str | None, str | None] | None = None
    """If-None-Match and If-Modified-Since; None means that they do not matter here."""
    least: timedelta = timedelta(0)
    most: timedelta | None = None
    """None means that the moment does not matter, beyond what holds for all requests."""
    extra: tuple[tuple[str, str], ...] = ()
    """What its head says besides; names in lower case."""

    @property
    def step(self) -> timedelta:
        """How far apart cron's runs are while it may come."""
        return 20 * M if self.most is None else max((self.most - self.least) / 4, M)

    @property
    def latest(self) -> timedelta | None:
        """The longest wait for it, as cron goes."""
        return None if self.most is None else self.most + self.step

    def moment(self, passed: timedelta) -> timedelta:
        """When cron's next run is to start, after so much of the wait has passed.

        One starts a second before the request may come: it would send it if it were too early.
        """
        least = self.least if self.most is not None else H
        if passed < least - S:
            return least - S
        return least + max(0, (passed - least) // self.step + 1) * self.step

    def with_header(self, name: str, value: str) -> Asked:
        """The same request with this field, which the operator configured."""
        return replace(self, extra=(*self.extra, (name, value)))


@dataclass(frozen=True, slots=True)
class Tally:
    """Requests at an address that are too many to list, or whose number is left to chance."""

    least: int
    most: int
    last: tuple[timedelta, timedelta] | None = None
    """Between which moments the last of them arrives."""


anything = FIRST = Asked()
"""A request, whatever it carries and whenever it comes; the first of all is written `FIRST`."""
bare = Asked((None, None))
"""A request without validators."""


def tag(etag: str) -> Asked:
    """A request that names this ETag alone."""
    return Asked((etag, None))


def dated(modified: str) -> Asked:
    """A request that names this Last-Modified alone."""
    return Asked((None, modified))


def both(etag: str, modified: str) -> Asked:
    return Asked((etag, modified))


def after(wait: timedelta, request: Asked = anything) -> Asked:
    """A request that comes after this wait: never earlier, and later by a tenth at the most.

    The tenth is chance, so that not everybody comes at the same minute; half an hour at the most.
    """
    return between(wait, wait + min(wait / 10, 30 * M), request)


def failing(wait: timedelta, request: Asked = anything) -> Asked:
    """A request after a failure: later than the wait by a quarter of it at the most."""
    return between(wait, wait * 1.25, request)


def between(least: timedelta, most: timedelta, request: Asked = anything) -> Asked:
    """A request that comes between these two waits."""
    return replace(request, least=least, most=most)


Answers: TypeAlias = Sequence[Answer] | Mapping[str, Sequence[Answer]]
"""What each address answers, in turn; the last answer repeats. A list is for `FEED`."""
Expected: TypeAlias = Sequence[Asked] | Tally | Mapping[str, Sequence[Asked] | Tally]
"""What must arrive at each address, and nothing else. A list or a tally is for `FEED`."""
Fed: TypeAlias = str | Mapping[str, Any]
"""A feed of the config: an address, or a mapping whose `url` is one."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A planet, its publishers, and the requests that they must see."""

    name: str
    """Which of `promises.PROMISES` it shows, and what: in words that follow the planet's name."""
    answers: Answers
    asked: Expected
    _: KW_ONLY
    feeds: Sequence[Fed] = (FEED,)
    lists: Sequence[str] = ()
    """Subscription lists of the config."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Other settings of the planet."""
    fetch: Mapping[str, Any] = field(default_factory=dict)
    """Settings of its section `fetch`."""
    start: datetime = NOON
    every: timedelta | None = None
    """How often cron starts a run; None is just before and all through the time in which each
    request is expected."""
    lasts: timedelta | None = None
    """How long cron goes on; None is until all that is expected has come."""
    forced: Sequence[timedelta] = ()
    """When the operator runs `--force` besides."""
    edits: Mapping[timedelta, Sequence[Fed]] = field(default_factory=dict)
    """When the operator changes the feeds of the config, and to what."""
    revived: timedelta | None = None
    """When the operator says that a feed which was given up may be asked again."""
    deaths: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Where the program dies: before `sending` or `keeping` for the nth time, counted from 1."""
    ahead: tuple[timedelta, timedelta] | None = None
    """Until when the planet's clock is wrong, and by how much."""
    public: str = ""
    """The letters of the hosts that are in the public Internet; the others are in private."""
    rebound: timedelta | None = None
    """From when on the names of these lead into private networks, too."""
    connections: int | None = None
    """Over how many connections all of its requests come."""
    gap: float | None = None
    """Seconds that must really lie between the last two requests."""

    @property
    def rule(self) -> str:
        return self.name.partition(" ")[0]

    @property
    def scripts(self) -> Mapping[str, Sequence[Answer]]:
        return self.answers if isinstance(self.answers, Mapping) else {FEED: self.answers}

    @property
    def expected(self) -> Mapping[str, Sequence[Asked] | Tally]:
        """What must arrive at each address that is asked at all."""
        return self.asked if isinstance(self.asked, Mapping) else {FEED: self.asked}

    @property
    def cron(self) -> timedelta | None:
        """How often cron starts a run, if it does so steadily."""
        return self.every or (None if self.lasts is None else 5 * M)

    @property
    def least_gap(self) -> timedelta:
        """The least time between two requests for a feed: an hour, unless the publisher agreed."""
        own = [feed.get("fetch", {}) for feed in self.feeds if not isinstance(feed, str)]
        return timedelta(0) if any(each.get("agreed") for each in (self.fetch, *own)) else H
