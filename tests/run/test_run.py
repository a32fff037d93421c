"""What a run decides on and writes down: whom it asks, what is new, what is taken back."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from planet.errors import ParseError
from planet.model import (
    DueReason,
    Enclosure,
    EntryDates,
    GivenUp,
    NewEntry,
    ParseResult,
    Picks,
    Text,
    TextKind,
)
from planet.run import ingest
from planet.run.edition import config_hash, load_site_theme
from planet.run.ingest import can_wait, date_edit, date_new_entry, order_drafts
from planet.run.open import Scope
from planet.run.poll import plan_polls
from planet.run.read import ReadOptions, read
from planet.run.recover import read_site
from planet.schedule import KnownFeeds
from planet.store import StoredEntry
from planet.text.html import Cleaning
from tests.builders import NOW, make_draft, make_entry, make_feed, make_profile, make_state
from tests.cases import case, cases
from tests.config.files import loaded

# Which feeds are asked, or read again from disk, by what is stored of them


def reader(**settings: Any) -> str:
    return ingest.find_reader(make_feed("one", **settings), Cleaning())


HOUR = timedelta(hours=1)
READ = {
    "profile": make_profile(),
    "processed_hash": "aa",
    "reader": reader(),
    "attempted_at": NOW - HOUR,
    "settled_at": NOW - HOUR,
    "answered_url": "https://one.example/feed",
    "due_at": NOW + HOUR,
    "due_reason": DueReason.ADAPTIVE,
}


@cases(
    "changes, feed, planned",
    case("it is not due", {}, {}, ""),
    case("it is given up", {"given_up": GivenUp.GONE, "due_at": None}, {}, ""),
    case("it is due", {"due_at": NOW}, {}, "asked"),
    case(
        "it was never asked",
        {"attempted_at": None, "settled_at": None, "due_at": None},
        {},
        "asked",
    ),
    case(
        "a run was killed that asked it",
        {"attempted_at": NOW - HOUR / 2, "settled_at": NOW - 2 * HOUR},
        {},
        "on disk",
    ),
    case("another parser read it", {"reader": "older"}, {}, "on disk"),
    case("only its episodes were kept", {"reader": reader(picks=Picks.ONLY)}, {}, "on disk"),
    case("only its episodes are wanted now", {}, {"picks": Picks.ONLY}, "on disk"),
    case("more of its first entries are shown now", {}, {"new_feed_entries": 20}, "on disk"),
    case("it has another address now", {}, {"url": "https://new.example/feed"}, "asked"),
)
def test_what_is_to_be_done_about_a_feed(
    changes: dict[str, Any], feed: dict[str, Any], planned: str
) -> None:
    one, state = make_feed("one", **feed), make_state("one", **READ | changes)

    known = KnownFeeds([one], {"one": state}, {}, partial(ingest.find_reader, cleaning=Cleaning()))

    plan = plan_polls(known, scope=Scope(), now=NOW)
    assert "asked" * len(plan.requests) + "on disk" * len(plan.on_disk) == planned


# A body → Reading: what is new in it, and when that was posted

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
    assert found.ids == ("a",)


def test_an_entry_that_only_got_another_date_is_no_news() -> None:
    known = {draft.id: draft.digest for draft in reading(None).drafts}

    again = reading(known, BODY.replace(b"2026-11-0", b"2026-11-1"))

    assert (again.drafts, again.ids) == ((), ("c", "b", "a"))


def test_an_entry_that_says_something_else_comes_with_its_new_date() -> None:
    known = {draft.id: draft.digest for draft in reading(None).drafts}

    again = reading(known, BODY.replace(b"Edited", b"Again").replace(b"2026-11-09", b"2026-11-10"))

    assert [(draft.id, draft.updated) for draft in again.drafts] == [("c", november(10))]


# How an entry is dated when it is met and when it is edited, and which one can wait

DAY = timedelta(days=1)
OLDEST = NOW - 9 * DAY


@cases(
    "draft, dated",
    case("as it claims", make_draft(published=NOW - DAY, updated=NOW), NOW - DAY),
    case("as it was updated", make_draft(updated=NOW - 2 * DAY), NOW - 2 * DAY),
    case("now", make_draft(), NOW),
    case("as the oldest, if it was there before", make_draft(rank=3), OLDEST),
)
def test_an_entry_that_is_met_is_dated(draft: NewEntry, dated: object) -> None:
    dates = date_new_entry(draft, oldest=OLDEST, now=NOW)

    assert (dates.first_seen, dates.changed_at, dates.dated) == (NOW, NOW, dated)


SEEN = NOW - 9 * DAY


def stored_as(draft: NewEntry, dated: datetime = NOW - 5 * DAY) -> StoredEntry:
    said = {name: getattr(draft, name) for name in ("title", "published", "updated", "rank")}
    entry = make_entry(first_seen=SEEN, changed_at=SEEN, dated=dated, **said)
    return StoredEntry(entry, draft.raw)


STORED = stored_as(make_draft(published=NOW - 5 * DAY, raw="Words"))
ON_A_PAGE = stored_as(make_draft(rank=0))
EDITED = stored_as(make_draft(updated=NOW - DAY, raw="Old"), NOW)


def sign(number: int) -> Text:
    """A text with an address that is another one each time."""
    return Text(value=f'<img src="a?sig={number}">Same', kind=TextKind.HTML)


SIGNED = stored_as(make_draft(raw=sign(1)))


@cases(
    "before, draft, updated, dated",
    case("a new date", STORED, make_draft(published=NOW - DAY), NOW - DAY, NOW - 5 * DAY),
    case(
        "other words",
        STORED,
        make_draft(published=NOW - 5 * DAY, raw="Others"),
        NOW,
        NOW - 5 * DAY,
    ),
    case("another title", STORED, make_draft(raw="Words", title="New"), NOW, NOW - 5 * DAY),
    case("the same words", STORED, make_draft(raw=" Words "), None, NOW - 5 * DAY),
    case("another address in its text", SIGNED, make_draft(raw=sign(2)), None, NOW - 5 * DAY),
    case("words where no text was kept", ON_A_PAGE, make_draft(raw="Words"), None, NOW - 5 * DAY),
    case("the date of an earlier edit", EDITED, make_draft(updated=NOW - DAY, raw="New"), NOW, NOW),
    case(
        "a date at last",
        ON_A_PAGE,
        make_draft(published=NOW - 7 * DAY),
        NOW - 7 * DAY,
        NOW - 7 * DAY,
    ),
)
def test_an_edit_with(
    before: StoredEntry, draft: NewEntry, updated: datetime | None, dated: datetime
) -> None:
    edit = date_edit(before, draft, edited_at=NOW)

    assert edit == (EntryDates(first_seen=SEEN, changed_at=NOW, dated=dated), updated)


def test_what_is_no_edit_is_not_dated_anew() -> None:
    edit = date_edit(STORED, make_draft(title="New"), edited_at=None)

    assert edit == (EntryDates(first_seen=SEEN, changed_at=SEEN, dated=NOW - 5 * DAY), None)


@cases(
    "draft, waits",
    case("a text", make_draft(raw=Text(value="Words")), True),
    case("no text", make_draft(), False),
    case(
        "a text and something to play",
        make_draft(raw="Words", enclosures=(Enclosure(url="https://one.example/1.mp3"),)),
        False,
    ),
)
def test_an_entry_can_wait_with(draft: NewEntry, waits: bool) -> None:
    assert can_wait(draft) == waits


def test_numbers_go_from_the_last_of_a_document_to_its_first_and_pages_go_before() -> None:
    one, two, again = make_draft("1", title="a"), make_draft("2"), make_draft("1", title="b")
    page = make_draft("3", rank=0)

    assert order_drafts([page, one, two, again]) == [page, one, two]


# What the operator decides about a site, and what of the config is no such decision

CONFIG = """\
title: A planet
feeds:
  - url: https://one.example/feed
    name: One
