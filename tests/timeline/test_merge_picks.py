"""Picked episodes among what a planet shows, in lists of their own, and the tags of its sources."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from planet.model import Entry, Pick, Show, Source, Tag
from tests import builders
from tests.builders import NOW, Merged, make_entry, make_feed, make_pick, make_source
from tests.cases import case, cases

DAY = timedelta(days=1)
UUID = "urn:uuid:1e3c3f0e-6f4d-5d6c-9a5e-0d2f4b7c1e93"


def merged(
    entries: Sequence[Entry] = (),
    picks: Sequence[Pick] = (),
    *,
    sources: Sequence[Source] = (),
    **changes: Any,
) -> Merged:
    given = sources or (make_source(),)
    return builders.merged(
        entries,
        {source.key: make_feed(source.key) for source in given},
        {source.key: source for source in given},
        zone=ZoneInfo("Europe/Berlin"),
        picks=picks,
        **changes,
    )


def test_a_pick_is_a_post_filed_when_it_was_picked() -> None:
    old = make_pick("old", picked_at=NOW, published=NOW - 900 * DAY)

    (post, other) = merged([make_entry(when=NOW - DAY)], [old]).posts

    assert (post.picked, post.when, post.day) == (old, NOW, NOW.date())
    assert (post.entry.id, post.entry.title, post.entry.published) == (
        "old",
        "Episode old",
        NOW - 900 * DAY,
    )
    assert other.picked is None


def test_an_entry_that_is_picked_is_there_once_and_keeps_its_id() -> None:
    entry = make_entry(id=UUID, when=NOW - 3 * DAY)
    (before,) = merged([entry]).posts

    (after,) = merged([entry], [make_pick(UUID)]).posts

    assert (after.uid, after.when) == (before.uid, NOW)


def test_an_entry_that_is_picked_tells_who_else_carries_it() -> None:
    one, two = make_source("one"), make_source("two")
    copies = [make_entry(1, id=UUID), make_entry(2, id=UUID, feed="two")]

    (post,) = merged(copies, [make_pick(UUID)], sources=[one, two]).posts

    assert post.source.key == "one"
    assert [source.key for source in post.also_in] == ["two"]


def test_episodes_with_the_link_of_their_show_are_not_taken_for_one() -> None:
    home = "https://one.example/about"
    entry = make_entry(7, link=home)

    posts = merged([entry], [make_pick("8", link=home)]).posts

    assert [post.entry.id for post in posts] == ["7", "8"]


def test_a_pick_outlives_its_source() -> None:
    show = Show(
        title="Gone",
        url="https://gone.example/feed",
        link="https://gone.example/",
        author="Ada",
        image="https://gone.example/cover.jpg",
        language="de",
        explicit=False,
    )

    (post,) = merged([], [make_pick(feed="gone", show=show)]).posts

    source = post.source
    assert (source.key, source.slug, source.title, source.url) == ("gone", "", "Gone", show.url)
    assert (source.link, source.author, source.image) == (show.link, "Ada", show.image)
    assert (source.language, source.explicit) == ("de", False)


def test_picks_count_among_the_posts_of_their_source() -> None:
    (source,) = merged([], [make_pick("1"), make_pick("2", picked_at=NOW - DAY)]).sources

    assert (source.count, source.newest) == (2, NOW)


def test_the_numbers_of_picks_follow_their_order() -> None:
    edition = merged([], [make_pick("a"), make_pick("b"), make_pick("c")])

    numbers = {post.entry.id: post.entry.number for post in edition.posts}
    assert numbers == {"a": -1, "b": -2, "c": -3}


@cases(
    "said",
    case("note", {"note": "Listen!"}),
    case("title", {"title": "Other"}),
    case("moment", {"picked_at": NOW + DAY}),
    case("link", {"link": "https://one.example/1"}),
)
def test_the_fingerprint_of_a_pick_changes_with_what_is_shown_of_it(said: dict[str, Any]) -> None:
    before, after = (merged([], [make_pick(**what)]).posts[0].fingerprint for what in ({}, said))

    assert before != after


def test_the_fingerprint_of_a_pick_does_not_change_with_its_place_in_the_file() -> None:
    first = merged([], [make_pick("a")]).posts[0]
    later = merged([], [make_pick("b", picked_at=NOW - DAY), make_pick("a")]).posts[0]

    assert (first.entry.id, first.fingerprint) == (later.entry.id, later.fingerprint)


def test_the_fingerprint_of_a_pick_changes_with_the_cleaner() -> None:
    one, two = (merged([], [make_pick()], cleaning=cleaning).posts[0] for cleaning in ("1", "2"))

    assert one.fingerprint != two.fingerprint


def test_tags_are_those_of_the_sources_by_name_each_with_a_folder() -> None:
    sources = [make_source("one", tags=("Web", "c++")), make_source("two", tags=("音楽", "Web"))]

    tags = merged(sources=sources).tags

    assert tags == (
        Tag(name="c++", slug="c"),
        Tag(name="Web", slug="web"),
        Tag(name="音楽", slug="tag-14b31f"),
    )


def test_tags_that_would_have_one_folder_have_two() -> None:
    (one, two) = merged(sources=[make_source(tags=("web", "Web!"))]).tags

    assert {one.slug, two.slug} > {"web"}
    assert len({one.slug, two.slug}) == 2


def test_an_id_that_two_shows_claim_is_that_of_the_first_pick() -> None:
    edition = merged([], [make_pick(UUID, feed=feed) for feed in ("one", "two")])

    uids = {post.entry.feed: post.uid for post in edition.posts}
    assert uids["one"] == UUID
    assert uids["two"] not in {UUID, ""}
