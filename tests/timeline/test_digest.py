"""What a digest tells, and when digests are made and editions come out."""

from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from planet.config import Config
from planet.config.settings import Site
from planet.model import (
    ContentMode,
    Digest,
    DigestItem,
    DigestSection,
    DigestTimes,
    Every,
    Filters,
    Pick,
    Post,
    Show,
    Timeline,
    Timetable,
)
from planet.timeline.digest import make_digest
from planet.timeline.edition import find_release
from planet.timeline.select import Search, select
from tests.builders import make_entry, make_feed, make_source
from tests.cases import case, cases

BERLIN = ZoneInfo("Europe/Berlin")
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
DUE = datetime(2026, 11, 20, 6, tzinfo=UTC)
"""Seven o'clock on a Friday in Berlin."""


def make_post(number: int = 1, source: str = "one", **changes: Any) -> Post:
    """A post that was seen and dated an hour before the digest was due."""
    when = changes.pop("when", DUE - HOUR)
    seen = changes.pop("seen", when)
    picked = changes.pop("picked", False)
    content = changes.pop("content", ContentMode.FULL)
    pick = Pick(feed=source, id=str(number), picked_at=when, title="?", show=Show(title="Show"))
    return Post(
        entry=make_entry(number, feed=source, first_seen=seen, **changes),
        source=make_source(source, content=content),
        uid=f"urn:{source}:{number}",
        when=when,
        day=when.date(),
        picked=pick if picked else None,
    )


def make_told(*posts: Post, **changes: Any) -> Digest:
    """The digest of the day before, which told these posts."""
    items = tuple(DigestItem(uid=post.uid, heading=post.entry.heading) for post in posts)
    digest = Digest(
        name="2026-11-19",
        due_at=DUE - DAY,
        made_at=DUE - DAY + HOUR,
        since=DUE - 2 * DAY,
        sections=(DigestSection(source="One", items=items),),
    )
    return replace(digest, **changes)


def composed(
    *posts: Post,
    last: Digest | None = None,
    times: DigestTimes | None = None,
    zone: ZoneInfo = BERLIN,
    now: datetime = DUE,
) -> Digest | None:
    times = replace(times or DigestTimes(), zone=zone)
    return make_digest(Timeline(posts), last, times=times, now=now)


def told(digest: Digest | None) -> list[str]:
    """The ids of what a digest tells, in its order."""
    sections = digest.sections if digest else ()
    return [item.uid for section in sections for item in section.items]


# When it is due


@pytest.mark.parametrize("weekday", tuple(Every)[1:])
def test_a_weekly_digest_is_due_on_its_day(weekday: Every) -> None:
    due = DigestTimes(every=weekday, zone=BERLIN).next(DUE)

    assert f"{due.astimezone(BERLIN):%A %H:%M}".lower() == f"{weekday} 07:00"
    assert DUE < due <= DUE + 7 * DAY


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

    assert digest is not None
    assert (digest.name, digest.due_at, digest.since) == ("2026-11-20", DUE, DUE - DAY)
    assert (digest.made_at, digest.count) == (now, 4)
    three, one, two = digest.sections
    assert (three.source, three.link) == ("Three", "https://three.example/")
    assert [item.uid for item in three.items] == ["urn:three:4"]
    assert one.items == (
        DigestItem(uid="urn:one:3", heading="New"),
        DigestItem(uid="urn:one:1", heading="Old", summary="About old."),
    )
    assert two.items[0].link == "https://two.example/2"


@cases(
    "said, heading, summary",
    case("title and summary", {"title": "T", "summary": "S"}, "T", "S"),
    case("a note", {"summary": "A few words"}, "", "A few words"),
    case(
        "a note of a source that is shown by its titles",
        {"summary": "A few words", "content": ContentMode.TITLE},
        "A few words",
        None,
    ),
    case(
        "a source that is shown by its titles",
        {"title": "T", "summary": "S", "content": ContentMode.TITLE},
        "T",
        None,
    ),
    case("nothing", {"id": "urn:x"}, "urn:x", None),
)
def test_a_post_is_told_in_brief(said: dict[str, Any], heading: str, summary: str | None) -> None:
    digest = composed(make_post(**said))

    assert digest is not None
    ((item,),) = (section.items for section in digest.sections)
    assert (item.heading, item.summary) == (heading, summary)


