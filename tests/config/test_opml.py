"""Subscription lists: what they say, what they may not, and how they meet the config."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from planet.config import Defaults, feeds_from_opml
from planet.config.opml import Outline, outlines
from planet.model import Asking, ContentMode, Feed, Place
from tests.config.files import complaints, loaded

if TYPE_CHECKING:
    from pathlib import Path

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

NOT_ON_THE_WEB = "is not a web address; a subscription list may only hold web addresses"


def place(line: int, column: int) -> Place:
    return Place(file="list.opml", line=line, column=column)


def test_the_feeds_of_a_list_come_with_its_folders_and_categories_as_tags() -> None:
    found, problems = outlines(LIST, file="list.opml")

    assert problems == ()
    assert found == (
        Outline(
            url="https://py.example/rss",
            name="Insider",
            link="https://py.example/",
            tags=("Tech", "Python", "News", "Core", "Releases"),
            place=place(7, 5),
        ),
        Outline(
            url="https://w3.example/feed",
            name="W3C",
            link=None,
            tags=("Tech",),
            place=place(10, 4),
        ),
        Outline(url="https://bare.example/", name=None, link=None, tags=(), place=place(13, 3)),
    )


def test_a_feed_of_a_list_has_the_defaults_of_the_planet() -> None:
    defaults = Defaults(
        content=ContentMode.TITLE, new_feed_entries=None, asking=Asking(max_size=1000)
    )
    data = b'<opml><outline text="One" xmlUrl="https://one.example/"/></opml>'

    feeds, _ = feeds_from_opml(data, file="list.opml", defaults=defaults)

    assert feeds == (
        Feed(
            key="https://one.example/",
            url="https://one.example/",
            slug="one",
            name="One",
            content=ContentMode.TITLE,
            new_feed_entries=None,
            asking=Asking(max_size=1000),
            place=place(1, 7),
        ),
    )


def test_a_feed_listed_twice_is_one_with_the_tags_of_both() -> None:
    data = b"""<opml>
<outline text="A"><outline text="One" xmlUrl="https://one.example/"/></outline>
<outline text="B"><outline text="Uno" xmlUrl="https://ONE.example"/></outline>
</opml>"""

    feeds, _ = feeds_from_opml(data, file="list.opml", defaults=Defaults())

    assert [(feed.name, feed.tags) for feed in feeds] == [("One", ("A", "B"))]


def test_what_the_config_says_of_a_feed_goes_before_the_list() -> None:
    known = Feed(key="k", url="https://one.example/", slug="two", enabled=False)
    data = b"""<opml>
<outline text="One" xmlUrl="https://one.example/"/>
<outline text="Two" xmlUrl="https://two.example/"/>
</opml>"""

    feeds, _ = feeds_from_opml(data, file="list.opml", defaults=Defaults(), known=[known])

    assert [feed.slug for feed in feeds] == ["two-655fb0"]


def test_relative_addresses_start_where_the_list_came_from() -> None:
    data = b'<opml><outline xmlUrl="../feed.xml"/></opml>'

    feeds, problems = feeds_from_opml(
        data, file="list.opml", base="https://a.example/lists/l.opml", defaults=Defaults()
    )

    assert ([feed.url for feed in feeds], problems) == (["https://a.example/feed.xml"], ())


@pytest.mark.parametrize(
    ("address", "why"),
    [
        pytest.param("feed.xml", NOT_ON_THE_WEB, id="a path"),
        pytest.param("/etc/passwd", NOT_ON_THE_WEB, id="a file of the system"),
        pytest.param("file:///etc/passwd", NOT_ON_THE_WEB, id="a file address"),
        pytest.param("file:feed.xml", NOT_ON_THE_WEB, id="a file address that is none"),
        pytest.param("a.example/feed", NOT_ON_THE_WEB, id="a host without a scheme"),
        pytest.param("gopher://a.example/", NOT_ON_THE_WEB, id="another scheme"),
        pytest.param("http:///feed", "is not a web address", id="no host"),
        pytest.param(
            "feed://a.example/", 'begins with "feed:"; write https:// instead', id="feed:"
        ),
        pytest.param(
            "https://u:p@a.example/",
            'must not hold a password; write "auth: {user: …, password: …}"',
            id="a password",
        ),
    ],
)
def test_a_list_can_name_web_addresses_only(address: str, why: str) -> None:
    data = f"""<opml>
