"""Whatever comes in: it is read or refused, safe, and the same when it is read again."""

import re
import string
import unicodedata
from datetime import datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from planet.config.feeds import make_slug
from planet.errors import ParseError
from planet.model import NewEntry, ParsedEntry, ParsedFeed, Post, Text
from planet.parse import parse
from planet.report.printable import printable
from planet.social import FORMATS
from planet.text import address
from planet.text.html import Cleaning, draft_entry, hash_entry
from planet.text.plain import decode_references, plain
from planet.timeline.duplicates import published_id
from tests.hostile import bodies, calm, feeds, texts
from tests.site.feeds.make import make_edition, make_post, written

URL = "https://feed.example/dir/feed.xml"
CLEANINGS = [Cleaning(sanitizer="bleach"), Cleaning(sanitizer="nh3")]


@calm
@given(bodies, st.one_of(st.none(), texts))
def test_any_bytes_are_read_or_refused_with_reason(body: bytes, content_type: str | None) -> None:
    read = outcome(body, content_type)

    if isinstance(read, ParseError):
        assert read.kind in {"empty", "not_a_feed", "unreadable"}
    else:
        ids = [entry.id for entry in read.entries]
        assert all(ids)
        assert len(set(ids)) == len(ids)


def outcome(body: bytes, content_type: str | None = None) -> ParsedFeed | ParseError:
    try:
        return parse(body, url=URL, content_type=content_type, formats=FORMATS)
    except ParseError as error:
        return error


@calm
@given(feeds)
def test_what_is_published_reads_back_as_what_was_read(body: bytes) -> None:
    entries = parse(body, url=URL, formats=FORMATS).entries
    drafts = [drafted(entry) for entry in entries]
    posts = [posted(number, each) for number, each in enumerate(drafts, start=1)]
    contents = {number: each.content or "" for number, each in enumerate(drafts, start=1)}

    documents = written(make_edition(*posts), contents)

    titles = [None if post.entry.is_note else post.entry.heading for post in posts]
    # By their ids: of two with the same date, any may be first.
    assert sorted(read_back(documents["atom.xml"])) == sorted(
        said(post, title and encoded_once(title)) for post, title in zip(posts, titles, strict=True)
    )
    assert sorted(read_back(documents["feed.json"])) == sorted(
        said(post, title and unescaped(post.entry.title))
        for post, title in zip(posts, titles, strict=True)
    )


def drafted(entry: ParsedEntry) -> NewEntry:
    return draft_entry(
        entry, cleaning=CLEANINGS[0], clean_content=True, rank=None, digest=hash_entry(entry)
    )


def posted(number: int, each: NewEntry) -> Post:
    """A draft as it is published, without a store in between."""
    when = each.published or each.updated
    dates: dict[str, Any] = {"when": when} if when else {}
    said = {name: getattr(each, name) for name in ("id", "link", "title", "summary")}
    post = make_post(number, **said, **dates)
    return replace(post, uid=published_id("one", each.id))


def said(post: Post, title: str | None) -> tuple[str, str | None, str | None, datetime, datetime]:
    seconds = (post.when.replace(microsecond=0), post.modified.replace(microsecond=0))
    return (post.uid, post.entry.link, title, *seconds)


def encoded_once(title: str) -> str:
    """A title as it is read from XML, where UTF-8 that was encoded again is undone."""
    try:
        return plain(Text(value=title.encode("latin-1").decode()))
    except UnicodeError:
        return title


def unescaped(title: str | None) -> str | None:
    """A title as it is read from a JSON Feed, where publishers encode it in error."""
    text = Text(value=decode_references(title)) if title else None
    return plain(text) if text else None


def read_back(document: bytes) -> list[tuple[str, str | None, str | None, object, object]]:
    return [
        (
            entry.id,
            entry.link,
            plain(entry.title) if entry.title else None,
            entry.published,
            entry.updated,
        )
        for entry in parse(document, url="https://planet.example/feed").entries
    ]


@calm
@given(texts)
def test_what_is_printed_moves_no_cursor_and_is_no_command(text: str) -> None:
    line = printable(text)

    assert [each for each in line if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl")] == []
    assert (line.startswith("::"), "##[" in line) == (False, False)


@calm
@given(st.lists(texts, max_size=3), texts)
def test_a_slug_is_a_name_for_a_folder_anywhere_and_its_own(names: list[str], key: str) -> None:
    first = make_slug(names, key=key, taken=())
    second = make_slug(names, key=key, taken={first})

    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", first)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", second)
    assert (len(first) <= 60, len(second) <= 60, first != second) == (True, True, True)
    assert not re.fullmatch(r"con|prn|aux|nul|com\d|lpt\d", first)


# An address that is written as it should be is taken as it is: the long way leads there, too

_HOSTS = st.text(string.ascii_lowercase + string.digits + ".-_", min_size=1, max_size=12)
_PATHS = st.text(string.ascii_letters + string.digits + "!#$%&'()*+,/:;=?@[]~._-\\ é", max_size=12)


@calm
@given(st.sampled_from(["http", "https"]), _HOSTS, _PATHS)
def test_an_address_is_alike_in_any_case_of_its_scheme(scheme: str, host: str, path: str) -> None:
    rest = f"://{host}/{path}"

    # In capitals, no address is as it should be.
    assert address.make_absolute(scheme + rest) == address.make_absolute(scheme.upper() + rest)
    if address.make_absolute(scheme + rest):
        assert address.normalize(scheme + rest) == address.normalize(scheme.upper() + rest)
