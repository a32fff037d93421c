"""The room for large bodies."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError

import pytest

from planet.errors import FetchError
from planet.http.exchange import Place, RequestSlots


def test_whoever_finds_no_place_waits_until_another_leaves() -> None:
    room = RequestSlots(places=1)
    first, second = Place(room), Place(room)
    first.take()
    first.take()

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(second.take)
        with pytest.raises(FutureTimeoutError):
            waiting.result(timeout=0.1)
        first.leave()

        assert waiting.result(timeout=10) is None


def test_a_place_that_was_not_taken_is_not_given_back() -> None:
    room = RequestSlots(places=1)
    first, second = Place(room), Place(room)
    first.leave()
    first.take()

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(second.take)
        with pytest.raises(FutureTimeoutError):
            waiting.result(timeout=0.1)
        room.close()

        with pytest.raises(FetchError, match="the run ended"):
            waiting.result(timeout=10)


def test_nobody_is_let_into_a_room_that_is_closed() -> None:
    room = RequestSlots()
    room.close()

    with pytest.raises(FetchError, match="the run ended"):
        room.enter()
