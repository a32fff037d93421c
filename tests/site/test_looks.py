"""Every theme of Planet and of its documentation draws every page, whatever it is given."""

from datetime import UTC, datetime
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import urlsplit

import pytest

from planet.model import ContentMode, Edition, Enclosure, Pages, Person, Picking, Podcast
from planet.parse import parse
from planet.site.pages import Theme, load_theme
from tests.cases import case, cases
from tests.docs import EXAMPLE_THEMES
from tests.site.editions import (
    Document,
    drawn,
    hours_before,
    make_audio,
    make_edition,
    make_post,
    make_source,
    make_whole_edition,
)

NAMES = sorted(file.parent.name for file in Path(__file__).parents[2].glob("themes/*/theme.toml"))
THEMES = [
    *(pytest.param(load_theme(name), id=name) for name in NAMES),
    *(pytest.param(load_theme(folder), id=name) for name, folder in EXAMPLE_THEMES.items()),
]
SCRIPT = "</title><script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ 7*7 }}"

SPLIT = Pages(archive=1)
"""A site whose months have a page for each day."""

every_theme = pytest.mark.parametrize("theme", THEMES)


def documents(site: dict[str, bytes]) -> dict[str, Document]:
    return {path: Document(body) for path, body in site.items() if path.endswith(".html")}


@every_theme
@pytest.mark.parametrize("picking", Picking)
def test_text_is_text_on_pages_of_every_kind(theme: Theme, picking: Picking) -> None:
    tame = drawn(make_whole_edition(), pages=Pages(archive=1, picking=picking), theme=theme)
    wild = drawn(make_whole_edition(SCRIPT), pages=Pages(archive=1, picking=picking), theme=theme)

    assert wild.keys() == tame.keys()
    expected = documents(tame)
    for path, page in documents(wild).items():
        assert shape(page) == shape(expected[path]), path
        assert "{{ 7*7 }}" in page.all("html")[0].text


def shape(page: Document) -> list[tuple[str, set[str]]]:
    """The elements of a page with their attributes, without what depends on a text being there."""
    return [(element.tag, element.attributes.keys() - {"lang"}) for element in page.elements]


@every_theme
def test_no_address_but_one_of_the_web_is_on_a_page(theme: Theme) -> None:
    edition = make_whole_edition(address="javascript:alert(1)", repository="javascript:alert(1)")

    site = drawn(edition, pages=Pages(archive=1, picking=Picking.LINK), theme=theme)

    assert [path for path, page in site.items() if b"javascript:" in page] == []


@every_theme
def test_every_page_goes_down_from_one_heading_without_leaving_out_a_step(theme: Theme) -> None:
    for path, page in documents(drawn(make_whole_edition(), pages=SPLIT, theme=theme)).items():
        steps = [
            int(element.tag[1]) for element in page.elements if element.tag in ("h1", "h2", "h3")
        ]

        assert steps.count(1) == 1, path
        below = zip([0, *steps], steps, strict=False)
        assert all(lower <= upper + 1 for upper, lower in below), (path, steps)


@every_theme
def test_no_id_is_given_twice(theme: Theme) -> None:
    for path, page in documents(drawn(make_whole_edition(), pages=SPLIT, theme=theme)).items():
        ids = [element["id"] for element in page.elements if element.attributes.get("id")]

        assert sorted(set(ids)) == sorted(ids), path


@every_theme
def test_no_page_loads_anything_from_elsewhere(theme: Theme) -> None:
    site = drawn(make_whole_edition(podcast=Podcast()), pages=SPLIT, theme=theme)

    for path, page in documents(site).items():
        links = [*page.all("link", rel="stylesheet"), *page.all("link", rel="icon")]
        loaded = [link["href"] for link in links]
        loaded += [each["src"] for each in page.all("script", "img")]
        assert {urlsplit(address)[:2] for address in loaded} <= {("", "")}
        found = [normpath(join(dirname(path), address)).lstrip("/") for address in loaded]
        assert set(found) <= site.keys()
        assert {each["preload"] for each in page.all("audio", "video")} <= {"none"}
        assert page.all("iframe", "object", "embed", "style") == []


@every_theme
def test_the_styles_of_a_theme_ask_nobody(theme: Theme) -> None:
    style = drawn(make_edition(), theme=theme)["style.css"]

    assert b"url(" not in style
    assert b"@import" not in style


@every_theme
@pytest.mark.parametrize(
    "rule", [b"prefers-color-scheme: dark", b"@media print", b":focus-visible", b".skip:focus"]
)
def test_the_styles_of_a_theme_think_of_everybody(theme: Theme, rule: bytes) -> None:
    assert rule in drawn(make_edition(), theme=theme)["style.css"]


def two_sources() -> list[bytes]:
    """The front pages of all themes in their order, for posts by two sources in two days."""
    full, short = make_source("full"), make_source("short", content=ContentMode.SUMMARY)
    edition = make_edition(
        make_post(1, full, summary="First words", authors=(Person(name="Ada"),)),
        make_post(2, short, summary="Second words", when=hours_before(1)),
        make_post(3, full, when=hours_before(2), enclosures=(make_audio(3),)),
        make_post(4, full, when=hours_before(30), also_in=(short,)),
    )
    texts = {number: f"<p>Text <em>{number}</em></p>" for number in range(1, 5)}
    return [drawn(edition, contents=texts, theme=load_theme(name))["index.html"] for name in NAMES]


