"""Hostile and broken texts, ours and those of other sanitisers: nothing comes through."""

import re
from functools import cache

from planet.model import Html, Images
from planet.text import policy
from planet.text.html import Cleaning, clean, show_images
from tests.cases import case, cases
from tests.docs import page, section
from tests.text.cases import ATTACKS, ATTACKS_APART, SANITIZERS, html, values
from tests.text.judge import faults


@cache
def cleaned(cleaning: Cleaning) -> dict[str, Html]:
    """Every one of them by its name, cleaned in this way, and by how images are shown in it."""
    texts: dict[str, Html] = {}
    for name, value in values():
        text = clean(html(value), cleaning)
        texts |= {f"{name}, {images}": show_images(text, images) for images in Images}
    return texts


def test_nothing_else_comes_through_and_nothing_leaves_its_place(
    cleaning: Cleaning,
) -> None:
    wrong = {text: faults(text) for text in {*cleaned(cleaning).values()}}

    assert {text: what for text, what in wrong.items() if what} == {}


@cases("attacks, agree", case("mostly", ATTACKS, True), case("not always", ATTACKS_APART, False))
def test_both_libraries_come_to_the_same(attacks: list[str], agree: bool) -> None:
    one, other = (Cleaning(sanitizer=sanitizer) for sanitizer in SANITIZERS)

    same = {clean(html(attack), one) == clean(html(attack), other) for attack in attacks}

    assert same == {agree}


def names(part: str) -> set[str]:
    return set(re.findall("`([^` ]+)`", part))


def rows(heading: str) -> list[tuple[set[str], set[str]]]:
    """The names in the two columns of a table in docs/reading.md."""
    table = section(page("reading.md"), heading).partition("\n#")[0]
    cells = (row.split("|") for row in table.splitlines() if row.startswith("|"))
    return [(names(row[1]), names(row[2])) for row in cells]


def test_the_tables_of_the_documentation_are_the_policy() -> None:
    dropped = names(section(page("reading.md"), "Left out with all that is in them"))

    elements = {name: attributes for row, attributes in rows("Elements") for name in row}
    renamed = {old: new for row, to in rows("Other names") for old in row for new in to}

    assert elements == {name: {*values} for name, values in policy.ELEMENTS.items()}
    assert renamed == policy.RENAMED
    assert dropped == policy.DROPPED