editions:
  calm:
    release: {at: "07:00"}
    theme: {name: classic, options: {faces: true}}
"""


def made_from(folder: Path, text: str) -> str:
    (site,) = loaded(folder, text).sites
    return config_hash(site, load_site_theme(site), cleaning="1")


@cases(
    "before, after",
    case("where it is in the file", "title:", "# Read by friends.\ntitle:"),
    case("what to ask for", "name: One", "name: One\n    include: [replies, boosts]"),
    case("when to ask", "name: One", "name: One\n    fetch: {min_interval: 2h}"),
)
def test_what_no_page_shows_makes_no_other_site(tmp_path: Path, before: str, after: str) -> None:
    assert made_from(tmp_path, CONFIG.replace(before, after)) == made_from(tmp_path, CONFIG)


@cases(
    "before, after",
    case("title", "A planet", "Another"),
    case("name of a feed", "name: One", "name: The one"),
    case("link of a feed", "name: One", "name: One\n    links: {A: https://a.example/}"),
    case("a feed gets a program", "name: One", "name: One\n    transform: [/bin/cat]"),
    case("a feed gets a login", "name: One", "name: One\n    auth: {user: me, password: secret}"),
    case("time of a release", "07:00", "08:00"),
    case("option of a theme", "faces: true", "faces: false"),
    case("theme", "{name: classic, options: {faces: true}}", "default"),
)
def test_what_shows_makes_another_site(tmp_path: Path, before: str, after: str) -> None:
    assert made_from(tmp_path, CONFIG.replace(before, after)) != made_from(tmp_path, CONFIG)


# What a published site tells of its entries when the state is lost

_SEEN = "2026-11-20T11:00:00Z"


def said(*items: object) -> bytes:
    """A feed of this program's with these items."""
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "_planet": {"about": "https://docs.example/"},
        "items": list(items),
    }
    return json.dumps(feed).encode()


def item(**members: Any) -> dict[str, Any]:
    """An item of `said`; a member that is None is not there."""
    found = {
        "id": "urn:e:a",
        "date_published": _SEEN,
        "_planet": {"source": {"slug": "one"}, "first_seen": _SEEN},
    } | members
    return {name: value for name, value in found.items() if value is not None}


@cases(
    "wrong",
    case("a number", 7),
    case("without id", item(id=None)),
    case("without date", item(date_published=None)),
    case("a date before all", item(date_published="0001-01-01T00:00:00+23:00")),
    case("a date without zone", item(date_published="2026-11-20T11:00:00")),
    case("without first_seen", item(_planet={"source": {"slug": "one"}})),
)
def test_a_feed_is_not_of_this_program_with_an_item(wrong: object) -> None:
    with pytest.raises(ParseError, match="not a feed that Planet made"):
        read_site(said(item(id="urn:e:b"), wrong), ["one"])


def test_a_feed_tells_when_each_entry_was_seen_and_filed() -> None:
    filed = "2026-11-21T11:00:00+01:00"

    nowhere = item(id="urn:e:c", _planet={"source": {}, "first_seen": _SEEN})
    found = read_site(said(item(date_published=filed), nowhere), ["one"])

    seen = datetime(2026, 11, 20, 11, tzinfo=UTC)
    dates = EntryDates(first_seen=seen, changed_at=seen, dated=seen + timedelta(hours=23))
    assert found.dates == {"urn:e:a": dates}
