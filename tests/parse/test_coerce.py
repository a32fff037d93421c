"""Single values, dates among them: whatever a feed has, it becomes ours or nothing."""

from datetime import timedelta

import pytest

from planet.model import Person
from planet.parse import coerce
from planet.parse.coerce import make_person
from planet.parse.dates import parse_date
from tests.cases import case, cases

ANYTHING: list[object] = [None, "", " \n", "x", -1, 0, 1.5, float("nan"), True, [], {}, b"x"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *[("7", 7), (" 7.0 ", 7), (7, 7), (7.4, 7), ("0", None), ("-7", None), (True, None)],
        *[("7" * 30, None), (10**20, None), (float("nan"), None), (None, None), ("7 apples", None)],
    ],
)
def test_a_number_is_whole_and_positive(value: object, expected: int | None) -> None:
    assert coerce.positive(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *[("1:02:03", 3723), ("62:03", 3723), ("3723", 3723), (" 12.5 ", 12), (12.4, 12)],
        *[("0", None), ("1:2:3:4", None), ("an hour", None), (None, None)],
        # More than a day is in milliseconds: of 43:45:20 hours, two and a half minutes stay.
        *[("86400", 86400), ("157520", 157), (211200, 211), ("43:45:20", 157520), ("9" * 12, None)],
    ],
)
def test_a_duration_is_in_seconds(value: object, expected: int | None) -> None:
    assert coerce.seconds(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [("60", timedelta(hours=1)), ("0", None), ("-1", None), ("10" * 6, timedelta(days=366))],
)
def test_a_time_to_live_is_bounded(value: object, expected: timedelta | None) -> None:
    assert coerce.minutes(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *[("en", "en"), (" de_AT ", "de-AT"), ("zh-Hant-TW", "zh-Hant-TW")],
        *[("no such language", None), ("e", None), ('"><script>', None), (7, None)],
    ],
)
def test_a_language_is_a_tag(value: object, expected: str | None) -> None:
    assert coerce.language(value) == expected


@cases(
    "value, expected",
    case("plain", "Q&A", "Q&A"),
    case("encoded twice", "Q&amp;A", "Q&A"),
    case("nearly a reference", "R&D; more", "R&D; more"),
    case("signs", "a < b > c", "a < b > c"),
    case("markup", "<b>bold</b>\nwords", "bold words"),
    case("controls", "x\u202ey\x00z", "xyz"),
)
def test_a_line_is_plain(value: str, expected: str) -> None:
    assert coerce.line(value) == expected


@cases(
    "value, expected",
    case("verbatim", "HTTP://CDN.example/a|b", "HTTP://CDN.example/a|b"),
    case(
        "a backslash", r"http://good.example\@evil.example/a", "http://good.example/@evil.example/a"
    ),
    case("blanks", " https://cdn.example/a.mp3 ", "https://cdn.example/a.mp3"),
    case("not ASCII", "https://cdn.example/ä", "https://cdn.example/%C3%A4"),
    case("relative", "a.mp3", "https://base.example/a.mp3"),
)
def test_the_address_of_a_file_stays_as_it_is(value: str, expected: str) -> None:
    assert coerce.file(value, "https://base.example/") == expected


@pytest.mark.parametrize("value", ANYTHING, ids=repr)
def test_nothing_raises_whatever_it_is_given(value: object) -> None:
    coerce.string(value)
    coerce.line(value)
    coerce.number(value)
    coerce.seconds(value)
    coerce.minutes(value)
    coerce.language(value)
    coerce.file(value, "https://base.example/")
    coerce.lines([value])
    coerce.dicts(value)
    coerce.dicts([value])
    make_person(value, value)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ann@mail.example (Ann)", "Ann"),
        ("Ann <ann@mail.museum>", "Ann"),
        ("mailto:ann@mail.example (Ann)", "Ann"),
        ("Ann (she/her)", "Ann (she/her)"),
        ("@ann@social.example", "@ann@social.example"),
        ("Brian@Stone", "Brian@Stone"),
        ("Ann @ann@social.example <ann@mail.example>", "Ann @ann@social.example"),
        ("Ann @ Home", "Ann @ Home"),
    ],
)
def test_a_name_has_no_mail_address(name: str, expected: str) -> None:
    assert make_person(name) == Person(name=expected)


