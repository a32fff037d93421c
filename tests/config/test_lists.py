"""Lists of feeds: OPML under `subscriptions`, and files of other programs for `planet import`."""

import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from planet.config.feeds import ListedFeeds, Outline, parse_opml, read_list
from planet.config.foreign import read_foreign
from planet.config.settings import Config
from planet.errors import ConfigError, Place
from planet.model import ContentMode, Feed, FetchPolicy
from tests.cases import case, cases
from tests.config.files import complaints, loaded
from tests.parse.corpus import CORPUS

LIST = b"""\
<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
 <head><title>Reading</title></head>
 <body>
  <outline text="Tech">
   <outline text="Python">
    <outline type="rss" text="Insider" title="x" xmlUrl="https://py.example/rss"
       htmlUrl="https://py.example/" category="/News/Core,Releases, ,Tech"/>
   </outline>
   <outline type="rss" title="W3C" xmlUrl="https://W3.example:443/feed#top" htmlUrl="x"/>
  </outline>
  <outline text="A note, no feed"/>
  <OUTLINE xmlurl="https://bare.example/"/>
 </body>
</opml>
"""

NOT_ON_THE_WEB = 'is not a web address; write it bare, without blanks, "<" and ">"'


PLANET = Config(title="T")


def listed(
    data: bytes, planet: Config = PLANET, url: str = "file:///list.opml", *besides: Feed
) -> ListedFeeds:
    """Return the feeds of a list that is read from an address."""
    key = "list.opml" if url.startswith("file:") else url
    return read_list(data, Feed(key=key, url=url, slug="list"), planet, besides=besides)


def place(line: int, column: int) -> Place:
    return Place(file="list.opml", line=line, column=column)


def test_the_feeds_of_a_list_come_with_its_folders_and_categories_as_tags() -> None:
    found, problems = parse_opml(LIST, file="list.opml")

    assert [str(problem) for problem in problems] == [
        "list.opml:12:3  A note, no feed has no xmlUrl, so it is no feed"
    ]
    assert all(problem.is_warning for problem in problems)
    assert found == (
        Outline(
            place(7, 5),
            {
                "url": "https://py.example/rss",
                "name": "Insider",
                "tags": ["Tech", "Python", "News", "Core", "Releases"],
                "link": "https://py.example/",
            },
        ),
        Outline(place(10, 4), {"url": "https://w3.example/feed", "name": "W3C", "tags": ["Tech"]}),
        Outline(place(13, 3), {"url": "https://bare.example/"}),
    )


def test_a_feed_that_is_a_comment_is_archived_and_else_as_the_planet_says() -> None:
    data = b'<opml><outline xmlUrl="https://one.example/" isComment="true"/></opml>'
    planet = replace(PLANET, content=ContentMode.TITLE, policy=FetchPolicy(max_size=1000))

    (feed,), _ = listed(data, planet)

    assert (feed.enabled, feed.is_archived) == (True, True)
    assert (feed.content, feed.policy) == (planet.content, planet.policy)


def test_what_the_config_says_of_a_feed_goes_before_the_list() -> None:
    known = Feed(key="k", url="https://one.example/", slug="two", enabled=False)
    data = b"""<opml>
<outline text="One" xmlUrl="https://one.example/"/>
<outline text="Two" xmlUrl="https://two.example/"/>
</opml>"""

    feeds, _ = listed(data, PLANET, "file:///list.opml", known)

    assert [feed.slug for feed in feeds] == ["two-655fb0"]


def test_relative_addresses_start_where_the_list_came_from() -> None:
    data = b'<opml><outline xmlUrl="../feed.xml"/></opml>'

    feeds, problems = listed(data, PLANET, "https://a.example/lists/l.opml")

    assert ([feed.url for feed in feeds], problems) == (["https://a.example/feed.xml"], ())


@cases(
    "address, why",
    case("a file address", "file:///etc/passwd", NOT_ON_THE_WEB),
    case("no host", "http:///feed", NOT_ON_THE_WEB),
    case("feed: and nothing else", "feed:", NOT_ON_THE_WEB),
    case(
        "a password",
        "https://u:p@a.example/",
        'must not hold a password; write "auth: {user: …, password: …}"',
    ),
)
def test_a_list_can_name_web_addresses_only(address: str, why: str) -> None:
    data = f"""<opml>
<outline text="No" xmlUrl="{address}"/>
<outline text="Yes" xmlUrl="https://yes.example/"/>
</opml>"""

    feeds, problems = listed(data.encode())

    assert [feed.name for feed in feeds] == ["Yes"]
    assert [str(problem) for problem in problems] == [f"list.opml:2:1  xmlUrl of No {why}"]


