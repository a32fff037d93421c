"""Posts of Bluesky, beyond what the files in `tests/feeds` show."""

import json
import re
from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planet.errors import ParseError
from planet.model import IncludeKind, ParsedFeed
from planet.parse import parse
from planet.social import FORMATS
from planet.social.bluesky import facets_html
from tests.cases import case, cases
from tests.hostile import calm, texts
from tests.parse.test_feeds import FEEDS

URL = "https://appview.example/xrpc/app.bsky.feed.getAuthorFeed?actor=did%3Aplc%3Aann"
REPLIES, BOOSTS = IncludeKind.REPLIES, IncludeKind.BOOSTS


def read(value: object, *include: IncludeKind, url: str = URL) -> ParsedFeed:
    return parse(json.dumps(value).encode(), url=url, include=frozenset(include), formats=FORMATS)


def asides(*include: IncludeKind) -> ParsedFeed:
    body = (FEEDS / "bluesky-asides.json").read_bytes()
    return parse(body, url=URL, include=frozenset(include), formats=FORMATS)


@cases(
    "include, keys",
    case("nothing", (), ["thread", "first", "pinned"]),
    case("boosts", (BOOSTS,), ["shared", "thread", "first", "pinned"]),
    case("replies", (REPLIES,), ["answer", "gone", "thread", "first", "pinned"]),
    case(
        "replies and boosts",
        (REPLIES, BOOSTS),
        ["shared", "answer", "gone", "thread", "first", "pinned"],
    ),
)
def test_besides_an_account_s_own_posts_there_is_what_is_wanted(
    include: tuple[IncludeKind, ...], keys: list[str]
) -> None:
    feed = asides(*include)

    assert [entry.id.rpartition("/")[2] for entry in feed.entries] == keys


def test_what_is_passed_on_is_its_author_s_and_dated_when_it_was() -> None:
    feed = asides(BOOSTS)

    shared = feed.entries[0]
    assert [author.name for author in shared.authors] == ["Bob"]
    assert shared.origin is not None
    assert shared.origin.title == "Bob"
    assert f"{shared.published:%H:%M}" == "11:00"
    assert feed.profile.title == "Ann Ferry"


def test_an_answer_says_to_whom_where_that_is_known() -> None:
    feed = asides(REPLIES)

    assert [entry.content and entry.content.value for entry in feed.entries[:2]] == [
        '<p>↩ <a href="https://bsky.app/profile/bob.example/post/p">@bob.example</a></p>'
        "<p>An answer to somebody else</p>",
        '<p>↩ <a href="https://bsky.app/profile/did:plc:bob/post/q">'
        "bsky.app/profile/did:plc:bob/post/q</a></p><p>An answer to what is gone</p>",
    ]


def test_an_account_that_posted_nothing_is_known_by_its_address() -> None:
    feed = read({"feed": []})

    assert (feed.profile.format, feed.profile.title, feed.entries) == ("bluesky", None, ())


@pytest.mark.parametrize(
    "answer", [{"feed": []}, {"feed": [{"title": "x"}]}, {"feed": {"post": 1}}, {"title": "feed"}]
)
def test_other_json_is_no_feed(answer: object) -> None:
    with pytest.raises(ParseError) as error:
        read(answer, url="https://api.example/feed")

    assert error.value.kind == "not_a_feed"


_numbers = st.integers(min_value=-3, max_value=60)
_urls = st.sampled_from(["https://a.example/?b=1&c", "javascript:alert(1)", "", "x\"'><b>"])
_facets = st.fixed_dictionaries(
    {
        "index": st.fixed_dictionaries({"byteStart": _numbers, "byteEnd": _numbers}),
        "features": st.lists(
            st.fixed_dictionaries(
                {
                    "$type": st.sampled_from(
                        [f"app.bsky.richtext.facet#{kind}" for kind in ("link", "tag", "mention")]
                    ),
                    "uri": _urls,
                    "tag": texts,
                    "did": texts,
                }
            ),
            max_size=2,
        ),
    }
)


_LINK = re.compile(r'<a href="https://(?:bsky\.app|a\.example)/[^"<>]*">|</?p>|<br>|</a>')


@calm
@given(texts, st.lists(_facets, max_size=5))
def test_no_facet_changes_the_words_or_makes_other_markup(text: str, facets: list[Any]) -> None:
    words = _LINK.sub("", facets_html({"text": text, "facets": facets}))

    assert "<" not in words
    readable = text.encode("utf-8", "replace").decode() if text.strip() else ""
    assert re.sub(r"\s", "", unescape(words)) == re.sub(r"\s", "", readable)


_anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
_PARTS = ("uri", "author", "record", "embed", "labels", "indexedAt", "reply", "reason")
_DEEPER = ("did", "handle", "displayName", "text", "facets", "langs", "tags", "values", "parent")
_MEDIA = ("record", "media", "images", "external", "playlist", "value", "creator", "by", "labels")


def _known(names: tuple[str, ...], inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(st.sampled_from(names), inner | _anything, max_size=4)


_objects = _known(_PARTS, _known(_DEEPER + _MEDIA, _known(_MEDIA + _DEEPER, _anything)))


@calm
@given(st.lists(st.fixed_dictionaries({"post": _objects, "reply": _objects, "reason": _objects})))
def test_whatever_the_types_are_the_posts_are_read(items: list[Any]) -> None:
    feed = read({"feed": items}, REPLIES, BOOSTS)

    assert len({entry.id for entry in feed.entries}) == len(feed.entries)
