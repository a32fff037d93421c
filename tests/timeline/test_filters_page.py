"""`docs/filters.md`: each recipe on it, at work."""

import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from textwrap import indent

import pytest

from planet.model import Entry, Filters, Person
from planet.timeline.select import Search, select
from tests.builders import NOW, make_entry
from tests.config.files import loaded
from tests.docs import page

PAGE = page("filters.md")
RECIPES = dict(re.findall(r"^### ([^\n]+)\n\n```yaml\n(.+?)```", PAGE, re.MULTILINE | re.DOTALL))
DAY = timedelta(days=1)


def entries(*said: Mapping[str, object]) -> list[Entry]:
    """The newest last."""
    return [
        make_entry(number, **{"first_seen": NOW, "dated": NOW, **each})
        for number, each in enumerate(said, 1)
    ]


def by(name: str) -> tuple[Person, ...]:
    return (Person(name=name),)


CASES = {
    "One topic of a large site": (
        entries({"categories": ("Gardening",)}, {"categories": ("botany", "x")}, {}),
        [1, 2],
    ),
    "Whatever mentions one of two things": (
        entries(
            {"title": "My Bicycle"},
            {"title": "A night train"},
            {"summary": "By night train"},
            {"summary": "a bicycle"},
        ),
        [1, 2, 4],
    ),
    "Without sponsored posts": (
        entries({"categories": ("sponsored",)}, {"title": "Ad: this"}, {"title": "Adding up"}),
        [3],
    ),
    "Not by one of its authors": (
        entries(
            {"authors": (Person(name="The Press Office"),)}, {"authors": (Person(name="Ada"),)}
        ),
        [2],
    ),
    "One part of a site, by its addresses": (
        entries({"link": "https://a.example/blog/x"}, {"link": "https://a.example/shop/x"}),
        [1],
    ),
    "In languages that you read": (
        entries({"language": "en-GB"}, {"language": "pt"}, {"language": "pt-br"}, {}),
        [1, 3, 4],
    ),
    "The newest three of a busy feed": (
        entries(*({"dated": NOW - number * DAY} for number in range(5))),
        [1, 2, 3],
    ),
    "Nothing older than a month": (
        entries({"dated": NOW - 29 * DAY}, {"dated": NOW - 31 * DAY}),
        [1],
    ),
    "What passes everything": (
        entries(
            {"title": "Bicycle race"},
            {"title": "Bicycle one", "dated": NOW - DAY},
            {"title": "Bicycle two"},
        ),
        [3],
    ),
}


def kept(recipe: str, found: list[Entry], folder: Path) -> list[int]:
    feed = f"title: P\nfeeds:\n  - url: https://one.example/feed\n{indent(RECIPES[recipe], '    ')}"
    (subscribed,) = loaded(folder, feed).feeds
    decisions = select(
        found, {"one": subscribed}, planet=Filters(), search=Search({}, lambda numbers: {}), now=NOW
    )
    return [decision.entry.number for decision in decisions if decision.kept]


@pytest.mark.parametrize("recipe", CASES)
def test_a_recipe_shows_what_it_says(recipe: str, tmp_path: Path) -> None:
    found, expected = CASES[recipe]

    assert kept(recipe, found, tmp_path) == expected


def test_what_is_drawn_by_lot_stays_until_something_new_comes(tmp_path: Path) -> None:
    found = entries(*({} for _ in range(20)))
    recipe = "A few by chance from a long archive"

    draws = [kept(recipe, found, tmp_path), kept(recipe, found, tmp_path)]
    others = [kept(recipe, found[: 20 - less], tmp_path) for less in range(1, 5)]

    assert (len(draws[0]), draws[0]) == (2, draws[1])
    assert any(other != draws[0] for other in others)


def test_every_recipe_is_tried() -> None:
    assert RECIPES.keys() == CASES.keys() | {"A few by chance from a long archive"}


def test_every_setting_of_filters_is_in_a_recipe() -> None:
    used = set(re.findall(r"^  (\w+):", "".join(RECIPES.values()), re.MULTILINE))

    assert used == set(Filters.__struct_fields__)
