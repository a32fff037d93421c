"""The slots for large bodies."""

from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError

import pytest

from planet.errors import FetchError
from planet.http.exchange import RequestSlots


def test_whoever_finds_no_slot_waits_until_another_leaves() -> None:
    slots = RequestSlots(count=1)
    slots.leave("first")  # which had none, and so gives none back
    slots.take("first")
    slots.take("first")

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(slots.take, "second")
        with pytest.raises(FutureTimeoutError):
            waiting.result(timeout=0.1)
        slots.leave("first")

        assert waiting.result(timeout=60) is None


def test_nobody_gets_a_slot_after_the_end_nor_who_waits_for_one() -> None:
    slots = RequestSlots(count=1)
    slots.take("first")

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(slots.take, "second")
        with pytest.raises(FutureTimeoutError):
            waiting.result(timeout=0.1)
        slots.close()

        with pytest.raises(FetchError, match="the run ended"):
            waiting.result(timeout=60)
    with pytest.raises(FetchError, match="the run ended"):
        slots.take("third")
