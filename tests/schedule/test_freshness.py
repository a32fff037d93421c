"""How long an answer says it is good for, and how long its server wants to be left alone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from planet.model import DueReason, Lifetime
from planet.schedule.waits import lifetime, renewed, retry_after
from tests.schedule.known import DAY, HOUR, MINUTE, make_failed, make_same

NOON = "Fri, 20 Nov 2026 12:00:00 GMT"
ONE_PM = "Fri, 20 Nov 2026 13:00:00 GMT"


def by(said_by: DueReason, length: timedelta, *, implausible: bool = False) -> Lifetime:
    return Lifetime(length=length, said_by=said_by, implausible=implausible)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        pytest.param({}, None, id="nothing"),
        pytest.param({"cache-control": "public"}, None, id="nothing of how long"),
        pytest.param(
            {"cache-control": "max-age=3600"}, by(DueReason.MAX_AGE, HOUR), id="a max-age"
        ),
        pytest.param({"expires": ONE_PM}, by(DueReason.EXPIRES, HOUR), id="when it expires"),
        pytest.param(
            {"cache-control": "max-age=60", "expires": ONE_PM},
            by(DueReason.MAX_AGE, MINUTE),
            id="both",
        ),
        pytest.param(
            {"cache-control": "public", "expires": ONE_PM},
            by(DueReason.EXPIRES, HOUR),
            id="when it expires, beside other directives",
        ),
        pytest.param(
            {"cache-control": "no-cache", "expires": ONE_PM},
            by(DueReason.MAX_AGE, timedelta(0)),
            id="no time at all, and when it expires",
        ),
        pytest.param(
            {"expires": "Thu, 19 Nov 1981 08:52:00 GMT", "cache-control": "no-store"},
            by(DueReason.MAX_AGE, timedelta(0)),
            id="what every PHP session says",
        ),
        pytest.param({"expires": "0"}, by(DueReason.EXPIRES, timedelta(0)), id="zero"),
        pytest.param(
            {"cache-control": "max-age=3600", "age": "600"},
            by(DueReason.MAX_AGE, 50 * MINUTE),
            id="a max-age of which some has passed",
        ),
        pytest.param(
            {"expires": ONE_PM, "date": NOON, "age": "600"},
            by(DueReason.EXPIRES, 50 * MINUTE),
            id="when it expires after some has passed",
        ),
        pytest.param(
            {"cache-control": "max-age=3600", "age": "7200"},
            by(DueReason.MAX_AGE, timedelta(0)),
            id="a max-age of which all has passed",
        ),
        pytest.param(
            {"cache-control": "max-age=3600", "age": "old"},
            by(DueReason.MAX_AGE, HOUR),
            id="a max-age and a wrong age",
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
        pytest.param(304, {}, BEFORE, id="kept by a 304 that says nothing"),
        pytest.param(304, {"cache-control": ""}, None, id="lost by a 304 with an empty field"),
        pytest.param(304, {"expires": ONE_PM}, by(DueReason.EXPIRES, HOUR), id="renewed by a 304"),
        pytest.param(200, {}, None, id="lost by a 200 that says nothing"),
        pytest.param(
            200,
            {"cache-control": "max-age=3600"},
            by(DueReason.MAX_AGE, HOUR),
            id="replaced by a 200",
        ),
        pytest.param(None, {}, BEFORE, id="kept by what no server said"),
    ],
)
def test_the_lifetime_of_what_is_stored_is(
    status: int | None, headers: dict[str, str], expected: Lifetime | None
) -> None:
    assert renewed(BEFORE, make_same(status=status, headers=headers)) == expected


@pytest.mark.parametrize(
    ("said", "error", "well"),
    [
        pytest.param("86400", DAY, DAY, id="a day"),
        pytest.param("86401", DAY + timedelta(seconds=1), DAY, id="more than a day"),
        pytest.param("9" * 50, 30 * DAY, DAY, id="centuries"),
        pytest.param("-1", None, None, id="nonsense"),
    ],
)
def test_an_error_may_ask_for_longer_than_an_answer_that_is_well(
    said: str, error: timedelta | None, well: timedelta | None
) -> None:
    headers = {"retry-after": said}

    assert retry_after(make_failed("http_503", headers=headers)) == error
    assert retry_after(make_same(headers=headers)) == well
