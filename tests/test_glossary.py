"""`docs/glossary.md` has each noun once, and none that is not there."""

import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import planet
from planet import model

PAGE = (Path(__file__).parents[1] / "docs/glossary.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in re.findall(r"^\|.*\|$", PAGE, re.MULTILINE)
    if not line.startswith(("|---", "| Noun "))
]
CLASSES = [name for row in ROWS for name in re.findall(r"\w+", row[1])]
# Parts of a noun that has an entry, and choices among a few words that say themselves.
NO_ENTRY = set(
    re.findall(
        r"\w+",
        "Advice Alternative AlternativeSource Arrivals ClockMark ContentMode Counts "
        "Day DigestItem DigestSection DigestTimes Discussion Every Facts Failure FairShare "
        "Fetched Field File Filed Funding Future Health Images IncludeKind IssueKind Lead "
        "License Linked Pages ParseResult Part Payment PaymentShare PendingRedirect Picking "
        "Picks PollResult PolledFeed PublishedEntry RunHistory SourceFeeds Step TextKind "
        "TransformOutcome Weekday",
    )
)


def test_each_noun_has_one_entry() -> None:
    nouns = [row[0] for row in ROWS]

    assert len(nouns) > 40
    assert (sorted(set(nouns)), sorted(set(CLASSES))) == (sorted(nouns), sorted(CLASSES))


def test_each_class_that_is_named_is_there() -> None:
    rooms = [import_module(f"planet.{room.name}") for room in pkgutil.iter_modules(planet.__path__)]
    there = {name for room in rooms for name, _ in inspect.getmembers(room, inspect.isclass)}

    assert set(CLASSES) - there - vars(model).keys() == set()


def test_each_noun_of_the_model_has_an_entry_or_needs_none() -> None:
    nouns = {name for name, _ in inspect.getmembers(model, inspect.isclass)}

    assert nouns - set(CLASSES) - NO_ENTRY == set()
    assert (NO_ENTRY & set(CLASSES), NO_ENTRY - nouns) == (set(), set())
