"""Entries → an edition: filed by date, each thing once, always in the same order."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import permutations
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from planet.model import (
    ContentMode,
    Entry,
    Feed,
    FetchPolicy,
    Filters,
    Future,
    Origin,
    Person,
    Picks,
    Post,
    Source,
)
from planet.model.secrets import Secret
from planet.parse import parse
from planet.timeline.duplicates import (
    is_same_feed,
    is_unique,
    match_renamed_entries,
    own_id,
    published_id,
)
from planet.timeline.edition import sources
from tests import builders
from tests.builders import (
    NOW,
    Merged,
    make_draft,
    make_entry,
    make_feed,
    make_profile,
    make_source,
    make_state,
)
from tests.cases import case, cases

HOUR = timedelta(hours=1)
BERLIN = ZoneInfo("Europe/Berlin")
LINK = "https://one.example/post"
ID = "tag:one.example,2026:post"


def merged(
    entries: Sequence[Entry], *feeds: Feed, given: Iterable[Source] = (), zone: ZoneInfo = BERLIN
) -> Merged:
    """The edition of these entries; each feed has its home page on its own host, or is `given`."""
    by_key = {feed.key: feed for feed in feeds or (make_feed(),)}
    known = {key: make_source(key) for key in by_key} | {source.key: source for source in given}
    return builders.merged(entries, by_key, known, zone=zone)


def numbers(edition: Merged) -> list[int]:
    return [post.entry.number for post in edition.posts]


def also_in(edition: Merged) -> dict[int, list[str]]:
    """Where else each post is, by the number of the entry that is shown."""
    return {post.entry.number: [other.key for other in post.also_in] for post in edition.posts}


# The edition as a whole


def test_sources_are_listed_by_title_whatever_its_case() -> None:
    titles = {"c": "alpha", "a": "Beta", "b": "beta", "d": "Alpha"}
    given = [make_source(key, title=title) for key, title in titles.items()]

    edition = merged([], *map(make_feed, titles), given=given)

    assert [source.slug for source in edition.sources] == ["c", "d", "a", "b"]


def test_a_source_tells_how_many_posts_it_has_and_when_the_newest_was_filed() -> None:
    entries = [
        make_entry(1, when=NOW - HOUR),
        make_entry(2, when=NOW - 3 * HOUR),
        make_entry(3, feed="two", when=NOW - 2 * HOUR),
    ]

    edition = merged(entries, *map(make_feed, ("one", "two", "three")))

    assert {source.key: (source.count, source.newest) for source in edition.sources} == {
        "one": (2, NOW - HOUR),
        "two": (1, NOW - 2 * HOUR),
        "three": (0, None),
    }


# Dates and order


@cases(
    "future, dated, when",
    case("a date in the past", Future.CLAMP, NOW - HOUR, NOW - HOUR),
    case("a date in the future, clamped", Future.CLAMP, NOW + HOUR, NOW),
    case("a date in the future, kept", Future.KEEP, NOW + HOUR, NOW + HOUR),
    case("a date that has come", Future.DROP, NOW + HOUR, NOW + HOUR),
)
def test_a_post_is_filed_under_its_date(future: Future, dated: datetime, when: datetime) -> None:
    entry = make_entry(first_seen=NOW, dated=dated)

    edition = merged([entry], make_feed(future=future))

    assert [post.when for post in edition.posts] == [when]


def test_posts_moved_by_an_edit_do_not_rise_again() -> None:
    edited = make_entry(1, when=NOW - 2 * HOUR, changed_at=NOW, published=NOW, updated=NOW)
    newer = make_entry(2, when=NOW - HOUR)

    edition = merged([edited, newer])

    assert numbers(edition) == [2, 1]
    assert edition.posts[1].when == NOW - 2 * HOUR
    assert edition.updated == NOW


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2), (2, 3, 1)], ids=str)
def test_of_equal_dates_the_entry_met_last_comes_first(order: Sequence[int]) -> None:
    assert numbers(merged([make_entry(number) for number in order])) == [3, 2, 1]


def test_the_day_of_a_post_is_the_planets() -> None:
    when = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)

    edition = merged([make_entry(when=when)], zone=BERLIN)

    assert [(post.when, post.day) for post in edition.posts] == [(when, date(2026, 11, 21))]


# The same thing in several feeds


ONE, TWO, THREE = (make_feed(key) for key in ("one", "two", "three"))


@cases(
    "one, other, same",
    case("one link", {"link": LINK}, {"link": LINK}, True),
    case("one link, normalised", {"link": LINK}, {"link": "HTTPS://ONE.example:443/post"}, True),
    case("links with other queries", {"link": f"{LINK}?p=1"}, {"link": f"{LINK}?p=2"}, False),
    case("links by other schemes", {"link": LINK}, {"link": "http://one.example/post"}, True),
    case("one id", {"id": ID}, {"id": ID}, True),
    case("one id, one of them linked", {"id": ID, "link": LINK}, {"id": ID}, True),
    case(
        "the id of one linked by the other", {"id": LINK}, {"id": "urn:x-own:1", "link": LINK}, True
    ),
    case("one id that is a number", {"id": "7"}, {"id": "7"}, False),
    case("one id that is words", {"id": "post 7"}, {"id": "post 7"}, False),
    case(
        "one UUID written in two ways",
        {"id": "urn:uuid:0b1fdf04-6e5b-4a1d-9c6f-2f0d6c3b7a11"},
        {"id": "0B1FDF04-6E5B-4A1D-9C6F-2F0D6C3B7A11"},
        True,
    ),
    case("one title", {"title": "A"}, {"title": "A"}, False),
)
def test_two_feeds_have_the_same_entry_when_they_share_a_link_or_a_unique_id(
    one: dict[str, Any], other: dict[str, Any], same: bool
) -> None:
    entries = [make_entry(1, **one), make_entry(2, **({"feed": "two"} | other))]

    edition = merged(entries, ONE, TWO)

    assert len(edition.posts) == (1 if same else 2)


def test_an_entry_is_shown_once_and_says_where_else_it_is() -> None:
    entries = [make_entry(number, feed=key, link=LINK) for number, key in enumerate(KEYS)]

    edition = merged(entries, TWO, THREE, ONE)

    assert also_in(edition) == {0: ["two", "three"]}
    assert {source.key: source.count for source in edition.sources} == {
        "one": 1,
        "two": 0,
        "three": 0,
    }
    assert edition.posts[0].also_in == (make_source("two"), make_source("three"))


KEYS = ("one", "two", "three")


AGGREGATOR = make_feed("aggregator")


@cases(
    "own, copied, author",
    case("links to the host of the feed", {"link": LINK}, {"link": LINK}, {}),
    case(
        "links to the host of the home page",
        {"link": LINK},
        {"link": LINK},
        {"url": "https://feeds.example/one"},
    ),
    case(
        "links to its host by the other scheme",
        {"link": "http://one.example/post"},
        {"link": "http://one.example/post"},
        {},
    ),
    case(
        "links elsewhere, but tells no other origin",
        {"link": "https://elsewhere.example/"},
        {"origin": Origin(title="One")},
        {},
    ),
    case("has a higher priority", {"link": "https://elsewhere.example/"}, {}, {"priority": 1}),
)
def test_the_authors_own_feed_goes_before_an_aggregators(
    own: dict[str, Any], copied: dict[str, Any], author: dict[str, Any]
) -> None:
    copy = make_entry(1, feed="aggregator", id=ID, **copied)
    original = make_entry(2, feed="one", id=ID, **own)
    given = [make_source("aggregator", link="https://aggregator.example/")]

    edition = merged([copy, original], AGGREGATOR, make_feed("one", **author), given=given)

    assert also_in(edition) == {2: ["aggregator"]}


@pytest.mark.parametrize(
    "link",
    [None, "https://aggregator.example/"],
    ids=["of a feed without a home", "of one with a home"],
)
def test_a_copy_without_a_link_is_not_the_authors(link: str | None) -> None:
    copy = make_entry(1, feed="aggregator", id=ID)
    original = make_entry(2, feed="one", id=ID, link=LINK)

    edition = merged(
        [copy, original], AGGREGATOR, ONE, given=[make_source("aggregator", link=link)]
    )

    assert also_in(edition) == {2: ["aggregator"]}


def test_where_nothing_else_decides_the_operators_order_does() -> None:
    entries = [make_entry(1, feed="one", id=ID), make_entry(2, feed="two", id=ID)]

    assert also_in(merged(entries, ONE, TWO)) == {1: ["two"]}
    assert also_in(merged(entries, TWO, ONE)) == {2: ["one"]}


def test_a_feed_that_lists_a_thing_twice_means_it() -> None:
    entries = [make_entry(n, id=f"{ID}{n}", link=LINK) for n in (1, 2)]

    assert numbers(merged(entries)) == [2, 1]


@pytest.mark.parametrize("parts", [("", "", ""), ("#a", "#b", "#c")], ids=["all", "parts"])
def test_a_page_that_many_entries_of_a_feed_link_to_says_nothing(parts: Sequence[str]) -> None:
    feeds = ("one", "two", "two")
    entries = [
        make_entry(number, feed=feed, link=f"{LINK}{part}")
        for number, (feed, part) in enumerate(zip(feeds, parts, strict=True), 1)
    ]

    assert also_in(merged(entries, ONE, TWO)) == {3: [], 2: [], 1: []}


@pytest.mark.parametrize("home", ["https://one.example/", "https://one.example"])
def test_a_link_to_the_home_page_says_nothing(home: str) -> None:
    entries = [
        make_entry(1, feed="one", link="https://one.example/"),
        make_entry(2, feed="two", link="https://one.example/"),
    ]
    given = [make_source("one", link=home), make_source("two", link=home)]

    assert also_in(merged(entries, ONE, TWO, given=given)) == {2: [], 1: []}


def test_no_entry_is_lost_among_duplicates() -> None:
    entries = [
        make_entry(number, feed=KEYS[number % 3], id=f"tag:{number // 4}", link=f"{LINK}{number}")
        for number in range(24)
    ]

    edition = merged(entries, ONE, TWO, THREE)

    told = {(post.entry.id, key) for post in edition.posts for key in carriers(post)}
    assert told == {(entry.id, entry.feed) for entry in entries}


def carriers(post: Post) -> list[str]:
    return [post.source.key, *(other.key for other in post.also_in)]


def test_the_same_entries_in_any_order_give_the_same_edition() -> None:
    entries = [
        make_entry(1, feed="one", link=LINK, id="x"),
        make_entry(2, feed="two", link=LINK, id=ID),
        make_entry(3, feed="three", link="https://three.example/", id=ID),
        make_entry(4, feed="one", link=f"{LINK}/4", when=NOW - HOUR),
        make_entry(5, feed="three", link=f"{LINK}/4", when=NOW + HOUR),
        make_entry(6, feed="two"),
    ]
    expected = merged(entries, ONE, TWO, THREE)

    editions = [merged(order, ONE, TWO, THREE) for order in permutations(entries)]

    assert all(edition == expected for edition in editions)


# Ids; which of them are IRIs, `tests/text/test_address.py` shows


NUMBER = "0b1fdf04-6e5b-4a1d-9c6f-2f0d6c3b7a11"


@cases(
    "said, published",
    case("web address", "https://one.example/?p=1", "https://one.example/?p=1"),
    case("tag", "tag:one.example,2026:1", "tag:one.example,2026:1"),
    case("IRI", "https://bücher.example/ä", "https://bücher.example/ä"),
    case(
        "AT address", "at://did:plc:x/app.bsky.feed.post/1", "at://did:plc:x/app.bsky.feed.post/1"
    ),
    case("UUID", NUMBER, f"urn:uuid:{NUMBER}"),
    case("UUID in capitals", f"URN:UUID:{NUMBER.upper()}", f"urn:uuid:{NUMBER}"),
    case("number, once and for all", "1", "urn:uuid:1cfb96ce-55b3-5e9a-8944-50504b3a8ac9"),
)
def test_an_id_is_published_as_it_is_if_it_is_unique(said: str, published: str) -> None:
    assert published_id("one", said) == published
    assert is_unique(said) is (published_id("two", said) == published)


@cases(
    "said",
    case("words", "post 1"),
    case("words and an address", "17 at https://one.example"),
    case("path on Windows with slashes", "C:/posts/1"),
)
def test_any_other_id_is_published_as_a_uuid_of_its_feed(said: str) -> None:
    uid, in_another_feed = (published_id(feed, said) for feed in ("one", "two"))

    assert not is_unique(said)
    assert uid == UUID(uid).urn != in_another_feed


@pytest.mark.parametrize("feeds", [(ONE, TWO), (TWO, ONE)], ids=["first", "last"])
def test_nobody_hides_anothers_entry_by_taking_its_id_home(feeds: tuple[Feed, Feed]) -> None:
    uid = "tag:one.example,2026:a"
    entries = [
        make_entry(1, feed="one", id=uid, link="https://one.example/a"),
        make_entry(2, feed="two", id=uid, link="https://two.example/spam"),
    ]

    edition = merged(entries, *feeds)

    assert also_in(edition) == {2: [], 1: []}
    uids = {post.entry.number: post.uid for post in edition.posts}
    assert uids[1] == uid
    assert uids[2].startswith("urn:uuid:")


def test_an_id_that_the_parser_made_for_want_of_any_is_not_unique_in_the_world() -> None:
    (nameless,) = parse(
        b"<rss><channel><item><title>A</title></item></channel></rss>", url=LINK
    ).entries
    entries = [make_entry(1, feed="one", id=nameless.id), make_entry(2, feed="two", id=nameless.id)]

    edition = merged(entries, ONE, TWO)

    assert also_in(edition) == {2: [], 1: []}
    assert [UUID(post.uid).urn for post in edition.posts] == [post.uid for post in edition.posts]


def test_no_two_posts_have_the_same_id_when_two_feeds_share_it() -> None:
    # The link, which one of them has twice, does not tell that they are the same.
    entries = [
        make_entry(1, feed="one", id=LINK, link=LINK),
        make_entry(2, feed="one", id="other", link=LINK),
        make_entry(3, feed="two", id=LINK, link=LINK),
    ]

    uids = [post.uid for post in merged(entries, ONE, TWO).posts]

    assert sorted(set(uids)) == sorted(uids)


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_an_id_that_several_share_is_of_the_one_met_first(order: Sequence[int]) -> None:
    entries = [
        make_entry(1, id=NUMBER, link="https://elsewhere.example/1", when=NOW - HOUR),
        # At home, so that it goes before the others; and the newest.
        make_entry(2, id=f"urn:uuid:{NUMBER}", link="https://one.example/2", when=NOW),
        make_entry(3, id=NUMBER.upper(), link="https://elsewhere.example/3", when=NOW - 2 * HOUR),
    ]

    edition = merged([entries[place] for place in order])

    uids = {post.entry.number: post.uid for post in edition.posts}
    assert uids == {
        1: f"urn:uuid:{NUMBER}",
        2: own_id("one", f"urn:uuid:{NUMBER}"),
        3: own_id("one", NUMBER.upper()),
    }


# Entries that come with ids nobody knows

STORED = {"link": "http://one.example/a", "title": "A", "published": NOW - HOUR}


@cases(
    "stored, came, is_known",
    case("link and title are alike", STORED, {}, True),
    case("it has moved", STORED, {"link": "https://new.example/a/?utm_id=1"}, True),
    case("its title is in other letters", STORED, {"title": "a"}, True),
    case("it has no date any more", STORED, {"published": None}, True),
    case("it was posted before anybody looked", STORED, {"published": NOW}, True),
    case("it was posted since", STORED, {"published": NOW + HOUR}, False),
    case("its title is another", STORED, {"title": "B"}, False),
    case("its link is another", STORED, {"link": "https://one.example/b"}, False),
    case("it has no link", STORED, {"link": None}, False),
    case(
        "its link is the home page",
        STORED | {"link": "https://one.example/"},
        {"link": "https://one.example/"},
        False,
    ),
    case("a note of one moment", STORED | {"title": None}, {"title": None}, True),
    case(
        "notes of two moments", STORED | {"title": None}, {"title": None, "published": NOW}, False
    ),
    case("a note of none", STORED | {"title": None}, {"title": None, "published": None}, False),
)
def test_an_entry_with_a_new_id_is_known_by_its_link_and_title(
    stored: dict[str, Any], came: dict[str, Any], is_known: bool
) -> None:
    entry = make_entry(1, **stored)
    draft = make_draft("new", **STORED | came)

    assert match_renamed_entries([entry], [draft]) == ({"new": entry} if is_known else {})


@cases(
    "ids, titles, is_same",
    case("ids of the world", ["urn:x-own:1", "urn:x-own:2"], ["New", "New"], True),
    case("numbers, with their titles", ["1", "2"], ["A 1", "A 2"], True),
    case("numbers, with other titles", ["1", "2"], ["B 1", "B 2"], False),
    case("numbers without a title", ["1", "2"], [None, None], False),
    case("half of them", ["urn:x-own:1", "other"], ["A 1", "B"], True),
    case("nothing", [], [], False),
)
def test_a_feed_is_the_one_that_another_was_if_half_its_entries_are(
    ids: list[str], titles: list[str | None], is_same: bool
) -> None:
    prefix = "urn:x-own:" if any("urn:" in each for each in ids) else ""
    entries = [make_entry(n, id=f"{prefix}{n}", title=f"A {n}") for n in (1, 2)]
    drafts = [make_draft(said, title=title) for said, title in zip(ids, titles, strict=True)]

    assert is_same_feed(entries, drafts) is is_same
    assert not is_same_feed([], drafts)


# What has no date


def test_a_page_of_a_feed_without_dates_has_no_place_among_posts() -> None:
    entries = [make_entry(1, rank=0), make_entry(2, rank=1, dated=NOW - HOUR), make_entry(3)]

    edition = merged(entries)

    assert numbers(edition) == [3, 2]
    assert [post.entry.number for post in edition.timeless] == [1]
    (source,) = edition.sources
    assert (source.count, source.newest) == (3, NOW)


# Fingerprints


UNSHOWN = ("links", "newest", "count", "standing")
"""Fields of a source that no post tells."""


@pytest.mark.parametrize("name", sorted({*Source.__struct_fields__} - {"key"}))
def test_the_fingerprint_of_a_post_changes_with_what_is_shown_of_its_source(name: str) -> None:
    before_and_after = (make_source(), make_source(**{name: "another"}))
    link = "https://two.example/post"
    shared = [make_entry(1, feed="one", link=link), make_entry(2, feed="two", link=link)]

    own, elsewhere = (
        {
            post.fingerprint
            for source in before_and_after
            for post in merged(entries, *feeds, given=[source]).posts
        }
        for entries, feeds in (([make_entry()], [ONE]), (shared, [ONE, TWO]))
    )

    assert len(own) == len(elsewhere) == (1 if name in UNSHOWN else 2)


# Sources


PROFILE: dict[str, Any] = {
    "id": "urn:one",
    "title": "One",
    "link": "https://one.example/",
    "description": "About",
    "author": "Ann",
    "image": "https://one.example/logo.png",
    "language": "en",
    "rights": "All",
    "explicit": True,
}


@cases(
    "words",
    case("nothing", {}),
    case(
        "words of the operator's",
        {
            "name": "Yes",
            "link": "https://yes.example/",
            "author": "Yes",
            "image": "https://yes.example/yes.png",
            "language": "yo",
            "tags": ("a", "b"),
            "content": ContentMode.SUMMARY,
        },
    ),
)
def test_a_source_says_what_its_feed_says_of_itself(words: dict[str, Any]) -> None:
    states = {"one": make_state(profile=make_profile(**PROFILE))}

    (source,) = sources([make_feed(**words)], states, {}).values()

    said = PROFILE | words
    said |= {"title": said.pop("name", said["title"])}
    address = "https://one.example/feed"
    assert source == Source(key="one", slug="one", url=address, own_format="atom", **said)


@cases(
    "url, title",
    case("host", "https://one.example:8080/feed", "one.example"),
    case("file", "file:///home/ann/feed.xml", "feed.xml"),
    case("folder", "file:///home/ann/", "file:///home/ann/"),
)
def test_a_feed_that_has_not_said_its_name_is_called_by_its_address(url: str, title: str) -> None:
    nameless = make_state(profile=make_profile(title=None))

    found = [sources([make_feed(url=url)], states, {}) for states in ({}, {"one": nameless})]

    assert [one["one"].title for one in found] == [title, title]


@cases(
    "said, format_, own_format",
    case("RSS", {}, "rss20", "rss"),
    case("Atom", {}, "atom10", "atom"),
    case("JSON Feed", {}, "json11", "json"),
    case("nobody knows what yet", {}, None, "rss"),
    case("a web page", {}, "hfeed", None),
    case("an outbox", {}, "activitystreams", None),
    case("an account", {"url": "acct:ann@social.example"}, None, None),
    case("an account of Bluesky", {"url": "at://ann.example"}, "bluesky", None),
    case("a file", {"url": "file:///feed.xml"}, "rss20", None),
    case("a key in its address", {"url": "https://one.example/feed?key=1"}, "rss20", None),
    case("a password in its address", {"url": "https://a:b@one.example/feed"}, "rss20", None),
    case("an address from the environment", {"is_hidden": True}, "rss20", None),
    case("a password", {"policy": FetchPolicy(auth=("a", Secret("b")))}, "rss20", None),
    case("headers", {"policy": FetchPolicy(headers=(("X-Key", Secret("1")),))}, "rss20", None),
)
def test_readers_can_subscribe_to_the_feed_of_a_source_themselves(
    said: dict[str, Any], format_: str | None, own_format: str | None
) -> None:
    states = {"one": make_state(profile=make_profile(format=format_))} if format_ else {}

    (source,) = sources([make_feed(**said)], states, {}).values()

    assert (source.own_format, source.has_feeds) == (own_format, own_format is None)


@cases(
    "said",
    case("filters", {"filters": Filters(recent=3)}),
    case("a program", {"transform": ("./program",)}),
    case("picks", {"picks": Picks.ONLY}),
)
def test_a_source_of_which_the_site_shows_something_else_needs_feeds(said: dict[str, Any]) -> None:
    entry = make_entry(origin=Origin(title="A", url="https://a.example/feed"))

    found = sources([make_feed(**said), TWO], {}, {}, [entry])

    needed = [source.title for source in found.values() if source.has_feeds]
    assert needed == ["one.example", "A"]


# What a post says of itself


@cases(
    "said, modified",
    case("when it was filed", {}, NOW),
    case("never before", {"updated": NOW - HOUR}, NOW),
    case("when it was edited", {"updated": NOW + HOUR, "changed_at": NOW + 2 * HOUR}, NOW + HOUR),
    case(
        "never later than the edit was seen",
        {"updated": NOW + 9 * HOUR, "changed_at": NOW + HOUR},
        NOW + HOUR,
    ),
)
def test_a_post_was_modified_when_last_edited(said: dict[str, Any], modified: datetime) -> None:
    edition = merged([make_entry(authors=(Person(name="Ann"),), **said)])

    assert [post.modified for post in edition.posts] == [modified]
    assert edition.updated == modified
