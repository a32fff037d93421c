"""Which posts are in which archive document, by the days on which they arrived."""

from datetime import UTC, date, datetime, timedelta

from planet.model import Arrivals
from planet.timeline.archive import ARCHIVED, IN_ONE, next_change, plan_archive
from tests.cases import case, cases

TODAY = date(2026, 11, 3)
NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)


def arrivals(**days: int) -> list[Arrivals]:
    """So many posts on each day, which is written as `nov_3`; the newest first."""
    return [
        Arrivals(datetime.strptime(f"{day}_2026", "%b_%d_%Y").date(), posts, f"of {day}")  # noqa: DTZ007
        for day, posts in days.items()
    ]


@cases(
    "days, names",
    case("nothing on nothing", arrivals(), []),
    case("no part for a day on which more may arrive", arrivals(nov_3=4), []),
    case("nor where nothing arrived since", arrivals(nov_1=4), []),
    case(
        "a part for each day before",
        arrivals(nov_3=1, nov_2=2, nov_1=3),
        ["2026-11-02", "2026-11-01"],
    ),
    case(
        "one for a month that is over",
        arrivals(nov_1=1, oct_31=2, oct_2=3, sep_1=4),
        ["2026-10", "2026-09"],
    ),
    case(
        "one for each of its days where it has many posts",
        arrivals(nov_1=1, oct_31=IN_ONE, oct_2=1),
        ["2026-10-31", "2026-10-02"],
    ),
    case(
        "several for a day with very many",
        arrivals(nov_3=1, nov_2=2 * IN_ONE + 1),
        ["2026-11-02", "2026-11-02-2", "2026-11-02-3"],
    ),
    case(
        "those that arrive last, of more than an archive holds",
        arrivals(nov_3=1, nov_2=ARCHIVED, nov_1=1),
        ["2026-11-02", *(f"2026-11-02-{part}" for part in range(2, ARCHIVED // IN_ONE + 1))],
    ),
    case(
        "a part for each day before today, where posts of the future are shown",
        arrivals(dec_24=1, nov_3=1, nov_2=1),
        ["2026-11-02"],
    ),
)
def test_the_archive_has(days: list[Arrivals], names: list[str]) -> None:
    assert [part.name for part in plan_archive(days, NOW)] == names


def test_parts_cover_every_post_that_arrived_before_the_last_day_once() -> None:
    days = arrivals(nov_3=7, nov_2=IN_ONE + 5, nov_1=1, oct_30=4, oct_1=2)

    parts = plan_archive(days, NOW)

    assert [(part.offset, part.posts) for part in parts] == [
        (0, IN_ONE),
        (IN_ONE, 5),
        (0, 1),
        (0, 6),
    ]
    assert [(f"{part.since:%m-%d}", f"{part.until:%m-%d}") for part in parts] == [
        ("11-02", "11-03"),
        ("11-02", "11-03"),
        ("11-01", "11-02"),
        ("10-01", "10-31"),
    ]


def test_time_alone_makes_a_part_only_where_posts_of_the_future_are_shown() -> None:
    midnight = datetime(2026, 11, 4, tzinfo=UTC)

    assert next_change([], NOW) is None
    assert next_change(arrivals(nov_3=1), NOW) is None
    assert next_change(arrivals(dec_24=1), NOW) == midnight
    assert next_change(arrivals(dec_24=1), midnight) == midnight + timedelta(days=1)
