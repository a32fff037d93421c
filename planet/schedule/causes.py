"""Why an attempt failed, as far as it decides when to try again and when to stop."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from planet.model import GivenUp
from planet.schedule.constants import FORBIDDEN_STRIKES, NOT_FOUND_STRIKES, PATIENCE

if TYPE_CHECKING:
    from collections.abc import Mapping


class Cause(Enum):
    """What kind of trouble a failure is."""

    PASSING = auto()
    """5xx, 408, 425, a server that cannot be reached, a body that is no feed: it may pass."""
    DEFERRED = auto()
    """Nobody failed: the server asked us to come later, or is left alone for now, or we had no more
    time for it."""
    THROTTLED = auto()
    FORBIDDEN = auto()
    NOT_FOUND = auto()
    GONE = auto()
    REJECTED = auto()
    TOO_LARGE = auto()
    UNEXPECTED_304 = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How much trouble of one kind it takes until a feed is given up: both at least."""

    strikes: int
    span: timedelta
    """From the first strike to the last."""
    given_up: GivenUp


LIMITS: Final[Mapping[Cause, Limit]] = {
    Cause.GONE: Limit(strikes=1, span=timedelta(0), given_up=GivenUp.GONE),
    Cause.NOT_FOUND: Limit(strikes=NOT_FOUND_STRIKES, span=PATIENCE, given_up=GivenUp.NOT_FOUND),
    Cause.FORBIDDEN: Limit(strikes=FORBIDDEN_STRIKES, span=PATIENCE, given_up=GivenUp.FORBIDDEN),
    Cause.REJECTED: Limit(strikes=1, span=PATIENCE, given_up=GivenUp.REJECTED),
}
"""A feed with any other trouble is asked for ever, if seldom."""

UNREACHABLE: Final = frozenset({"dns", "connect_timeout", "tls", "refused", "unreachable"})
"""The kinds of error before anything could be asked."""

NETWORK: Final = UNREACHABLE | {"timeout", "truncated"}
"""The kinds of error that our own connection may be to blame for."""

_REDIRECTED: Final = frozenset(
    {"bad_redirect", "redirect_loop", "private_address", "retry_later", "host_cooldown"}
)
UNASKED: Final = UNREACHABLE | _REDIRECTED
"""The kinds of error of attempts that never got to ask the server that has the feed."""

_CAUSES: Final = {
    "http_404": Cause.NOT_FOUND,
    "http_408": Cause.PASSING,
    "http_410": Cause.GONE,
    "http_425": Cause.PASSING,
    "http_429": Cause.THROTTLED,
    "bot_challenge": Cause.FORBIDDEN,
    "host_cooldown": Cause.DEFERRED,
    "out_of_time": Cause.DEFERRED,
    "retry_later": Cause.DEFERRED,
    "too_large": Cause.TOO_LARGE,
    "unexpected_304": Cause.UNEXPECTED_304,
    **{f"http_{status}": Cause.FORBIDDEN for status in (401, 402, 403, 407, 451)},
}
_REJECTION: Final = re.compile(r"http_4\d\d")


def cause(kind: str) -> Cause:
    """The cause behind the kind of a `FeedError`."""
    if kind in _CAUSES:
        return _CAUSES[kind]
    return Cause.REJECTED if _REJECTION.fullmatch(kind) else Cause.PASSING
