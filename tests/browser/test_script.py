"""The small script and the page of sources, in Chromium: pages are complete without a script."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from planet.model import Pages
from tests.browser.chromium import Page
from tests.browser.gallery import serving, write
from tests.site.editions import drawn, make_edition, make_post, make_source

POST = make_post(1, title="Post")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    names = ["Élan", "دفتر البستان", *(f"S{number}" for number in range(30))]
    others = [make_source(f"s{n}", title=name) for n, name in enumerate(names)]
    sources = [POST.source, *others]
    edition = make_edition(POST, sources=sources, link="https://planet.example/")
    folder = tmp_path_factory.mktemp("site")
    write(drawn(edition, pages=Pages(script=True)), folder)
    with serving(folder) as root:
        yield root


@pytest.fixture(scope="module")
def page(on_loopback: Browser) -> Page:
    return Page(on_loopback)


def test_the_address_of_a_feed_is_copied_with_a_button(page: Page, root: str) -> None:
    page.open(f"{root}subscribe/index.html")
    page.value(
        "navigator.clipboard.writeText = async text => { window.copied = text; };"
        "document.querySelector('.feeds button').click()"
    )

    assert page.value("window.copied") == "https://planet.example/atom.xml"
    assert page.value("document.querySelectorAll('.feeds button').length") == 3


def test_a_letter_leads_to_its_sources(page: Page, root: str) -> None:
    page.open(f"{root}sources/index.html")

    page.value("document.querySelector('.letters li:last-child a').click()")
    where = page.value(
        "(() => { const box = document.querySelector(':target').getBoundingClientRect();"
        "return [document.querySelector(':target h2').textContent, box.bottom <= innerHeight]; })()"
    )

    assert where == ["د", True]
