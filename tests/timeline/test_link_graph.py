"""Who links to what."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from msgspec.structs import replace

from planet.model import Edition, Html, LinkGraph, Post, Source
from planet.timeline.links import TOP_DAYS, build_link_graph
from tests.builders import NOW
from tests.cases import case, cases
from tests.site.editions import hours_before, make_edition, make_post, make_source

ONE, TWO, THREE = (
    make_source(name, link=f"https://{name}.example/") for name in ("one", "two", "three")
)
SECOND = timedelta(seconds=1)
TALKED_OF = "https://news.example/a"


def drawn_from(
    said: Mapping[Post, Sequence[str]],
    *others: Post,
    sources: Sequence[Source] | None = None,
    texts: Mapping[int, Html] | None = None,
) -> LinkGraph:
    """The graph of posts that link to these addresses, and of others."""
    by_number = {post.entry.number: links for post, links in said.items()}
    edition = make_edition(*said, *others, sources=sources)
    return build_link_graph(
        edition,
        lambda numbers: {n: by_number[n] for n in numbers if n in by_number},
        lambda numbers: {n: texts[n] for n in numbers if n in texts} if texts else {},
    )


def top(found: LinkGraph) -> list[tuple[str, list[int]]]:
    return [(each.address, [post.entry.number for post in each.posts]) for each in found.top]


def test_what_most_sources_link_to_comes_first() -> None:
    found = drawn_from(
        {
            make_post(6, ONE, when=hours_before(1)): [
                "https://b.example/",
                TALKED_OF,
                "https://c.example/",
            ],
            make_post(5, TWO, when=hours_before(2)): [TALKED_OF, "https://b.example/"],
            make_post(4, THREE, when=hours_before(3)): [TALKED_OF],
        }
    )

    assert found.is_shared
    assert top(found) == [(TALKED_OF, [6, 5, 4]), ("https://b.example/", [6, 5])]


def test_of_equals_the_one_that_was_linked_to_last_comes_first() -> None:
    said = {
        make_post(4, ONE, when=NOW): ["https://z.example/"],
        make_post(3, ONE, when=NOW - SECOND): ["https://a.example/"],
        make_post(2, TWO, when=NOW - 2 * SECOND): ["https://a.example/", "https://z.example/"],
    }

    assert [address for address, _ in top(drawn_from(said))] == [
        "https://z.example/",
        "https://a.example/",
    ]


def test_a_source_counts_once_with_its_newest_post() -> None:
    found = drawn_from({make_post(n, TWO if n == 1 else ONE): [TALKED_OF] for n in (3, 2, 1)})

    assert top(found) == [(TALKED_OF, [1, 3])]


def test_feeds_of_one_site_are_one_voice() -> None:
    news, notes = (make_source(name, link="https://one.example/") for name in ("news", "notes"))

    found = drawn_from({make_post(2, news): [TALKED_OF], make_post(1, notes): [TALKED_OF]})

    assert not found.is_shared


def test_where_nothing_is_shared_the_newest_links_are_told_but_what_a_source_repeats() -> None:
    ever = "https://shop.example/"
    found = drawn_from(
        {
            make_post(3, ONE, when=NOW): [ever],
            make_post(2, ONE, when=NOW): ["https://b.example/", ever],
            make_post(1, TWO, when=NOW - SECOND): ["https://a.example/"],
        }
    )

    assert not found.is_shared
    assert top(found) == [("https://b.example/", [2]), ("https://a.example/", [1])]


@cases(
    "ago, expected",
    case("just in time", TOP_DAYS, [(TALKED_OF, [1, 2])]),
    case("too long ago", TOP_DAYS + SECOND, []),
)
def test_the_last_days_end_with_the_newest_post(
    ago: timedelta, expected: list[tuple[str, list[int]]]
) -> None:
    said = {make_post(n, source, when=NOW - ago): [TALKED_OF] for n, source in ((2, ONE), (1, TWO))}

    assert top(drawn_from(said, make_post(9, THREE, when=NOW))) == expected


@cases(
    "link",
    case("the post", "https://one.example/1"),
    case("another post of the source", "https://one.example/2"),
    case("its home", "https://one.example/"),
    case("below its home", "http://www.one.example/about?x=1"),
    case("its feed", "https://feeds.example/one"),
)
def test_what_leads_back_to_its_source_counts_for_nothing(link: str) -> None:
    source = replace(ONE, url="https://feeds.example/one")

    assert drawn_from({make_post(1, source): [link]}) == LinkGraph()


def test_a_post_of_the_planet_that_is_linked_to_is_told_as_such() -> None:
    target = make_post(1, TWO, link="https://two.example/1#top")

    found = drawn_from({make_post(2, ONE): ["https://two.example/1"]}, target)

    assert [(each.address, each.post) for each in found.top] == [("https://two.example/1", target)]


def test_a_planet_without_posts_has_no_links() -> None:
    edition: Edition = make_edition()

    assert build_link_graph(edition, lambda _: {}, lambda _: {}) == LinkGraph()
