"""Episodes that the operator picked, and the podcasts they are published in."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from planet.model.said import Facts

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from planet.model.said import Text
    from planet.model.shown import Post
    from planet.model.subscribed import Place

OWN_LIST = ""
"""The name of the planet's own list: its picks are posts of the planet like any other."""


def handle(feed: str, entry_id: str) -> str:
    """What to call an entry on a command line and in a form: ten hex digits, always the same."""
    said = f"{feed}\n{entry_id}".encode(errors="surrogatepass")
    return blake2b(said, digest_size=5).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """The podcast an episode is of, as it was when the episode was picked."""

    title: str
    url: str | None = None
    """Where to subscribe to it, if that may be told."""
    link: str | None = None
    author: str | None = None
    image: str | None = None
    language: str | None = None
    explicit: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick(Facts):
    """An episode with all that is needed to publish it for ever, whatever becomes of its source."""

    feed: str
    """The key of the feed it was picked from."""
    id: str
    """The id that its feed gives it, as in `Entry`."""
    picked_at: datetime
    list: str = OWN_LIST
    """The name of the list it was picked for; its folder, too."""
    note: str | None = None
    """Why, in the operator's words: plain text."""
    title: str | None = None
    summary: str | None = None
    text: Text | None = None
    """Its show notes as the feed sent them, or the operator changed them: untrusted."""
    show: Show
    place: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Podcast:
    """What a podcast feed says of itself, beside its episodes."""

    title: str | None = None
    """None is the planet's title, or the name of the list."""
    description: str | None = None
    cover: str | Path | None = None
    """Its square image: a web address, or a file (JPEG or PNG) to publish; None is the theme's."""
    category: str = "News"
    """One of Apple's, a subcategory after its category: `Arts > Books`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PickList:
    """A list of picked episodes with a page and a podcast feed of its own."""

    name: str
    """Its name in the config and in `picks.yaml`, and the name of its folder: a-z, 0-9 and "-"."""
    podcast: Podcast
    posts: tuple[Post, ...] = ()
    """Its episodes, the last one picked first."""
