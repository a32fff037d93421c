"""What Planet says in English: the words that are put together."""

from datetime import timedelta
from pathlib import Path

import pytest

from planet.model import DueReason
from planet.site.words import Phrase, direction, speak
from tests.cases import case, cases
from tests.processes import python

WORDS = speak("en")
FEED = """<rss version="2.0"><channel><title>One</title><link>https://one.example/</link>
<item><title>First</title><guid>1</guid></item></channel></rss>"""


@cases(
    "wait, words",
    case("minutes", timedelta(minutes=10, seconds=40), "about every 11 minutes"),
    case("nearly an hour", timedelta(minutes=54), "about every 54 minutes"),
    case("an hour", timedelta(minutes=56), "about once an hour"),
    case("two hours", timedelta(minutes=95), "about every 2 hours"),
    case("six hours", timedelta(hours=6, minutes=20), "about every 6 hours"),
    case("nearly a day", timedelta(hours=20), "about once a day"),
    case("a day", timedelta(hours=25), "about once a day"),
    case("two days", timedelta(hours=50), "about every 2 days"),
    case("a week", timedelta(days=7), "about once a week"),
    case("a month", timedelta(days=30), "about every 30 days"),
)
def test_a_wait_is_said_in_minutes_hours_or_days(wait: timedelta, words: str) -> None:
    assert WORDS.every(wait, DueReason.ADAPTIVE) == words


def test_a_wait_for_a_reason_of_the_moment_says_nothing_about_how_often() -> None:
    momentary = {reason for reason in DueReason if WORDS.every(timedelta(hours=1), reason) is None}

    assert momentary == {
        *(DueReason.PATTERN, DueReason.EXPIRES, DueReason.SKIP, DueReason.BACKOFF),
        *(DueReason.RETRY_AFTER, DueReason.THROTTLED, DueReason.FORBIDDEN, DueReason.NOT_FOUND),
        *(
            DueReason.REJECTED,
            DueReason.RELEASE,
            DueReason.HOST,
            DueReason.OUTAGE,
            DueReason.GIVEN_UP,
            DueReason.MERGED,
        ),
    }


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (None, None),
        (0, None),
        (1, "1 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (9_949, "9.9 kB"),
        (9_950, "10 kB"),
        (999_499, "999 kB"),
        (999_500, "1 MB"),
        (34_200_000, "34 MB"),
        (1_250_000_000, "1.2 GB"),
        (5 * 10**15, "5,000 TB"),
    ],
)
def test_a_size_is_told_in_decimal_units(length: int | None, expected: str | None) -> None:
    assert WORDS.size(length) == expected


@cases(
    "text, name, expected",
    case("both to the right", "All of {name}", "C++!", "All of C++!"),
    case("a name to the left", "All of {name}", "مدونة", "All of \u2068مدونة\u2069"),
    case("both to the left", "כל {name}", "מה?", "כל מה?"),
    case("a name to the right", "كل {name}", "C++!", "كل \u2068C++!\u2069"),
    case("a number", "كل {name}", "2026", "كل 2026"),
    case("Japanese", "{name}の記事", "Blog", "Blogの記事"),
    case("braces", "All of {name}", "{0} {name}", "All of {0} {name}"),
)
def test_a_name_that_runs_the_other_way_is_kept_apart(text: str, name: str, expected: str) -> None:
    assert Phrase(text)(name) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "ltr"),
        ("ja", "ltr"),
        ("ar", "rtl"),
        ("AR-eg", "rtl"),
        ("he", "rtl"),
        ("fa-IR", "rtl"),
        ("ur", "rtl"),
        pytest.param("az-Arab-IR", "rtl", id="a script that is not the usual one"),
        pytest.param("ar-Latn", "ltr", id="Arabic in Latin letters"),
        pytest.param("ku-Arab", "rtl", id="a script that CLDR has no dates for"),
        pytest.param("pa-PK", "rtl", id="a country that uses another script"),
        pytest.param("ar-x-mine", "rtl", id="four letters of one's own are no script"),
        pytest.param("xx", "ltr", id="nothing is known"),
        pytest.param("de-1996", "ltr", id="four digits are no script"),
    ],
)
def test_a_language_runs_in_the_direction_of_its_script(language: str, expected: str) -> None:
    assert direction(language) == expected


def test_a_run_that_finds_nothing_new_loads_no_language(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("title: T\nfeeds: [feed.xml]\n")
    (tmp_path / "feed.xml").write_text(FEED)
    code = """
import sys
from planet.cli import main
main(["build", "--quiet"])
print("babel" in sys.modules)
"""

    runs = [python("-c", code, folder=tmp_path) for _ in range(2)]

    assert [(run.stdout, run.stderr) for run in runs] == [("True\n", ""), ("False\n", "")]
