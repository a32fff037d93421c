"""How the pages say how a feed is asked for."""

from __future__ import annotations

from datetime import timedelta

import pytest

from planet.model import DueReason, GivenUp
from planet.render.words import Words


@pytest.mark.parametrize(
    ("wait", "words"),
    [
        pytest.param(timedelta(minutes=10, seconds=40), "about every 11 minutes", id="minutes"),
        pytest.param(timedelta(minutes=54), "about every 54 minutes", id="nearly an hour"),
        pytest.param(timedelta(minutes=56), "about once an hour", id="an hour"),
        pytest.param(timedelta(minutes=95), "about every 2 hours", id="two hours"),
        pytest.param(timedelta(hours=6, minutes=20), "about every 6 hours", id="six hours"),
        pytest.param(timedelta(hours=20), "about once a day", id="nearly a day"),
        pytest.param(timedelta(hours=25), "about once a day", id="a day"),
        pytest.param(timedelta(hours=50), "about every 2 days", id="two days"),
        pytest.param(timedelta(days=7), "about once a week", id="a week"),
        pytest.param(timedelta(days=30), "about every 30 days", id="a month"),
    ],
)
def test_a_wait_is_said_as(wait: timedelta, words: str) -> None:
    assert Words.every(wait, DueReason.ADAPTIVE) == words


def test_a_wait_for_a_reason_of_the_moment_says_nothing_about_how_often() -> None:
    momentary = {reason for reason in DueReason if Words.every(timedelta(hours=1), reason) is None}

    assert momentary == {
        *(DueReason.PATTERN, DueReason.EXPIRES, DueReason.SKIP, DueReason.BACKOFF),
        *(DueReason.RETRY_AFTER, DueReason.THROTTLED, DueReason.FORBIDDEN, DueReason.NOT_FOUND),
        *(DueReason.REJECTED, DueReason.HOST, DueReason.OUTAGE, DueReason.GIVEN_UP),
    }


def test_there_are_words_for_every_reason() -> None:
    assert all(map(Words.because, DueReason))
    assert all(map(Words.why_given_up, GivenUp))
