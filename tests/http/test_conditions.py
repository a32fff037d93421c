"""Which validators a request names, and what its answer tells about them."""

from datetime import timedelta

import pytest

from planet.model import Conditions, Fetched, Outcome
from tests.cases import case, cases
from tests.http.conftest import BODY, OTHER, Reader, turn
from tests.server import Request, Response, Server

ETAG = ("ETag", '"one"')
MODIFIED = ("Last-Modified", "Sat, 21 Nov 2026 10:00:00 GMT")
NONE = (None, None)


def validators(request: Request) -> tuple[str | None, str | None]:
    return request.header("If-None-Match"), request.header("If-Modified-Since")


def told(fetched: Fetched) -> tuple[bool, set[str], bool]:
    """What an answer tells about validators."""
    return fetched.conditional, set(fetched.validators), fetched.same_etag


@cases(
    "headers, conditions, said",
    case("all", (ETAG, MODIFIED), Conditions.ALL, (ETAG[1], MODIFIED[1])),
    case("the date alone", (ETAG, MODIFIED), Conditions.DATE, (None, MODIFIED[1])),
    case("the tag, without a date", (ETAG,), Conditions.DATE, (ETAG[1], None)),
    case("none", (ETAG, MODIFIED), Conditions.NONE, NONE),
)
def test_a_request_names(
    reader: Reader,
    server: Server,
    headers: tuple[tuple[str, str], ...],
    conditions: Conditions,
    said: tuple[str | None, str | None],
) -> None:
    url = server.script("/feed", Response(headers=headers, body=BODY))
    reader.once(url)

    reader.once(url, conditions=conditions)

    assert validators(server.requests[1]) == said


@pytest.mark.parametrize(
    "conditions", [pytest.param(each, id=each.value) for each in (Conditions.DATE, Conditions.NONE)]
)
def test_validators_that_were_not_named_are_still_there(
    reader: Reader, server: Server, conditions: Conditions
) -> None:
    answers = {Conditions.DATE: Response(status=304), Conditions.NONE: Response(status=503)}
    url = server.script("/feed", Response(headers=(ETAG, MODIFIED), body=BODY), answers[conditions])
    reader.once(url)

    reader.once(url, conditions=conditions)
    reader.once(url)

    assert validators(server.requests[2]) == (ETAG[1], MODIFIED[1])


def test_a_body_that_came_unconditionally_replaces_the_one_before(
    reader: Reader, server: Server
) -> None:
    url = server.script(
        "/feed",
        Response(headers=(ETAG, MODIFIED), body=BODY),
        Response(headers=(("ETag", '"two"'),), body=OTHER),
    )
    reader.once(url)

    fetched = reader.once(url, conditions=Conditions.NONE)
    reader.once(url)

    assert (fetched.outcome, fetched.body) == (Outcome.NEW, OTHER)
    assert validators(server.requests[2]) == ('"two"', None)


BOTH = {"etag", "last-modified"}


@cases(
    "answer, expected",
    case("304", Response(status=304), (True, BOTH, False)),
    case("the tag it named", Response(headers=(ETAG,), body=OTHER), (True, {"etag"}, True)),
    case(
        "another tag",
        Response(headers=(("ETag", 'W/"one"'), MODIFIED), body=BODY),
        (True, BOTH, False),
    ),
    case("no validators", Response(body=BODY), (True, set(), False)),
    case("no use at all", Response(status=500, headers=(ETAG,)), (True, set(), False)),
)
def test_an_answer_to_a_conditional_request_tells(
    reader: Reader, server: Server, answer: Response, expected: tuple[bool, set[str], bool]
) -> None:
    url = server.script("/feed", Response(headers=(ETAG, MODIFIED), body=BODY), answer)

    first = reader.once(url)
    second = reader.once(url)

    assert told(first) == (False, BOTH, False)
    assert told(second) == expected


def test_only_the_request_that_was_answered_counts_as_conditional(
    reader: Reader, server: Server
) -> None:
    start = server.script(
        "/old",
        Response(headers=(ETAG,), body=BODY),
        Response(status=302, headers=(("Location", "/new"),)),
    )
    server.script("/new", Response(headers=(ETAG,), body=BODY))
    reader.once(start)

    fetched = reader.once(start)

    assert [validators(request)[0] for request in server.requests] == [None, ETAG[1], None]
    assert told(fetched) == (False, {"etag"}, False)


def test_a_body_from_disk_tells_its_validators(reader: Reader, server: Server) -> None:
    url = server.script("/feed", Response(headers=(ETAG,), body=BODY))
    reader.once(url)

    with reader.web() as web:
        ((_, fetched),) = web.recall([turn(url)])

    assert told(fetched) == (False, {"etag"}, False)
    assert fetched.response_time is None


def test_the_time_of_an_answer_is_that_of_all_its_requests(reader: Reader, server: Server) -> None:
    slowly = 0.003
    start = server.script(
        "/old",
        Response(status=302, headers=(("Location", "/new"), ("X", "y" * 60)), drip_head=slowly),
    )
    server.script("/new", Response(body=BODY, drip_body=slowly))

    fetched = reader.once(start)

    assert fetched.response_time is not None
    assert fetched.response_time > timedelta(seconds=(60 + len(BODY)) * slowly)
