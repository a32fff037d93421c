"""What header fields of an answer come to: moments, lifetimes, and how long to stay away."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from planet.text import headers

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
SIXTH = datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)
"""The moment of the examples in RFC 9110 §5.6.7."""
LARGEST = 2**31 * SECOND


@pytest.mark.parametrize(
    ("said", "moment"),
    [
        pytest.param("Sun, 06 Nov 1994 08:49:37 GMT", SIXTH, id="of today"),
        pytest.param("Sunday, 06-Nov-94 08:49:37 GMT", SIXTH, id="of RFC 850"),
        pytest.param("Sun Nov  6 08:49:37 1994", SIXTH, id="of asctime, which names no zone"),
        pytest.param("  Sun, 06 Nov 1994 08:49:37 GMT\t", SIXTH, id="with blanks around it"),
        pytest.param("Sun, 06 Nov 1994 08:49:37 -0000", SIXTH, id="in an unknown zone"),
        pytest.param("Sun, 06 Nov 1994 09:49:37 +0100", SIXTH, id="in another zone"),
        pytest.param("06 Nov 1994 08:49:37 GMT", SIXTH, id="without a day of the week"),
    ],
)
def test_a_date_is_understood_in_the_form(said: str, moment: datetime) -> None:
    assert headers.http_date(said) == moment
    assert headers.http_date(said).utcoffset() == timedelta(0)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param("", id="nothing"),
        pytest.param("0", id="zero"),
        pytest.param("-1", id="a number"),
        pytest.param("tomorrow", id="a word"),
        pytest.param("2026-11-20T12:00:00Z", id="another standard"),
        pytest.param("Sun, 31 Feb 2026 08:49:37 GMT", id="a day that never was"),
        pytest.param("Sun, 06 Nov 1994 25:49:37 GMT", id="an hour that never was"),
        pytest.param("Sun, 06 Nov 99999 08:49:37 GMT", id="a year beyond all"),
        pytest.param("Fri, 31 Dec 9999 23:59:59 -2300", id="a moment past the end of time"),
        pytest.param("Sun, 06 Nov 1994 08:49:37 +9999999999", id="a zone that never was"),
        pytest.param("\0", id="a control character"),
    ],
)
def test_no_date_is(said: str) -> None:
    assert headers.http_date(said) is None


@pytest.mark.parametrize(
    ("fields", "moment"),
    [
        pytest.param({"date": "Sun, 06 Nov 1994 08:49:37 GMT"}, SIXTH, id="when it says so"),
        pytest.param({}, NOW, id="when it came, without a word"),
        pytest.param({"date": "yesterday"}, NOW, id="when it came, with nonsense"),
    ],
)
def test_an_answer_was_made(fields: dict[str, str], moment: datetime) -> None:
    assert headers.date(fields, received=NOW) == moment


@pytest.mark.parametrize(
    ("fields", "wait"),
    [
        pytest.param({}, None, id="not at all"),
        pytest.param({"retry-after": "120"}, 120 * SECOND, id="for seconds"),
        pytest.param({"retry-after": " 120 "}, 120 * SECOND, id="for seconds between blanks"),
        pytest.param({"retry-after": "0"}, None, id="not for no time"),
        pytest.param({"retry-after": "-5"}, None, id="not for less than no time"),
        pytest.param({"retry-after": "1.5"}, None, id="not for parts of seconds"),
        pytest.param({"retry-after": "120, 60"}, None, id="not for two times"),
        pytest.param({"retry-after": "soon"}, None, id="not with nonsense"),
        pytest.param({"retry-after": ""}, None, id="not with nothing"),
        pytest.param({"retry-after": "²"}, None, id="not with strange digits"),
        pytest.param({"retry-after": "٣"}, None, id="not with digits of another script"),
        pytest.param({"retry-after": "9" * 5000}, LARGEST, id="for no longer than can be held"),
        pytest.param(
            {"retry-after": "Fri, 20 Nov 2026 13:00:00 GMT"}, HOUR, id="until a moment by our clock"
        ),
        pytest.param(
            {
                "retry-after": "Sun, 06 Nov 1994 09:49:37 GMT",
                "date": "Sun, 06 Nov 1994 08:49:37 GMT",
            },
            HOUR,
            id="until a moment by its own clock",
        ),
        pytest.param(
            {"retry-after": "Fri, 20 Nov 2026 12:00:00 GMT"}, None, id="not until this moment"
        ),
        pytest.param(
            {"retry-after": "Thu, 19 Nov 2026 12:00:00 GMT"}, None, id="not until what is past"
        ),
    ],
)
def test_a_server_asks_to_be_left_alone(fields: dict[str, str], wait: timedelta | None) -> None:
    assert headers.retry_after(fields, received=NOW) == wait


@pytest.mark.parametrize(
    ("said", "length"),
    [
        pytest.param("max-age=3600", HOUR, id="a number of seconds"),
        pytest.param("Max-Age=3600", HOUR, id="a name in any case"),
        pytest.param('max-age="3600"', HOUR, id="a value in quotes"),
        pytest.param("max-age = 3600", HOUR, id="blanks around the sign"),
        pytest.param("public, max-age=3600, must-revalidate", HOUR, id="among others"),
        pytest.param("max-age=3600, max-age=60", HOUR, id="the first of two"),
        pytest.param("max-age=60, s-maxage=3600", 60 * SECOND, id="not what is for shared caches"),
        pytest.param("s-maxage=3600", None, id="nothing of what is for shared caches alone"),
        pytest.param('x="max-age=60", max-age=3600', HOUR, id="not what stands in quotes"),
        pytest.param('x="a\\"b, max-age=60", max-age=3600', HOUR, id="nor behind a quoted quote"),
        pytest.param("max-age=0", 0 * HOUR, id="no time"),
        pytest.param("max-age=-1", 0 * HOUR, id="no time for less than none"),
        pytest.param("max-age=1.5", 0 * HOUR, id="no time for parts of seconds"),
        pytest.param("max-age=abc", 0 * HOUR, id="no time for a word"),
        pytest.param("max-age=", 0 * HOUR, id="no time for an empty value"),
        pytest.param("max-age", 0 * HOUR, id="no time for no value"),
        pytest.param("max-age=²", 0 * HOUR, id="no time for strange digits"),
        pytest.param("max-age=4294967296", LARGEST, id="a number too large"),
        pytest.param("max-age=" + "9" * 5000, LARGEST, id="a number far too large"),
        pytest.param("no-cache", 0 * HOUR, id="no time without revalidation"),
        pytest.param("no-store", 0 * HOUR, id="no time for what is not to be stored"),
        pytest.param("max-age=3600, NO-CACHE", 0 * HOUR, id="the most restrictive of two"),
        pytest.param('no-cache="set-cookie", max-age=60', 0 * HOUR, id="no time for a part of it"),
        pytest.param("public", None, id="nothing of other directives"),
        pytest.param("must-revalidate", None, id="nothing of what holds once it is stale"),
        pytest.param("", None, id="nothing of nothing"),
        pytest.param(",,;=,", None, id="nothing of nonsense"),
    ],
)
def test_cache_control_gives(said: str, length: timedelta | None) -> None:
    assert headers.max_age({"cache-control": said}) == length


def test_without_cache_control_there_is_no_max_age() -> None:
    assert headers.max_age({}) is None


@pytest.mark.parametrize(
    ("fields", "length"),
    [
        pytest.param({}, None, id="nothing, if it is not there"),
        pytest.param({"expires": "Sat, 21 Nov 2026 12:00:00 GMT"}, DAY, id="what is left of it"),
        pytest.param(
            {"expires": "Sun, 06 Nov 1994 09:49:37 GMT", "date": "Sun, 06 Nov 1994 08:49:37 GMT"},
            HOUR,
            id="what is left of it by the server's clock",
        ),
        pytest.param(
            {"expires": "Thu, 19 Nov 1981 08:52:00 GMT"}, 0 * HOUR, id="no time, if it is past"
        ),
        pytest.param({"expires": "0"}, 0 * HOUR, id="no time for zero"),
        pytest.param({"expires": "-1"}, 0 * HOUR, id="no time for less"),
        pytest.param({"expires": ""}, 0 * HOUR, id="no time for nothing"),
    ],
)
def test_expires_gives(fields: dict[str, str], length: timedelta | None) -> None:
    assert headers.expires(fields, received=NOW) == length


@pytest.mark.parametrize(
    ("fields", "age"),
    [
        pytest.param({}, 0 * HOUR, id="no time"),
        pytest.param({"age": " 60 "}, 60 * SECOND, id="as long as it says"),
        pytest.param({"age": "-60"}, 0 * HOUR, id="no less than no time"),
        pytest.param({"age": "old"}, 0 * HOUR, id="no time that is a word"),
        pytest.param({"age": "9" * 5000}, LARGEST, id="no longer than can be held"),
    ],
)
def test_an_answer_lay_in_caches(fields: dict[str, str], age: timedelta) -> None:
    assert headers.age(fields) == age
