"""The cover of a podcast: its address, and the file that is published for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from planet import media

if TYPE_CHECKING:
    from planet.model import Podcast


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """Either may be missing: the address where the site has none, the image where it is there."""

    address: str | None
    path: str = ""
    """Where on the site the image is to be published."""
    image: bytes = b""


def cover(podcast: Podcast, folder: str, *, site: str | None, theme: str | None) -> Cover:
    """The operator's cover, else that of the theme, which is at the path `theme` of the site.

    Raises:
        OSError: the file of the cover cannot be read.
    """
    if isinstance(podcast.cover, Path):
        # Read now: what is published is what its fingerprint was made of.
        image = podcast.cover.read_bytes()
        path = media.cover_path(folder, image)
        return Cover(address=on_site(path, site), path=path, image=image)
    return Cover(address=podcast.cover or on_site(theme, site))


def on_site(path: str | None, site: str | None) -> str | None:
    """The address of an image at this path of the site, if there is one and it has one."""
    return None if site is None or path is None else f"{site}{path}"
