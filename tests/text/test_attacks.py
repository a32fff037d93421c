"""Hostile and broken texts, ours and those of other sanitisers: nothing comes through."""

from functools import cache

from planet.model import Html, Images
from planet.text.html import Cleaning, clean, show_images
from tests.cases import case, cases
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
