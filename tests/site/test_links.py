"""The page of links: what is linked to, and by whom."""

from msgspec.structs import replace

from planet.model import Linked, LinkGraph, Source
from planet.site.pages.page_kinds import POSTS
from tests.cases import case, cases
from tests.site.editions import drawn, make_edition, make_post, make_source
from tests.site.html import Document

ONE, TWO = make_source("one"), make_source("two")
POST, OTHER = make_post(1, ONE), make_post(2, TWO)


def page_of(*top: Linked, is_shared: bool = True) -> Document:
    edition = make_edition(POST, OTHER, links=LinkGraph(top=top, is_shared=is_shared))
    return Document(drawn(edition)["links/index.html"])


def test_an_address_is_called_by_where_it_is() -> None:
    page = page_of(Linked(address="https://www.news.example/a?b=1", posts=(POST, OTHER)))

    (heading,) = page.texts("h2")
    assert heading == "news.example/a?b=1"
    assert "https://www.news.example/a?b=1" in [link["href"] for link in page.all("a")]
    assert "Linked by 2 sources" in page.texts("p")


def test_an_address_that_posts_call_something_is_called_so_and_says_where_it_is() -> None:
    page = page_of(Linked(address="https://news.example/a", title="The flood", posts=(POST, OTHER)))

    assert page.texts("h2") == ["The flood"]
    assert "news.example/a · Linked by 2 sources" in page.texts("p")


def test_a_post_of_the_planet_is_called_by_its_title_and_source() -> None:
    page = page_of(Linked(address="https://two.example/2", post=OTHER, posts=(POST,)))

    assert page.texts("h2") == ["Post 2"]
    assert "Two · Linked by 1 source" in page.texts("p")


def test_who_linked_is_named_with_post_and_source() -> None:
    page = page_of(Linked(address="https://news.example/", posts=(POST, OTHER)))

    links = [(link.text, link["href"]) for link in page.all("a")]
    for said in (
        ("Post 1", "https://one.example/1"),
        ("One", "../source/one/index.html"),
        ("Post 2", "https://two.example/2"),
        ("Two", "../source/two/index.html"),
    ):
        assert said in links


def test_not_more_than_so_many_are_named() -> None:
    posts = tuple(make_post(n, make_source(f"s{n}")) for n in range(POSTS + 1))

    page = page_of(Linked(address="https://news.example/", posts=posts))

    assert len(page.all("time")) == POSTS
    assert f"Linked by {POSTS + 1} sources" in page.texts("p")


def test_a_source_that_is_none_any_more_is_named_without_a_page() -> None:
    gone = Source(key="gone", slug="", url="", title="Gone")

    page = page_of(Linked(address="https://news.example/", posts=(replace(POST, source=gone),)))

    assert "Gone" in page.texts("bdi")
    assert "Gone" not in page.texts("a")


def test_links_of_one_source_stand_below_the_post_that_has_them() -> None:
    page = page_of(
        Linked(address="https://news.example/a", posts=(POST,)),
        Linked(address="https://news.example/b", posts=(POST,)),
        Linked(address="https://news.example/c", posts=(OTHER,)),
        is_shared=False,
    )

    assert page.texts("h2") == ["Post 1", "Post 2"]
    assert [item for item in page.texts("li") if "news" in item] == [
        "news.example/a",
        "news.example/b",
        "news.example/c",
    ]


def test_the_front_page_names_what_more_than_two_sources_link_to() -> None:
    three = make_post(3, make_source("three"))
    graph = LinkGraph(
        top=(
            Linked(address="https://news.example/", title="The flood", posts=(POST, OTHER, three)),
            Linked(address="https://news.example/b", posts=(POST, OTHER)),
        ),
        is_shared=True,
    )

    page = Document(drawn(make_edition(POST, OTHER, three, links=graph))["index.html"])

    assert page.texts("p", class_="talked") == ["Talked about The flood"]


@cases(
    "page, lead",
    case("none", page_of(), "There are no links yet."),
    case(
        "shared",
        page_of(Linked(address="https://news.example/", posts=(POST, OTHER))),
        "What several sources linked to in the two weeks before the newest post, the most first.",
    ),
    case(
        "the newest",
        page_of(Linked(address="https://news.example/", posts=(POST,)), is_shared=False),
        "Nothing was linked to by several sources in the two weeks before the newest post, so "
        "here are the newest links.",
    ),
)
def test_the_page_says_what_is_on_it(page: Document, lead: str) -> None:
    assert lead in page.texts("p")