<outline text="No" xmlUrl="{address}"/>
<outline text="Yes" xmlUrl="https://yes.example/"/>
</opml>"""

    feeds, problems = feeds_from_opml(data.encode(), file="list.opml", defaults=Defaults())

    assert [feed.name for feed in feeds] == ["Yes"]
    assert [str(problem) for problem in problems] == [f"list.opml:2:1  xmlUrl of No {why}"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b"", "1:1  this is not OPML: no element found", id="nothing"),
        pytest.param(
            b"<opml><outline xmlUrl='https://a.example/'/>",
            "1:45  this is not OPML: no element found",
            id="half a list",
        ),
        pytest.param(
            b"<!DOCTYPE html>\n<html/>", "2:1  this is not OPML: it begins with <html>", id="HTML"
        ),
        pytest.param(
            b'<!DOCTYPE opml [<!ENTITY a "aaaa">]><opml/>',
            "1:28  this is not OPML: it declares entities",
            id="entities",
        ),
        pytest.param(
            b'<!DOCTYPE opml [<!ENTITY a SYSTEM "file:///etc/passwd">]><opml>&a;</opml>',
            "1:55  this is not OPML: it declares entities",
            id="a file as an entity",
        ),
        pytest.param(
            b'<?xml version="1.0" encoding="undefined"?><opml/>',
            "1:31  this is not OPML: its encoding is unknown",
            id="an encoding that cannot decode",
        ),
        pytest.param(
            b'<?xml version="1.0" encoding="no-such"?><opml/>',
            "1:31  this is not OPML: its encoding is unknown",
            id="an encoding nobody knows",
        ),
        pytest.param(
            b"<opml>" + b"<outline text='a'>" * 60,
            "1:907  this is not OPML: its folders are more than 50 deep",
            id="folders without end",
        ),
    ],
)
def test_of_a_list_that_cannot_be_read_nothing_is_taken(data: bytes, said: str) -> None:
    feeds, problems = feeds_from_opml(data, file="list.opml", defaults=Defaults())

    assert feeds == ()
    assert [str(problem) for problem in problems] == [f"list.opml:{said}"]


def test_a_long_list_on_one_line_is_quick() -> None:
    feed = b'<outline text="%d" xmlUrl="https://a.example/%d" category="a"/>'
    data = b"<opml>" + b"".join(feed % (n, n) for n in range(5000)) + b"</opml>"
    started = time.process_time()

    feeds, _ = feeds_from_opml(data, file="list.opml", defaults=Defaults())

    assert len(feeds) == 5000
    assert time.process_time() - started < 5


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
    assert [each.url for each in config.subscriptions] == ["https://example.org/list.opml"]


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
  - feed://example.org/
  - 3
pages: {front: 0}
""",
    )

    assert found == [
        "4:5  subscriptions[1] cannot be read: No such file or directory",
        "5:5  subscriptions[2] is the same list as subscriptions[0]",
        '6:5  subscriptions[3] begins with "feed:"; write https:// instead',
        '7:5  subscriptions[4] must be text; put it into quotes: "3"',
        '8:16  pages.front must be 1 or more, not "0"',
        f"{tmp_path}/one.opml:2:1  xmlUrl of A {NOT_ON_THE_WEB}",
    ]


def test_an_address_is_a_feed_or_a_list_and_not_both(tmp_path: Path) -> None:
    found = complaints(
        tmp_path,
        """\
title: A planet
subscriptions:
  - https://one.example/list.opml
  - HTTPS://two.example:443/list.opml#top
feeds:
  - https://two.example/list.opml
""",
    )

    assert found == ["4:5  subscriptions[1] is the address of a feed here as well"]
