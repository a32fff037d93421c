"""Which validators a request names, and what its answer tells about them."""

from datetime import timedelta

from planet.model import Conditions, Fetched, Outcome
from tests.cases import case, cases
from tests.http.conftest import BODY, ETAG, MODIFIED, OTHER, Reader, turn, validators
from tests.server import Response, Server


def told(fetched: Fetched) -> tuple[bool, set[str], bool]:
    """What an answer tells about validators."""
    return fetched.conditional, set(fetched.validators), fetched.same_etag


@cases("conditions, status", case("date", Conditions.DATE, 304), case("none", Conditions.NONE, 503))
def test_validators_that_were_not_named_are_still_there(
    reader: Reader, server: Server, conditions: Conditions, status: int
) -> None:
    whole = Response(headers=(ETAG, MODIFIED), body=BODY)
    url = server.script("/feed", whole, Response(status=status))
    reader.once(url)

    reader.once(url, conditions=conditions)
    reader.once(url)

    assert validators(server.requests[2]) == (ETAG[1], MODIFIED[1])


def test_a_body_that_came_unconditionally_replaces_another(reader: Reader, server: Server) -> None:
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


def test_only_the_request_that_is_answered_is_conditional(reader: Reader, server: Server) -> None:
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

    (fetched,) = reader.recall(turn(url))

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
