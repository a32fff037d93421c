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
from tests.browser.sites import serving, write
from tests.cases import case, cases
from tests.site.editions import drawn, hours_before, make_edition, make_post, make_source

pytest.importorskip("pagefind", reason="Pagefind is not installed")
pytestmark = pytest.mark.browser

SCRIPT = (
    "hostile </p><script>window.ran = 1</script><img src=x onerror='window.ran = 1'><mark>&lt;b>"
)
HARBOUR = make_source("harbour", title="Harbour Notes", content=ContentMode.SUMMARY)
WILD = make_source("wild", title=SCRIPT, language=SCRIPT, content=ContentMode.SUMMARY)
MANY = [
    make_post(n, HARBOUR, title=f"Tide {n}", summary="Of tables", when=hours_before(n))
    for n in range(10, 25)
]
POSTS = [
    make_post(1, HARBOUR, title="New boats", summary="Three of them came in at low water."),
    make_post(2, HARBOUR, title="Nothing but a title", link=None, language="en-GB"),
    make_post(3, WILD, title=SCRIPT, summary=f"{SCRIPT} {SCRIPT}", language=SCRIPT),
    *MANY,
    make_post(4, HARBOUR, title="Zwei Häuser am Kai", summary="Kinder liefen", language="de"),
    make_post(5, HARBOUR, title="港の朝", summary="今日は三隻の船が港に入りました", language="ja"),
    make_post(6, HARBOUR, title="ميناء", summary="وصلت القوارب إلى الميناء", language="ar"),
]
WAIT = """new Promise((resolve, reject) => {
  const started = Date.now();
  const look = () => {
    const said = document.querySelector("#count").textContent;
    if (said && !said.includes("Searching")) resolve(said);
    else if (Date.now() - started > 120000) reject(new Error("nothing came"));
    else setTimeout(look, 20);
  };
  look();
})"""


