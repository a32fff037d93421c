"""When a site comes out → the moment whose state of things it shows. Pure.

A site that comes out at times (`release`) shows what was known at the newest of them; what is found
later waits, and a run that comes late, or after days without one, brings out what belonged to that
moment, once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet.model import OWN_LIST

if TYPE_CHECKING:
    from collections.abc import Container
    from datetime import datetime

    from planet.config import Config


def released(config: Config, last: datetime | None, now: datetime) -> datetime | None:
    """That moment; None for a site that always shows the present one.

    `last` is the one it showed when it was last made. The first time it is the present one: a new
    site shows what is there.
    """
    if config.site.release is None:
        return None
    return now if last is None else max(last, config.site.release.last(now))


def as_of(config: Config, moment: datetime | None, shown: Container[str]) -> Config:
    """The config with the picks that its site has at that moment; `shown` are its feeds' keys.

    A site that shows some feeds has picks of these, and no lists.
    """
    picks = [pick for pick in config.picks if moment is None or pick.picked_at <= moment]
    if not config.site.shows_all:
        picks = [pick for pick in picks if pick.list == OWN_LIST and pick.feed in shown]
    return replace(config, picks=tuple(picks))
