"""What an attempt changes of what is known, seen as a whole."""

from typing import Any

from msgspec.structs import replace

from planet.errors import FeedError
from planet.model import (
    DueReason,
    Failure,
    Fetched,
    Health,
    ParseResult,
)
from tests.builders import (
    NOW,
    make_draft,
    make_profile,
    make_reading,
)
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
    NOT_A_FEED,
    attempt,
    make_failed,
    make_new,
    make_read_state,
    make_same,
    waiting,
)

NEW = "https://new.example/"


@cases(
    "fetched, result, changes",
    case("not modified", make_same(), None, {"status": 304, "succeeded_at": NOW}),
    case(
        "not modified, after a redirect",
        make_same(url=NEW),
        None,
        {"status": 304, "succeeded_at": NOW, "answered_url": NEW},
    ),
    case(
        "the same bytes again, after a redirect",
        make_same(body_hash="aa", url=NEW),
        None,
        {"status": 200, "succeeded_at": NOW, "whole_at": NOW, "answered_url": NEW},
    ),
    case(
        "the same bytes again",
        make_same(body_hash="aa", same_etag=True),
        None,
        {"status": 200, "succeeded_at": NOW, "whole_at": NOW, "identical": 1},
    ),
    case(
        "other bytes with the same entries, after a redirect",
        make_new(url=NEW),
        make_reading(profile=make_profile(title="New")),
        {
            "succeeded_at": NOW,
            "whole_at": NOW,
            "processed_hash": "bb",
            "answered_url": NEW,
            "profile": make_profile(title="New"),
        },
    ),
    case(
        "a new entry",
        make_new(),
        make_reading(make_draft(), posted=(NOW - MINUTE,)),
        {
            "succeeded_at": NOW,
            "whole_at": NOW,
            "processed_hash": "bb",
            "changed_at": NOW,
            "posts": (NOW - MINUTE,),
        },
    ),
    case(
        "a body that cannot be read, of which the old profile stays",
        make_new(validators=frozenset()),
        NOT_A_FEED,
        {
            "whole_at": NOW,
            "validators": frozenset(),
            "processed_hash": "bb",
            "unreadable": "this is a web page",
            "unreadable_kind": "not_a_feed",
            "failures": 1,
            "failing_since": NOW,
            "strikes": 1,
            "struck_since": NOW,
            "error_kind": "not_a_feed",
            "error": "this is a web page",
            "last_failure": Failure(at=NOW, kind="not_a_feed", message="this is a web page"),
            **waiting(DAY, DueReason.BACKOFF),
        },
    ),
    case(
        "an error, after a redirect",
        make_failed("http_404", url=NEW, validators=frozenset()),
        None,
        {
            "status": 404,
            "failures": 1,
            "failing_since": NOW,
            "strikes": 1,
            "struck_since": NOW,
            "error_kind": "http_404",
            "error": "it is http_404",
            "last_failure": Failure(at=NOW, kind="http_404", message="it is http_404"),
            **waiting(HOUR, DueReason.BACKOFF),
        },
    ),
)
def test_an_answer_changes_what_is_known_and_nothing_else(
    fetched: Fetched, result: ParseResult | FeedError | None, changes: dict[str, Any]
) -> None:
    before = make_read_state()

    after = attempt(before, fetched, result)

    times: dict[str, Any] = {"attempted_at": NOW, **waiting(HOUR, DueReason.FLOOR)}
    assert replace(after, health=Health()) == replace(before, **{**times, **changes})


# A body from disk, of which nobody was asked


def make_recalled(**changes: Any) -> Fetched:
    return replace(make_new(status=None, conditional=False, asked=False), **changes)


def test_what_an_older_parser_read_is_read_again_and_asked_for_no_sooner() -> None:
    before = make_read_state(reader="0", due_at=NOW + MINUTE)
    profile = make_profile(title="Better")

    after = attempt(before, make_recalled(body_hash="aa"), make_reading(profile=profile))

    # It was the disk that answered, not the server.
    assert after == replace(before, reader="1", profile=profile)


# A body that there was no time to read
