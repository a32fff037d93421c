"""A page is made again when it would change, and only then."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from planet.model import (
    ContentMode,
    Edition,
    FeedHealth,
    File,
    Html,
    Linked,
    Owner,
    Pages,
    Picking,
    Post,
    Tag,
)
from planet.site.pages import Theme, load_theme, render
from tests.cases import case, cases
from tests.site.editions import (
    NOON,
    make_audio,
    make_digest,
    make_edition,
    make_post,
    make_source,
)

ONE, TWO = make_source("one"), make_source("two")
PLAYED = make_source("played", tags=("heard",))


@pytest.fixture(scope="module", params=["classic", "default"])
def theme(request: pytest.FixtureRequest) -> Theme:
    return load_theme(request.param)


def files(edition: Edition, theme: Theme, pages: Pages | None = None) -> dict[str, File]:
    digests = {post.entry.number: post.entry.digest for post in edition.timeline.posts()}

    def contents(numbers: Sequence[int]) -> Mapping[int, Html]:
        return {number: Html(f"<p>{digests[number]}</p>") for number in numbers}

    made = render(edition, theme=theme, pages=pages or Pages(), contents=contents)
    return {file.path: file for file in made}


def touched(before: Mapping[str, File], after: Mapping[str, File]) -> set[str]:
    """The paths of the pages that are new or have to be made again; all others are as they were."""
    paths = {
        path
        for path, file in after.items()
        if path not in before or before[path].fingerprint != file.fingerprint
    }
    kept = after.keys() - paths
    assert {path: after[path].make() for path in kept} == {
        path: before[path].make() for path in kept
    }
    return {path for path in paths if path.endswith(".html")}


def every_page(after: Mapping[str, File]) -> set[str]:
    return {path for path in after if path.endswith(".html")}


OLD = [
    make_post(1, ONE),
    make_post(2, TWO),
    make_post(3, TWO, when=datetime(2026, 9, 1, tzinfo=UTC)),
]
LISTS = {
    *("index.html", "archive/index.html", "sources/index.html", "about/index.html"),
}


@cases(
    "post, expected",
    case(
        "in a month with others",
        make_post(9, ONE, when=NOON + timedelta(minutes=1)),
        LISTS | {"2026/11/index.html", "source/one/index.html"},
    ),
    case(
        "first of a month",
        make_post(9, ONE, when=NOON + timedelta(days=20)),
        LISTS | {"2026/12/index.html", "2026/11/index.html", "source/one/index.html"},
    ),
    case(
        "an episode of a source with a tag",
        make_post(9, PLAYED, enclosures=(make_audio(9),)),
        LISTS
        | {"2026/11/index.html", "source/played/index.html"}
        | {"tag/heard/index.html", "podcast/index.html"},
    ),
)
def test_a_new_post_touches_its_own_pages_and_the_lists(
    theme: Theme, post: Post, expected: set[str]
) -> None:
    heard = Tag(name="heard", slug="heard")
    old = [*OLD, make_post(4, PLAYED, enclosures=(make_audio(),))]
    before = files(make_edition(*old, tags=(heard,)), theme)
    after = files(make_edition(*old, post, tags=(heard,)), theme)

    assert touched(before, after) == expected


ASKED = FeedHealth(asked_at=NOON)
SICK = FeedHealth(failures=3, message="gone", failing_since=NOON)
LINKED = Linked(address="https://news.example/", posts=(OLD[0], OLD[1]))


@cases(
    "before, after, expected",
    case(
        "a new digest",
        {"digests": (make_digest(19),)},
        {"digests": (make_digest(20), make_digest(19))},
        {"digest/index.html", "digest/2026-11-20/index.html"},
    ),
    case(
        "trouble with a source",
        {},
        {"sources": [replace(ONE, standing=SICK), TWO]},
        {"source/one/index.html", "sources/index.html"},
    ),
    case(
        "how a source is asked",
        {},
        {"sources": [replace(ONE, standing=ASKED), TWO]},
        {"index.html"},
    ),
)
def test_a_change_touches_the_pages_that_show_it_and_no_others(
    theme: Theme, before: dict[str, Any], after: dict[str, Any], expected: set[str]
) -> None:
    old, new = (files(make_edition(*OLD, **said), theme) for said in (before, after))

    assert touched(old, new) == expected


@cases(
    "said, pages",
    case("title", {"title": "Another"}, Pages()),
    case("address", {"link": "https://planet.example/"}, Pages()),
    case("language", {"language": "ar"}, Pages()),
    case("owner", {"owner": Owner(name="Robin")}, Pages()),
    case("script", {}, Pages(script=True)),
    case("forms", {}, Pages(picking=Picking.FORM)),
)
def test_a_change_of_the_frame_touches_every_page(
    theme: Theme, said: dict[str, Any], pages: Pages
) -> None:
    before = files(make_edition(*OLD), theme)
    after = files(make_edition(*OLD, **said), theme, pages)

    assert touched(before, after) == every_page(after)


def test_texts_are_asked_for_when_a_page_is_made_and_then_once() -> None:
    asked: list[list[int]] = []

    def contents(numbers: Sequence[int]) -> Mapping[int, Html]:
        asked.append(list(numbers))
        return {}

    short = make_source("short", content=ContentMode.SUMMARY)
    edition = make_edition(*OLD, make_post(4, short))
    made = render(edition, theme=load_theme("classic"), pages=Pages(), contents=contents)
    assert asked == []

    for file in made:
        file.make()

    sources, months, front = [[1], [2, 3]], [[1, 2], [3]], [[1, 2, 3]]
    assert sorted(map(sorted, asked)) == sorted(sources + months + front)
