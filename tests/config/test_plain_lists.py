"""Lists of feeds that are no OPML: what is taken over, and what is told."""

import pytest

from planet.config.other_planets import ForeignConfig, convert_feed
from planet.config.plain_lists import read_list
from planet.errors import ConfigError
from tests.cases import case, cases


def read(text: str) -> ForeignConfig:
    return read_list(text.encode(), file="f")


def taken(found: ForeignConfig) -> list[dict[str, object]]:
    return [convert_feed(feed).settings for feed in found.feeds]


def test_a_text_has_an_address_on_each_line() -> None:
    found = read(
        "\ufeff# Friends\nhttps://a.example/feed#top\n\n"
        "  feed://b.example/f   # whose blog is quiet\nacct:ann@social.example\n"
        'https://c.example/f "tag one"\nc d\n'
    )

    assert taken(found)[:4] == [
        {"url": "https://a.example/feed#top"},
        {"url": "https://b.example/f"},
        {"url": "acct:ann@social.example"},
        {"url": "https://c.example/f"},
    ]
    assert [str(problem) for problem in found.left] == [
        'f:6:1  has more than an address: "tag one"',
        "f:7:1  has more than an address: d",
    ]


def test_a_table_has_a_feed_in_each_row() -> None:
    found = read(
        "# written by hand\n"
        "Name;URL;Feed URL;Tags;GitHub;Town;e-mail\n"
        'Ann;https://ann.example/;https://ann.example/f;"a, b;c";ann;Wien;ann@ann.example\n'
        '"Ben\nB.";;https://ben.example/f;;not a handle\n'
        "Cy;https://cy.example/\n\n"
        "Dee;;https://dee.example/f\n"
    )

    assert taken(found) == [
        {
            "url": "https://ann.example/f",
            "name": "Ann",
            "link": "https://ann.example/",
            "tags": ["a", "b", "c"],
            "links": {"github": "ann"},
            "extra": {"town": "Wien", "email": "ann@ann.example"},
        },
        {"url": "https://ben.example/f", "name": "Ben\nB."},
        {"url": "https://dee.example/f", "name": "Dee"},
    ]
    assert [str(problem) for problems in found.lost for problem in problems] == [
        "f:6:1  has nothing in the column feed url"
    ]
    assert [str(each) for feed in found.feeds for each in convert_feed(feed).problems] == [
        'f:4:1  links.github must be a handle of GitHub such as "ann", or a web address, '
        'not "not a handle"'
    ]


@cases(
    "text, words",
    case("nothing", "", "is no list of feeds"),
    case("a text of another kind", "Dear Ann,\nread https://a.example/\n", "is no list of feeds"),
    case("a table without a column of addresses", "name,town\nAnn,Wien\n", "is no list of feeds"),
    case("a config of Venus", "[Planet]\nname = A\n", "this is an INI file"),
)
def test_what_is_no_list_is_refused_with_what_a_list_looks_like(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        read(text)
