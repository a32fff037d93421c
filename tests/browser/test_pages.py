"""What feeds send, shown by a real browser: nothing runs, opens, leads away, covers or asks."""

from collections import Counter
from functools import partial

import pytest

from tests.browser.chromium import Tab
from tests.browser.trial import WAYS, Tame, Trial, Way
from tests.browser.vectors import channels_of, entries_of, others, own

pytestmark = pytest.mark.browser


def test_what_entries_say_does_nothing(
    way: Way, all_vectors: bool, tab: Tab, tame: Tame, counts: Counter[str]
) -> None:
    place = WAYS.index(way)
    # A sample is tried in one way each; in which formats, goes by the way, too. All those of others
    # are tried where images are shown, as most harm comes with these: with each cleaner.
    ours = own() if all_vectors else own()[place::3]
    theirs = others() if all_vectors and way.images == "lazy" else others()[place * 24 :: 72]
    trial = Trial(tab=tab, tame=tame, counts=counts, way=way)

    # Together on their planets: to open pages takes longer than what one more entry does in them.
    faults = trial.faults([*ours, *theirs], partial(entries_of, shift=way.shift))

    assert faults == {}
    counts["vectors of ours"] = len(ours)
    counts["vectors of others"] = len(theirs)


def test_what_feeds_say_of_themselves_does_nothing(
    all_vectors: bool, tab: Tab, tame: Tame, counts: Counter[str]
) -> None:
    vectors = [*own(), *others()[::12]] if all_vectors else own()[::32]
    trial = Trial(tab=tab, tame=tame, counts=counts)

    assert trial.faults(vectors, channels_of) == {}


def test_on_a_page_as_they_are_they_do_what_is_said_of_them(
    all_vectors: bool, tab: Tab, tame: Tame, counts: Counter[str]
) -> None:
    vectors = own() if all_vectors else own()[::12]
    trial = Trial(tab=tab, tame=tame, counts=counts)

    done = trial.harm(vectors)

    otherwise = {vector.id: done[vector.id] for vector in vectors if done[vector.id] != vector.does}
    # Browsers change: another version may let a few do something else.
    assert len(otherwise) <= len(vectors) // 20, otherwise
    counts["of ours uncleaned"] = len(vectors)
    counts |= Counter(f"of these do {kind or 'nothing'}" for kind in done.values())
