"""Whose turn it is, on a clock that the test moves."""

from dataclasses import dataclass
from math import inf

from planet.http.crawl import Queues
from tests.cases import case, cases


@dataclass(slots=True)
class One:
    """Somebody who waits."""

    host: str
    number: int = 0
    not_before: float = 0.0


def queues(hosts: str, *, until: float | None = None, **free_at: float) -> Queues[One]:
    """Somebody for each letter, which is the name of the host; the clock is at 0."""
    everybody = [One(host, number) for number, host in enumerate(hosts)]
    return Queues(everybody, now=0.0, until=until, free_at=free_at)


def taken(waiting: Queues[One], now: float) -> list[tuple[str, int]]:
    """All who can be taken at this moment, in their order."""
    found = []
    while one := waiting.take(now):
        found.append((one.host, one.number))
    return found


def test_a_host_serves_one_at_a_time_in_their_order() -> None:
    waiting = queues("aba", until=inf)

    assert taken(waiting, 0) == [("a", 0), ("b", 1)]
    waiting.free("a", now=1, at=1)
    assert taken(waiting, 1) == [("a", 2)]
    assert not waiting


def test_a_host_serves_nobody_before_it_is_free_again() -> None:
    waiting = queues("aa")
    waiting.take(0)
    waiting.free("a", now=1, at=5)

    assert (waiting.take(4.9), waiting.wait(4.5), bool(waiting)) == (None, 0.5, True)
    assert taken(waiting, 5) == [("a", 1)]


def test_a_host_that_is_not_free_yet_from_an_earlier_round_is_waited_for() -> None:
    waiting = queues("a", a=3.0)

    assert (waiting.take(2), waiting.wait(2)) == (None, 1)
    assert taken(waiting, 3) == [("a", 0)]


def test_without_an_end_the_longest_queue_comes_first() -> None:
    waiting = queues("abbbcc")

    assert [host for host, _ in taken(waiting, 0)] == ["b", "c", "a"]


def test_without_an_end_chance_decides_between_queues_of_one_length() -> None:
    firsts = {taken(queues("abcdefgh"), 0)[0] for _ in range(100)}

    assert len(firsts) > 1


def test_with_an_end_the_host_comes_first_whose_next_one_is_earliest() -> None:
    waiting = queues("bacbb", until=inf)
    first = taken(waiting, 0)
    for host in "cab":
        waiting.free(host, now=1, at=1)

    assert first == [("b", 0), ("a", 1), ("c", 2)]
    assert taken(waiting, 1) == [("b", 3)]


def test_nobody_new_is_served_after_the_end() -> None:
    waiting = queues("aab", until=5)
    waiting.take(0)

    waiting.free("a", now=4, at=5.1)

    assert (taken(waiting, 5.1), bool(waiting)) == ([], False)


def test_nobody_waits_for_a_host_that_will_be_free_too_late() -> None:
    waiting = queues("aaa")
    waiting.take(0)

    waiting.free("a", now=1, at=66, until=60)

    assert (bool(waiting), waiting.waits_for("a")) == (False, False)


def test_a_host_that_served_nobody_is_as_free_as_before() -> None:
    waiting = queues("aa")
    waiting.take(0)

    waiting.free("a", now=1)

    assert taken(waiting, 1) == [("a", 1)]


@cases("until", case("without an end", None), case("even after the end", 9))
def test_who_goes_on_comes_before_all_who_are_new(until: float | None) -> None:
    waiting = queues("aab", until=until)
    one, other = waiting.take(0), waiting.take(0)
    assert one
    assert other
    elsewhere = one if one.host == "b" else other
    elsewhere.host = "a"

    waiting.go_on(elsewhere, now=10)
    waiting.free("b", now=10, at=10)
    waiting.free("a", now=10, at=12)

    assert taken(waiting, 11) == []
    assert taken(waiting, 12) == [("a", 2)]
    waiting.free("a", now=12, at=12)
    assert taken(waiting, 12) == ([("a", 1)] if until is None else [])


def test_those_who_go_on_keep_their_order() -> None:
    waiting = queues("")
    for number in (3, 1, 2):
        waiting.go_on(One("a", number), now=0)

    order = []
    for now in range(3):
        order += taken(waiting, now)
        waiting.free("a", now=now, at=now)

    assert order == [("a", 3), ("a", 1), ("a", 2)]


def test_who_is_to_wait_lets_others_pass() -> None:
    waiting = queues("a")
    waiting.go_on(One("a", 7, not_before=5.0), now=0)

    assert (waiting.waits_for("a"), taken(waiting, 0)) == (True, [("a", 0)])
    waiting.free("a", now=1, at=2)
    assert (waiting.waits_for("a"), bool(waiting)) == (False, True)
    assert (waiting.take(4), waiting.wait(4)) == (None, 1)
    assert taken(waiting, 5) == [("a", 7)]


def test_who_has_waited_still_waits_for_the_host() -> None:
    waiting = queues("a", a=8.0)
    waiting.go_on(One("a", 7, not_before=5.0), now=0)

    assert (waiting.take(5), waiting.wait(5)) == (None, 3)
    assert taken(waiting, 8) == [("a", 7)]


def test_all_who_wait_can_be_dismissed() -> None:
    waiting = queues("aabb", b=8.0)
    waiting.take(0)
    waiting.go_on(One("a", 7, not_before=5.0), now=0)
    waiting.go_on(One("b", 8), now=0)

    gone = sorted(one.number for one in waiting.dismiss())

    assert gone == [1, 2, 3, 7, 8]
    assert (waiting.take(9), waiting.wait(9), bool(waiting)) == (None, inf, False)


def test_there_is_nothing_to_wait_for_when_everybody_is_served() -> None:
    waiting = queues("a")
    waiting.take(0)

    assert (waiting.wait(0), bool(waiting)) == (inf, False)


def test_who_may_be_served_at_the_very_end_is_served() -> None:
    waiting = queues("aab", until=5)
    waiting.take(0)

    waiting.free("a", now=1, at=5)

    assert taken(waiting, 5) == [("a", 1), ("b", 2)]
