"""The heart of politeness: what the next request says is what the last 200 or 304 said."""

from planet.model import Fetched
from tests.cases import case, cases
from tests.http.conftest import BODY, ETAG, MODIFIED, OTHER, Reader
from tests.server import Response, Server


def test_a_304_writes_nothing_to_the_cache(reader: Reader, server: Server) -> None:
    url = server.script(
        "/feed",
        Response(headers=(ETAG, ("Date", "Sat, 21 Nov 2026 10:00:00 GMT")), body=BODY),
        Response(
            status=304, headers=(ETAG, ("Date", "Sat, 21 Nov 2026 11:00:00 GMT"), ("Age", "1"))
        ),
    )
    reader.once(url)
    before = (reader.state / "http.sqlite").read_bytes()

    reader.once(url)

    assert (reader.state / "http.sqlite").read_bytes() == before


# What an answer tells about them


def told(fetched: Fetched) -> tuple[bool, set[str], bool]:
    """What an answer tells about validators."""
    return fetched.conditional, set(fetched.validators), fetched.same_etag


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
