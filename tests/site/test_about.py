"""The page about the planet, and what leads to it."""

from collections.abc import Sequence

from planet.model import Owner
from tests.cases import case, cases
from tests.site.editions import drawn, make_edition, make_post, make_source, make_whole_edition
from tests.site.html import Document


def about(owner: Owner) -> Document:
    edition = make_edition(
        make_post(1),
        make_post(2),
        sources=[make_source("one"), make_source("two"), make_source("three")],
        description="News from people who make things.",
        owner=owner,
    )
    return Document(drawn(edition)["about/index.html"])


def test_it_says_what_the_planet_is_and_how_much_there_is() -> None:
    page = about(Owner())

    assert "News from people who make things." in page.texts("p")
    assert {"3 sources", "2 posts"} <= set(page.texts("a"))


@cases(
    "owner, addresses",
    case("nobody", Owner(), []),
    case("a name", Owner(name="Robin"), []),
    case("mail", Owner(email="robin@planet.example"), ["mailto:robin@planet.example"] * 2),
    case("page", Owner(url="https://robin.example/"), ["https://robin.example/"] * 2),
    case(
        "all",
        Owner(name="Robin", email="robin@planet.example", url="https://robin.example/"),
        ["https://robin.example/", *["mailto:robin@planet.example"] * 2],
    ),
)
def test_it_says_who_runs_the_planet_and_whom_to_write_to(
    owner: Owner, addresses: Sequence[str]
) -> None:
    page = about(owner)

    links = [link["href"] for link in page.all("a")]
    footer = [owner.url] if owner.name and owner.url else []
    assert [link for link in links if "robin" in link] == [*addresses, *footer]
    assert (owner.name in page.texts("bdi")) is (owner.name is not None)
    assert ("Run by" in page.texts("h2")) is (owner != Owner())


def test_readers_find_the_form_that_adds_a_blog_where_there_is_a_repository() -> None:
    edition = make_edition(make_post(1), repository="https://github.com/you/planet/")

    pages = [Document(drawn(each)["about/index.html"]) for each in (edition, make_edition())]

    links = [
        [link["href"] for link in page.all("a") if link.text == "Add your blog"] for page in pages
    ]
    assert links == [["https://github.com/you/planet/issues/new?template=add.yml"], []]


def test_every_page_leads_to_it() -> None:
    site = drawn(make_whole_edition(link="https://planet.example/sub/"))

    for path, body in site.items():
        if path.endswith(".html"):
            root = "/sub/" if path == "404.html" else "../" * path.count("/")
            links = [link["href"] for link in Document(body).all("a")]
            assert f"{root}about/index.html" in links, path
