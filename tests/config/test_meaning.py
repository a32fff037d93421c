"""What a config that is right means: every setting lands in Config."""

from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from planet.config import Cache, Config, Defaults, Fetch, Retention
from planet.config.kinds import parse_pattern
from planet.errors import Place
from planet.model import (
    ContentMode,
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
)
from planet.model.secrets import Secret
from tests.config.files import loaded

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
    links: {github: grace, Talks: "https://example.org/talks"}
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
  - bare.xml
subscriptions: [https://example.org/list.opml]
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

    config = replace(loaded(tmp_path, EVERYTHING), warnings=(), files=(), theme_place=None)

    assert config == Config(
        path=tmp_path / "config.yaml",
        title="A planet",
        link="https://planet.example.org/news/",
        description="About everything.",
        owner=Owner(name="Ada", email="ada@example.org", url="https://ada.example"),
        language="pt-BR",
        timezone=ZoneInfo("America/Sao_Paulo"),
        theme="classic",
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
        defaults=Defaults(
            content=ContentMode.TITLE,
            images=Images.NONE,
            future=Future.KEEP,
            new_feed_entries=None,
            policy=policy,
        ),
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
                    ProfileLink(name="github", url="https://github.com/grace"),
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
            Feed(
                key="bare.xml",
                url=(tmp_path / "bare.xml").as_uri(),
                slug="bare",
                content=ContentMode.TITLE,
                images=Images.NONE,
                future=Future.KEEP,
                new_feed_entries=None,
                policy=policy,
                place=Place(file=file, line=50, column=5),
            ),
        ),
        subscriptions=(
            Feed(
                key="https://example.org/list.opml",
                url="https://example.org/list.opml",
                slug="example-org-list-opml",
                content=ContentMode.TITLE,
                images=Images.NONE,
                future=Future.KEEP,
                new_feed_entries=None,
                policy=policy,
                place=Place(file=file, line=51, column=17),
            ),
        ),
    )


def test_what_is_not_said_has_its_default(tmp_path: Path) -> None:
    place = Place(file=str(tmp_path / "config.yaml"), line=2, column=9)

    config = loaded(tmp_path, "title: A planet\nfeeds: [https://example.org/]\n")

    assert config == Config(
        path=tmp_path / "config.yaml",
        files=(tmp_path / "config.yaml", tmp_path / "picks.yaml"),
        title="A planet",
        output=tmp_path / "public",
        state=tmp_path / "state",
        feeds=(
            Feed(
                key="https://example.org/",
                url="https://example.org/",
                slug="example-org",
                place=place,
            ),
        ),
    )


def test_a_theme_with_a_slash_or_a_dot_is_a_folder_beside_the_config(tmp_path: Path) -> None:
    config = loaded(tmp_path, "title: A\ntheme: ./mine\nfeeds: [f.xml]\n")

    assert config.theme == tmp_path / "mine"
