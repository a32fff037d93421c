"""Short texts: monograms, cut headings, durations."""

from __future__ import annotations

import pytest

from planet.site.pages import present


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        pytest.param("Daring Fireball", "DF", id="two words"),
        pytest.param("one two three", "OT", id="the first two of three"),
        pytest.param("xkcd", "X", id="one word"),
        pytest.param("“Quoted” (and more)", "QA", id="signs before letters"),
        pytest.param("37 signals", "3", id="a number"),
        pytest.param("日々のコード", "日", id="no capitals"),
        pytest.param("مدونة البرمجة", "م", id="two words without capitals"),
        pytest.param("ßeta", "S", id="a capital of two letters"),
        pytest.param("—", "·", id="no letter"),
        pytest.param("", "·", id="empty"),
    ],
)
def test_a_monogram_is_made_of_initials(title: str, expected: str) -> None:
    assert present.monogram(title) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("short", "short", id="fits"),
        pytest.param("exactly ten", "exactly…", id="at the last blank"),
        pytest.param("said so, as ever", "said so…", id="no comma before the ellipsis"),
        pytest.param("unbreakableword", "unbreakabl…", id="no blank"),
        pytest.param("a unbreakableword", "a unbreaka…", id="a blank far from the end"),
    ],
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("novembre 2026", "Novembre 2026", id="French"),
        pytest.param("2026年11月", "2026年11月", id="Japanese"),
        pytest.param("ნოემბერი", "ნოემბერი", id="a script whose capitals begin nothing"),
        pytest.param("", "", id="empty"),
    ],
)
def test_a_heading_begins_with_a_capital(text: str, expected: str) -> None:
    assert present.headed(text) == expected
