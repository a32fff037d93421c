"""Which pages a site has, and what stands on each."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from posixpath import dirname, join, normpath
from urllib.parse import unquote_to_bytes, urlsplit

from planet.model import (
    ContentMode,
    Enclosure,
    FeedHealth,
    GivenUp,
    Moved,
    Owner,
    Pages,
    Person,
    Picking,
    Podcast,
)
from planet.site.feeds import feed_files
from planet.site.pages import load_theme
from planet.site.pages.labels import letter
from tests.cases import case, cases
from tests.site.editions import (
    NOON,
    Document,
    drawn,
    hours_before,
    make_edition,
    make_picked,
    make_post,
    make_source,
    make_whole_edition,
)

LONG_ADDRESS = "https://www.one.example/a/path/that/goes/on/and/on/for/ever"
ONE, TWO = make_source("one"), make_source("two")
EPISODE = Enclosure(
    url="https://one.example/1.mp3", media_type="audio/mpeg", length=34_200_000, duration=3753
)


def test_a_site_has_a_page_for_each_month_and_source() -> None:
    edition = make_edition(
        make_post(1, ONE),
        make_post(2, TWO, when=datetime(2025, 3, 1, tzinfo=UTC)),
        sources=[ONE, TWO, make_source("silent")],
    )

    site = drawn(edition)

    assert sorted(path for path in site if path.endswith(".html")) == [
        "2025/03/index.html",
        "2026/11/index.html",
        "404.html",
        *(f"{kind}/index.html" for kind in ("about", "archive")),
        "index.html",
        "links/index.html",
        *(f"source/{slug}/index.html" for slug in ("one", "silent", "two")),
        *(f"{kind}/index.html" for kind in ("sources", "subscribe")),
    ]
    others = {"manifest.webmanifest", "planet.json", "robots.txt", "_headers", ".nojekyll"}
    assert others | load_theme("default").static.keys() <= site.keys()


def test_the_front_page_goes_by_day_then_by_source() -> None:
    edition = make_edition(
        make_post(1, ONE, when=hours_before(1)),
        make_post(2, TWO, when=hours_before(2)),
        make_post(3, ONE, when=hours_before(3)),
        make_post(4, TWO, when=hours_before(30)),
    )

    page = Document(drawn(edition)["index.html"])

    assert page.texts("h1", "h2", "h3") == [
        "Planet Example",
        "Friday 20 November 2026",
        "Post 1",
        "Post 3",
        "Post 2",
        "Thursday 19 November 2026",
        "Post 4",
    ]


def test_days_begin_at_midnight_in_the_zone_of_the_planet() -> None:
    edition = make_edition(make_post(1, when=datetime(2026, 11, 30, 23, 30, tzinfo=UTC)))

    site = drawn(edition)

    page = Document(site["2026/12/index.html"])
    assert page.texts("h2") == ["Tuesday 1 December 2026"]
    assert [time["datetime"] for time in page.all("time")] == [
        "2026-12-01",
        "2026-12-01T00:30:00+01:00",
    ]
    assert page.texts("time")[1] == "00:30"


@cases(
    "theme, order, told",
    case("default", "default", (0, 1, 2, 3, 4, 8, 9), "All posts of 20 November 2026"),
    case("headlines", "headlines", (0, 1, 2, 3, 4, 8, 9), "3 more from One"),
)
def test_of_a_loud_source_the_front_page_shows_a_share_and_leads_to_the_rest(
    theme: str, order: tuple[int, ...], told: str
) -> None:
    loud = [make_post(number, ONE, when=hours_before(number / 60)) for number in range(8)]
    quiet = [make_post(8, TWO, when=hours_before(0.15)), make_post(9, TWO, when=hours_before(24))]
    edition = make_edition(*loud, *quiet)

    page = Document(drawn(edition, theme=load_theme(theme), pages=Pages(front=7))["index.html"])

    assert page.texts("h3") == [f"Post {number}" for number in order]
    links = [(link.text, link["href"]) for link in page.all("a")]
    day = "2026/11/index.html#2026-11-20"
    assert [link for link in links if "index.html#" in str(link[1])] == [(told, day)]


@cases(
    "mode, river, own",
    case("full", ContentMode.FULL, ["Words"], ["Text"]),
    case("summary", ContentMode.SUMMARY, ["Words"], ["Words"]),
    case("title", ContentMode.TITLE, [], []),
)
def test_a_post_is_shown_as_far_as_its_source_allows(
    mode: ContentMode, river: list[str], own: list[str]
) -> None:
    source = make_source(content=mode)
    edition = make_edition(make_post(1, source, summary="Words", enclosures=(EPISODE,)))

    site = drawn(edition, contents={1: "<p>Text</p>"})

    for path, expected in [("index.html", river), ("source/one/index.html", own)]:
        page = Document(site[path])
        said = page.texts("p", class_="excerpt") + page.texts("div", class_="content")
        assert said == expected
        assert len(page.all("audio")) == len(expected)


@cases(
    "title, summary, expected",
    case("both", "Title", "Words", ("Title", ["Words"])),
    case("words that are the title", "Same", "Same", ("Same", [])),
    case(
        "a note with an address",
        None,
        f"See {LONG_ADDRESS}",
        (None, ["See one.example/a/path/that/goes/on/and/on/…"]),
    ),
    case("a cut title", "Only a few…", "Only a few words", (None, ["Only a few words"])),
    case("long words", "Title", "word " * 100, ("Title", ["word " * 55 + "word…"])),
)
def test_a_post_says_nothing_twice(
    title: str | None, summary: str | None, expected: tuple[str | None, list[str]]
) -> None:
    edition = make_edition(make_post(title=title, summary=summary))

    page = Document(drawn(edition)["index.html"])

    heading = next(iter(page.texts("h3", class_="p-name")), None)
    words = page.texts("p", class_="excerpt") + page.texts("p", class_="words")
    assert (heading, words) == expected


def test_an_author_is_named_where_the_name_of_the_source_does_not() -> None:
    people = (Person(name="Ann Lee"), Person(name="Bob"))
    post = make_post(1, make_source(title="Ann Lee’s notes"), authors=people)

    page = Document(drawn(make_edition(post))["index.html"])

    assert page.texts("span", class_="p-author") == ["Bob"]


@cases(
    "published, told",
    case("another day", datetime(2026, 11, 6, 12, tzinfo=UTC), True),
    case("the same day", NOON, False),
)
def test_a_pick_says_when_it_was_published_where_that_was_on_another_day(
    published: datetime, told: bool
) -> None:
    edition = make_edition(make_picked(1, ONE, published=published))

    site = drawn(edition)

    for path in ("podcast/index.html", "index.html"):
        assert ("Published 6 November 2026" in site[path].decode()) is told


@cases(
    "enclosure, tags, said",
    case("episode", EPISODE, ["audio"], "Download 34 MB"),
    case(
        "film",
        Enclosure(url="https://a.example/v", media_type="video/mp4"),
        ["video"],
        "Download",
    ),
)
def test_enclosures_can_be_played_or_fetched(
    enclosure: Enclosure, tags: list[str], said: str
) -> None:
    page = Document(drawn(make_edition(make_post(enclosures=(enclosure,))))["index.html"])

    players = page.all("audio", "video")
    (link,) = [link for link in page.all("a") if link.text.startswith("Download")]
    assert [(player.tag, player["preload"], player["src"]) for player in players] == [
        (tag, "none", enclosure.url) for tag in tags
    ]
    assert page.texts("summary") == (
        ["Play Post 1 1:02:33" if enclosure.duration else "Play Post 1"] if tags else []
    )
    assert link["href"] == enclosure.url
    assert (link.text, page.texts("span", class_="fact")) == (said, [])


def test_the_list_of_sources_says_who_they_are_and_what_they_wrote_last() -> None:
    one = make_source("one", description="What one person writes")
    posts = [make_post(n, one, when=hours_before(24 * n), language="fr") for n in range(5)]
    edition = make_edition(*posts, sources=[one, TWO])

    page = Document(drawn(edition, pages=Pages(source=1))["sources/index.html"])

    assert page.texts("li")[3:] == [
        "One What one person writes Post 0 20 November 2026 Post 1 19 November 2026 "
        "Post 2 18 November 2026",
        *(f"Post {n} {20 - n} November 2026" for n in range(3)),
        "Two",
    ]
    assert [link["href"] for link in page.all("a") if link.text.startswith("Post")] == [
        post.entry.link for post in posts[:3]
    ]
    assert len(page.all("p", lang="fr")) == 3


@cases(
    "title, expected",
    case("a letter", "Ada", "A"),
    case("behind what is no letter", "“… @ada”", "A"),
    case("one that has two as a capital", "ßtraße", "S"),
    case("Cyrillic", "Ёлка", "Е"),
    case("hiragana", "がんばる", "か"),
    case("Hangul", "한국", "ㅎ"),
    case("Chinese", "阮一峰的网络日志", "字"),
)
def test_a_source_is_found_under_its_first_letter_in_any_script(title: str, expected: str) -> None:
    assert letter(title) == expected


def test_many_sources_are_parted_by_letter_and_a_link_leads_to_each() -> None:
    titles = ["Émile", "Eva", "Ada", "Łukasz", "دفتر", "37", "🎈", *(f"B{n:02}" for n in range(20))]
    sources = [make_source(f"s{n}", title=title) for n, title in enumerate(titles)]
    edition = make_edition(sources=sources)

    page = Document(drawn(edition)["sources/index.html"])

    assert page.texts("h2") == ["#", "A", "B", "E", "Ł", "د"]
    links = [link["href"] for link in page.all("a") if link["href"].startswith("#letter")]
    assert links == [f"#{section['id']}" for section in page.all("div", class_="letter")]
    assert links[:2] == ["#letter-0", "#letter-A"]
    names = [name.text for name in page.all("p", class_="name")]
    assert names[:3] == ["🎈", "37", "Ada"]
    assert names[-4:] == ["Émile", "Eva", "Łukasz", "دفتر"]
    assert page.texts("h1") == ["27 sources"]


@cases(
    "theme, link",
    case("address unknown", "default", None),
    case("own host", "classic", "https://planet.example/"),
    case("below a path", "headlines", "https://planet.example/a/b/"),
)
def test_every_link_inside_the_site_leads_somewhere(theme: str, link: str | None) -> None:
    odd = make_source("ça & là")
    posts = [make_post(number, when=hours_before(100 * number)) for number in range(30)]
    edition = make_edition(*posts, make_post(99, odd, enclosures=(EPISODE,)), link=link)

    for shown, archive in ((edition, 100), (edition, 4), (make_whole_edition(link=link), 1)):
        site = drawn(shown, pages=Pages(front=10, archive=archive), theme=load_theme(theme))
        made = feed_files(shown, pages=Pages(), contents=lambda numbers: {}, cover="cover.png")
        there = {path.encode() for path in site.keys() | {file.path for file in made}}
        there.add(b"health.json")
        for path, page in site.items():
            if path.endswith(".html"):
                assert _led_to(Document(page), path, link) <= there


def _led_to(page: Document, path: str, link: str | None) -> set[bytes]:
    """The files that a page's links lead to, as a browser on a host finds them."""
    root = urlsplit(link or "").path or "/"
    found = set()
    for element in page.all("a", "link", "img"):
        href = element["src" if element.tag == "img" else "href"]
        if href.startswith(("https:", "mailto:", "#")):
            continue
        assert path == "404.html" or not href.startswith("/")
        on_host = href if href.startswith("/") else root + normpath(join(dirname(path), href))
        found.add(unquote_to_bytes(on_host.removeprefix(root).partition("#")[0]))
    return found


