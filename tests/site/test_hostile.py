"""What a feed sends can spoil its own words, never a page."""

from datetime import UTC, datetime

from msgspec.structs import replace

from planet.model import Edition, Enclosure, FeedHealth, Owner, Person
from tests.cases import case, cases
from tests.site.editions import drawn, make_edition, make_post, make_source
from tests.site.html import Document

SCRIPT = "</title><script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ 7*7 }}"
ADDRESS = "javascript:alert(1)"


def test_text_is_shown_as_text_wherever_it_stands() -> None:
    source = make_source(
        title=SCRIPT,
        description=SCRIPT,
        language=SCRIPT,
        author=SCRIPT,
        standing=FeedHealth(trouble=SCRIPT, moved_to=f"https://one.example/{SCRIPT}"),
    )
    other = make_source("other", title=SCRIPT)
    post = make_post(
        1,
        source,
        title=SCRIPT,
        summary=SCRIPT,
        authors=(Person(name=SCRIPT),),
        language=SCRIPT,
        also_in=(other,),
        enclosures=(
            Enclosure(url="https://a.example/x", media_type="audio/mpeg", title=SCRIPT),
            Enclosure(url="https://a.example/x", media_type=SCRIPT),
        ),
    )
    edition = make_edition(
        *[post, *[replace(post, entry=replace(post.entry, number=n)) for n in range(2, 7)]],
        sources=[source, other],
        title=SCRIPT,
        description=SCRIPT,
        owner=Owner(name=SCRIPT),
    )

    site = drawn(edition)

    for page in (Document(body) for path, body in site.items() if path.endswith(".html")):
        assert page.all("script") == []
        assert {image["src"] for image in page.all("img")} <= {"../cover.png"}
        assert not [element for element in page.elements if "onerror" in element.attributes]
    assert Document(site["index.html"]).texts("h3") == [SCRIPT] * 6


def test_no_address_but_one_of_the_web_becomes_a_link() -> None:
    source = make_source(link=ADDRESS)
    enclosures = (
        Enclosure(url=ADDRESS, media_type="audio/mpeg"),
        Enclosure(url=ADDRESS, media_type="text/html"),
    )
    edition = make_edition(
        make_post(1, source, link=ADDRESS, enclosures=enclosures),
        owner=Owner(name="Robin", url=ADDRESS),
        link=ADDRESS,
    )

    site = drawn(edition)

    assert [path for path, page in site.items() if b"javascript:" in page] == []


def test_the_address_of_a_feed_which_may_hold_a_secret_is_on_no_page() -> None:
    source = make_source(url="https://one.example/feed?token=secret")

    site = drawn(make_edition(make_post(1, source)))

    assert [path for path, page in site.items() if b"secret" in page] == []


@cases(
    "edition",
    case("lone surrogate", make_edition(make_post(title="\ud800 alone"))),
    case(
        "the last minute there is",
        make_edition(make_post(when=datetime(9999, 12, 31, 23, 59, tzinfo=UTC))),
    ),
    case("the first minute", make_edition(make_post(when=datetime(1, 1, 1, tzinfo=UTC)))),
    case("nothing said", make_edition(make_post(title="", summary="", link=None))),
    case(
        "a length beyond measure",
        make_edition(make_post(enclosures=(Enclosure(url="https://a.example/", length=10**30),))),
    ),
    case("blank title", make_edition(make_post(1, make_source(title=" \u200b")))),
)
def test_odd_values_stop_no_page(edition: Edition) -> None:
    site = drawn(edition)

    assert len(Document(site["index.html"]).all("article")) == 1
