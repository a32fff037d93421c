"""What a digest tells, and when it is made."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from random import Random
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest

from planet.model import (
    ContentMode,
    Digest,
    DigestItem,
    DigestSection,
    DigestTimes,
    Every,
    Pick,
    Post,
    Show,
    Weekday,
)
from planet.timeline.digest import compose, timetable
from tests.builders import make_entry, make_source
from tests.timelines import Listed

if TYPE_CHECKING:
    from collections.abc import Iterator

BERLIN = ZoneInfo("Europe/Berlin")
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
DUE = datetime(2026, 11, 20, 6, tzinfo=UTC)
"""Seven o'clock on a Friday in Berlin."""
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
ZONES = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "Pacific/Apia",
]


def make_post(number: int = 1, source: str = "one", **said: Any) -> Post:
    """A post that was seen and dated an hour before the digest was due."""
    when = said.pop("when", DUE - HOUR)
    seen = said.pop("seen", when)
    picked = said.pop("picked", False)
    content = said.pop("content", ContentMode.FULL)
    pick = Pick(feed=source, id=str(number), picked_at=when, show=Show(title="Show"))
    return Post(
        entry=make_entry(number, feed=source, first_seen=seen, **said),
        source=make_source(source, content=content),
        uid=f"urn:{source}:{number}",
        when=when,
        day=when.date(),
        picked=pick if picked else None,
    )


def make_told(*posts: Post, **said: Any) -> Digest:
    """The digest of the day before, which told these posts."""
    items = tuple(DigestItem(uid=post.uid, heading=post.entry.heading) for post in posts)
    digest = Digest(
        name="2026-11-19",
        due_at=DUE - DAY,
        made_at=DUE - DAY + HOUR,
        since=DUE - 2 * DAY,
        sections=(DigestSection(source="One", items=items),),
    )
    return replace(digest, **said)


def composed(
    *posts: Post,
    last: Digest | None = None,
    times: DigestTimes | None = None,
    zone: ZoneInfo = BERLIN,
    now: datetime = DUE,
) -> Digest | None:
    newest_first = sorted(posts, key=lambda post: post.when, reverse=True)
    timeline = Listed(tuple(newest_first))
    return compose(timeline, last, times=times or DigestTimes(), zone=zone, now=now)


def told(digest: Digest | None) -> list[str]:
    """The ids of what a digest tells, in its order."""
    sections = digest.sections if digest else ()
    return [item.uid for section in sections for item in section.items]


def utc(said: str) -> datetime:
    return datetime.fromisoformat(said).replace(tzinfo=UTC)


# When it is due


@pytest.mark.parametrize(
    ("times", "zone", "now", "last", "following"),
    [
        pytest.param(
            DigestTimes(),
            "Europe/Berlin",
            "2026-11-20 12:00",
            "2026-11-20 06:00",
            "2026-11-21 06:00",
            id="in the morning, asked at noon",
        ),
        pytest.param(
            DigestTimes(),
            "Europe/Berlin",
            "2026-11-20 05:59",
            "2026-11-19 06:00",
            "2026-11-20 06:00",
            id="in the morning, asked a minute before",
        ),
        pytest.param(
            DigestTimes(),
            "Europe/Berlin",
            "2026-11-20 06:00",
            "2026-11-20 06:00",
            "2026-11-21 06:00",
            id="in the morning, asked at that moment",
        ),
        pytest.param(
            DigestTimes(every=Every.WEEK, weekday=Weekday.SUNDAY, at=time(23, 30)),
            "America/New_York",
            "2026-11-20 12:00",
            "2026-11-16 04:30",
            "2026-11-23 04:30",
            id="once a week, where that day is the next in UTC",
        ),
        pytest.param(
            DigestTimes(every=Every.WEEK, weekday=Weekday.FRIDAY, at=time(7)),
            "Pacific/Apia",
            "2026-11-19 17:59",
            "2026-11-12 18:00",
            "2026-11-19 18:00",
            id="once a week, where that day is the one before in UTC",
        ),
        pytest.param(
            DigestTimes(at=time(2, 30)),
            "Europe/Berlin",
            "2026-03-29 12:00",
            "2026-03-29 01:00",
            "2026-03-30 00:30",
            id="at a time that clocks leave out",
        ),
        pytest.param(
            DigestTimes(at=time(2, 0)),
            "Europe/Berlin",
            "2026-03-29 12:00",
            "2026-03-29 01:00",
            "2026-03-30 00:00",
            id="at the first moment that clocks leave out",
        ),
        pytest.param(
            DigestTimes(at=time(3, 0)),
            "Europe/Berlin",
            "2026-03-29 12:00",
            "2026-03-29 01:00",
            "2026-03-30 01:00",
            id="at the first moment that they do not",
        ),
        pytest.param(
            DigestTimes(at=time(2, 10)),
            "Australia/Lord_Howe",
            "2026-10-03 20:00",
            "2026-10-03 15:30",
            "2026-10-04 15:10",
            id="at a time that clocks leave out, who move by half an hour",
        ),
        pytest.param(
            DigestTimes(),
            "Pacific/Apia",
            "2011-12-30 10:00",
            "2011-12-30 10:00",
            "2011-12-30 17:00",
            id="on a day that the calendar leaves out",
        ),
        pytest.param(
            DigestTimes(at=time(2, 30)),
            "Europe/Berlin",
            "2026-10-25 01:00",
            "2026-10-25 00:30",
            "2026-10-26 01:30",
            id="at a time that comes twice",
        ),
        pytest.param(
            DigestTimes(at=time(0, 0)),
            "Asia/Kolkata",
            "2026-11-19 18:30",
            "2026-11-19 18:30",
            "2026-11-20 18:30",
            id="at midnight",
        ),
    ],
)
def test_a_digest_is_due(
    times: DigestTimes, zone: str, now: str, last: str, following: str
) -> None:
    found = (
        timetable(times, ZoneInfo(zone)).last(utc(now)),
        timetable(times, ZoneInfo(zone)).next(utc(now)),
    )

    assert found == (utc(last), utc(following))
    assert {moment.tzinfo for moment in found} == {UTC}


