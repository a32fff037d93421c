"""ActivityStreams 2.0: what an outbox says, and what of it is for readers."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from planet.errors import ParseError
from planet.model import Enclosure, IncludeKind, ParsedEntry, ParsedFeed, Person, Text, TextKind
from planet.parse import parse
from planet.social import FORMATS
from tests.cases import case, cases

CONTEXT = "https://www.w3.org/ns/activitystreams"
PUBLIC = f"{CONTEXT}#Public"
ANN = "https://harbour.example/users/ann"
URL = f"{ANN}/outbox?page=true"
PAGE = "https://harbour.example/@ann/1"
ALL = frozenset(IncludeKind)


def note(number: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"{ANN}/statuses/{number}",
        "type": "Note",
        "published": "2026-11-11T08:00:00Z",
        "url": f"https://harbour.example/@ann/{number}",
        "attributedTo": ANN,
        "to": [PUBLIC],
        "content": f"<p>Words {number}.</p>",
        **changes,
    }


def created(post: object, **changes: Any) -> dict[str, Any]:
    return {"id": f"{ANN}/1/activity", "type": "Create", "actor": ANN, "object": post, **changes}


def boosted(what: object, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"{ANN}/statuses/9/activity",
        "type": "Announce",
        "actor": ANN,
        "published": "2026-11-12T08:00:00Z",
        "to": [PUBLIC],
        "object": what,
        **changes,
    }


def read(
    *items: object, include: frozenset[IncludeKind] = frozenset(), **changes: Any
) -> ParsedFeed:
    page = {"@context": CONTEXT, "type": "OrderedCollectionPage", "orderedItems": items, **changes}
    return parse(json.dumps(page).encode(), url=URL, include=include, formats=FORMATS)


def words(feed: ParsedFeed) -> list[str]:
    return [entry.content.value for entry in feed.entries if entry.content]


def only(*items: object, **changes: Any) -> ParsedEntry:
    (entry,) = read(*items, **changes).entries
    return entry


def test_a_post_is_read_whole() -> None:
    entry = only(
        created(
            note(
                updated="2026-11-12T09:00:00Z",
                contentMap={"en": "<p>Words 1.</p>"},
                tag=[
                    {"type": "Hashtag", "name": "#Boats"},
                    {"type": "Mention", "name": "@bo@else.example"},
                ],
                attachment=[
                    {
                        "type": "Document",
                        "mediaType": "image/jpeg",
                        "url": "https://harbour.example/boat.jpg",
                        "name": "A boat",
                    }
                ],
            )
        )
    )

    assert entry == ParsedEntry(
        id=f"{ANN}/statuses/1",
        link=PAGE,
        content=Text(
            value='<p>Words 1.</p><p><a href="https://harbour.example/boat.jpg">'
            '<img src="https://harbour.example/boat.jpg" alt="A boat"></a></p>',
            kind=TextKind.HTML,
            base=PAGE,
        ),
        categories=("Boats",),
        published=datetime(2026, 11, 11, 8, tzinfo=UTC),
        updated=datetime(2026, 11, 12, 9, tzinfo=UTC),
        enclosures=(
            Enclosure(
                url="https://harbour.example/boat.jpg", media_type="image/jpeg", title="A boat"
            ),
        ),
        image="https://harbour.example/boat.jpg",
        language="en",
    )


@pytest.mark.parametrize("kind", ["Note", "Article", "Video", "Audio", ["Note", "x:Thing"]])
@pytest.mark.parametrize("bare", [False, True], ids=["in an activity", "by itself"])
def test_what_people_write_and_record_is_a_post(kind: object, bare: bool) -> None:
    post = note(type=kind)

    assert words(read(post if bare else created(post))) == ["<p>Words 1.</p>"]


@cases(
    "other",
    case("a like", {"type": "Like", "object": note()}),
    case("a deletion", {"type": "Delete", "object": note()}),
    case("what is gone", created({"type": "Tombstone", "id": "x"})),
    case("an address alone", created("https://harbour.example/1")),
)
def test_other_activities_are_not(other: object) -> None:
    assert read(other, created(note())).entries == read(created(note())).entries


@cases(
    "where, document",
    case("items", "items", {"type": "CollectionPage", "items": [note()]}),
    case(
        "a first page within",
        "first",
        {"type": "OrderedCollection", "first": {"orderedItems": [note()]}},
    ),
)
def test_a_collection_comes_in_several_forms(where: str, document: dict[str, Any]) -> None:
    body = json.dumps({"@context": [CONTEXT, {"x": "y"}], **document}).encode()

    assert words(parse(body, url=URL, formats=FORMATS)) == ["<p>Words 1.</p>"]


def test_an_outbox_may_be_empty() -> None:
    body = json.dumps({"@context": CONTEXT, "type": "OrderedCollection", "totalItems": 0}).encode()

    assert parse(body, url=URL, formats=FORMATS).entries == ()


@cases(
    "fields, title, summary",
    case("a note that is warned of", {"summary": "Storm"}, "⚠ Storm", "⚠ Storm"),
    case(
        "an article that is summed up",
        {"type": "Article", "name": "On boats", "summary": "About <b>boats</b>."},
        "On boats",
        "About <b>boats</b>.",
    ),
    case(
        "an article that is warned of",
        {"type": "Article", "name": "On storms", "summary": "Storm", "sensitive": True},
        "On storms (⚠ Storm)",
        "⚠ Storm",
    ),
    case("a name", {"name": "Named &amp; so"}, "Named & so", None),
    case("neither", {}, None, None),
)
def test_a_warning_stands_before_the_text(
    fields: dict[str, Any], title: str | None, summary: str | None
) -> None:
    entry = only(note(**fields))

    assert entry.title == (Text(value=title) if title else None)
    assert (entry.summary.value if entry.summary else None) == summary
    assert entry.content is not None


def test_all_pictures_of_a_post_are_shown_and_those_it_warns_of_are_linked() -> None:
    pictures = [
        {"type": "Image", "mediaType": "image/png", "url": f"https://a.example/{name}.png", **more}
        for name, more in (("one", {"name": "A cat"}), ("two", {}))
    ]

    shown, warned = only(note(attachment=pictures)), only(note(attachment=pictures, sensitive=True))

    assert (shown.image, warned.image) == ("https://a.example/one.png", None)
    assert [entry.content and entry.content.value for entry in (shown, warned)] == [
        "<p>Words 1.</p>"
        '<p><a href="https://a.example/one.png">'
        '<img src="https://a.example/one.png" alt="A cat"></a></p>'
        '<p><img src="https://a.example/two.png" alt=""></p>',
        "<p>Words 1.</p>"
        '<p>⚠ <a href="https://a.example/one.png">A cat</a></p>'
        '<p>⚠ <a href="https://a.example/two.png">a.example/two.png</a></p>',
    ]


@cases(
    "fields, expected",
    case("one", {"contentMap": {"de": "Worte"}, "content": None}, ("Worte", "de")),
    case(
        "the one that is shown",
        {"contentMap": {"de": "Worte", "en": "Words"}, "content": "Words"},
        ("Words", "en"),
    ),
    case("a list", {"contentMap": ["Worte"], "content": "Words"}, ("Words", None)),
    case("no language", {"contentMap": {"!": "W"}, "content": None}, ("W", None)),
)
def test_a_text_may_be_there_in_languages(
    fields: dict[str, Any], expected: tuple[str, str | None]
) -> None:
    entry = only(note(**fields))

    assert entry.content is not None
    assert (entry.content.value, entry.language) == expected


@cases(
    "post, activity, shown",
    case("for all", {"to": [PUBLIC]}, {}, True),
    case("for all, quietly", {"to": [f"{ANN}/followers"], "cc": PUBLIC}, {}, True),
    case("for all, in short", {"to": "as:Public"}, {}, True),
    case("for followers", {"to": [f"{ANN}/followers"]}, {}, False),
    case("for one", {"to": ["https://else.example/bo"]}, {}, False),
    case("for nobody", {"to": []}, {}, False),
    case("for all, says the activity", {"to": None}, {"to": [PUBLIC]}, True),
    case("for followers all the same", {"to": [f"{ANN}/followers"]}, {"to": [PUBLIC]}, False),
    case("for nobody knows whom", {"to": None}, {}, False),
)
def test_only_what_is_for_everyone_is_shown(
    post: dict[str, Any], activity: dict[str, Any], shown: bool
) -> None:
    feed = read(created(note(**post), **activity), include=ALL)

    assert bool(feed.entries) is shown


@cases(
    "to, is_post",
    case("to another", "https://else.example/notes/1", False),
    case("to another, as a thing", {"id": "https://else.example/notes/1"}, False),
    case("to a post below the same address", [f"{ANN}/statuses/5"], True),
    case("to somebody with a longer name", f"{ANN}a/statuses/5", False),
    case("to what says it is by the same", {"id": "x:1", "attributedTo": ANN}, True),
    case("to one's own answer to another", f"{ANN}/statuses/2", False),
    case("to a post of the page", f"{ANN}/statuses/3", True),
    case("to itself", f"{ANN}/statuses/1", True),
)
def test_a_thread_is_posts_and_an_answer_is_not(to: object, is_post: bool) -> None:
    answer = note(1, inReplyTo=to)
    others = [note(2, inReplyTo="https://else.example/notes/1"), note(3)]

    assert ("<p>Words 1.</p>" in words(read(answer, *others))) is is_post
    wanted = words(read(answer, *others, include=frozenset({IncludeKind.REPLIES})))
    assert [text.startswith("<p>↩ ") for text in wanted if "Words 1." in text] == [not is_post]


def test_what_is_passed_on_is_shown_when_it_is_wanted() -> None:
    theirs = note(7, attributedTo="https://else.example/users/bo")
    whole, bare = boosted(theirs), boosted("https://else.example/notes/8", id=f"{ANN}/10")

    assert read(whole, bare).entries == ()
    one, other = read(whole, bare, include=frozenset({IncludeKind.BOOSTS})).entries
    assert (one.authors, one.published) == (
        (Person(name="bo", url="https://else.example/users/bo"),),
        datetime(2026, 11, 12, 8, tzinfo=UTC),
    )
    assert (other.link, other.title) == (
        "https://else.example/notes/8",
        Text(value="↻ https://else.example/notes/8"),
    )


def test_what_was_for_a_few_is_not_passed_on_to_all() -> None:
    theirs = note(7, to=["https://else.example/users/bo/followers"])

    assert read(boosted(theirs), boosted(note(8), to=[]), include=ALL).entries == ()


def test_what_is_not_a_collection_is_no_feed() -> None:
    body = json.dumps({"@context": CONTEXT, "type": "Person", "name": "Ann"}).encode()

    with pytest.raises(ParseError):
        parse(body, url=URL, formats=FORMATS)


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.just(PUBLIC)
    | st.just(ANN),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "type", "url", "href", "name", "tag", "object", "mediaType"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
NAMES = sorted({*note(), *created(None), *boosted(None), "inReplyTo", "attachment", "tag", "icon"})


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from([*NAMES, "contentMap", "summary", "cc", "image"]), ODD))
def test_nothing_that_is_of_the_wrong_type_does_harm(fields: dict[str, Any]) -> None:
    good = note(2)

    feed = read(note(**fields), created(note(**fields)), boosted(fields), fields, good, include=ALL)

    entries = [replace(entry, id="") for entry in feed.entries]
    assert replace(only(good), id="") in entries


@pytest.mark.parametrize("media_type", ["text/html", "Text/HTML; charset=utf-8"])
def test_a_page_that_is_attached_is_no_file(media_type: str) -> None:
    page = {"type": "Link", "mediaType": media_type, "href": "https://else.example/boats"}

    assert only(note(attachment=[page, 7, {"type": "Document"}])).enclosures == ()


def test_what_is_no_activity_is_passed_over() -> None:
    assert words(read("https://a.example/1", 7, None, [], note())) == ["<p>Words 1.</p>"]


def test_of_several_authors_the_first_is_named() -> None:
    by = [{"type": "Person", "id": "https://tube.example/accounts/bo"}, {"type": "Group"}]

    entry = only(boosted(note(7, attributedTo=by)), include=ALL)

    assert entry.authors == (Person(name="bo", url="https://tube.example/accounts/bo"),)