class Searching(Page):
    def __init__(self, browser: Browser, root: str) -> None:
        super().__init__(browser)
        self._root = root
        self.run_first(
            "window.refused = [];"
            "addEventListener('securitypolicyviolation', e => refused.push(e.violatedDirective))"
        )

    def open(self, url: str) -> None:
        super().open(f"{self._root}{url}")

    def look_for(self, words: str) -> object:
        """Type words, press Enter, and wait for the number of results."""
        self.type(words)
        self.page.keyboard.press("Enter")
        return self.value(WAIT)

    def type(self, words: str) -> None:
        self.value("document.querySelector('#query').focus()")
        self.page.keyboard.insert_text(words)

    def results(self) -> Any:
        """Each result, as soon as all are there that come at first: its texts, and its link."""
        return self.value(
            """new Promise(resolve => {
              const look = () => {
                const items = [...document.querySelectorAll("#found > li")];
                if (items.length) resolve(items.map(item => [
                  ...[".from", "h2", ".excerpt"].map(part => item.querySelector(part)?.textContent),
                  item.querySelector("h2 a")?.href,
                ]));
                else setTimeout(look, 20);
              };
              look();
            })"""
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("site")
    edition = make_edition(*POSTS, link="https://planet.example/")
    site = drawn(edition, pages=Pages(search=True)) | index(edition, lambda _: {})
    write(site, folder)
    return folder


@pytest.fixture(scope="module")
def page(folder: Path, on_loopback: Browser) -> Iterator[Searching]:
    """On a host that heeds the `_headers` of the site."""
    rules = (folder / "_headers").read_text(encoding="utf-8")
    policies = re.findall("Content-Security-Policy: (.+)", rules)
    with serving(folder, policies[0]) as root:
        yield Searching(on_loopback, root)


def test_a_word_leads_to_the_post_that_has_it(page: Searching) -> None:
    page.open("search/index.html")

    said = page.look_for("came water")

    assert said == "Results: 1"
    assert page.results() == [
        [
            "Harbour Notes 20 November 2026",
            "New boats",
            "Three of them came in at low water.",
            "https://harbour.example/1",
        ]
    ]
    marked = "[...document.querySelectorAll('#found mark')].map(mark => mark.textContent)"
    assert page.value(marked) == ["came", "water."]
    assert page.value("location.search") == "?q=came%20water"
    assert page.value("refused") == []


TELLS = """(() => {
  window.told = [];
  const modules = () => performance.getEntriesByType("resource")
    .map(entry => entry.name.match(/pagefind\\.js\\?(.+)$/)?.[1]).filter(Boolean);
  new MutationObserver(() => told.push([document.querySelector("#count").textContent, modules()]))
    .observe(document.querySelector("#count"), {childList: true});
})()"""


def test_the_language_of_the_page_is_searched_first_and_its_results_are_shown_at_once(
    page: Searching,
) -> None:
    page.open("search/index.html")
    page.value(TELLS)

    page.look_for("boats")

    (begins, first, whole) = page.value("told")
    assert begins == ["Searching…", []]
    assert first == ["Results: 1 · Searching…", ["en"]]
    assert whole[0] == "Results: 1"
    assert sorted(whole[1]) == ["ar", "de", "en", "ja"]
    assert [found for _, found, *_ in page.results()] == ["New boats"]


def test_results_come_while_one_types_in_other_forms_of_the_word_too(page: Searching) -> None:
    page.open("search/index.html")

    page.type("boat")

    assert page.value(WAIT) == "Results: 1"


@cases(
    "words, title",
    case("a form of a German word", "Haus", "Zwei Häuser am Kai"),
    case("a word within a line of Japanese", "船", "港の朝"),
    case("an Arabic word without its article", "قوارب", "ميناء"),
    case("an English word, as before", "boats", "New boats"),
)
def test_words_are_found_in_the_posts_language(page: Searching, words: str, title: str) -> None:
    page.open("search/index.html")

    page.look_for(words)

    assert [found for _, found, *_ in page.results()] == [title]
    assert page.value("document.documentElement.lang") == "en"
    assert page.value("refused") == []


def test_a_search_can_be_linked_to(page: Searching) -> None:
    page.open("search/index.html?q=title")

    assert page.value(WAIT) == "Results: 1"
    assert page.results() == [
        [
            "Harbour Notes 20 November 2026",
            "Nothing but a title",
            None,
            page.value("new URL('../2026/11/index.html', location).href"),
        ]
    ]
    assert page.value("document.querySelector('#found li').lang") == "en-GB"


@pytest.mark.parametrize("word", ["example", "2026", "november", "gb"])
def test_what_is_told_of_a_post_besides_its_words_is_not_found(page: Searching, word: str) -> None:
    page.open("search/index.html")

    assert page.look_for(word) == "Results: 0"


def test_more_results_come_when_asked_for_and_their_first_has_the_focus(page: Searching) -> None:
    page.open("search/index.html")

    assert page.look_for("tide") == "Results: 15"
    assert len(page.results()) == 10
    page.value("document.querySelector('#more').click()")
    page.value(
        "new Promise(resolve => { const look = () => document.querySelector('#more').hidden"
        " ? resolve() : setTimeout(look, 20); look(); })"
    )

    assert len(page.results()) == 15
    assert page.value("document.activeElement === document.querySelectorAll('#found a')[10]")


def test_nothing_that_a_feed_says_runs(page: Searching) -> None:
    page.open("search/index.html")

    assert page.look_for("hostile") == "Results: 1"

    ((from_, title, excerpt, href),) = page.results()
    assert from_ == f"{SCRIPT} 20 November 2026"
    assert title == SCRIPT
    assert "<script>window.ran = 1</script>" in excerpt
    assert href == "https://wild.example/3"
    assert page.value("document.querySelectorAll('#found :is(script, img, b)').length") == 0
    assert page.value("[window.ran, refused]") == [None, []]


def test_the_number_of_results_is_announced_and_the_field_is_named(page: Searching) -> None:
    page.open("search/index.html")

    assert page.value("document.querySelector('#count').getAttribute('role')") == "status"
    assert page.value("document.querySelector('#query').labels[0].innerText") == (
        "Words to look for in the newest 21 posts"
    )


def test_an_index_that_is_not_there_is_told(page: Searching, folder: Path) -> None:
    entry = folder / "search/pagefind/pagefind-entry.json"
    kept = entry.read_bytes()
    entry.unlink()
    try:
        page.open("search/index.html")

        assert page.look_for("boats") == (
            "The search could not be loaded. Loading this page again may help."
        )
    finally:
        entry.write_bytes(kept)


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
