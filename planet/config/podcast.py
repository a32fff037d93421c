"""What a podcast feed says of itself: as written → Podcast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet import address
from planet.model import Podcast

if TYPE_CHECKING:
    from pathlib import Path

    from planet.config import settings


def podcast(written: settings.Podcast, folder: Path) -> Podcast:
    """The podcast that is meant; the file of its cover is looked for from `folder`."""
    cover = written.cover
    return Podcast(
        title=written.title,
        description=written.description,
        cover=cover and (address.web(cover) or folder / cover),
        category=written.category,
    )
