"""Nouns are frozen dataclasses with slots, and say so in the same words."""

import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from typing import Any

import pytest

from planet import model
from planet.model import noun


@noun
class Pair:
    """As a noun."""

    left: int
    right: tuple[str, ...] = ()
    place: str | None = field(default=None, compare=False)
    secret: str = field(default="", repr=False)


@noun
class Single:
    """Of one field."""

    value: str | None = None


PLAIN: Any = dataclass(frozen=True, slots=True, kw_only=True)(
    type(
        "Pair",
        (),
        {
            "__annotations__": Pair.__annotations__,
            **{
                each.name: field(default=each.default, compare=each.compare, repr=each.repr)
                for each in fields(Pair)
                if each.name != "left"
            },
        },
    )
)
VALUES: list[dict[str, Any]] = [
    {"left": 1},
    {"left": 1, "place": "here"},
    {"left": 1, "secret": "x"},
    {"left": 2, "right": ("a", "b")},
]


@pytest.mark.parametrize("values", VALUES)
def test_a_noun_is_shown_and_hashed_as_a_dataclass(values: dict[str, Any]) -> None:
    assert repr(Pair(**values)) == repr(PLAIN(**values))
    assert hash(Pair(**values)) == hash(PLAIN(**values))


@pytest.mark.parametrize("one", VALUES)
@pytest.mark.parametrize("other", VALUES)
def test_a_noun_is_compared_as_a_dataclass(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert (Pair(**one) == Pair(**other)) is (PLAIN(**one) == PLAIN(**other))
    assert Pair(**one) != PLAIN(**one)


def test_a_noun_does_not_change() -> None:
    pair = Pair(left=1)

    with pytest.raises(FrozenInstanceError):
        pair.left = 2  # type: ignore[misc]  # that is what is tested
    assert replace(pair, left=2) == Pair(left=2)
    assert not hasattr(pair, "__dict__")


@pytest.mark.parametrize("noun", [*(Pair(**values) for values in VALUES), Single()])
def test_a_noun_comes_to_another_process_as_it_is(noun: object) -> None:
    assert repr(pickle.loads(pickle.dumps(noun))) == repr(noun)


def test_what_a_noun_defines_itself_holds() -> None:
    @noun
    class Own:
        """Says what it is."""

        x: int

        def __repr__(self) -> str:
            return "own"

    assert repr(Own(x=1)) == "own"


@pytest.mark.parametrize("name", [name for name, kind in vars(model).items() if is_dataclass(kind)])
def test_each_noun_of_the_model_is_one(name: str) -> None:
    assert hasattr(vars(model)[name], "__compared__")