@cases(
    "picking, referrer, policy",
    case("none", Picking.NONE, "no-referrer", "form-action 'none'"),
    case("link", Picking.LINK, "no-referrer", "form-action 'none'"),
    case("form, only in a preview", Picking.FORM, "same-origin", "form-action 'self'"),
)
def test_every_page_stands_alone(picking: Picking, referrer: str, policy: str) -> None:
    edition = make_whole_edition(
        owner=Owner(name="Robin", url="https://robin.example/"), podcast=Podcast()
    )

    site = drawn(edition, pages=Pages(picking=picking))

    for path in (path for path in site if path.endswith(".html")):
        page = Document(site[path])
        assert page.all("html")[0].attributes == {"lang": "en", "dir": "ltr"}
        assert not [element for element in page.elements if "style" in element.attributes]
        assert page.all("meta", name="robots", content="noindex")
        assert page.all("meta", name="referrer", content=referrer)
        (said,) = page.all("meta", http_equiv="Content-Security-Policy")
        assert said["content"].split("; ")[-1] == policy
        assert page.all("a", class_="skip", href="#main")
        assert page.all("main", id="main")
        assert page.texts(
            "a", href=f"{'/' if path == '404.html' else '../' * path.count('/')}about/index.html"
        )


def test_pages_may_be_indexed_when_the_operator_says_so() -> None:
    edition = make_edition(make_post(), link="https://planet.example/")

    site = drawn(edition, pages=Pages(indexing=True))

    pages = [path for path in site if path.endswith(".html")]
    listed = [path for path in pages if b"noindex" not in site[path]]
    assert listed == ["index.html", "sources/index.html", "about/index.html"]
    root = ET.fromstring(site["sitemap.xml"])
    assert [address.text for address in root.iter() if address.tag.endswith("loc")] == [
        "https://planet.example/",
        "https://planet.example/sources/",
        "https://planet.example/about/",
    ]
    assert b"Sitemap: https://planet.example/sitemap.xml" in site["robots.txt"]


