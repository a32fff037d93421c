"""The pages of digests."""

from tests.site.editions import drawn, make_digest, make_edition, make_post, make_section
from tests.site.html import Document

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


def test_what_has_no_link_is_told_without_one() -> None:
    edition = make_edition(digests=(make_digest(20, make_section("One", "mailto:one")),))

    page = Document(drawn(edition)["digest/2026-11-20/index.html"])

    assert page.texts("h2", "h3") == ["One", "One"]
    assert "One" not in page.texts("a")


def test_the_digest_feed_is_named_where_it_belongs() -> None:
    site = drawn(make_edition(make_post(), digests=DIGESTS))

    named = {
        path
        for path, page in site.items()
        if path.endswith(".html")
        and any(link["href"].endswith("digest.xml") for link in Document(page).all("link"))
    }
    assert named == {
        "index.html",
        "subscribe/index.html",
        "digest/index.html",
        "digest/2026-11-20/index.html",
        "digest/2026-11-19/index.html",
    }


def test_the_subscribe_page_leads_to_the_digest() -> None:
    page = Document(drawn(make_edition(digests=()))["subscribe/index.html"])

    assert page.texts("li")[5] == (
        "Digest feed what is new, told once a day or once a week Look inside Digest feed"
    )
    assert [link["href"] for link in page.all("a", class_="look")] == ["../digest/index.html"]
