"""What is asked for is told by whoever reads it: here calendars, of which nobody else knows."""

import pytest

from planet.errors import FetchError
from tests.cases import case, cases
from tests.http.conftest import Reader, kind
from tests.server import Response, Server

CALENDAR = b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"
TYPE = ("Content-Type", "text/calendar")


class CalendarAnswers:
    accept = "text/calendar"
    keeps_body = True

    def check_type(self, media_type: str) -> None:
        if media_type != "text/calendar":
            raise FetchError("no_calendar", "this is no calendar")

    def check_body(self, body: bytes, *, pages: bool) -> None:
        if not body.startswith(b"BEGIN"):
            raise FetchError("no_calendar", "this is no calendar")

    def breaks_off(self, body: bytes) -> bool:
        return not body.rstrip().endswith(b"END:VCALENDAR")


@pytest.fixture
def calendars(reader: Reader) -> Reader:
    reader.rules = CalendarAnswers()
    return reader


@cases(
    "answer, expected",
    case("it is right", Response(headers=(TYPE,), body=CALENDAR), None),
    case("its type is wrong", Response(body=CALENDAR), "no_calendar"),
    case("its body is wrong", Response(headers=(TYPE,), body=b"<rss></rss>"), "no_calendar"),
)
def test_an_answer_is_taken_as_its_reader_says_where(
    calendars: Reader, server: Server, answer: Response, expected: str | None
) -> None:
    url = server.script("/calendar", answer)

    fetched = calendars.once(url)

    assert (kind(fetched), server.requests[0].header("Accept")) == (expected, "text/calendar")


@pytest.mark.parametrize("lost", [0, 9])
def test_an_answer_breaks_off_where_its_reader_says_so(
    calendars: Reader, server: Server, lost: int
) -> None:
    body = CALENDAR[: len(CALENDAR) - lost]
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/calendar\r\n\r\n"
    url = server.script("/calendar", Response(raw=head + body))

    fetched = calendars.once(url)

    assert (fetched.body, fetched.cut_off) == (body, lost > 0)
