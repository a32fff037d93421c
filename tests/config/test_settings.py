"""What a config that is right means: every setting lands in Config, and in each edition."""

from datetime import time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from planet.config import Cache, Config, Fetch, Retention, ThemeSettings
from planet.config.kinds import parse_pattern
from planet.errors import Place
from planet.model import (
    ContentMode,
    Every,
    Feed,
    FetchPolicy,
    Field,
    Filters,
    Future,
    Images,
    Owner,
    Pages,
    Pattern,
    ProfileLink,
    Timetable,
)
from planet.model.secrets import Secret
from tests.cases import case, cases
from tests.config.files import complained, complaints, loaded

EVERYTHING = """\
title: A  planet
link: https://planet.example.org/news
description: |
  About
  everything.
owner: {name: Ada, email: ada@example.org, url: https://ada.example}
language: pt-BR
timezone: America/Sao_Paulo
theme: classic
output: site
state: ../memory
fetch:
  workers: 5
  host_gap: 0s
  budget: 10m
  contact: https://planet.example.org/about
  min_interval: 30m
  max_interval: 2d
  agreed: true
  timeout: 90s
  max_size: 500kB
cache: {backend: redis, options: {host: localhost, port: 6379, decode: false}}
pages: {front: 1, feed: 2, source: 3, images: none, indexing: true}
filters: {exclude: [advert, {title: /spam/i, link: [a, b]}], max_age: 4w}
retention: {entries: 52w, content: 30d}
sanitizer: bleach
content: title
future: keep
new_feed_entries: all
feeds:
  - url: https://example.org/feed
    name: Example
    id: example
    tags: [a, b, a]
    link: https://example.org/
    author: Grace
    image: https://example.org/i.png
    language: en
    links: {GitHub: https://github.com/grace, Talks: "https://example.org/talks"}
    extra: {irc: grace}
    enabled: false
    priority: -2
    content: full
    images: linked
    new_feed_entries: 3
    filters: {include: one, languages: [en, de], recent: 5, random: 2}
    fetch: {min_interval: 3h, max_interval: 4h, agreed: false}
    headers: {X-Key: " k "}
    auth: {user: ada, password: pass word}
"""


def found(text: str, field: Field | None = None) -> Pattern:
    return Pattern(written=text, regex=parse_pattern(text).regex, field=field)


def test_every_setting_lands_in_the_config(tmp_path: Path) -> None:
    policy = FetchPolicy(
        min_interval=timedelta(minutes=30),
        max_interval=timedelta(days=2),
        agreed=True,
        timeout=timedelta(seconds=90),
        max_size=500_000,
    )
    file = str(tmp_path / "config.yaml")

    config = replace(loaded(tmp_path, EVERYTHING), warnings=(), files=())
    config = replace(config, theme=replace(config.theme, place=None))

    assert config == Config(
        path=tmp_path / "config.yaml",
        title="A planet",
        link="https://planet.example.org/news/",
        description="About everything.",
        owner=Owner(name="Ada", email="ada@example.org", url="https://ada.example"),
        language="pt-BR",
        timezone=ZoneInfo("America/Sao_Paulo"),
        theme=ThemeSettings(name="classic"),
        output=tmp_path / "site",
        state=tmp_path / "../memory",
        fetch=Fetch(
            workers=5,
            host_gap=timedelta(0),
            budget=timedelta(minutes=10),
            contact="https://planet.example.org/about",
            min_interval=policy.min_interval,
            max_interval=policy.max_interval,
            agreed=policy.agreed,
            timeout=policy.timeout,
            max_size=policy.max_size,
        ),
        cache=Cache(
            backend="redis",
            options={"host": Secret("localhost"), "port": Secret(6379), "decode": Secret(False)},
        ),
        pages=Pages(front=1, feed=2, source=3, images=Images.NONE, indexing=True),
        filters=Filters(
            exclude=(
                found("advert"),
                found("/spam/i", Field.TITLE),
                found("a", Field.LINK),
                found("b", Field.LINK),
            ),
            max_age=timedelta(weeks=4),
        ),
        retention=Retention(entries=timedelta(weeks=52), content=timedelta(days=30)),
        sanitizer="bleach",
        content=ContentMode.TITLE,
        future=Future.KEEP,
        new_feed_entries="all",
        policy=policy,
        feeds=(
            Feed(
                key="example",
                url="https://example.org/feed",
                slug="example",
                name="Example",
                tags=("a", "b"),
                link="https://example.org/",
                author="Grace",
                image="https://example.org/i.png",
                language="en",
                links=(
                    ProfileLink(name="GitHub", url="https://github.com/grace"),
                    ProfileLink(name="Talks", url="https://example.org/talks"),
                ),
                extra=(("irc", "grace"),),
                enabled=False,
                priority=-2,
                content=ContentMode.FULL,
                images=Images.LINKED,
                future=Future.KEEP,
                new_feed_entries=3,
                filters=Filters(
                    include=(found("one"),),
                    languages=("en", "de"),
                    recent=5,
                    random=2,
                ),
                policy=FetchPolicy(
                    min_interval=timedelta(hours=3),
                    max_interval=timedelta(hours=4),
                    agreed=False,
                    whole_interval=timedelta(hours=3),
                    timeout=timedelta(seconds=90),
                    max_size=500_000,
                    headers=(("X-Key", Secret("k")),),
                    auth=("ada", Secret("pass word")),
                ),
                place=Place(file=file, line=31, column=10),
            ),
        ),
    )


