"""A page is made again when it would change, and only then.

The theme here writes down all that a template can see, so that no theme can see more.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from planet.model import (
    ContentMode,
    DueReason,
    Edition,
    FeedHealth,
    File,
    GivenUp,
    Html,
    Images,
    Linked,
    LinkGraph,
    Owner,
    Pages,
    Person,
    Picking,
    PickList,
    Podcast,
    Post,
    Source,
    Tag,
)
from planet.site.pages import Theme, load_theme, render
from planet.site.pages.page_kinds import KINDS
from planet.site.pages.renderer import EVERY
from tests.cases import case, cases
from tests.site.editions import (
    NOON,
    decided,
    hours_before,
    make_audio,
    make_digest,
    make_edition,
    make_picked,
    make_post,
    make_section,
    make_source,
)

ONE, TWO = make_source("one"), make_source("two")
PLAYED = make_source("played", tags=("heard",))


@pytest.fixture(scope="module", autouse=True)
def theme(tmp_path_factory: pytest.TempPathFactory) -> Theme:
    folder = tmp_path_factory.mktemp("theme")
    about = 'name = "All"\ndescription = ""\nversion = ""\nfull_text = true\n'
    (folder / "theme.toml").write_text(about)
    (folder / "templates").mkdir()
    for name, kind in KINDS.items():
        seen = "\n".join(f"{{{{ {variable} }}}}" for variable in (*EVERY, *kind.variables))
        (folder / "templates" / f"{name}.html").write_text(seen)
    return load_theme(folder)


def files(edition: Edition, theme: Theme, pages: Pages | None = None) -> dict[str, File]:
    digests = {post.entry.number: post.entry.digest for post in _posts(edition)}

    def contents(numbers: Sequence[int]) -> Mapping[int, Html]:
        return {number: Html(f"<p>{digests[number]}</p>") for number in numbers}

    made = render(edition, theme=theme, pages=pages or Pages(), contents=contents)
    return {file.path: file for file in made}


def touched(before: Mapping[str, File], after: Mapping[str, File]) -> set[str]:
    """The paths of the pages that are new or have to be made again."""
    return {
        path
        for path, file in after.items()
        if path.endswith(".html")
        and (path not in before or before[path].fingerprint != file.fingerprint)
    }


def every_page(after: Mapping[str, File]) -> set[str]:
    return {path for path in after if path.endswith(".html")}


OLD = [
    make_post(1, ONE),
    make_post(2, TWO),
    make_post(3, TWO, when=datetime(2026, 9, 1, tzinfo=UTC)),
]
LIST = PickList(name="long", podcast=Podcast())
LISTS = {
    *("index.html", "archive/index.html", "2026/index.html"),
    *("sources/index.html", "about/index.html"),
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
        LISTS | {"2026/12/index.html", "source/one/index.html"},
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
    before = files(make_edition(*old, tags=(heard,), lists=(LIST,)), theme)
    after = files(make_edition(*old, post, tags=(heard,), lists=(LIST,)), theme)

    assert touched(before, after) == expected


def test_the_first_episode_touches_every_page_for_each_links_to_the_podcast_then(
    theme: Theme,
) -> None:
    before = files(make_edition(*OLD), theme)
    after = files(make_edition(*OLD, make_post(9, ONE, enclosures=(make_audio(),))), theme)

    assert touched(before, after) == every_page(after)


def make_listened(source: Source) -> dict[str, Any]:
    """An edition with an episode of this source that can be picked."""
    entry = make_post(7, source, enclosures=(make_audio(7),)).entry
    return {"sources": [source], "episodes": {source.key: (entry,)}}


ASKED = FeedHealth(
    asked_at=NOON,
    answered_at=NOON,
    due_at=NOON + timedelta(hours=1),
    due_reason=DueReason.FLOOR,
    wait=timedelta(hours=1),
)
SICK = FeedHealth(trouble="gone", trouble_since=NOON)
LINKED = Linked(address="https://news.example/", posts=(OLD[0], OLD[1]))
PICKED = replace(LIST, posts=(make_picked(7, ONE, name=LIST.name),))


@cases(
    "before, after, expected",
    case("a pick for a list", {"lists": (LIST,)}, {"lists": (PICKED,)}, {"lists/long/index.html"}),
    case(
        "a new episode to pick",
        {"sources": [ONE], "episodes": {"one": ()}},
        make_listened(ONE),
        {"source/one/index.html"},
    ),
    case(
        "another language of a source with episodes to pick",
        make_listened(PLAYED),
        make_listened(replace(PLAYED, language="de")),
        {"source/played/index.html"},
    ),
    case(
        "a new digest",
        {"digests": (make_digest(19),)},
        {"digests": (make_digest(20), make_digest(19))},
        {"digest/index.html", "digest/2026-11-20/index.html"},
    ),
    case("a link", {}, {"links": LinkGraph(top=(LINKED,))}, {"links/index.html"}),
    case(
        "trouble with a source",
        {},
        {"sources": [replace(ONE, standing=SICK), TWO]},
        {"source/one/index.html", "sources/health/index.html", "sources/index.html"},
    ),
    case(
        "how a source is asked",
        {},
        {"sources": [replace(ONE, standing=ASKED), TWO]},
        {"index.html", "sources/health/index.html"},
    ),
)
def test_a_change_touches_the_pages_that_show_it_and_no_others(
    theme: Theme, before: dict[str, Any], after: dict[str, Any], expected: set[str]
) -> None:
    old, new = (files(make_edition(*OLD, **said), theme) for said in (before, after))

    assert touched(old, new) == expected


def test_another_home_of_a_show_that_is_no_source_touches_the_pages_with_its_picks(
    theme: Theme,
) -> None:
    gone = replace(make_source("gone"), slug="", link="https://gone.example/")
    pick = make_picked(7, gone)
    moved = decided(pick, replace(gone, link="https://moved.example/"))
    before = files(make_edition(*OLD, pick, sources=[ONE, TWO]), theme)
    after = files(make_edition(*OLD, moved, sources=[ONE, TWO]), theme)

    assert touched(before, after) == {"index.html", "2026/11/index.html", "podcast/index.html"}


def test_where_episodes_are_picked_a_pick_touches_the_page_of_its_source_too(theme: Theme) -> None:
    pages = Pages(picking=Picking.FORM)
    episode = make_post(7, ONE, enclosures=(make_audio(7),))
    pick = replace(make_picked(7, ONE, name=LIST.name), entry=episode.entry)
    before = files(make_edition(*OLD, episode, lists=(LIST,)), theme, pages)
    after = files(make_edition(*OLD, episode, lists=(replace(LIST, posts=(pick,)),)), theme, pages)

    assert touched(before, after) == {
        "lists/long/index.html",
        "podcast/index.html",
        "source/one/index.html",
    }


def test_another_cover_under_the_same_name_touches_no_page(theme: Theme, tmp_path: Path) -> None:
    cover = tmp_path / "cover.png"
    edition = make_edition(*OLD, lists=(replace(LIST, podcast=Podcast(cover=cover)),))
    cover.write_bytes(b"\x89PNG one")
    before = files(edition, theme)
    cover.write_bytes(b"\x89PNG two")

    assert touched(before, files(edition, theme)) == set()


def test_of_many_sources_those_that_wrote_last_alone_touch_the_front_page(theme: Theme) -> None:
    posts = [make_post(n, make_source(f"s{n:02}"), when=hours_before(n)) for n in range(26)]
    sources = [post.source for post in posts]
    renamed = {n: replace(sources[n], title="Renamed") for n in (23, 24)}
    before = files(make_edition(*posts, sources=sources), theme)
    after = {
        number: files(
            make_edition(*posts, sources=[*sources[:number], source, *sources[number + 1 :]]), theme
        )
        for number, source in renamed.items()
    }

    assert {n: "index.html" in touched(before, made) for n, made in after.items()} == {
        23: True,
        24: False,
    }


def test_another_way_to_show_images_touches_the_pages_with_full_texts(theme: Theme) -> None:
    edition = make_edition(*OLD, make_post(9, make_source("short", content=ContentMode.SUMMARY)))
    before = files(edition, theme)
    after = files(edition, theme, Pages(images=Images.NONE))

    by_day = {"index.html", "2026/11/index.html", "2026/09/index.html"}
    assert touched(before, after) == by_day | {"source/one/index.html", "source/two/index.html"}


def test_in_a_theme_without_texts_and_pictures_images_are_up_to_the_pages_of_sources() -> None:
    plain = load_theme("headlines")
    before = files(make_edition(*OLD), plain)
    after = files(make_edition(*OLD), plain, Pages(images=Images.NONE))

    assert touched(before, after) == {"source/one/index.html", "source/two/index.html"}


@cases(
    "said, pages",
    case("title", {"title": "Another"}, Pages()),
    case("address", {"link": "https://planet.example/"}, Pages()),
    case("language", {"language": "ar"}, Pages()),
    case("time zone", {"timezone": ZoneInfo("Asia/Tokyo")}, Pages()),
    case("owner", {"owner": Owner(name="Robin")}, Pages()),
    case("indexing", {}, Pages(indexing=True)),
    case("script", {}, Pages(script=True)),
    case("search", {}, Pages(search=True)),
    case("forms", {}, Pages(picking=Picking.FORM)),
)
def test_a_change_of_the_frame_touches_every_page(
    theme: Theme, said: dict[str, Any], pages: Pages
) -> None:
    before = files(make_edition(*OLD), theme)
    after = files(make_edition(*OLD, **said), theme, pages)

    assert touched(before, after) == every_page(after)


def test_texts_are_asked_for_when_a_page_is_made_and_then_once(theme: Theme) -> None:
    asked: list[list[int]] = []

    def contents(numbers: Sequence[int]) -> Mapping[int, Html]:
        asked.append(list(numbers))
        return {}

    short = make_source("short", content=ContentMode.SUMMARY)
    edition = make_edition(*OLD, make_post(4, short))
    made = render(edition, theme=theme, pages=Pages(), contents=contents)
    assert asked == []

    for file in made:
        file.make()

    sources, months, front = [[1], [2, 3]], [[2, 1], [3]], [[2, 1, 3]]
    assert sorted(asked) == sorted(sources + months + front)


# Random histories


def _new_post(rng: random.Random, edition: Edition) -> Edition:
    number = max((post.entry.number for post in _posts(edition)), default=0) + 1
    return _again(edition, [*_posts(edition), _some_post(rng, number, edition.sources)])


def _edited_post(rng: random.Random, edition: Edition) -> Edition:
    written = [place for place, post in enumerate(_posts(edition)) if not post.picked]
    if not written:
        return edition
    edited = rng.choice(written)
    old = _posts(edition)[edited].entry
    new = _some_post(rng, old.number, edition.sources)
    now = hours_before(rng.randrange(-99, 0))
    changed = replace(new, entry=replace(new.entry, updated=now, changed_at=now))
    return _again(edition, [*_posts(edition)[:edited], changed, *_posts(edition)[edited + 1 :]])


def _lost_post(rng: random.Random, edition: Edition) -> Edition:
    lost = rng.randrange(len(_posts(edition)) + 1)
    return _again(edition, [*_posts(edition)[:lost], *_posts(edition)[lost + 1 :]])


def _new_source(rng: random.Random, edition: Edition) -> Edition:
    source = make_source(f"source-{len(edition.sources)}")
    return _again(replace(edition, sources=(*edition.sources, source)), _posts(edition))


def _changed_source(rng: random.Random, edition: Edition) -> Edition:
    changes: list[dict[str, Any]] = [
        {"title": f"Source {rng.randrange(99)}"},
        {"link": f"https://{rng.randrange(99)}.example/"},
        {"description": f"About {rng.randrange(99)}"},
        {"language": rng.choice(["de", "en", None])},
        {"content": rng.choice(list(ContentMode))},
        {"tags": tuple(rng.sample(["a", "b", "c"], rng.randrange(3)))},
        {"standing": _some_standing(rng)},
        {"standing": _some_standing(rng)},
    ]
    old = rng.choice(edition.sources)
    new = replace(old, **rng.choice(changes))

    def renewed(source: Source) -> Source:
        return new if source.key == old.key else source

    posts = [
        decided(post, renewed(post.source), tuple(renewed(one) for one in post.also_in))
        for post in _posts(edition)
    ]
    return _again(replace(edition, sources=tuple(map(renewed, edition.sources))), posts)


def _some_standing(rng: random.Random) -> FeedHealth:
    moment = hours_before(rng.randrange(99))
    return FeedHealth(
        trouble=rng.choice(["gone", "slow", None]),
        trouble_since=moment,
        given_up=rng.choice([GivenUp.GONE, GivenUp.EXPIRED, None, None]),
        given_up_at=moment,
        quiet_since=rng.choice([moment, None]),
        moved_to=rng.choice(["https://new.example/", None]),
        asked_at=moment,
        answered_at=rng.choice([moment, None]),
        due_at=moment + timedelta(hours=rng.randrange(9)),
        due_reason=rng.choice([DueReason.ADAPTIVE, DueReason.BACKOFF]),
        wait=timedelta(hours=rng.randrange(9)),
    )


def _changed_frame(rng: random.Random, edition: Edition) -> Edition:
    changes: list[dict[str, Any]] = [
        {"title": rng.choice(["Planet", "Comet"])},
        {"description": rng.choice(["About", None])},
        {"link": rng.choice(["https://planet.example/sub/", None])},
        {"owner": Owner(name="Robin", url=rng.choice(["https://robin.example/", None]))},
        {"repository": rng.choice(["https://code.example/planet", None])},
        {"podcast": Podcast(title=rng.choice(["Heard", None]))},
    ]
    return replace(edition, **rng.choice(changes))


def _changed_picks(rng: random.Random, edition: Edition) -> Edition:
    """One more of the planet's own picks, or one less."""
    others = [post for post in _posts(edition) if not post.picked]
    own = [post for post in _posts(edition) if post.picked]
    if own and rng.randrange(2):
        own.pop(rng.randrange(len(own)))
    else:
        own.append(_some_pick(rng, edition, ""))
    return _again(edition, [*others, *{post.entry.number: post for post in own}.values()])


