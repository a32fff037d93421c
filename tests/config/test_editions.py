"""Several editions in one config: what each is made from, and what cannot be meant."""

from datetime import time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from planet.config import set_releases
from planet.model import Timetable, Weekday
from tests.cases import case, cases
from tests.config.files import complained, complaints, loaded

HEAD = """\
title: P
link: https://p.example/
timezone: Europe/Berlin
feeds:
  - {url: https://one.example/feed, name: One, tags: [a]}
  - {url: https://two.example/feed, id: two, tags: [b]}
"""
BERLIN, TOKYO = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Tokyo")


def with_editions(*editions: str) -> str:
    return "\n".join([HEAD + "editions:", *(f"  {edition}" for edition in editions), ""])


def test_without_editions_there_is_the_planet_itself(tmp_path: Path) -> None:
    config = loaded(tmp_path, HEAD)

    assert config.sites == (config,)


def test_an_edition_has_what_it_does_not_say_from_the_planet(tmp_path: Path) -> None:
    first, second = loaded(
        tmp_path, with_editions("all: {folder: .}", "calm: {title: Calm, tags: a}")
    ).sites

    assert (first.title, first.link, first.output) == (
        "P",
        "https://p.example/",
        tmp_path / "public",
    )
    assert [feed.key for feed in first.feeds] == ["https://one.example/feed", "two"]
    assert (second.title, second.link) == ("Calm", "https://p.example/calm/")
    assert (second.timezone, second.output) == (BERLIN, tmp_path / "public" / "calm")
    assert [feed.name for feed in second.feeds] == ["One"]


@pytest.mark.parametrize("named", ["One", "https://one.example/feed", "one"])
def test_a_feed_is_named_by_name_address_or_folder(tmp_path: Path, named: str) -> None:
    first, _ = loaded(tmp_path, with_editions(f"x: {{feeds: '{named}'}}", "y: {}")).sites

    assert [feed.name for feed in first.feeds] == ["One"]


@cases(
    "release, expected",
    case("midnight, every day", "{}", Timetable(at=time(0), zone=BERLIN)),
    case(
        "on mondays",
        "{every: monday, at: 09:30}",
        Timetable(at=time(9, 30), days=(Weekday.MONDAY,), zone=BERLIN),
    ),
)
def test_a_release_is_at_the_hours_and_on_the_days_that_are_given(
    tmp_path: Path, release: str, expected: Timetable
) -> None:
    (site,) = loaded(tmp_path, with_editions(f"calm: {{release: {release}}}")).sites

    assert site.site.release == expected


def test_a_release_is_in_the_zone_of_its_edition(tmp_path: Path) -> None:
    (site,) = loaded(tmp_path, with_editions("calm: {release: {}, timezone: Asia/Tokyo}")).sites

    assert site.site.release == Timetable(at=time(0), zone=TOKYO)


def test_a_feed_knows_when_it_is_wanted_where_nobody_wants_it_at_once(tmp_path: Path) -> None:
    config = loaded(
        tmp_path,
        with_editions("now: {feeds: two}", "calm: {release: {}}", "week: {tags: a, release: {}}"),
    )

    releases = [feed.policy.releases for feed in set_releases(config, config.feeds)]

    assert releases == [(Timetable(at=time(0), zone=BERLIN),), ()]


@complained(
    "editions, said",
    """
a: {folder: x}
b: {folder: x/}
    9:15  editions.b is in the same folder as editions.a; give it another `folder`
a: {feeds: [Ona]}
b: {}
    8:15  editions.a.feeds[0] is no name, id or address of a feed; did you mean "One"?
a: {tags: [c, a]}
b: {}
    8:14  editions.a.tags[0] is no tag of a feed
all: {folder: .}
tag: {}
    9:8  editions.tag cannot be in the folder "tag", which has pages of another edition
all: {folder: .}
x: {folder: source/one}
    9:15  editions.x cannot be in the folder "source", which has pages of another edition
b: {}
x: {folder: b/2026/11}
    9:15  editions.x cannot be in the folder "2026", which has pages of another edition
a: {tags: a}
    6:5  feeds[1] is shown by no edition; name it in one, or take it out (`enabled: false`)
a: {folder: ../state}
    8:15  editions.a.folder must be a folder within the output folder, which `.` is itself
a: {folder: x/../..}
    8:15  editions.a.folder must be a folder within the output folder, which `.` is itself
a: {folder: /srv/www}
    8:15  editions.a.folder must be a folder within the output folder, which `.` is itself
a: {folder: //srv/www}
    8:15  editions.a.folder must be a folder within the output folder, which `.` is itself
A b: {}
    8:8  editions["A b"] must be made of a-z, 0-9 and "-", at most 60 characters, such as
    "road-trips"
a: {relaese: {}}
    8:7  editions.a has no setting "relaese"; did you mean "release"?
a: {release: {days: [mon]}}
    8:17  editions.a.release has no setting "days"; write the day as "every: friday"
""",
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, editions: str, said: str) -> None:
    assert complaints(tmp_path, with_editions(*editions.splitlines())) == [said]


def test_an_edition_does_not_lie_in_the_own_files_of_the_site(tmp_path: Path) -> None:
    text = with_editions("a: {folder: templates}") + "output: .\nstate: ../state\n"

    assert complaints(tmp_path, text) == [
        "8:15  the folder of a must not lie in templates/, where the site's own files are"
    ]


def test_what_feeds_with_a_tag_share_is_written_once_and_their_own_goes_before(
    tmp_path: Path,
) -> None:
    (tmp_path / "list.opml").write_text(
        '<opml><outline text="science"><outline xmlUrl="https://four.example/"/></outline></opml>'
    )

    config = loaded(
        tmp_path,
        """\
title: A planet
tags:
  science: {content: title, filters: {recent: 5, languages: en}, fetch: {min_interval: 3h}}
  long: {content: summary, filters: {recent: 9, max_age: 2d}}
feeds:
  - {url: https://one.example/, tags: [science, long]}
  - {url: https://two.example/, tags: science, content: full, filters: {recent: 1}}
  - https://three.example/
subscriptions: [list.opml]
""",
    )

    assert [
        (feed.content, feed.filters.recent, feed.filters.languages, feed.filters.max_age)
        for feed in config.feeds
    ] == [
        ("title", 5, ("en",), timedelta(days=2)),
        ("full", 1, ("en",), None),
        ("full", None, (), None),
        ("title", 5, ("en",), None),
    ]
    assert [feed.policy.min_interval.seconds // 3600 for feed in config.feeds] == [3, 3, 1, 3]
