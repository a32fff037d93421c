"""Pages of podcasts, picks, links, digests, tags, and the page about the planet."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

from msgspec.structs import replace

from planet.model import (
    Edition,
    Enclosure,
    Entry,
    Images,
    Linked,
    LinkGraph,
    Owner,
    Pages,
    Picking,
    Podcast,
    Source,
    Tag,
    handle,
)
from planet.site.pages.nouns import TOKEN
from tests.cases import case, cases
from tests.site.editions import (
    Document,
    drawn,
    hours_before,
    make_audio,
    make_digest,
    make_edition,
    make_picked,
    make_post,
    make_section,
    make_source,
)

ONE = make_source("one")
GONE = Source(key="gone", slug="", url="", title="Gone", link="https://gone.example/")


def test_the_page_of_a_podcast_has_the_episodes_of_its_feed() -> None:
    both = (Enclosure(url="https://one.example/x.pdf"), make_audio(3), make_audio(4))
    edition = make_edition(
        make_post(1, enclosures=(make_audio(1),)),
        make_post(2, enclosures=(make_audio(1),), when=hours_before(1)),
        make_post(3, enclosures=both, when=hours_before(2)),
        make_post(4, when=hours_before(3)),
        make_post(5, enclosures=(make_audio(5),), when=hours_before(4)),
        make_post(6, enclosures=(make_audio(6),), when=hours_before(5)),
    )

    page = Document(drawn(edition, pages=Pages(feed=3))["podcast/index.html"])

    assert [player["src"] for player in page.all("audio")] == [
        enclosure.url for enclosure in (make_audio(1), make_audio(3), make_audio(5))
    ]
    assert page.texts("h3") == ["Post 1", "Post 3", "Post 5"]


def test_an_episode_says_its_show_and_when_it_was_published_and_why_it_was_picked() -> None:
    edition = make_edition(
        make_picked(1, ONE, note="About ice.\nListen.", published=datetime(2020, 1, 2, tzinfo=UTC)),
        make_picked(2, GONE, when=hours_before(24)),
        make_post(3, ONE, enclosures=(make_audio(3),), when=hours_before(48)),
        sources=[ONE],
    )

    page = Document(drawn(edition)["podcast/index.html"])

    assert page.texts("p", class_="from") == [
        "One Published 2 January 2020",
        "Gone 19 November 2026",
        "One 18 November 2026",
    ]
    assert page.texts("p", class_="why") == ["About ice. Listen."]


@cases(
    "images, shown",
    case("images are shown", Images.LAZY, "https://covers.example/1.jpg"),
    case("images are linked", Images.LINKED, "../cover.png"),
    case("images are left out", Images.NONE, "../cover.png"),
)
def test_a_cover_on_another_host_is_shown_as_images_of_posts_are(
    images: Images, shown: str
) -> None:
    cover = Podcast(cover="https://covers.example/1.jpg")
    edition = make_edition(make_picked(1, ONE), podcast=cover)

    site = drawn(edition, pages=Pages(images=images))

    page = Document(site["podcast/index.html"])
    assert [image["src"] for image in page.all("img")] == [shown]


SHOW = make_source("show")
PICKED = make_picked(1, SHOW)
PAGE = "source/show/index.html"


def make_episode(number: int, **changes: Any) -> Entry:
    changes.setdefault("enclosures", (make_audio(number),))
    return make_post(number, SHOW, title=f"Episode {number}", **changes).entry


def make_show(**changes: Any) -> Edition:
    """An edition with a show of which one episode is picked, and two may be."""
    episodes = {"show": (make_episode(9), make_episode(8))}
    changes = {"repository": "https://code.example/planet", "episodes": episodes, **changes}
    return make_edition(PICKED, sources=[SHOW], **changes)


def shown(edition: Edition, picking: Picking, path: str = PAGE) -> Document:
    return Document(drawn(edition, pages=Pages(picking=picking))[path])


def buttons(page: Document) -> list[str]:
    return [*page.texts("button"), *page.texts("a", class_="button")]


OFFERED = ["Pick Episode 9", "Pick Episode 8"]


@cases(
    "picking, expected",
    case("none", Picking.NONE, []),
    case("link", Picking.LINK, OFFERED),
    case("form", Picking.FORM, ["Take out of Planet Example Post -1", *OFFERED]),
)
def test_a_show_has_its_picks_first_and_then_what_may_be_picked(
    picking: Picking, expected: list[str]
) -> None:
    page = shown(make_show(), picking)

    headings = ["Newest posts", "Post -1", "Episodes to pick", "Episode 9", "Episode 8"]
    assert page.texts("h2", "h3") == headings
    assert len(page.all("audio")) == 3
    assert buttons(page) == expected


def test_a_form_says_which_episode_and_that_it_is_ours() -> None:
    page = shown(make_show(), Picking.FORM)

    forms = [(form["method"], form["action"]) for form in page.all("form")]
    fields = [(field["name"], field["value"]) for field in page.all("input", type="hidden")]
    assert forms == [("post", "../../-/unpick"), ("post", "../../-/pick"), ("post", "../../-/pick")]
    assert fields == [
        (name, value)
        for episode in (PICKED.entry.id, "https://show.example/9", "https://show.example/8")
        for name, value in [("token", TOKEN), ("episode", handle("show", episode))]
    ]
    assert [field["name"] for field in page.all("input") if "type" not in field.attributes] == [
        "note",
        "note",
    ]


def test_a_link_opens_a_form_in_the_repository_that_is_filled_in() -> None:
    episode = replace(make_episode(9), title="Tea & toast? 100% “yes” #1")
    edition = make_show(
        episodes={"show": (episode,)}, repository="https://code.example/you/planet/"
    )

    (link,) = shown(edition, Picking.LINK).all("a", class_="button")

    address = urlsplit(link["href"])
    assert address[:3] == ("https", "code.example", "/you/planet/issues/new")
    assert address.fragment == ""
    assert parse_qs(address.query) == {
        "template": ["pick.yml"],
        "title": ["Pick: Tea & toast? 100% “yes” #1"],
        "episode": [handle("show", "https://show.example/9")],
    }


TWO = make_source("two")
POST, OTHER = make_post(1, ONE), make_post(2, TWO)


def page_of(*top: Linked, is_shared: bool = True) -> Document:
    edition = make_edition(POST, OTHER, links=LinkGraph(top=top, is_shared=is_shared))
    return Document(drawn(edition)["links/index.html"])


def test_an_address_that_posts_call_something_is_called_so_and_says_where_it_is() -> None:
    page = page_of(Linked(address="https://news.example/a", title="The flood", posts=(POST, OTHER)))

    assert page.texts("h2") == ["The flood"]
    assert "news.example/a · Linked by 2 sources" in page.texts("p")


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


DIGESTS = (make_digest(20, make_section("One"), make_section("Two")), make_digest(19))


def test_before_the_first_digest_its_page_says_so() -> None:
    site = drawn(make_edition(make_post(), digests=()))

    page = Document(site["digest/index.html"])
    assert page.texts("p", class_="lead") == ["There is no digest yet."]


def test_the_newest_digest_comes_with_links_to_the_others() -> None:
    page = Document(drawn(make_edition(digests=DIGESTS))["digest/index.html"])

    assert page.texts("h1", "h2", "h3") == ["Digest", "One", "One", "Two", "Two", "Earlier digests"]
    assert page.texts("p", class_="lead") == [
        "20 November 2026: 2 posts since 19 November 2026, 07:00"
    ]
    assert page.texts("p", class_="excerpt") == ["About One", "About Two"]
    assert [(link.text, link["href"]) for link in page.all("a") if "digest/2" in link["href"]] == [
        ("19 November 2026", "../digest/2026-11-19/index.html")
    ]


def test_the_subscribe_page_leads_to_the_digest() -> None:
    page = Document(drawn(make_edition(digests=()))["subscribe/index.html"])

    assert page.texts("li")[5] == (
        "Digest feed what is new, told once a day or once a week Look inside Digest feed"
    )
    assert [link["href"] for link in page.all("a", class_="look")] == ["../digest/index.html"]


SEA = Tag(name="The sea", slug="the-sea")
FERRY = make_source("ferry", tags=("The sea",))
PORT = make_source("port", tags=("The sea", "Trade"))
INLAND = make_source("inland")
EDITION = make_edition(
    make_post(1, FERRY, enclosures=(make_audio(),)),
    make_post(2, PORT, when=hours_before(1)),
    make_post(3, INLAND, when=hours_before(2)),
    make_post(4, FERRY, when=hours_before(30)),
    tags=(SEA, Tag(name="Trade", slug="trade")),
)


def test_a_tag_has_the_newest_posts_of_its_sources_by_day() -> None:
    site = drawn(EDITION)

    page = Document(site["tag/the-sea/index.html"])
    assert page.texts("h1", "h2", "h3") == [
        "The sea",
        "Friday 20 November 2026",
        "Post 1",
        "Post 2",
        "Thursday 19 November 2026",
        "Post 4",
    ]
    assert Document(site["tag/trade/index.html"]).texts("h3") == ["Post 2"]


def test_a_tag_names_its_sources_and_its_feeds() -> None:
    site = drawn(EDITION)

    page = Document(site["tag/the-sea/index.html"])
    (sources,) = page.texts("p", class_="tags")
    assert sources == "Sources: Ferry Port"
    links = [*page.all("link", rel="alternate"), *page.all("link", rel="blogroll")]
    assert [(link["title"], link["href"]) for link in links] == [
        ("Planet Example: The sea – Atom feed", "../../tag/the-sea/atom.xml"),
        ("Planet Example: The sea – JSON feed", "../../tag/the-sea/feed.json"),
        ("Planet Example: The sea – Podcast feed", "../../tag/the-sea/podcast.xml"),
        ("Planet Example: The sea – List of sources (OPML)", "../../tag/the-sea/opml.xml"),
    ]
    assert b"podcast.xml" not in site["tag/trade/index.html"]


def test_sources_and_their_list_lead_to_tags() -> None:
    site = drawn(EDITION)

    assert Document(site["source/port/index.html"]).texts("p", class_="tags") == [
        "Tags: The sea Trade"
    ]
    assert Document(site["source/inland/index.html"]).texts("p", class_="tags") == []
    assert Document(site["sources/index.html"]).texts("nav")[1:] == ["The sea Trade"]


def about(owner: Owner) -> Document:
    edition = make_edition(
        make_post(1),
        make_post(2),
        sources=[make_source("one"), make_source("two"), make_source("three")],
        description="News from people who make things.",
        owner=owner,
    )
    return Document(drawn(edition)["about/index.html"])


@cases(
    "owner, addresses",
    case("nobody", Owner(), []),
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
