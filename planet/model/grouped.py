"""The posts of an edition → those of each source, and of each tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planet.model.shown import Edition, Post


def by_source(edition: Edition) -> dict[str, list[Post]]:
    """The posts of each source that has any, by its key; newest first, last those without dates."""
    found: dict[str, list[Post]] = {}
    for post in (*edition.posts, *edition.timeless):
        found.setdefault(post.source.key, []).append(post)
    return found


def by_tag(edition: Edition) -> dict[str, list[Post]]:
    """The posts of each tag, by its name; newest first."""
    found: dict[str, list[Post]] = {tag.name: [] for tag in edition.tags}
    # Posts share their sources: the tags of each are looked up once.
    of_source: dict[int, list[list[Post]]] = {}
    for post in edition.posts:
        source = post.source
        if id(source) not in of_source:
            names = dict.fromkeys(source.tags)
            of_source[id(source)] = [found[name] for name in names if name in found]
        for posts in of_source[id(source)]:
            posts.append(post)
    return found
