"""One browser for all tests here, and the count of what was done in it."""

from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from tests.browser.chromium import Tab, find, launch
from tests.browser.gallery import Site, build, gallery
from tests.browser.trial import WAYS, Tame, without_policies
from tests.browser.vectors import FORMATS, Channel, Vector, channels_of, entries_of

_COUNTS = pytest.StashKey[Counter[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all-vectors", action="store_true", help="try all vectors of the corpus, not a sample"
    )
    parser.addoption(
        "--all-pages", action="store_true", help="look at all pages of all themes, not a sample"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "way" in metafunc.fixturenames:
        ways = WAYS if _all_vectors(metafunc.config) else WAYS[:3]
        metafunc.parametrize("way", ways, ids=str)


@pytest.fixture(scope="session")
def all_vectors(pytestconfig: pytest.Config) -> bool:
    return _all_vectors(pytestconfig)


@pytest.fixture(scope="session")
def all_pages(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--all-pages", default=False))


def _all_vectors(config: pytest.Config) -> bool:
    # Where these tests are found among others, the option is not known, and not given.
    return bool(config.getoption("--all-vectors", default=False))


@pytest.fixture(scope="session")
def library() -> Iterator[Playwright]:
    if find() is None:
        pytest.skip("no Chromium on the PATH; Debian has it as chromium")
    with sync_playwright() as library:
        yield library


@pytest.fixture(scope="session")
def running(library: Playwright) -> Iterator[Browser]:
    with launch(library) as browser:
        yield browser


@pytest.fixture(scope="session")
def on_loopback(library: Playwright) -> Iterator[Browser]:
    """One that can reach this machine, and nothing else."""
    with launch(library, reaches="127.0.0.1") as browser:
        yield browser


@pytest.fixture(scope="session")
def tab(running: Browser) -> Tab:
    return Tab(running)


@pytest.fixture(scope="session")
def sites(all_pages: bool, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Site]:
    """Sites in all themes, see `gallery`."""
    return gallery(tmp_path_factory.mktemp("gallery"), whole=all_pages)


@pytest.fixture(scope="session")
def tame(tab: Tab, tmp_path_factory: pytest.TempPathFactory) -> Tame:
    words = ["<p>Tame</p>", "https://a.example/", "tame", "<a href='https://a.example/'>a</a>", ""]
    # What has nobody's name in it, and plays in JSON.
    words += ["<svg></svg>"]
    # Notes: as titles they are too long, and nothing.
    words += ["tame " * 100, "<img src='https://a.example/i' alt='tame'>"]
    # As many as on a planet of vectors, so that a month has parts here as well.
    vectors = [Vector(id=str(place), html=word) for word in words for place in range(72)]
    feeds = {**entries_of(vectors, shift=0), **channels_of([*vectors[:1], *vectors[-1:]])}
    feeds["empty"] = FORMATS["rss"](Channel(title="Empty", description="", link=""), [])
    # What makes a note without an address, as its own would be too long.
    picture = f"<img src='https://a.example/i' alt='{'tame ' * 2000}'>"
    # And notes that have addresses and that have none, alone and rolled up, of so many sources that
    # they are listed by letters.
    empty = [*["&#160;"] * 48, *[picture] * 48]
    notes = entries_of([Vector(id=str(n), html=word) for n, word in enumerate(empty)], shift=0)
    # And one whose links nobody else has: their page lists them by post, with their hosts where
    # they have titles. Its few notes stand in groups, and have no addresses.
    alone = "<a href='https://b.example/'>b</a>, <a href='https://c.example/c'>the title of it</a>"
    few = [alone, *[picture] * 12]
    sites = site, *_ = [
        build(tmp_path_factory.mktemp("tame"), of, sanitizer="bleach", images="lazy")
        for of in (
            feeds,
            {**notes, **channels_of(vectors[::12])},
            entries_of([Vector(id=str(n), html=word) for n, word in enumerate(few)], shift=0),
        )
    ]
    visits = [tab.open(on, path) for on in sites for path in on if path.endswith(".html")]
    assert [visit.faults for visit in visits if visit.faults] == []
    shapes = frozenset[str]().union(*(visit.shapes for visit in visits))
    return Tame(site=without_policies(site), shapes=shapes)


@pytest.fixture(scope="session")
def counts(pytestconfig: pytest.Config) -> Counter[str]:
    """What was done, by its name; said at the end of the run."""
    return pytestconfig.stash.setdefault(_COUNTS, Counter())


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    counts = config.stash.get(_COUNTS, Counter())
    if counts:
        said = ", ".join(f"{count} {name}" for name, count in counts.items())
        terminalreporter.write_line(f"In Chromium: {said}")
