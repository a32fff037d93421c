"""The heart of politeness: what the next request says is what the last 200 or 304 said."""

import hashlib
from datetime import timedelta

import pytest

from planet.model import Conditions, Fetched, Outcome
from tests.cases import case, cases
from tests.http.conftest import BODY, ETAG, MODIFIED, OTHER, Reader, turn, validators
from tests.server import Response, Server

Headers = tuple[tuple[str, str], ...]

DATE = ("Date", "Sat, 21 Nov 2026 12:00:00 GMT")
LATER = ("Last-Modified", "Sat, 21 Nov 2026 11:00:00 GMT")


def ok(*headers: tuple[str, str], body: bytes = BODY) -> Response:
    return Response(headers=headers, body=body)


def not_modified(*headers: tuple[str, str]) -> Response:
    return Response(status=304, headers=headers)


NONE = (None, None)
BOTH = (ETAG[1], MODIFIED[1])


@cases(
    "answers, said",
    case(
        "an ETag beside a Cache-Control made to break a cache",
        [ok(ETAG, ("Cache-Control", "self=1, max-age=99999999999999999999")), not_modified()],
        [NONE, (ETAG[1], None)],
    ),
    case(
        "a date that is a day ahead",
        [ok(DATE, ("Last-Modified", "Sun, 22 Nov 2026 12:00:00 GMT")), not_modified()],
        [NONE, (None, "Sun, 22 Nov 2026 12:00:00 GMT")],
    ),
    case(
        "no date ahead of our clock, where the server says none",
        [ok(("Last-Modified", "Fri, 01 Jan 2038 00:00:00 GMT")), not_modified()],
        [NONE, NONE],
    ),
    case(
        "the date from before such a 304",
        [
            ok(ETAG, MODIFIED),
            not_modified(("Last-Modified", "Fri, 01 Jan 2038 00:00:00 GMT")),
            not_modified(),
        ],
        [NONE, BOTH, BOTH],
    ),
    case(
        "no empty ETag", [ok(("ETag", ""), MODIFIED), not_modified()], [NONE, (None, MODIFIED[1])]
    ),
)
def test_a_request_names_the_validators_of_the_last_answer_that_are_of_use(
    reader: Reader,
    server: Server,
    answers: list[Response],
    said: list[tuple[str | None, str | None]],
) -> None:
    url = server.script("/feed", *answers)

    for _ in answers:
        reader.once(url)

    assert [validators(request) for request in server.requests] == said


def test_a_304_leaves_the_body_and_says_so(reader: Reader, server: Server) -> None:
    url = server.script("/feed", ok(ETAG), not_modified())

    first = reader.once(url)
    second = reader.once(url, known_hash=first.body_hash)

    assert (first.outcome, first.body) == (Outcome.NEW, BODY)
    assert (second.outcome, second.status, second.body) == (Outcome.SAME, 304, None)


def test_the_same_bytes_again_are_not_news(reader: Reader, server: Server) -> None:
    url = server.script("/feed", ok(), ok())

    first = reader.once(url)
    second = reader.once(url, known_hash=first.body_hash)

    assert first.body_hash == hashlib.sha256(BODY).hexdigest()
    assert (second.outcome, second.status, second.body) == (Outcome.SAME, 200, None)


@pytest.mark.parametrize("known", ["", hashlib.sha256(OTHER).hexdigest()], ids=["none", "another"])
def test_a_304_hands_out_what_is_not_read_yet(reader: Reader, server: Server, known: str) -> None:
    url = server.script("/feed", ok(ETAG), not_modified())

    reader.once(url)
    again = reader.once(url, known_hash=known or None)

    assert (again.status, again.outcome, again.body) == (304, Outcome.NEW, BODY)


def test_a_304_writes_nothing_to_the_cache(reader: Reader, server: Server) -> None:
    url = server.script(
        "/feed",
        ok(ETAG, ("Date", "Sat, 21 Nov 2026 10:00:00 GMT")),
        not_modified(ETAG, ("Date", "Sat, 21 Nov 2026 11:00:00 GMT"), ("Age", "1")),
    )
    reader.once(url)
    before = (reader.state / "http.sqlite").read_bytes()

    reader.once(url)

    assert (reader.state / "http.sqlite").read_bytes() == before


# What an answer tells about them


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


BOTH_NAMES = {"etag", "last-modified"}


@cases(
    "answer, expected",
    case("304", Response(status=304), (True, BOTH_NAMES, False)),
    case("the tag it named", Response(headers=(ETAG,), body=OTHER), (True, {"etag"}, True)),
    case(
        "another tag",
        Response(headers=(("ETag", 'W/"one"'), MODIFIED), body=BODY),
        (True, BOTH_NAMES, False),
    ),
    case("no validators", Response(body=BODY), (True, set(), False)),
    case("no use at all", Response(status=500, headers=(ETAG,)), (True, set(), False)),
)
def test_an_answer_to_a_conditional_request_tells_whether_the_server_knows_its_tag(
    reader: Reader, server: Server, answer: Response, expected: tuple[bool, set[str], bool]
) -> None:
    url = server.script("/feed", Response(headers=(ETAG, MODIFIED), body=BODY), answer)

    first = reader.once(url)
    second = reader.once(url)

    assert told(first) == (False, BOTH_NAMES, False)
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