def _changed_list(rng: random.Random, edition: Edition) -> Edition:
    listed = PickList(
        name="long",
        podcast=Podcast(
            title=rng.choice(["Long", None]),
            description=rng.choice(["Hours of it", None]),
            cover=rng.choice(["https://one.example/cover.jpg", None]),
        ),
        posts=tuple(_some_pick(rng, edition, "long") for _ in range(rng.randrange(3))),
    )
    if edition.lists and rng.randrange(2):
        listed = replace(edition.lists[0], podcast=listed.podcast)
    return replace(edition, lists=rng.choice([(listed,), (listed,), ()]))


def _changed_episodes(rng: random.Random, edition: Edition) -> Edition:
    source = rng.choice(edition.sources)
    # As in a feed, some of them are among its picks.
    entries = tuple(
        make_post(number, source, title=f"Episode {number}", enclosures=(make_audio(number),)).entry
        for number in rng.sample(range(-4, 4), 3)
    )
    return replace(edition, episodes={source.key: entries})


def _changed_digests(rng: random.Random, edition: Edition) -> Edition:
    section = make_section(rng.choice(["One", "Two"]))
    newest = edition.digests[0].due_at.day if edition.digests else 1
    return replace(
        edition, digests=(make_digest(min(newest + 1, 30), section), *(edition.digests or ())[:3])
    )


