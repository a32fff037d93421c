"""The options of a theme: what it declares, and what the operator chose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planet.errors import ConfigError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planet.model import OptionValue, ThemeOption


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option as a theme declares it; what may be chosen is of the kind of its default."""

    default: OptionValue
    one_of: tuple[str, ...] = ()
    """The only texts that may be chosen; empty where every value of its kind may be."""

    @property
    def wanted(self) -> str:
        """What may be chosen, in words."""
        if self.one_of:
            return "one of " + ", ".join(f'"{text}"' for text in self.one_of)
        if isinstance(self.default, bool):
            return "true or false"
        return "a text" if isinstance(self.default, str) else "a number"

    def allows(self, value: OptionValue) -> bool:
        """Whether a value may be chosen."""
        if self.one_of:
            return value in self.one_of
        # To Python true and false are numbers, too.
        if isinstance(self.default, bool) or isinstance(value, bool):
            return isinstance(self.default, bool) and isinstance(value, bool)
        return isinstance(value, str) is isinstance(self.default, str)


def chosen(
    declared: Mapping[str, Option], choices: Sequence[ThemeOption], *, theme: str
) -> dict[str, OptionValue]:
    """The value of every option; `theme` is what the theme is called in a message.

    Raises:
        ConfigError: the theme has no such option, or it may not be this; every such mistake, with
            its place in the config.
    """
    if problems := tuple(_problems(declared, choices, theme)):
        raise ConfigError(problems)
    values = {name: option.default for name, option in declared.items()}
    return values | {choice.name: choice.value for choice in choices}


def _problems(
    declared: Mapping[str, Option], choices: Sequence[ThemeOption], theme: str
) -> Iterator[Problem]:
    for choice in choices:
        option = declared.get(choice.name)
        if option is None:
            names = ", ".join(f'"{name}"' for name in declared) or "none"
            words = f'the theme {theme} has no option "{choice.name}"; its options: {names}'
            yield Problem(choice.place, words)
        elif not option.allows(choice.value):
            words = f"theme.options.{choice.name} must be {option.wanted}"
            yield Problem(choice.place, words)
