"""What header fields of an answer come to: moments, lifetimes, and how long to stay away."""

from datetime import UTC, datetime, timedelta

from planet.text import headers
from tests.cases import case, cases

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
SIXTH = datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)
"""The moment of the examples in RFC 9110 §5.6.7."""
LARGEST = 2**31 * SECOND


@cases(
    "written, moment",
    case("of today", "Sun, 06 Nov 1994 08:49:37 GMT", SIXTH),
    case("of RFC 850", "Sunday, 06-Nov-94 08:49:37 GMT", SIXTH),
    case("of asctime, which names no zone", "Sun Nov  6 08:49:37 1994", SIXTH),
    case("with blanks around it", "  Sun, 06 Nov 1994 08:49:37 GMT\t", SIXTH),
    case("in an unknown zone", "Sun, 06 Nov 1994 08:49:37 -0000", SIXTH),
)
def test_a_date_is_understood_in_the_form(written: str, moment: datetime) -> None:
    assert headers.parse_http_date(written) == moment
    assert headers.parse_http_date(written).utcoffset() == timedelta(0)  # type: ignore[union-attr]


@cases(
    "written",
    case("nothing", ""),
    case("a word", "tomorrow"),
    case("another standard", "2026-11-20T12:00:00Z"),
    case("a day that never was", "Sun, 31 Feb 2026 08:49:37 GMT"),
    case("a year beyond all", "Sun, 06 Nov 99999 08:49:37 GMT"),
    case("a moment past the end of time", "Fri, 31 Dec 9999 23:59:59 -2300"),
    case("a zone that never was", "Sun, 06 Nov 1994 08:49:37 +9999999999"),
    case("a control character", "\0"),
)
def test_no_date_is(written: str) -> None:
    assert headers.parse_http_date(written) is None


@cases(
    "fields, moment",
    case("when it says so", {"date": "Sun, 06 Nov 1994 08:49:37 GMT"}, SIXTH),
    case("when it came, without a word", {}, NOW),
    case("when it came, with nonsense", {"date": "yesterday"}, NOW),
)
def test_an_answer_was_made(fields: dict[str, str], moment: datetime) -> None:
    assert headers.date(fields, received_at=NOW) == moment


@cases(
    "fields, wait",
    case("for seconds between blanks", {"retry-after": " 120 "}, 120 * SECOND),
    case("not for parts of seconds", {"retry-after": "1.5"}, None),
    case("not for two times", {"retry-after": "120, 60"}, None),
    case("not with nothing", {"retry-after": ""}, None),
    case("not with digits of another script", {"retry-after": "٣"}, None),
    case("for no longer than can be held", {"retry-after": "9" * 5000}, LARGEST),
    case("not until this moment", {"retry-after": "Fri, 20 Nov 2026 12:00:00 GMT"}, None),
)
def test_a_server_asks_to_be_left_alone(fields: dict[str, str], wait: timedelta | None) -> None:
    assert headers.retry_after(fields, received_at=NOW) == wait


@cases(
    "written, length",
    case("blanks around the sign", "max-age = 3600", HOUR),
    case("not what stands in quotes", 'x="max-age=60", max-age=3600', HOUR),
    case("nor behind a quoted quote", 'x="a\\"b, max-age=60", max-age=3600', HOUR),
    case("no time", "max-age=0", 0 * HOUR),
    case("no time for a word", "max-age=abc", 0 * HOUR),
    case("no time for no value", "max-age", 0 * HOUR),
    case("no time for strange digits", "max-age=²", 0 * HOUR),
    case("a number too large", "max-age=4294967296", LARGEST),
    case("no time for a part of it", 'no-cache="set-cookie", max-age=60', 0 * HOUR),
    case("nothing of what holds once it is stale", "must-revalidate", None),
    case("nothing of nothing", "", None),
    case("nothing of nonsense", ",,;=,", None),
)
def test_cache_control_gives(written: str, length: timedelta | None) -> None:
    assert headers.max_age({"cache-control": written}) == length
    assert headers.max_age({}) is None


@cases(
    "fields, length",
    case("no time for less", {"expires": "-1"}, 0 * HOUR),
    case("no time for nothing", {"expires": ""}, 0 * HOUR),
)
def test_expires_gives(fields: dict[str, str], length: timedelta | None) -> None:
    assert headers.expires(fields, received_at=NOW) == length


@cases(
    "fields, age",
    case("no less than no time", {"age": "-60"}, 0 * HOUR),
    case("no longer than can be held", {"age": "9" * 5000}, LARGEST),
)
def test_an_answer_lay_in_caches(fields: dict[str, str], age: timedelta) -> None:
    assert headers.age(fields) == age
