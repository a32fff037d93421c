"""Short texts: monograms, cut headings, durations."""

import pytest

from planet.site.pages import present
from tests.cases import case, cases


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
    "text, expected",
    case("fits", "short", "short"),
    case("at the last blank", "exactly ten", "exactly…"),
    case("no comma before the ellipsis", "said so, as ever", "said so…"),
    case("no blank", "unbreakableword", "unbreakabl…"),
    case("a blank far from the end", "a unbreakableword", "a unbreaka…"),
)
def test_text_is_cut_between_words(text: str, expected: str) -> None:
    assert present.clipped(text, 10) == expected


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


@cases(
    "text, expected",
    case("French", "novembre 2026", "Novembre 2026"),
    case("Japanese", "2026年11月", "2026年11月"),
    case("a script whose capitals begin nothing", "ნოემბერი", "ნოემბერი"),
    case("empty", "", ""),
)
def test_a_heading_begins_with_a_capital(text: str, expected: str) -> None:
    assert present.headed(text) == expected
