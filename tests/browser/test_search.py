"""The search in Chromium: words are typed, and what comes is text and links to the web."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from planet.model import ContentMode, Pages
from planet.site.search import index
from tests.browser.chromium import Page
from tests.browser.gallery import serving, write
from tests.cases import case, cases
from tests.site.editions import drawn, make_edition, make_post, make_source

pytest.importorskip("pagefind", reason="Pagefind is not installed")
pytestmark = pytest.mark.browser

SCRIPT = (
    "hostile </p><script>window.ran = 1</script><img src=x onerror='window.ran = 1'><mark>&lt;b>"
)
HARBOUR = make_source("harbour", title="Harbour Notes", content=ContentMode.SUMMARY)
WILD = make_source("wild", title=SCRIPT, content=ContentMode.SUMMARY)
POSTS = [
    make_post(1, HARBOUR, title="New boats", summary="Three of them came in at low water."),
    make_post(2, HARBOUR, title="Nothing but a title", link=None),
    make_post(3, WILD, title=SCRIPT, summary=f"{SCRIPT} {SCRIPT}"),
]
FIRST = """new Promise((resolve, reject) => {
  const started = Date.now();
  const look = () => {
    const message = document.querySelector(".pagefind-ui__message")?.textContent.trim();
    const found = [...document.querySelectorAll(".pagefind-ui__result-inner")];
    if (message && !message.startsWith("Searching") && found.every(item => item.isConnected)) {
      resolve([message, found.map(item => [
        item.querySelector(".pagefind-ui__result-link").textContent,
        item.querySelector(".pagefind-ui__result-excerpt").textContent,
        item.querySelector(".pagefind-ui__result-link").href,
      ])]);
    }
    else if (Date.now() - started > 60000) reject(new Error("nothing came"));
    else setTimeout(look, 50);
  };
  look();
})"""


class Searching(Page):
    """The page with the search, on a host that heeds the `_headers` of the site."""

    def __init__(self, browser: Browser, root: str) -> None:
        super().__init__(browser)
        self._root = root
        self.run_first(
            "window.refused = [];"
            "addEventListener('securitypolicyviolation', e => refused.push(e.violatedDirective))"
        )

    def open(self, url: str) -> None:
        super().open(f"{self._root}{url}")

    def look_for(self, words: str) -> Any:
        """Type words; return how many results there are, and of each its texts and its link."""
        self.open("search/index.html")
        self.page.locator(".pagefind-ui__search-input").fill(words)
        return self.results()

    def results(self) -> Any:
        self.page.locator(".pagefind-ui__message").wait_for()
        # Results are there at once, and their texts when they have come.
        self.page.wait_for_load_state("networkidle")
        return self.value(FIRST)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("site")
    edition = make_edition(*POSTS, link="https://planet.example/")
    site = drawn(edition, pages=Pages(search=True)) | index(edition, lambda _: {})
    write(site, folder)
    return folder


@pytest.fixture(scope="module")
def page(folder: Path, on_loopback: Browser) -> Iterator[Searching]:
    rules = (folder / "_headers").read_text(encoding="utf-8")
    policies = re.findall("Content-Security-Policy: (.+)", rules)
    with serving(folder, policies[0]) as root:
        yield Searching(on_loopback, root)


def test_words_lead_to_the_post_that_has_them(page: Searching) -> None:
    assert page.look_for("came water") == [
        "1 result for came water",
        [
            [
                "Harbour Notes: New boats",
                "20 November 2026 · Three of them came in at low water.",
                "https://harbour.example/1",
            ]
        ],
    ]
    assert page.value("[...document.querySelectorAll('mark')].map(mark => mark.textContent)") == [
        "came",
        "water.",
    ]
    assert page.value("refused") == []


@cases(
    "typed, message",
    case("another form of it", "waters", "1 result for waters"),
    case("its beginning", "wat", "No results for wat"),
)
def test_a_word_is_found_as_a_whole(page: Searching, typed: str, message: str) -> None:
    assert page.look_for(typed)[0] == message


def test_a_search_has_an_address_and_a_post_without_one_leads_to_its_month(page: Searching) -> None:
    page.open("search/index.html?q=nothing")

    (_, ((title, _, address),)) = page.results()
    assert title == "Harbour Notes: Nothing but a title"
    assert address == page.value("new URL('../2026/11/index.html', location).href")


def test_the_field_is_named(page: Searching) -> None:
    page.open("search/index.html")

    field = page.page.get_by_role("textbox", name="Words to look for in the newest 3 posts")

    assert field.count() == 1


def test_nothing_that_a_feed_says_runs(page: Searching) -> None:
    (_, ((title, excerpt, address),)) = page.look_for("hostile")

    assert title == f"{SCRIPT}: {SCRIPT}"
    assert "<script>window.ran = 1</script>" in excerpt
    assert address == "https://wild.example/3"
    inside = "document.querySelectorAll('#search .pagefind-ui__results :is(script, img, b)')"
    assert page.value(f"{inside}.length") == 0
    assert page.value("[window.ran ?? null, refused]") == [None, []]


def test_other_pages_have_no_script_and_let_none_run(page: Searching) -> None:
    page.open("index.html")

    page.value(
        "document.head.append(Object.assign(document.createElement('script'),"
        " {src: 'search/search.js'}))"
    )
    refused = page.value(
        "fetch('atom.xml').then(() => 'came', () => new Promise(go => setTimeout(go, 100)))"
        ".then(() => refused)"
    )

    assert sorted(set(refused)) == ["connect-src", "script-src-elem"]