@pytest.mark.parametrize("weekday", Weekday)
def test_a_weekly_digest_is_due_on_its_day(weekday: Weekday) -> None:
    due = timetable(DigestTimes(every=Every.WEEK, weekday=weekday), BERLIN).next(DUE)

    assert f"{due.astimezone(BERLIN):%A %H:%M}".lower() == f"{weekday} 07:00"
    assert DUE < due <= DUE + 7 * DAY


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("every", Every)
def test_each_moment_lies_between_the_last_due_and_the_next(zone: str, every: Every) -> None:
    chance = Random(zone)
    for _ in range(300):
        times = DigestTimes(every=every, at=time(chance.randrange(24), chance.randrange(60)))
        now = NEW_YEAR + chance.random() * 365 * DAY
        last = timetable(times, ZoneInfo(zone)).last(now)
        following = timetable(times, ZoneInfo(zone)).next(now)

        assert last <= now < following
        assert timetable(times, ZoneInfo(zone)).last(following) == following
        assert timetable(times, ZoneInfo(zone)).next(last) == following
        days = 7 if every is Every.WEEK else 1
        assert abs(following - last - days * DAY) <= HOUR


# What it tells


def test_a_digest_tells_what_came_by_source_the_newest_first() -> None:
    now = DUE + 2 * HOUR
    posts = [
        make_post(1, "one", when=DUE - 5 * HOUR, title="Old", summary="About old."),
        make_post(2, "two", when=DUE - 4 * HOUR, title="Two", link="https://two.example/2"),
        make_post(3, "one", when=DUE - 3 * HOUR, title="New"),
        make_post(4, "three", when=DUE + HOUR, title="Late"),
    ]

    digest = composed(*posts, now=now)

    assert digest == Digest(
        name="2026-11-20",
        due_at=DUE,
        made_at=now,
        since=DUE - DAY,
        sections=(
            DigestSection(
                source="Three",
                link="https://three.example/",
                items=(DigestItem(uid="urn:three:4", heading="Late"),),
            ),
            DigestSection(
                source="One",
                link="https://one.example/",
                items=(
                    DigestItem(uid="urn:one:3", heading="New"),
                    DigestItem(uid="urn:one:1", heading="Old", summary="About old."),
                ),
            ),
            DigestSection(
                source="Two",
                link="https://two.example/",
                items=(DigestItem(uid="urn:two:2", heading="Two", link="https://two.example/2"),),
            ),
        ),
    )
    assert digest.count == 4


