"""Short texts: monograms, cut headings, durations."""

import pytest

from planet.model import with_short_addresses
from planet.site.pages import present
from tests.cases import case, cases
from tests.site.editions import make_post


@cases(
    "count, most, tint",
    case("no posts", 0, 254, 0),
    case("one post", 1, 254, 1),
    case("as many as on most days", 10, 254, 2),
    case("many", 45, 254, 3),
    case("the most", 254, 254, 4),
    case("the most of a calm year", 2, 2, 2),
)
def test_a_day_is_tinted_by_how_much_was_written(count: int, most: int, tint: int) -> None:
    assert present.tint(count, most) == tint


@cases(
    "title, expected",
    case("two words", "Daring Fireball", "DF"),
    case("the first two of three", "one two three", "OT"),
    case("one word", "xkcd", "X"),
    case("signs before letters", "“Quoted” (and more)", "QA"),
    case("a number", "37 signals", "3"),
    case("no capitals", "日々のコード", "日"),
    case("two words without capitals", "مدونة البرمجة", "م"),
    case("a capital of two letters", "ßeta", "S"),
    case("no letter", "—", "·"),
    case("empty", "", "·"),
)
def test_a_monogram_is_made_of_initials(title: str, expected: str) -> None:
    assert present.monogram(title) == expected


@cases(
    "title, summary, expected",
    case("a title", "A title", "Words", "A title"),
    case("few words", None, "Few words", "Few words"),
    case("a sentence", None, "It stood on the pier. It went.", "It stood on the pier."),
    case("a sentence in Japanese", None, "鷺" * 20 + "。" + "港" * 99, "鷺" * 20 + "。"),
    case("a short sentence and more", None, "Oh. " + "So it is. " * 20, "Oh. So it is. So it is."),
    case("no end", None, "and, " * 50, "and, " * 18 + "and…"),
    case("no end and no blank", None, "港" * 200, "港" * 99 + "…"),
    case("a title that was cut", "It stood on…", "It stood on the pier", "It stood on the pier"),
    case("a title that ends so", "It stood on…", "Words", "It stood on…"),
    case("an address", None, "https://www.one.example/a/", "one.example/a"),
    case("nothing", None, None, "one.example/1"),
)
def test_a_post_without_a_title_is_called_by_its_first_words(
    title: str | None, summary: str | None, expected: str
) -> None:
    assert make_post(title=title, summary=summary).entry.heading == expected


def test_addresses_are_told_as_people_write_them() -> None:
    text = f"See https://www.one.example/a/ and http://two.example/{'long/' * 20}, and go://on"

    short = with_short_addresses(text)

    assert short == f"See one.example/a and two.example/{'long/' * 5}lo… and go://on"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (None, None),
        (0, None),
        (59, "0:59"),
        (245, "4:05"),
        (3753, "1:02:33"),
        (360000, "100:00:00"),
    ],
)
def test_a_duration_is_told_in_hours_minutes_and_seconds(
    seconds: int | None, expected: str | None
) -> None:
    assert present.duration(seconds) == expected
