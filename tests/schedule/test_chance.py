"""What is left to chance."""

from collections import Counter

from planet.schedule.waits import stable_fraction
from tests.builders import NOW
from tests.schedule.states import MINUTE


def test_chance_is_spread_evenly_over_feeds_and_moments() -> None:
    by_feed = [stable_fraction(f"https://{n}.example/", NOW, "jitter") for n in range(5000)]
    by_moment = [stable_fraction("one", NOW + n * MINUTE, "jitter") for n in range(5000)]

    for drawn in (by_feed, by_moment):
        tenths = Counter(int(each * 10) for each in drawn)
        assert sorted(tenths) == list(range(10))
        assert all(400 < count < 600 for count in tenths.values())


def test_chance_can_be_repeated_but_differs_by_feed_moment_and_purpose() -> None:
    drawn = [
        stable_fraction("one", NOW, "jitter"),
        stable_fraction("two", NOW, "jitter"),
        stable_fraction("one", NOW + MINUTE, "jitter"),
        stable_fraction("one", NOW, "skip"),
    ]

    assert drawn[0] == stable_fraction("one", NOW, "jitter")
    assert len(set(drawn)) == 4