@pytest.mark.parametrize(
    ("said", "heading", "summary"),
    [
        pytest.param({"title": "T", "summary": "S"}, "T", "S", id="title and summary"),
        pytest.param({"summary": "A few words"}, "A few words", None, id="few words only"),
        pytest.param(
            {"summary": "a b c d e f g h i j k l m"},
            "a b c d e f g h i j k l…",
            "a b c d e f g h i j k l m",
            id="more words than a heading has",
        ),
        pytest.param(
            {"title": "T", "summary": "S", "content": ContentMode.SUMMARY},
            "T",
            "S",
            id="a source that is shown in summary",
        ),
        pytest.param(
            {"title": "T", "summary": "S", "content": ContentMode.TITLE},
            "T",
            None,
            id="a source that is shown by its titles",
        ),
        pytest.param({"id": "urn:x"}, "urn:x", None, id="nothing"),
    ],
)
def test_a_post_is_told_with(said: dict[str, Any], heading: str, summary: str | None) -> None:
    digest = composed(make_post(**said))

    assert digest is not None
    ((item,),) = (section.items for section in digest.sections)
    assert (item.heading, item.summary) == (heading, summary)


@pytest.mark.parametrize(
    ("post", "is_told"),
    [
        pytest.param(make_post(when=DUE - DAY + HOUR), False, id="came just before the last one"),
        pytest.param(
            make_post(when=DUE - DAY + HOUR, seen=DUE - DAY + HOUR + timedelta(microseconds=1)),
            True,
            id="came just after the last one",
        ),
        pytest.param(make_post(when=DUE - 99 * DAY, seen=DUE - HOUR), True, id="is old, and new"),
        pytest.param(make_post(seen=DUE), True, id="came just now"),
        pytest.param(make_post(seen=DUE - HOUR, when=DUE + HOUR), False, id="is of the future"),
        pytest.param(make_post(rank=0), True, id="is new in a new feed"),
        pytest.param(
            make_post(rank=0, when=DUE - 2 * DAY, seen=DUE - HOUR), False, id="is a new feed's past"
        ),
        pytest.param(
            make_post(picked=True, seen=DUE - 99 * DAY), True, id="was picked now, and seen before"
        ),
        pytest.param(
            make_post(picked=True, rank=3, seen=DUE - 99 * DAY), True, id="was picked of a new feed"
        ),
        pytest.param(
            make_post(picked=True, when=DUE - 2 * DAY, seen=DUE - HOUR),
            False,
            id="was picked long ago",
        ),
        pytest.param(
            make_post(picked=True, when=DUE + HOUR, seen=DUE), False, id="is picked later"
        ),
        pytest.param(
            make_post(picked=True, when=DUE - DAY, seen=DUE - DAY),
            True,
            id="was picked before the last one, which did not know",
        ),
    ],
)
def test_a_post_is_told_or_not_that(post: Post, is_told: bool) -> None:
    other = make_post(99, "other")

    digest = composed(post, other, last=make_told())

    assert (post.uid in told(digest)) == is_told
    assert other.uid in told(digest)


@pytest.mark.parametrize(
    "picked", [pytest.param(True, id="picked"), pytest.param(False, id="from another source now")]
)
def test_what_the_last_one_told_is_not_told_again(picked: bool) -> None:
    when = DUE - DAY if picked else DUE - HOUR
    post = make_post(picked=picked, when=when)

    digest = composed(post, make_post(2), last=make_told(post))

    assert told(digest) == ["urn:one:2"]


def test_what_was_told_is_told_again_when_it_is_picked() -> None:
    post = make_post(picked=True)

    assert told(composed(post, last=make_told(post))) == [post.uid]


def test_what_was_dated_in_the_future_is_told_when_that_has_come() -> None:
    post = make_post(seen=DUE - 9 * DAY, when=DUE - HOUR)

    assert told(composed(post, last=make_told())) == [post.uid]


def test_the_first_of_all_tells_one_period() -> None:
    posts = [make_post(number, when=DUE - number * DAY + HOUR) for number in range(1, 10)]
    times = DigestTimes(every=Every.WEEK, weekday=Weekday.FRIDAY)

    daily, weekly = composed(*posts), composed(*posts, times=times)

    assert told(daily) == ["urn:one:1"]
    assert told(weekly) == [f"urn:one:{number}" for number in range(1, 8)]


# When it is made


def test_a_digest_is_made_once() -> None:
    first = composed(make_post(1))

    again = composed(make_post(1), make_post(2, when=DUE + HOUR), last=first, now=DUE + 2 * HOUR)

    assert first is not None
    assert again is None