def test_classic_has_posts_in_full_by_time_and_all_sources_beside_them() -> None:
    page = Document(two_sources()[0])

    assert page.texts("h3") == ["Post 1", "Post 2", "Post 3", "Post 4"]
    assert page.texts("p", class_="by") == [
        "Full 12:00 Ada",
        "Short 11:00",
        "Full 10:00",
        "Full 06:00",
    ]
    assert page.texts("div", class_="content") == ["Text 1", "Text 3", "Text 4"]
    assert page.texts("p", class_="excerpt") == ["Second words"]
    assert page.texts("aside") == ["Sources Full Short"]


def test_headlines_has_a_line_for_each_post_by_time() -> None:
    page = Document(two_sources()[2])

    assert page.texts("article") == [
        "Full Post 1 12:00",
        "Short Post 2 11:00",
        "Full Post 3 10:00",
        "Full Post 4 06:00",
    ]
    assert page.texts("h2") == ["Friday 20 November 2026", "Thursday 19 November 2026"]


@every_theme
@cases("path", case("front page", "index.html"), case("source", "source/one/index.html"))
def test_a_page_reads_as_the_feed_that_it_shows(theme: Theme, path: str) -> None:
    one, link = make_source("one", title="One"), "https://planet.example/"
    edition = make_edition(
        make_post(1, one, authors=(Person(name="Ada"), Person(name="Bob"))),
        make_post(2, one, when=hours_before(1), summary="In short", enclosures=(make_audio(2),)),
        make_post(3, one, when=hours_before(2), title="", summary="A note of some words."),
        link=link,
    )
    page = drawn(edition, contents={2: "<p>Text 2</p>"}, theme=theme)[path]

    entries = parse(page, url=link + path, content_type="text/html").entries

    posts = tuple(edition.timeline.posts())
    assert [entry.link for entry in entries] == [post.entry.link for post in posts]
    assert [entry.published for entry in entries] == [post.when for post in posts]
    titles = [entry.title.value if entry.title else "" for entry in entries]
    lines = theme.name in ("Headlines", "Dense") and path == "index.html"
    assert titles == ["Post 1", "Post 2", "A note of some words." if lines else ""]
    names = [[author.name for author in entry.authors] for entry in entries]
    assert names[0] == ["One"] if lines else ["Ada", "Bob"]
    assert lines or [file.url for file in entries[1].enclosures] == [make_audio(2).url]
    # A reader of headings comes by the note as well, at the line with its moment.
    assert len(Document(page).all("h3")) == 3


def test_the_address_of_a_feed_which_may_hold_a_secret_is_on_no_page() -> None:
    source = make_source(url="https://one.example/feed?token=secret")

    site = drawn(make_edition(make_post(1, source)))

    assert [path for path, page in site.items() if b"secret" in page] == []


@cases(
    "edition",
    case("lone surrogate", make_edition(make_post(title="\ud800 alone"))),
    case(
        "the last minute there is",
        make_edition(make_post(when=datetime(9999, 12, 31, 23, 59, tzinfo=UTC))),
    ),
    case("the first minute", make_edition(make_post(when=datetime(1, 1, 1, tzinfo=UTC)))),
    case(
        "a length beyond measure",
        make_edition(make_post(enclosures=(Enclosure(url="https://a.example/", length=10**30),))),
    ),
    case("blank title", make_edition(make_post(1, make_source(title=" \u200b")))),
)
def test_odd_values_stop_no_page(edition: Edition) -> None:
    site = drawn(edition)

    assert len(Document(site["index.html"]).all("article")) == 1


POSTS = [
    make_post(
        number,
        make_source(f"source-number-{number % 25}", title=f"The blog of person {number % 25}"),
        when=hours_before(number * 3),
        title="A title of a common length, neither short nor long " + "x" * 20,
        link=f"https://person-{number}.example/2026/11/20/a-title-of-a-common-length/",
        summary="Words of a common length, and more of them than are shown. " * 9,
        authors=(Person(name="Ada Lovelace"),) * (number % 3 == 0),
    )
    for number in range(60)
]
TEXT = "<p>What somebody wrote, in a paragraph of a few lines that is like others.</p>\n" * 12


@pytest.mark.parametrize("name", ["default", "classic", "headlines"])
def test_a_front_page_of_sixty_posts_is_small_and_so_is_what_it_loads(name: str) -> None:
    edition = make_edition(*POSTS, link="https://planet.example/", description="What people write")
    texts = {post.entry.number: TEXT for post in POSTS}

    site = drawn(edition, pages=Pages(script=True), contents=texts, theme=load_theme(name))

    page = Document(site["index.html"])
    assert len(page.all("article")) == 60
    # What is written in the posts of `classic` comes on top.
    shown = len(page.all("div", class_="content"))
    assert len(site["index.html"]) - shown * len(TEXT) <= 60_000
    assert len(site["style.css"]) <= 14 * 1024
    assert len(site["planet.js"]) <= 3_750
    (sheet,) = page.all("link", rel="stylesheet")
    assert site[sheet["href"]] == site["style.css"]
    (script,) = page.all("script")
    assert site[script["src"]] == site["planet.js"]
    assert page.all("img") == []
