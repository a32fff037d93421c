"""Feeds → the site that `planet build` makes of them."""

import json
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from typing import Any, TypeAlias

import planet
from planet.cli.serve import MESSAGE
from planet.model import (
    ContentMode,
    Digest,
    Edition,
    Enclosure,
    FeedHealth,
    GivenUp,
    Linked,
    LinkGraph,
    Moved,
    Owner,
    Pages,
    Person,
    Picking,
    Podcast,
    Post,
    Source,
    Tag,
    Text,
    TextKind,
)
from planet.site.pages import load_theme
from planet.text.html import Cleaning, clean
from tests.browser.chromium import PICTURE
from tests.docs import EXAMPLE_THEMES
from tests.processes import files, python
from tests.site.editions import (
    NOON,
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

Site: TypeAlias = "Mapping[str, bytes]"


def build(folder: Path, feeds: Mapping[str, bytes], *, sanitizer: str, images: str) -> Site:
    """Every file of the site, by its path."""
    for name, body in feeds.items():
        (folder / f"{name}.xml").write_bytes(body)
    config = {
        "title": "A planet",
        "sanitizer": sanitizer,
        "pages": {"images": images, "source": 1000},
        "retention": {"entries": "9999d", "content": "9999d"},
        "new_feed_entries": "all",
        "feeds": [{"url": f"{name}.xml", "id": name, "tags": "all"} for name in feeds],
    }
    (folder / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    return built(folder)


def built(folder: Path, **environ: str) -> Site:
    """Every file of the site that the config in a folder makes, by its path."""
    done = python("-m", "planet", "build", "--fail-on", "any", folder=folder, **environ)
    assert done.returncode == 0, done.stderr
    return files(folder / "public")


def write(site: Site, folder: Path) -> None:
    for name, body in site.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(body)


class Quiet(SimpleHTTPRequestHandler):
    """The files of a folder, with this Content-Security-Policy."""

    policy = ""

    def end_headers(self) -> None:
        if self.policy:
            self.send_header("Content-Security-Policy", self.policy)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(folder: Path, policy: str = "") -> Iterator[str]:
    """A folder on loopback; its address."""
    handler = type("Heeding", (Quiet,), {"policy": policy})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


# Every kind of page in every theme: the demonstration, and planets with what that lacks

THEMES = ("default", "serif", "classic", "headlines")
EVERYTHING = "everything"
"""The name of sites with pages of every kind, and with posts that are hard to show."""

_PACKAGE = Path(planet.__file__).parent
_LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
_ADDRESS = f"https://a.example/{'long-' * 40}"
_HARD = f"""
<p>{_LONG * 2} stands beside <a href="{_ADDRESS}">{_ADDRESS}</a>.</p>
<h2>A heading</h2><h3>And one below it</h3>
<ul><li>One</li><li>Two<ol><li>Three</li></ol></li></ul>
<blockquote><p>What somebody else said.</p></blockquote>
<pre><code>{"a line of code that goes on and on and " * 8}
{_LONG * 2}</code></pre>
<table><thead><tr>{"<th>Column</th>" * 12}</tr></thead><tbody><tr>{"<td>value</td>" * 12}</tr>
<tr>{f"<td>{_LONG}</td>" * 3}</tr></tbody></table>
<p><img src="{PICTURE}" alt="A harbour, very wide" width="2400" height="300"></p>
<figure><img src="{PICTURE}" alt=""><figcaption>The same</figcaption></figure>
<video src="https://films.example/a.mp4" width="1920" height="1080"></video>
<p>نص باللغة العربية <code>code</code> <kbd>Ctrl</kbd> <sup>1</sup></p><hr>
<details><summary>More</summary><p>Folded</p></details>
"""


def gallery(folder: Path, *, whole: bool) -> dict[str, Site]:
    """Sites by name: of each theme all, or only that which has pages of every kind.

    Of the example themes of the documentation it is always that one.
    """
    sites = {
        f"{theme}, {name}": site
        for theme in THEMES
        for name, site in (_sites(folder / theme, theme) if whole else _first(theme))
    }
    examples = {
        f"{name}, {EVERYTHING}": site
        for name, theme in EXAMPLE_THEMES.items()
        for _, site in _first(theme)
    }
    return sites | examples


def pages_of(site: Site) -> list[str]:
    return [path for path in site if path.endswith(".html")]


def everything(language: str = "en") -> Edition:
    """A planet with pages of every kind, and with posts that are hard to show."""
    blog = make_source(
        "blog",
        title="The blog",
        description="What one person writes",
        link="https://blog.example/",
        tags=("harbour", _LONG),
        standing=FeedHealth(
            asked_at=NOON,
            quiet_since=hours_before(9999),
            moved=Moved(to="https://elsewhere.example/feed", since=NOON, adopted=True),
        ),
    )
    gone = make_source("gone", title=_LONG, standing=_GONE, content=ContentMode.SUMMARY)
    arabic = make_source("bustan", title="دفتر البستان", description="ما ينمو", language="ar")
    silent = make_source("silent", title="A source without posts", standing=_FAILING)
    show = make_source("show", title="A show", description="Talks", link="https://show.example/")
    posts = list(_posts(blog, gone, arabic, show))
    picks: dict[str, Any] = {"title": "An episode", "summary": "What it is about. " * 30}
    picked = make_picked(20, show, note="Worth your evening.", published=hours_before(999), **picks)
    episodes = tuple(
        make_post(number, show, enclosures=(make_audio(number),), **picks).entry
        for number in (30, 31)
    )
    return make_edition(
        *posts,
        picked,
        sources=[blog, gone, arabic, silent, show],
        title="Planet Example",
        link="https://planet.example/",
        description="What the neighbours write",
        owner=Owner(name="Ada", email="ada@planet.example", url="https://ada.example/"),
        language=language,
        tags=(Tag(name="harbour", slug="harbour"), Tag(name=_LONG, slug="long")),
        podcast=Podcast(title="Heard", description="What was picked"),
        episodes={"show": episodes},
        digests=_digests(),
        repository="https://code.example/planet",
        hub="https://hub.example/",
        links=LinkGraph(
            top=(
                Linked(address=posts[0].entry.link or "", post=posts[0], posts=tuple(posts[2:4])),
                Linked(address=f"https://news.example/{_LONG}", title=_LONG, posts=(posts[1],)),
            ),
            is_shared=True,
        ),
    )


_GONE = FeedHealth(given_up=GivenUp.GONE, given_up_at=NOON)
_FAILING = FeedHealth(failures=3, message="503 Service Unavailable", failing_since=NOON)


def _posts(blog: Source, gone: Source, arabic: Source, show: Source) -> Iterator[Post]:
    words = "Three lines of a summary, which end where there is no more room for them. " * 6
    said: dict[str, Any] = {"summary": words, "authors": (Person(name="Ada"),)}
    yield make_post(1, blog, **said, title="A title of a common length", also_in=(arabic,))
    yield make_post(2, blog, title=_LONG * 2, summary=_LONG * 2, when=hours_before(1))
    yield make_post(3, gone, **said, title="", when=hours_before(2))
    said["language"] = "ar"
    yield make_post(4, arabic, **said, title="رائحة التراب بعد المطر", when=hours_before(3))
    audio = Enclosure(
        url="https://show.example/1.mp3",
        media_type="audio/mpeg",
        length=12_345_678,
        duration=1834,
        title=_LONG,
    )
    film = Enclosure(url="https://show.example/1.mp4", media_type="video/mp4")
    file = Enclosure(url="https://show.example/1.pdf", media_type="application/pdf")
    yield make_post(5, show, title="To hear and to see", enclosures=(audio, film, file))
    yield make_post(6, show, title="No link", link=None, when=hours_before(30))
    for number in range(7, 14):
        yield make_post(number, blog, **said, when=hours_before(24 * number))
    yield make_post(14, blog, when=hours_before(24 * 500))


def _of_many(theme: str) -> Site:
    """The pages on which many sources stand."""
    names = (
        *("دفتر البستان", "הבלוג", "がんばる", "技術ブログ", "한국", "Ёлка", "Łódź", "🎈", "37"),
        *(_LONG, "A name that goes on and on, as if there were no room for anything else " * 2),
        *(f"Person {number}" for number in range(20)),
    )
    standings = (FeedHealth(), _GONE, _FAILING, FeedHealth(quiet_since=NOON))
    sources = [
        make_source(f"s{n}", title=name, description=_LONG if n % 2 else name, standing=standing)
        for n, (name, standing) in enumerate(zip(names, cycle(standings), strict=False))
    ]
    posts = [
        make_post(n, source, title=source.title * 3 or None, when=hours_before(n))
        for n, source in enumerate(sources[:-4])
    ]
    site = _drawn(make_edition(*posts, sources=sources), theme, script=True)
    pages = {"index.html", "sources/index.html"}
    return {path: body for path, body in site.items() if path in pages or ".html" not in path}


def _digests() -> tuple[Digest, ...]:
    sections = make_section("The blog"), make_section(_LONG, "")
    return make_digest(20, *sections), make_digest(19), make_digest(18)


def _first(theme: str | Path) -> Iterator[tuple[str, Site]]:
    yield EVERYTHING, _drawn(everything(), theme, picking=Picking.FORM, script=True, search=True)


def _sites(folder: Path, theme: str) -> Iterator[tuple[str, Site]]:
    yield from _first(theme)
    yield "demo", _demo(folder, theme)
    in_arabic = _drawn(everything("ar"), theme, picking=Picking.LINK, script=True, search=True)
    yield "in Arabic", in_arabic
    yield "many sources", _of_many(theme)
    yield "nothing", _drawn(make_edition(language="ja", digests=()), theme)
    if theme == THEMES[0]:
        yield (
            "told by the server",
            {
                "told.html": (
                    MESSAGE % {"message": "Nothing was changed", "explain": _LONG}
                ).encode()
            },
        )


def _drawn(edition: Edition, theme: str | Path, **changes: Any) -> Site:
    hard = clean(Text(value=_HARD, kind=TextKind.HTML), Cleaning())
    return drawn(
        edition,
        pages=Pages(archive=2, **changes),
        contents=dict.fromkeys((*range(1, 14), -20, -21), hard),
        theme=load_theme(theme),
    )


def _demo(folder: Path, theme: str) -> Site:
    """The site of `planet demo` in a theme, and with the script."""
    shutil.copytree(_PACKAGE / "demo", folder)
    with (folder / "config.yaml").open("a", encoding="utf-8") as config:
        config.write(f"\ntheme: {theme}\npages: {{script: true}}\n")
    return built(folder, PLANET_DEMO="feeds")
