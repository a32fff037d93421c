"""Single values: whatever a feed has, it becomes ours or nothing."""

from datetime import timedelta

import pytest

from planet.model import Person
from planet.parse import coerce
from planet.parse.coerce import make_person
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
