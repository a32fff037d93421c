"""Which pages a site has, and what stands on each."""

import json
import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from msgspec.structs import replace

from planet.model import (
    ContentMode,
    DueReason,
    Enclosure,
    FeedHealth,
    GivenUp,
    Owner,
    Pages,
    Picking,
    PickList,
    Podcast,
    Post,
)
from planet.site.feeds import feed_files
from planet.site.pages import load_theme
from planet.site.pages.present import letter
from tests.cases import case, cases
from tests.site.editions import (
    NOON,
    drawn,
    hours_before,
    make_edition,
    make_picked,
    make_post,
    make_source,
    make_whole_edition,
)
from tests.site.html import Document
from tests.timelines import Listed

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

    # By their content, style sheets have a second name each.
    assert sorted(path for path in site if not re.search(r"\.[0-9a-f]{10}\.css$", path)) == [
        ".nojekyll",
        "2025/03/index.html",
        "2025/index.html",
        "2026/11/index.html",
        "2026/index.html",
        "404.html",
        "_headers",
        "about/index.html",
        "archive.css",
        "archive/index.html",
        "cover.png",
        "film.svg",
        "icon.png",
        "icon.svg",
        "index.html",
        "links/index.html",
        "manifest.webmanifest",
        "pick.css",
        "planet.json",
        "robots.txt",
        "search.css",
        "source/one/index.html",
        "source/silent/index.html",
        "source/two/index.html",
        "sources.css",
        "sources/health/index.html",
        "sources/index.html",
        "style.css",
        "subscribe/index.html",
    ]


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
    "count, folded",
    case("three stand open", 3, []),
    case("of four, three are folded away", 4, ["3 more from One"]),
)
def test_many_posts_of_one_source_in_a_day_are_rolled_up(count: int, folded: list[str]) -> None:
    posts = [make_post(number, ONE) for number in range(count)]

    page = Document(drawn(make_edition(*posts))["index.html"])

    assert page.texts("summary") == folded
    assert len(page.all("h3")) == count


@cases(
    "theme, told",
    case(
        "default", "default", [("All posts of 20 November 2026", "2026/11/index.html#2026-11-20")]
    ),
    case(
        "headlines",
        "headlines",
        [("All posts of 20 November 2026", "2026/11/index.html#2026-11-20")],
    ),
    case("classic", "classic", [("3 more from One", "2026/11/index.html#2026-11-20")]),
)
def test_of_a_loud_source_the_front_page_shows_a_share_and_leads_to_the_rest(
    theme: str, told: list[tuple[str, str]]
) -> None:
    loud = [make_post(number, ONE, when=hours_before(number / 60)) for number in range(8)]
    quiet = [make_post(8, TWO, when=hours_before(0.15)), make_post(9, TWO, when=hours_before(24))]
    edition = make_edition(*loud, *quiet)

    page = Document(drawn(edition, theme=load_theme(theme), pages=Pages(front=7))["index.html"])

    assert page.texts("h3") == [f"Post {number}" for number in (0, 1, 2, 3, 4, 8, 9)]
    assert page.texts("summary") == ([] if theme == "classic" else ["7 more from One"])
    links = [(link.text, link["href"]) for link in page.all("a")]
    assert [link for link in links if "index.html#" in str(link[1])] == told


