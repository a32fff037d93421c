"""A page is made of its rows: its fingerprint tells them apart, and it shows nothing else."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from planet.model import Edition, Html, Pages, Picking, fingerprint
from planet.site.pages import Theme, load_theme, render
from planet.site.pages.context import SiteContext
from planet.site.pages.frame import Frame, PageSpec
from planet.site.pages.page_kinds import KINDS
from planet.site.pages.renderer import Renderer
from planet.site.pages.rows import PostRows, part_into_pages
from tests.site.editions import (
    RULES,
    hours_before,
    make_picked,
    make_post,
    make_source,
    make_whole_edition,
)
from tests.timelines import Listed

OWN = ("path", "title", "description", "image", "feeds")
"""What a page has besides its rows."""
# One month has a page for each day, one of which has several; the other has too few posts.
PAGES = Pages(front=2, archive=2, search=True, picking=Picking.FORM)


def rich_edition() -> Edition:
    """An edition with a page of every kind, and with posts on several days of two months."""
    edition = make_whole_edition()
    blog = make_source("blog", title="Words", link="https://one.example/")
    older = [make_post(number, blog, when=hours_before(number * 40)) for number in range(6, 13)]
    day = [make_post(number, blog, when=hours_before(600)) for number in range(20, 32)]
    lists = [
        replace(listed, posts=(*listed.posts, *listed.posts, make_picked(40, blog)))
        for listed in edition.lists
    ]
    posts = sorted((*edition.timeline.posts(), *older, *day), key=lambda post: post.when)
    return replace(edition, timeline=Listed(tuple(posts[::-1])), lists=tuple(lists))


def contents(numbers: Any) -> dict[int, Html]:
    return {number: Html(f"<p>Text {number}</p>") for number in numbers}


class Sealable:
    """Stands for a value until it is sealed; then nobody may ask it for anything."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self.is_sealed = False

    def __getattr__(self, name: str) -> Any:
        assert not self.is_sealed, f"{type(self._value).__name__}.{name} is no row"
        return getattr(self._value, name)


@pytest.fixture(scope="module")
def theme() -> Theme:
    return replace(load_theme("classic"), pages=(RULES,))


def pages_of(kind: str, theme: Theme, *, sealed: bool = False) -> tuple[Frame, list[PageSpec]]:
    """What all pages share, and those of a kind."""
    edition = rich_edition()
    frame = Frame.of(edition, PAGES, theme)
    asked: list[Any] = [Sealable(value) for value in (edition, PAGES, theme, frame)]
    site = SiteContext(asked[0], asked[1], asked[2], contents, asked[3])
    specs = list(KINDS[kind].query(site))
    for value in asked:
        value.is_sealed = sealed
    return frame, specs


def _parts(value: PostRows | Struct) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """The fields of a value that tell it from others, and what changes one of them."""
    if isinstance(value, Struct):
        return value.__struct_fields__, replace
    return ("fingerprint", "images", "has_pictures"), dataclasses.replace


def variants(value: Any) -> Iterator[Any]:
    """The same value with one thing in it changed, for each thing in it."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield {other: kept for other, kept in value.items() if other != key}
            yield from ({**value, key: variant} for variant in variants(item))
    elif hasattr(value, "_replace"):
        for name, item in value._asdict().items():
            yield from (value._replace(**{name: variant}) for variant in variants(item))
    elif isinstance(value, tuple):
        for place, item in enumerate(value):
            before, after = value[:place], value[place + 1 :]
            yield (*before, *after)
            yield from ((*before, variant, *after) for variant in variants(item))
    elif isinstance(value, PostRows | Struct):
        names, change = _parts(value)
        for name in names:
            yield from (
                change(value, **{name: variant}) for variant in variants(getattr(value, name))
            )
    else:
        yield "something else"


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_of_anything_on_a_page_is_a_change_of_the_fingerprint(
    theme: Theme, kind: str
) -> None:
    _, specs = pages_of(kind, theme)

    for spec in specs:
        own = fingerprint(*spec.fingerprint_inputs)
        others = [replace(spec, rows=rows) for rows in variants(spec.rows)]
        others += [replace(spec, **{name: "something else"}) for name in OWN]
        assert own not in {fingerprint(*other.fingerprint_inputs) for other in others}
        assert spec.rows == {} or len(others) > len(OWN)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_drawn_from_its_rows_and_what_all_pages_share_alone(
    theme: Theme, kind: str
) -> None:
    made = render(rich_edition(), theme=theme, pages=PAGES, contents=contents)
    files = {file.path: file.make() for file in made}
    frame, specs = pages_of(kind, theme, sealed=True)
    renderer = Renderer(theme)

    drawn = {}
    for spec in specs:
        presenter = frame.presenter(spec.path)
        variables = KINDS[kind].present(presenter, **spec.rows)
        drawn[spec.path] = renderer.draw(kind, frame, frame.page(kind, spec, presenter), variables)

    assert drawn
    assert drawn == {path: files[path] for path in drawn}


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_equal_editions_are_equal(theme: Theme, kind: str) -> None:
    one, other = ([spec.fingerprint_inputs for spec in pages_of(kind, theme)[1]] for _ in range(2))

    assert list(map(repr, one)) == list(map(repr, other))


def test_no_post_and_no_text_is_read_for_the_page_of_a_month_or_a_day_that_is_not_drawn(
    theme: Theme,
) -> None:
    def refuse(*_: object, **__: object) -> Any:
        raise AssertionError

    class Unread(Listed):
        posts = refuse
        latest = refuse

    edition = rich_edition()
    edition = replace(edition, timeline=Unread(tuple(edition.timeline.posts())))
    frame = Frame.of(edition, PAGES, theme)
    site = SiteContext(edition, PAGES, theme, refuse, frame)

    for kind in ("month", "day", "year", "archive", "source", "tag", "sources", "health"):
        assert [fingerprint(*spec.fingerprint_inputs) for spec in KINDS[kind].query(site)]


@pytest.mark.parametrize("posts", range(12))
def test_posts_are_parted_into_pages_that_stay_as_they_are_when_a_post_comes(posts: int) -> None:
    def shown(posts: int) -> dict[int | None, range]:
        """The posts of each page, counted from the oldest, as a new one comes before the others."""
        return {
            page.number: range(posts - page.stop, posts - page.start)
            for page in part_into_pages(posts, 3)
        }

    now, then = shown(posts), shown(posts + 1)

    assert sorted(place for page in now.values() for place in page) == [*range(posts)]
    assert [number for number in now if number] == [*range(len(now) - 1, 0, -1)]
    assert {number: then[number] for number in now if number} == {
        number: page for number, page in now.items() if number
    }
    assert len(now[None]) < 6
    assert len(now) == 1 or len(now[None]) >= 3