def _changed_links(rng: random.Random, edition: Edition) -> Edition:
    if not _posts(edition):
        return edition
    linked = Linked(
        address=f"https://news.example/{rng.randrange(2)}",
        post=rng.choice([None, rng.choice(_posts(edition))]),
        posts=tuple(rng.choices(_posts(edition), k=rng.choice([1, 2, 12]))),
    )
    if linked.post is None:
        linked = replace(linked, title=f"One of {len(_posts(edition))}")
    return replace(
        edition,
        links=LinkGraph(top=(linked,) * rng.randrange(2), is_shared=rng.choice([True, False])),
    )


def _some_pick(rng: random.Random, edition: Edition, name: str) -> Post:
    gone = replace(make_source("gone"), slug="", link=rng.choice(["https://gone.example/", None]))
    number = rng.randrange(1, 4)
    return make_picked(
        number,
        rng.choice([*edition.sources[:1], gone]),
        name=name,
        note=rng.choice(["Listen", None]),
        when=hours_before(number),
        title=f"Episode {-number}",
        published=rng.choice([NOON, None]),
    )


def _some_post(rng: random.Random, number: int, sources: Sequence[Source]) -> Post:
    return make_post(
        number,
        rng.choice(sources),
        when=hours_before(rng.randrange(2000)),
        title=rng.choice(["A title", "Another", None]),
        summary=rng.choice(["Words " * 30, None]),
        authors=rng.choice([(), (Person(name="Ada"),)]),
        enclosures=rng.choice([(), (), (make_audio(),)]),
        also_in=rng.choice([(), (rng.choice(sources),)]),
    )


