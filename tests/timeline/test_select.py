"""Which entries are wanted, what each other one is told, and the recipes of `docs/filters.md`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
import regex
from msgspec.structs import replace

import planet.timeline.select
from planet.model import Entry, Feed, Field, Filters, Future, Origin, Pattern, Person
from planet.timeline.edition import sources
from planet.timeline.select import Decision, Reason, Search, select
from tests.builders import NOW, make_entry, make_feed
from tests.cases import case, cases
from tests.config.files import loaded
from tests.docs import page

DAY = timedelta(days=1)


class Texts:
    """The texts of entries; remembers which were asked for."""

    def __init__(self, texts: Mapping[int, str] | None = None) -> None:
        self.texts = dict(texts or {})
        self.asked: list[Sequence[int]] = []

    def __call__(self, numbers: Sequence[int]) -> Mapping[int, str]:
        self.asked.append(numbers)
        return {number: self.texts[number] for number in numbers if number in self.texts}


ALICE = Origin(id="urn:alice", title="Alice's word")


def pattern(text: str, field: Field | None = None) -> Pattern:
    return Pattern(written=text, regex=re.compile(text, re.IGNORECASE), field=field)


def decide(
    entries: Iterable[Entry],
    *feeds: Feed,
    planet: Filters | None = None,
    texts: Texts | None = None,
    now: datetime = NOW,
) -> list[Decision]:
    by_key, entries = {feed.key: feed for feed in feeds or (make_feed(),)}, [*entries]
    return select(
        entries,
        by_key,
        planet=planet or Filters(),
        search=Search(sources(by_key.values(), {}, {}, entries), texts or Texts()),
        now=now,
    )


def reasons(decisions: Iterable[Decision]) -> dict[int, Reason]:
    return {decision.entry.number: decision.reason for decision in decisions}


def kept(decisions: Iterable[Decision]) -> set[int]:
    return {decision.entry.number for decision in decisions if decision.kept}


# Expressions that never end

ENDLESS = "a" * 20_000 + "!"


def expression(text: str) -> Pattern:
    return Pattern(written=text, regex=regex.compile(text))


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of the time: what never ends takes all of it."""
    for name in ("SEARCH_LIMIT", "FEED_LIMIT"):
        monkeypatch.setattr(planet.timeline.select, name, getattr(planet.timeline.select, name) / 5)


@pytest.mark.usefixtures("limits")
@pytest.mark.parametrize("said", [r"(a+)+$", r"(a|a)*$", r"(\w+\s?)+$", r"(?<=(a+)+b)$|(a*)*b"])
@pytest.mark.parametrize("setting", ["include", "exclude"])
def test_an_expression_that_does_not_end_keeps_the_entry(setting: str, said: str) -> None:
    slow, quick = expression(said), pattern("boats")
    filters = Filters(include=(slow,)) if setting == "include" else Filters(exclude=(slow,))
    feed = make_feed(filters=filters)

    decisions = decide([make_entry(1, title=ENDLESS)], feed, planet=Filters(exclude=(quick,)))

    assert [(decision.reason, decision.too_slow) for decision in decisions] == [
        (Reason.SHOWN, (slow,))
    ]


# One entry at a time


@pytest.mark.parametrize("field", list(Field))
def test_a_pattern_for_one_field_looks_at_no_other(field: Field) -> None:
    everywhere: dict[Field, dict[str, Any]] = {
        Field.TITLE: {"title": "A word"},
        Field.CONTENT: {"summary": "A word"},
        Field.AUTHOR: {"authors": (Person(url="https://a.example/"), Person(name="A word"))},
        Field.CATEGORY: {"categories": ("other", "a word")},
        Field.LINK: {"link": "https://one.example/word"},
        Field.SOURCE: {"origin": ALICE},
    }
    entries = [make_entry(number, **said) for number, said in enumerate(everywhere.values())]

    decisions = decide(entries, make_feed(filters=Filters(include=(pattern("word", field),))))

    anywhere = decide(entries, make_feed(filters=Filters(exclude=(pattern("word"),))))

    assert kept(decisions) == {list(everywhere).index(field)}
    assert kept(anywhere) == {list(everywhere).index(Field.SOURCE)}


