"""What the operator says of a theme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from planet.model.subscribed import Place

OptionValue: TypeAlias = str | bool | int | float
"""What an option of a theme may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThemeOption:
    """An option of a theme that is set in the config; whether the theme has it is not known yet."""

    name: str
    value: OptionValue
    place: Place | None = None
