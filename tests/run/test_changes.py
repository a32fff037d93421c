"""How an entry is dated when it is met and when it is edited, and which one can wait."""

from datetime import datetime, timedelta

from planet.model import Enclosure, NewEntry, Text, TextKind
from planet.run.changes import can_wait, date_edit, date_new_entry, order_drafts
from planet.store import EditDates, StoredEntry
from tests.builders import NOW, make_draft
from tests.cases import case, cases

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


STORED = StoredEntry(make_draft(published=NOW - 5 * DAY, raw="Words"), dated=NOW - 5 * DAY)
PAGE = StoredEntry(make_draft(rank=0), dated=NOW - 5 * DAY)
EDITED = StoredEntry(make_draft(updated=NOW - DAY, raw="Old"), dated=NOW)


def sign(number: int) -> Text:
    """A text with an address that is another one each time."""
    return Text(value=f'<img src="a?sig={number}">Same', kind=TextKind.HTML)


SIGNED = StoredEntry(make_draft(raw=sign(1)), dated=NOW - 5 * DAY)


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
    case("words where no text was kept", PAGE, make_draft(raw="Words"), None, NOW - 5 * DAY),
    case("the date of an earlier edit", EDITED, make_draft(updated=NOW - DAY, raw="New"), NOW, NOW),
    case("a date at last", PAGE, make_draft(published=NOW - 7 * DAY), NOW - 7 * DAY, NOW - 7 * DAY),
)
def test_an_edit_with(
    before: StoredEntry, draft: NewEntry, updated: datetime | None, dated: datetime
) -> None:
    dates = date_edit(before, draft, edited_at=NOW)

    assert dates == EditDates(changed_at=NOW, dated=dated, updated=updated)


def test_what_is_no_edit_is_not_dated_anew() -> None:
    dates = date_edit(STORED, make_draft(title="New"), edited_at=None)

    assert dates == EditDates(changed_at=None, dated=STORED.dated, updated=None)


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
