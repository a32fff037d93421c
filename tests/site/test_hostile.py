"""What a feed sends can spoil its own words, never a page."""

from datetime import UTC, datetime

from planet.model import Edition, Enclosure
from tests.cases import case, cases
from tests.site.editions import drawn, make_edition, make_post, make_source
from tests.site.html import Document


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
    case(
        "a length beyond measure",
        make_edition(make_post(enclosures=(Enclosure(url="https://a.example/", length=10**30),))),
    ),
    case("blank title", make_edition(make_post(1, make_source(title=" \u200b")))),
)
def test_odd_values_stop_no_page(edition: Edition) -> None:
    site = drawn(edition)

    assert len(Document(site["index.html"]).all("article")) == 1