@pytest.mark.parametrize("field", [None, Field.CONTENT], ids=["anywhere", "as its text"])
def test_a_pattern_finds_what_only_the_whole_text_says(field: Field | None) -> None:
    feed = make_feed(filters=Filters(include=(pattern("word", field),)))

    decisions = decide([make_entry(1), make_entry(2)], feed, texts=Texts({2: "The last word."}))

    assert reasons(decisions) == {1: Reason.NOT_INCLUDED, 2: Reason.SHOWN}


def test_texts_are_asked_for_only_when_a_filter_looks_at_them() -> None:
    texts = Texts()
    filters = Filters(include=(pattern("a", Field.TITLE),), max_age=DAY)

    decide([make_entry()], make_feed(filters=filters), planet=filters, texts=texts)

    assert texts.asked == []


AB, A = (pattern("a"), pattern("b")), (pattern("a"),)


@cases(
    "filters, said, reason, detail",
    case("none of the words", Filters(include=AB), {"title": "c"}, Reason.NOT_INCLUDED, "a, b"),
    case("one of the words", Filters(include=AB), {"title": "b"}, Reason.SHOWN, None),
    case("the first in the config", Filters(exclude=AB), {"title": "b a"}, Reason.EXCLUDED, "a"),
    case("both", Filters(include=AB, exclude=A), {"title": "a b"}, Reason.EXCLUDED, "a"),
    case(
        "the language before all",
        Filters(languages=("de",)),
        {"language": "en"},
        Reason.LANGUAGE,
        "en",
    ),
)
def test_an_entry_is_told_what_decided(
    filters: Filters, said: dict[str, Any], reason: Reason, detail: str | None
) -> None:
    entry = make_entry(**said)

    decisions = decide([entry], make_feed(filters=filters))

    assert decisions == [Decision(entry=entry, reason=reason, detail=detail)]


@cases(
    "language, wanted, shown",
    case("the very language", "de", ("de",), True),
    case("a region of it in another case", "DE-at", ("de",), True),
    case("the very region", "pt-BR", ("pt-br",), True),
    case("less than the region", "pt", ("pt-BR",), False),
    case("a tag that only begins alike", "den", ("de",), False),
    case("the second of two", "en", ("de", "en"), True),
    case("none of two", "fr", ("de", "en"), False),
    case("not known", None, ("de",), True),
)
def test_languages_are_wanted_by_the_beginning_of_their_tag(
    language: str | None, wanted: tuple[str, ...], shown: bool
) -> None:
    decisions = decide([make_entry(language=language)], planet=Filters(languages=wanted))

    assert [decision.kept for decision in decisions] == [shown]


def test_the_language_in_the_config_counts_for_entries_that_do_not_say() -> None:
    feed = make_feed(language="fr")

    decisions = decide(
        [make_entry(1), make_entry(2, language="de")], feed, planet=Filters(languages=("de",))
    )

    assert reasons(decisions) == {1: Reason.LANGUAGE, 2: Reason.SHOWN}


def test_the_author_in_the_config_counts_for_entries_that_do_not_say() -> None:
    feed = make_feed(author="Ann", filters=Filters(include=(pattern("ann", Field.AUTHOR),)))

    decisions = decide([make_entry(1), make_entry(2, authors=(Person(name="Bob"),))], feed)

    assert reasons(decisions) == {1: Reason.SHOWN, 2: Reason.NOT_INCLUDED}


# Age, and dates to come


@cases(
    "age, reason, until",
    case("younger", DAY - timedelta.resolution, Reason.SHOWN, timedelta.resolution),
    case("just as old", DAY, Reason.TOO_OLD, None),
)
def test_an_entry_stays_until_it_is_too_old(
    age: timedelta, reason: Reason, until: timedelta | None
) -> None:
    entry = make_entry(when=NOW - age)

    decisions = decide([entry], make_feed(filters=Filters(max_age=DAY)))

    moment = None if until is None else NOW + until
    assert decisions == [Decision(entry=entry, reason=reason, until=moment)]


def test_age_is_counted_from_where_an_entry_is_filed() -> None:
    seen = NOW - 2 * DAY
    entry = make_entry(first_seen=seen, dated=NOW + DAY)
    feeds = [make_feed(future=future) for future in (Future.CLAMP, Future.KEEP)]

    decisions = [decide([entry], feed, planet=Filters(max_age=DAY)) for feed in feeds]

    assert decisions == [
        [Decision(entry=entry, reason=Reason.TOO_OLD, by_planet=True)],
        [Decision(entry=entry, reason=Reason.SHOWN, until=NOW + 2 * DAY)],
    ]