@cases(
    "attributes, words",
    case(
        "a page",
        'type="rss" htmlUrl="https://a.example/?k=v"',
        "has no xmlUrl, so it is no feed; `planet add https://a.example/?k=…` looks for its feed",
    ),
    case(
        "a list",
        'type="include" url="https://a.example/l"',
        "has no xmlUrl, so it is no feed; `planet add https://a.example/l` looks for its feed",
    ),
)
def test_an_outline_that_is_no_feed_is_told_and_stops_nothing(
    attributes: str, words: str, tmp_path: Path
) -> None:
    data = f"""<opml>
<outline text="Folder"><outline text="It" {attributes}/></outline>
<outline text="Yes" xmlUrl="https://yes.example/"/>
</opml>"""
    (tmp_path / "list.opml").write_text(data)

    config = loaded(tmp_path, "title: T\nsubscriptions: [list.opml]\n")

    assert [feed.name for feed in config.feeds] == ["Yes"]
    assert [str(warning) for warning in config.warnings] == [
        f"{tmp_path}/list.opml:2:24  It {words}"
    ]


BROKEN = """\
<opml><head><title>A & B</title></head><body>
<outline text="R&D &eacute;t&eacute; &nosuch; &amp;eacute; &#233; &#xE9; a < b"
 xmlUrl="https://a.example/?a=1&b=2"/>
<outline text="Caf\N{LATIN SMALL LETTER E WITH ACUTE}" xmlUrl="https://b.example/" x=1>
<outline text="D"
 xmlUrl="https://d.example/"></outline>
</nosuch></body></opml>
"""


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_list_that_is_no_xml_is_read_all_the_same(encoding: str) -> None:
    found, problems = parse_opml(BROKEN.encode(encoding), file="f")

    assert problems == ()
    assert [(own["name"], own["url"], str(there)) for there, own in found] == [
        ("R&D été &nosuch; &eacute; é é a < b", "https://a.example/?a=1&b=2", "f:2:1"),
        ("Café", "https://b.example/", "f:4:1"),
        ("D", "https://d.example/", "f:5:1"),
    ]


LISTS = CORPUS / "lists"


@pytest.mark.skipif(not LISTS.is_dir(), reason="the corpus is not here")
def test_of_the_lists_that_others_publish_every_feed_is_read() -> None:
    """One bare ampersand refused 80 of 118 lists of a widely used collection."""
    lost = {}
    for path in sorted(LISTS.glob("plenaryapp+awesome-rss-feeds/**/*.opml")):
        data = path.read_bytes()
        found, problems = parse_opml(data, file="f", partly=True)
        wanted = data.lower().count(b"xmlurl=")
        # An attribute with bare quotes in it can hide what follows.
        if len(found) < wanted - 1 or any(not problem.is_warning for problem in problems):
            lost[path.name] = (len(found), wanted, [*map(str, problems)])

    assert lost == {}


@cases(
    "data, said",
    case("nothing", b"", "1:1  this is not OPML: it has no <opml>"),
    case(
        "half a list",
        b"<opml><outline xmlUrl='https://a.example/'/>",
        "1:45  the list ends before its </opml>",
    ),
    case("HTML", b"<!DOCTYPE html>\n<html/>", "2:8  this is not OPML: it has no <opml>"),
)
def test_of_a_list_that_cannot_be_read_nothing_is_taken(data: bytes, said: str) -> None:
    feeds, problems = listed(data)

    assert feeds == ()
    assert [str(problem) for problem in problems] == [f"list.opml:{said}"]


def test_lists_that_are_files_are_read_with_the_config(tmp_path: Path) -> None:
    (tmp_path / "one.opml").write_bytes(LIST)
    (tmp_path / "two.opml").write_bytes(LIST.replace(b"bare.example", b"new.example"))

    config = loaded(
        tmp_path,
        f"""\
title: A planet
feeds: [https://py.example/rss]
subscriptions: [one.opml, 'file://{tmp_path}/two.opml', https://example.org/list.opml]
""",
    )

    assert [(feed.url, str(feed.place)) for feed in config.feeds] == [
        ("https://py.example/rss", f"{tmp_path}/config.yaml:2:9"),
        ("https://w3.example/feed", f"{tmp_path}/one.opml:10:4"),
        ("https://bare.example/", f"{tmp_path}/one.opml:13:3"),
        ("https://new.example/", f"{tmp_path}/two.opml:13:3"),
    ]
    assert [subscription.url for subscription in config.subscriptions] == [
        "https://example.org/list.opml"
    ]