def test_a_theme_is_a_name_or_a_folder_perhaps_with_options(tmp_path: Path) -> None:
    head = "title: A\nfeeds: [f.xml]\ntheme:"

    plain = loaded(tmp_path, f"{head} classic\n").theme
    mine = loaded(tmp_path, f"{head} {{name: ./mine, options: {{size: 3, on: true}}}}\n").theme

    assert (plain.name, str(plain.place)) == ("classic", f"{tmp_path}/config.yaml:3:8")
    assert (mine.name, mine.options) == (tmp_path / "mine", {"size": 3, "on": True})


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


def test_an_edition_has_what_it_does_not_say_from_the_planet(tmp_path: Path) -> None:
    (planet,) = loaded(tmp_path, HEAD).sites
    first, second = loaded(
        tmp_path, with_editions("all: {folder: .}", "calm: {title: Calm, tags: a}")
    ).sites

    for name in ("title", "link", "output", "feeds"):
        assert getattr(first, name) == getattr(planet, name)
    assert (second.title, second.link) == ("Calm", "https://p.example/calm/")
    assert (second.timezone, second.output) == (BERLIN, tmp_path / "public" / "calm")
    assert [feed.name for feed in second.feeds] == ["One"]


@pytest.mark.parametrize("named", ["One", "https://one.example/feed", "one"])
def test_a_feed_is_named_by_name_address_or_folder(tmp_path: Path, named: str) -> None:
    first, _ = loaded(tmp_path, with_editions(f"x: {{feeds: '{named}'}}", "y: {}")).sites

    assert [feed.name for feed in first.feeds] == ["One"]


@cases(
    "edition, expected",
    case("in its zone", "release: {}, timezone: Asia/Tokyo", Timetable(at=time(0), zone=TOKYO)),
    case(
        "on mondays",
        "release: {every: monday, at: 09:30}",
        Timetable(at=time(9, 30), every=Every.MONDAY, zone=BERLIN),
    ),
)
def test_a_release_is_at_the_hour_and_on_the_day_that_is_given(
    tmp_path: Path, edition: str, expected: Timetable
) -> None:
    (site,) = loaded(tmp_path, with_editions(f"calm: {{{edition}}}")).sites

    assert site.site.release == expected


def test_a_feed_knows_when_it_is_wanted_where_nobody_wants_it_at_once(tmp_path: Path) -> None:
    config = loaded(
        tmp_path,
        with_editions("now: {feeds: two}", "calm: {release: {}}", "week: {tags: a, release: {}}"),
    )

    assert [feed.policy.releases for feed in config.feeds] == [
        (Timetable(at=time(0), zone=BERLIN),),
        (),
    ]


@complained(
    "editions, said",
    """
a: {folder: x}
b: {folder: x/}
    9:15  editions.b.folder must be a folder of its own within the output folder, which `.` is
    itself
a: {feeds: [Ona]}
b: {}
    8:15  editions.a.feeds[0] is no name, id or address of a feed; did you mean "One"?
a: {tags: [c, a]}
b: {}
    8:14  editions.a.tags[0] is no tag of a feed
a: {tags: a}
    6:5  feeds[1] is shown by no edition; name it in one, or take it out (`enabled: false`)
a: {folder: ../state}
    8:15  editions.a.folder must be a folder of its own within the output folder, which `.` is
    itself
A b: {}
    8:8  editions.A b must be made of a-z, 0-9 and "-", at most 60 characters, such as
    "road-trips"
""",
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, editions: str, said: str) -> None:
    assert complaints(tmp_path, with_editions(*editions.splitlines())) == [said]


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