@cases(
    "future, ahead, reason, until",
    case("dropped until its date", Future.DROP, DAY, Reason.FUTURE, DAY),
    case("shown at its date", Future.DROP, timedelta(0), Reason.SHOWN, None),
    case("shown where it was first seen", Future.CLAMP, DAY, Reason.SHOWN, None),
    case("believed", Future.KEEP, DAY, Reason.SHOWN, None),
)
def test_an_entry_from_the_future_is_shown_as_the_feed_is_set(
    future: Future, ahead: timedelta, reason: Reason, until: timedelta | None
) -> None:
    entry = make_entry(dated=NOW + ahead)

    decisions = decide([entry], make_feed(future=future))

    moment = None if until is None else NOW + until
    assert decisions == [Decision(entry=entry, reason=reason, until=moment)]


# How many


def test_recent_takes_the_newest_of_a_feed_that_does_not_list_them_first() -> None:
    ages = {1: 3, 2: 1, 3: 4, 4: 2}
    entries = [make_entry(number, when=NOW - age * DAY) for number, age in ages.items()]

    decisions = decide(entries, make_feed(filters=Filters(recent=2)))

    expected = {1: Reason.NOT_RECENT, 2: Reason.SHOWN, 3: Reason.NOT_RECENT, 4: Reason.SHOWN}
    assert reasons(decisions) == expected
    assert decisions[0] == Decision(
        entry=entries[0], reason=Reason.NOT_RECENT, detail="the newest 2"
    )


def test_of_equal_dates_the_entry_met_last_is_the_more_recent() -> None:
    decisions = decide([make_entry(n) for n in (2, 3, 1)], planet=Filters(recent=1))

    assert kept(decisions) == {3}


def test_the_planet_counts_what_its_feeds_have_let_through() -> None:
    feeds = [make_feed("one", filters=Filters(recent=1)), make_feed("two")]
    entries = [
        make_entry(number, feed="one" if number < 3 else "two", when=NOW - number * DAY)
        for number in (1, 2, 3, 4)
    ]

    decisions = decide(entries, *feeds, planet=Filters(recent=2))

    assert kept(decisions) == {1, 3}
    assert [decision.by_planet for decision in decisions] == [False, False, False, True]


@cases(
    "limit, expected",
    case("so many", 2, {1, 2, 4}),
    case("none of them", 0, {4}),
    case("all", None, {1, 2, 3, 4}),
)
def test_so_many_entries_of_a_new_feed_are_shown(limit: int | None, expected: set[int]) -> None:
    entries = [*(make_entry(number, rank=number - 1) for number in (1, 2, 3)), make_entry(4)]

    decisions = decide(entries, make_feed(new_feed_entries=limit))

    assert kept(decisions) == expected


# By lot


def days_of(count: int, **changes: Any) -> list[Entry]:
    """So many entries, one a day, the last one now."""
    return [make_entry(n, when=NOW - (count - n) * DAY, **changes) for n in range(1, count + 1)]


def test_the_lot_draws_so_many_and_says_so() -> None:
    entries = days_of(10)

    decisions = decide(entries, make_feed(filters=Filters(random=3)))

    drawn = kept(decisions)
    assert len(drawn) == 3
    assert [decision for decision in decisions if not decision.kept] == [
        Decision(entry=entry, reason=Reason.NOT_DRAWN, detail="3 drawn by lot")
        for entry in sorted(entries, key=lambda entry: entry.number)
        if entry.number not in drawn
    ]


def test_the_lot_falls_anew_when_entries_come() -> None:
    entries = days_of(30)
    draws = [
        kept(decide(entries[:there], make_feed(filters=Filters(random=5))))
        for there in range(20, 31)
    ]

    # None of the draws is the one before with the newest entry put in.
    assert all(len(one - other) > 1 for one, other in pairwise(draws))


