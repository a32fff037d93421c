"""Templates that lie one over the other: the site's own, its theme's, those of the theme below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_BELOW = "theme"


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The text of a template, and where it was read."""

    file: Path
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """The templates of one folder."""

    name: str
    """What templates call it: `default` in `!default/base.html`; empty where they do not."""
    templates: Mapping[str, Template]
    """By name, which is the path below `templates/` with forward slashes."""


@dataclass(frozen=True, slots=True)
class Layers:
    """The templates of a site, those that go before the others first."""

    layers: tuple[Layer, ...]

    def find(self, name: str) -> tuple[int, Template] | None:
        """The template of a name, and the number of its layer; of an `absolute` name, too."""
        start = 0
        if name.startswith("!"):
            number, _, name = name[1:].partition("/")
            if not number.isdecimal():
                return None
            start = int(number)
        for number_, layer in enumerate(self.layers[start:], start):
            if name in layer.templates:
                return number_, layer.templates[name]
        return None

    def absolute(self, name: str, used_in: str) -> str:
        """A name as it is written in a template → one that means the same everywhere.

        `!theme/x.html` is what `x.html` would be without the layer of the template in which this is
        written, and `!default/x.html` what it is in the theme `default`. A name that leads nowhere
        stays as it is.
        """
        if not name.startswith("!"):
            return name
        layer, _, rest = name[1:].partition("/")
        if layer == _BELOW:
            user = self.find(used_in)
            start = user[0] + 1 if user else 0
        else:
            names = [each.name for each in self.layers]
            if not layer or layer not in names:
                return name
            start = names.index(layer)
        meant = f"!{start}/{rest}"
        return meant if self.find(meant) else name