def test_a_digest_with_nothing_to_tell_is_not_made() -> None:
    assert composed(last=make_told()) is None
    assert composed(make_post(when=DUE - 2 * DAY), last=make_told()) is None


def test_what_was_posted_later_waits_for_the_next_one() -> None:
    post = make_post(when=DUE + 3 * HOUR)

    assert composed(post, last=make_told(), now=DUE + 4 * HOUR) is None
    assert told(composed(post, last=make_told(), now=DUE + DAY)) == [post.uid]


def test_days_without_a_run_have_one_digest() -> None:
    posts = [
        make_post(number, seen=DUE + 5 * DAY, when=DUE + number * DAY) for number in range(1, 6)
    ]

    digest = composed(*posts, last=make_told(), now=DUE + 5 * DAY + HOUR)

    assert digest is not None
    assert (digest.name, digest.count) == ("2026-11-25", 5)


@pytest.mark.parametrize(
    ("times", "zone"),
    [
        pytest.param(DigestTimes(at=time(9)), "Europe/Berlin", id="another time of day"),
        pytest.param(
            DigestTimes(every=Every.WEEK, weekday=Weekday.FRIDAY, at=time(8)),
            "Europe/Berlin",
            id="another period",
        ),
        pytest.param(DigestTimes(at=time(0, 30)), "America/New_York", id="a zone where it is dark"),
        pytest.param(
            DigestTimes(at=time(23, 59)), "America/New_York", id="a zone where it is yesterday"
        ),
    ],
)
def test_no_two_digests_have_one_name_when_there_is(times: DigestTimes, zone: str) -> None:
    made = composed(make_post(1))
    post = make_post(2, when=DUE + timedelta(minutes=1))
    before, after = DUE + 3 * HOUR, DUE + 9 * DAY
    there = ZoneInfo(zone)

    early = composed(post, last=made, times=times, zone=there, now=before)
    later = composed(post, last=made, times=times, zone=there, now=after)

    assert made is not None
    assert early is None
    assert told(later) == [post.uid]
    assert later is not None
    assert later.name > made.name


def a_year(chance: Random) -> Iterator[tuple[datetime, list[Post]]]:
    """Runs minutes, hours or days apart, each with what it knows, newest first."""
    dates = sorted(NEW_YEAR + chance.random() * 365 * DAY for _ in range(200))
    waits = (timedelta(minutes=15), HOUR, 9 * HOUR, 3 * DAY)
    now, known = NEW_YEAR, list[Post]()
    while now < NEW_YEAR + 367 * DAY:
        now += chance.choice(waits) * (0.1 + chance.random())
        while dates and dates[0] <= now:
            known.insert(0, make_post(len(known) + 1, when=dates.pop(0), seen=now))
        yield now, known
    # Nothing is posted any more, and the last one tells the rest.
    yield NEW_YEAR + 400 * DAY, known


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    "changes",
    [
        pytest.param((DigestTimes(),), id="daily"),
        pytest.param((DigestTimes(every=Every.WEEK),), id="weekly"),
        pytest.param(
            (
                DigestTimes(at=time(2, 15)),
                DigestTimes(every=Every.WEEK, at=time(23, 45), weekday=Weekday.SUNDAY),
                DigestTimes(at=time(0)),
            ),
            id="as the operator likes it today",
        ),
    ],
)
def test_in_a_year_each_post_is_told_once_and_no_digest_comes_early_or_twice(
    changes: tuple[DigestTimes, ...], zone: str
) -> None:
    there = ZoneInfo(zone)
    digests: list[Digest] = []
    due: list[datetime] = []

    for now, posts in a_year(Random(zone)):
        times = changes[min((now - NEW_YEAR) // (60 * DAY), len(changes) - 1)]
        last = digests[-1] if digests else None
        if made := compose(Listed(tuple(posts)), last, times=times, zone=there, now=now):
            digests.append(made)
            due.append(timetable(times, there).last(now))

    new = [post.uid for post in posts if post.entry.first_seen > digests[0].since]
    assert len(new) > 190
    assert sorted(uid for digest in digests for uid in told(digest)) == sorted(new)
    assert [digest.due_at for digest in digests] == due
    assert all(digest.due_at <= digest.made_at for digest in digests)
    names = [f"{moment.astimezone(there):%Y-%m-%d}" for moment in due]
    assert [digest.name for digest in digests] == names == sorted(set(names))
