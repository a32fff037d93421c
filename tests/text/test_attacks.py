"""Hostile and broken texts, ours and those of other sanitisers: nothing comes through."""

from functools import cache

import pytest

from planet.model import Html, Images
from planet.text.html import Cleaning, clean, show_images
from planet.text.policy import is_clean
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


def test_nothing_comes_through_that_the_policy_does_not_have(cleaning: Cleaning) -> None:
    wrong = {text: faults(text) for text in {*cleaned(cleaning).values()}}

    assert {text: what for text, what in wrong.items() if what} == {}


def test_what_was_cleaned_is_known_as_clean(cleaning: Cleaning) -> None:
    assert [name for name, text in cleaned(cleaning).items() if not is_clean(text)] == []


@pytest.mark.parametrize(
    "html",
    [
        "<script>x</script>",
        '<p onclick="x">a</p>',
        '<p class="x">a</p>',
        "<P>a</P>",
        "a < b",
        "<!-- a -->",
        '<a href="javascript:x" rel="noopener noreferrer">a</a>',
        '<a href="https://x.example/">a</a>',
        '<a title="x" href=https://x.example/ rel="noopener noreferrer">a</a>',
        '<img src="data:text/html;base64,PHA+" loading="lazy">',
        '<img src="https://x.example/"" onerror="x" loading="lazy">',
        '<video src="//x.example/1.mp4" controls preload="none"></video>',
        '<svg><use href="https://x.example/"></svg>',
        "<p",
    ],
)
def test_what_is_no_clean_text_is_known_by_it(html: str) -> None:
    assert is_clean("<p>a &lt; b</p>")
    assert not is_clean(f"<p>a</p>{html}")


def test_cleaning_the_clean_changes_nothing(cleaning: Cleaning) -> None:
    once = {*cleaned(cleaning).values()}

    assert [text for text in once if clean(html(text), cleaning) != text] == []


@cases("attacks, agree", case("mostly", ATTACKS, True), case("not always", ATTACKS_APART, False))
def test_both_libraries_come_to_the_same(attacks: list[str], agree: bool) -> None:
    one, other = (Cleaning(sanitizer=sanitizer) for sanitizer in SANITIZERS)

    same = {clean(html(attack), one) == clean(html(attack), other) for attack in attacks}

    assert same == {agree}