@cases(
    "post, is_told",
    case("came just before the last one", make_post(when=DUE - DAY + HOUR), False),
    case(
        "came just after the last one",
        make_post(when=DUE - DAY + HOUR, seen=DUE - DAY + HOUR + timedelta(microseconds=1)),
        True,
    ),
    case("is old, and new", make_post(when=DUE - 99 * DAY, seen=DUE - HOUR), True),
    case("came just now", make_post(seen=DUE), True),
    case("is of the future", make_post(seen=DUE - HOUR, when=DUE + HOUR), False),
    case("was of the future", make_post(seen=DUE - 9 * DAY, when=DUE - HOUR), True),
    case("is new in a new feed", make_post(rank=0), True),
    case("is a new feed's past", make_post(rank=0, when=DUE - 2 * DAY, seen=DUE - HOUR), False),
    case("was picked now, and seen before", make_post(picked=True, seen=DUE - 99 * DAY), True),
    case("was picked of a new feed", make_post(picked=True, rank=3, seen=DUE - 99 * DAY), True),
    case("was picked long ago", make_post(picked=True, when=DUE - 2 * DAY, seen=DUE - HOUR), False),
    case("is picked later", make_post(picked=True, when=DUE + HOUR, seen=DUE), False),
    case(
        "was picked before the last one, which did not know",
        make_post(picked=True, when=DUE - DAY, seen=DUE - DAY),
        True,
    ),
)
def test_a_post_is_told_that_came_since_the_last_digest(post: Post, is_told: bool) -> None:
    other = make_post(99, "other")

    digest = composed(post, other, last=make_told())

    assert (post.uid in told(digest)) == is_told
    assert other.uid in told(digest)


@cases("picked", case("picked", True), case("from another source now", False))
def test_what_the_last_one_told_is_not_told_again(picked: bool) -> None:
    when = DUE - DAY if picked else DUE - HOUR
    post = make_post(picked=picked, when=when)

    digest = composed(post, make_post(2), last=make_told(post))

    assert told(digest) == ["urn:one:2"]


def test_what_was_told_is_told_again_when_it_is_picked() -> None:
    post = make_post(picked=True)

    assert told(composed(post, last=make_told(post))) == [post.uid]


def test_the_first_of_all_tells_one_period() -> None:
    posts = [make_post(number, when=DUE - number * DAY + HOUR) for number in range(1, 10)]
    times = DigestTimes(every=Every.FRIDAY)

    daily, weekly = composed(*posts), composed(*posts, times=times)

    assert told(daily) == ["urn:one:1"]
    assert told(weekly) == [f"urn:one:{number}" for number in range(1, 8)]


# When it is made


def test_a_digest_with_nothing_to_tell_is_not_made() -> None:
    assert composed(last=make_told()) is None
    assert composed(make_post(when=DUE - 2 * DAY), last=make_told()) is None


@cases(
    "times, zone",
    case("another time of day", DigestTimes(at=time(9)), "Europe/Berlin"),
    case(
        "another period",
        DigestTimes(every=Every.FRIDAY, at=time(8)),
        "Europe/Berlin",
    ),
    case("a zone where it is dark", DigestTimes(at=time(0, 30)), "America/New_York"),
    case("a zone where it is yesterday", DigestTimes(at=time(23, 59)), "America/New_York"),
)
def test_no_two_digests_have_one_name_when_times_are_changed(times: DigestTimes, zone: str) -> None:
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


# An edition that comes out at times, over a year of hours: what it shows, and since when

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
ZONES = ["Europe/Berlin", "Australia/Lord_Howe", "America/Santiago"]


def make_config(release: Timetable | None) -> Config:
    folder = Path("public")
    return Config(
        path=Path("config.yaml"),
        title="P",
        output=folder,
        state=Path("state"),
        site=Site(name="calm", release=release),
    )


def shown(found: dict[int, datetime], moment: datetime) -> list[int]:
    """Which of these entries, found at these times, are shown."""
    entries = [make_entry(number, first_seen=at) for number, at in found.items()]
    decisions = select(
        entries,
        {"one": make_feed(new_feed_entries=None)},
        planet=Filters(),
        search=Search({}, lambda numbers: {}),
        now=moment,
        released=moment,
    )
    return [decision.entry.number for decision in decisions if decision.kept]


@pytest.mark.parametrize("comes_out", [Every.DAY, Every.SUNDAY])
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("every", [1, 5, 60], ids=["hourly", "every five hours", "every 60 hours"])
def test_each_entry_comes_out_with_the_first_run_after_its_release(
    zone: str, comes_out: Every, every: int
) -> None:
    chance = Random(zone)
    timetable = Timetable(at=time(0), every=comes_out, zone=ZoneInfo(zone))
    config = make_config(timetable)
    last = NEW_YEAR
    found: dict[int, datetime] = {}
    hidden: dict[int, datetime] = {}
    came_out: dict[int, datetime] = {}

    for number in range(1, 365 * 24, every):
        now = NEW_YEAR + number * HOUR + chance.random() * HOUR
        moment = find_release(config, last, now)
        assert moment is not None
        if moment != last:
            last = moment
            for each in shown(hidden, moment):
                came_out[each] = now
                del hidden[each]
        # What this run finds is stored after a release that is due, and waits for the next one.
        if chance.random() < 0.05 * every:
            found[number] = hidden[number] = now

    late = timedelta(hours=every + 1)
    assert came_out
    for each, at in came_out.items():
        due = timetable.next(found[each])
        assert due <= at < due + late


def test_an_edition_that_shows_everything_at_once_has_no_such_moment() -> None:
    assert find_release(make_config(None), NEW_YEAR, NEW_YEAR) is None


def test_an_edition_of_the_future_shows_the_present() -> None:
    config = make_config(Timetable(at=time(0), zone=ZoneInfo("UTC")))

    assert find_release(config, NEW_YEAR + 9 * HOUR, NEW_YEAR) == NEW_YEAR