# Dates in the forms that feeds have them


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        # As the standards have it.
        ("2026-11-03T09:00:00Z", "2026-11-03T09:00:00+00:00"),
        ("2026-11-03T09:00:00.250+01:00", "2026-11-03T08:00:00.250000+00:00"),
        ("2026-11-03", "2026-11-03T00:00:00+00:00"),
        ("2026-11", "2026-11-01T00:00:00+00:00"),
        ("2026", "2026-01-01T00:00:00+00:00"),
        ("20261103T090000Z", "2026-11-03T09:00:00+00:00"),
        ("Tue, 03 Nov 2026 09:00:00 GMT", "2026-11-03T09:00:00+00:00"),
        ("Tue, 03 Nov 2026 09:00:00 -0430", "2026-11-03T13:30:00+00:00"),
        ("03 Nov 26 09:00 EST", "2026-11-03T14:00:00+00:00"),
        ("Tue Nov  3 09:00:00 2026", "2026-11-03T09:00:00+00:00"),
        # Nearly so.
        ("2026-11-03 09:00:00", "2026-11-03T09:00:00+00:00"),
        ("2026-11-03 09:00:00 -07:00", "2026-11-03T16:00:00+00:00"),
        ("2026-11-03T09:00:00-05:00Z", "2026-11-03T14:00:00+00:00"),
        ("2026-1-3T9:05:00Z", "2026-01-03T09:05:00+00:00"),
        ("2026/11/3 9:00", "2026-11-03T09:00:00+00:00"),
        ("Tue,03 November 2026 09:00 Z", "2026-11-03T09:00:00+00:00"),
        ("Tues, 3rd Nov 2026 09:00:00 +0100", "2026-11-03T08:00:00+00:00"),
        ("Nov 3, 2026 3:04 PM", "2026-11-03T15:04:00+00:00"),
        ("Nov. 3, 2026, 12:04 a.m.", "2026-11-03T00:04:00+00:00"),
        ("Tue Nov 03 2026 17:00:00 GMT+0200 (Somewhere)", "2026-11-03T15:00:00+00:00"),
        ("Tue, 03 Nov 2026 09:00:00 --0700", "2026-11-03T16:00:00+00:00"),
        ("Tue, 03 Nov 2026 24:00:00 GMT", "2026-11-04T00:00:00+00:00"),
        ("Tue, 03 Nov 2026 23:59:60 GMT", "2026-11-04T00:00:00+00:00"),
        ("15:04 03.11.2026 +0100", "2026-11-03T14:04:00+00:00"),
        # With offsets that are none.
        ("Tue, 03 Nov 2026 09:00:00 +1400", "2026-11-02T19:00:00+00:00"),
        ("Tue, 03 Nov 2026 09:00:00 +9999", "2026-11-03T09:00:00+00:00"),
        ("Tue, 03 Nov 2026 09:00:00 -1401", "2026-11-03T09:00:00+00:00"),
        ("2026-11-03T09:00:00+14:00", "2026-11-02T19:00:00+00:00"),
        ("2026-11-03T09:00:00-23:59", "2026-11-03T09:00:00+00:00"),
        ("2026-11-03T09:00:00+99:99", "2026-11-03T09:00:00+00:00"),
        ("3 Nov 98", "1998-11-03T00:00:00+00:00"),
        ("3 Nov 69", "2069-11-03T00:00:00+00:00"),
        ("3 Nov 70", "1970-11-03T00:00:00+00:00"),
        ("Nov. 2026", "2026-11-01T00:00:00+00:00"),
        # In numbers.
        ("1700000000", "2023-11-14T22:13:20+00:00"),
        ("1700000000000", "2023-11-14T22:13:20+00:00"),
        ("03.11.2026", "2026-11-03T00:00:00+00:00"),
        ("11/03/2026 - 15:04", "2026-11-03T15:04:00+00:00"),
        ("Fri, 26/06/2026", "2026-06-26T00:00:00+00:00"),
        ("Sat, 11 04 2020 08:51:49 +0100", "2020-04-11T07:51:49+00:00"),
        ("30.10.26", "2026-10-30T00:00:00+00:00"),
        ("18/01/98", "1998-01-18T00:00:00+00:00"),
        # In other languages.
        ("2026年11月3日 15:04", "2026-11-03T15:04:00+00:00"),
        ("2026年11月3日 下午3:04", "2026-11-03T15:04:00+00:00"),
        ("2026/11/3 午後 12:04", "2026-11-03T12:04:00+00:00"),
        ("2026/11/3 午前 12:04", "2026-11-03T00:04:00+00:00"),
        ("Do, 29 Mär 2018 00:00:00 +0200", "2018-03-28T22:00:00+00:00"),
        ("mar., 01 déc. 2020 16:11:02 +0000", "2020-12-01T16:11:02+00:00"),
        ("ven., 03 juil. 2020 15:09:58 +0000", "2020-07-03T15:09:58+00:00"),
        ("sáb, 12 abr 2025", "2025-04-12T00:00:00+00:00"),
        ("fre, 2 maj 2025", "2025-05-02T00:00:00+00:00"),
    ],
)
def test_a_date_is_read(written: str, expected: str) -> None:
    when = parse_date(f" {written}\n")

    assert when is not None
    assert when.isoformat() == expected


@cases(
    "written",
    case("nothing", ""),
    case("a word", "yesterday"),
    case("a time", "9:00"),
    case("a month", "March"),
    case("no year", "3 March"),
    case("unset in .NET", "Mon, 01 Jan 0001 00:00:00 +0000"),
    case("unset in Unix", "1970-01-01T00:00:00Z"),
    case("for ever", "9999-12-31"),
    case("fourteen digits", "99999999999999"),
    case("no such day", "2026-13-45"),
    case("no such hour", "Tue, 03 Nov 2026 25:00:00 GMT"),
    case("three numbers", "1-2-3"),
    case("a year that may be a day", "18/01/30"),
    case("such a year with hyphens", "18-01-30 09:00"),
    case("too long to be a date", "3 Nov 2026" + " " * 200 + "."),
)
def test_what_is_no_date_is_none(written: str) -> None:
    assert parse_date(written) is None
