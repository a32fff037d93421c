"""Files of other programs → settings of ours: what is taken over, and what is said of the rest."""

from typing import Any

import pytest

from planet.config.foreign import read_foreign
from planet.errors import ConfigError
from tests.cases import case, cases

VENUS = """\
# Planet configuration file
[Planet]
name = Planet  Many
link = http://many.example/
owner_name = Ann
owner_email = ann@many.example
cache_directory = cache
new_feed_items = 5
feed_timeout = 20
locale = pt_BR.UTF-8
items_per_page = many
template_files = index.html.tmpl
exclude = spam

[index.html.tmpl]
days_per_page = 3

[DEFAULT]
facewidth = 64

[http://one.example/feed?a=1&b]
name = Näme: the [1]
face = one.png
filter = \\bplanet\\b
twitter = ann
location = en
nick = ann ; who she is

[feed://two.example/f]
name = ${HOME} %(nick)s
nick = bob
filters = strip.py
exclude = (
future_dates = ignore_date

[acct:cleo@social.example]
[http://lists.example/l.opml]
content_type = opml
[cache/f.xml]
"""


def read(text: str | bytes) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the settings of the feeds, and what is said of all that is left."""
    found = read_foreign(text if isinstance(text, bytes) else text.encode(), file="f")
    return [feed.settings for feed in found.feeds], [str(one) for one in (*found.lost, *found.left)]


def test_a_config_of_venus_is_taken_over_and_the_rest_is_told() -> None:
    found = read_foreign(VENUS.encode(), file="f")

    assert found.planet.settings == {
        "title": "Planet Many",
        "link": "http://many.example/",
        "owner": {"name": "Ann", "email": "ann@many.example"},
        "new_feed_entries": "5",
        "fetch": {"timeout": "20s"},
        "language": "pt-BR",
    }
    assert [feed.settings for feed in found.feeds] == [
        {
            "url": "http://one.example/feed?a=1&b",
            "name": "Näme: the [1]",
            "filters": {"include": [r"/\bplanet\b/"], "exclude": ["/spam/"]},
            "links": {"x": "ann"},
            "language": "en",
            "extra": {"nick": "ann"},
            "image": "http://many.example/images/one.png",
        },
        {
            "url": "https://two.example/f",
            "name": "$ {HOME} bob",
            "extra": {"nick": "bob", "future_dates": "ignore_date"},
        },
        {"url": "acct:cleo@social.example", "filters": {"exclude": ["/spam/"]}},
    ]
    assert found.lists == ["http://lists.example/l.opml"]
    assert [str(problem) for problem in found.lost] == [
        "f:39:1  [cache/f.xml] is no feed: it has no web address"
    ]
    assert [str(problem) for problem in found.left] == [
        "f:7:1  cache_directory has no setting here",
        'f:12:1  template_files has no setting here; see "theme"',
        'f:1:1  pages.front must be a whole number, not "many"',
        "f:27:1  nick is kept under extra, for templates of your own",
        "f:31:1  nick is kept under extra, for templates of your own",
        'f:32:1  filters has no setting here; "transform" runs programs that read JSON',
        "f:34:1  future_dates is kept under extra, for templates of your own",
        "f:29:1  filters.exclude[0] is not a regular expression: missing ), unterminated "
        "subpattern at character 1 of it",
    ]


def test_a_planet_of_pluto_is_taken_over() -> None:
    text = (
        "title = P\nurl = https://p.example\n\n[ann]\n  title = Ann: hers\n"
        "  feed  = http://a.example/f\n  author = irc:ann member\n  avatar = ann.png\n"
        "[bob]\n  link = http://b.example/\n"
    )

    feeds, left = read(text)

    assert read_foreign(text.encode(), file="f").planet.settings["title"] == "P"
    assert feeds == [
        {
            "url": "http://a.example/f",
            "name": "Ann: hers",
            "extra": {"irc": "ann", "member": "yes"},
            "image": "https://p.example/images/ann.png",
        }
    ]
    assert left[0] == "f:9:1  [bob] is no feed: it has no web address"


def test_comments_before_the_first_section_are_read_in_no_time() -> None:
    feeds, _ = read("# a # b ; c #\n" * 500 + "title = P\n[ann]\nfeed = http://a.example/f\n")

    assert [feed["url"] for feed in feeds] == ["http://a.example/f"]


def test_a_face_of_a_site_without_an_address_is_told_as_kept() -> None:
    feeds, left = read("[Planet]\nname = P\n[http://a.example/f]\nface = a.png\n")

    assert feeds == [{"url": "http://a.example/f", "extra": {"face": "a.png"}}]
    assert left == ["f:4:1  face is kept under extra, for templates of your own"]


@cases(
    "text, urls",
    case(
        "lines",
        "# ours\nhttps://a.example/f  # Ann's\n\n- https://b.example/f Bob\nfeed:https://c.example/f\n",
        ["https://a.example/f", "https://b.example/f", "https://c.example/f"],
    ),
    case(
        "accounts",
        "acct:ann@a.example\n@bob@b.example\nat://cleo.example\n",
        ["acct:ann@a.example", "@bob@b.example", "at://cleo.example"],
    ),
    case("Windows-1252", b"https://a.example/f caf\xe9\n", ["https://a.example/f"]),
    case(
        "OPML, cut",
        '<opml><body><outline text="A & B" xmlUrl="https://a.example/f"/><outline text="C',
        ["https://a.example/f"],
    ),
)
def test_of_a_list_each_address_is_a_feed(text: str | bytes, urls: list[str]) -> None:
    feeds, _ = read(text)

    assert [feed["url"] for feed in feeds] == urls


def test_a_table_names_its_columns() -> None:
    feeds, left = read(
        'Title,XML URL,tags,town\nAnn,https://a.example/f,"a; b",Ulm\nBob,,,\nCleo,ftp://c,,\n'
    )

    assert feeds == [
        {
            "name": "Ann",
            "url": "https://a.example/f",
            "tags": ["a", "b"],
            "extra": {"town": "Ulm"},
        }
    ]
    assert left == [
        'f:3:1  needs "url"',
        "f:4:1  url must begin with https:// or http://, or be the path of a file",
        "f:2:1  town is kept under extra, for templates of your own",
    ]


@cases(
    "text, words",
    case("a feed", "<rss/>", "this is a feed"),
    case("a page", "<!doctype html>", "this is a web page"),
)
def test_what_is_no_list_is_told(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        read(text)
