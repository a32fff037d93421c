"""The policy, and the page that shows it."""

import re
from pathlib import Path

from planet.text import policy

DOCS = Path(__file__).parents[2] / "docs/reading.md"


def names(cell: str) -> list[str]:
    return re.findall(r"`([\w.-]+)`", cell)


def table(heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its head."""
    section = DOCS.read_text(encoding="utf-8").partition(f"{heading}\n")[2]
    lines = re.findall(r"^\|.*\|$", section.partition("\n#")[0], re.MULTILINE)
    return [line.strip("|").split("|") for line in lines[2:]]


def test_the_page_shows_the_policy() -> None:
    elements = {
        element: names(cells[1]) for cells in table("## Elements") for element in names(cells[0])
    }
    renamed = {
        old: names(cells[1])[0] for cells in table("### Other names") for old in names(cells[0])
    }
    dropped = names(
        DOCS.read_text(encoding="utf-8").partition("### Left out")[2].partition("\n\nOf every")[0]
    )
    players = {host: cells[1].strip() for cells in table("## Frames") for host in names(cells[0])}

    assert elements == {name: list(allowed) for name, allowed in policy.ELEMENTS.items()}
    assert renamed == policy.RENAMED
    assert set(dropped) == policy.DROPPED
    assert players == policy.PLAYERS


def test_the_page_says_why_things_are_not_allowed() -> None:
    rows = table("### What is never there")
    never = {name for cells in rows for name in names(cells[0])}

    assert [cells for cells in rows if not cells[-1].strip()] == []
    assert never & policy.ELEMENTS.keys() == set()


def test_the_policy_is_consistent() -> None:
    assert set(policy.RENAMED.values()) <= set(policy.ELEMENTS)
    assert not policy.RENAMED.keys() & (policy.ELEMENTS.keys() | policy.DROPPED)
    assert not policy.ELEMENTS.keys() & policy.DROPPED
    assert policy.VOID | policy.ADDED.keys() | policy.NEEDED.keys() <= policy.ELEMENTS.keys()
