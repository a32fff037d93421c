"""A page before it is drawn: what there is to draw, and what would have to change for another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from planet.render.bodies import PageBody
    from planet.render.feedlinks import SiteFeed
    from planet.render.present import Presenter


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A page before it is drawn.

    Its `facts` hold all that its body is made from and nothing that its page does not show.
    """

    kind: str
    """The name of its template without `.html`."""
    path: str
    title: str
    facts: tuple[object, ...]
    body: Callable[[Presenter], PageBody]
    feeds: tuple[SiteFeed, ...]
    """The feeds it names in its head."""

    @property
    def is_everywhere(self) -> bool:
        """Whether it is shown at any address, so that its links cannot be relative."""
        return self.path == "404.html"
