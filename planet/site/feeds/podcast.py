"""What a podcast says of its shows and episodes.

It has the namespaces of iTunes and Podcasting 2.0.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from planet.model import Html
from planet.site.feeds import facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planet.model import Post
    from planet.site.words import Words


# The namespace that the Podcasting 2.0 specification gives for podcast:guid.
_GUIDS = uuid.UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")
# Characters that an itunes:author may have, by Apple's first specification.
_MAX_AUTHOR = 255


def guid(address: str | None) -> str | None:
    """Return the podcast:guid of the feed at an address; neither scheme nor final slash matters."""
    return address and str(uuid.uuid5(_GUIDS, address.partition("://")[2].rstrip("/")))


def notes(post: Post, words: Words) -> Html:
    """Return the short show notes as HTML; empty where there is no summary."""
    summary = facts.summary(post)
    return Html(facts.foreword(post, words) + facts.paragraph(summary) if summary else "")


def cover(posts: Sequence[Post], own: str | None) -> str | None:
    """Return the channel's own image, else that of its first show, by title, that has one."""
    # By title and not by date: a cover must not change with every new episode.
    shows = sorted((post.source.title, post.source.key, post.source.image or "") for post in posts)
    return own or next((image for _, _, image in shows if image), None)


def shorten_author(name: str | None) -> str | None:
    """Return a name that is not longer than Apple allows."""
    return f"{name[: _MAX_AUTHOR - 1]}…" if name and len(name) > _MAX_AUTHOR else name


def explicit(post: Post) -> bool | None:
    """Return whether an episode is explicit, as it says itself, or else its show."""
    own = post.entry.episode.explicit if post.entry.episode else None
    return post.source.explicit if own is None else own