def test_the_lot_falls_only_on_the_recent() -> None:
    decisions = decide(days_of(20), planet=Filters(recent=4, random=2))

    counts = {reason: list(reasons(decisions).values()).count(reason) for reason in Reason}
    assert kept(decisions) < {17, 18, 19, 20}
    assert (counts[Reason.NOT_RECENT], counts[Reason.NOT_DRAWN]) == (16, 2)


@cases("age", case("the oldest", 19), case("the newest", 0))
def test_the_lot_is_the_same_when_an_entry_goes_that_was_not_drawn(age: int) -> None:
    feeds = [make_feed("one"), make_feed("brief", filters=Filters(max_age=20 * DAY))]
    # Several names, so that the entry that goes is among those not drawn at least once.
    games = [
        [*days_of(19), make_entry(20, feed="brief", id=name, when=NOW - age * DAY)]
        for name in "abcdefgh"
    ]
    planet = Filters(random=5)

    draws = [
        (
            kept(decide(entries, *feeds, planet=planet)),
            kept(decide(entries, *feeds, planet=planet, now=NOW + (20 - age) * DAY)),
        )
        for entries in games
    ]

    compared = [(before, after) for before, after in draws if 20 not in before]
    assert compared
    assert [after for _, after in compared] == [before for before, _ in compared]


# All of them


def test_decisions_do_not_depend_on_the_order_of_entries_and_feeds() -> None:
    feeds = [make_feed(key, filters=Filters(recent=4, random=2)) for key in ("one", "two")]
    entries = [make_entry(number, feed=feeds[number % 2].key) for number in range(20)]
    planet = Filters(recent=3, random=2)

    one = decide(entries, *feeds, planet=planet)
    other = decide(reversed(entries), *reversed(feeds), planet=planet)

    assert sorted(other, key=number_of) == sorted(one, key=number_of)


def number_of(decision: Decision) -> int:
    return decision.entry.number


# `docs/filters.md`: each recipe on it, at work

PAGE = page("filters.md")
RECIPES = dict(re.findall(r"^### ([^\n]+)\n\n```yaml\n(.+?)```", PAGE, re.MULTILINE | re.DOTALL))


TWENTY: list[dict[str, Any]] = [{}] * 20
OFFICE, ADA = ({"authors": (Person(name=name),)} for name in ("The Press Office", "Ada"))
CASES: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "One topic of a large site": ([{"categories": ("x", "Gardening")}], [{"title": "botany"}]),
    "Whatever mentions one of two things": (
        [{"title": "A night train"}, {"summary": "a bicycle"}],
        [{"summary": "By night train"}],
    ),
    "Without sponsored posts": (
        [{"title": "Adding up"}],
        [{"categories": ("sponsored",)}, {"title": "Ad: this"}],
    ),
    "Not by one of its authors": ([ADA], [OFFICE]),
    "One part of a site, by its addresses": (
        [{"link": "https://a.example/blog/x"}],
        [{"link": "https://a.example/shop/x"}],
    ),
    "In languages that you read": ([{"language": "en-GB"}, {}], [{"language": "pt"}]),
    "The newest three of a busy feed": (TWENTY[:3], [{"when": NOW - DAY}]),
    "A few by chance from a long archive": (TWENTY[:2], TWENTY[2:]),
    "Nothing older than a month": ([{"when": NOW - 29 * DAY}], [{"when": NOW - 31 * DAY}]),
    "What passes everything": (
        [{"title": "Bicycle two"}],
        [{"title": "Bicycle race"}, {"title": "Bicycle", "when": NOW - DAY}],
    ),
}
"""By recipe, entries that are shown, and such that are not."""


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_shows_what_it_says(recipe: str, tmp_path: Path) -> None:
    shown, hidden = CASES[recipe]
    lines = indent(RECIPES[recipe], "    ")
    (feed,) = loaded(tmp_path, f"title: P\nfeeds:\n  - url: https://a.example/\n{lines}").feeds
    entries = [make_entry(number, **said) for number, said in enumerate([*shown, *hidden])]

    decisions = decide(entries, replace(feed, key="one"))

    assert len(kept(decisions)) == len(shown)
    if "random" not in lines:
        assert kept(decisions) == set(range(len(shown)))


def test_every_setting_of_filters_is_in_a_recipe() -> None:
    used = set(re.findall(r"^  (\w+):", "".join(RECIPES.values()), re.MULTILINE))

    assert used == set(Filters.__struct_fields__)