def _posts(edition: Edition) -> list[Post]:
    return list(edition.timeline.posts())


def _again(edition: Edition, posts: Sequence[Post]) -> Edition:
    made = make_edition(*posts, sources=edition.sources)
    names = sorted({name for source in made.sources for name in source.tags})
    return replace(
        edition,
        timeline=made.timeline,
        sources=made.sources,
        tags=tuple(Tag(name=name, slug=name) for name in names),
    )


STEPS: list[Callable[[random.Random, Edition], Edition]] = [
    *[_new_post] * 4,
    *[_edited_post] * 2,
    *[_changed_source] * 4,
    *[_changed_picks] * 2,
    *[_changed_list] * 2,
    _changed_episodes,
    _changed_digests,
    _changed_links,
    _lost_post,
    _new_source,
    _changed_frame,
]


@pytest.mark.parametrize("seed", range(4))
def test_equal_fingerprints_promise_equal_bytes(theme: Theme, seed: int) -> None:
    rng = random.Random(seed)
    edition = make_edition(*OLD)
    pages = Pages(
        front=6,
        source=3,
        feed=5,
        archive=3,
        picking=rng.choice(list(Picking)),
        indexing=seed % 2 == 0,
    )
    known: dict[str, tuple[str, bytes]] = {}
    kept = idle = 0

    for _ in range(60):
        edition = rng.choice(STEPS)(rng, edition)
        for path, file in files(edition, theme, pages).items():
            fingerprint, body = known.get(path, ("", b""))
            known[path] = file.fingerprint, file.make()
            if file.fingerprint == fingerprint:
                assert known[path] == (fingerprint, body), path
                kept += 1
            else:
                idle += known[path][1] == body

    # To make a page again for nothing is no mistake, but it should be rare.
    assert idle < kept / 15
