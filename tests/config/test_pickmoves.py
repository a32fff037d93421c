"""Picks of a feed that has moved, in whatever form the file has them."""

import pytest

from planet.config.picks import followed
from planet.errors import ConfigError
from tests.cases import case, cases

OLD = "https://old.example/feed"
NEW = "https://new.example/feed?a=1,2"
PICK = "title: One, picked: 2026-11-22, enclosure: https://one.example/1.mp3"


@cases(
    "before, after",
    case(
        "on lines",
        f"picks:  # ours\n  - feed: {OLD}  # once\n    {PICK}\n".replace(", ", "\n    "),
        f'picks:  # ours\n  - feed: "{NEW}"  # once\n    {PICK}\n'.replace(", ", "\n    "),
    ),
    case(
        "in brackets",
        f"picks: [{{{PICK}, feed: '{OLD}', id: a}}, {{{PICK}, feed: {OLD}, id: b}}]\n",
        f"picks: [{{{PICK}, feed: '{NEW}', id: a}}, {{{PICK}, feed: \"{NEW}\", id: b}}]\n",
    ),
    case(
        "of another feed",
        f"picks:\n  - {{{PICK}, feed: https://another.example/feed}}\n",
        f"picks:\n  - {{{PICK}, feed: https://another.example/feed}}\n",
    ),
    case("that name no feed", f"picks:\n  - {{{PICK}}}\n", f"picks:\n  - {{{PICK}}}\n"),
)
def test_only_the_address_of_the_feed_is_changed(before: str, after: str) -> None:
    moves = {OLD: NEW, "https://one.example/1.mp3": NEW}

    assert followed(before, moves, file="picks.yaml") == after


def test_an_address_that_other_values_use_is_left_to_the_operator() -> None:
    text = f"picks:\n  - {{{PICK}, feed: &a {OLD}, link: *a}}\n"

    with pytest.raises(ConfigError) as caught:
        followed(text, {OLD: NEW}, file="picks.yaml")

    (problem,) = caught.value.problems
    assert str(problem) == (
        "picks.yaml:2:82  the feed of this pick has moved; write its new address here by hand"
    )
