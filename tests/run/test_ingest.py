"""A body → Reading: what is new in it, and when that was posted."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from planet.errors import ParseError
from planet.model import ParseResult
from planet.run.read import ReadOptions, read
from planet.text.html import Cleaning
from tests.cases import case, cases

BODY = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>One</title><id>tag:one</id>
<entry><id>c</id><title>Edited</title><published>2026-11-03T08:00:00Z</published>
<updated>2026-11-09T08:00:00Z</updated></entry>
<entry><id>b</id><title>Updated</title><updated>2026-11-02T08:00:00Z</updated></entry>
<entry><id>a</id><title>Undated</title></entry>
</feed>"""


def reading(
    known: Mapping[str, str] | None, body: bytes = BODY, read_as: str | None = None
) -> ParseResult:
    return read(
        body,
        url="https://one.example/feed",
        content_type=None,
        options=ReadOptions(stored=known, cleaning=Cleaning(), last_format=read_as),
    )


PAGE = b"""<!doctype html><title>Two</title>
<p class="h-entry"><a class="p-name u-url" href="/a">A post on a page</a></p>"""


@cases("read_as", case("never", None), case("as a page", "hfeed"))
def test_a_page_is_a_feed_when_it_was_read_before(read_as: str | None) -> None:
    assert reading({}, PAGE, read_as=read_as).profile.format == "hfeed"


def test_a_page_is_no_feed_where_one_was_read_before() -> None:
    with pytest.raises(ParseError, match="a web page, not a feed"):
        reading({}, PAGE, read_as="atom10")


def november(day: int) -> datetime:
    return datetime(2026, 11, day, 8, tzinfo=UTC)


@cases(
    "known, posted",
    case("of all, at the first reading", None, (november(3), november(2), None)),
    case("of all, when none is known", {}, (november(3), november(2), None)),
    case("of those that are not known", {"b": "another"}, (november(3), None)),
    case("of none, when all are known", {"a": "", "b": "", "c": ""}, ()),
)
def test_it_is_told_when_entries_were_posted(
    known: Mapping[str, str] | None, posted: tuple[datetime | None, ...]
) -> None:
    assert reading(known).posted == posted


def test_what_has_no_date_comes_after_all_that_has_one() -> None:
    page = b"<entry><id>p</id><title>Contact</title><updated>0001-01-01T00:00:00Z</updated></entry>"

    found = reading(None, BODY.replace(b"<entry>", page + b"<entry>", 1))

    assert {draft.id: draft.rank for draft in found.drafts} == {"p": 2, "c": 0, "b": 1, "a": 3}
    assert found.oldest == november(2)


def test_where_only_episodes_count_there_are_no_other_entries() -> None:
    body = b"""<rss version="2.0"><channel><title>Show</title>
    <item><title>a</title><guid>a</guid><description>Notes</description>
    <enclosure url="https://show.example/a.mp3" type="audio/mpeg" length="1"/></item>
    <item><title>page</title><guid>b</guid></item>
    <item><title>cover</title><guid>c</guid>
    <enclosure url="https://show.example/c.png" type="image/png" length="1"/></item>
    </channel></rss>"""

    found = read(
        body,
        url="https://show.example/feed",
        content_type=None,
        options=ReadOptions(cleaning=Cleaning(), episodes_only=True),
    )

    (draft,) = found.drafts
    assert (draft.title, draft.content, draft.raw and draft.raw.value) == ("a", None, "Notes")
    assert (found.ids, found.posted) == (("a",), (None,))


def test_an_entry_that_only_got_another_date_is_no_news() -> None:
    known = {draft.id: draft.digest for draft in reading(None).drafts}

    again = reading(known, BODY.replace(b"2026-11-0", b"2026-11-1"))

    assert (again.drafts, again.posted, again.ids) == ((), (), ("c", "b", "a"))


def test_an_entry_that_says_something_else_comes_with_its_new_date() -> None:
    known = {draft.id: draft.digest for draft in reading(None).drafts}

    again = reading(known, BODY.replace(b"Edited", b"Again").replace(b"2026-11-09", b"2026-11-10"))

    assert [(draft.id, draft.updated) for draft in again.drafts] == [("c", november(10))]
