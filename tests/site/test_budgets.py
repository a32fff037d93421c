"""How much a visitor has to load."""

import pytest

from planet.model import Pages, Person
from planet.site.pages import load_theme
from tests.site.editions import drawn, hours_before, make_edition, make_post, make_source
from tests.site.html import Document

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
