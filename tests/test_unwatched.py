"""Python searches for cycles as before, once what was made in bulk is made."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from planet.run.publication import unwatched

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    gc.enable()
    gc.unfreeze()


def test_cycles_are_searched_for_again_after_a_failure() -> None:
    with pytest.raises(KeyError), unwatched():
        {"a": 1}["nothing"]

    assert gc.isenabled()


def test_who_wants_no_search_gets_none_afterwards() -> None:
    gc.disable()

    with unwatched():
        made: list[list[str]] = [[] for _ in range(3)]

    assert (gc.isenabled(), len(made)) == (False, 3)


def test_what_was_made_is_not_gone_through_again_until_the_next_time() -> None:
    with unwatched():
        made: list[object] = []

    assert all(each is not made for each in gc.get_objects())
    with unwatched():
        assert any(each is made for each in gc.get_objects())
