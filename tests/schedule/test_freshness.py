"""How long an answer says it is good for, and how long its server wants to be left alone."""

from datetime import timedelta

from planet.model import DueReason, Lifetime
from planet.schedule.waits import answer_lifetime, renew_lifetime
from tests.cases import case, cases
from tests.schedule.states import DAY, HOUR, MINUTE, make_same

NOON = "Fri, 20 Nov 2026 12:00:00 GMT"
ONE_PM = "Fri, 20 Nov 2026 13:00:00 GMT"


def by(said_by: DueReason, length: timedelta, *, implausible: bool = False) -> Lifetime:
    return Lifetime(length=length, said_by=said_by, implausible=implausible)


@cases(
    "headers, expected",
    case("nothing", {}, None),
    case(
        "what every PHP session says",
        {"expires": "Thu, 19 Nov 1981 08:52:00 GMT", "cache-control": "no-store"},
        by(DueReason.MAX_AGE, timedelta(0)),
    ),
    case(
        "when it expires after some has passed",
        {"expires": ONE_PM, "date": NOON, "age": "600"},
        by(DueReason.EXPIRES, 50 * MINUTE),
    ),
    case("a week", {"cache-control": "max-age=604800"}, by(DueReason.MAX_AGE, 7 * DAY)),
    case(
        "more than a week",
        {"cache-control": "max-age=604801", "age": "604000"},
        by(DueReason.MAX_AGE, DAY, implausible=True),
    ),
    case(
        "a year",
        {"expires": "Sat, 20 Nov 2027 12:00:00 GMT"},
        by(DueReason.EXPIRES, DAY, implausible=True),
    ),
)
def test_a_lifetime_is_what_an_answer_says_of_it(
    headers: dict[str, str], expected: Lifetime | None
) -> None:
    assert answer_lifetime(make_same(headers=headers)) == expected


BEFORE = by(DueReason.EXPIRES, 5 * HOUR)


@cases(
    "status, headers, expected",
    case("lost by a 304 with an empty field", 304, {"cache-control": ""}, None),
    case("kept by what no server said", None, {}, BEFORE),
)
def test_the_lifetime_of_what_is_stored_is(
    status: int | None, headers: dict[str, str], expected: Lifetime | None
) -> None:
    assert renew_lifetime(BEFORE, make_same(status=status, headers=headers)) == expected
