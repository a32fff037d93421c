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
def cleaned(cleaning: Cleaning, images: Images) -> dict[str, Html]:
    """Every one of them by its name, cleaned in this way, with images shown like that."""
    return {name: show_images(clean(html(value), cleaning), images) for name, value in values()}


@pytest.mark.parametrize("images", Images)
def test_nothing_comes_through_that_the_policy_does_not_have(
    images: Images, cleaning: Cleaning
) -> None:
    wrong = {name: faults(text) for name, text in cleaned(cleaning, images).items()}

    assert {name: what for name, what in wrong.items() if what} == {}


@pytest.mark.parametrize("images", Images)
def test_what_was_cleaned_is_known_as_clean(images: Images, cleaning: Cleaning) -> None:
    assert [name for name, text in cleaned(cleaning, images).items() if not is_clean(text)] == []


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


@pytest.mark.parametrize("images", Images)
def test_cleaning_the_clean_changes_nothing(images: Images, cleaning: Cleaning) -> None:
    once = cleaned(cleaning, images)

    assert {name: clean(html(value), cleaning) for name, value in once.items()} == once


@cases("attacks, agree", case("mostly", ATTACKS, True), case("not always", ATTACKS_APART, False))
def test_both_libraries_come_to_the_same(attacks: list[str], agree: bool) -> None:
    one, other = (Cleaning(sanitizer=sanitizer) for sanitizer in SANITIZERS)

    same = {clean(html(attack), one) == clean(html(attack), other) for attack in attacks}

    assert same == {agree}
