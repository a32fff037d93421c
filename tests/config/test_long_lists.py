"""A config with very many feeds costs each time the same for each of them."""

import sys
import tracemalloc
from pathlib import Path

from planet.config import load


def written(folder: Path, count: int) -> Path:
    path = folder / f"{count}.yaml"
    feeds = "".join(
        f"  - {{url: https://host{number}.example/feed.xml, name: Blog {number}, tags: [a]}}\n"
        for number in range(count)
    )
    path.write_text(f"title: T\nfeeds:\n{feeds}", encoding="utf-8")
    return path


def memory(path: Path) -> int:
    """Bytes, at most, while a config is read."""
    tracemalloc.start()
    try:
        load(path, environ={})
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def calls(path: Path) -> int:
    """How often a function is called, or goes on, while a config is read."""
    count = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        load(path, environ={})
    finally:
        sys.setprofile(before)
    return count


def test_a_feed_takes_little_memory_while_it_is_read(tmp_path: Path) -> None:
    few, many = written(tmp_path, 100), written(tmp_path, 500)
    load(few, environ={})

    assert (memory(many) - memory(few)) / 400 < 3_000


def test_a_feed_costs_the_same_however_many_there_are(tmp_path: Path) -> None:
    few, more, many = (written(tmp_path, count) for count in (100, 200, 400))
    load(few, environ={})

    costs = [calls(path) for path in (few, more, many)]

    assert costs[2] - costs[1] <= 2.05 * (costs[1] - costs[0])
    assert (costs[1] - costs[0]) / 100 < 200
