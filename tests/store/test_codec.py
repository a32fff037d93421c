"""Nouns come back from their JSON as they were, or not at all."""

from datetime import timedelta
from typing import Any

import pytest

from planet.model import (
    DueReason,
    Enclosure,
    FeedState,
    Hints,
    HostState,
    Lifetime,
    NewEntry,
    Person,
    RunHistory,
)
from planet.store.codec import decode, encode
from planet.store.faults import RowError
from tests.builders import NOW
from tests.cases import case, cases


def test_moments_and_spans_are_written_as_in_rfc_3339_and_iso_8601() -> None:
    history = RunHistory(clock_ahead=timedelta(seconds=-90), leapt_at=NOW)

    assert encode(history) == '{"clock_ahead":"-PT90S","leapt_at":"2026-11-20T12:00:00Z"}'
    assert decode(encode(history), RunHistory) == history


def test_fields_that_have_their_default_are_left_out() -> None:
    assert encode(HostState(host="one.example:443")) == '{"host":"one.example:443"}'


def test_sets_are_written_in_order() -> None:
    hints = Hints(skip_hours=frozenset(range(20, 0, -1)))

    assert encode(hints).startswith('{"skip_hours":[1,2,3,4,5,6,7,8,9,10,11,')
    assert decode(encode(hints), Hints) == hints


def test_fields_with_a_column_of_their_own_are_left_out_and_given_back() -> None:
    state = FeedState(key="one", url="https://one.example/", failures=3, attempted_at=NOW)

    stored = encode(state, without=["key", "url", "attempted_at"])

    assert stored == '{"failures":3}'
    columns = {"key": "one", "url": "https://one.example/", "attempted_at": NOW}
    assert decode(stored, FeedState, **columns) == state


def test_a_field_that_a_noun_has_no_more_is_passed_over() -> None:
    assert decode('{"name":"Ada","mail":"a@b.example"}', Person) == Person(name="Ada")


@cases(
    "kind, stored",
    case("no JSON", Person, "{"),
    case("no mapping", Person, "[]"),
    case("a number for a text", Person, '{"name":7}'),
    case("a text for a number", Enclosure, '{"url":"https://x.example/","length":"7"}'),
    case("a field that is missing", Enclosure, "{}"),
    case("a script for an address", Person, '{"url":"javascript:alert(1)"}'),
    case("a relative address", Enclosure, '{"url":"/1.mp3"}'),
    case("a file", NewEntry, '{"id":"1","digest":"0","link":"file:///etc/passwd"}'),
    case("a moment without a zone", RunHistory, '{"leapt_at":"2026-11-22T12:00:00"}'),
    case("a number for a moment", RunHistory, '{"leapt_at":1795348800}'),
    case("another word", Lifetime, '{"length":"PT1S","said_by":"somebody"}'),
    case("a text for a list", NewEntry, '{"id":"1","digest":"0","categories":"sea"}'),
)
def test_what_has_another_type_is_refused(kind: Any, stored: str) -> None:
    with pytest.raises(RowError):
        decode(stored, kind)


def test_what_has_another_type_is_refused_beside_columns_too() -> None:
    for stored in ("[]", '{"throttles":"x"}', "{"):
        with pytest.raises(RowError):
            decode(stored, HostState, host="one.example:443")


def test_a_word_of_a_list_comes_back_as_that() -> None:
    lifetime = Lifetime(length=timedelta(hours=1), said_by=DueReason.MAX_AGE)

    assert decode(encode(lifetime), Lifetime).said_by is DueReason.MAX_AGE