@cases(
    "a_day, pages, older",
    case(
        "the months",
        1,
        Pages(front=20),
        [("All posts of October 2026", "2026/10/index.html#2026-10-31")],
    ),
    case(
        "the days, when one breaks off",
        8,
        Pages(front=6, archive=9, per_source=9),
        [
            # Of the source that it breaks off in, and then of the others.
            ("All posts of 20 November 2026", "2026/11/20/index.html"),
            ("All posts of 19 November 2026", "2026/11/19/index.html"),
        ],
    ),
    case(
        "the days, when one is whole",
        6,
        Pages(front=6, archive=9, per_source=9),
        [("All posts of 19 November 2026", "2026/11/19/index.html")],
    ),
    case("nothing, when it shows all", 1, Pages(front=24), []),
)
def test_the_front_page_leads_on_to_where_it_breaks_off(
    a_day: int, pages: Pages, older: list[tuple[str, str]]
) -> None:
    posts = [make_post(n, when=hours_before(24 * (n // a_day))) for n in range(24)]

    page = Document(drawn(make_edition(*posts), pages=pages)["index.html"])

    links = [(link.text, link["href"]) for link in page.all("a")]
    assert len(page.all("article")) == pages.front
    assert [link for link in links if link[0].startswith("All posts of")] == older


def test_a_month_of_a_hundred_posts_is_one_page() -> None:
    site = drawn(make_edition(*map(make_post, range(100))))

    assert len(Document(site["2026/11/index.html"]).all("article")) == 100
    assert "2026/11/20/index.html" not in site


def test_a_month_of_more_is_a_calendar_and_has_a_page_for_each_day() -> None:
    posts = [make_post(n, make_source(f"s{n % 40}"), when=hours_before(n)) for n in range(101)]

    site = drawn(make_edition(*posts))

    page = Document(site["2026/11/index.html"])
    assert page.texts("caption") == ["101 posts"]
    assert page.texts("th") == ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]
    in_month = [text for text in page.texts("td") if text]
    assert in_month[:16] == [*map(str, range(1, 16)), "16 1616 posts"]
    assert in_month[16:20] == ["17 2424 posts", "18 2424 posts", "19 2424 posts", "20 1313 posts"]
    # At most twenty titles of each day.
    assert len(page.all("h3")) == 16 + 3 * 20 + 13
    assert page.texts("p", class_="onward")[0] == "All posts of 19 November 2026"
    days = {path: Document(site[path]) for path in site if path.startswith("2026/11/")}
    assert [len(days[f"2026/11/{day}/index.html"].all("article")) for day in (16, 20)] == [16, 13]


def test_a_day_leads_to_the_days_beside_it_and_to_its_month() -> None:
    days = [*[0] * 5, *[1] * 5, 40]
    posts = [make_post(n, when=hours_before(24 * day)) for n, day in enumerate(days)]

    page = Document(drawn(make_edition(*posts), pages=Pages(archive=9))["2026/11/19/index.html"])

    around = [(link["href"], link.text) for link in page.all("a") if "/20" in link["href"]]
    assert around == [
        ("../../../2026/10/index.html#2026-10-11", "October 2026"),
        ("../../../2026/11/index.html", "November 2026"),
        ("../../../2026/11/20/index.html", "20 November 2026"),
    ]


def test_a_day_of_more_than_a_hundred_posts_shows_their_titles() -> None:
    posts = [make_post(n, make_source(f"s{n % 40}")) for n in range(200)]

    page = Document(drawn(make_edition(*posts))["2026/11/20/index.html"])

    assert page.all("article") == []
    assert len(page.all("h3")) == 200
    assert page.texts("summary")[:2] == ["4 more from S39", "4 more from S38"]


def test_a_day_of_very_many_posts_goes_on_on_pages_that_stay_when_posts_come() -> None:
    posts = [make_post(n, when=NOON + timedelta(seconds=n)) for n in range(8)]
    before = make_post(9, when=hours_before(24))
    pages = Pages(archive=1)

    first = drawn(make_edition(*posts[:7], before), pages=pages)
    site = drawn(make_edition(*posts, before), pages=pages)

    day, older = (Document(site[f"2026/11/20/{path}index.html"]) for path in ("", "1/"))
    assert "2026/11/20/2/index.html" not in site
    assert day.texts("h3") == ["Post 7", "Post 6", "Post 5", "Post 4", "Post 3"]
    assert older.texts("h3") == ["Post 2", "Post 1", "Post 0"]
    assert older.texts("h1")[-1] == "20 November 2026 (1)"
    assert [[link["href"] for link in page.all("a", rel="prev")] for page in (day, older)] == [
        ["../../../2026/11/20/1/index.html"],
        ["../../../../2026/11/19/index.html"],
    ]
    assert [link["href"] for link in older.all("a", rel="next")] == [
        "../../../../2026/11/20/index.html"
    ]
    assert first["2026/11/20/1/index.html"] == site["2026/11/20/1/index.html"]


def test_a_list_of_many_episodes_goes_on_on_pages_that_stay_when_episodes_come() -> None:
    picks = [make_picked(n, name="long", when=hours_before(n)) for n in range(1, 7)]

    def pages(*posts: Post) -> dict[str, bytes]:
        listed = PickList(name="long", podcast=Podcast(title="Long"), posts=posts)
        site = drawn(make_edition(*picks, lists=(listed,)), pages=Pages(archive=4))
        return {path: page for path, page in site.items() if path.startswith("lists/")}

    first, then = pages(*picks[1:]), pages(*picks)

    shown = {path: Document(page).texts("h3") for path, page in then.items()}
    assert shown == {
        "lists/long/index.html": ["Post -1", "Post -2"],
        "lists/long/2/index.html": ["Post -3", "Post -4"],
        "lists/long/1/index.html": ["Post -5", "Post -6"],
    }
    middle = Document(then["lists/long/2/index.html"])
    around = [middle.all("a", rel=rel)[0] for rel in ("prev", "next")]
    assert [(link.text, link["href"]) for link in around] == [
        ("Long (1)", "../../../lists/long/1/index.html"),
        ("Long", "../../../lists/long/index.html"),
    ]
    assert [*first] == ["lists/long/index.html", "lists/long/1/index.html"]
    older = Document(first["lists/long/1/index.html"])
    assert older.texts("h3") == shown["lists/long/1/index.html"]


def test_months_of_a_theme_with_texts_have_a_page_for_each_day_sooner() -> None:
    posts = [make_post(n, when=hours_before(n)) for n in range(51)]
    classic = load_theme("classic")

    few, many = (drawn(make_edition(*posts[:count]), theme=classic) for count in (50, 51))
    plain = drawn(make_edition(*posts))

    assert [path for path in (*few, *plain) if path.startswith("2026/11/")] == [
        "2026/11/index.html"
    ] * 2
    assert "2026/11/20/index.html" in many


def test_the_archive_lists_months_with_their_posts_newest_first() -> None:
    edition = make_edition(
        make_post(1),
        make_post(2),
        make_post(3, when=datetime(2026, 2, 3, tzinfo=UTC)),
        make_post(4, when=datetime(2025, 2, 3, tzinfo=UTC)),
    )

    page = Document(drawn(edition)["archive/index.html"])

    assert page.texts("h2") == ["2026", "2025"]
    months = [item.text for item in page.all("li")[3:] if item.text]
    assert months == [
        "February 2026: 1 postFeb 1",
        "November 2026: 2 postsNov 2",
        "February 2025: 1 postFeb 1",
    ]
    assert len(page.all("li")[3:]) == 24


def test_a_year_is_an_almanac_whose_days_lead_to_their_posts() -> None:
    busy = [make_post(n, make_source(f"s{n % 40}"), when=hours_before(n / 7)) for n in range(101)]
    calm = make_post(200, when=datetime(2026, 2, 3, tzinfo=UTC))
    earlier = make_post(201, when=datetime(2024, 2, 3, tzinfo=UTC))

    page = Document(drawn(make_edition(*busy, calm, earlier))["2026/index.html"])

    captions = page.texts("caption")
    assert (len(captions), captions[0]) == (12, "January")
    assert (captions[1], captions[10]) == ("February 1 post", "November 101 posts")
    assert len(page.all("td")) % 7 == 0
    days = [(day["class"], day.text) for day in page.all("td") if day.attributes.get("class")]
    assert days == [("t1", "3 1 post"), ("t3", "19 16 posts"), ("t4", "20 85 posts")]
    links = [link["href"] for link in page.all("a") if "2026/" in link["href"]]
    assert "../2026/02/index.html#2026-02-03" in links
    assert "../2026/11/20/index.html" in links
    assert [link["href"] for link in page.all("a", rel="prev")] == ["../2024/index.html"]


def test_a_source_has_its_newest_posts_with_their_text() -> None:
    posts = [make_post(number, ONE, when=hours_before(number)) for number in range(3)]
    edition = make_edition(*posts, make_post(9, TWO))

    page = Document(
        drawn(edition, pages=Pages(source=2), contents={0: "<p>All of it.</p>"})[
            "source/one/index.html"
        ]
    )

    assert page.texts("h3") == ["Post 0", "Post 1"]
    assert page.texts("div", class_="content") == ["All of it."]


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
    case("no words", "Title", None, ("Title", [])),
    case("words that are the title", "Same", "Same", ("Same", [])),
    case("a note", None, "Only a few words", (None, ["Only a few words"])),
    case(
        "a note with an address",
        None,
        f"See {LONG_ADDRESS}",
        (None, ["See one.example/a/path/that/goes/on/and/on/…"]),
    ),
    case("a cut title", "Only a few…", "Only a few words", (None, ["Only a few words"])),
    case("endless title", "T" * 400, None, ("T" * 250 + "…", [])),
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


@pytest.mark.parametrize("theme", ["default", "classic"])
def test_the_moment_of_a_note_leads_to_it(theme: str) -> None:
    edition = make_edition(make_post(title=None, summary="A note", link="https://one.example/n"))

    page = Document(drawn(edition, theme=load_theme(theme))["index.html"])

    [link] = page.all("a", href="https://one.example/n")
    assert link.text == "12:00"


def test_a_post_without_a_link_has_a_plain_heading() -> None:
    page = drawn(make_edition(make_post(link=None)))["index.html"]

    assert b'<h3 class="p-name">Post 1</h3>' in page


def test_a_post_names_the_other_sources_that_have_it() -> None:
    edition = make_edition(make_post(1, ONE, also_in=(TWO,)), sources=[ONE, TWO])

    page = Document(drawn(edition)["index.html"])

    assert page.texts("p", class_="also") == ["Also in Two"]
    assert "source/two/index.html" in [link["href"] for link in page.all("a")]


@cases(
    "enclosure, tags, said",
    case("episode", EPISODE, ["audio"], "Download · audio/mpeg · 34 MB"),
    case(
        "film",
        Enclosure(url="https://a.example/v", media_type="video/mp4"),
        ["video"],
        "Download · video/mp4",
    ),
    case(
        "file of unknown type",
        Enclosure(url="https://a.example/x.pdf", title="Slides"),
        [],
        "Download · Slides",
    ),
)
def test_enclosures_can_be_played_or_fetched(
    enclosure: Enclosure, tags: list[str], said: str
) -> None:
    page = Document(drawn(make_edition(make_post(enclosures=(enclosure,))))["index.html"])

    players = page.all("audio", "video")
    (link,) = [link for link in page.all("a") if link.text == "Download"]
    assert [(player.tag, player["preload"], player["src"]) for player in players] == [
        (tag, "none", enclosure.url) for tag in tags
    ]
    assert page.texts("summary") == (
        ["Play Post 1 1:02:33" if enclosure.duration else "Play Post 1"] if tags else []
    )
    assert link["href"] == enclosure.url
    assert said.split(" · ") == [link.text, *page.texts("span", class_="fact")]


def test_the_page_for_operators_says_what_is_wrong_with_a_source_and_begins_with_those() -> None:
    trouble = FeedHealth(trouble="503 Service Unavailable", trouble_since=NOON)
    sick = make_source("two", standing=trouble)
    edition = make_edition(make_post(1, ONE), sources=[ONE, sick])

    site = drawn(edition)

    told = (
        "Nothing new arrives from here at present. 503 Service Unavailable (since 20 November 2026)"
    )
    for path in ("sources/health/index.html", "source/two/index.html"):
        assert Document(site[path]).texts("p", class_="trouble") == [told]
    assert Document(site["sources/health/index.html"]).texts("li")[-2:] == [f"Two {told}", "One"]
    assert b"503" not in site["sources/index.html"]


def test_the_list_of_sources_says_who_they_are_and_what_they_wrote_last() -> None:
    one = make_source("one", description="What one person writes")
    posts = [make_post(n, one, when=hours_before(24 * n), language="fr") for n in range(5)]
    edition = make_edition(*posts, sources=[one, TWO])

    page = Document(drawn(edition)["sources/index.html"])

    assert page.texts("li")[3:] == [
        "O One What one person writes Post 0 20 November 2026 Post 1 19 November 2026 "
        "Post 2 18 November 2026",
        *(f"Post {n} {20 - n} November 2026" for n in range(3)),
        "T Two",
    ]
    assert [link["href"] for link in page.all("a") if link.text.startswith("Post")] == [
        post.entry.link for post in posts[:3]
    ]
    assert len(page.all("p", lang="fr")) == 3


def test_of_posts_without_a_date_the_list_of_sources_names_those_of_who_has_no_others() -> None:
    dated, timeless = make_post(1, ONE), [make_post(2, ONE), make_post(3, TWO)]
    edition = make_edition(sources=[ONE, TWO], timeline=Listed((dated,), tuple(timeless)))

    page = Document(drawn(edition)["sources/index.html"])

    assert [text for text in page.texts("a") if text.startswith("Post")] == ["Post 1", "Post 3"]


@cases(
    "title, expected",
    case("a letter", "Ada", "A"),
    case("a small one with an accent", "élan", "E"),
    case("behind what is no letter", "“… @ada”", "A"),
    case("behind an emoji", "🚀 Rocket", "R"),
    case("a letter of its own", "Łódź", "Ł"),
    case("one that has two as a capital", "ßtraße", "S"),
    case("a number", "37signals", "#"),
    case("none", "🎈", "#"),
    case("nothing", "", "#"),
    case("Cyrillic", "Ёлка", "Е"),
    case("Arabic with hamza", "أخبار", "ا"),
    case("Hebrew", "הבלוג", "ה"),
    case("hiragana", "がんばる", "か"),
    case("katakana, small", "ャッホー", "や"),
    case("katakana of half width", "ｶﾀｶﾅ", "か"),
    case("the last kana", "ん", "わ"),
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
    names = [name.text.partition(" ")[2] for name in page.all("p", class_="name")]
    assert names[:3] == ["🎈", "37", "Ada"]
    assert names[-4:] == ["Émile", "Eva", "Łukasz", "دفتر"]
    assert page.texts("p", class_="lead") == ["27 sources"]


def test_few_sources_are_not_parted() -> None:
    edition = make_edition(sources=[make_source(f"s{n}") for n in range(24)])

    page = Document(drawn(edition)["sources/index.html"])

    assert (page.texts("h2"), page.all("input"), page.all("nav")[1:]) == ([], [], [])


def test_classic_names_a_screen_of_sources_beside_posts_those_that_wrote_last() -> None:
    posts = [make_post(n, make_source(f"s{n:02}"), when=hours_before(n)) for n in range(30)]
    edition = make_edition(*posts)

    page = Document(drawn(edition, theme=load_theme("classic"))["index.html"])
    few = Document(drawn(make_edition(*posts[:24]), theme=load_theme("classic"))["index.html"])

    aside = [text for text in page.texts("li") if text.startswith("S S")]
    assert aside == [f"S S{n:02}" for n in range(24)]
    assert page.texts("aside")[0].endswith("All 30 sources")
    assert "All" not in few.texts("aside")[0]


WELL = FeedHealth(
    asked_at=NOON,
    answered_at=NOON,
    due_at=NOON + timedelta(hours=6, minutes=20),
    due_reason=DueReason.ADAPTIVE,
    wait=timedelta(hours=6, minutes=20),
)
EVERY = "Asked about every 6 hours: that suits how often it posts. Next 20 November 2026, 18:20."


@cases(
    "said, rare, often",
    case("well", {}, [], [f"Last read 20 November 2026, 12:00. {EVERY}"]),
    case("never read", {"answered_at": None}, [], [EVERY]),
    case("asked in every run", {"wait": timedelta(0)}, [], ["Last read 20 November 2026, 12:00."]),
    case(
        "asked when it posts",
        {"due_reason": DueReason.PATTERN},
        [],
        ["Last read 20 November 2026, 12:00. Next 20 November 2026, 18:20: it usually posts then."],
    ),
    case(
        "quiet, and moved",
        {"quiet_since": NOON, "moved_to": "https://new.example/feed"},
        ["Its feed has moved to https://new.example/feed", "Quiet since 20 November 2026"],
        [f"Last read 20 November 2026, 12:00. {EVERY}"],
    ),
    case(
        "given up",
        {
            "trouble": "the server says the feed is gone for good (HTTP 410)",
            "trouble_since": NOON,
            "given_up": GivenUp.GONE,
            "given_up_at": NOON,
            "due_at": None,
            "due_reason": DueReason.GIVEN_UP,
            "wait": None,
        },
        [
            "Nothing new will arrive from here. Its publisher took it away for good "
            "(since 20 November 2026)"
        ],
        ["Last read 20 November 2026, 12:00."],
    ),
)
def test_a_source_says_how_it_stands_and_the_page_for_operators_also_how_it_is_asked(
    said: dict[str, Any], rare: list[str], often: list[str]
) -> None:
    source = make_source(standing=replace(WELL, **said))

    site = drawn(make_edition(make_post(1, source)))

    notes = {
        path: [
            text
            for kind in ("trouble", "note")
            for text in Document(site[path]).texts("p", class_=kind)
        ]
        for path in ("source/one/index.html", "sources/health/index.html")
    }
    assert notes == {"source/one/index.html": rare, "sources/health/index.html": rare + often}


def test_the_page_for_operators_says_of_when_it_is() -> None:
    later = replace(WELL, asked_at=NOON + timedelta(hours=1))
    edition = make_edition(
        sources=[make_source("one", standing=WELL), make_source("two", standing=later)]
    )

    page = Document(drawn(edition)["sources/health/index.html"])

    assert page.texts("p", class_="lead") == ["As of 20 November 2026, 13:00"]


def test_of_sources_that_nobody_is_asked_for_nothing_is_said_of_asking() -> None:
    page = Document(drawn(make_edition(make_post(1, ONE)))["sources/health/index.html"])

    assert (page.texts("p", class_="lead"), page.texts("p", class_="note")) == ([], [])


@cases(
    "said, expected",
    case(
        "with both",
        {},
        [
            ("Its own feed", "https://one.example/feed", "application/atom+xml"),
            ("Atom feed", "../../source/one/atom.xml", "application/atom+xml"),
            ("JSON feed", "../../source/one/feed.json", "application/feed+json"),
        ],
    ),
    case(
        "with its own",
        {"own_format": "rss", "has_feeds": False},
        [("Its own feed", "https://one.example/feed", "application/rss+xml")],
    ),
    case(
        "with ours",
        {"own_format": None},
        [
            ("Atom feed", "../../source/one/atom.xml", "application/atom+xml"),
            ("JSON feed", "../../source/one/feed.json", "application/feed+json"),
        ],
    ),
    case("with none", {"own_format": None, "has_feeds": False}, []),
)
def test_the_page_of_a_source_names_its_own_feed_before_ours(
    said: dict[str, Any], expected: list[tuple[str, str, str]]
) -> None:
    source = make_source(**said)

    page = Document(drawn(make_edition(make_post(1, source)))["source/one/index.html"])

    named = [
        (link["title"].removeprefix("One – "), link["href"], link["type"])
        for link in page.all("link", rel="alternate")
    ]
    linked = [(link.text, link["href"]) for link in page.all("a")]
    assert named == expected
    assert [link for link in linked if "feed" in link[0]] == [link[:2] for link in expected]


@cases(
    "file, media_type, there",
    case("audio", "x", "audio/mpeg", True),
    case("video", "x", "video/mp4", True),
    case("audio by its extension", "x.mp3", None, True),
    case("a document", "x", "application/pdf", False),
    case("unknown type", "x", None, False),
)
def test_a_podcast_feed_is_named_where_there_is_something_to_play(
    file: str, media_type: str | None, there: bool
) -> None:
    enclosure = Enclosure(url=f"https://one.example/{file}", media_type=media_type)
    edition = make_edition(make_post(1, ONE, enclosures=(enclosure,)), make_post(2, TWO))

    site = drawn(edition)

    named = {
        path
        for path, page in site.items()
        if path.endswith(".html")
        and any(link["href"].endswith("podcast.xml") for link in Document(page).all("a", "link"))
    }
    pages = {"index.html", "subscribe/index.html", "podcast/index.html", "source/one/index.html"}
    assert named == (pages if there else set())


def test_the_subscribe_page_tells_the_addresses_where_the_site_is_known() -> None:
    edition = make_edition(make_post(), link="https://planet.example/sub/")

    page = Document(drawn(edition)["subscribe/index.html"])

    assert page.texts("code") == [
        "https://planet.example/sub/atom.xml",
        "https://planet.example/sub/feed.json",
        "https://planet.example/sub/opml.xml",
    ]


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


@pytest.mark.parametrize("picking", Picking)
def test_every_page_stands_alone(picking: Picking) -> None:
    edition = make_whole_edition(
        owner=Owner(name="Robin", url="https://robin.example/"), podcast=Podcast()
    )

    site = drawn(edition, pages=Pages(picking=picking))

    for path in (path for path in site if path.endswith(".html")):
        page = Document(site[path])
        assert page.all("html")[0].attributes == {"lang": "en", "dir": "ltr"}
        assert not [element for element in page.elements if "style" in element.attributes]
        assert page.all("meta", name="robots", content="noindex")
        assert page.all("meta", http_equiv="Content-Security-Policy")
        assert page.all("a", class_="skip", href="#main")
        assert page.all("main", id="main")


@cases(
    "picking, referrer, policy",
    case("none", Picking.NONE, "no-referrer", "form-action 'none'"),
    case("link", Picking.LINK, "no-referrer", "form-action 'none'"),
    case("form", Picking.FORM, "same-origin", "form-action 'self'"),
)
def test_pages_send_forms_and_say_where_they_come_from_only_in_a_preview(
    picking: Picking, referrer: str, policy: str
) -> None:
    site = drawn(make_whole_edition(), pages=Pages(picking=picking))

    for page in (Document(body) for path, body in site.items() if path.endswith(".html")):
        (said,) = page.all("meta", http_equiv="Content-Security-Policy")
        assert said["content"].split("; ")[-1] == policy
        assert page.all("meta", name="referrer", content=referrer)


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


@pytest.mark.parametrize("theme", ["default", "classic"])
def test_what_a_page_says_to_machines_names_the_feed_the_author_and_each_note(theme: str) -> None:
    one = make_source("one", title="One", link="https://one.example/")
    edition = make_edition(make_post(1, one, title=None, summary="A note"), title="A planet")

    page = Document(drawn(edition, theme=load_theme(theme))["index.html"])

    assert len(page.all("body", class_="h-feed")) == 1
    assert [name.text for name in page.all("h1", class_="p-name")] == ["A planet"]
    assert len(page.all("span", class_="h-card")) == 1
    assert [each["value"] for each in page.all("data", class_="u-url")] == ["https://one.example/"]
    # A reader of headings comes by the note, at the line that says whose it is.
    assert [heading.text for heading in page.all("h3")] == ["O One 12:00"]


def test_a_page_knows_its_address() -> None:
    site = drawn(make_edition(make_post(), link="https://planet.example/sub/"))

    canonical = {
        path: [link["href"] for link in Document(page).all("link", rel="canonical")]
        for path, page in site.items()
        if path in {"index.html", "source/one/index.html", "404.html"}
    }

    assert canonical == {
        "index.html": ["https://planet.example/sub/"],
        "source/one/index.html": ["https://planet.example/sub/source/one/"],
        "404.html": [],
    }


def test_every_page_says_what_a_link_to_it_shows() -> None:
    link = "https://planet.example/sub/"
    site = drawn(make_whole_edition(link=link, podcast=Podcast()))

    for path, page in ((path, Document(site[path])) for path in site if path.endswith(".html")):
        metas = [meta for meta in page.all("meta") if "property" in meta.attributes]
        shown = {meta["property"]: meta["content"] for meta in metas}
        assert 0 < len(shown.pop("og:description")) <= 201
        assert (
            shown == {}
            if path == "404.html"
            else {
                "og:type": "website",
                "og:url": page.all("link", rel="canonical")[0]["href"],
                "og:site_name": "Words",
                "og:title": page.texts("title")[0].partition(" · ")[0],
                "og:image": f"{link}cover.png",
            }
        )


@cases(
    "path, image",
    case("of a source, its face", "source/one/index.html", "https://planet.example/faces/one.png"),
    case("of a podcast, its own", "podcast/index.html", "https://planet.example/heard.png"),
    case("of any other page, the planet's", "index.html", "https://planet.example/heard.png"),
)
def test_a_link_shows_the_picture_that_is_nearest(path: str, image: str) -> None:
    one = make_source("one", face="faces/one.png")
    podcast = Podcast(cover="https://planet.example/heard.png")
    edition = make_edition(
        make_post(1, one, enclosures=(EPISODE,)), podcast=podcast, link="https://planet.example/"
    )

    page = Document(drawn(edition)[path])

    assert [meta["content"] for meta in page.all("meta", property="og:image")] == [image]


def test_a_site_without_an_address_has_nothing_to_show_for_a_link() -> None:
    page = Document(drawn(make_edition(make_post(), description="Ours."))["index.html"])

    assert page.all("meta", property="og:title") == []
    assert page.all("meta", name="description")[0]["content"] == "Ours."


@cases("indexing, scripts", case("yes", True, 1), case("no", False, 0))
def test_search_engines_are_told_the_name_of_a_site_they_may_list(
    indexing: bool, scripts: int
) -> None:
    title, link = "</script><b>A & B", "https://planet.example/"
    edition = make_edition(make_post(), title=title, link=link)

    site = drawn(edition, pages=Pages(indexing=indexing))

    found = Document(site["index.html"]).texts("script", type="application/ld+json")
    assert [json.loads(text) for text in found] == scripts * [
        {"@context": "https://schema.org", "@type": "WebSite", "name": title, "url": link}
    ]
    assert Document(site["about/index.html"]).all("script") == []


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
    assert named("subscribe/index.html", "alternate")[-1] == "../lists/road-trips/podcast.xml"
    assert named("tag/some-tag/index.html", "blogroll") == ["../../tag/some-tag/opml.xml"]


@cases(
    "language, expected",
    case("of the post", "de", {"class": "h-entry", "lang": "de", "dir": "auto"}),
    case("of the source", None, {"class": "h-entry", "lang": "fr-CA", "dir": "auto"}),
    case("nonsense", 'en" onload="x', {"class": "h-entry", "dir": "auto"}),
)
def test_a_post_has_its_own_language_and_direction(
    language: str | None, expected: dict[str, str]
) -> None:
    source = make_source(language="fr-CA")
    edition = make_edition(make_post(1, source, language=language))

    page = Document(drawn(edition)["index.html"])

    assert [article.attributes for article in page.all("article")] == [expected]


def test_a_planet_without_posts_has_all_its_pages() -> None:
    site = drawn(make_edition(sources=[ONE]))

    said = {
        path: "There are no posts yet." in Document(page).texts("p")
        for path, page in site.items()
        if path.endswith(".html")
    }
    assert said == {
        "index.html": True,
        "archive/index.html": True,
        "source/one/index.html": True,
        "sources/index.html": False,
        "sources/health/index.html": False,
        "about/index.html": False,
        "links/index.html": False,
        "subscribe/index.html": False,
        "404.html": False,
    }