def test_a_page_of_full_texts_has_a_bounded_weight() -> None:
    posts = [
        make_post(number, ONE, when=hours_before(number), summary="In short")
        for number in range(1, 9)
    ]
    texts = {post.entry.number: f"<p>{'word ' * 8_000}</p>" for post in posts}

    page = Document(drawn(make_edition(*posts), contents=texts)["source/one/index.html"])

    assert len(page.all("div", class_="content")) == 3
    assert page.texts("p", class_="excerpt") == ["In short"] * 5


def test_a_page_names_its_feeds_the_sources_and_its_owner() -> None:
    site = drawn(make_whole_edition(owner=Owner(name="Robin", url="https://robin.example/")))

    def named(path: str, rel: str) -> list[str]:
        return [link["href"] for link in Document(site[path]).all("link", "a", rel=rel)]

    assert named("index.html", "alternate") == [
        "atom.xml",
        "feed.json",
        "podcast.xml",
        "digest.xml",
    ]
    assert named("index.html", "blogroll") == ["opml.xml"]
    assert named("index.html", "me") == ["https://robin.example/"]
    assert named("tag/some-tag/index.html", "blogroll") == ["../../tag/some-tag/opml.xml"]


def test_a_month_goes_on_on_pages_that_stay_when_posts_come() -> None:
    posts = [make_post(n, when=hours_before(n / 60)) for n in range(8)]
    pages = Pages(front=2, archive=3)

    first, site = (
        drawn(make_edition(*posts[1:]), pages=pages),
        drawn(make_edition(*posts), pages=pages),
    )

    shown = {path: Document(site[path]) for path in site if path.startswith("2026/11/")}
    assert {path: page.texts("h1")[-1] for path, page in shown.items()} == {
        "2026/11/index.html": "November 2026",
        "2026/11/1/index.html": "November 2026 (1)",
    }
    newest, oldest = shown.values()
    assert (newest.texts("h3"), oldest.texts("h3")) == (
        [f"Post {n}" for n in range(5)],
        [f"Post {n}" for n in (5, 6, 7)],
    )
    around = [page.all("a", rel=rel)[0] for page, rel in ((newest, "prev"), (oldest, "next"))]
    assert [(link.text, link["href"]) for link in around] == [
        ("November 2026 (1)", "../../2026/11/1/index.html"),
        ("November 2026", "../../../2026/11/index.html"),
    ]
    assert first["2026/11/1/index.html"] == site["2026/11/1/index.html"]


