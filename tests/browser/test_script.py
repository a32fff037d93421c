"""The small script, in Chromium: what it adds to pages that are complete without it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from planet.model import FeedHealth, Pages
from tests.browser.chromium import Page
from tests.browser.gallery import serving, write
from tests.site.editions import NOON, drawn, hours_before, make_edition, make_post, make_source

POSTS = [make_post(n, when=hours_before(2 * n), title=f"Post {n}") for n in range(3)]
OLD = make_post(9, when=hours_before(24 * 30), title="Old")
AGO = "[...document.querySelectorAll('.from time')].map(time => time.textContent)"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    quiet = FeedHealth(quiet_since=NOON)
    names = ["Élan", "دفتر البستان", "Boring", *(f"S{number}" for number in range(30))]
    others = [
        make_source(f"s{n}", title=name, standing=quiet if name == "Boring" else FeedHealth())
        for n, name in enumerate(names)
    ]
    posts = [*POSTS, OLD]
    sources = [posts[0].source, *others]
    edition = make_edition(*posts, sources=sources, language="de", link="https://planet.example/")
    folder = tmp_path_factory.mktemp("site")
    write(drawn(edition, pages=Pages(script=True)), folder)
    with serving(folder) as root:
        yield root


@pytest.fixture(scope="module")
def page(on_loopback: Browser) -> Page:
    """A tab in which it is an hour after noon."""
    page = Page(on_loopback)
    now = int(NOON.timestamp() + 3600) * 1000
    page.run_first(f"Date.now = () => {now}")
    return page


def test_moments_of_the_last_week_are_told_by_their_distance(page: Page, root: str) -> None:
    page.open(f"{root}index.html")

    ago = page.value(AGO)

    assert ago[:3] == ["vor 1 Stunde", "vor 3 Stunden", "vor 5 Stunden"]
    assert "vor" not in ago[3]
    assert page.value("document.querySelector('.from time').title") == "12:00"


def test_on_paper_moments_are_told_as_they_are(page: Page, root: str) -> None:
    page.open(f"{root}index.html")

    page.value("dispatchEvent(new Event('beforeprint')) && null")
    printed = page.value(AGO)
    page.value("dispatchEvent(new Event('afterprint')) && null")
    after = page.value(AGO)

    assert printed[:3] == ["12:00", "10:00", "08:00"]
    assert after[:3] == ["vor 1 Stunde", "vor 3 Stunden", "vor 5 Stunden"]


def test_keys_go_from_post_to_post_and_stay_at_the_ends(page: Page, root: str) -> None:
    page.open(f"{root}index.html")

    met = []
    for key in "jjkkjjjjjk":
        page.page.keyboard.press(key)
        met.append(page.value("document.activeElement.textContent"))

    assert met == [
        *("Post 0", "Post 1", "Post 0", "Post 0", "Post 1"),
        *("Post 2", "Old", "Old", "Old", "Post 2"),
    ]


def test_the_address_of_a_feed_is_copied_with_a_button(page: Page, root: str) -> None:
    page.open(f"{root}subscribe/index.html")
    page.value(
        "navigator.clipboard.writeText = async text => { window.copied = text; };"
        "document.querySelector('.feeds button').click()"
    )

    assert page.value("window.copied") == "https://planet.example/atom.xml"
    assert page.value("document.querySelectorAll('.feeds button').length") == 3


SHOWN = """(() => {
  const shown = (selector) => [...document.querySelectorAll(selector)]
    .filter((element) => element.checkVisibility()).map((element) => element.textContent.trim());
  return [shown(".letter h2"), shown(".name a")];
})()"""


def test_a_field_leaves_the_sources_in_which_what_is_typed_stands(page: Page, root: str) -> None:
    page.open(f"{root}sources/index.html")
    filter_by = (
        "(() => {{ const field = document.getElementById('filter'); field.value = {!r};"
        "field.dispatchEvent(new Event('input')); return field.checkVisibility(); }})()"
    )

    found = {}
    for typed in ("elan", " البستان", "post 2", "nobody"):
        assert page.value(filter_by.format(typed)) is True
        found[typed] = page.value(SHOWN)
    page.value(filter_by.format(""))
    everything = page.value(SHOWN)

    assert found == {
        "elan": [["E"], ["Élan"]],
        " البستان": [["د"], ["دفتر البستان"]],
        "post 2": [["O"], ["One"]],
        "nobody": [[], []],
    }
    assert (everything[0], len(everything[1])) == (["B", "E", "O", "S", "د"], 34)


def test_quiet_sources_and_their_letters_go_without_the_script(page: Page, root: str) -> None:
    page.open(f"{root}sources/index.html")

    page.value("document.querySelector('.filter [type=checkbox]').checked = true")
    shown = page.value(SHOWN)

    assert shown[0] == ["E", "O", "S", "د"]
    assert "Boring" not in shown[1]


def test_a_letter_leads_to_its_sources(page: Page, root: str) -> None:
    page.open(f"{root}sources/index.html")

    page.value("document.querySelector('.letters li:last-child a').click()")
    where = page.value(
        "(() => { const box = document.querySelector(':target').getBoundingClientRect();"
        "return [document.querySelector(':target h2').textContent, box.bottom <= innerHeight]; })()"
    )

    assert where == ["د", True]
