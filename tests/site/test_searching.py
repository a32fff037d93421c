"""The page on which posts are searched, and what a site is without it."""

import re

import pytest

from planet.model import SEARCHED, Pages
from tests.site.editions import drawn, make_edition, make_post, make_whole_edition
from tests.site.html import Document

WIDE = "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; "
PAGE, SCRIPT = "search/index.html", "search/search.js"


def policy(page: bytes) -> str:
    (meta,) = Document(page).all("meta", http_equiv="Content-Security-Policy")
    return meta["content"]


def rule(headers: bytes) -> str:
    """The policy that is sent with every file."""
    (line,) = (line for line in headers.decode().splitlines() if "Security-Policy" in line)
    return line.partition(": ")[2]


def test_every_page_leads_to_the_search_where_there_is_one() -> None:
    site = drawn(make_whole_edition(), pages=Pages(search=True))

    for path, page in site.items():
        if path.endswith(".html"):
            links = [link["href"] for link in Document(page).all("a") if "href" in link.attributes]
            assert [link for link in links if link.endswith(PAGE)], path


def test_without_a_search_nothing_speaks_of_one() -> None:
    edition = make_whole_edition()

    without, with_it = drawn(edition), drawn(edition, pages=Pages(search=True))

    added = with_it.keys() - without.keys()
    assert {re.sub(r"\.[0-9a-f]{10}\.", ".", path) for path in added} == {PAGE, SCRIPT}
    mention = {path for path, body in without.items() if b"earch" in body}
    assert {path for path in mention if not path.endswith(".css")} == {"_headers"}


def test_only_the_page_with_the_search_may_ask_and_compute() -> None:
    site = drawn(make_whole_edition(), pages=Pages(search=True))

    wide = [path for path, page in site.items() if path.endswith(".html") and WIDE in policy(page)]
    narrow = [path for path in site if path.endswith(".html") and path not in wide]

    assert wide == [PAGE]
    assert [path for path in narrow if "script-src" in policy(site[path])] == []
    assert [path for path in narrow if Document(site[path]).all("script")] == []


@pytest.mark.parametrize("script", [False, True])
def test_what_hosts_send_forbids_nothing_that_the_page_allows(script: bool) -> None:
    site = drawn(make_edition(make_post()), pages=Pages(search=True, script=script))

    allowed = set(policy(site[PAGE]).split("; "))

    # No page can forbid to be framed.
    assert set(rule(site["_headers"]).split("; ")) == {
        *allowed,
        "font-src 'self'",
        "frame-ancestors 'none'",
    }


def test_the_page_is_complete_without_a_script() -> None:
    page = Document(drawn(make_edition(make_post()), pages=Pages(search=True))[PAGE])

    (form,) = page.all("form")
    assert "hidden" in form.attributes
    assert page.texts("noscript") == [
        "Searching needs JavaScript. "
        "Without it, the archive and the list of sources lead to every post."
    ]
    links = [link["href"] for link in page.all("a")]
    assert links.count("../archive/index.html") == links.count("../sources/index.html") == 2


def test_the_field_is_named_and_the_number_of_results_is_announced() -> None:
    page = Document(drawn(make_edition(make_post()), pages=Pages(search=True))[PAGE])

    assert page.texts("label") == ["Words to look for in the newest post"]
    assert [label["for"] for label in page.all("label")] == ["query"]
    assert [field["id"] for field in page.all("input")] == ["query"]
    assert page.all("p", id="count", role="status")


def test_without_posts_there_is_nothing_to_search() -> None:
    page = Document(drawn(make_edition(), pages=Pages(search=True))[PAGE])

    assert page.all("form") == page.all("script") == []
    assert "There are no posts yet." in page.texts("p")


def test_the_page_says_how_many_posts_can_be_found() -> None:
    posts = [make_post(1)] * (SEARCHED + 1)

    page = Document(drawn(make_edition(*posts), pages=Pages(search=True))[PAGE])

    assert page.texts("label") == ["Words to look for in the newest 5,000 posts"]


def test_its_script_and_style_are_small() -> None:
    site = drawn(make_edition(make_post()), pages=Pages(search=True))

    assert len(site[SCRIPT]) <= 6_000
    assert len(site["search.css"]) <= 2_000