@cases(
    "a_day, front, older",
    case("to the month that is next", 1, 20, "2026/10/index.html#2026-10-31"),
    case("to the part of it that has the day", 8, 8, "2026/11/2/index.html#2026-11-19"),
    case("to the rest of a day", 8, 6, "2026/11/index.html#2026-11-20"),
    case("nowhere, when it shows all", 1, 24, None),
)
def test_the_front_page_leads_on_to_where_it_breaks_off(
    a_day: int, front: int, older: str | None
) -> None:
    posts = [
        make_post(n, make_source(f"s{n}"), when=hours_before(24 * (n // a_day) + 0.1 * (n % a_day)))
        for n in range(24)
    ]

    page = Document(drawn(make_edition(*posts), pages=Pages(front=front, archive=8))["index.html"])

    links = [link["href"] for link in page.all("a") if link.text.startswith("All posts of")]
    assert links == ([older] if older else [])


@cases(
    "standing, said",
    case("well", FeedHealth(asked_at=NOON), []),
    case(
        "failing",
        FeedHealth(failures=3, message="503 Service Unavailable", failing_since=NOON),
        [
            "Nothing new arrives from here at present. "
            "503 Service Unavailable (since 20 November 2026)"
        ],
    ),
    case(
        "given up",
        FeedHealth(given_up=GivenUp.GONE, given_up_at=NOON),
        [
            "Nothing new will arrive from here. Its publisher took it away for good "
            "(since 20 November 2026)"
        ],
    ),
    case(
        "quiet, and moved",
        FeedHealth(
            quiet_since=NOON, moved=Moved(to="https://new.example/feed", since=NOON, adopted=True)
        ),
        ["Its feed has moved to https://new.example/feed", "Quiet since 20 November 2026"],
    ),
)
def test_a_source_says_how_it_stands(standing: FeedHealth, said: list[str]) -> None:
    site = drawn(make_edition(make_post(1, make_source(standing=standing))))

    page = Document(site["source/one/index.html"])
    assert page.texts("p", class_="trouble") + page.texts("p", class_="note") == said