def test_what_is_wrong_with_lists_is_told_with_the_rest(tmp_path: Path) -> None:
    (tmp_path / "one.opml").write_text('<opml>\n<outline text="A" xmlUrl="a"/></opml>')

    found = complaints(
        tmp_path,
        """\
title: A planet
subscriptions:
  - one.opml
  - none.opml
  - ./one.opml
  - HTTPS://two.example:443/list.opml#top
pages: {front: 0}
feeds: [https://two.example/list.opml]
""",
    )

    assert found == [
        "4:5  subscriptions[1] cannot be read: No such file or directory; its path starts at the "
        "folder of this file",
        "5:5  subscriptions[2] is the address of another list, or of a feed",
        "6:5  subscriptions[3] is the address of another list, or of a feed",
        '7:16  pages.front must be a whole number from 1 up, not "0"',
        f"{tmp_path}/one.opml:2:1  xmlUrl of A {NOT_ON_THE_WEB}",
    ]


@cases(
    "data",
    case("a file", b'<!DOCTYPE opml [<!ENTITY a SYSTEM "file:///x">]><opml>&a;</opml>'),
    case("folders without end", b"<opml>" + b"<outline text='a'>" * 10_000 + b"</opml>"),
    case("tags that never end", b"<opml>" + b"<outline " * 20_000 + b"</opml>"),
    case("comments that never end", b"<opml>" + b"<!-- " * 20_000 + b"</opml>"),
)
def test_nothing_in_a_list_is_slow_or_looked_up(data: bytes) -> None:
    started = time.process_time()

    feeds, _ = listed(data)

    assert feeds == ()
    assert time.process_time() - started < 5


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

    assert found.planet == {
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
            "language": "en",
            "extra": {"twitter": "ann", "nick": "ann"},
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
        "f:25:1  twitter is kept under extra, for templates of your own",
        "f:27:1  nick is kept under extra, for templates of your own",
        "f:31:1  nick is kept under extra, for templates of your own",
        'f:32:1  filters has no setting here; "transform" runs programs that read JSON',
        "f:34:1  future_dates is kept under extra, for templates of your own",
        'f:1:1  pages.front must be a whole number from 1 up, not "many"',
        "f:29:1  filters.exclude[0] is not a regular expression: missing ) at position 1",
    ]


def test_a_planet_of_pluto_is_taken_over() -> None:
    text = (
        "title = P\nurl = https://p.example\n\n[ann]\n  title = Ann: hers\n"
        "  feed  = http://a.example/f\n  author = irc:ann member\n  avatar = ann.png\n"
        "[bob]\n  link = http://b.example/\n"
    )

    feeds, left = read(text)

    assert read_foreign(text.encode(), file="f").planet["title"] == "P"
    assert feeds == [
        {
            "url": "http://a.example/f",
            "name": "Ann: hers",
            "extra": {"author": "irc:ann member"},
            "image": "https://p.example/images/ann.png",
        }
    ]
    assert left[0] == "f:9:1  [bob] is no feed: it has no web address"


def test_lines_that_are_no_options_hide_none() -> None:
    text = (
        "[http://a.example/f]\nname\n  more\n= x\n=====\nauthor = A\n"
        "[http://b.example/f]\nname = B\n"
    )

    assert read(text) == (
        [{"url": "http://a.example/f", "author": "A"}, {"url": "http://b.example/f", "name": "B"}],
        [],
    )


@pytest.mark.parametrize("link", ["", "link = http://[many/\n"])
def test_a_face_of_a_site_without_an_address_is_told_as_kept(link: str) -> None:
    feeds, left = read(f"[http://a.example/f]\nface = a.png\n[Planet]\nname = P\n{link}")

    assert feeds == [{"url": "http://a.example/f", "extra": {"face": "a.png"}}]
    assert left[0] == "f:2:1  face is kept under extra, for templates of your own"


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


def test_what_is_no_list_is_told() -> None:
    with pytest.raises(ConfigError, match="this is a feed"):
        read("<rss/>")
