"""When a site comes out → the moment whose state of things it shows. Pure.

A site that comes out at times (`release`) shows what was known at the newest of them; what is found
later waits, and a run that comes late, or after days without one, brings out what belonged to that
moment, once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from planet.config import Config
    from planet.store import Publication


def released(config: Config, last: Publication | None, now: datetime) -> datetime | None:
    """That moment; None for a site that always shows the present one.

    The first time it is the present one: a new site shows what is there.
    """
    if config.site.release is None:
        return None
    if last is None or last.released is None:
        return now
    return max(last.released, config.site.release.last(now))


def as_of(config: Config, moment: datetime | None) -> Config:
    """The config without what was picked after that moment."""
    if moment is None:
        return config
    return replace(config, picks=tuple(pick for pick in config.picks if pick.picked_at <= moment))
