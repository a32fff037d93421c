"""How long an answer says it is good for, and how long its server wants to be left alone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from planet.model import DueReason, Lifetime
from planet.schedule.waits import lifetime, renewed
from tests.schedule.known import DAY, HOUR, MINUTE, make_same

NOON = "Fri, 20 Nov 2026 12:00:00 GMT"
ONE_PM = "Fri, 20 Nov 2026 13:00:00 GMT"


def by(said_by: DueReason, length: timedelta, *, implausible: bool = False) -> Lifetime:
    return Lifetime(length=length, said_by=said_by, implausible=implausible)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        pytest.param({}, None, id="nothing"),
        pytest.param(
            {"expires": "Thu, 19 Nov 1981 08:52:00 GMT", "cache-control": "no-store"},
            by(DueReason.MAX_AGE, timedelta(0)),
            id="what every PHP session says",
        ),
        pytest.param(
            {"expires": ONE_PM, "date": NOON, "age": "600"},
            by(DueReason.EXPIRES, 50 * MINUTE),
            id="when it expires after some has passed",
        ),
        pytest.param(
            {"cache-control": "max-age=604800"}, by(DueReason.MAX_AGE, 7 * DAY), id="a week"
        ),
        pytest.param(
            {"cache-control": "max-age=604801", "age": "604000"},
            by(DueReason.MAX_AGE, DAY, implausible=True),
            id="more than a week",
        ),
        pytest.param(
            {"expires": "Sat, 20 Nov 2027 12:00:00 GMT"},
            by(DueReason.EXPIRES, DAY, implausible=True),
            id="a year",
        ),
    ],
)
def test_a_lifetime_is_what_an_answer_says_of_it(
    headers: dict[str, str], expected: Lifetime | None
) -> None:
    assert lifetime(make_same(headers=headers)) == expected


BEFORE = by(DueReason.EXPIRES, 5 * HOUR)


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        pytest.param(304, {"cache-control": ""}, None, id="lost by a 304 with an empty field"),
        pytest.param(None, {}, BEFORE, id="kept by what no server said"),
    ],
)
def test_the_lifetime_of_what_is_stored_is(
    status: int | None, headers: dict[str, str], expected: Lifetime | None
) -> None:
    assert renewed(BEFORE, make_same(status=status, headers=headers)) == expected
